//! Records to append. The file is never rewritten; a compaction is one more record in it.
//!
//! ```text
//!  … ─ user ─ assistant ─ results ─┊ boundary (parent null, logical parent ↑) ─ summary ─ user ─ …
//! ```

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::timestamp::rfc3339;
use crate::message::json::string;
use crate::message::{CallId, MessageId, Origin, RawJson, ToolResult, UserMessage};
use crate::unit::{Millis, Tokens};

/// A record made here: one line for the host to append, with its line break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its id.
    pub id: MessageId,
    /// Its JSON and a line break.
    pub line: String,
}

/// A stretch of kept records, first and last.
pub type Stretch = (MessageId, MessageId);

/// Writes records in a chain. Ids are made of the session's id, the parent and the moment, so that the same
/// session written twice is the same file; there is no randomness in the core.
#[derive(Debug, Clone)]
pub struct Writer {
    session_id: String,
    last: Option<MessageId>,
    count: u64,
}

impl Writer {
    /// A writer for a session, going on after `last`.
    pub fn new(session_id: &str, last: Option<MessageId>) -> Self {
        Self { session_id: session_id.into(), last, count: 0 }
    }

    /// The id of the newest record.
    pub fn last(&self) -> Option<&MessageId> {
        self.last.as_ref()
    }

    /// The session's id.
    pub fn session_id(&self) -> &str {
        &self.session_id
    }

    /// A user-role message.
    pub fn user(&mut self, origin: Origin, blocks: &[RawJson], now: Millis) -> Record {
        let flags = match origin {
            Origin::Human => "",
            Origin::Summary => r#""isCompactSummary":true,"#,
            _ => r#""isMeta":true,"#,
        };
        let message = format!(r#"{{"role":"user","content":{}}}"#, array(blocks));
        self.record("user", &format!(r#"{flags}"message":{message}"#), now)
    }

    /// One response of a model, whole. `message` is its JSON with id, model, content and usage.
    pub fn assistant(&mut self, message: &str, now: Millis) -> Record {
        self.record("assistant", &format!(r#""message":{message}"#), now)
    }

    /// A tool's result. `artifact` names where the whole is when the result is only its preview.
    pub fn result(&mut self, result: &ToolResult, artifact: Option<&str>, now: Millis) -> Record {
        let artifact = artifact.map(|path| format!(r#""artifact":{},"#, string(path))).unwrap_or_default();
        let content = result.raw().as_str();
        self.record("user", &format!(r#"{artifact}"message":{{"role":"user","content":[{content}]}}"#), now)
    }

    /// A compact boundary and its summary, to be appended together: a boundary without a summary is void.
    pub fn boundary(&mut self, boundary: &NewBoundary<'_>, now: Millis) -> (Vec<Record>, UserMessage) {
        let kept: Vec<String> = boundary
            .kept
            .iter()
            .map(|(head, tail)| {
                format!(r#"{{"headUuid":{},"tailUuid":{}}}"#, string(head.as_str()), string(tail.as_str()))
            })
            .collect();
        let logical = self.last.take().map_or_else(|| "null".into(), |id| string(id.as_str()));
        let body = format!(
            r#""subtype":"compact_boundary","content":"Conversation compacted","logicalParentUuid":{logical},"compactMetadata":{{"trigger":{},"summarisedBy":{},"preTokens":{},"postTokens":{},"preservedSegments":[{}]}}"#,
            string(boundary.trigger),
            string(boundary.summarised_by),
            boundary.before.get(),
            boundary.after.get(),
            kept.join(","),
        );
        let mark = self.record("system", &body, now);
        let mut summary = UserMessage::text(mark.id.clone(), Origin::Summary, boundary.summary);
        let blocks: Vec<RawJson> = summary.blocks.iter().map(|block| block.raw().clone()).collect();
        let text = self.user(Origin::Summary, &blocks, now);
        summary.id = text.id.clone();
        (alloc::vec![mark, text], summary)
    }

    /// The micro tier's decision: which results are cleared from now on, and by which words.
    pub fn micro_boundary(
        &mut self,
        calls: &[CallId],
        placeholder: &str,
        freed: Tokens,
        now: Millis,
    ) -> Record {
        let ids: Vec<String> = calls.iter().map(|id| string(id.as_str())).collect();
        let body = format!(
            r#""subtype":"microcompact_boundary","content":"Old tool results cleared","microcompactMetadata":{{"trigger":"auto","tokensSaved":{},"placeholder":{},"compactedToolIds":[{}]}}"#,
            freed.get(),
            string(placeholder),
            ids.join(","),
        );
        self.record("system", &body, now)
    }

    /// A shorter text that stands for a result or a message from now on.
    pub fn replacement(&mut self, of: Replaced<'_>, text: &str, now: Millis) -> Record {
        let target = match of {
            Replaced::Spilled(call, path) => {
                format!(r#""toolUseId":{},"form":"spilled","path":{}"#, string(call.as_str()), string(path))
            }
            Replaced::Cut(call) => format!(r#""toolUseId":{},"form":"cut""#, string(call.as_str())),
            Replaced::Message(id) => format!(r#""messageUuid":{},"form":"cut""#, string(id.as_str())),
        };
        let text = string(text);
        let body = format!(
            r#""subtype":"content_replacement","content":"Content shortened","replacement":{{{target},"text":{text}}}"#
        );
        self.record("system", &body, now)
    }

    /// What became of a compaction that changed nothing, so that "failed" and "never ran" differ (C2).
    pub fn aborted_compaction(&mut self, trigger: &str, cause: &str, now: Millis) -> Record {
        let body = format!(
            r#""subtype":"compact_aborted","content":"Compaction failed; nothing was changed","compactMetadata":{{"trigger":{},"cause":{}}}"#,
            string(trigger),
            string(cause),
        );
        self.record("system", &body, now)
    }

    fn record(&mut self, kind: &str, body: &str, now: Millis) -> Record {
        let parent = self.last.as_ref().map_or_else(|| "null".into(), |id| string(id.as_str()));
        let id = self.next_id(now);
        let line = format!(
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"type\":\"{kind}\",{body},\"uuid\":\"{id}\",\"timestamp\":\"{}\",\"sessionId\":{}}}\n",
            rfc3339(now),
            string(&self.session_id),
        );
        self.last = Some(id.clone());
        Record { id, line }
    }

    /// An id in the shape of a version 8 (custom) UUID.
    fn next_id(&mut self, now: Millis) -> MessageId {
        let parent = self.last.as_ref().map_or("", MessageId::as_str);
        let seed = format!("{}\n{parent}\n{}\n{}", self.session_id, self.count, now.get());
        self.count += 1;
        let hash = fnv128(seed.as_bytes());
        let hex = format!("{hash:032x}");
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        MessageId::new(format!(
            "{}-{}-8{}-a{}-{}",
            part(0, 8),
            part(8, 12),
            part(13, 16),
            part(17, 20),
            part(20, 32)
        ))
    }
}

/// What a replacement record shortens.
#[derive(Debug, Clone, Copy)]
pub enum Replaced<'a> {
    /// A result; the whole is in the artifact at this path.
    Spilled(&'a CallId, &'a str),
    /// A result; the whole stays in its own record.
    Cut(&'a CallId),
    /// A user-role message; the whole stays in its own record.
    Message(&'a MessageId),
}

/// What a boundary record says.
#[derive(Debug, Clone, Copy)]
pub struct NewBoundary<'a> {
    /// `auto`, `manual` or `reactive`.
    pub trigger: &'a str,
    /// `model`, `notes` or `structural`.
    pub summarised_by: &'a str,
    /// The view's tokens before.
    pub before: Tokens,
    /// The view's tokens after.
    pub after: Tokens,
    /// Records kept word for word behind the summary.
    pub kept: &'a [Stretch],
    /// The summary's text.
    pub summary: &'a str,
}

fn array(values: &[RawJson]) -> String {
    let values: Vec<&str> = values.iter().map(RawJson::as_str).collect();
    format!("[{}]", values.join(","))
}

/// FNV-1a, 128 bits: names, not secrets.
fn fnv128(bytes: &[u8]) -> u128 {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, |hash, &byte| {
        (hash ^ u128::from(byte)).wrapping_mul(PRIME)
    })
}
