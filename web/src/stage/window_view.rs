//! The middle column: how full the window is, the bar, the account, and the same as a table.

use leptos::prelude::*;

use super::bar::{Bar, describe, scale};
use super::ledger::LedgerTable;
use super::slabs::Slab;
use super::table::ItemsTable;
use crate::format::{exact, percent, short};
use crate::state::Stage;

#[component]
pub(crate) fn WindowView(stage: Stage) -> impl IntoView {
    let hovered = RwSignal::new(None::<Slab>);
    let headline = move || {
        let frame = stage.frame.get()?;
        let gauge = frame.report.gauge;
        let model = frame.report.model.clone();
        let window = frame.report.window;
        Some(view! {
            <p class="headline">
                <span class="headline-used" title=exact(gauge.used)>{short(gauge.used)}</span>
                {if window.is_zero() {
                    " used; the window is not known".to_owned()
                } else {
                    format!(" of {} used", short(window))
                }}
                <span class="headline-share">{percent(gauge.used, window)}</span>
                <span class="headline-model">{model}</span>
            </p>
        })
    };
    let readout = move || {
        let frame = stage.frame.get()?;
        let slab = hovered.get()?;
        Some(describe(&slab, scale(&frame.report)))
    };
    view! {
        <section class="column window" aria-label="Window">
            <h2 class="column-title">"Window"</h2>
            {headline}
            <p class="readout">
                {move || {
                    readout().unwrap_or_else(|| "To scale. Point at a block, or pick one for its particulars.".to_owned())
                }}
            </p>
            <div class="window-body">
                <Bar stage hovered />
                <div class="window-side">
                    <LedgerTable stage />
                </div>
            </div>
            <ItemsTable stage />
        </section>
    }
}
