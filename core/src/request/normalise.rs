//! Items to messages that a provider accepts.
//!
//! ```text
//!  User    ─┐                                   ┌ user:      text, text
//!  User    ─┴─ neighbours share one message ──▶ ├ assistant: thinking, text, call a, call b
//!  Response ── calls, then all their results ─▶ └ user:      result a, result b, (next user text …)
//! ```
//!
//! What is already valid goes through byte for byte; the same items always give the same bytes (P9, K4).

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::wire::{Role, WireMessage};
use crate::message::{Block, CallId, Item, Part, RawJson, Response, StopReason};

/// Opens a conversation that would begin with the model.
pub const OPENING: &str = "[The conversation begins in mid-session.]";
/// Stands between two answers of the model that nothing separates.
pub const CONTINUE: &str = "[Continue.]";

/// Messages in order, roles alternating, the first a user's.
///
/// # Errors
/// The call that is still in flight: a request cannot be made before its result is there (P4).
pub fn normalise(items: &[Arc<Item>]) -> Result<Vec<WireMessage>, CallId> {
    let mut out = Messages::default();
    for item in items {
        match item.as_ref() {
            Item::User(message) => {
                let blocks = message.blocks.iter().filter(|block| !block.is_empty());
                out.add(Role::User, blocks.map(|block| block.raw().clone()));
            }
            Item::Response(response) => out.response(response)?,
        }
    }
    Ok(out.messages)
}

/// A call that names no id or tool: nothing can answer it, so it stays in the record only.
fn is_half_call(block: &Block) -> bool {
    block.raw().json().get("type").is_some_and(|kind| kind.is_str("tool_use"))
}

#[derive(Default)]
struct Messages {
    messages: Vec<WireMessage>,
    /// True when the newest assistant message was paused and may be followed by another.
    paused: bool,
}

impl Messages {
    fn response(&mut self, response: &Response) -> Result<(), CallId> {
        let (mut said, mut results) = (Vec::new(), Vec::new());
        for part in &response.parts {
            match part {
                Part::Block(block) if block.is_empty() || is_half_call(block) => {}
                Part::Block(block) => said.push(block.raw().clone()),
                Part::Exchange(exchange) => {
                    let result = exchange.result().ok_or_else(|| exchange.call.id.clone())?;
                    said.push(exchange.call.raw().clone());
                    results.push(result.raw().clone());
                }
            }
        }
        // Thinking at the end was cut off before what it led to; alone it is no answer. Providers refuse both.
        while said.last().is_some_and(|block| Block::from_raw(block.clone()).is_thinking()) {
            said.pop();
        }
        if said.is_empty() {
            return Ok(());
        }
        match self.messages.last().map(|message| message.role) {
            None => self.add(Role::User, [Block::text(OPENING).raw().clone()].into_iter()),
            Some(Role::Assistant) if !self.paused => {
                self.add(Role::User, [Block::text(CONTINUE).raw().clone()].into_iter());
            }
            Some(_) => {}
        }
        // Two responses are never merged into one message (P7).
        self.messages.push(WireMessage { role: Role::Assistant, blocks: said });
        self.paused = response.stop == StopReason::PauseTurn && results.is_empty();
        self.add(Role::User, results.into_iter());
        Ok(())
    }

    /// Adds blocks to the newest message of this role, or opens one. No blocks, no message.
    fn add(&mut self, role: Role, blocks: impl Iterator<Item = RawJson>) {
        let blocks: Vec<RawJson> = blocks.collect();
        if blocks.is_empty() {
            return;
        }
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.blocks.extend(blocks),
            _ => self.messages.push(WireMessage { role, blocks }),
        }
    }
}
