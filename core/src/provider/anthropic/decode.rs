//! The answer to `POST /v1/messages`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::message::json::{Json, JsonKind};
use crate::message::{Block, Exchange, Part, RawJson, StopReason, ToolCall};
use crate::provider::{FailureKind, Headers, ModelFailure, Reply, classify};
use crate::tokens::{Convention, Counts, Usage};
use crate::unit::Tokens;

/// Reads a whole answer. Every block keeps its bytes: signatures, numbers of any size and unknown block types
/// too.
///
/// # Errors
/// A status other than 2xx, an error body under a 200, or a body that is no message, each classed.
pub fn decode(status: u16, headers: &Headers<'_>, body: &str) -> Result<Reply, ModelFailure> {
    let refused = || classify(status, headers, body);
    if !(200..300).contains(&status) {
        return Err(refused());
    }
    let message = RawJson::parse(one_line(body)).map_err(|_| refused())?;
    if message.json().get("error").is_some_and(|error| error.kind() != JsonKind::Null) {
        return Err(refused());
    }
    read(&message)
        .ok_or_else(|| malformed(status, "the answer is JSON, but not a message with content blocks"))
}

/// Reads a message in this API's shape; `None` when it is none. `role` and `type` are added where a
/// compatible server left them out, since a transcript needs them.
pub(in crate::provider) fn read(message: &RawJson) -> Option<Reply> {
    let json = message.json();
    let content = json.get("content")?;
    let mut parts = Vec::new();
    match content.kind() {
        JsonKind::String if content.is_str("") => {}
        JsonKind::String | JsonKind::Array => {
            for block in crate::message::content_blocks(message, content) {
                parts.push(part(block)?);
            }
        }
        _ => return None,
    }
    let text = |name: &str| json.get(name).and_then(|value| value.as_str()).unwrap_or_default().into_owned();
    let calls = parts.iter().any(|part| matches!(part, Part::Exchange(_)));
    Some(Reply {
        id: text("id"),
        model: text("model"),
        stop: stop(&text("stop_reason"), calls),
        usage: json.get("usage").and_then(usage),
        message: completed(message),
        parts,
    })
}

/// One content block; `None` for what is not an object.
fn part(raw: RawJson) -> Option<Part> {
    let json = raw.json();
    if json.kind() != JsonKind::Object {
        return None;
    }
    let is_call = json.get("type").is_some_and(|kind| kind.is_str("tool_use"));
    let call = if is_call { ToolCall::from_raw(raw.clone()) } else { None };
    Some(match call {
        Some(call) => Part::Exchange(Exchange::pending(call)),
        None => Part::Block(Block::from_raw(raw)),
    })
}

/// An unknown or missing reason is read from what the message holds.
fn stop(reason: &str, calls: bool) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "max_tokens" => StopReason::MaxTokens,
        "pause_turn" => StopReason::PauseTurn,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::ContextExceeded,
        _ if calls => StopReason::ToolUse,
        _ => StopReason::EndTurn,
    }
}

/// The counts; `None` when the prompt was not counted at all, so that zero is never taken for a measurement.
fn usage(json: Json<'_>) -> Option<Usage> {
    let input = count(json, "input_tokens")?;
    let counts = Counts {
        input,
        cache_read: count(json, "cache_read_input_tokens").unwrap_or_default(),
        cache_write: count(json, "cache_creation_input_tokens").unwrap_or_default(),
        output: count(json, "output_tokens").unwrap_or_default(),
        reasoning: Tokens::ZERO,
    };
    Some(Usage::from_counts(Convention::CacheBeside, counts)).filter(|usage| !usage.context().is_zero())
}

/// A member that is a whole number of tokens.
pub(in crate::provider) fn count(json: Json<'_>, name: &str) -> Option<Tokens> {
    json.get(name)?.as_u64().map(Tokens)
}

fn completed(message: &RawJson) -> RawJson {
    let mut whole = message.clone();
    for (name, value) in [("type", r#""message""#), ("role", r#""assistant""#)] {
        if whole.json().get(name).is_none() {
            whole = RawJson::written(whole.json().with_member(name, value));
        }
    }
    whole
}

/// JSON on one line, since a transcript holds one record a line. Inside a JSON string no line break can stand
/// unescaped, so only white space between tokens changes; other text is refused by the parser in either form.
pub(in crate::provider) fn one_line(body: &str) -> String {
    if body.contains(['\n', '\r']) { body.trim().replace(['\n', '\r'], " ") } else { body.trim().to_string() }
}

/// A failure for an answer that cannot be read.
pub(in crate::provider) fn malformed(status: u16, why: &str) -> ModelFailure {
    ModelFailure { kind: FailureKind::Malformed, status, message: why.to_string() }
}
