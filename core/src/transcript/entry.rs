//! One record of a transcript: its bytes and what the engine reads in them.

use alloc::borrow::ToOwned;
use alloc::string::String;

use crate::message::json::{Json, JsonKind};
use crate::message::{MessageId, RawJson};
use crate::tokens::{Convention, Counts, Usage};
use crate::unit::Tokens;

/// What a record is. Unknown kinds are kept and never interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EntryKind {
    /// A user-role message: a request, tool results, a summary.
    User,
    /// A part of a model's response.
    Assistant,
    /// Where a compaction took place; a loader resumes here.
    CompactBoundary,
    /// Old tool results were cleared.
    MicroBoundary,
    /// A tool result went to an artifact and a preview took its place.
    Replacement,
    /// Any other `system` record.
    System,
    /// A title written by the host.
    Title,
    /// Anything else: progress, file snapshots, attachments, records of later versions.
    Other,
}

/// One record.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its bytes.
    pub raw: RawJson,
    /// Its physical line, from 1.
    pub line: u64,
    /// What it is.
    pub kind: EntryKind,
    /// `type` (and `subtype` after a slash) as spelt, for counts and display.
    pub type_name: String,
    /// `uuid`.
    pub id: Option<MessageId>,
    /// `parentUuid`: `None` when absent, `Some(None)` when null.
    pub parent: Option<Option<MessageId>>,
    /// `logicalParentUuid`: the record before a boundary.
    pub logical_parent: Option<MessageId>,
    /// True for a subagent's record in the parent's file.
    pub sidechain: bool,
    /// True for text the host put in the user's name.
    pub meta: bool,
    /// True for a compaction's summary.
    pub summary: bool,
    /// The `message` object.
    pub message: Option<RawJson>,
}

impl Entry {
    /// Reads a record's members in one pass; whatever is missing or odd is simply absent.
    pub fn from_raw(raw: RawJson, line: u64) -> Self {
        let mut entry = Self {
            raw: raw.clone(),
            line,
            kind: EntryKind::Other,
            type_name: String::new(),
            id: None,
            parent: None,
            logical_parent: None,
            sidechain: false,
            meta: false,
            summary: false,
            message: None,
        };
        let mut subtype = String::new();
        for (key, value) in raw.json().members() {
            match key.as_ref() {
                "type" => entry.type_name = owned(value),
                "subtype" => subtype = owned(value),
                "uuid" => entry.id = id(value),
                "parentUuid" => entry.parent = Some(id(value)),
                "logicalParentUuid" => entry.logical_parent = id(value),
                "isSidechain" => entry.sidechain = value.as_bool().unwrap_or(false),
                "isMeta" => entry.meta = value.as_bool().unwrap_or(false),
                "isCompactSummary" => entry.summary = value.as_bool().unwrap_or(false),
                "message" if value.kind() == JsonKind::Object => entry.message = Some(raw.part(value)),
                _ => {}
            }
        }
        entry.kind = match (entry.type_name.as_str(), subtype.as_str()) {
            ("user", _) => EntryKind::User,
            ("assistant", _) => EntryKind::Assistant,
            ("system", "compact_boundary") => EntryKind::CompactBoundary,
            ("system", "microcompact_boundary") => EntryKind::MicroBoundary,
            ("system", "content_replacement") => EntryKind::Replacement,
            ("system", _) => EntryKind::System,
            ("summary" | "custom-title" | "ai-title", _) => EntryKind::Title,
            _ => EntryKind::Other,
        };
        if entry.type_name == "system" && !subtype.is_empty() {
            entry.type_name.push('/');
            entry.type_name.push_str(&subtype);
        }
        entry
    }

    /// True for user and assistant records.
    pub fn is_message(&self) -> bool {
        matches!(self.kind, EntryKind::User | EntryKind::Assistant)
    }

    /// True for what makes or changes the view: messages, clearings, replacements.
    pub(super) fn shapes_view(&self) -> bool {
        self.is_message() || matches!(self.kind, EntryKind::MicroBoundary | EntryKind::Replacement)
    }

    /// A member of the record.
    pub fn member(&self, name: &str) -> Option<Json<'_>> {
        self.raw.json().get(name)
    }

    /// A member of the `message` object.
    pub fn message_member(&self, name: &str) -> Option<Json<'_>> {
        self.message.as_ref()?.json().get(name)
    }

    /// What the provider counted, in Anthropic's convention: cached tokens beside the input, never inside (A2).
    /// `None` where nothing was read, as in a client's own error messages.
    pub fn usage(&self) -> Option<Usage> {
        let usage = self.message_member("usage").filter(|usage| usage.kind() == JsonKind::Object)?;
        let count =
            |name: &str| Tokens(usage.get(name).and_then(|value: Json<'_>| value.as_u64()).unwrap_or(0));
        let counts = Counts {
            input: count("input_tokens"),
            cache_read: count("cache_read_input_tokens"),
            cache_write: count("cache_creation_input_tokens"),
            output: count("output_tokens"),
            reasoning: Tokens::ZERO,
        };
        let usage = Usage::from_counts(Convention::CacheBeside, counts);
        (!usage.context().is_zero()).then_some(usage)
    }

    /// `message.id`, which all records of one response share.
    pub fn response_id(&self) -> Option<String> {
        Some(self.message_member("id")?.as_str()?.into_owned())
    }
}

fn owned(value: Json<'_>) -> String {
    value.as_str().map(|text| text.as_ref().to_owned()).unwrap_or_default()
}

fn id(value: Json<'_>) -> Option<MessageId> {
    Some(MessageId::new(value.as_str()?.as_ref()))
}
