//! System, tools, instructions and view become one request, with cache marks.
//!
//! ```text
//!  system  ┊ tools ┊ instructions ┊ … conversation … ┊ newest
//!        mark 1         mark 2           mark 3        mark 4
//! ```
//!
//! Mark 1 covers tools and system, mark 2 the instructions. Mark 3 stands where the request before ended, so
//! that what was written then is found now even after a round of more than 20 blocks (the providers' look-back);
//! mark 4 is where the next request will find it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::cost::raw_cost;
use super::normalise::normalise;
use super::view::View;
use super::wire::{CacheMark, Request, Role, WireMessage};
use crate::message::{Block, CallId, RawJson};
use crate::tokens::{Category, Estimator, Ledger};
use crate::unit::Tokens;

/// Everything of a request but the conversation. It stays the same bytes from call to call (K5, M3).
#[derive(Debug, Clone, PartialEq)]
pub struct Prelude {
    /// The model's name.
    pub model: String,
    /// The output limit.
    pub max_tokens: Tokens,
    /// System blocks, in order: identity and environment, then the memory index.
    pub system: Vec<RawJson>,
    /// Tool schemas.
    pub tools: Vec<RawJson>,
    /// The instructions' block, wrapped as a reminder; prepended to every call and never stored.
    pub instructions: Option<RawJson>,
    /// The budget for thinking.
    pub thinking: Option<Tokens>,
    /// The raw estimate of all this.
    pub cost: Ledger,
}

impl Prelude {
    /// Counts and wraps the parts. Empty texts are left out.
    pub fn new(parts: &PreludeParts<'_>, estimator: Estimator) -> Self {
        let text = |text: &str| Block::text(text).raw().clone();
        let mut cost = Ledger::new();
        let identity: Vec<RawJson> =
            parts.system.iter().filter(|part| !part.trim().is_empty()).map(|part| text(part)).collect();
        let memory: Vec<RawJson> =
            parts.memory_index.iter().filter(|part| !part.trim().is_empty()).map(|part| text(part)).collect();
        let instructions =
            parts.instructions.filter(|words| !words.trim().is_empty()).map(|words| text(&reminder(words)));
        cost.add(Category::System, raw_cost(&identity, estimator));
        cost.add(Category::Memory, raw_cost(&memory, estimator));
        cost.add(Category::Tools, raw_cost(&parts.tools, estimator));
        cost.add(Category::Instructions, raw_cost(instructions.as_slice(), estimator));
        Self {
            model: parts.model.into(),
            max_tokens: parts.max_tokens,
            system: identity.into_iter().chain(memory).collect(),
            tools: parts.tools.clone(),
            instructions,
            thinking: parts.thinking,
            cost,
        }
    }
}

/// What a prelude is made of.
#[derive(Debug, Clone)]
pub struct PreludeParts<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The output limit.
    pub max_tokens: Tokens,
    /// Identity and environment.
    pub system: Vec<&'a str>,
    /// The memory index file.
    pub memory_index: Option<&'a str>,
    /// The instruction files' text.
    pub instructions: Option<&'a str>,
    /// Tool schemas.
    pub tools: Vec<RawJson>,
    /// The budget for thinking.
    pub thinking: Option<Tokens>,
}

/// Wraps text that the engine attaches. The same tags inside it are defused, so that text from a file can
/// never close the wrapper or forge another (X1).
pub fn reminder(text: &str) -> String {
    format!("<system-reminder>\n{}\n</system-reminder>", defuse(text))
}

/// Makes reminder tags inside foreign text harmless and still readable.
pub fn defuse(text: &str) -> String {
    text.replace("<system-reminder", "<\u{200b}system-reminder")
        .replace("</system-reminder", "</\u{200b}system-reminder")
}

/// Where a request ended: the place of mark 3 in the next one.
pub type End = (usize, usize);

/// Makes the request for a view. `before` is where the request before ended.
///
/// # Errors
/// The call that is still in flight (P4).
pub fn assemble(prelude: &Prelude, view: &View, before: Option<End>) -> Result<Request, CallId> {
    let mut messages = normalise(&view.items())?;
    if let Some(instructions) = &prelude.instructions {
        match messages.first_mut() {
            Some(first) if first.role == Role::User => first.blocks.insert(0, instructions.clone()),
            _ => messages
                .insert(0, WireMessage { role: Role::User, blocks: alloc::vec![instructions.clone()] }),
        }
    }
    let marks = marks(prelude, &messages, before);
    Ok(Request {
        model: prelude.model.clone(),
        max_tokens: prelude.max_tokens,
        system: prelude.system.clone(),
        tools: prelude.tools.clone(),
        messages,
        thinking: prelude.thinking,
        marks,
        estimate: prelude.cost + view.ledger(),
    })
}

/// Where the newest block that can carry a mark is.
pub fn end_of(messages: &[WireMessage]) -> Option<End> {
    let message = messages.len().checked_sub(1)?;
    let block =
        messages.last()?.blocks.iter().rposition(|block| !Block::from_raw(block.clone()).is_thinking())?;
    Some((message, block))
}

fn marks(prelude: &Prelude, messages: &[WireMessage], before: Option<End>) -> Vec<CacheMark> {
    let mut marks = Vec::new();
    if !prelude.system.is_empty() {
        marks.push(CacheMark::System);
    }
    let mut place = |end: Option<End>| {
        let Some((message, block)) = end else { return };
        let there = messages.get(message).and_then(|message| message.blocks.get(block));
        let mark = CacheMark::Block { message, block };
        if there.is_some_and(|block| !Block::from_raw(block.clone()).is_thinking()) && !marks.contains(&mark)
        {
            marks.push(mark);
        }
    };
    place(prelude.instructions.as_ref().map(|_| (0, 0)));
    place(before);
    place(end_of(messages));
    marks
}
