//! The budget: which entries go in, and at what length.
//!
//! ```text
//!  1  every section takes its entries, briefly, by rank, up to its share of the budget
//!  2  what is left is shared out again among the sections that still want some, until none can take more
//!  3  what is left after that makes brief entries longer, the user's words first
//! ```
//!
//! Each entry is counted once at each length it is tried at, so the whole costs time in the size of the facts.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::excerpt::excerpt;
use super::form::{self, Name, Section};
use crate::tokens::Estimator;
use crate::unit::Tokens;

/// What a section gets of the budget at first, in thousandths; they sum to 1000.
fn share(name: Name) -> u64 {
    match name {
        Name::Earlier => 160,
        Name::Request => 80,
        Name::Files => 200,
        Name::Errors => 80,
        Name::Solving => 40,
        Name::Messages => 300,
        Name::Tasks | Name::Work => 60,
        Name::Next => 20,
    }
}

/// Who takes first in the last round, and whose entries grow first.
const ORDER: [Name; 9] = [
    Name::Messages,
    Name::Request,
    Name::Files,
    Name::Earlier,
    Name::Work,
    Name::Tasks,
    Name::Errors,
    Name::Solving,
    Name::Next,
];

/// What is said when nothing else fits.
const NOTHING: &str = "(earlier messages left out)";

/// One entry that is in, at the length it has now.
struct Taken {
    /// Its place in the section.
    at: usize,
    text: String,
    cost: Tokens,
}

struct Plan {
    section: Section,
    /// Places of the entries by rank.
    order: Vec<usize>,
    /// How many of `order` were decided on.
    tried: usize,
    taken: Vec<Taken>,
    allowance: Tokens,
    spent: Tokens,
}

struct Allotment {
    plans: Vec<Plan>,
    estimator: Estimator,
    room: Tokens,
    spent: Tokens,
    brief: Tokens,
}

/// The text of these sections within a budget.
pub(super) fn within(sections: Vec<Section>, budget: Tokens, estimator: Estimator) -> String {
    let plans = sections.into_iter().map(|section| {
        let mut order: Vec<usize> = (0..section.entries.len()).collect();
        order.sort_by_key(|&at| section.entries.get(at).map(|entry| entry.rank));
        Plan { section, order, tried: 0, taken: Vec::new(), allowance: Tokens::ZERO, spent: Tokens::ZERO }
    });
    let mut allotment = Allotment {
        plans: plans.collect(),
        estimator,
        // The seams between entries, and the counts in headings, are not in the entries' own costs.
        room: budget - Tokens(budget.get() / 50 + 4),
        spent: Tokens::ZERO,
        brief: Tokens((budget.get() / 24).clamp(24, 400)),
    };
    allotment.share_out();
    allotment.first_entry();
    allotment.lengthen();
    allotment.write(budget)
}

impl Allotment {
    /// Rounds one and two.
    fn share_out(&mut self) {
        loop {
            let left = self.room - self.spent;
            let open: u64 =
                self.plans.iter().filter(|plan| plan.is_open()).map(|plan| share(plan.section.name)).sum();
            let before = self.spent;
            for at in 0..self.plans.len() {
                let Some(plan) = self.plans.get_mut(at).filter(|plan| plan.is_open()) else { continue };
                plan.allowance = plan.spent + left.scaled(share(plan.section.name), open);
                let limit = plan.allowance;
                self.take(at, limit);
            }
            if self.spent == before {
                break;
            }
        }
        // The last of it goes by importance, to whoever has an entry small enough.
        for name in ORDER {
            if let Some(at) = self.plans.iter().position(|plan| plan.section.name == name) {
                let limit =
                    self.plans.get(at).map_or(Tokens::ZERO, |plan| plan.spent) + (self.room - self.spent);
                self.take(at, limit);
            }
        }
    }

    /// Takes entries of a section by rank while it stays within `limit`.
    fn take(&mut self, at: usize, limit: Tokens) {
        let (estimator, brief) = (self.estimator, self.brief);
        let Some(plan) = self.plans.get_mut(at) else { return };
        while let Some(&place) = plan.order.get(plan.tried) {
            let Some(entry) = plan.section.entries.get(place) else { break };
            let text = excerpt(&entry.text, brief, estimator);
            let heading = if plan.taken.is_empty() { heading_cost(plan, estimator) } else { Tokens::ZERO };
            let cost = estimator.text(&form::entry(&text));
            if text.is_empty() || plan.spent + heading + cost > limit {
                break;
            }
            plan.tried += 1;
            plan.spent += heading + cost;
            self.spent += heading + cost;
            plan.taken.push(Taken { at: place, text, cost });
        }
    }

    /// In a very small budget no whole entry fits: then the user's newest words are cut to fit.
    fn first_entry(&mut self) {
        if !self.spent.is_zero() {
            return;
        }
        for name in ORDER {
            let Some(plan) = self.plans.iter_mut().find(|plan| plan.section.name == name) else { continue };
            let Some((place, entry)) =
                plan.order.first().and_then(|&at| Some((at, plan.section.entries.get(at)?)))
            else {
                continue;
            };
            let heading = heading_cost(plan, self.estimator);
            let text = excerpt(&entry.text, self.room - heading - Tokens(4), self.estimator);
            let cost = self.estimator.text(&form::entry(&text));
            if !text.is_empty() && heading + cost <= self.room {
                plan.tried = 1;
                plan.taken.push(Taken { at: place, text, cost });
                self.spent = heading + cost;
                return;
            }
        }
    }

    /// Round three.
    fn lengthen(&mut self) {
        for name in ORDER {
            let Some(plan) = self.plans.iter_mut().find(|plan| plan.section.name == name) else { continue };
            for taken in &mut plan.taken {
                let Some(entry) = plan.section.entries.get(taken.at) else { continue };
                let left = self.room - self.spent;
                if entry.text.len() <= taken.text.len() || left < Tokens(16) {
                    continue;
                }
                let text = excerpt(&entry.text, taken.cost + left - Tokens(8), self.estimator);
                let cost = self.estimator.text(&form::entry(&text));
                if text.len() > taken.text.len() && cost <= taken.cost + left {
                    self.spent = self.spent - taken.cost + cost;
                    *taken = Taken { at: taken.at, text, cost };
                }
            }
        }
    }

    /// The text. Where the seams cost more than was set aside, the least important entries go again.
    fn write(mut self, budget: Tokens) -> String {
        loop {
            let out = self.text();
            let cost = self.estimator.text(&out);
            if cost <= budget && !out.is_empty() {
                return out;
            }
            let mut excess = cost - budget;
            let mut dropped = false;
            for name in ORDER.iter().rev() {
                let Some(plan) = self.plans.iter_mut().find(|plan| plan.section.name == *name) else {
                    continue;
                };
                while !dropped || !excess.is_zero() {
                    let Some(taken) = plan.taken.pop() else { break };
                    excess = excess - taken.cost;
                    dropped = true;
                }
            }
            if !dropped {
                return NOTHING.to_string();
            }
        }
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for plan in &self.plans {
            if plan.taken.is_empty() {
                continue;
            }
            out.push_str(&form::heading(plan.section.name, plan.omitted()));
            let mut taken: Vec<&Taken> = plan.taken.iter().collect();
            taken.sort_by_key(|taken| taken.at);
            for taken in taken {
                out.push_str(&form::entry(&taken.text));
            }
        }
        // Sections of which nothing is in are named while there is room for it.
        let mut spent = self.estimator.text(&out);
        for plan in self.plans.iter().filter(|plan| plan.taken.is_empty() && plan.omitted() > 0) {
            let heading = form::heading(plan.section.name, plan.omitted());
            spent += self.estimator.text(&heading) + Tokens(1);
            if spent <= self.room {
                out.push_str(&heading);
            }
        }
        out.truncate(out.trim_end().len());
        out
    }
}

impl Plan {
    fn is_open(&self) -> bool {
        self.tried < self.order.len()
    }

    fn omitted(&self) -> usize {
        self.section.omitted.saturating_add(self.section.entries.len() - self.taken.len())
    }
}

fn heading_cost(plan: &Plan, estimator: Estimator) -> Tokens {
    estimator.text(&form::heading(plan.section.name, plan.section.entries.len()))
}
