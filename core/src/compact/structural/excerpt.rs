//! Cutting a text so that its words stay its own: whole characters, and a mark for what is missing.
//!
//! ```text
//! Add a cache to the … [… 812 characters left out …] Never touch the schema. [… 90 characters left out …]
//! ──── the head ────                                 ─ a sentence that forbids ─
//! ```

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::requests::is_constraint;
use crate::message::text;
use crate::tokens::Estimator;
use crate::unit::{Bytes, Tokens};

/// The byte range of a part of a text.
type Span = (usize, usize);

const MARK_HEAD: &str = "[… ";
const MARK_TAIL: &str = " characters left out …]";
/// Bytes of a mark with its number and the blanks around it.
const MARK_BYTES: usize = 40;

/// Bytes below which an excerpt would be little but its mark.
const LEAST: usize = 16;

/// `whole`, or an excerpt of it that costs at most `room`: its head, and of the rest the sentences that forbid
/// or correct something. Empty when not even a few characters fit.
pub(super) fn excerpt(whole: &str, room: Tokens, estimator: Estimator) -> String {
    let cost = estimator.text(whole);
    if cost <= room {
        return whole.to_string();
    }
    let constraints = constraints(whole);
    let bytes = Bytes(whole.len() as u64).scaled(room.get(), cost.get());
    let mut bytes = usize::try_from(bytes.get()).unwrap_or(usize::MAX);
    while bytes >= LEAST {
        let cut = within_bytes(whole, &constraints, bytes);
        if estimator.text(&cut) <= room {
            return cut;
        }
        bytes = bytes * 4 / 5;
    }
    String::new()
}

/// An excerpt of about `max` bytes; below the size of a mark only a head. The constraints get at most half.
fn within_bytes(whole: &str, constraints: &[Span], max: usize) -> String {
    let room = max.saturating_sub(MARK_BYTES);
    if room < MARK_BYTES {
        return join(whole, &[(0, head_end(whole, max / 2))]);
    }
    let (mut kept, mut spent) = (Vec::new(), 0);
    for &(start, end) in constraints.iter().filter(|&&(_, end)| end > room) {
        let cost = end - start + MARK_BYTES;
        if spent + cost <= room / 2 {
            spent += cost;
            kept.push((start, end));
        }
    }
    let mut spans = alloc::vec![(0, head_end(whole, room - spent))];
    spans.extend(kept);
    join(whole, &spans)
}

/// The end of a head of at most `max` bytes: between words when a blank is near, else between characters.
fn head_end(whole: &str, max: usize) -> usize {
    let head = text::head(whole, max);
    match head.rfind(char::is_whitespace) {
        Some(at) if at > head.len() * 3 / 4 => at,
        _ => head.len(),
    }
}

/// The spans of a text, in order, with marks for what is between and after them.
fn join(whole: &str, spans: &[Span]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for &(start, end) in spans {
        let start = start.max(at);
        if start >= end {
            continue;
        }
        mark(&mut out, whole.get(at..start).unwrap_or_default());
        out.push_str(whole.get(start..end).unwrap_or_default());
        at = end;
    }
    mark(&mut out, whole.get(at..).unwrap_or_default());
    out
}

fn mark(out: &mut String, missing: &str) {
    if missing.trim().is_empty() {
        out.push_str(missing);
        return;
    }
    if !out.is_empty() && !out.ends_with(char::is_whitespace) {
        out.push(' ');
    }
    out.push_str(MARK_HEAD);
    out.push_str(&chars_of(missing).to_string());
    out.push_str(MARK_TAIL);
    // What follows stands apart from the mark as it did from what is missing.
    out.push(if missing.ends_with('\n') { '\n' } else { ' ' });
}

/// How many characters a text stands for: its own, and for a mark in it as many as that counts.
fn chars_of(text: &str) -> usize {
    let mut count = text.chars().count();
    for part in text.split(MARK_HEAD).skip(1) {
        let Some((number, _)) = part.split_once(MARK_TAIL) else { continue };
        let Ok(missing) = number.parse::<usize>() else { continue };
        let mark = MARK_HEAD.chars().count() + number.len() + MARK_TAIL.chars().count();
        count = count.saturating_sub(mark).saturating_add(missing);
    }
    count
}

/// The sentences and lines that forbid or correct something.
fn constraints(whole: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut start = 0;
    let mut chars = whole.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, next)| next);
        let ends = match c {
            '\n' | '。' | '！' | '？' => true,
            '.' | '!' | '?' | ';' => next.is_none_or(char::is_whitespace),
            _ => next.is_none(),
        };
        if ends {
            let words = whole.get(start..at + c.len_utf8()).unwrap_or_default();
            let from = start + (words.len() - words.trim_start().len());
            if is_constraint(words) {
                spans.push((from, from + words.trim().len()));
            }
            start = at + c.len_utf8();
        }
    }
    spans
}

/// The head of a text of at most `max` characters, with a mark for what is missing.
pub(super) fn cut_chars(whole: &str, max: usize) -> String {
    let head = text::head_chars(whole, max);
    if head.len() == whole.len() {
        whole.to_string()
    } else {
        join(whole, &[(0, head_end(whole, head.len()))])
    }
}

/// The head of a text of about `max` bytes with its mark; line ends at the text's end stay.
pub(super) fn cut_bytes(whole: &str, max: usize) -> String {
    if whole.len() <= max {
        return whole.to_string();
    }
    let mut cut = within_bytes(whole.trim_end(), &[], max);
    cut.truncate(cut.trim_end().len());
    cut.push_str(whole.get(whole.trim_end().len()..).unwrap_or_default());
    cut
}
