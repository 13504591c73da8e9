//! A part of a turn: text, thinking, a call with its result. Always as text, never as markup.

use leptos::prelude::*;
use palimpsest_core::inspect::CallState;
use palimpsest_core::message::{Block, BlockKind, ToolCall, ToolResult};

use super::tokens::Tok;
use crate::format::{counted, first_line};
use crate::state::{Body, Part, Stage};

/// Longer texts are cut at this many characters until asked for whole.
const LONG: usize = 1_000;

#[component]
pub(crate) fn PartView(stage: Stage, turn_id: String, part: Part, records: usize) -> impl IntoView {
    match part.body {
        Body::Note(words) => view! { <p class="note">{words}</p> }.into_any(),
        Body::Block(block) => view! { <BlockView block /> }.into_any(),
        Body::Call(call, result) => {
            let result = result.filter(|(record, _)| *record < records).map(|(_, result)| result);
            view! { <CallView stage turn_id call result /> }.into_any()
        }
    }
}

#[component]
fn BlockView(block: Block) -> impl IntoView {
    let words = block.words().map(std::borrow::Cow::into_owned).unwrap_or_default();
    match block.kind() {
        BlockKind::Text => view! { <LongText text=words class="text" /> }.into_any(),
        BlockKind::Thinking if words.trim().is_empty() => {
            view! { <p class="quiet">"Thinking, signed and not shown"</p> }.into_any()
        }
        BlockKind::Thinking => {
            let label = format!("Thinking: {}", first_line(&words, 60));
            view! { <Fold label text=words /> }.into_any()
        }
        BlockKind::RedactedThinking => {
            view! { <p class="quiet">"Thinking that only the provider can read"</p> }.into_any()
        }
        BlockKind::Image | BlockKind::Document => {
            let what = if block.kind() == BlockKind::Image { "Image" } else { "Document" };
            let media = block.media().map(|media| media.media_type.into_owned()).unwrap_or_default();
            view! { <p class="quiet">{format!("{what} {media}")}</p> }.into_any()
        }
        _ => view! { <p class="quiet">"A block of a kind that this page does not know"</p> }.into_any(),
    }
}

/// A text that is there when it is opened, and not before: closed ones cost nothing.
#[component]
fn Fold(label: String, text: String) -> impl IntoView {
    let open = RwSignal::new(false);
    let text = StoredValue::new(text);
    view! {
        <details class="fold thinking" on:toggle:target=move |event| open.set(event.target().has_attribute("open"))>
            <summary>{label}</summary>
            <Show when=move || open.get()>
                <LongText text=text.get_value() class="text" />
            </Show>
        </details>
    }
}

#[component]
fn CallView(stage: Stage, turn_id: String, call: ToolCall, result: Option<ToolResult>) -> impl IntoView {
    let call_id = call.id.as_str().to_owned();
    let row = Memo::new(move |_| {
        stage.rows.with(|rows| {
            let calls = &rows.get(&turn_id)?.calls;
            calls.iter().find(|row| row.id == call_id).map(|row| (row.tokens, row.state, row.label.clone()))
        })
    });
    let failed = result.as_ref().is_some_and(|result| result.is_error);
    let input = call.input().as_str().to_owned();
    let label = argument(&call);
    let name = call.name.clone();
    let open = RwSignal::new(false);
    let answered = result.is_some();
    let words = StoredValue::new(result.map(|result| result.words().into_owned()).unwrap_or_default());
    let state = move || row.get().map_or("", |(_, state, _)| call_key(state));
    view! {
        <details
            class="call"
            data-state=state
            class:failed=failed
            on:toggle:target=move |event| open.set(event.target().has_attribute("open"))
        >
            <summary>
                <span class="call-name">{name}</span>
                <span class="call-label">{label}</span>
                {(!answered).then(|| view! { <span class="badge">"running"</span> })}
                {failed.then(|| view! { <span class="badge" data-state="failed">"failed"</span> })}
                {move || row.get().and_then(|(_, state, _)| call_label(state)).map(|label| {
                    view! { <span class="badge" data-state=state>{label}</span> }
                })}
                {move || row.get().map(|(tokens, ..)| view! { <Tok n=tokens /> })}
            </summary>
            <Show when=move || open.get()>
                <p class="part-title">"Call"</p>
                <LongText text=super::json_view::pretty(&input) class="text code" />
                <Show when=move || answered>
                    <p class="part-title">
                        {move || match row.get().and_then(|(_, state, _)| call_label(state)) {
                            Some(label) => format!("Result as recorded; in the window it is {label}"),
                            None => "Result".to_owned(),
                        }}
                    </p>
                    <LongText text=words.get_value() class="text code" />
                </Show>
            </Show>
        </details>
    }
}

/// The most telling argument of a call, in a line.
fn argument(call: &ToolCall) -> String {
    const TELLING: [&str; 8] =
        ["file_path", "path", "command", "pattern", "query", "url", "description", "prompt"];
    let told = TELLING.iter().find_map(|name| call.argument(name));
    first_line(&told.unwrap_or_else(|| call.input().as_str().to_owned()), 90)
}

const fn call_key(state: CallState) -> &'static str {
    match state {
        CallState::Pending => "pending",
        CallState::Spilled => "spilled",
        CallState::Cut => "cut",
        CallState::Cleared => "cleared",
        CallState::Unanswered => "unanswered",
        _ => "verbatim",
    }
}

const fn call_label(state: CallState) -> Option<&'static str> {
    match state {
        CallState::Spilled => Some("stored aside"),
        CallState::Cut => Some("cut"),
        CallState::Cleared => Some("cleared"),
        CallState::Unanswered => Some("never answered"),
        _ => None,
    }
}

/// A text, cut when it is long, with the rest one click away.
#[component]
pub(crate) fn LongText(#[prop(into)] text: String, class: &'static str) -> impl IntoView {
    let whole = RwSignal::new(false);
    let count = text.chars().count();
    let text = StoredValue::new(text);
    let shown = move || {
        text.with_value(|text| {
            if whole.get() || count <= LONG { text.clone() } else { text.chars().take(LONG).collect() }
        })
    };
    view! {
        <div class=class tabindex=class.contains("code").then_some("0")>{shown}</div>
        {(count > LONG)
            .then(|| {
                view! {
                    <button type="button" class="link more" on:click=move |_| whole.update(|whole| *whole = !*whole)>
                        {move || {
                            if whole.get() { "Show less".to_owned() } else { format!("Show all {}", counted(count as u64, "character")) }
                        }}
                    </button>
                }
            })}
    }
}
