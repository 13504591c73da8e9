//! Where to cut: what a summary will stand for, and what stays word for word.
//!
//! ```text
//!  old summary, turn 1, turn 2, … │ newest turns          the tail starts at a user's turn
//!  ───────── summarised ───────── │ ─── kept ───
//!
//!  … │ request │ round 1 … round 7 │ round 8, round 9     the live turn alone is too long:
//!  ──┘ pinned  └─── summarised ────┘ ─── kept ───         summary, live request, newest rounds
//! ```
//!
//! Items are the units: a response with all its calls and results goes or stays (P5).

use alloc::vec::Vec;

use crate::message::{Item, MessageId, Origin, Part};
use crate::request::{Counted, View};
use crate::tokens::Factor;
use crate::unit::Tokens;
use crate::window::TailBudget;

/// What of the newest part is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// Everything.
    All,
    /// The user's own messages.
    Requests,
}

/// A decision about every item of a view: the indices that stay word for word, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    kept: Vec<usize>,
}

impl Cut {
    /// True when the item at `at` stays.
    pub fn keeps(&self, at: usize) -> bool {
        self.kept.binary_search(&at).is_ok()
    }

    /// The entries that a summary would stand for, oldest first.
    pub fn older<'a>(&self, view: &'a View) -> Vec<&'a Counted> {
        self.pick(view, false)
    }

    /// The entries that stay, oldest first.
    pub fn kept<'a>(&self, view: &'a View) -> Vec<&'a Counted> {
        self.pick(view, true)
    }

    /// The first and last item of each unbroken stretch that stays.
    pub fn stretches(&self, view: &View) -> Vec<(MessageId, MessageId)> {
        let id = |at: usize| view.entries().get(at).map(|entry| entry.item.id().clone());
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for &at in &self.kept {
            match runs.last_mut() {
                Some((_, last)) if *last + 1 == at => *last = at,
                _ => runs.push((at, at)),
            }
        }
        runs.into_iter().filter_map(|(first, last)| id(first).zip(id(last))).collect()
    }

    fn pick<'a>(&self, view: &'a View, keep: bool) -> Vec<&'a Counted> {
        let entries = view.entries().iter().enumerate();
        entries.filter(|(at, _)| self.keeps(*at) == keep).map(|(_, entry)| entry).collect()
    }
}

/// The cut for a view, or `None` when nothing but an old summary would be summarised.
///
/// Costs are calibrated by `factor`. When even `limits` leave nothing to summarise, the tail is halved until
/// something is found: a tail is worth nothing if it is what overflows.
pub fn choose(view: &View, mut limits: TailBudget, which: Keep, factor: Factor) -> Option<Cut> {
    loop {
        let cut = Cut { kept: kept_within(view, limits, which, factor) };
        if cut.older(view).iter().any(|entry| !is_summary(&entry.item)) {
            return Some(cut);
        }
        if limits.max.is_zero() {
            return None;
        }
        limits.max = if limits.max > Tokens(256) { limits.max.scaled(1, 2) } else { Tokens::ZERO };
        limits.min = limits.min.min(limits.max);
    }
}

fn kept_within(view: &View, limits: TailBudget, which: Keep, factor: Factor) -> Vec<usize> {
    let live = view.live_request();
    if which == Keep::Requests {
        return newest_requests(view, limits.max, factor);
    }
    let (pinned, tail) = tail_within(view, live, limits, factor);
    pinned.into_iter().chain(tail..view.len()).collect()
}

/// The user's own messages, newest first while they fit; the live request always.
fn newest_requests(view: &View, max: Tokens, factor: Factor) -> Vec<usize> {
    let mut spent = Tokens::ZERO;
    let mut kept = Vec::new();
    for (at, entry) in view.entries().iter().enumerate().rev().filter(|(_, entry)| entry.item.is_human()) {
        spent += factor.apply(entry.cost.total());
        if spent > max && !kept.is_empty() {
            break;
        }
        kept.push(at);
    }
    kept.reverse();
    kept
}

/// Where the tail begins, and the live request when that is behind the tail's beginning.
fn tail_within(
    view: &View,
    live: Option<usize>,
    limits: TailBudget,
    factor: Factor,
) -> (Option<usize>, usize) {
    let entries = view.entries();
    let cost = |at: usize| entries.get(at).map_or(Tokens::ZERO, |entry| factor.apply(entry.cost.total()));
    let first = entries.iter().rposition(|entry| is_summary(&entry.item)).map_or(0, |at| at + 1);
    let (mut start, mut spent, mut texts) = (entries.len(), Tokens::ZERO, 0);
    while start > first && (spent < limits.min || texts < limits.text_messages) {
        let next = spent + cost(start - 1);
        if next > limits.max {
            break;
        }
        spent = next;
        start -= 1;
        texts += usize::from(entries.get(start).is_some_and(|entry| has_text(&entry.item)));
    }
    let Some(live) = live.filter(|&live| live < start) else {
        // The live turn fits: begin at the turn `start` lies in if that fits too, else at the next one.
        let turn =
            entries.iter().take(start + 1).rposition(|entry| entry.item.is_human()).filter(|&at| at >= first);
        let fits = |turn: &usize| (*turn..start).map(cost).sum::<Tokens>() + spent <= limits.max;
        let next =
            entries.iter().skip(start).position(|entry| entry.item.is_human()).map(|step| start + step);
        return (None, turn.filter(fits).or(next).unwrap_or_else(|| after_loop_rule(entries, first, start)));
    };
    // The whole turn may fit although it is more than the minimum asks for.
    if live >= first && (live..start).map(cost).sum::<Tokens>() + spent <= limits.max {
        return (None, live);
    }
    (Some(live), after_loop_rule(entries, live + 1, start))
}

/// Thinking stays with the whole loop it opens, or goes with it (P7): inside a loop that thinks, the tail begins
/// at a response that opens with thinking, or holds nothing of the loop.
fn after_loop_rule(entries: &[Counted], loop_start: usize, start: usize) -> usize {
    let thinks = |entry: &Counted| {
        let parts = entry.item.as_response().map(|response| response.parts.as_slice()).unwrap_or_default();
        parts.first().is_some_and(|part| matches!(part, Part::Block(block) if block.is_thinking()))
    };
    if start <= loop_start || !entries.iter().skip(loop_start).any(thinks) {
        return start;
    }
    let found = entries.iter().skip(start).position(thinks);
    found.map_or(entries.len(), |step| start + step)
}

fn is_summary(item: &Item) -> bool {
    item.as_user().is_some_and(|message| message.origin == Origin::Summary)
}

fn has_text(item: &Item) -> bool {
    match item {
        Item::User(message) => !message.words().is_empty(),
        Item::Response(response) => !response.words().is_empty(),
    }
}
