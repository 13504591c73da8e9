//! Which records are alive: the chain of parents from the newest message back, across boundaries.
//!
//! ```text
//!  r1 ─ r2 ─ r3 ─ r4      ┊boundary┊      s ─ r5 ─ r6 ◀ newest
//!        └─ r3' (rewound)   parent null, logical parent r4
//!  └──── segment 0 ────┘                └─ segment 1 ─┘
//! ```
//!
//! A link that leads nowhere, a circle or a second root is bridged to the message before it in the file, and
//! said; nothing earlier is silently dropped (T081, T082).

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::diagnostic::{Diagnostic, DiagnosticKind};
use super::entry::{Entry, EntryKind};

/// A stretch of the conversation between two boundaries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Segment {
    /// The boundary that opens it, as an index into the entries; the first segment has none.
    pub boundary: Option<usize>,
    /// Its live entries in file order.
    pub entries: Vec<usize>,
}

/// The live segments, oldest first. With only sidechain records (a subagent's own file) those are followed.
pub(super) fn live_segments(entries: &[Entry], found: &mut Vec<Diagnostic>) -> Vec<Segment> {
    let has_main = entries.iter().any(|entry| entry.is_message() && !entry.sidechain);
    let follow = |entry: &Entry| {
        !(has_main && entry.sidechain && entry.kind != EntryKind::CompactBoundary && !entry.summary)
    };
    let (index, repeats) = index(entries, found);
    let mut walk = Walk { entries, index: &index, seen: repeats, found };
    let mut segments = Vec::new();
    let mut at = entries.iter().rposition(|entry| entry.shapes_view() && follow(entry));
    let mut segment = Segment::default();
    while let Some(here) = at {
        mark(&mut walk.seen, here);
        let Some(entry) = entries.get(here) else { break };
        if entry.kind == EntryKind::CompactBoundary {
            if segment.entries.iter().any(|&at| entries.get(at).is_some_and(|entry| entry.summary)) {
                segment.boundary = Some(here);
                segments.push(core::mem::take(&mut segment));
            } else {
                walk.report(
                    DiagnosticKind::LostSummary,
                    here,
                    "a compact boundary has no summary; the messages before it stay in the conversation",
                );
            }
        } else {
            segment.entries.push(here);
        }
        at = walk.before(here, &follow);
    }
    segments.push(segment);
    segments.reverse();
    for segment in &mut segments {
        segment.entries.reverse();
    }
    add_siblings(entries, &follow, &mut segments);
    segments
}

/// Records by id, and which records only repeat another byte for byte. Of two different records with one id
/// the first is linked to; the other stays and is reached by file order.
fn index<'a>(entries: &'a [Entry], found: &mut Vec<Diagnostic>) -> (BTreeMap<&'a str, usize>, Vec<bool>) {
    let (mut index, mut repeats) = (BTreeMap::new(), alloc::vec![false; entries.len()]);
    for (at, entry) in entries.iter().enumerate() {
        let Some(id) = &entry.id else { continue };
        let Some(first) = index.get(id.as_str()).and_then(|&first: &usize| entries.get(first)) else {
            index.insert(id.as_str(), at);
            continue;
        };
        let what = if first.raw == entry.raw {
            mark(&mut repeats, at);
            "repeats it; the first one counts"
        } else {
            "differs; both are kept"
        };
        found.push(Diagnostic {
            kind: DiagnosticKind::DuplicateRecord,
            line: entry.line,
            message: format!("the id {id} stands in line {} already and this record {what}", first.line),
        });
    }
    (index, repeats)
}

struct Walk<'a> {
    entries: &'a [Entry],
    index: &'a BTreeMap<&'a str, usize>,
    /// Records that must not be taken: visited ones and mere repeats.
    seen: Vec<bool>,
    found: &'a mut Vec<Diagnostic>,
}

impl Walk<'_> {
    fn report(&mut self, kind: DiagnosticKind, at: usize, message: &str) {
        let line = self.entries.get(at).map_or(0, |entry| entry.line);
        self.found.push(Diagnostic { kind, line, message: message.to_string() });
    }

    /// The record before `here`, by its link or, where that fails, by file order.
    fn before(&mut self, here: usize, follow: &dyn Fn(&Entry) -> bool) -> Option<usize> {
        let entry = self.entries.get(here)?;
        let boundary = entry.kind == EntryKind::CompactBoundary;
        let link = if boundary { Some(entry.logical_parent.clone()) } else { entry.parent.clone() };
        match link {
            Some(Some(parent)) => match self.index.get(parent.as_str()).copied() {
                Some(at) if !is_marked(&self.seen, at) => Some(at),
                Some(_) => {
                    let bridge = self.bridge(here, follow);
                    self.report(
                        DiagnosticKind::Cycle,
                        here,
                        "its parents run in a circle; the message before it in the file is taken",
                    );
                    bridge
                }
                None => {
                    let bridge = self.bridge(here, follow);
                    let what = if bridge.is_some() {
                        format!(
                            "its parent {parent} is not in the file; the message before it in the file is taken"
                        )
                    } else {
                        format!("its parent {parent} is not in the file, which begins in mid-session here")
                    };
                    self.report(DiagnosticKind::BrokenLink, here, &what);
                    bridge
                }
            },
            Some(None) => {
                let bridge = self.bridge(here, follow);
                if bridge.is_some() && !boundary {
                    self.report(
                        DiagnosticKind::NewRoot,
                        here,
                        "begins a thread of its own; it is shown after the message before it in the file",
                    );
                }
                bridge
            }
            // A record without the member at all comes from a writer that keeps no links: file order is the order.
            None => self.bridge(here, follow),
        }
    }

    /// The nearest message or boundary before `here` in the file that was not visited.
    fn bridge(&self, here: usize, follow: &dyn Fn(&Entry) -> bool) -> Option<usize> {
        let earlier = self.entries.get(..here)?;
        earlier.iter().enumerate().rev().find_map(|(at, entry)| {
            let wanted = (entry.is_message() && follow(entry)) || entry.kind == EntryKind::CompactBoundary;
            (wanted && !is_marked(&self.seen, at)).then_some(at)
        })
    }
}

/// Parallel calls are written as siblings: adds the other lines of live responses and the results of live calls,
/// which the chain of parents alone would leave out (T001, T092).
fn add_siblings(entries: &[Entry], follow: &dyn Fn(&Entry) -> bool, segments: &mut [Segment]) {
    let mut live = alloc::vec![false; entries.len()];
    let mut responses: BTreeMap<String, usize> = BTreeMap::new();
    for (number, segment) in segments.iter().enumerate() {
        for &at in &segment.entries {
            mark(&mut live, at);
            if let Some(id) = entries
                .get(at)
                .filter(|entry| entry.kind == EntryKind::Assistant)
                .and_then(Entry::response_id)
            {
                responses.insert(id, number);
            }
        }
    }
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|(at, _)| is_marked(&live, *at)) {
        if let Some(id) = &entry.id {
            ids.insert(id.as_str(), at);
        }
    }
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate() {
        if entry.kind != EntryKind::Assistant || !follow(entry) {
            continue;
        }
        let Some(&number) = entry.response_id().and_then(|id| responses.get(&id)) else { continue };
        if !is_marked(&live, at) && entry.id.as_ref().is_none_or(|id| ids.insert(id.as_str(), at).is_none()) {
            mark(&mut live, at);
            push(segments, number, at);
        }
        for call in block_members(entry, "tool_use", "id") {
            calls.insert(call, number);
        }
    }
    for (at, entry) in entries.iter().enumerate() {
        if entry.kind != EntryKind::User || is_marked(&live, at) || !follow(entry) {
            continue;
        }
        let answers = block_members(entry, "tool_result", "tool_use_id");
        let Some(&number) = answers.iter().find_map(|call| calls.get(call)) else { continue };
        if entry.id.as_ref().is_none_or(|id| ids.insert(id.as_str(), at).is_none()) {
            push(segments, number, at);
        }
    }
    for segment in segments {
        segment.entries.sort_unstable();
    }
}

fn mark(marks: &mut [bool], at: usize) {
    if let Some(mark) = marks.get_mut(at) {
        *mark = true;
    }
}

fn is_marked(marks: &[bool], at: usize) -> bool {
    marks.get(at).copied().unwrap_or(false)
}

fn push(segments: &mut [Segment], number: usize, at: usize) {
    if let Some(segment) = segments.get_mut(number) {
        segment.entries.push(at);
    }
}

/// The string member `name` of every content block of type `kind`.
fn block_members(entry: &Entry, kind: &str, name: &str) -> Vec<String> {
    let Some(content) = entry.message_member("content") else { return Vec::new() };
    let named = content.elements().filter(|block| block.get("type").is_some_and(|value| value.is_str(kind)));
    named.filter_map(|block| Some(block.get(name)?.as_str()?.as_ref().to_owned())).collect()
}
