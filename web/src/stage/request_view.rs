//! The newest request at this step, as it was sent: its parts as a tree, and the body whole.

use std::sync::Arc;

use leptos::prelude::*;
use palimpsest_core::agent::Purpose;
use palimpsest_core::message::{Block, RawJson};
use palimpsest_core::provider::anthropic;
use palimpsest_core::request::WireMessage;

use super::json_view::JsonText;
use super::tokens::Tok;
use crate::format::{counted, first_line};
use crate::state::{Sent, Stage};

#[component]
pub(crate) fn RequestView(stage: Stage) -> impl IntoView {
    let sent = Memo::new(move |_| stage.frame.get().and_then(|frame| frame.sent).map(Same));
    move || match sent.get() {
        None => view! { <p class="empty">"No request has been sent by this step."</p> }.into_any(),
        Some(Same(sent)) => view! { <Request sent /> }.into_any(),
    }
}

/// Requests are the same when they are one.
#[derive(Clone)]
struct Same(Arc<Sent>);

impl PartialEq for Same {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

#[component]
fn Request(sent: Arc<Sent>) -> impl IntoView {
    let request = &sent.request;
    let purpose = match sent.purpose {
        Purpose::Turn => "To go on with the turn",
        Purpose::Summary => "To summarise for a compaction",
    };
    let messages = request
        .messages
        .iter()
        .enumerate()
        .map(|(at, message)| view! { <Message at message=message.clone() /> })
        .collect_view();
    let system = request
        .system
        .iter()
        .map(|raw| view! { <JsonText text=raw.as_str() label="system" /> })
        .collect_view();
    let tools = request
        .tools
        .iter()
        .map(|raw| view! { <JsonText text=raw.as_str() label=tool_name(raw) /> })
        .collect_view();
    let whole = {
        let sent = Arc::clone(&sent);
        move || anthropic::encode(&sent.request)
    };
    view! {
        <div class="request">
            <dl class="facts">
                <dt>"Purpose"</dt>
                <dd>{purpose}</dd>
                <dt>"Model"</dt>
                <dd>{request.model.clone()}</dd>
                <dt>"Estimate"</dt>
                <dd><Tok n=request.estimate.total() /></dd>
                <dt>"Output limit"</dt>
                <dd><Tok n=request.max_tokens /></dd>
                <dt>"Cache marks"</dt>
                <dd>{request.marks.len()}</dd>
            </dl>
            <details class="fold">
                <summary>{counted(request.system.len() as u64, "system block")}</summary>
                {system}
            </details>
            <details class="fold">
                <summary>{counted(request.tools.len() as u64, "tool")}</summary>
                {tools}
            </details>
            <h3 class="part-title">{counted(request.messages.len() as u64, "message")}</h3>
            <ol class="messages" start="0">{messages}</ol>
            <Later label="The whole body, as for Anthropic's API (no key in it)" text=whole />
        </div>
    }
}

fn tool_name(raw: &RawJson) -> String {
    raw.json()
        .get("name")
        .and_then(|name| name.as_str().map(std::borrow::Cow::into_owned))
        .unwrap_or_default()
}

/// A text that is made when it is asked for.
#[component]
fn Later(label: &'static str, text: impl Fn() -> String + Send + Sync + 'static) -> impl IntoView {
    let open = RwSignal::new(false);
    let text = StoredValue::new(text);
    view! {
        <details class="fold" on:toggle:target=move |event| open.set(event.target().has_attribute("open"))>
            <summary>{label}</summary>
            <Show when=move || open.get()>
                <JsonText text=text.with_value(|text| text()) label="Body" />
            </Show>
        </details>
    }
}

#[component]
fn Message(at: usize, message: WireMessage) -> impl IntoView {
    let role = message.role.as_str();
    let open = RwSignal::new(false);
    let label = message.blocks.iter().map(describe).collect::<Vec<_>>().join(" · ");
    let blocks = StoredValue::new(message.blocks);
    view! {
        <li>
            <details class="fold" on:toggle:target=move |event| open.set(event.target().has_attribute("open"))>
                <summary>
                    <span class="role" data-role=role>{at} " " {role}</span>
                    " "
                    {label}
                </summary>
                <Show when=move || open.get()>
                    {blocks
                        .get_value()
                        .into_iter()
                        .map(|block| view! { <JsonText text=block.as_str() label=type_of(&block) /> })
                        .collect_view()}
                </Show>
            </details>
        </li>
    }
}

fn type_of(block: &RawJson) -> String {
    block
        .json()
        .get("type")
        .and_then(|kind| kind.as_str().map(std::borrow::Cow::into_owned))
        .unwrap_or_default()
}

fn describe(raw: &RawJson) -> String {
    let member =
        |name: &str| raw.json().get(name).and_then(|value| value.as_str().map(std::borrow::Cow::into_owned));
    match type_of(raw).as_str() {
        "tool_use" => format!("calls {}", member("name").unwrap_or_default()),
        "tool_result" => "result".to_owned(),
        "text" => first_line(&Block::from_raw(raw.clone()).words().unwrap_or_default(), 60),
        other => other.replace('_', " "),
    }
}
