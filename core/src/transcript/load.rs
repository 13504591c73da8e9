//! Records to conversation: the only place where half pairs are met, and repaired.
//!
//! ```text
//!  entries ─▶ live chain ─▶ segments ─▶ items of each ─▶ Session { history, view, boundaries, usage, findings }
//! ```

use alloc::borrow::{Cow, ToOwned};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::Serialize;

use super::chain::{Segment, live_segments};
use super::diagnostic::{Diagnostic, DiagnosticKind};
use super::entry::{Entry, EntryKind};
use super::reader::Log;
use crate::message::json::Json;
use crate::message::{
    Block, CallId, Exchange, ExchangeState, Item, MessageId, Origin, Part, Response, ResponseId, ResultForm,
    StopReason, ToolCall, ToolResult, UserMessage, content_blocks,
};
use crate::tokens::Usage;
use crate::unit::Tokens;

/// What stands where a result never came. It says what happened, so that the model does not take it for output.
pub const INTERRUPTED: &str =
    "[No result: the session ended before this tool call finished. It may or may not have taken effect.]";

/// A compaction found in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Boundary {
    /// The boundary record's line.
    pub line: u64,
    /// What set it off: `auto`, `manual`, `reactive` or what the writer said.
    pub trigger: String,
    /// The window's tokens before it, as the writer counted them; 0 when it did not say.
    pub before: Tokens,
    /// The window's tokens after it, as the writer counted them; 0 when it did not say.
    pub after: Tokens,
}

/// The provider's own count for one response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedUsage {
    /// Whose response.
    pub response: Option<ResponseId>,
    /// The index in [`Session::view`] of the response.
    pub item: usize,
    /// What the provider counted for that request and reply.
    pub usage: Usage,
}

/// A session as a file tells it.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// What the model sees next: everything since the newest boundary, its summary first.
    pub view: Vec<Arc<Item>>,
    /// Everything before that, oldest first, summaries left out: the archive.
    pub archive: Vec<Arc<Item>>,
    /// The compactions, oldest first.
    pub boundaries: Vec<Boundary>,
    /// The newest usage reported for a response of the view.
    pub usage: Option<ReportedUsage>,
    /// Calls of the view whose results had to be made up, to be appended as records (a durable repair).
    pub repaired: Vec<CallId>,
    /// The id of the newest live record: the parent of the next one.
    pub last: Option<MessageId>,
    /// `sessionId` of the newest record that has one.
    pub session_id: Option<String>,
    /// The title a host wrote, when there is one.
    pub title: Option<String>,
    /// The model of the newest response.
    pub model: Option<String>,
    /// Findings about links and pairs, beside those of the [`Log`].
    pub diagnostics: Vec<Diagnostic>,
}

impl Session {
    /// Makes a conversation of a log's records. A log without messages gives an empty one, and says so.
    pub fn load(log: &Log) -> Self {
        let mut session = Self::default();
        if !log.entries.iter().any(Entry::is_message) {
            session.diagnostics.push(Diagnostic {
                kind: DiagnosticKind::NoMessages,
                line: 0,
                message: format!("no user or assistant message among the {} records", log.entries.len()),
            });
        }
        let segments = live_segments(&log.entries, &mut session.diagnostics);
        let newest = segments.len().saturating_sub(1);
        let mut built: Vec<Builder> = Vec::new();
        for (number, segment) in segments.iter().enumerate() {
            let boundary = segment.boundary.and_then(|at| log.entries.get(at));
            let mut builder = Builder::default();
            if let Some(boundary) = boundary {
                session.boundaries.push(boundary_of(boundary));
                builder.kept = built.last().map(|before| kept_items(boundary, before)).unwrap_or_default();
                if builder.kept.is_empty() && names_kept(boundary) {
                    let message = "it keeps messages that are not in the file; they are left out".to_string();
                    let kind = DiagnosticKind::BrokenLink;
                    session.diagnostics.push(Diagnostic { kind, line: boundary.line, message });
                }
            }
            for &at in &segment.entries {
                if let Some(entry) = log.entries.get(at) {
                    builder.entry(entry, &mut session.diagnostics);
                }
            }
            builder.finish(number == newest, &mut session);
            built.push(builder);
        }
        if let Some(view) = built.pop() {
            session.archive = archive(built, &view);
            session.usage = view.usage.map(|(item, response, usage)| ReportedUsage { response, item, usage });
            session.view = view.items.into_iter().map(Arc::new).collect();
        }
        session.last = newest_id(log, segments.last());
        session.read_names(log);
        session
    }

    fn read_names(&mut self, log: &Log) {
        let newest = |wanted: &dyn Fn(&Entry) -> Option<String>| log.entries.iter().rev().find_map(wanted);
        self.session_id = newest(&|entry| Some(entry.member("sessionId")?.as_str()?.into_owned()));
        self.title = newest(&|entry| {
            let title = (entry.kind == EntryKind::Title)
                .then(|| entry.member("summary").or_else(|| entry.member("customTitle")))?;
            Some(title?.as_str()?.into_owned())
        });
        self.model = newest(&|entry| {
            let model = entry.message_member("model")?.as_str()?.into_owned();
            (model != "<synthetic>").then_some(model)
        });
    }
}

/// What the view no longer shows, each item once however many boundaries it survived.
fn archive(segments: Vec<Builder>, view: &Builder) -> Vec<Arc<Item>> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (at, item) in view.items.iter().enumerate() {
        seen.insert(item.id().as_str().to_owned(), at);
    }
    let items = segments.into_iter().flat_map(|segment| segment.items).filter(|item| !is_summary(item));
    items.filter(|item| seen.insert(item.id().as_str().to_owned(), 0).is_none()).map(Arc::new).collect()
}

fn is_summary(item: &Item) -> bool {
    item.as_user().is_some_and(|message| message.origin == Origin::Summary)
}

fn newest_id(log: &Log, segment: Option<&Segment>) -> Option<MessageId> {
    segment?.entries.iter().rev().find_map(|&at| log.entries.get(at)?.id.clone())
}

fn boundary_of(entry: &Entry) -> Boundary {
    let meta = entry.member("compactMetadata");
    let count =
        |name: &str| meta.and_then(|meta| meta.get(name)).and_then(|value| value.as_u64()).unwrap_or(0);
    let trigger = meta.and_then(|meta| meta.get("trigger")).and_then(|value| value.as_str());
    Boundary {
        line: entry.line,
        trigger: trigger.map_or_else(|| "unknown".to_string(), Cow::into_owned),
        before: Tokens(count("preTokens")),
        after: Tokens(count("postTokens")),
    }
}

/// The items that a boundary keeps word for word, of the view before it: named one by one, or by the first and
/// last of a stretch.
fn kept_items(boundary: &Entry, before: &Builder) -> Vec<(Item, Vec<MessageId>)> {
    let Some(meta) = boundary.member("compactMetadata") else { return Vec::new() };
    let text = |value: Option<Json<'_>>| Some(value?.as_str()?.into_owned());
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (at, (item, records)) in before.items.iter().zip(&before.records).enumerate() {
        let results =
            item.as_response().into_iter().flat_map(Response::exchanges).filter_map(Exchange::result);
        let results = results.filter_map(|result| result.record.as_ref());
        for id in records.iter().chain(results) {
            places.insert(id.as_str().to_owned(), at);
        }
    }
    let position = |id: &str| places.get(id).copied();
    let mut wanted: Vec<usize> = Vec::new();
    if let Some(uuids) = meta.get("preservedMessages").and_then(|kept| kept.get("uuids")) {
        wanted.extend(uuids.elements().filter_map(|id| position(&text(Some(id))?)));
    } else {
        let list = meta.get("preservedSegments").map(|list| list.elements().collect::<Vec<_>>());
        for stretch in list.unwrap_or_else(|| meta.get("preservedSegment").into_iter().collect()) {
            let ends = text(stretch.get("headUuid")).zip(text(stretch.get("tailUuid")));
            if let Some((Some(head), Some(tail))) =
                ends.map(|(head, tail)| (position(&head), position(&tail)))
            {
                wanted.extend(head..=tail);
            }
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    let both = |at: usize| Some((before.items.get(at)?.clone(), before.records.get(at)?.clone()));
    wanted.into_iter().filter_map(both).collect()
}

/// True when a boundary says that something stays word for word.
fn names_kept(boundary: &Entry) -> bool {
    let meta = boundary.member("compactMetadata");
    let has = |name: &str| meta.and_then(|meta| meta.get(name)).is_some_and(|kept| kept.raw().contains('"'));
    has("preservedMessages") || has("preservedSegment") || has("preservedSegments")
}

/// Collects the items of one segment, pairing calls with results.
#[derive(Debug, Default)]
struct Builder {
    items: Vec<Item>,
    /// The record ids of each item.
    records: Vec<Vec<MessageId>>,
    responses: BTreeMap<String, usize>,
    calls: BTreeMap<CallId, usize>,
    /// Results met before their calls: parallel calls may be written out of order (T001).
    early: Vec<(CallId, ToolResult, u64)>,
    usage: Option<(usize, Option<ResponseId>, Usage)>,
    /// Items of the segment before that follow the summary word for word.
    kept: Vec<(Item, Vec<MessageId>)>,
}

impl Builder {
    fn entry(&mut self, entry: &Entry, found: &mut Vec<Diagnostic>) {
        match entry.kind {
            EntryKind::User => self.user(entry, found),
            EntryKind::Assistant => self.assistant(entry, found),
            EntryKind::MicroBoundary => self.clear(entry),
            EntryKind::Replacement => self.replace(entry),
            _ => {}
        }
    }

    fn user(&mut self, entry: &Entry, found: &mut Vec<Diagnostic>) {
        let (Some(message), Some(content)) = (&entry.message, entry.message_member("content")) else {
            return no_message(entry, found);
        };
        let mut blocks = Vec::new();
        for raw in content_blocks(message, content) {
            if raw.json().get("type").is_some_and(|kind| kind.is_str("tool_result")) {
                match ToolResult::from_raw(raw) {
                    Some((call, mut result)) => {
                        result.record.clone_from(&entry.id);
                        if entry.member("artifact").is_some() {
                            result.form = ResultForm::Spilled;
                        }
                        self.result(call, result, entry.line, found);
                    }
                    None => found.push(orphan(entry.line, "a tool result names no call; it is left out")),
                }
            } else {
                blocks.push(Block::from_raw(raw));
            }
        }
        if blocks.iter().all(Block::is_empty) {
            return;
        }
        let origin = match () {
            () if entry.summary => Origin::Summary,
            () if entry.meta && is_reminder(&blocks) => Origin::Attachment,
            () if entry.meta => Origin::Host,
            () => Origin::Human,
        };
        let id = entry.id.clone().unwrap_or_else(|| line_id(entry.line));
        self.records.push(alloc::vec![id.clone()]);
        self.items.push(Item::User(UserMessage { id, origin, blocks }));
        if origin == Origin::Human {
            // No response goes on after the user spoke, whatever its id says.
            self.responses.clear();
        }
        if origin == Origin::Summary {
            self.add_kept();
        }
    }

    /// Puts the kept items behind the summary, with their calls, so that later records still reach them.
    fn add_kept(&mut self) {
        for (mut item, records) in core::mem::take(&mut self.kept) {
            let at = self.items.len();
            if item.is_human() {
                self.responses.clear();
            }
            if let Item::Response(response) = &mut item {
                // A spoilt file may show a kept call again before the summary: the first one counts.
                response.parts.retain(|part| match part {
                    Part::Exchange(exchange) => !self.calls.contains_key(&exchange.call.id),
                    Part::Block(_) => true,
                });
                self.calls.extend(response.exchanges().map(|exchange| (exchange.call.id.clone(), at)));
                if let Some(id) = &response.response {
                    self.responses.insert(id.as_str().to_owned(), at);
                }
            }
            self.items.push(item);
            self.records.push(records);
        }
    }

    fn assistant(&mut self, entry: &Entry, found: &mut Vec<Diagnostic>) {
        let (Some(message), Some(content)) = (&entry.message, entry.message_member("content")) else {
            return no_message(entry, found);
        };
        let response_id = entry.response_id();
        let at = self.response_at(entry, response_id.as_deref());
        if let Some(usage) = entry.usage() {
            // The same usage is repeated on every line of one response: the newest counts, once.
            self.usage = Some((at, response_id.as_deref().map(ResponseId::from), usage));
        }
        for raw in content_blocks(message, content) {
            let part = if raw.json().get("type").is_some_and(|kind| kind.is_str("tool_use")) {
                match ToolCall::from_raw(raw.clone()) {
                    Some(call) if self.calls.contains_key(&call.id) => {
                        found.push(Diagnostic {
                            kind: DiagnosticKind::DuplicateCall,
                            line: entry.line,
                            message: format!("call {} was made before; the first one counts", call.id),
                        });
                        continue;
                    }
                    Some(call) => {
                        self.calls.insert(call.id.clone(), at);
                        Part::Exchange(Exchange::pending(call))
                    }
                    None => Part::Block(Block::from_raw(raw)),
                }
            } else {
                Part::Block(Block::from_raw(raw))
            };
            if let Some(Item::Response(response)) = self.items.get_mut(at) {
                response.parts.push(part);
            }
        }
    }

    /// The response this line belongs to: lines with one `message.id` are one response (P7).
    fn response_at(&mut self, entry: &Entry, response_id: Option<&str>) -> usize {
        let id = entry.id.clone().unwrap_or_else(|| line_id(entry.line));
        let stop =
            entry.message_member("stop_reason").and_then(|stop| stop.as_str()).map(|stop| stop_reason(&stop));
        if let Some(&at) = response_id.and_then(|id| self.responses.get(id)) {
            if let Some(records) = self.records.get_mut(at) {
                records.push(id);
            }
            if let (Some(stop), Some(Item::Response(response))) = (stop, self.items.get_mut(at)) {
                response.stop = stop;
            }
            return at;
        }
        let at = self.items.len();
        if let Some(response_id) = response_id {
            self.responses.insert(response_id.to_owned(), at);
        }
        self.records.push(alloc::vec![id.clone()]);
        let response = response_id.map(ResponseId::from);
        self.items.push(Item::Response(Response {
            id,
            response,
            parts: Vec::new(),
            stop: stop.unwrap_or_default(),
        }));
        at
    }

    fn exchange(&mut self, call: &CallId) -> Option<&mut Exchange> {
        let at = *self.calls.get(call)?;
        match self.items.get_mut(at)? {
            Item::Response(response) => response.exchanges_mut().find(|exchange| exchange.call.id == *call),
            Item::User(_) => None,
        }
    }

    fn result(&mut self, call: CallId, result: ToolResult, line: u64, found: &mut Vec<Diagnostic>) {
        match self.exchange(&call) {
            Some(exchange) if exchange.is_pending() => exchange.state = ExchangeState::Complete(result),
            Some(_) => found.push(Diagnostic {
                kind: DiagnosticKind::DuplicateResult,
                line,
                message: format!("call {call} was answered before; the first result counts"),
            }),
            None => self.early.push((call, result, line)),
        }
    }

    /// Applies a micro boundary: the named results are cleared, now and for ever (K6).
    fn clear(&mut self, entry: &Entry) {
        let Some(meta) = entry.member("microcompactMetadata") else { return };
        let placeholder = meta.get("placeholder").and_then(|text| text.as_str());
        let placeholder = placeholder.map_or_else(|| super::CLEARED.to_string(), Cow::into_owned);
        let Some(ids) = meta.get("compactedToolIds") else { return };
        for id in ids.elements().filter_map(|id| id.as_str()) {
            self.rewrite(&CallId::from(id.as_ref()), ResultForm::Cleared, &placeholder);
        }
    }

    /// Applies a replacement: the result's preview stands in its place, byte for byte as it was decided.
    fn replace(&mut self, entry: &Entry) {
        let Some(meta) = entry.member("replacement") else { return };
        let text = |name: &str| Some(meta.get(name)?.as_str()?.into_owned());
        let Some(words) = text("text") else { return };
        if let Some(call) = text("toolUseId") {
            let cut = text("form").as_deref() == Some("cut");
            let form = if cut { ResultForm::Cut } else { ResultForm::Spilled };
            self.rewrite(&CallId::from(call.as_str()), form, &words);
        } else if let Some(id) = text("messageUuid") {
            let message = self.items.iter_mut().find(|item| item.id().as_str() == id);
            if let Some(Item::User(message)) = message {
                *message = message.shortened(&words);
            }
        }
    }

    fn rewrite(&mut self, call: &CallId, form: ResultForm, text: &str) {
        if let Some(exchange) = self.exchange(call)
            && let Some(result) = exchange.result()
        {
            let replaced = result.replaced(form, text);
            exchange.replace_result(replaced);
        }
    }

    /// Attaches early results, closes what is still open, drops what is empty.
    fn finish(&mut self, newest: bool, session: &mut Session) {
        for (call, result, line) in core::mem::take(&mut self.early) {
            match self.exchange(&call) {
                Some(_) => self.result(call, result, line, &mut session.diagnostics),
                None => session.diagnostics.push(orphan(
                    line,
                    &format!(
                        "the call {call} of a result is not in the conversation; the result is left out"
                    ),
                )),
            }
        }
        for item in &mut self.items {
            let Item::Response(response) = item else { continue };
            for exchange in response.exchanges_mut().filter(|exchange| exchange.is_pending()) {
                exchange.close(INTERRUPTED);
                session.diagnostics.push(Diagnostic {
                    kind: DiagnosticKind::UnansweredCall,
                    line: 0,
                    message: format!(
                        "call {} ({}) was never answered; a marked error stands for its result",
                        exchange.call.id, exchange.call.name
                    ),
                });
                if newest {
                    session.repaired.push(exchange.call.id.clone());
                }
            }
        }
    }
}

fn no_message(entry: &Entry, found: &mut Vec<Diagnostic>) {
    found.push(Diagnostic {
        kind: DiagnosticKind::NoMessage,
        line: entry.line,
        message: format!(
            "a record of type {} holds no message that can be read; it is left out",
            entry.type_name
        ),
    });
}

fn orphan(line: u64, message: &str) -> Diagnostic {
    Diagnostic { kind: DiagnosticKind::OrphanResult, line, message: message.to_string() }
}

/// An id for a record that has none, stable for the same file.
fn line_id(line: u64) -> MessageId {
    MessageId::new(format!("line-{line}"))
}

fn is_reminder(blocks: &[Block]) -> bool {
    blocks
        .iter()
        .all(|block| block.words().is_some_and(|words| words.trim_start().starts_with("<system-reminder>")))
}

fn stop_reason(text: &str) -> StopReason {
    match text {
        "tool_use" => StopReason::ToolUse,
        "max_tokens" => StopReason::MaxTokens,
        "pause_turn" => StopReason::PauseTurn,
        "refusal" => StopReason::Refusal,
        "model_context_window_exceeded" => StopReason::ContextExceeded,
        _ => StopReason::EndTurn,
    }
}
