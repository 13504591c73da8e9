//! A model's summary of earlier generations, carried on as it stands, within a share of the budget.
//!
//! ```text
//! 1. Primary request …   ████████████               ████████
//! 2. Files and code      █████████████████████  ─▶  ████████ […]     long sections give way to a common
//! 3. Next step           ███                        ███              length, short ones stay whole
//! ```

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::excerpt::{self, excerpt};
use crate::tokens::Estimator;
use crate::unit::{Bytes, Tokens};

/// The summary without the words that engines put around it.
pub(super) fn bare(words: &str) -> &str {
    let words = words.split_once("\nSummary:\n").map_or(words, |(_, rest)| rest).trim();
    // The line that says what a summary stands for.
    let ours = words.strip_prefix("[The earlier part of this session was compacted");
    ours.and_then(|rest| rest.split_once("]\n")).map_or(words, |(_, rest)| rest).trim()
}

/// `whole`, or all its sections cut so that it costs at most `room`.
pub(super) fn cut(whole: &str, room: Tokens, estimator: Estimator) -> String {
    let cost = estimator.text(whole);
    if cost <= room {
        return whole.to_string();
    }
    let parts = sections(whole);
    if parts.len() < 2 {
        return excerpt(whole, room, estimator);
    }
    let bytes = Bytes(whole.len() as u64).scaled(room.get(), cost.get());
    let mut bytes = usize::try_from(bytes.get()).unwrap_or(usize::MAX);
    while bytes > 0 {
        let level = level(&parts, bytes);
        let cut: Vec<String> = parts.iter().map(|part| excerpt::cut_bytes(part, level)).collect();
        let cut = cut.concat();
        if estimator.text(&cut) <= room {
            return cut;
        }
        bytes = bytes * 4 / 5;
    }
    String::new()
}

/// The text in parts, each from a line that begins with a number or `#` to the next.
fn sections(whole: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut at) = (0, 0);
    for line in whole.split_inclusive('\n') {
        let numbered = line.split_once(". ").is_some_and(|(number, _)| number.parse::<u8>().is_ok());
        if at > start && (numbered || line.starts_with('#')) {
            parts.extend(whole.get(start..at));
            start = at;
        }
        at += line.len();
    }
    parts.extend(whole.get(start..));
    parts
}

/// The length to which every longer part is cut, so that all fit into `bytes` together.
fn level(parts: &[&str], bytes: usize) -> usize {
    let mut lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    lengths.sort_unstable();
    let mut left = bytes;
    let mut others = lengths.len();
    for length in lengths {
        if length > left / others {
            break;
        }
        left -= length;
        others -= 1;
        if others == 0 {
            return bytes;
        }
    }
    left / others
}
