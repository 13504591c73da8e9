//! A tool call and its result are one value.
//!
//! ```text
//!              ┌─ Pending            in flight: every tier leaves it alone (P4)
//! ToolCall ────┼─ Complete(result)   the tool answered
//!              └─ Closed(result)     it never will: a marked error stands in its place
//! ```
//!
//! A call without its result, or a result without its call, cannot be written in this model, so no cut can
//! part them (P1, P5). Only [`crate::transcript`] meets half pairs, in files, and repairs them.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::block::{Block, content_blocks};
use super::id::{CallId, MessageId};
use super::json::{JsonKind, string};
use super::raw::RawJson;

/// Where arguments stand that were no JSON object: the tool's host can tell the model what it wrote.
pub const INVALID_INPUT: &str = "_invalid_arguments";

/// Providers take tool names of at most this many letters, digits, `_` and `-`.
const MAX_NAME: usize = 64;

fn allowed(c: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }
}

/// A model's request to run a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The id that the result repeats.
    pub id: CallId,
    /// The tool's name.
    pub name: String,
    raw: RawJson,
}

impl ToolCall {
    /// Reads a `tool_use` block; `None` when it has no id or no name.
    pub fn from_raw(raw: RawJson) -> Option<Self> {
        let json = raw.json();
        let id = CallId::new(json.get("id")?.as_str()?.as_ref());
        let name = json.get("name")?.as_str()?.into_owned();
        Some(Self { id, name, raw })
    }

    /// A new call. `input` is the JSON of its arguments.
    pub fn new(id: &str, name: &str, input: &RawJson) -> Self {
        let text = format!(
            r#"{{"type":"tool_use","id":{},"name":{},"input":{}}}"#,
            string(id),
            string(name),
            input.as_str()
        );
        Self { id: CallId::from(id), name: name.to_string(), raw: RawJson::written(text) }
    }

    /// The same call as a provider takes it back: under another id, with a name of allowed characters and with an
    /// object for its arguments; what was no object stands in it under [`INVALID_INPUT`]. Every other member stays.
    #[must_use]
    pub fn mended(&self, id: &str) -> Self {
        let mut name: String = self.name.chars().take(MAX_NAME).map(allowed).collect();
        if name.is_empty() {
            name.push_str("unnamed");
        }
        let mut raw = self.raw.clone();
        let mut set =
            |member: &str, value: &str| raw = RawJson::written(raw.json().with_member(member, value));
        if id != self.id.as_str() {
            set("id", &string(id));
        }
        if name != self.name {
            set("name", &string(&name));
        }
        let input = self.raw.json().get("input");
        if input.is_none_or(|input| input.kind() != JsonKind::Object) {
            let kept = input.map(|input| format!("{{\"{INVALID_INPUT}\":{}}}", input.raw()));
            set("input", kept.as_deref().unwrap_or("{}"));
        }
        Self { id: CallId::from(id), name, raw }
    }

    /// The whole `tool_use` block.
    pub fn raw(&self) -> &RawJson {
        &self.raw
    }

    /// The arguments as JSON; an empty object when the block has none.
    pub fn input(&self) -> RawJson {
        match self.raw.json().get("input") {
            Some(input) => self.raw.part(input),
            None => RawJson::written("{}".to_string()),
        }
    }

    /// A string argument, for the well-known ones (`file_path`, `command`, …).
    pub fn argument(&self, name: &str) -> Option<String> {
        Some(self.raw.json().get("input")?.get(name)?.as_str()?.into_owned())
    }
}

/// What stands in a result's place in the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResultForm {
    /// What the tool returned.
    Original,
    /// The micro tier's placeholder.
    Cleared,
    /// A preview; the whole is an artifact of its own.
    Spilled,
    /// Head and tail; what is between is in the record only.
    Cut,
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// Whether the tool failed.
    pub is_error: bool,
    /// What stands here: the original or something shorter.
    pub form: ResultForm,
    /// The record that carried the result, when it has one of its own.
    pub record: Option<MessageId>,
    raw: RawJson,
}

impl ToolResult {
    /// Reads a `tool_result` block and tells whose call it answers; `None` when it names no call.
    pub fn from_raw(raw: RawJson) -> Option<(CallId, Self)> {
        let json = raw.json();
        let id = CallId::new(json.get("tool_use_id")?.as_str()?.as_ref());
        let is_error = json.get("is_error").and_then(|flag| flag.as_bool()).unwrap_or(false);
        Some((id, Self { is_error, form: ResultForm::Original, record: None, raw }))
    }

    /// A new result of plain text. Empty output is said in words, since providers refuse empty content.
    pub fn text(call: &CallId, text: &str, is_error: bool) -> Self {
        let text = if text.trim().is_empty() { "(no output)" } else { text };
        let error = if is_error { r#","is_error":true"# } else { "" };
        let raw = RawJson::written(format!(
            r#"{{"type":"tool_result","tool_use_id":{},"content":{}{error}}}"#,
            string(call.as_str()),
            string(text)
        ));
        Self { is_error, form: ResultForm::Original, record: None, raw }
    }

    /// The whole `tool_result` block.
    pub fn raw(&self) -> &RawJson {
        &self.raw
    }

    /// The content's blocks; a string is one text block, absent content is none.
    pub fn blocks(&self) -> Vec<Block> {
        let Some(content) = self.raw.json().get("content") else { return Vec::new() };
        content_blocks(&self.raw, content).into_iter().map(Block::from_raw).collect()
    }

    /// The words of the content, text blocks joined by line breaks.
    pub fn words(&self) -> Cow<'_, str> {
        let Some(content) = self.raw.json().get("content") else { return Cow::Borrowed("") };
        if content.kind() == JsonKind::String {
            return content.as_str().unwrap_or_default();
        }
        let mut out = String::new();
        for block in self.blocks() {
            if let Some(words) = block.words() {
                if !out.is_empty() {
                    out.push('\n');
                }
                out.push_str(&words);
            }
        }
        Cow::Owned(out)
    }

    /// The same result with other words in it; id, error flag and every other member stay as they were (C7).
    #[must_use]
    pub fn replaced(&self, form: ResultForm, text: &str) -> Self {
        let raw = RawJson::written(self.raw.json().with_member("content", &string(text)));
        Self { is_error: self.is_error, form, record: self.record.clone(), raw }
    }
}

/// Where an exchange stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExchangeState {
    /// In flight.
    Pending,
    /// Answered.
    Complete(ToolResult),
    /// Never answered; the result is a marked error made here.
    Closed(ToolResult),
}

/// A call with what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The call.
    pub call: ToolCall,
    /// Its state.
    pub state: ExchangeState,
}

impl Exchange {
    /// A call just made.
    pub fn pending(call: ToolCall) -> Self {
        Self { call, state: ExchangeState::Pending }
    }

    /// The result, real or synthetic.
    pub fn result(&self) -> Option<&ToolResult> {
        match &self.state {
            ExchangeState::Pending => None,
            ExchangeState::Complete(result) | ExchangeState::Closed(result) => Some(result),
        }
    }

    /// Changes the result in place, keeping the state.
    pub(crate) fn replace_result(&mut self, with: ToolResult) {
        match &mut self.state {
            ExchangeState::Pending => {}
            ExchangeState::Complete(result) | ExchangeState::Closed(result) => *result = with,
        }
    }

    /// True while no result is there.
    pub fn is_pending(&self) -> bool {
        matches!(self.state, ExchangeState::Pending)
    }

    /// Closes a pending call with a marked error; an answered one stays (first wins, P3).
    pub fn close(&mut self, why: &str) {
        if self.is_pending() {
            self.state = ExchangeState::Closed(ToolResult::text(&self.call.id, why, true));
        }
    }
}
