//! The picked item: what it costs by category, its calls, its records, and what is sent in its place.

use std::sync::Arc;

use leptos::prelude::*;
use palimpsest_core::inspect::{CallState, ItemRow};
use palimpsest_core::message::RawJson;

use super::bar::scale;
use super::json_view::JsonText;
use super::slabs::{prelude, state_key, state_label};
use super::tokens::Tok;
use crate::format::{exact, percent};
use crate::state::{Body, Frame, Stage, Turn};

#[component]
pub(crate) fn ItemView(stage: Stage) -> impl IntoView {
    move || {
        let (Some(frame), Some(id)) = (stage.frame.get(), stage.selected.get()) else {
            return view! { <p class="empty">"Pick a block of the window, or a name in the conversation."</p> }.into_any();
        };
        if id.starts_with('@') {
            return view! { <FixedPart frame id /> }.into_any();
        }
        let row = stage.rows.with(|rows| rows.get(&id).cloned());
        let turn = stage.story.with(|story| story.turns.all().iter().find(|turn| turn.id == id).cloned());
        if row.is_none() && turn.is_none() {
            return view! { <p class="empty">"This item is not there at this step."</p> }.into_any();
        }
        view! { <Item frame row turn /> }.into_any()
    }
}

#[component]
fn Item(frame: Frame, row: Option<ItemRow>, turn: Option<Arc<Turn>>) -> impl IntoView {
    let name = match (&turn, &row) {
        (Some(turn), _) => turn.kind.label(),
        (None, Some(row)) => row.kind.label(),
        (None, None) => "Item",
    };
    let label = row
        .as_ref()
        .map(|row| row.label.clone())
        .or_else(|| turn.as_ref().map(|turn| crate::format::first_line(&turn.words(), 90)));
    let line = turn.as_ref().map(|turn| format!("line {}", turn.line));
    let sent = row.as_ref().map(|row| sent_instead(&frame, row)).unwrap_or_default();
    let whole = scale(&frame.report);
    view! {
        <div class="item">
            <h3 class="item-title">{name} " " <span class="quiet">{line}</span></h3>
            <p class="item-label">{label}</p>
            {match row {
                None => {
                    view! { <p class="reason">"Not in the window at this step: it is in the record, and a summary stands for it or it has not been sent yet."</p> }
                        .into_any()
                }
                Some(row) => view! { <Costs row whole /> }.into_any(),
            }}
            {sent
                .into_iter()
                .map(|(call, raw)| view! { <JsonText text=raw.as_str() label=format!("{call}: as it is sent now") /> })
                .collect_view()}
            {turn.map(|turn| raws(&turn)).unwrap_or_default().into_iter().map(|(label, raw)| view! { <JsonText text=raw.as_str() label /> }).collect_view()}
        </div>
    }
}

#[component]
fn Costs(row: ItemRow, whole: palimpsest_core::unit::Tokens) -> impl IntoView {
    let categories = row.ledger.iter().filter(|(_, tokens)| !tokens.is_zero());
    view! {
        <p class="item-cost">
            <Tok n=row.tokens />
            {format!(" tokens, {} of the window", percent(row.tokens, whole))}
            {state_label(row.state).map(|label| view! { <span class="badge" data-state=state_key(row.state)>{label}</span> })}
        </p>
        <table class="changes">
            <caption class="visually-hidden">"Tokens of this item by category"</caption>
            <tbody>
                {categories
                    .map(|(category, tokens)| {
                        view! {
                            <tr>
                                <th scope="row">
                                    <span class="swatch" data-kind=category.key() aria-hidden="true"></span>
                                    {category.label()}
                                </th>
                                <td title=exact(tokens)><Tok n=tokens /></td>
                                <td>{percent(tokens, row.tokens)}</td>
                            </tr>
                        }
                    })
                    .collect_view()}
            </tbody>
        </table>
        {(!row.calls.is_empty())
            .then(|| {
                view! {
                    <ul class="calls">
                        {row
                            .calls
                            .iter()
                            .map(|call| {
                                view! {
                                    <li>
                                        <span class="call-label">{call.label.clone()}</span>
                                        " "
                                        <Tok n=call.tokens />
                                    </li>
                                }
                            })
                            .collect_view()}
                    </ul>
                }
            })}
    }
}

/// For calls whose result is no longer the original: the block that the newest request carried.
fn sent_instead(frame: &Frame, row: &ItemRow) -> Vec<(String, RawJson)> {
    let Some(sent) = &frame.sent else { return Vec::new() };
    let changed =
        |state: CallState| matches!(state, CallState::Cleared | CallState::Spilled | CallState::Cut);
    let block_of = |call: &str| {
        let blocks = sent.request.messages.iter().flat_map(|message| &message.blocks);
        blocks.rev_find(|block| block.json().get("tool_use_id").is_some_and(|id| id.is_str(call)))
    };
    let calls = row.calls.iter().filter(|call| changed(call.state));
    calls.filter_map(|call| Some((call.label.clone(), block_of(&call.id)?.clone()))).collect()
}

/// The last that fits, of an iterator without a known length.
trait RevFind: Iterator + Sized {
    fn rev_find(self, fits: impl Fn(&Self::Item) -> bool) -> Option<Self::Item> {
        self.filter(|item| fits(item)).last()
    }
}

impl<I: Iterator> RevFind for I {}

/// The blocks of a turn as recorded, with a name each.
fn raws(turn: &Turn) -> Vec<(String, RawJson)> {
    let mut out = Vec::new();
    for part in &turn.parts {
        match &part.body {
            Body::Block(block) => out.push(("Block as recorded".to_owned(), block.raw().clone())),
            Body::Call(call, result) => {
                out.push((format!("{}: call as recorded", call.name), call.raw().clone()));
                if let Some((_, result)) = result {
                    out.push((format!("{}: result as recorded", call.name), result.raw().clone()));
                }
            }
            Body::Note(_) => {}
        }
    }
    out
}

/// System prompt, tools and their like: they belong to every request and to no message.
#[component]
fn FixedPart(frame: Frame, id: String) -> impl IntoView {
    let Some(slab) = prelude(&frame.report).into_iter().find(|slab| slab.key == id) else {
        return view! { <p class="empty">"This part is not there at this step."</p> }.into_any();
    };
    let whole = scale(&frame.report);
    let sent = frame.sent.as_ref().map(|sent| &sent.request);
    let (note, raws) = match (slab.kind, sent) {
        ("unseen", _) => (
            "A session file does not hold the system prompt and the tools it was used with. The provider's own count of the newest request tells how much they took.",
            Vec::new(),
        ),
        ("system", Some(request)) => ("Part of every request; no tier touches it.", request.system.clone()),
        ("tools", Some(request)) => {
            ("Their schemas are part of every request; no tier touches them.", request.tools.clone())
        }
        _ => ("Part of every request, outside the stored messages; no tier touches it.", Vec::new()),
    };
    view! {
        <div class="item">
            <h3 class="item-title">{slab.kind_label}</h3>
            <p class="item-cost">
                <Tok n=slab.tokens />
                {format!(" tokens, {} of the window", percent(slab.tokens, whole))}
            </p>
            <p class="reason">{note}</p>
            {raws.into_iter().map(|raw| view! { <JsonText text=raw.as_str() label="As sent" /> }).collect_view()}
        </div>
    }
    .into_any()
}
