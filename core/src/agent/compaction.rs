//! A compaction on its way: plan, summary, new view, or the reason why nothing changed.
//!
//! ```text
//!  begin ─ cut ─▶ Summarising ─ summary ─▶ finish: smaller? ─ yes ─▶ boundary + summary, new view
//!                    │    ▲                            └ no ─▶ structural ─▶ smaller? ─ no ─▶ abort
//!            too long└────┘ without the oldest fifth
//!            failed ─▶ abort (view unchanged); structural where the window would overflow
//! ```

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::effect::{Effect, EffectId, Purpose};
use super::event::{Event, SummarisedBy, Tier, TurnEnd};
use super::session::{Phase, Session};
use crate::compact::cut::{Cut, Keep, choose};
use crate::compact::{fit, structural_summary, summary};
use crate::message::{Block, Item, MessageId, Origin, UserMessage};
use crate::provider::{FailureKind, ModelFailure, Reply};
use crate::request::{Counted, Request, Role, View, WireMessage, item_cost};
use crate::tokens::{Category, Ledger};
use crate::transcript::{NewBoundary, Replaced};
use crate::unit::{Millis, Tokens};
use crate::window::{Pressure, Replacement, Tail, TailBudget};

/// A window is taken to have this many tokens for a summarising call when nothing is known of it.
const UNKNOWN_WINDOW: Tokens = Tokens(100_000);
/// What the summarising prompt costs beside the transcript, generously.
const PROMPT_FRAME: Tokens = Tokens(1_200);

/// What follows a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The turn goes on.
    Call,
    /// Nothing: the user asked for it between turns.
    Idle,
}

/// A compaction that waits for its summary.
#[derive(Debug, Clone)]
pub(super) struct Compaction {
    /// The summarising call.
    pub(super) effect: EffectId,
    tier: Tier,
    cut: Cut,
    before: Tokens,
    instructions: Option<String>,
    then: Then,
    /// Left out of the summariser's input, oldest first.
    skipped: usize,
    /// Calls refused as too long.
    refusals: u32,
    /// Answers that were no summary.
    unusable: u32,
    raw: Tokens,
}

impl Compaction {
    fn new(tier: Tier, cut: Cut, before: Tokens, then: Then) -> Self {
        Self {
            effect: EffectId(0),
            tier,
            cut,
            before,
            instructions: None,
            then,
            skipped: 0,
            refusals: 0,
            unusable: 0,
            raw: Tokens::ZERO,
        }
    }
}

impl Session {
    /// Decides what stays and has the rest summarised.
    pub(super) fn begin_compaction(
        &mut self,
        tier: Tier,
        reason: String,
        instructions: Option<&str>,
        then: Then,
        now: Millis,
    ) {
        let before = self.total();
        let Some(cut) = self.choose_cut() else {
            // Nothing to summarise: one giant turn, or an empty session.
            if tier == Tier::Manual {
                self.notice("there is nothing to compact yet".into());
            }
            return self.after_compaction(then, now);
        };
        self.event(Event::CompactionStarted { tier, reason });
        let instructions = instructions.map(ToString::to_string);
        let compaction = Compaction { instructions, ..Compaction::new(tier, cut, before, then) };
        if self.policy.summary.replacement == Replacement::Nothing {
            let text = "[Older messages were left out. They are kept in the archive.]".to_string();
            return self.finish_compaction(compaction, text, SummarisedBy::Nobody, now);
        }
        if self.breaker.is_open() {
            return self.summarise_structurally(compaction, now);
        }
        self.call_summariser(compaction, now);
    }

    /// What stays: the policy's tail, as far as the target leaves room beside the floor and a summary.
    fn choose_cut(&self) -> Option<Cut> {
        let tail = self.policy.summary.tail;
        let budget = self.lines.map(|lines| {
            let floor = self.scaled(self.prelude.cost.total())
                + self.policy.summary.length(lines.window, self.policy.max_output);
            let budget = tail.budget(&lines);
            let max = budget.max.min(lines.target - floor);
            TailBudget { min: budget.min.min(max), max, ..budget }
        });
        let half = self.total().scaled(1, 2);
        let budget = budget.unwrap_or(TailBudget { min: Tokens::ZERO, max: half, text_messages: 5 });
        let keep = if matches!(tail, Tail::UserMessages { .. }) { Keep::Requests } else { Keep::All };
        choose(&self.view, budget, keep, self.factor())
    }

    /// Sends the older part to a model. The request fits its window whatever is in it (C1).
    fn call_summariser(&mut self, mut compaction: Compaction, now: Millis) {
        let window = self.lines.map_or(UNKNOWN_WINDOW, |lines| lines.window);
        let reserve = self.policy.summary.output_limit(window, self.policy.max_output).max(Tokens(1));
        let budget = window - reserve - PROMPT_FRAME - window.permille(20);
        if budget.is_zero() {
            return self.summarise_structurally(compaction, now);
        }
        // The budget in raw tokens: the factor is applied to it once more than it should be, then taken out.
        let raw_budget = budget.scaled(budget.get(), self.scaled(budget).get().max(1));
        let older: Vec<&Counted> = compaction.cut.older(&self.view);
        let input: Vec<&Counted> = older.iter().copied().skip(compaction.skipped).collect();
        let (text, omitted) = summary::as_text(&input, raw_budget, self.view.estimator());
        let aim = self.policy.summary.length(window, self.policy.max_output);
        let prompt =
            summary::prompt(&text, omitted + compaction.skipped, compaction.instructions.as_deref(), aim);
        let block = Block::text(&prompt).raw().clone();
        let system = Block::text(summary::SYSTEM).raw().clone();
        let mut estimate = Ledger::new();
        estimate.add(Category::User, self.view.estimator().text(&prompt));
        estimate.add(Category::System, self.view.estimator().text(summary::SYSTEM));
        let request = Request {
            model: self.prelude.model.clone(),
            max_tokens: reserve,
            system: alloc::vec![system],
            tools: Vec::new(),
            messages: alloc::vec![WireMessage { role: Role::User, blocks: alloc::vec![block] }],
            thinking: None,
            marks: Vec::new(),
            estimate,
        };
        compaction.raw = estimate.total();
        compaction.effect = self.new_id();
        let tokens = self.scaled(compaction.raw);
        self.event(Event::RequestSent { purpose: Purpose::Summary, tokens, messages: 1 });
        self.effects.push_back(Effect::CallModel {
            id: compaction.effect,
            purpose: Purpose::Summary,
            request: Box::new(request),
        });
        self.phase = Phase::Summarising(compaction);
    }

    /// The summariser's answer. Whatever it is, the view changes only by a complete summary (C4).
    pub(super) fn summary_answered(&mut self, answer: Result<Reply, ModelFailure>, now: Millis) {
        let Phase::Summarising(mut compaction) = core::mem::replace(&mut self.phase, Phase::Idle) else {
            return;
        };
        match answer {
            Ok(reply) => {
                let estimated = self.scaled(compaction.raw);
                self.event(Event::Replied { purpose: Purpose::Summary, usage: reply.usage, estimated });
                if let Some(usage) = reply.usage {
                    self.totals.record(Some(reply.id.as_str()).filter(|id| !id.is_empty()), usage);
                }
                match summary::read(&reply) {
                    Ok(text) => self.finish_compaction(compaction, text, SummarisedBy::Model, now),
                    Err(why) if compaction.unusable == 0 => {
                        self.notice(format!("{why}; asked once more"));
                        compaction.unusable += 1;
                        self.call_summariser(compaction, now);
                    }
                    Err(why) => self.without_model(compaction, why.to_string(), now),
                }
            }
            Err(failure)
                if failure.is_context_exceeded() && compaction.refusals < self.policy.reactive.attempts =>
            {
                if let FailureKind::ContextExceeded { used: Some(used), .. } = failure.kind {
                    self.calibration.observe(compaction.raw, used);
                }
                compaction.refusals += 1;
                let left = compaction.cut.older(&self.view).len() - compaction.skipped;
                let share = usize::try_from(self.policy.reactive.drop_permille).unwrap_or(200).clamp(1, 900);
                compaction.skipped += (left * share).div_ceil(1000).min(left.saturating_sub(1));
                if left <= 1 {
                    return self.without_model(compaction, failure.to_string(), now);
                }
                self.call_summariser(compaction, now);
            }
            Err(failure) if failure.kind == FailureKind::Aborted => {
                self.compaction_failed(&compaction, failure.to_string(), now);
                match compaction.then {
                    Then::Call => self.end_turn(TurnEnd::Cancelled, now),
                    Then::Idle => self.after_compaction(Then::Idle, now),
                }
            }
            Err(failure) => self.without_model(compaction, failure.to_string(), now),
        }
    }

    /// The model failed. Where the next request would not fit, the engine summarises by itself; else the view
    /// stays as it is and the turn goes on.
    fn without_model(&mut self, compaction: Compaction, cause: String, now: Millis) {
        let must = compaction.tier == Tier::Reactive || self.pressure(self.total()) == Pressure::Over;
        if must {
            self.notice(format!("{cause}; the engine summarises by itself"));
            self.summarise_structurally(compaction, now);
        } else {
            self.compaction_failed(&compaction, cause, now);
            self.after_compaction(compaction.then, now);
        }
    }

    fn summarise_structurally(&mut self, compaction: Compaction, now: Millis) {
        let text = self.structural_text(&compaction.cut);
        self.finish_compaction(compaction, text, SummarisedBy::Structural, now);
    }

    fn structural_text(&self, cut: &Cut) -> String {
        let window = self.lines.map_or(UNKNOWN_WINDOW, |lines| lines.window);
        let aim = self.policy.summary.length(window, self.policy.max_output);
        let budget = aim.scaled(aim.get(), self.scaled(aim).get().max(1)).max(Tokens(100));
        structural_summary(&cut.older(&self.view), budget, self.view.estimator())
    }

    /// Makes the new view if it is smaller; says so if it is not, and changes nothing.
    fn finish_compaction(&mut self, compaction: Compaction, text: String, by: SummarisedBy, now: Millis) {
        let standing = summary::standing(&text, by == SummarisedBy::Model);
        let after = self.total_after(&compaction.cut, &standing);
        let least = self.policy.hysteresis.min_saving.of(self.window());
        let progress = after + least < compaction.before
            || (after < compaction.before && compaction.tier == Tier::Manual);
        if !progress {
            let cause = format!("the summary would leave {} of {}", after.get(), compaction.before);
            if by == SummarisedBy::Model {
                // A model's summary was too long to help; the structural one is within its budget.
                self.notice(format!("{cause}; the engine summarises by itself"));
                return self.summarise_structurally(compaction, now);
            }
            self.compaction_failed(&compaction, cause, now);
            return self.after_compaction(compaction.then, now);
        }
        self.commit(&compaction, &standing, by, now);
        self.after_compaction(compaction.then, now);
    }

    /// What the next request would cost with this summary in place of what the cut removes.
    fn total_after(&self, cut: &Cut, standing: &str) -> Tokens {
        let probe = Item::User(UserMessage::text(MessageId::from(""), Origin::Summary, standing));
        let fixed = self.prelude.cost + item_cost(&probe, self.view.estimator());
        let raw = cut.kept(&self.view).iter().fold(fixed, |sum, entry| sum + entry.cost);
        self.scaled(raw.total())
    }

    /// Writes the boundary and makes the new view: summary, then what is kept word for word.
    fn commit(&mut self, compaction: &Compaction, standing: &str, by: SummarisedBy, now: Millis) {
        let after = self.total_after(&compaction.cut, standing);
        let kept: Vec<Counted> = compaction.cut.kept(&self.view).into_iter().cloned().collect();
        let (trigger, author) = (tier_name(compaction.tier), author_name(by));
        let stretches = compaction.cut.stretches(&self.view);
        let boundary = NewBoundary {
            trigger,
            summarised_by: author,
            before: compaction.before,
            after,
            kept: &stretches,
            summary: standing,
        };
        let (records, message) = self.writer.boundary(&boundary, now);
        for record in records {
            self.append(record);
        }
        let older: Vec<Arc<Item>> =
            compaction.cut.older(&self.view).iter().map(|entry| entry.item.clone()).collect();
        let items = older.iter().map(|item| item.id().as_str().to_string()).collect();
        let is_summary =
            |item: &Arc<Item>| item.as_user().is_some_and(|message| message.origin == Origin::Summary);
        self.archive.extend(older.into_iter().filter(|item| !is_summary(item)));
        let mut view = View::new(self.view.estimator());
        view.push(Item::User(message));
        for entry in &kept {
            view.push_counted(entry.clone());
        }
        self.view = view;
        self.breaker.reset();
        self.break_cache("a summary stands for the older part", 0);
        self.event(Event::Summarised {
            tier: compaction.tier,
            by,
            items,
            kept: kept.len(),
            before: compaction.before,
            after: self.total(),
        });
    }

    /// Records and tells that a try changed nothing (C2).
    pub(super) fn compaction_failed(&mut self, compaction: &Compaction, cause: String, now: Millis) {
        self.breaker.fail();
        let record = self.writer.aborted_compaction(tier_name(compaction.tier), &cause, now);
        self.append(record);
        self.event(Event::CompactionAborted {
            tier: compaction.tier,
            cause,
            failures: self.breaker.failures(),
        });
    }

    fn after_compaction(&mut self, then: Then, now: Millis) {
        self.phase = Phase::Idle;
        match then {
            Then::Call => self.call_model(now),
            Then::Idle => {
                if let Some(words) = self.queue.pop_front() {
                    // Words typed during a manual compaction start their turn now, once (J8).
                    let _ = self.prompt(&words, now);
                }
            }
        }
    }

    /// Brings the view under the hard line, and under anything that was refused, without a model (C3). False when
    /// what is left cannot be made smaller.
    pub(super) fn make_fit(&mut self, now: Millis) -> bool {
        let mut goal = self.lines.map_or(Tokens(u64::MAX), |lines| lines.hard);
        if let Some(refused) = self.refused {
            goal = goal.min(self.scaled(refused).scaled(9, 10));
        }
        if self.scaled(self.prelude.cost.total()) >= goal {
            return false;
        }
        if let Some(cut) = self.choose_cut() {
            let before = self.total();
            let reason = format!("{} > {}: made to fit without a model", before.get(), goal.get());
            let tier = if self.refused.is_some() { Tier::Reactive } else { Tier::Auto };
            self.event(Event::CompactionStarted { tier, reason });
            let compaction = Compaction::new(tier, cut, before, Then::Idle);
            let standing = summary::standing(&self.structural_text(&compaction.cut), false);
            let after = self.total_after(&compaction.cut, &standing);
            if after < before {
                self.commit(&compaction, &standing, SummarisedBy::Structural, now);
            } else {
                self.compaction_failed(
                    &compaction,
                    format!("it would leave {} of {before}", after.get()),
                    now,
                );
            }
        }
        if self.total() > goal {
            self.cut_giants(goal, now);
        }
        self.total() <= goal && self.refused.is_none_or(|refused| self.raw_total() < refused)
    }

    fn cut_giants(&mut self, goal: Tokens, now: Millis) {
        let before = self.total();
        let room = goal - self.scaled(self.prelude.cost.total());
        let factor = self.factor();
        for cut in fit::truncate(&mut self.view, room, factor) {
            let what = match &cut.call {
                Some(call) => Replaced::Cut(call),
                None => Replaced::Message(&cut.item),
            };
            let record = self.writer.replacement(what, &cut.text, now);
            self.append(record);
            self.event(Event::Truncated { item: cut.item.to_string(), before, after: self.total() });
        }
        self.break_cache("single giants were cut", 0);
    }
}

fn tier_name(tier: Tier) -> &'static str {
    match tier {
        Tier::Micro => "micro",
        Tier::Auto => "auto",
        Tier::Reactive => "reactive",
        Tier::Manual => "manual",
    }
}

fn author_name(by: SummarisedBy) -> &'static str {
    match by {
        SummarisedBy::Model => "model",
        SummarisedBy::Structural => "structural",
        SummarisedBy::Nobody => "nobody",
    }
}
