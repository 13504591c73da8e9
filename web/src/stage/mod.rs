//! One screen, three columns over one story: conversation, window to scale, inspector.
//!
//! ```text
//!  ┌ transport: play, step, scrub, markers ─────────────┐
//!  ├ conversation ─────┬ window ──────┬ inspector ──────┤
//!  │ what was said     │ what is seen │ why, item, JSON │
//!  └───────────────────┴──────────────┴─────────────────┘
//! ```

mod bar;
mod conversation;
mod inspector;
mod item_view;
mod json_view;
mod ledger;
mod part_view;
mod request_view;
mod slabs;
mod steps;
mod table;
mod timeline;
mod tokens;
mod transport;
mod window_view;

use leptos::prelude::*;

pub(crate) use timeline::MarkerLegend;
pub(crate) use tokens::Tok;
pub(crate) use transport::Transport;

use crate::state::{Pane, Stage};

/// The three columns. `empty` says what the conversation will hold when there is nothing in it yet.
#[component]
pub(crate) fn Columns(stage: Stage, #[prop(into)] empty: String) -> impl IntoView {
    view! {
        <PaneTabs stage />
        <div class="columns" data-pane=move || pane_key(stage.pane.get())>
            <conversation::Conversation stage empty />
            <window_view::WindowView stage />
            <inspector::Inspector stage />
        </div>
    }
}

const fn pane_key(pane: Pane) -> &'static str {
    match pane {
        Pane::Conversation => "conversation",
        Pane::Window => "window",
        Pane::Inspector => "inspector",
    }
}

/// Which column a narrow screen shows; a wide one shows all and hides this.
#[component]
fn PaneTabs(stage: Stage) -> impl IntoView {
    let panes =
        [(Pane::Conversation, "Conversation"), (Pane::Window, "Window"), (Pane::Inspector, "Inspector")];
    view! {
        <div class="pane-tabs" role="group" aria-label="Column">
            {panes
                .map(|(pane, label)| {
                    view! {
                        <button
                            type="button"
                            aria-pressed=move || (stage.pane.get() == pane).to_string()
                            on:click=move |_| stage.pane.set(pane)
                        >
                            {label}
                        </button>
                    }
                })}
        </div>
    }
}
