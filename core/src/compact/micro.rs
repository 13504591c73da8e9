//! Tier 1: old results of re-runnable tools become one line. No model, nothing lost that cannot be had again.
//!
//! ```text
//!  view ─ which results could go ─▶ candidates ─ does the mode say so? ─▶ Clearing { calls, freed, reason }
//! ```
//!
//! Rewriting an old result breaks the prompt cache from there on: everything behind it is written anew at the
//! write price, once, while what is freed saves the read price on every later call. `when_it_pays` weighs the two.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::message::{CallId, Exchange, ExchangeState, Item, ResultForm, text};
use crate::request::{View, result_cost};
use crate::tokens::Factor;
use crate::unit::{Millis, Tokens};
use crate::window::{MicroMode, Policy};

/// What the tier would clear, and why now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clearing {
    /// Where each result is: the item's index and the call.
    pub calls: Vec<(usize, CallId)>,
    /// What that frees, calibrated.
    pub freed: Tokens,
    /// Why now, with the numbers.
    pub reason: String,
}

/// What the decision rests on.
#[derive(Debug, Clone, Copy)]
pub struct Situation {
    /// The calibration in force.
    pub factor: Factor,
    /// What the next request would cost.
    pub total: Tokens,
    /// The auto line.
    pub auto: Option<Tokens>,
    /// How long ago the last call was; `None` when there was none.
    pub idle: Option<Millis>,
}

struct Candidate {
    at: usize,
    call: CallId,
    freed: Tokens,
}

/// The plan for a view, or `None` when the mode says to leave it. Nothing is changed here.
pub fn plan(view: &View, policy: &Policy, now: Situation) -> Option<Clearing> {
    if now.total < policy.micro.from.of(policy.window) {
        return None;
    }
    let clearing = match policy.micro.mode {
        MicroMode::Off | MicroMode::Provider => return None,
        MicroMode::ProtectNewest { tool_tokens, user_turns, .. } => {
            let tool_tokens = tool_tokens.of(policy.window);
            beyond(candidates(view, policy, now.factor), view, now.factor, tool_tokens, user_turns)
        }
        _ => candidates(view, policy, now.factor),
    };
    let freed: Tokens = clearing.iter().map(|candidate| candidate.freed).sum();
    let first = clearing.first()?.at;
    let reason = reason(view, policy, now, freed, first)?;
    let calls = clearing.into_iter().map(|candidate| (candidate.at, candidate.call)).collect();
    Some(Clearing { calls, freed, reason })
}

/// Clears what a plan names: only content changes; count, order, ids and error flags stay (C7).
pub fn apply(view: &mut View, clearing: &Clearing, placeholder: &str) {
    for (at, call) in &clearing.calls {
        view.edit(*at, |item| {
            let Item::Response(response) = item else { return };
            for exchange in response.exchanges_mut().filter(|exchange| exchange.call.id == *call) {
                if let Some(result) = exchange.result() {
                    let cleared = result.replaced(ResultForm::Cleared, placeholder);
                    exchange.replace_result(cleared);
                }
            }
        });
    }
}

/// All results that may be cleared, oldest first, without the newest `keep_last` (results are counted, not
/// messages).
fn candidates(view: &View, policy: &Policy, factor: Factor) -> Vec<Candidate> {
    let placeholder = view.estimator().text(&policy.micro.placeholder);
    let (mut kept, mut kept_errors) = (0, 0);
    // The model has not read the results of the newest round yet.
    let unread = view.entries().iter().rposition(|entry| entry.item.as_response().is_some()).unwrap_or(0);
    let mut found = Vec::new();
    for (at, entry) in view.entries().iter().enumerate().rev() {
        let Item::Response(response) = entry.item.as_ref() else { continue };
        let exchanges: Vec<&Exchange> = response.exchanges().collect();
        for exchange in exchanges.into_iter().rev() {
            let ExchangeState::Complete(result) = &exchange.state else { continue };
            if !policy.micro.clears(&exchange.call.name) {
                continue;
            }
            if result.is_error && kept_errors < policy.micro.keep_errors {
                kept_errors += 1;
                continue;
            }
            if kept < policy.micro.keep_last || at >= unread {
                kept += 1;
                continue;
            }
            if result.form == ResultForm::Original
                && text::exceeds_chars(&result.words(), policy.micro.min_chars)
            {
                let cost = result_cost(result, view.estimator());
                let freed = factor.apply(cost) - factor.apply(placeholder);
                found.push(Candidate { at, call: exchange.call.id.clone(), freed });
            }
        }
    }
    found.retain(|candidate| !candidate.freed.is_zero());
    found.reverse();
    found
}

/// Of the candidates those beyond the newest `tool_tokens` and `user_turns`.
fn beyond(
    candidates: Vec<Candidate>,
    view: &View,
    factor: Factor,
    tool_tokens: Tokens,
    user_turns: usize,
) -> Vec<Candidate> {
    let turns =
        view.entries().iter().enumerate().filter(|(_, entry)| entry.item.is_human()).map(|(at, _)| at);
    let newest: Vec<usize> = turns.collect();
    let protected = newest.len().checked_sub(user_turns).and_then(|at| newest.get(at)).copied().unwrap_or(0);
    let mut spent = Tokens::ZERO;
    let mut border = view.len();
    for (at, entry) in view.entries().iter().enumerate().rev() {
        spent += factor.apply(entry.cost.get(crate::tokens::Category::ToolResults));
        if spent > tool_tokens {
            break;
        }
        border = at;
    }
    candidates.into_iter().filter(|candidate| candidate.at < border && candidate.at < protected).collect()
}

/// Why to act now, or `None`.
fn reason(view: &View, policy: &Policy, now: Situation, freed: Tokens, first: usize) -> Option<String> {
    match policy.micro.mode {
        MicroMode::EveryRound => Some(format!("every round: {freed} freed")),
        MicroMode::ProtectNewest { min_freed, .. } => {
            let least = min_freed.of(policy.window);
            (freed >= least).then(|| format!("{freed} can be freed (at least {} are wanted)", least.get()))
        }
        MicroMode::WhenCold { idle } => now
            .idle
            .filter(|&quiet| quiet >= idle)
            .map(|quiet| format!("the cache is cold: no call for {} minutes", quiet.get() / 60_000)),
        MicroMode::WhenItPays => {
            let expected_calls = policy.micro.expected_calls;
            let least = policy.micro.min_freed.of(policy.window);
            if freed < least {
                return None;
            }
            if let Some(auto) = now.auto.filter(|&auto| now.total > auto) {
                return Some(format!("{} > {}: cheaper than a summary", now.total.get(), auto.get()));
            }
            let cold = now.idle.is_some_and(|quiet| quiet >= policy.cache.ttl);
            let rewritten =
                if cold { Tokens::ZERO } else { now.factor.apply(view.cost_from(first).total()) - freed };
            let cost = money(rewritten, policy.prices.cache_write.saturating_sub(policy.prices.cache_read));
            let saving = money(freed, policy.prices.cache_read).saturating_mul(u128::from(expected_calls));
            (saving > cost).then(|| {
                let calls = format!("over {expected_calls} calls");
                if cold {
                    format!("the cache is cold, so nothing is lost: {freed} freed")
                } else {
                    format!("{} saved {calls} > {} to write the cache anew", dollars(saving), dollars(cost))
                }
            })
        }
        _ => None,
    }
}

/// Tokens at a price per million, in millionths of a micro-dollar.
fn money(tokens: Tokens, per_million: u64) -> u128 {
    u128::from(tokens.get()) * u128::from(per_million)
}

fn dollars(pico: u128) -> crate::tokens::MicroDollars {
    crate::tokens::MicroDollars(u64::try_from(pico / 1_000_000).unwrap_or(u64::MAX))
}
