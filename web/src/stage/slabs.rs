//! What the bar is built of: one slab an item, tiny neighbours put together so that the picture stays legible.
//!
//! ```text
//!  system │ tools │ item │ item │ 37 small items │ item │ …      shares of one scale
//! ```

use palimpsest_core::inspect::{ItemRow, ItemState, WindowReport};
use palimpsest_core::tokens::{Category, Ledger};
use palimpsest_core::unit::Tokens;

use crate::format::counted;

/// A slab under this share of the bar, in percent, joins its neighbours: about two and a half pixels.
const TINY: f64 = 0.4;
/// What a provider counted and no record shows.
pub(crate) const UNSEEN: &str = "@unseen";

/// A piece of the bar.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Slab {
    /// Its name from frame to frame, and what picking it picks.
    pub key: String,
    /// For colour.
    pub kind: &'static str,
    /// Its category's name.
    pub kind_label: &'static str,
    /// What it is, in a line.
    pub label: String,
    pub tokens: Tokens,
    pub state: ItemState,
    /// How many items it is made of.
    pub count: usize,
    /// True for what the last step took away: it shrinks to nothing.
    pub gone: bool,
}

/// The slabs of a window, top to bottom. What `before` had and the window no longer has follows the fixed parts,
/// as gone.
pub(crate) fn slabs(report: &WindowReport, before: Option<&WindowReport>, scale: Tokens) -> Vec<Slab> {
    let mut all = prelude(report);
    let fixed = all.len();
    all.extend(merged(&report.items, scale));
    if let Some(before) = before {
        let left =
            merged(&before.items, scale).into_iter().filter(|old| all.iter().all(|new| new.key != old.key));
        let gone: Vec<Slab> = left.map(|slab| Slab { gone: true, ..slab }).collect();
        all.splice(fixed..fixed, gone);
    }
    all
}

/// The parts that are no items: what the ledger holds beyond them.
pub(crate) fn prelude(report: &WindowReport) -> Vec<Slab> {
    let items: Ledger = report.items.iter().fold(Ledger::new(), |sum, item| sum + item.ledger);
    let fixed = report.ledger - items;
    let beyond = |category: Category| matches!(category as usize, 0..=6);
    let mut parts: Vec<Slab> = fixed
        .iter()
        .filter(|(category, tokens)| beyond(*category) && !tokens.is_zero())
        .map(|(category, tokens)| Slab {
            key: format!("@{}", category.key()),
            kind: category.key(),
            kind_label: category.label(),
            label: category.label().to_owned(),
            tokens,
            state: ItemState::Verbatim,
            count: 1,
            gone: false,
        })
        .collect();
    if !report.unseen.is_zero() {
        parts.insert(
            0,
            Slab {
                key: UNSEEN.to_owned(),
                kind: "unseen",
                kind_label: "Not in the file",
                label: "Not in the file: system prompt, tools".to_owned(),
                tokens: report.unseen,
                state: ItemState::Verbatim,
                count: 1,
                gone: false,
            },
        );
    }
    parts
}

fn merged(items: &[ItemRow], scale: Tokens) -> Vec<Slab> {
    let is_tiny = |tokens: Tokens| crate::format::share(tokens, scale) < TINY;
    let mut out: Vec<Slab> = Vec::new();
    let mut largest = Tokens::ZERO;
    for item in items {
        let joins = out
            .last()
            .is_some_and(|last| is_tiny(last.tokens) && is_tiny(item.tokens) && last.state == item.state);
        if let Some(last) = out.last_mut().filter(|_| joins) {
            last.count += 1;
            last.tokens += item.tokens;
            last.label = counted(last.count as u64, "small item");
            if item.tokens > largest {
                largest = item.tokens;
                (last.kind, last.kind_label) = (item.kind.key(), item.kind.label());
            }
        } else {
            largest = item.tokens;
            out.push(Slab {
                key: item.id.clone(),
                kind: item.kind.key(),
                kind_label: item.kind.label(),
                label: item.label.clone(),
                tokens: item.tokens,
                state: item.state,
                count: 1,
                gone: false,
            });
        }
    }
    out
}

/// The state in a word, where there is something to say.
pub(crate) const fn state_label(state: ItemState) -> Option<&'static str> {
    match state {
        ItemState::Spilled => Some("stored aside"),
        ItemState::Cut => Some("cut"),
        ItemState::Cleared => Some("cleared"),
        ItemState::Summary => Some("summary"),
        _ => None,
    }
}

/// The state for style sheets.
pub(crate) const fn state_key(state: ItemState) -> &'static str {
    match state {
        ItemState::Spilled => "spilled",
        ItemState::Cut => "cut",
        ItemState::Cleared => "cleared",
        ItemState::Summary => "summary",
        _ => "verbatim",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palimpsest_core::inspect::{WindowParts, WindowReport};
    use palimpsest_core::message::{Item, MessageId, Origin, UserMessage};
    use palimpsest_core::request::View;
    use palimpsest_core::tokens::{Estimator, Factor, Profile};
    use palimpsest_core::window::Policy;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn report(texts: &[String]) -> WindowReport {
        let items = texts.iter().enumerate().map(|(at, text)| {
            std::sync::Arc::new(Item::User(UserMessage::text(
                MessageId::new(format!("u{at}")),
                Origin::Human,
                text,
            )))
        });
        let mut prelude = Ledger::new();
        prelude.add(Category::System, Tokens(500));
        WindowReport::of(&WindowParts {
            model: "m",
            thresholds: Policy::default().thresholds(),
            prelude,
            view: &View::of(items, Estimator::new(Profile::Claude)),
            factor: Factor::ONE,
            unseen: Tokens::ZERO,
        })
    }

    #[wasm_bindgen_test]
    fn tiny_neighbours_are_one_slab_and_nothing_is_lost() {
        let mut texts: Vec<String> = (0..2_000).map(|at| format!("small message {at}")).collect();
        texts.insert(1_000, "a long one ".repeat(4_000));
        let report = report(&texts);
        let slabs = slabs(&report, None, report.window);
        assert!(slabs.len() < 400, "{}", slabs.len());
        assert_eq!(slabs.iter().map(|slab| slab.count).sum::<usize>(), 2_002);
        let items: Tokens = report.items.iter().map(|item| item.tokens).sum();
        assert_eq!(slabs.iter().map(|slab| slab.tokens).sum::<Tokens>(), items + Tokens(500));
        assert!(slabs.iter().all(|slab| slab.count > 1 || slab.tokens >= Tokens(500) || slab.key == "u2000"));
    }

    #[wasm_bindgen_test]
    fn what_went_is_shown_as_gone() {
        let two = report(&["word ".repeat(900), "text ".repeat(900)]);
        let one = report(&["word ".repeat(900)]);
        let slabs = slabs(&one, Some(&two), one.window);
        let gone: Vec<_> = slabs.iter().map(|slab| (slab.key.as_str(), slab.gone)).collect();
        assert_eq!(gone, [("@system", false), ("u1", true), ("u0", false)]);
    }
}
