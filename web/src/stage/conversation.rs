//! The left column: what was said, in order, with what has become of it in the window.

use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;

use super::part_view::PartView;
use super::slabs::{state_key, state_label};
use super::tokens::Tok;
use crate::state::{Kind, Stage, Turn};

/// How many turns are in the page at a time; the rest comes on demand.
const PAGE: usize = 120;

#[component]
pub(crate) fn Conversation(stage: Stage, empty: String) -> impl IntoView {
    let list = NodeRef::<Div>::new();
    let extra = RwSignal::new(0_usize);
    let records = Memo::new(move |_| stage.frame.get().map_or(0, |frame| frame.records));
    // The turns there are by now, as far as they have grown: a turn is drawn anew when a part of it arrives.
    let there = Memo::new(move |_| {
        let records = records.get();
        stage.story.with(|story| {
            let turns = story.turns.all().iter();
            let grown: Vec<Grown> = turns
                .map(|turn| Grown { parts: turn.grown(records), turn: Arc::clone(turn) })
                .take_while(|grown| grown.parts > 0)
                .collect();
            let from = grown.len().saturating_sub(PAGE + extra.get());
            (from, grown)
        })
    });
    let earlier = move || there.with(|(from, _)| *from);
    let shown = move || there.with(|(from, grown)| grown.iter().skip(*from).cloned().collect::<Vec<_>>());
    // Turns before this record were archived, unless the window still has them.
    let archived_before = Memo::new(move |_| {
        there.with(|(_, grown)| {
            let marks = grown.iter().rev().map(|grown| &grown.turn);
            marks.filter(|turn| turn.kind == Kind::Summary).map(|turn| turn.record).next().unwrap_or(0)
        })
    });
    follow(list, stage, records);

    view! {
        <section class="column conversation" aria-label="Conversation">
            <h2 class="column-title">"Conversation"</h2>
            <div class="turns" node_ref=list tabindex="0" role="group" aria-label="Messages">
                <Show when=move || there.with(|(_, grown)| grown.is_empty())>
                    <p class="empty">{empty.clone()}</p>
                </Show>
                <Show when=move || { earlier() > 0 }>
                    <button type="button" class="button" on:click=move |_| extra.update(|extra| *extra += PAGE)>
                        {move || format!("Show earlier, {} are left", earlier())}
                    </button>
                </Show>
                <For each=shown key=Grown::key let(grown)>
                    <TurnView stage turn=grown.turn records archived_before />
                </For>
            </div>
        </section>
    }
}

#[derive(Debug, Clone)]
struct Grown {
    turn: Arc<Turn>,
    parts: usize,
}

impl PartialEq for Grown {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts && Arc::ptr_eq(&self.turn, &other.turn)
    }
}

impl Grown {
    fn key(&self) -> (String, usize) {
        (self.turn.id.clone(), self.parts)
    }
}

/// Keeps the newest in sight while the story moves on, and the picked one when it is picked elsewhere.
fn follow(list: NodeRef<Div>, stage: Stage, records: Memo<usize>) {
    Effect::new(move |_| {
        records.track();
        request_animation_frame(move || {
            if let Some(list) = list.try_get_untracked().flatten() {
                list.set_scroll_top(list.scroll_height());
            }
        });
    });
    Effect::new(move |_| {
        let Some(id) = stage.selected.get() else { return };
        request_animation_frame(move || {
            let turn = document().get_element_by_id(&turn_id(&id));
            if let (Some(list), Some(turn)) = (list.try_get_untracked().flatten(), turn) {
                let (list_box, turn_box) = (list.get_bounding_client_rect(), turn.get_bounding_client_rect());
                let hidden = turn_box.bottom() < list_box.top() || turn_box.top() > list_box.bottom();
                if hidden && list_box.height() > 0.0 {
                    #[expect(clippy::cast_possible_truncation, reason = "pixels of a page")]
                    let by = (turn_box.top() - list_box.top()) as i32 - 12;
                    list.set_scroll_top(list.scroll_top() + by);
                }
            }
        });
    });
}

fn turn_id(id: &str) -> String {
    format!("turn-{id}")
}

#[component]
fn TurnView(
    stage: Stage,
    turn: Arc<Turn>,
    records: Memo<usize>,
    archived_before: Memo<usize>,
) -> impl IntoView {
    if turn.kind == Kind::Mark {
        let words = match turn.parts.first().map(|part| &part.body) {
            Some(crate::state::Body::Note(words)) => words.clone(),
            _ => String::new(),
        };
        let tier = words.split(' ').next().unwrap_or_default().to_lowercase();
        return view! { <p class="mark" data-tier=tier role="separator" aria-label=words.clone()><span>{words.clone()}</span></p> }
            .into_any();
    }
    let kind = turn.kind;
    let id = turn.id.clone();
    let row = {
        let id = id.clone();
        Memo::new(move |_| stage.rows.with(|rows| rows.get(&id).map(|row| (row.tokens, row.state))))
    };
    let record = turn.record;
    let archived = move || row.get().is_none() && record < archived_before.get();
    let state = move || match row.get() {
        Some((_, state)) => state_key(state),
        None if archived() => "archived",
        None => "",
    };
    let picked = {
        let id = id.clone();
        move || stage.is_picked(&id)
    };
    let pick = {
        let id = id.clone();
        move |_| stage.pick(&id)
    };
    let upto = records.get_untracked();
    let parts = turn
        .parts
        .iter()
        .filter(|part| part.record < upto)
        .map(|part| view! { <PartView stage turn_id=id.clone() part=part.clone() records=upto /> })
        .collect_view();
    view! {
        <article
            class="turn"
            id=turn_id(&id)
            data-kind=kind.key()
            data-state=state
            class:picked=picked
            aria-label=format!("{}, line {}", kind.label(), turn.line)
        >
            <header class="turn-head">
                <button type="button" class="turn-name" on:click=pick title="Show its particulars">
                    {kind.label()}
                </button>
                <Show when=archived>
                    <span class="badge" data-state="archived" title="No longer in the window; a summary stands for it">
                        "archived"
                    </span>
                </Show>
                {move || row.get().and_then(|(_, state)| state_label(state)).map(|label| {
                    view! { <span class="badge" data-state=state>{label}</span> }
                })}
                {move || row.get().map(|(tokens, _)| view! { <span class="turn-tokens"><Tok n=tokens /></span> })}
            </header>
            {parts}
        </article>
    }
    .into_any()
}
