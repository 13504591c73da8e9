//! A request as the body of `POST …/chat/completions`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::render::{self, Piece};
use crate::message::{Block, BlockKind, RawJson, ToolCall, ToolResult, json};
use crate::provider::ids;
use crate::request::{Request, Role, WireMessage};

/// Stands where an answer has nothing that this API can carry; it refuses empty messages.
const NOTHING: &str = "(no text)";

/// Writes the body. What Chat Completions has no place for is described in words rather than lost silently,
/// but for thinking, which no one but its provider can use, and for cache marks: these servers cache prefixes
/// unasked.
pub fn encode(request: &Request) -> String {
    let mut out = format!(r#"{{"model":{}"#, json::string(&request.model));
    let _ = write!(out, r#","{}":{}"#, limit_name(&request.model), request.max_tokens.get());
    if !request.tools.is_empty() {
        let tools: Vec<String> = request.tools.iter().map(tool).collect();
        let _ = write!(out, r#","tools":[{}]"#, tools.join(","));
    }
    let mut messages: Vec<String> = Vec::new();
    let system = render::joined(request.system.iter().map(|raw| Block::from_raw(raw.clone())));
    if !system.is_empty() {
        messages.push(format!(r#"{{"role":"system","content":{}}}"#, json::string(&system)));
    }
    for message in &request.messages {
        match message.role {
            Role::User => user(&mut messages, message),
            Role::Assistant => messages.push(assistant(message)),
        }
    }
    let _ = write!(out, r#","messages":[{}]}}"#, messages.join(","));
    json::without_lone_surrogates(out)
}

/// `max_tokens` is what every compatible server knows, and many local ones know nothing else. OpenAI itself
/// calls it deprecated, and its reasoning models (o1, o3, o4, gpt-5 and on) refuse it for
/// `max_completion_tokens`. The model's name decides, with or without a router's prefix (`openai/o3`): an
/// address says less, since a router serves both kinds.
fn limit_name(model: &str) -> &'static str {
    let name = model.rsplit('/').next().unwrap_or(model);
    let number = |prefix: &str| {
        let digits = name.strip_prefix(prefix)?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits.get(..end)?.parse::<u32>().ok()
    };
    // Azure spells 3.5 as `gpt-35`.
    let reasons = number("o").is_some() || number("gpt-").is_some_and(|version| (5..35).contains(&version));
    if reasons { "max_completion_tokens" } else { "max_tokens" }
}

/// A tool's schema as a function. The schema's bytes stay.
fn tool(raw: &RawJson) -> String {
    let json = raw.json();
    let raw_of = |name: &str| json.get(name).map(|value| value.raw());
    let name = raw_of("name").unwrap_or(r#""unnamed""#);
    let description =
        raw_of("description").map(|text| format!(r#","description":{text}"#)).unwrap_or_default();
    let schema = raw_of("input_schema").unwrap_or(r#"{"type":"object","properties":{}}"#);
    format!(r#"{{"type":"function","function":{{"name":{name}{description},"parameters":{schema}}}}}"#)
}

/// A user's message: first a tool message for each result, then one user message for the rest. Tool messages
/// hold text only, so the images of results open that user message, behind all results of the round.
fn user(messages: &mut Vec<String>, message: &WireMessage) {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut rest: Vec<Piece> = Vec::new();
    for raw in &message.blocks {
        match result_of(raw) {
            Some((id, result)) => messages.push(tool_message(&id, &result, &mut pieces)),
            None => rest.push(render::piece(&Block::from_raw(raw.clone()))),
        }
    }
    pieces.extend(rest);
    if !pieces.is_empty() {
        messages.push(format!(r#"{{"role":"user","content":{}}}"#, render::content(&pieces)));
    }
}

fn result_of(raw: &RawJson) -> Option<(String, ToolResult)> {
    raw.json().get("type").filter(|kind| kind.is_str("tool_result"))?;
    let (id, result) = ToolResult::from_raw(raw.clone())?;
    Some((ids::for_openai(id.as_str()).into_owned(), result))
}

/// One result. An error is said in words, since this API has no flag for it; images go to `moved`.
fn tool_message(id: &str, result: &ToolResult, moved: &mut Vec<Piece>) -> String {
    let mut words: Vec<String> = Vec::new();
    if result.is_error {
        words.push("[The tool failed.]".into());
    }
    for block in result.blocks() {
        match render::piece(&block) {
            Piece::Text(text) if text.trim().is_empty() => {}
            Piece::Text(text) => words.push(text),
            image @ Piece::Image(_) => {
                words.push("[An image; it follows in the next user message.]".into());
                moved.push(Piece::Text(format!("[The image that the tool returned for the call {id}:]")));
                moved.push(image);
            }
        }
    }
    if words.is_empty() {
        words.push("(no output)".into());
    }
    let (id, text) = (json::string(id), json::string(&words.join("\n")));
    format!(r#"{{"role":"tool","tool_call_id":{id},"content":{text}}}"#)
}

/// An answer of the model: its words, then its calls.
fn assistant(message: &WireMessage) -> String {
    let (mut words, mut calls) = (Vec::new(), Vec::new());
    for raw in &message.blocks {
        let block = Block::from_raw(raw.clone());
        let is_call = raw.json().get("type").is_some_and(|kind| kind.is_str("tool_use"));
        match (is_call.then(|| ToolCall::from_raw(raw.clone())).flatten(), block.kind()) {
            (Some(call), _) => calls.push(tool_call(&call)),
            (None, BlockKind::Thinking | BlockKind::RedactedThinking) => {}
            (None, _) => words.push(render::in_words(&block)),
        }
    }
    words.retain(|text| !text.trim().is_empty());
    let text = words.join("\n\n");
    if calls.is_empty() {
        let text = if text.is_empty() { NOTHING } else { &text };
        return format!(r#"{{"role":"assistant","content":{}}}"#, json::string(text));
    }
    let content = if text.is_empty() { "null".into() } else { json::string(&text) };
    format!(r#"{{"role":"assistant","content":{content},"tool_calls":[{}]}}"#, calls.join(","))
}

/// A call; its arguments are JSON inside a JSON string.
fn tool_call(call: &ToolCall) -> String {
    format!(
        r#"{{"id":{},"type":"function","function":{{"name":{},"arguments":{}}}}}"#,
        json::string(&ids::for_openai(call.id.as_str())),
        json::string(&call.name),
        json::string(call.input().as_str()),
    )
}
