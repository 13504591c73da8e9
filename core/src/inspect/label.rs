//! One line for a person: what an item or a call is about.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::message::text::{exceeds_chars, head_chars};
use crate::message::{Block, BlockKind, Item, Origin, Response, ToolCall, UserMessage};

/// The longest label, in characters.
const LONGEST: usize = 96;
/// How much of a text is looked at for its label, in characters; more white space than that is no label.
const LOOK: usize = 1_000;

/// The arguments that tell best what a call did, best first.
const TELLING: [&str; 14] = [
    "file_path",
    "notebook_path",
    "path",
    "command",
    "pattern",
    "query",
    "url",
    "skill",
    "name",
    "subagent_type",
    "description",
    "subject",
    "prompt",
    "id",
];

/// What an item says, on one line.
pub(super) fn item(item: &Item) -> String {
    match item {
        Item::User(message) => user(message),
        Item::Response(response) => self::response(response),
    }
}

fn user(message: &UserMessage) -> String {
    let words = one_line(&message.words());
    match message.origin {
        _ if words.is_empty() => kinds(message.blocks.iter()),
        Origin::Summary => format!("Summary: {words}"),
        _ => words,
    }
}

/// The model's words, else its calls, else what its blocks are.
fn response(response: &Response) -> String {
    let words = one_line(&response.words());
    if !words.is_empty() {
        return words;
    }
    let calls: Vec<String> = response.exchanges().map(|exchange| call(&exchange.call)).collect();
    if calls.is_empty() { kinds(response.blocks()) } else { one_line(&calls.join(", ")) }
}

/// A tool with its most telling argument.
pub(super) fn call(call: &ToolCall) -> String {
    argument(call).map_or_else(|| call.name.clone(), |argument| format!("{} {argument}", call.name))
}

/// The most telling argument of a call.
fn argument(call: &ToolCall) -> Option<String> {
    TELLING
        .iter()
        .find_map(|name| call.argument(name))
        .map(|text| one_line(&text))
        .filter(|text| !text.is_empty())
}

/// The file a call reads, when it is one that only reads a file.
pub(super) fn file_read(call: &ToolCall) -> Option<String> {
    const READERS: [&str; 5] = ["read", "readfile", "read_file", "notebookread", "view"];
    let name = call.name.to_ascii_lowercase();
    READERS
        .contains(&name.as_str())
        .then(|| ["file_path", "notebook_path", "path"].iter().find_map(|name| call.argument(name)))?
}

fn kinds<'a>(blocks: impl Iterator<Item = &'a Block>) -> String {
    let name = |block: &Block| match block.kind() {
        BlockKind::Text => "empty text",
        BlockKind::Thinking => "thinking",
        BlockKind::RedactedThinking => "redacted thinking",
        BlockKind::Image => "image",
        BlockKind::Document => "document",
        BlockKind::Unknown => "unknown block",
    };
    let mut names: Vec<&str> = blocks.map(name).collect();
    names.dedup();
    if names.is_empty() { "empty".to_string() } else { names.join(", ") }
}

/// The beginning of a text with every run of white space made one blank, and a mark where it was cut.
pub(super) fn one_line(text: &str) -> String {
    let mut line = String::new();
    for word in head_chars(text, LOOK).split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if exceeds_chars(&line, LONGEST) {
        let mut cut = head_chars(&line, LONGEST - 1).trim_end().to_string();
        cut.push('…');
        return cut;
    }
    line
}
