//! The rules a request must keep, checked on what is about to be sent.
//!
//! The check knows nothing of how the request was made: it reads the blocks as a provider would.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use super::wire::{CacheMark, Request, Role, WireMessage};
use crate::message::json::Json;
use crate::message::{Block, RawJson};

/// A rule that a request breaks, with the smallest piece that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Violation {
    /// The rule's code in INVARIANTS: `P1`, `P2`, …
    pub rule: &'static str,
    /// The message's index.
    pub message: usize,
    /// What is wrong, in one line.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} broken in message {}: {}", self.rule, self.message, self.what)
    }
}

impl core::error::Error for Violation {}

/// Checks roles, pairing, order, emptiness, ids and cache marks.
///
/// # Errors
/// The first broken rule.
pub fn check(request: &Request) -> Result<(), Violation> {
    roles(&request.messages)?;
    let mut seen = BTreeSet::new();
    for (at, message) in request.messages.iter().enumerate() {
        let next = request.messages.get(at + 1);
        match message.role {
            Role::Assistant => assistant(at, message, next, &mut seen)?,
            Role::User => user(at, message, at.checked_sub(1).and_then(|at| request.messages.get(at)))?,
        }
    }
    marks(request)
}

fn broken(rule: &'static str, message: usize, what: impl Into<String>) -> Violation {
    Violation { rule, message, what: what.into() }
}

fn roles(messages: &[WireMessage]) -> Result<(), Violation> {
    match messages.first() {
        None => return Err(broken("P8", 0, "the request has no message")),
        Some(first) if first.role != Role::User => {
            return Err(broken("P8", 0, "the first message is not the user's"));
        }
        Some(_) => {}
    }
    for (at, message) in messages.iter().enumerate() {
        if message.blocks.is_empty() {
            return Err(broken("P8", at, "the message has no content"));
        }
        if let Some(block) = message.blocks.iter().find(|block| Block::from_raw((*block).clone()).is_empty())
        {
            return Err(broken("P8", at, format!("an empty text block: {}", block.as_str())));
        }
    }
    for (at, pair) in messages.windows(2).enumerate() {
        // Two answers in a row are only right after a pause, and then the first of them calls nothing.
        if let [first, second] = pair {
            let pause = first.role == Role::Assistant && ids(first, "tool_use", "id").is_empty();
            if first.role == second.role && !pause {
                return Err(broken("P8", at + 1, "the same role twice in a row"));
            }
        }
    }
    Ok(())
}

fn assistant(
    at: usize,
    message: &WireMessage,
    next: Option<&WireMessage>,
    seen: &mut BTreeSet<String>,
) -> Result<(), Violation> {
    let calls = ids(message, "tool_use", "id");
    for call in &calls {
        if !seen.insert(call.clone()) {
            return Err(broken("P8", at, format!("the call id {call} is used twice")));
        }
    }
    let answered =
        next.filter(|next| next.role == Role::User).map(|next| ids(next, "tool_result", "tool_use_id"));
    let answered = answered.unwrap_or_default();
    if let Some(call) = calls.iter().find(|call| !answered.contains(call)) {
        return Err(broken("P2", at, format!("the call {call} has no result in the next message")));
    }
    if message.blocks.last().is_some_and(|block| Block::from_raw(block.clone()).is_thinking()) {
        return Err(broken("P7", at, "the message ends with thinking"));
    }
    Ok(())
}

fn user(at: usize, message: &WireMessage, before: Option<&WireMessage>) -> Result<(), Violation> {
    let results = ids(message, "tool_result", "tool_use_id");
    let calls = before.map(|before| ids(before, "tool_use", "id")).unwrap_or_default();
    let mut answered = BTreeSet::new();
    for result in &results {
        if !calls.contains(result) {
            return Err(broken(
                "P1",
                at,
                format!("a result for {result}, which the message before does not call"),
            ));
        }
        if !answered.insert(result) {
            return Err(broken("P3", at, format!("two results for {result}")));
        }
    }
    let leading = message.blocks.iter().take_while(|block| is_type(block, "tool_result")).count();
    if leading < results.len() {
        return Err(broken("P2", at, "a result stands behind other content"));
    }
    Ok(())
}

fn marks(request: &Request) -> Result<(), Violation> {
    if request.marks.len() > 4 {
        return Err(broken("K4", 0, format!("{} cache marks; four are allowed", request.marks.len())));
    }
    for mark in &request.marks {
        if let CacheMark::Block { message, block } = *mark {
            let target = request.messages.get(message).and_then(|message| message.blocks.get(block));
            if target.is_none_or(|block| Block::from_raw(block.clone()).is_thinking()) {
                return Err(broken("K4", message, "a cache mark on a block that cannot carry one"));
            }
        }
    }
    Ok(())
}

fn is_type(block: &RawJson, kind: &str) -> bool {
    block.json().get("type").is_some_and(|value: Json<'_>| value.is_str(kind))
}

fn ids(message: &WireMessage, kind: &str, name: &str) -> Vec<String> {
    let blocks = message.blocks.iter().filter(|block| is_type(block, kind));
    blocks.filter_map(|block| Some(block.json().get(name)?.as_str()?.to_string())).collect()
}
