//! The loop: shape the view, call the model, take its answer.
//!
//! ```text
//!  advance ─ micro ─ over the auto line? ─ compaction ─┐
//!     ▲          └─────── no ─────────────────────────┴─▶ call ─▶ reply ─ text ─▶ turn ends
//!     └───────────────────────── results ◀─ tools ◀───────────────┘ calls
//! ```
//!
//! The view is shaped before every call, also in the middle of a long tool loop (SPEC 2, and what the LangGraph
//! rebuild forgot).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::compaction::Then;
use super::effect::{Effect, EffectId, Purpose};
use super::event::{Event, Tier, TurnEnd};
use super::session::{Phase, Session};
use crate::compact::micro;
use crate::message::json::string;
use crate::message::{Item, MessageId, Part, RawJson, Response, ResponseId, StopReason};
use crate::provider::{FailureKind, ModelFailure, Reply};
use crate::request::end_of;
use crate::tokens::{Category, Observation};
use crate::unit::{Millis, Tokens};
use crate::window::Pressure;

/// Refusals since the user spoke after which the turn ends (B2).
const MAX_OVERFLOWS: u32 = 3;
/// What a half-written call gets for a result.
const CUT_CALL: &str = "[Not run: the output limit cut this call before it was complete.]";

impl Session {
    /// Shapes the view and calls the model, by way of a compaction where one is due.
    pub(super) fn advance(&mut self, now: Millis) {
        self.clear_old_results(now);
        let total = self.total();
        let due = self.auto_line().filter(|_| self.pressure(total) >= Pressure::Auto);
        if let Some(auto) = due
            && !self.breaker.is_open()
        {
            let reason = format!("{} > {}: the view is over the auto line", total.get(), auto.get());
            return self.begin_compaction(Tier::Auto, reason, None, Then::Call, now);
        }
        self.call_model(now);
    }

    /// Sends the view if it fits; makes it fit without a model if it does not.
    pub(super) fn call_model(&mut self, now: Millis) {
        let raw = self.raw_total();
        let over = self.pressure(self.total()) == Pressure::Over;
        let refused_before = self.refused.is_some_and(|refused| raw >= refused);
        if (over || refused_before) && !self.make_fit(now) {
            let message = self.cannot_fit();
            return self.end_turn(TurnEnd::CannotFit { message }, now);
        }
        let request = match self.next_request() {
            Ok(request) => request,
            Err(violation) => {
                let message = format!("the request was not sent: {violation}");
                return self.end_turn(TurnEnd::Failed { message }, now);
            }
        };
        self.end = end_of(&request.messages);
        let id = self.new_id();
        let (tokens, messages) = (self.total(), request.messages.len());
        self.event(Event::RequestSent { purpose: Purpose::Turn, tokens, messages });
        self.phase = Phase::Calling { effect: id, raw: self.raw_total() };
        self.effects.push_back(Effect::CallModel { id, purpose: Purpose::Turn, request: request.into() });
    }

    /// The auto line in force: always, or only as a turn begins.
    fn auto_line(&self) -> Option<Tokens> {
        let begins = self.view.entries().last().is_some_and(|entry| entry.item.is_human());
        self.lines?.auto.filter(|_| begins || self.policy.trigger.every_call())
    }

    fn clear_old_results(&mut self, now: Millis) {
        let situation = micro::Situation {
            factor: self.factor(),
            total: self.total(),
            auto: self.auto_line(),
            idle: self.last_call.map(|last| now - last),
        };
        let Some(clearing) = micro::plan(&self.view, &self.policy, situation) else { return };
        let before = self.total();
        let placeholder = self.policy.micro.placeholder.clone();
        micro::apply(&mut self.view, &clearing, &placeholder);
        let calls: Vec<_> = clearing.calls.iter().map(|(_, call)| call.clone()).collect();
        let record = self.writer.micro_boundary(&calls, &placeholder, clearing.freed, now);
        self.append(record);
        let first = clearing.calls.first().map_or(0, |(at, _)| *at);
        self.break_cache("old tool results were cleared", first);
        let calls = calls.iter().map(ToString::to_string).collect();
        self.event(Event::Cleared { calls, before, after: self.total(), reason: clearing.reason });
    }

    /// Says that the cached prefix ends before the item at `from`.
    pub(super) fn break_cache(&mut self, cause: &str, from: usize) {
        if self.end.take().is_some() {
            let tokens = self.scaled(self.view.cost_from(from).total());
            self.event(Event::CacheBroken { cause: cause.into(), tokens });
        }
    }

    /// A model's answer, for a turn or a summary.
    pub(super) fn model_answered(&mut self, id: EffectId, answer: Result<Reply, ModelFailure>, now: Millis) {
        match &self.phase {
            Phase::Calling { effect, raw } if *effect == id => {
                let raw = *raw;
                self.last_call = Some(now);
                match answer {
                    Ok(reply) => self.reply(reply, raw, now),
                    Err(failure) if failure.is_context_exceeded() => self.overflow(&failure, raw, now),
                    Err(failure) if failure.kind == FailureKind::Aborted => {
                        self.end_turn(TurnEnd::Cancelled, now);
                    }
                    // A failed try leaves the history as it was.
                    Err(failure) => self.end_turn(TurnEnd::Failed { message: failure.to_string() }, now),
                }
            }
            Phase::Summarising(compaction) if compaction.effect == id => self.summary_answered(answer, now),
            _ => {}
        }
    }

    fn reply(&mut self, reply: Reply, raw: Tokens, now: Millis) {
        self.output_cap = None;
        let reply = self.with_own_id(reply);
        self.learn(&reply, raw);
        let id = self.record_reply(&reply, now);
        if reply.stop == StopReason::ContextExceeded {
            let message = "the model stopped: its window was full".to_string();
            let kind = FailureKind::ContextExceeded { used: None, limit: None };
            return self.overflow(&ModelFailure { kind, status: 200, message }, raw, now);
        }
        let Some(at) = id.and_then(|_| self.view.len().checked_sub(1)) else {
            let message = "the model answered with nothing; try again".to_string();
            return self.end_turn(TurnEnd::Failed { message }, now);
        };
        let calls = self
            .view
            .entries()
            .get(at)
            .and_then(|entry| entry.item.as_response())
            .is_some_and(Response::calls_tools);
        match reply.stop {
            _ if calls => self.start_round(at, now),
            StopReason::PauseTurn => self.advance(now),
            StopReason::MaxTokens => self.end_turn(TurnEnd::OutputLimit, now),
            StopReason::Refusal => self.end_turn(TurnEnd::Refusal, now),
            _ => self.end_turn(TurnEnd::Done, now),
        }
    }

    /// A response whose id was used before gets one of its own: two responses are never one (P7).
    fn with_own_id(&mut self, mut reply: Reply) -> Reply {
        let uses = self.response_ids.entry(reply.id.clone()).or_insert(0);
        *uses += 1;
        if reply.id.is_empty() || *uses == 1 {
            return reply;
        }
        reply.id = format!("{}-{uses}", reply.id);
        reply.message = RawJson::written(reply.message.json().with_member("id", &string(&reply.id)));
        reply
    }

    /// Compares what was expected with what the provider counted.
    fn learn(&mut self, reply: &Reply, raw: Tokens) {
        let estimated = self.scaled(raw);
        self.event(Event::Replied { purpose: Purpose::Turn, usage: reply.usage, estimated });
        let Some(usage) = reply.usage else { return };
        let id = Some(reply.id.as_str()).filter(|id| !id.is_empty());
        self.totals.record(id, usage);
        let reported = usage.context();
        if self.calibration.silent_truncation(raw, reported) {
            self.event(Event::SilentTruncation { estimated, reported });
        }
        if let Observation::Learned { .. } = self.calibration.observe(raw, reported) {
            self.refused = None;
        }
    }

    /// Writes the reply down, whole, before anything rests on it. Nothing is written for a reply without content.
    fn record_reply(&mut self, reply: &Reply, now: Millis) -> Option<MessageId> {
        let mut parts = reply.parts.clone();
        parts.retain(|part| !matches!(part, Part::Block(block) if block.is_empty()));
        if parts.is_empty() {
            return None;
        }
        if reply.stop == StopReason::MaxTokens {
            // The last call may be half written: it is closed and never run.
            if let Some(Part::Exchange(exchange)) = parts.last_mut() {
                exchange.close(CUT_CALL);
            }
        }
        let record = self.writer.assistant(reply.message.as_str(), now);
        let id = record.id.clone();
        self.append(record);
        let response = Some(reply.id.as_str()).filter(|id| !id.is_empty()).map(ResponseId::from);
        let item = Item::Response(Response { id: id.clone(), response, parts, stop: reply.stop });
        self.view.push(item);
        Some(id)
    }

    /// The provider refused the request as too long: learn from its numbers, then compact.
    fn overflow(&mut self, failure: &ModelFailure, raw: Tokens, now: Millis) {
        let estimated = self.scaled(raw);
        let (used, limit) = match failure.kind {
            FailureKind::ContextExceeded { used, limit } => (used, limit),
            _ => (None, None),
        };
        self.event(Event::Overflow { used, limit, estimated });
        self.overflows += 1;
        self.refused = Some(raw);
        if let Some(used) = used {
            self.calibration.observe(raw, used);
        }
        // Without a number, the window is taken to be four fifths of what was refused: a fifth has to go.
        let seen = limit.unwrap_or_else(|| self.scaled(raw).scaled(4, 5));
        self.observed_window = Some(self.observed_window.map_or(seen, |before| before.min(seen)));
        self.update_lines();
        if self.overflows > MAX_OVERFLOWS {
            let message = format!("{failure}; {}", self.cannot_fit());
            return self.end_turn(TurnEnd::CannotFit { message }, now);
        }
        if let (Some(used), Some(limit)) = (used, limit) {
            // The prompt fits; what was asked for an answer did not. Ask for less before anything is taken away.
            let left = limit - used;
            if left >= self.policy.output_reserve.of(limit).min(self.policy.max_output).max(Tokens(1)) {
                self.output_cap = Some(left);
                self.refused = None;
                return self.advance(now);
            }
        }
        let number = |tokens: Option<Tokens>| {
            tokens.map_or_else(|| "?".to_string(), |tokens| tokens.get().to_string())
        };
        let reason = format!("{} > {}: the provider refused the request", number(used), number(limit));
        self.begin_compaction(Tier::Reactive, reason, None, Then::Call, now);
    }

    /// Names the largest parts of a request that cannot be made smaller (B1).
    pub(super) fn cannot_fit(&self) -> String {
        let ledger = self.ledger();
        let mut parts: Vec<(Category, Tokens)> =
            ledger.iter().filter(|(_, tokens)| !tokens.is_zero()).collect();
        let mut named: Vec<String> = Vec::new();
        while named.len() < 3 {
            let largest = parts.iter().enumerate().max_by_key(|(_, (_, tokens))| *tokens).map(|(at, _)| at);
            let Some((category, tokens)) = largest.map(|at| parts.swap_remove(at)) else { break };
            named.push(format!("{} {}", category.label(), tokens.get()));
        }
        format!(
            "the smallest request has {} and at most {} fit in the window of {}; largest parts: {}; \
             use a larger window, fewer tools or a shorter request",
            self.total(),
            self.lines.map_or(0, |lines| lines.hard.get()),
            self.window().get(),
            named.join(", ")
        )
    }
}
