//! The simulated provider's prompt cache, by the rules of the Messages API.
//!
//! ```text
//!  tools ▸ system ▸ block ▸ block ▸ block   each prefix has a name, made of all bytes before it
//!             ▲                ▲       ▲    at a mark: is this prefix, or one of the 20 before it, known?
//!           mark             mark    mark   longest known = read, from there to the last mark = written
//! ```
//!
//! There is no clock here, so nothing ever expires.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::counter;
use crate::message::RawJson;
use crate::request::{CacheMark, Request};
use crate::tokens::Usage;
use crate::unit::Tokens;

/// So many blocks before a mark are looked at.
const LOOK_BACK: usize = 20;
/// Shorter prefixes are not kept, in tokens.
const SHORTEST: u64 = 1_024;

/// The prefixes that were written, by their names.
#[derive(Debug, Clone, Default)]
pub(super) struct Cache {
    known: BTreeSet<u64>,
}

/// One block's prefix: its name, what it costs from the beginning on, and whether a mark stands there.
struct Prefix {
    name: u64,
    tokens: u64,
    marked: bool,
}

impl Cache {
    /// What of this request the cache serves and what goes into it.
    pub(super) fn usage(&mut self, request: &Request) -> Usage {
        let prefixes = prefixes(request);
        let marks: Vec<usize> =
            prefixes.iter().enumerate().filter(|(_, prefix)| prefix.marked).map(|(at, _)| at).collect();
        let served = marks.iter().filter_map(|&mark| self.longest_known(&prefixes, mark)).max().unwrap_or(0);
        let up_to =
            |at: Option<&usize>| at.and_then(|&at| prefixes.get(at)).map_or(0, |prefix| prefix.tokens);
        let marked = Some(up_to(marks.last())).filter(|&tokens| tokens >= SHORTEST).unwrap_or(0);
        for prefix in marks.iter().filter_map(|&at| prefixes.get(at)) {
            if prefix.tokens >= SHORTEST {
                self.known.insert(prefix.name);
            }
        }
        let whole = counter::request(request).get();
        Usage {
            input: Tokens(whole.saturating_sub(marked.max(served))),
            cache_read: Tokens(served),
            cache_write: Tokens(marked.saturating_sub(served)),
            output: Tokens::ZERO,
            reasoning: Tokens::ZERO,
        }
    }

    /// Tokens of the longest known prefix that ends at a mark or up to twenty blocks before it.
    fn longest_known(&self, prefixes: &[Prefix], mark: usize) -> Option<u64> {
        let window = prefixes.get(mark.saturating_sub(LOOK_BACK)..=mark)?;
        window.iter().rev().find(|prefix| self.known.contains(&prefix.name)).map(|prefix| prefix.tokens)
    }
}

/// The prefixes in the order in which a provider reads: tools, system, messages. A model's cache is its own.
fn prefixes(request: &Request) -> Vec<Prefix> {
    let mut name = hashed(0xcbf2_9ce4_8422_2325, &request.model);
    let mut tokens = 0;
    let mut out = Vec::new();
    let mut push = |raw: &RawJson, marked: bool| {
        name = hashed(name, raw.as_str());
        tokens += counter::block(raw);
        out.push(Prefix { name, tokens, marked });
    };
    let system = request.marks.contains(&CacheMark::System);
    for raw in &request.tools {
        push(raw, false);
    }
    for (at, raw) in request.system.iter().enumerate() {
        push(raw, system && at + 1 == request.system.len());
    }
    for (at, message) in request.messages.iter().enumerate() {
        for (index, raw) in message.blocks.iter().enumerate() {
            push(raw, request.marks.contains(&CacheMark::Block { message: at, block: index }));
        }
    }
    out
}

/// FNV-1a, going on from `seed`; a zero byte ends each text, so that no two lists of texts have one name.
pub(super) fn hashed(seed: u64, text: &str) -> u64 {
    text.bytes()
        .chain(core::iter::once(0))
        .fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
