//! A summary made without any model, from the messages themselves.
//!
//! ```text
//!  items ──▶ Facts ──────────────▶ Sections ──────────▶ text within the budget
//!            requests, files,      entries, each with   shares first, then what is
//!            errors, tasks, work   its rank             left, by rank; cuts say so
//!               ▲                                                │
//!               └── an earlier structural summary is read back ◀─┘
//! ```
//!
//! It stands in when no model answers (C3), so it needs nothing but the items, always succeeds, and never costs
//! more than its budget (M8). What it says is quoted or counted, never guessed: it has no section for what only a
//! model could tell. It reads its own text back, so the tenth generation still holds what the first one said, once.
//!
//! Only what a person wrote is quoted as the user's words; attachments, skill bodies and the host's words never
//! enter (S5).

mod allot;
mod collect;
mod errors;
mod excerpt;
mod files;
mod form;
mod model;
mod requests;
mod shell;
mod tasks;

use alloc::string::String;

use crate::request::Counted;
use crate::tokens::Estimator;
use crate::unit::Tokens;

/// A summary of `items`, oldest first, that costs at most `budget` by `estimator`; never empty.
///
/// Earlier summaries among the items are merged in: the facts of a structural one are taken over, a model's words
/// are kept up to a share of the budget. The same items always give the same text.
///
/// A budget below 50 tokens may not hold a heading and a line; then a single short sentence is returned.
pub fn structural_summary(items: &[&Counted], budget: Tokens, estimator: Estimator) -> String {
    let mut facts = collect::Facts::default();
    for entry in items {
        facts.add(&entry.item);
    }
    allot::within(facts.into_sections(), budget, estimator)
}

#[cfg(test)]
mod tests;
