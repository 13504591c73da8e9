//! The last resort: cutting single giants, largest first, until the view fits.
//!
//! Every step shortens one text by what is still too much, so the number of steps is bounded by the number of
//! texts. Nothing is lost: the whole stays in its record, and the cut text says how much is missing.

use alloc::string::String;
use alloc::vec::Vec;

use super::summary::shorten;
use crate::message::{CallId, Item, MessageId, Part, ResultForm};
use crate::request::{View, block_cost, result_cost};
use crate::tokens::{Estimator, Factor};
use crate::unit::{Bytes, Tokens};

/// A text below this many tokens is not worth cutting.
const SMALL: Tokens = Tokens(200);

/// One text that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truncation {
    /// The item it is in.
    pub item: MessageId,
    /// The call whose result it is; `None` for a user message's text.
    pub call: Option<CallId>,
    /// What stands there now.
    pub text: String,
}

enum Giant {
    Result { at: usize, call: CallId, words: String, cost: Tokens },
    Message { at: usize, words: String, cost: Tokens },
}

impl Giant {
    fn cost(&self) -> Tokens {
        match self {
            Self::Result { cost, .. } | Self::Message { cost, .. } => *cost,
        }
    }
}

/// Cuts the largest results, then the largest messages, until the view costs at most `room` (calibrated).
/// Returns what was cut; the view may still be too large when nothing is left to cut.
pub fn truncate(view: &mut View, room: Tokens, factor: Factor) -> Vec<Truncation> {
    let estimator = view.estimator();
    let mut giants = giants(view, estimator);
    let mut done = Vec::new();
    // Results first, since they can be read again; each kind from the largest down.
    let rank = |giant: &Giant| (matches!(giant, Giant::Result { .. }), giant.cost());
    loop {
        let total = factor.apply(view.ledger().total());
        let next = giants.iter().enumerate().max_by_key(|(_, giant)| rank(giant)).map(|(at, _)| at);
        let Some(giant) = next.filter(|_| total > room).map(|at| giants.swap_remove(at)) else { break };
        let excess = total - room;
        let cost = factor.apply(giant.cost());
        let target = (cost - excess).max(SMALL);
        if cost <= target + Tokens(50) {
            continue;
        }
        match giant {
            Giant::Result { at, call, words, .. } => {
                let text = within(&words, cost, target, estimator, factor);
                done.push(Truncation { item: id_of(view, at), call: Some(call.clone()), text: text.clone() });
                view.edit(at, |item| cut_result(item, &call, &text));
            }
            Giant::Message { at, words, .. } => {
                let text = within(&words, cost, target, estimator, factor);
                done.push(Truncation { item: id_of(view, at), call: None, text: text.clone() });
                view.edit(at, |item| {
                    if let Item::User(message) = item {
                        *message = message.shortened(&text);
                    }
                });
            }
        }
    }
    done
}

fn id_of(view: &View, at: usize) -> MessageId {
    view.entries().get(at).map_or_else(|| MessageId::from(""), |entry| entry.item.id().clone())
}

/// A head and tail of `words` that cost at most `target`; halves the guess until it is so.
fn within(words: &str, cost: Tokens, target: Tokens, estimator: Estimator, factor: Factor) -> String {
    let mut bytes = Bytes(words.len() as u64).scaled(target.get(), cost.get().max(1));
    loop {
        let text = shorten(words, usize::try_from(bytes.get()).unwrap_or(usize::MAX));
        if factor.apply(estimator.text(&text)) <= target || bytes.get() < 64 {
            return text;
        }
        bytes = bytes.scaled(4, 5);
    }
}

fn cut_result(item: &mut Item, call: &CallId, text: &str) {
    let Item::Response(response) = item else { return };
    for exchange in response.exchanges_mut().filter(|exchange| exchange.call.id == *call) {
        if let Some(result) = exchange.result() {
            let cut = result.replaced(ResultForm::Cut, text);
            exchange.replace_result(cut);
        }
    }
}

fn giants(view: &View, estimator: Estimator) -> Vec<Giant> {
    let mut giants = Vec::new();
    for (at, entry) in view.entries().iter().enumerate() {
        match entry.item.as_ref() {
            Item::User(message) => {
                let cost: Tokens = message.blocks.iter().map(|block| block_cost(block, estimator)).sum();
                if cost > SMALL {
                    giants.push(Giant::Message { at, words: message.words(), cost });
                }
            }
            Item::Response(response) => {
                for part in &response.parts {
                    let Part::Exchange(exchange) = part else { continue };
                    let Some(result) = exchange.result() else { continue };
                    let cost = result_cost(result, estimator);
                    if cost > SMALL {
                        let words = result.words().into_owned();
                        giants.push(Giant::Result { at, call: exchange.call.id.clone(), words, cost });
                    }
                }
            }
        }
    }
    giants
}
