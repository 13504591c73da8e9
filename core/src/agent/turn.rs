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
use super::session::{Observed, Phase, Session};
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
/// Pauses since the user spoke after which the turn ends.
const MAX_PAUSES: u32 = 30;
/// No model's window is smaller.
const SMALLEST_WINDOW: Tokens = Tokens(1_000);
/// What the calls of a declined answer get for a result.
const REFUSED_CALL: &str = "[Not run: the provider declined this answer.]";
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
        let reply = self.with_own_ids(reply);
        self.learn(&reply, raw);
        if reply.stop == StopReason::ContextExceeded {
            // Half an answer is none: it is asked for again when there is room, and the history does not grow.
            let message = "the model stopped: its window was full".to_string();
            let kind = FailureKind::ContextExceeded { used: None, limit: None };
            return self.overflow(&ModelFailure { kind, status: 200, message }, raw, now);
        }
        let id = self.record_reply(&reply, now);
        let Some(at) = id.and_then(|_| self.view.len().checked_sub(1)) else {
            let message = "the model answered with nothing; try again".to_string();
            return self.end_turn(TurnEnd::Failed { message }, now);
        };
        let entry = self.view.entries().get(at);
        let calls = entry.and_then(|entry| entry.item.as_response()).is_some_and(Response::calls_tools);
        match reply.stop {
            StopReason::Refusal => {
                self.write_closed(at, now);
                self.end_turn(TurnEnd::Refusal, now);
            }
            _ if calls => self.start_round(at, now),
            StopReason::PauseTurn if self.pauses < MAX_PAUSES => {
                self.pauses += 1;
                self.advance(now);
            }
            StopReason::PauseTurn => {
                let message = format!("the provider paused the turn {MAX_PAUSES} times without an end");
                self.end_turn(TurnEnd::Failed { message }, now);
            }
            StopReason::MaxTokens => self.end_turn(TurnEnd::OutputLimit, now),
            _ => self.end_turn(TurnEnd::Done, now),
        }
    }

    /// Gives a response and its calls ids of their own where the server used one before (P7, P8), and mends calls
    /// that no provider would take back.
    fn with_own_ids(&mut self, mut reply: Reply) -> Reply {
        if !reply.id.is_empty() {
            let id = self.own_id(&reply.id);
            if id != reply.id {
                reply.message = RawJson::written(reply.message.json().with_member("id", &string(&id)));
                reply.id = id;
            }
        }
        let mut mended = false;
        for part in &mut reply.parts {
            if let Part::Exchange(exchange) = part {
                let call = exchange.call.mended(&self.own_id(exchange.call.id.as_str()));
                mended = mended || call != exchange.call;
                exchange.call = call;
            }
        }
        if mended {
            let blocks: Vec<&str> = reply.parts.iter().map(|part| part_raw(part).as_str()).collect();
            let content = format!("[{}]", blocks.join(","));
            reply.message = RawJson::written(reply.message.json().with_member("content", &content));
        }
        reply
    }

    /// The id itself, or with a number behind it that makes it new.
    fn own_id(&mut self, id: &str) -> String {
        let mut own = id.to_string();
        while let Some(uses) = self.used_ids.get_mut(&own) {
            *uses += 1;
            own = format!("{id}-{uses}");
        }
        self.used_ids.insert(own.clone(), 1);
        own
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
        match (reply.stop, parts.last_mut()) {
            // The last call may be half written: it is closed and never run.
            (StopReason::MaxTokens, Some(Part::Exchange(exchange))) => exchange.close(CUT_CALL),
            (StopReason::Refusal, _) => parts.iter_mut().for_each(|part| {
                if let Part::Exchange(exchange) = part {
                    exchange.close(REFUSED_CALL);
                }
            }),
            _ => {}
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
        // A number that no window has is a mistake of the server's, not a limit.
        let limit = limit.filter(|&limit| limit >= SMALLEST_WINDOW);
        let asked = self.output_limit();
        self.event(Event::Overflow { used, limit, estimated });
        self.overflows += 1;
        self.refused = Some(raw);
        if let Some(used) = used {
            self.calibration.observe(raw, used);
        }
        // Without a number, the window is taken to be four fifths of what was refused: a fifth has to go.
        self.observed_window = match (limit, self.observed_window) {
            (Some(limit), _) => Some(Observed::Stated(limit)),
            (None, stated @ Some(Observed::Stated(_))) => stated,
            (None, _) => Some(Observed::Guessed(self.scaled(raw).scaled(4, 5).max(SMALLEST_WINDOW))),
        };
        self.update_lines();
        if self.overflows > MAX_OVERFLOWS {
            let message = format!("{failure}; {}", self.cannot_fit());
            return self.end_turn(TurnEnd::CannotFit { message }, now);
        }
        if let (Some(used), Some(limit)) = (used, limit) {
            // The prompt fits; what was asked for an answer did not. Ask for less before anything is taken away.
            let left = limit - used;
            let least = self.policy.output_reserve.of(limit).min(self.policy.max_output).max(Tokens(1));
            if (least..asked).contains(&left) && self.overflows <= MAX_OVERFLOWS {
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

fn part_raw(part: &Part) -> &RawJson {
    match part {
        Part::Block(block) => block.raw(),
        Part::Exchange(exchange) => exchange.call.raw(),
    }
}
