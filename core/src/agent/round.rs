//! One round of tools: which run at once, what their results cost, which are too large.

use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::effect::{Effect, EffectId};
use super::event::{Event, TurnEnd};
use super::session::{Phase, Session};
use crate::compact::spill;
use crate::message::{CallId, Exchange, ExchangeState, Item, ResultForm, ToolCall, ToolResult};
use crate::request::{defuse, result_cost};
use crate::transcript::Replaced;
use crate::unit::{Millis, Tokens};

/// What a cancelled call gets for a result.
const CANCELLED: &str = "[Cancelled by the user before it finished. It may or may not have taken effect.]";

/// A result of at most this many characters is no smaller as a preview.
const SMALL_RESULT: usize = 2_000;

/// The calls of one response on their way.
#[derive(Debug)]
pub(super) struct Round {
    /// The response's index in the view.
    at: usize,
    /// Not started yet, in the model's order.
    waiting: VecDeque<ToolCall>,
    running: Vec<(EffectId, CallId)>,
    /// True while a call runs that nothing may run beside.
    exclusive: bool,
    /// Results whose artifacts are being stored.
    spilling: Vec<(EffectId, Spill)>,
    /// True once the round's results were weighed together.
    weighed: bool,
}

/// Takes what an effect stands for out of the few that are open.
fn take<T>(open: &mut Vec<(EffectId, T)>, id: EffectId) -> Option<T> {
    let at = open.iter().position(|(have, _)| *have == id)?;
    Some(open.remove(at).1)
}

/// A result on its way to an artifact.
#[derive(Debug)]
struct Spill {
    call: CallId,
    path: String,
    result: ToolResult,
    /// True when the result already stands in the view and has its record.
    recorded: bool,
}

impl Session {
    /// Starts the calls of the response at `at`.
    pub(super) fn start_round(&mut self, at: usize, now: Millis) {
        let Some(response) = self.view.entries().get(at).and_then(|entry| entry.item.as_response()) else {
            return;
        };
        let waiting = response
            .exchanges()
            .filter(|exchange| exchange.is_pending())
            .map(|exchange| exchange.call.clone());
        let round = Round {
            at,
            waiting: waiting.collect(),
            running: Vec::new(),
            exclusive: false,
            spilling: Vec::new(),
            weighed: false,
        };
        self.write_closed(at, now);
        self.phase = Phase::Tools(round);
        self.go_on(now);
    }

    /// Writes down the results of calls that were closed when the reply came.
    pub(super) fn write_closed(&mut self, at: usize, now: Millis) {
        let response = self.view.entries().get(at).and_then(|entry| entry.item.as_response());
        let closed =
            response.into_iter().flat_map(|response| response.exchanges().filter_map(Exchange::result));
        for result in closed.cloned().collect::<Vec<_>>() {
            let record = self.writer.result(&result, None, now);
            self.append(record);
        }
    }

    /// Starts what may start now, or ends the round.
    fn go_on(&mut self, now: Millis) {
        loop {
            let Phase::Tools(round) = &mut self.phase else { return };
            let Some(next) = round.waiting.front() else { break };
            let concurrent = self.tools.iter().any(|tool| tool.name == next.name && tool.concurrent);
            if !round.running.is_empty() && (round.exclusive || !concurrent) {
                return;
            }
            round.exclusive = !concurrent;
            let Some(call) = round.waiting.pop_front() else { break };
            self.start_call(call, now);
        }
        self.end_round_if_done(now);
    }

    fn start_call(&mut self, call: ToolCall, now: Millis) {
        if !self.tools.iter().any(|tool| tool.name == call.name) {
            let known: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            let words = format!("Unknown tool: {}. Available: {}", call.name, known.join(", "));
            return self.take_result(&call.id, &words, true, now);
        }
        let id = self.new_id();
        if let Phase::Tools(round) = &mut self.phase {
            round.running.push((id, call.id.clone()));
        }
        self.event(Event::ToolStarted { call: call.id.to_string(), name: call.name.clone() });
        self.effects.push_back(Effect::RunTool { id, call });
    }

    /// A tool's outcome.
    pub(super) fn tool_finished(&mut self, id: EffectId, words: &str, is_error: bool, now: Millis) {
        let Phase::Tools(round) = &mut self.phase else { return };
        let Some(call) = take(&mut round.running, id) else { return };
        self.take_result(&call, words, is_error, now);
        self.go_on(now);
    }

    /// Takes a result: too large, it is stored first; else it is written down at once.
    fn take_result(&mut self, call: &CallId, words: &str, is_error: bool, now: Millis) {
        // Tags in a tool's output cannot forge what the engine attaches (X1).
        let result = ToolResult::text(call, &defuse(words), is_error);
        let estimator = self.view.estimator();
        let tokens = self.scaled(result_cost(&result, estimator));
        self.event(Event::ToolFinished { call: call.to_string(), is_error, tokens });
        if spill::is_oversize(&result, &self.policy, estimator, self.factor()) {
            self.store_whole(call.clone(), result, false);
        } else {
            self.write_result(call, result, None, now);
        }
    }

    fn store_whole(&mut self, call: CallId, result: ToolResult, recorded: bool) {
        let name = self.name_of(&call);
        let path = spill::path(&name, &call);
        let id = self.new_id();
        self.storing.push(id);
        let text = result.words().into_owned();
        self.effects.push_back(Effect::WriteArtifact { id, path: path.clone(), text });
        if let Phase::Tools(round) = &mut self.phase {
            round.spilling.push((id, Spill { call, path, result, recorded }));
        }
    }

    fn name_of(&self, call: &CallId) -> String {
        let Phase::Tools(round) = &self.phase else { return String::new() };
        let response = self.view.entries().get(round.at).and_then(|entry| entry.item.as_response());
        let exchange =
            response.and_then(|response| response.exchanges().find(|exchange| exchange.call.id == *call));
        exchange.map(|exchange| exchange.call.name.clone()).unwrap_or_default()
    }

    fn write_result(&mut self, call: &CallId, mut result: ToolResult, artifact: Option<&str>, now: Millis) {
        let record = self.writer.result(&result, artifact, now);
        result.record = Some(record.id.clone());
        self.append(record);
        self.put_result(call, result);
    }

    /// Puts a result into the view; the first one for a call wins (P3).
    fn put_result(&mut self, call: &CallId, result: ToolResult) {
        let Phase::Tools(round) = &self.phase else { return };
        self.view.edit(round.at, |item| {
            let Item::Response(response) = item else { return };
            for exchange in response.exchanges_mut().filter(|exchange| exchange.call.id == *call) {
                exchange.state = ExchangeState::Complete(result.clone());
            }
        });
    }

    /// A store's answer: an append, or an artifact.
    pub(super) fn stored(&mut self, id: EffectId, kept: Result<(), String>, now: Millis) {
        self.storing.retain(|have| *have != id);
        if let Err(error) = &kept {
            self.notice(format!(
                "not stored: {error}; the session goes on in memory, export it before you leave"
            ));
        }
        let Phase::Tools(round) = &mut self.phase else { return };
        let Some(spill) = take(&mut round.spilling, id) else { return };
        let estimator = self.view.estimator();
        let before = self.scaled(result_cost(&spill.result, estimator));
        let words = spill.result.words().into_owned();
        let (form, text) = match kept {
            Ok(()) => (ResultForm::Spilled, spill::preview(&words, &self.policy, &spill.path)),
            Err(_) => (ResultForm::Cut, spill::inline(&words, &self.policy)),
        };
        let short = spill.result.replaced(form, &text);
        let after = self.scaled(result_cost(&short, estimator));
        if spill.recorded || form == ResultForm::Cut {
            // The whole is (or must be) in a record of its own; the shorter text follows it.
            if !spill.recorded {
                self.write_result(&spill.call, spill.result, None, now);
            }
            let what = match form {
                ResultForm::Spilled => Replaced::Spilled(&spill.call, &spill.path),
                _ => Replaced::Cut(&spill.call),
            };
            let record = self.writer.replacement(what, &text, now);
            self.append(record);
            self.put_result(&spill.call, short);
        } else {
            self.write_result(&spill.call, short, Some(&spill.path), now);
        }
        if form == ResultForm::Spilled {
            self.event(Event::Spilled { call: spill.call.to_string(), path: spill.path, before, after });
        }
        self.go_on(now);
    }

    fn end_round_if_done(&mut self, now: Millis) {
        let Phase::Tools(round) = &mut self.phase else { return };
        if !round.running.is_empty() || !round.spilling.is_empty() || !round.waiting.is_empty() {
            return;
        }
        let at = round.at;
        if !core::mem::replace(&mut round.weighed, true) && self.spill_largest(at) {
            return;
        }
        self.advance(now);
    }

    /// A round whose results are too large together: the largest go to artifacts until the rest is within the
    /// limit. True when any does.
    fn spill_largest(&mut self, at: usize) -> bool {
        let Some(response) = self.view.entries().get(at).and_then(|entry| entry.item.as_response()) else {
            return false;
        };
        let estimator = self.view.estimator();
        let mut results: Vec<(usize, Tokens, CallId, ToolResult)> = response
            .exchanges()
            .filter_map(|exchange| {
                let result = exchange.result()?.clone();
                let cost = self.scaled(result_cost(&result, estimator));
                Some((result.words().chars().count(), cost, exchange.call.id.clone(), result))
            })
            .collect();
        let mut chars: usize = results.iter().map(|(chars, ..)| chars).sum();
        let mut cost: Tokens = results.iter().map(|(_, cost, ..)| *cost).sum();
        results.retain(|(chars, _, _, result)| result.form == ResultForm::Original && *chars > SMALL_RESULT);
        let mut any = false;
        while spill::is_round_oversize(chars, cost, &self.policy) {
            let largest = results.iter().enumerate().max_by_key(|(_, (_, cost, ..))| *cost).map(|(at, _)| at);
            let Some((size, tokens, call, result)) = largest.map(|at| results.swap_remove(at)) else { break };
            chars -= size;
            cost = cost - tokens;
            any = true;
            self.store_whole(call, result, true);
        }
        any
    }

    /// Closes what runs and ends the turn.
    pub(super) fn cancel_round(&mut self, round: Round, now: Millis) {
        for (id, _) in &round.running {
            self.abort(*id);
        }
        // What a store still holds back is written whole: nothing that a tool returned is lost.
        let held: Vec<(CallId, ToolResult)> = round
            .spilling
            .iter()
            .map(|(_, spill)| spill)
            .filter(|spill| !spill.recorded)
            .map(|spill| (spill.call.clone(), spill.result.clone()))
            .collect();
        let open = round
            .running
            .iter()
            .map(|(_, call)| call.clone())
            .chain(round.waiting.iter().map(|call| call.id.clone()));
        let open: Vec<(CallId, ToolResult)> =
            open.map(|call| (call.clone(), ToolResult::text(&call, CANCELLED, true))).collect();
        self.phase = Phase::Tools(Round {
            running: Vec::new(),
            waiting: VecDeque::new(),
            spilling: Vec::new(),
            ..round
        });
        for (call, result) in held.into_iter().chain(open) {
            self.write_result(&call, result, None, now);
        }
        self.end_turn(TurnEnd::Cancelled, now);
    }
}
