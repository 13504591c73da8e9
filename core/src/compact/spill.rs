//! A result too large to stay whole goes to an artifact of its own; a preview and the way back stay.
//!
//! ```text
//!  result (102 kB) ─▶ tool-results/bash-toolu_01.txt    (the host stores it)
//!                 └─▶ head … "[98,000 bytes left out; the whole is in tool-results/…]" … tail
//! ```

use alloc::format;
use alloc::string::String;

use super::summary::shorten;
use crate::message::{CallId, ToolResult};
use crate::request::result_cost;
use crate::tokens::{Estimator, Factor};
use crate::unit::Tokens;
use crate::window::Policy;

/// True when a result is over the policy's limits: too many characters, or too large a share of the window.
pub fn is_oversize(result: &ToolResult, policy: &Policy, estimator: Estimator, factor: Factor) -> bool {
    policy.oversize.is_some_and(|rules| {
        let cost = factor.apply(result_cost(result, estimator));
        rules.result.is_exceeded(result.words().chars().count(), cost, policy.window)
    })
}

/// True when the results of one round are too large together, by characters and calibrated cost.
pub fn is_round_oversize(chars: usize, cost: Tokens, policy: &Policy) -> bool {
    policy.oversize.is_some_and(|rules| rules.message.is_exceeded(chars, cost, policy.window))
}

/// The bytes that stay of a text.
fn preview_bytes(policy: &Policy) -> usize {
    let rules = policy.oversize.unwrap_or_default();
    usize::try_from(rules.preview.of(policy.window).get()).unwrap_or(usize::MAX)
}

/// Where the whole goes, below the session's folder. Only letters, digits, `-` and `_` of the names are used, so
/// no id can lead out of the folder (R3).
pub fn path(tool: &str, call: &CallId) -> String {
    let safe = |name: &str, max: usize| -> String {
        let kept = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        kept.take(max).collect()
    };
    format!("tool-results/{}-{}.txt", safe(tool, 40), safe(call.as_str(), 80))
}

/// What stays: head and tail within the policy's preview, and where the whole is.
pub fn preview(words: &str, policy: &Policy, path: &str) -> String {
    let note = format!("[The whole output, {} bytes, is stored in {path}]\n", words.len());
    let max = preview_bytes(policy);
    format!("{note}{}", shorten(words, max.saturating_sub(note.len())))
}

/// What stays when the artifact could not be stored: head and tail, marked as cut (R4).
pub fn inline(words: &str, policy: &Policy) -> String {
    let max = preview_bytes(policy);
    let note = "[The output was too large and could not be stored; this is its head and tail]\n";
    format!("{note}{}", shorten(words, max.saturating_sub(note.len())))
}
