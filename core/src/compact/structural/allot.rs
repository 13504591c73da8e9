//! The budget: which entries go in, and at what length.
//!
//! ```text
//!  1  every section takes its entries, briefly, by rank, up to its share of the budget
//!  2  what is left is shared out again among the sections that still want some, the last of it by importance
//!  3  what is left after that makes brief entries longer, the user's words first
//! ```
//!
//! Each entry is counted once at each length it is tried at, so the whole costs time in the size of the facts.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::excerpt::excerpt;
use super::form::{self, Name, Section};
use super::model;
use crate::tokens::Estimator;
use crate::unit::Tokens;

/// What a section gets of the budget at first, in thousandths; they sum to 1000.
fn share(name: Name) -> u64 {
    match name {
        Name::Earlier | Name::Messages => 250,
        Name::Request => 80,
        Name::Files => 180,
        Name::Errors => 70,
        Name::Work => 60,
        Name::Tasks => 50,
        Name::Solving => 40,
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

/// How often what is left is shared out. Each time most of the rest finds a taker, so a few times are enough.
const ROUNDS: usize = 6;

/// An entry is not made longer for less than this.
const WORTH: Tokens = Tokens(16);

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
    /// The first of `order`, in order.
    taken: Vec<Taken>,
    /// The next of `order`, when it was counted but had no room so far.
    next: Option<Taken>,
    /// What it gets at first.
    share: Tokens,
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
    // The seams between entries, the counts in headings and a last line are not in the entries' own costs.
    let room = budget - Tokens(budget.get() / 50 + 10);
    let plans = sections.into_iter().map(|section| {
        let ranks = section.entries.iter().enumerate().map(|(at, entry)| (entry.rank, at));
        let mut ranks: Vec<(usize, usize)> = ranks.collect();
        ranks.sort_unstable();
        let order = ranks.into_iter().map(|(_, at)| at).collect();
        let share = room.scaled(share(section.name), 1000 + 40) - Tokens(16);
        Plan { section, order, taken: Vec::new(), next: None, share }
    });
    let mut allotment = Allotment {
        plans: plans.collect(),
        estimator,
        room,
        spent: Tokens::ZERO,
        brief: Tokens((budget.get() / 24).clamp(40, 400)),
    };
    allotment.share_out();
    allotment.first_entry();
    allotment.lengthen();
    allotment.write(budget)
}

impl Allotment {
    /// Rounds one and two.
    fn share_out(&mut self) {
        for _ in 0..ROUNDS {
            let left = self.room - self.spent;
            let open = self.plans.iter().filter(|plan| plan.is_open());
            let shares: u64 = open.map(|plan| share(plan.section.name)).sum();
            for plan in self.plans.iter_mut().filter(|plan| plan.is_open()) {
                let limit = left.scaled(share(plan.section.name), shares);
                self.spent += plan.take(limit, self.brief, self.estimator);
            }
        }
        // The last of it goes by importance, to whoever has an entry small enough.
        for name in ORDER {
            for plan in self.plans.iter_mut().filter(|plan| plan.section.name == name) {
                self.spent += plan.take(self.room - self.spent, self.brief, self.estimator);
            }
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
                plan.taken.push(Taken { at: place, text, cost });
                self.spent = heading + cost;
                return;
            }
        }
    }

    /// Round three. In a first go no section takes more than half of what is left.
    fn lengthen(&mut self) {
        for part in [2, 1] {
            for name in ORDER {
                let Some(plan) = self.plans.iter_mut().find(|plan| plan.section.name == name) else {
                    continue;
                };
                let limit = (self.room - self.spent).scaled(1, part);
                self.spent += plan.lengthen(limit, self.estimator);
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
                return form::NOTHING.to_string();
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
            let places = plan.taken.iter().enumerate().map(|(index, taken)| (taken.at, index));
            let mut places: Vec<(usize, usize)> = places.collect();
            places.sort_unstable();
            for taken in places.into_iter().filter_map(|(_, index)| plan.taken.get(index)) {
                out.push_str(&form::entry(&taken.text));
            }
        }
        // Sections of which nothing is in are named while there is room for it.
        let mut spent = self.estimator.text(&out);
        for plan in self.plans.iter().filter(|plan| plan.taken.is_empty() && plan.omitted() > 0) {
            let heading = form::heading(plan.section.name, plan.omitted());
            spent += self.estimator.text(&heading) + Tokens(1);
            if spent > self.room {
                out.push_str(form::MORE);
                break;
            }
            out.push_str(&heading);
        }
        out.truncate(out.trim_end().len());
        out
    }
}

impl Plan {
    fn is_open(&self) -> bool {
        self.taken.len() < self.order.len()
    }

    /// Takes entries by rank while they cost no more than `limit` together; returns what they cost.
    fn take(&mut self, limit: Tokens, brief: Tokens, estimator: Estimator) -> Tokens {
        let mut spent = Tokens::ZERO;
        while let Some(next) = self.next.take().or_else(|| self.brief_next(brief, estimator)) {
            let heading = if self.taken.is_empty() { heading_cost(self, estimator) } else { Tokens::ZERO };
            if next.text.is_empty() || spent + heading + next.cost > limit {
                self.next = Some(next);
                break;
            }
            spent += heading + next.cost;
            self.taken.push(next);
        }
        spent
    }

    /// An entry's words within `room`, as this section cuts them.
    fn cut(&self, text: &str, room: Tokens, estimator: Estimator) -> String {
        match self.section.name {
            Name::Earlier => model::cut(text, room, estimator),
            _ => excerpt(text, room, estimator),
        }
    }

    /// The next entry by rank in its brief form.
    fn brief_next(&self, brief: Tokens, estimator: Estimator) -> Option<Taken> {
        let at = *self.order.get(self.taken.len())?;
        let entry = self.section.entries.get(at)?;
        let room = match self.section.name {
            Name::Earlier => self.share.max(brief),
            _ => Tokens(brief.get().saturating_mul(entry.weight)),
        };
        let text = entry.brief.clone().unwrap_or_else(|| self.cut(&entry.text, room, estimator));
        let cost = estimator.text(&form::entry(&text));
        Some(Taken { at, text, cost })
    }

    fn omitted(&self) -> usize {
        self.section.omitted.saturating_add(self.section.entries.len() - self.taken.len())
    }

    /// Makes entries that are cut longer, for at most `limit` together; returns what that costs.
    fn lengthen(&mut self, limit: Tokens, estimator: Estimator) -> Tokens {
        let mut spent = Tokens::ZERO;
        for at in 0..self.taken.len() {
            let Some(taken) = self.taken.get(at) else { continue };
            let Some(entry) = self.section.entries.get(taken.at) else { continue };
            let left = limit - spent;
            if entry.text.len() <= taken.text.len() || left < WORTH {
                continue;
            }
            let text = match entry.brief {
                Some(_) => entry.text.clone(),
                None => self.cut(&entry.text, taken.cost + left - Tokens(8), estimator),
            };
            let cost = estimator.text(&form::entry(&text));
            if text.len() > taken.text.len() && cost <= taken.cost + left {
                spent += cost - taken.cost;
                let longer = Taken { at: taken.at, text, cost };
                if let Some(taken) = self.taken.get_mut(at) {
                    *taken = longer;
                }
            }
        }
        spent
    }
}

fn heading_cost(plan: &Plan, estimator: Estimator) -> Tokens {
    estimator.text(&form::heading(plan.section.name, plan.section.entries.len()))
}
