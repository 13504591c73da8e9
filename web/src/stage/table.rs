//! The bar's twin: every item as a row, for those who cannot see it, and for items too small to see.

use std::cmp::Reverse;

use leptos::prelude::*;
use palimpsest_core::inspect::ItemRow;

use super::slabs::state_label;
use super::tokens::Tok;
use crate::format::percent;
use crate::state::Stage;

/// How many rows are added at a time.
const PAGE: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Place,
    Size,
}

/// All items, closed at first: its rows are made when it is opened.
#[component]
pub(crate) fn ItemsTable(stage: Stage) -> impl IntoView {
    let open = RwSignal::new(false);
    let count = move || stage.frame.get().map_or(0, |frame| frame.report.items.len());
    view! {
        <details
            class="twin"
            prop:open=move || open.get()
            on:toggle:target=move |event| open.set(event.target().has_attribute("open"))
        >
            <summary>{move || format!("All {} items as a table", count())}</summary>
            <Show when=move || open.get()>
                <Rows stage />
            </Show>
        </details>
    }
}

#[component]
fn Rows(stage: Stage) -> impl IntoView {
    let order = RwSignal::new(Order::Place);
    let shown = RwSignal::new(PAGE);
    let rows = Memo::new(move |_| {
        let Some(frame) = stage.frame.get() else { return Vec::new() };
        let mut rows: Vec<(usize, ItemRow)> = frame.report.items.iter().cloned().enumerate().collect();
        if order.get() == Order::Size {
            rows.sort_by_key(|(_, item)| Reverse(item.tokens));
        }
        rows
    });
    let window = move || stage.frame.get().map(|frame| frame.report.window).unwrap_or_default();
    let head = move |label: &'static str, this: Order| {
        let sort = match this {
            Order::Place => "ascending",
            Order::Size => "descending",
        };
        view! {
            <th scope="col" aria-sort=move || if order.get() == this { sort } else { "none" }>
                <button type="button" class="sort" on:click=move |_| order.set(this)>{label}</button>
            </th>
        }
    };
    view! {
        <table class="items">
            <thead>
                <tr>
                    {head("No.", Order::Place)}
                    <th scope="col">"Item"</th>
                    <th scope="col">"State"</th>
                    {head("Tokens", Order::Size)}
                    <th scope="col">"Share"</th>
                </tr>
            </thead>
            <tbody>
                {move || {
                    rows.get()
                        .into_iter()
                        .take(shown.get())
                        .map(|(at, item)| {
                            let id = item.id.clone();
                            view! {
                                <tr>
                                    <td>{at + 1}</td>
                                    <td>
                                        <span class="swatch" data-kind=item.kind.key() aria-hidden="true"></span>
                                        <button type="button" class="link" on:click=move |_| stage.pick(&id)>
                                            <span class="visually-hidden">{item.kind.label()} ": "</span>
                                            {item.label}
                                        </button>
                                    </td>
                                    <td>{state_label(item.state).unwrap_or("as it came")}</td>
                                    <td><Tok n=item.tokens /></td>
                                    <td>{percent(item.tokens, window())}</td>
                                </tr>
                            }
                        })
                        .collect_view()
                }}
            </tbody>
        </table>
        <Show when=move || { rows.with(Vec::len) > shown.get() }>
            <button type="button" class="button" on:click=move |_| shown.update(|shown| *shown += PAGE)>
                {move || format!("Show more, {} are left", rows.with(Vec::len).saturating_sub(shown.get()))}
            </button>
        </Show>
    }
}
