//! A chat completion as a reply: first rewritten as a message in Anthropic's shape, then read like one.
//!
//! ```text
//!  {"id","model","choices":[{"message":{"content","tool_calls","refusal"},"finish_reason"}],"usage"}
//!        └▶ {"id","type","role","model","content":[text, tool_use …],"stop_reason","usage"} ─▶ Reply
//! ```

use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::message::RawJson;
use crate::message::json::{Json, JsonKind, string};
use crate::provider::anthropic::{count, malformed, one_line, read};
use crate::provider::{Headers, ModelFailure, Reply, classify, ids};
use crate::tokens::{Convention, Counts, Usage};

/// The member of a call's input that holds the model's own words when they are not a JSON object. A tool host
/// that sees it answers with an error that quotes them, so that the model can put its call right.
pub const INVALID_ARGUMENTS: &str = crate::message::INVALID_INPUT;

/// Members of a completion's message that become something else, and members that the new message has anyway.
const TAKEN: [&str; 11] = [
    "role",
    "content",
    "tool_calls",
    "function_call",
    "refusal",
    "id",
    "type",
    "model",
    "stop_reason",
    "stop_sequence",
    "usage",
];

/// Reads a whole answer.
///
/// # Errors
/// A status other than 2xx, an error body under a 200 (routers do that once generation has begun), or a body
/// without a choice, each classed.
pub fn decode(status: u16, headers: &Headers<'_>, body: &str) -> Result<Reply, ModelFailure> {
    let refused = || classify(status, headers, body);
    if !(200..300).contains(&status) {
        return Err(refused());
    }
    let body_line = one_line(body);
    let json = Json::parse(&body_line).map_err(|_| refused())?;
    let is_error = |json: Json<'_>| json.get("error").is_some_and(|error| error.kind() != JsonKind::Null);
    if is_error(json) {
        return Err(refused());
    }
    let none = || malformed(status, "the answer is JSON, but holds no choice with a message");
    let choice = json.get("choices").and_then(|choices| choices.elements().next()).ok_or_else(none)?;
    if is_error(choice) {
        return Err(classify(status, headers, choice.raw()));
    }
    let message = choice.get("message").filter(|value| value.kind() == JsonKind::Object).ok_or_else(none)?;
    let finish = choice.get("finish_reason").and_then(|reason| reason.as_str()).unwrap_or_default();
    let usage = json.get("usage").and_then(usage);
    let text = rewritten(json, message, &finish, usage);
    let mut reply = RawJson::parse(text).ok().and_then(|raw| read(&raw)).ok_or_else(none)?;
    reply.usage = usage;
    Ok(reply)
}

/// The message in Anthropic's shape. What it has no place for (`reasoning_content`, annotations, audio …)
/// stays in the record, beside `content` and under its own name, and is not sent again.
fn rewritten(completion: Json<'_>, message: Json<'_>, finish: &str, usage: Option<Usage>) -> String {
    let mut blocks = content(message);
    let refusal = message.get("refusal").filter(|value| value.as_str().is_some_and(|text| !text.is_empty()));
    blocks.extend(refusal.map(text_block));
    let calls = calls(completion, message);
    let stop = stop(finish, refusal.is_some(), !calls.is_empty());
    blocks.extend(calls);
    let raw_string = |name: &str| {
        completion
            .get(name)
            .filter(|value| value.kind() == JsonKind::String)
            .map_or(r#""""#, |value| value.raw())
    };
    let mut out = format!(
        r#"{{"id":{},"type":"message","role":"assistant","model":{},"content":[{}],"stop_reason":"{stop}","stop_sequence":null"#,
        raw_string("id"),
        raw_string("model"),
        blocks.join(","),
    );
    if let Some(usage) = usage {
        let _ = write!(
            out,
            r#","usage":{{"input_tokens":{},"cache_creation_input_tokens":{},"cache_read_input_tokens":{},"output_tokens":{}}}"#,
            usage.input.get(),
            usage.cache_write.get(),
            usage.cache_read.get(),
            usage.output.get(),
        );
    }
    for (name, value) in message.members() {
        if !TAKEN.contains(&name.as_ref()) && value.kind() != JsonKind::Null {
            let _ = write!(out, ",{}:{}", string(&name), value.raw());
        }
    }
    out.push('}');
    out
}

/// A text block around a JSON string, its escapes as they came.
fn text_block(text: Json<'_>) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, text.raw())
}

/// The content's blocks: a string, parts, or nothing.
fn content(message: Json<'_>) -> Vec<String> {
    let Some(content) = message.get("content") else { return Vec::new() };
    let filled = |text: &Json<'_>| text.as_str().is_some_and(|text| !text.is_empty());
    match content.kind() {
        JsonKind::String => Some(content).filter(filled).map(text_block).into_iter().collect(),
        JsonKind::Array => content.elements().filter_map(part).collect(),
        _ => Vec::new(),
    }
}

/// One part: its words, or the part as it is when it is of another kind.
fn part(part: Json<'_>) -> Option<String> {
    if part.kind() == JsonKind::String {
        return Some(text_block(part));
    }
    let words = ["text", "refusal"].iter().find_map(|name| part.get(name));
    match words.filter(|words| words.kind() == JsonKind::String) {
        Some(words) => (!words.is_str("")).then(|| text_block(words)),
        None => (part.kind() == JsonKind::Object).then(|| part.raw().into()),
    }
}

/// The calls as `tool_use` blocks, the single call of the older form among them. An id that is missing, empty
/// or used twice in this reply is replaced by one made of the reply's bytes.
fn calls(completion: Json<'_>, message: Json<'_>) -> Vec<String> {
    let listed = message.get("tool_calls").into_iter().flat_map(|calls| calls.elements());
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for call in listed.chain(message.get("function_call")) {
        // The older form is the function itself.
        let function = call.get("function").unwrap_or(call);
        let Some(name) = function.get("name").filter(|name| name.kind() == JsonKind::String) else {
            continue;
        };
        let given = call.get("id").and_then(|id| id.as_str()).filter(|id| !id.is_empty());
        let id = match given {
            Some(id) if seen.insert(id.clone()) => id.into_owned(),
            _ => ids::invented(completion.raw(), out.len()),
        };
        let input = input(function.get("arguments"));
        out.push(format!(
            r#"{{"type":"tool_use","id":{},"name":{},"input":{input}}}"#,
            string(&id),
            name.raw()
        ));
    }
    out
}

/// The arguments as an object. No arguments at all is a call without any; some servers send the object
/// itself.
fn input(arguments: Option<Json<'_>>) -> Cow<'_, str> {
    let Some(arguments) = arguments.filter(|value| value.kind() != JsonKind::Null) else {
        return "{}".into();
    };
    let Some(text) = arguments.as_str() else {
        return if arguments.kind() == JsonKind::Object {
            arguments.raw().into()
        } else {
            invalid(arguments.raw())
        };
    };
    if text.trim().is_empty() {
        return "{}".into();
    }
    let line = one_line(&text);
    match Json::parse(&line) {
        Ok(json) if json.kind() == JsonKind::Object => Cow::Owned(line),
        _ => invalid(&text),
    }
}

fn invalid(text: &str) -> Cow<'static, str> {
    Cow::Owned(format!(r#"{{"{INVALID_ARGUMENTS}":{}}}"#, string(text)))
}

/// The stop reason in Anthropic's words. Many servers say `stop` although the answer calls a tool, so the
/// calls decide, unless the answer was cut or declined.
fn stop(finish: &str, refused: bool, calls: bool) -> &'static str {
    match finish {
        "length" | "max_tokens" => "max_tokens",
        "content_filter" | "sensitive" => "refusal",
        "model_context_window_exceeded" => "model_context_window_exceeded",
        _ if calls => "tool_use",
        _ if refused => "refusal",
        _ => "end_turn",
    }
}

/// The counts, cache inside the prompt; `None` when the prompt was not counted.
fn usage(json: Json<'_>) -> Option<Usage> {
    let input = count(json, "prompt_tokens")?;
    let detail = |group: &str, name: &str| json.get(group).and_then(|group| count(group, name));
    let cached =
        detail("prompt_tokens_details", "cached_tokens").or_else(|| count(json, "prompt_cache_hit_tokens"));
    let counts = Counts {
        input,
        cache_read: cached.unwrap_or_default(),
        cache_write: detail("prompt_tokens_details", "cache_write_tokens").unwrap_or_default(),
        output: count(json, "completion_tokens").unwrap_or_default(),
        reasoning: detail("completion_tokens_details", "reasoning_tokens").unwrap_or_default(),
    };
    Some(Usage::from_counts(Convention::CacheInside, counts)).filter(|usage| !usage.context().is_zero())
}
