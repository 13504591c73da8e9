//! A request as the body of `POST /v1/messages`.
//!
//! The order of members is fixed and the messages come last, so the body of a growing conversation begins
//! with the bytes of the one before it, cache marks aside (K4, K5).

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

use crate::message::{Block, RawJson, json};
use crate::provider::ids;
use crate::request::{CacheMark, Request};
use crate::unit::Tokens;

/// A mark with the five-minute life every model has.
const MARK: &str = r#"{"type":"ephemeral"}"#;
/// The smallest thinking budget the API takes, in tokens.
const LEAST_THINKING: Tokens = Tokens(1_024);

/// Writes the body. Every block is spliced in byte for byte, but for three things: a mark of the request is
/// added, a mark that the record itself brought is left out (the limit of four counts them all), and a call
/// id from another provider is mended when this one would refuse it.
pub fn encode(request: &Request) -> String {
    let mut out =
        format!(r#"{{"model":{},"max_tokens":{}"#, json::string(&request.model), request.max_tokens.get());
    if let Some(budget) = thinking_budget(request) {
        let _ = write!(out, r#","thinking":{{"type":"enabled","budget_tokens":{}}}"#, budget.get());
    }
    let marked = request.marks.contains(&CacheMark::System);
    // Tools stand before the system prompt in the prefix; they carry its mark only when there is no such
    // prompt.
    list(&mut out, "system", &request.system, marked);
    list(&mut out, "tools", &request.tools, marked && request.system.is_empty());
    out.push_str(r#","messages":["#);
    for (at, message) in request.messages.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        let _ = write!(out, r#"{{"role":"{}","content":["#, message.role.as_str());
        for (index, raw) in message.blocks.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            let mark = CacheMark::Block { message: at, block: index };
            out.push_str(&block(raw, request.marks.contains(&mark)));
        }
        out.push_str("]}");
    }
    out.push_str("]}");
    json::without_lone_surrogates(out)
}

/// The budget as the API takes it: at least 1,024 tokens and below the output limit; where both cannot hold,
/// thinking is off.
fn thinking_budget(request: &Request) -> Option<Tokens> {
    let budget = request.thinking?.max(LEAST_THINKING).min(request.max_tokens - Tokens(1));
    (budget >= LEAST_THINKING).then_some(budget)
}

/// A top-level list with the mark on its last entry; an empty list is not written at all.
fn list(out: &mut String, name: &str, entries: &[RawJson], marked: bool) {
    let Some(last) = entries.len().checked_sub(1) else { return };
    let _ = write!(out, r#","{name}":["#);
    for (at, entry) in entries.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(&block(entry, marked && at == last));
    }
    out.push(']');
}

/// One block's bytes, with or without a mark.
fn block(raw: &RawJson, marked: bool) -> Cow<'_, str> {
    let typed = Block::from_raw(raw.clone());
    if typed.is_thinking() {
        return Cow::Borrowed(raw.as_str());
    }
    let mut text = with_plain_id(raw, "id", "tool_use");
    if text.is_none() {
        text = with_plain_id(raw, "tool_use_id", "tool_result");
    }
    let json = raw.json();
    if marked && !typed.is_empty() {
        text = Some(edit(raw, text, |json| json.with_member("cache_control", MARK)));
    } else if json.get("cache_control").is_some() {
        text = Some(edit(raw, text, |json| json.without_member("cache_control")));
    }
    text.map_or(Cow::Borrowed(raw.as_str()), Cow::Owned)
}

/// The block with an id this API takes; `None` when there is nothing to mend.
fn with_plain_id(raw: &RawJson, member: &str, kind: &str) -> Option<String> {
    let json = raw.json();
    json.get("type").filter(|value| value.is_str(kind))?;
    let id = json.get(member)?.as_str()?;
    let plain = ids::for_anthropic(&id);
    (plain != id).then(|| json.with_member(member, &json::string(&plain)))
}

/// Edits the text so far, or the block's own bytes when it was not touched yet.
fn edit(raw: &RawJson, text: Option<String>, change: impl Fn(json::Json<'_>) -> String) -> String {
    match text {
        Some(text) => match json::Json::parse(&text) {
            Ok(json) => change(json),
            Err(_) => text,
        },
        None => change(raw.json()),
    }
}
