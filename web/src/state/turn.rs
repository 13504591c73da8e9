//! Records to turns: the conversation as it was recorded, originals and all, whatever a tier made of it since.
//!
//! ```text
//!  user ─ assistant ┐ one response over several lines   results │ boundary ─ summary ─ …
//!         assistant ┘ ─▶ Turn { parts: text, call ◀─────┘       └▶ Turn (Mark)
//! ```
//!
//! The window shows what the model sees; this shows what was said. The two are matched by the records' ids.

use std::collections::BTreeMap;
use std::sync::Arc;

use palimpsest_core::message::json::JsonKind;
use palimpsest_core::message::{Block, BlockKind, ToolCall, ToolResult, content_blocks};
use palimpsest_core::transcript::{Entry, EntryKind};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A person.
    User,
    /// The host, in the user's name.
    Host,
    /// The engine or the host, in `<system-reminder>`.
    Reminder,
    /// A compaction, for what it replaced.
    Summary,
    /// The model.
    Assistant,
    /// Nobody: a line where a tier acted.
    Mark,
}

impl Kind {
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::User => "User",
            Self::Host => "Host",
            Self::Reminder => "Reminder",
            Self::Summary => "Summary",
            Self::Assistant => "Assistant",
            Self::Mark => "Compaction",
        }
    }

    /// For style sheets.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Host => "host",
            Self::Reminder => "attachments",
            Self::Summary => "summary",
            Self::Assistant => "assistant",
            Self::Mark => "mark",
        }
    }
}

/// What a part is.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Text, thinking, media or an unknown block.
    Block(Block),
    /// A call, and its result with the number of the record that brought it.
    Call(ToolCall, Option<(usize, ToolResult)>),
    /// What a tier did, in words.
    Note(String),
}

/// A part of a turn.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// The number of the record it came with, from 0.
    pub record: usize,
    pub body: Body,
}

/// A user message, a response with its calls, or a mark.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// The id of its first record, which the window's items carry too.
    pub id: String,
    pub kind: Kind,
    /// The number of its first record, from 0.
    pub record: usize,
    /// The line of that record in the file, from 1.
    pub line: u64,
    pub parts: Vec<Part>,
}

impl Turn {
    /// How much of it is there once `records` records are: its parts and their results.
    pub(crate) fn grown(&self, records: usize) -> usize {
        let there = |part: &Part| match &part.body {
            _ if part.record >= records => 0,
            Body::Call(_, Some((record, _))) if *record < records => 2,
            _ => 1,
        };
        self.parts.iter().map(there).sum()
    }

    /// The words of its text blocks, the first of them only.
    pub(crate) fn words(&self) -> String {
        let text = |part: &Part| match &part.body {
            Body::Block(block) if block.kind() == BlockKind::Text => Some(block.words()?.into_owned()),
            _ => None,
        };
        self.parts.iter().find_map(text).unwrap_or_default()
    }
}

/// The turns of a growing record.
#[derive(Debug, Clone, Default)]
pub(crate) struct Turns {
    list: Vec<Arc<Turn>>,
    records: usize,
    /// Where each response is, by the provider's id: its lines share it.
    responses: BTreeMap<String, usize>,
    /// Where each call is: turn and part.
    calls: BTreeMap<String, (usize, usize)>,
}

impl Turns {
    /// In the order they began.
    pub(crate) fn all(&self) -> &[Arc<Turn>] {
        &self.list
    }

    /// How many records were taken in.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    /// Takes the next record. Subagents' records and those that say nothing are counted and not shown.
    pub(crate) fn push(&mut self, entry: &Entry) {
        let record = self.records;
        self.records += 1;
        if entry.sidechain {
            return;
        }
        match entry.kind {
            EntryKind::User => self.user(entry, record),
            EntryKind::Assistant => self.assistant(entry, record),
            EntryKind::CompactBoundary => self.mark(entry, record, boundary(entry)),
            EntryKind::MicroBoundary => self.mark(entry, record, clearing(entry)),
            _ => {}
        }
    }

    fn user(&mut self, entry: &Entry, record: usize) {
        let (Some(message), Some(content)) = (&entry.message, entry.message_member("content")) else {
            return;
        };
        let mut blocks = Vec::new();
        for raw in content_blocks(message, content) {
            if raw.json().get("type").is_some_and(|kind| kind.is_str("tool_result")) {
                if let Some((call, result)) = ToolResult::from_raw(raw) {
                    self.result(call.as_str(), record, result);
                }
            } else {
                blocks.push(Block::from_raw(raw));
            }
        }
        if blocks.iter().all(Block::is_empty) {
            return;
        }
        let kind = match () {
            () if entry.summary => Kind::Summary,
            () if is_reminder(&blocks) => Kind::Reminder,
            () if entry.meta => Kind::Host,
            () => Kind::User,
        };
        let parts = blocks.into_iter().map(|block| Part { record, body: Body::Block(block) }).collect();
        self.add(entry, kind, record, parts);
    }

    fn assistant(&mut self, entry: &Entry, record: usize) {
        let (Some(message), Some(content)) = (&entry.message, entry.message_member("content")) else {
            return;
        };
        let response = entry.response_id();
        let known = response.as_ref().and_then(|id| self.responses.get(id)).copied();
        let at = known.unwrap_or_else(|| self.add(entry, Kind::Assistant, record, Vec::new()));
        if let Some(id) = response {
            self.responses.entry(id).or_insert(at);
        }
        for raw in content_blocks(message, content) {
            let is_call = raw.json().get("type").is_some_and(|kind| kind.is_str("tool_use"));
            let body = match ToolCall::from_raw(raw.clone()).filter(|_| is_call) {
                Some(call) => Body::Call(call, None),
                None => Body::Block(Block::from_raw(raw)),
            };
            let Some(turn) = self.list.get_mut(at) else { return };
            let turn = Arc::make_mut(turn);
            if let Body::Call(call, _) = &body {
                self.calls.entry(call.id.as_str().to_owned()).or_insert((at, turn.parts.len()));
            }
            turn.parts.push(Part { record, body });
        }
    }

    /// The first result of a call counts.
    fn result(&mut self, call: &str, record: usize, result: ToolResult) {
        let Some(&(turn, part)) = self.calls.get(call) else { return };
        let part = self.list.get_mut(turn).and_then(|turn| Arc::make_mut(turn).parts.get_mut(part));
        if let Some(Part { body: Body::Call(_, slot @ None), .. }) = part {
            *slot = Some((record, result));
        }
    }

    fn mark(&mut self, entry: &Entry, record: usize, words: String) {
        self.add(entry, Kind::Mark, record, vec![Part { record, body: Body::Note(words) }]);
    }

    fn add(&mut self, entry: &Entry, kind: Kind, record: usize, parts: Vec<Part>) -> usize {
        let id =
            entry.id.as_ref().map_or_else(|| format!("line-{}", entry.line), |id| id.as_str().to_owned());
        self.list.push(Arc::new(Turn { id, kind, record, line: entry.line, parts }));
        self.list.len() - 1
    }
}

fn is_reminder(blocks: &[Block]) -> bool {
    let text =
        |block: &Block| block.words().is_some_and(|text| text.trim_start().starts_with("<system-reminder>"));
    blocks.iter().filter(|block| block.kind() == BlockKind::Text).all(text)
        && blocks.iter().any(|block| block.kind() == BlockKind::Text)
}

fn boundary(entry: &Entry) -> String {
    let meta = entry.member("compactMetadata");
    let trigger = meta.and_then(|meta| meta.get("trigger")?.as_str().map(std::borrow::Cow::into_owned));
    match trigger.as_deref() {
        Some("manual") => "Compacted by hand: what stands above is archived".to_owned(),
        Some("reactive") => "Reactive tier: what stands above is archived".to_owned(),
        Some("auto") => "Auto tier: what stands above is archived".to_owned(),
        _ => "Compacted: what stands above is archived".to_owned(),
    }
}

fn clearing(entry: &Entry) -> String {
    let cleared = entry
        .member("microcompactMetadata")
        .and_then(|meta| meta.get("compactedToolIds"))
        .filter(|list| list.kind() == JsonKind::Array)
        .map_or(0, |list| list.elements().count());
    match cleared {
        0 => "Micro tier: old tool results cleared".to_owned(),
        1 => "Micro tier: one old tool result cleared".to_owned(),
        n => format!("Micro tier: {n} old tool results cleared"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::message::RawJson;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn turns(lines: &[&str]) -> Turns {
        let mut turns = Turns::default();
        for (at, line) in lines.iter().enumerate() {
            turns.push(&Entry::from_raw(RawJson::parse(*line).unwrap(), at as u64 + 1));
        }
        turns
    }

    #[wasm_bindgen_test]
    fn a_response_over_two_lines_is_one_turn_and_takes_its_results() {
        let turns = turns(&[
            r#"{"type":"user","uuid":"u","message":{"content":"look"}}"#,
            r#"{"type":"assistant","uuid":"a","message":{"id":"m","content":[{"type":"text","text":"I look"}]}}"#,
            r#"{"type":"assistant","uuid":"b","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"ls","input":{}}]}}"#,
            r#"{"type":"user","uuid":"r","message":{"content":[{"type":"tool_result","tool_use_id":"t","content":"one"}]}}"#,
            r#"{"type":"user","uuid":"s","isSidechain":true,"message":{"content":"inner"}}"#,
        ]);
        let ids: Vec<_> = turns.all().iter().map(|turn| turn.id.as_str()).collect();
        assert_eq!(ids, ["u", "a"]);
        assert_eq!(turns.records(), 5);
        let response = &turns.all()[1];
        assert_eq!([1, 2, 3, 4].map(|records| response.grown(records)), [0, 1, 2, 3]);
        assert!(
            matches!(&response.parts[1].body, Body::Call(_, Some((3, result))) if result.words() == "one")
        );
    }

    #[wasm_bindgen_test]
    fn summaries_reminders_and_marks_are_told_apart() {
        let turns = turns(&[
            r#"{"type":"user","uuid":"1","message":{"content":"<system-reminder>x</system-reminder>"}}"#,
            r#"{"type":"system","subtype":"compact_boundary","uuid":"2","compactMetadata":{"trigger":"auto"}}"#,
            r#"{"type":"user","uuid":"3","isCompactSummary":true,"message":{"content":"so far"}}"#,
            r#"{"type":"user","uuid":"4","isMeta":true,"message":{"content":"ran"}}"#,
        ]);
        let kinds: Vec<_> = turns.all().iter().map(|turn| turn.kind).collect();
        assert_eq!(kinds, [Kind::Reminder, Kind::Mark, Kind::Summary, Kind::Host]);
    }
}
