//! A session: what the host holds, prompts, drains and answers.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::compaction::{Compaction, Then};
use super::config::{Config, ConfigError, ToolSpec};
use super::effect::{Effect, EffectId, Outcome};
use super::event::{Event, Tier, TurnEnd};
use super::round::Round;
use crate::compact::Breaker;
use crate::message::{Block, Exchange, ExchangeState, Item, Origin, RawJson, ResponseId, UserMessage};
use crate::request::{End, Prelude, PreludeParts, Request, View, Violation, assemble, check, defuse};
use crate::tokens::{Calibration, Estimator, Factor, Ledger, Totals};
use crate::transcript::{self, Record, Writer};
use crate::unit::{Millis, Tokens};
use crate::window::{Policy, PolicyError, Pressure, Thresholds};

/// What the session is doing.
#[derive(Debug)]
pub(super) enum Phase {
    /// Waiting for a prompt.
    Idle,
    /// A turn's model call is out; the raw cost of its request.
    Calling { effect: EffectId, raw: Tokens },
    /// Tools run.
    Tools(Round),
    /// A summarising call is out.
    Summarising(Compaction),
}

/// What a refusal says of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Observed {
    /// The provider named it.
    Stated(Tokens),
    /// It gave no number.
    Guessed(Tokens),
}

impl Observed {
    fn tokens(self) -> Tokens {
        match self {
            Self::Stated(tokens) | Self::Guessed(tokens) => tokens,
        }
    }
}

/// One conversation with a model, and everything that keeps it within the window.
///
/// The rule that holds it together: after every call that takes `&mut self`, drain [`Session::next_effect`] and
/// [`Session::next_event`] until both are empty; perform the effects in any order and answer each with
/// [`Session::complete`]. The session never waits, never looks at a clock and makes no ids at random.
#[derive(Debug)]
pub struct Session {
    pub(super) policy: Policy,
    /// The lines in force; none while the window is not known.
    pub(super) lines: Option<Thresholds>,
    pub(super) tools: Vec<ToolSpec>,
    pub(super) prelude: Prelude,
    pub(super) view: View,
    pub(super) archive: Vec<Arc<Item>>,
    pub(super) writer: Writer,
    pub(super) calibration: Calibration,
    pub(super) totals: Totals,
    pub(super) breaker: Breaker,
    pub(super) phase: Phase,
    /// Prompts typed during a run, in order (J8).
    pub(super) queue: VecDeque<String>,
    pub(super) effects: VecDeque<Effect>,
    /// Stores that have not answered yet; no call goes out before they have (J1).
    pub(super) storing: Vec<EffectId>,
    next_id: u64,
    events: VecDeque<Event>,
    /// Where the request before ended, while its prefix still stands.
    pub(super) end: Option<End>,
    pub(super) last_call: Option<Millis>,
    /// A window that a provider's refusal named or let guess, never stored (T030). A guess holds until the user
    /// speaks again.
    pub(super) observed_window: Option<Observed>,
    /// The raw cost of a refused request; nothing as large is sent again (B4).
    pub(super) refused: Option<Tokens>,
    /// The room that a refusal said is left for the answer, until a reply comes.
    pub(super) output_cap: Option<Tokens>,
    /// Refusals since the user spoke (B2).
    pub(super) overflows: u32,
    /// Ids of responses and calls so far, with how often each was given: some servers begin anew in each reply.
    pub(super) used_ids: BTreeMap<String, usize>,
    /// Pauses of the provider since the user spoke.
    pub(super) pauses: u32,
    /// A file whose last line has no line break gets one before anything is appended.
    open_end: bool,
    config: Config,
}

/// Why a prompt or a command is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refused {
    /// There are no words in it.
    Empty,
    /// A turn is running; wait for its end or cancel it.
    Busy,
}

impl core::fmt::Display for Refused {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Empty => "the prompt is empty; write something",
            Self::Busy => "a turn is running; wait for its end or cancel it",
        })
    }
}

impl core::error::Error for Refused {}

impl Session {
    /// A new session.
    ///
    /// # Errors
    /// [`ConfigError`] names the field that cannot work, or says that system and tools leave no room.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        config.validate()?;
        let estimator = Estimator::new(config.policy.profile);
        let prelude = prelude(&config, estimator);
        config.policy.validate_for(prelude.cost.total()).map_err(ConfigError::Policy)?;
        let mut session = Self {
            lines: config.policy.thresholds(),
            policy: config.policy.clone(),
            tools: config.tools.clone(),
            prelude,
            view: View::new(estimator),
            archive: Vec::new(),
            writer: Writer::new(&config.session_id, None),
            calibration: Calibration::new(),
            totals: Totals::new(),
            breaker: Breaker::new(config.policy.breaker.failures),
            phase: Phase::Idle,
            queue: VecDeque::new(),
            effects: VecDeque::new(),
            storing: Vec::new(),
            next_id: 0,
            events: VecDeque::new(),
            end: None,
            last_call: None,
            observed_window: None,
            refused: None,
            output_cap: None,
            overflows: 0,
            used_ids: BTreeMap::new(),
            pauses: 0,
            open_end: false,
            config,
        };
        if session.lines.is_none() {
            session
                .notice("the model's window is not known: no tier acts before the provider refuses".into());
        }
        Ok(session)
    }

    /// A session that goes on where a transcript ended. Calls that were never answered are closed by marked
    /// errors, and these are appended, so that the repair lasts. No model is called (J7).
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn resume(
        config: Config,
        loaded: &transcript::Session,
        open_end: bool,
        now: Millis,
    ) -> Result<Self, ConfigError> {
        let mut session = Self::new(config)?;
        let estimator = session.view.estimator();
        session.view = View::of(loaded.view.iter().cloned(), estimator);
        session.archive.clone_from(&loaded.archive);
        session.writer = Writer::new(&session.config.session_id, loaded.last.clone());
        session.open_end = open_end;
        for item in loaded.archive.iter().chain(&loaded.view).filter_map(|item| item.as_response()) {
            let calls = item.exchanges().map(|exchange| exchange.call.id.as_str());
            for id in item.response.iter().map(ResponseId::as_str).chain(calls) {
                session.used_ids.insert(id.to_string(), 1);
            }
        }
        for item in loaded.view.iter().filter_map(|item| item.as_response()) {
            for exchange in item.exchanges().filter(|exchange| loaded.repaired.contains(&exchange.call.id)) {
                if let Exchange { state: ExchangeState::Closed(result), .. } = exchange {
                    let record = session.writer.result(result, None, now);
                    session.append(record);
                }
            }
        }
        Ok(session)
    }

    /// Says something to the model. While a turn runs the words are queued and said after it, once.
    ///
    /// # Errors
    /// [`Refused::Empty`] for words without a visible character.
    pub fn prompt(&mut self, words: &str, now: Millis) -> Result<(), Refused> {
        if words.trim().is_empty() {
            return Err(Refused::Empty);
        }
        if self.is_idle() {
            self.start_turn(words, now);
        } else {
            self.queue.push_back(words.to_string());
            self.notice(format!("queued: {} waiting for the end of the turn", self.queue.len()));
        }
        Ok(())
    }

    /// Compacts now. `instructions` go to the summariser.
    ///
    /// # Errors
    /// [`Refused::Busy`] while a turn runs.
    pub fn compact(&mut self, instructions: Option<&str>, now: Millis) -> Result<(), Refused> {
        if !self.is_idle() {
            return Err(Refused::Busy);
        }
        self.breaker.reset();
        self.begin_compaction(Tier::Manual, "the user asked for it".into(), instructions, Then::Idle, now);
        Ok(())
    }

    /// Stops whatever runs. Calls in flight are closed by marked errors, so the session stays valid.
    pub fn cancel(&mut self, now: Millis) {
        match core::mem::replace(&mut self.phase, Phase::Idle) {
            Phase::Idle => {}
            Phase::Calling { effect, .. } => {
                self.abort(effect);
                self.end_turn(TurnEnd::Cancelled, now);
            }
            Phase::Tools(round) => self.cancel_round(round, now),
            Phase::Summarising(compaction) => {
                self.abort(compaction.effect);
                self.compaction_failed(&compaction, "cancelled by the user".into(), now);
                self.end_turn(TurnEnd::Cancelled, now);
            }
        }
    }

    /// The next thing to do, or `None` until an outcome comes. Stores go first, in their order; a call waits until
    /// everything before it is stored (J1).
    pub fn next_effect(&mut self) -> Option<Effect> {
        let is_call = |effect: &Effect| matches!(effect, Effect::CallModel { .. } | Effect::RunTool { .. });
        match self.effects.iter().position(|effect| !is_call(effect)) {
            Some(store) => self.effects.remove(store),
            None if self.storing.is_empty() => self.effects.pop_front(),
            None => None,
        }
    }

    /// Tells what came of an effect. An outcome for an effect that is no longer wanted is ignored.
    pub fn complete(&mut self, id: EffectId, outcome: Outcome, now: Millis) {
        match outcome {
            Outcome::Stored(kept) => self.stored(id, kept, now),
            Outcome::Tool { text, is_error } => self.tool_finished(id, &text, is_error, now),
            Outcome::Model(answer) => self.model_answered(id, answer, now),
        }
    }

    /// The next event, oldest first.
    pub fn next_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// True when nothing runs and a prompt would start a turn.
    pub fn is_idle(&self) -> bool {
        matches!(self.phase, Phase::Idle)
    }

    /// Puts another policy in force from the next call on.
    ///
    /// # Errors
    /// Every field that cannot work.
    pub fn set_policy(&mut self, policy: Policy) -> Result<(), Vec<PolicyError>> {
        policy.validate()?;
        policy.validate_for(self.scaled(self.prelude.cost.total()))?;
        let profile = policy.profile;
        self.policy = policy.clone();
        self.config.policy = policy;
        self.breaker = Breaker::new(self.policy.breaker.failures);
        if profile != self.view.estimator().profile() {
            let estimator = Estimator::new(profile);
            self.prelude = prelude(&self.config, estimator);
            self.view = View::of(self.view.items(), estimator);
            self.calibration = Calibration::new();
        }
        self.prelude.max_tokens = self.policy.max_output;
        self.update_lines();
        Ok(())
    }

    /// Goes on with another model. What was learned of the old one's counting and window no longer holds (B5).
    pub fn set_model(&mut self, model: &str) {
        if self.prelude.model != model {
            self.prelude.model = model.to_string();
            self.config.model = model.to_string();
            self.calibration = Calibration::new();
            self.observed_window = None;
            self.output_cap = None;
            self.end = None;
            self.update_lines();
        }
    }

    /// The request that would be sent now.
    ///
    /// # Errors
    /// The broken rule, when there is one; a call in flight is reported as P4.
    pub fn next_request(&self) -> Result<Request, Violation> {
        let mut request = assemble(&self.prelude, &self.view, self.end).map_err(|call| Violation {
            rule: "P4",
            message: 0,
            what: format!("the call {call} is still in flight"),
        })?;
        request.max_tokens = self.output_limit();
        if cfg!(debug_assertions) {
            check(&request)?;
        }
        Ok(request)
    }

    /// What the next request costs by category: the raw estimate times what was learned from the provider.
    pub fn ledger(&self) -> Ledger {
        (self.prelude.cost + self.view.ledger()).scaled(self.factor())
    }

    /// What the next request costs. The same number is shown, triggers and cuts (A3).
    pub fn total(&self) -> Tokens {
        self.scaled(self.prelude.cost.total() + self.view.ledger().total())
    }

    /// The lines in force; `None` while the window is not known.
    pub fn thresholds(&self) -> Option<Thresholds> {
        self.lines
    }

    /// What the model sees.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// What it no longer sees, oldest first; nothing is ever deleted.
    pub fn archive(&self) -> &[Arc<Item>] {
        &self.archive
    }

    /// System, tools and instructions.
    pub fn prelude(&self) -> &Prelude {
        &self.prelude
    }

    /// The policy in force.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// What was learned of the provider's counting.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// Everything the provider counted over the session's life; never the size of a request (A1).
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    // ── within the agent ────────────────────────────────────────────────────────────────────────────────────

    pub(super) fn factor(&self) -> Factor {
        self.calibration.factor()
    }

    pub(super) fn scaled(&self, raw: Tokens) -> Tokens {
        self.calibration.apply(raw)
    }

    pub(super) fn raw_total(&self) -> Tokens {
        self.prelude.cost.total() + self.view.ledger().total()
    }

    /// The window in force; zero when it is not known.
    pub(super) fn window(&self) -> Tokens {
        self.lines.map_or(Tokens::ZERO, |lines| lines.window)
    }

    /// The output limit to ask for: prompt and answer share the window. An eighth of the prompt is left for what
    /// the estimate misses, as long as the policy's reserve remains.
    pub(super) fn output_limit(&self) -> Tokens {
        let most = self.prelude.max_tokens.min(self.output_cap.unwrap_or(Tokens(u64::MAX)));
        let room = self.lines.map_or(most, |lines| {
            let total = self.total();
            let left = lines.window - total;
            (left - total.scaled(1, 8)).max(lines.reserve.min(left))
        });
        most.min(room).max(Tokens(1))
    }

    /// What a request of this size means.
    pub(super) fn pressure(&self, total: Tokens) -> Pressure {
        self.lines.map_or(Pressure::Low, |lines| lines.pressure(total))
    }

    pub(super) fn update_lines(&mut self) {
        let window = match self.observed_window.map(Observed::tokens) {
            Some(seen) if self.policy.window.is_zero() => seen,
            Some(seen) => seen.min(self.policy.window),
            None => self.policy.window,
        };
        self.lines = self.policy.clone().with_window(window).thresholds();
    }

    pub(super) fn event(&mut self, event: Event) {
        self.events.push_back(event);
    }

    pub(super) fn notice(&mut self, message: String) {
        self.event(Event::Notice { message });
    }

    pub(super) fn new_id(&mut self) -> EffectId {
        self.next_id += 1;
        EffectId(self.next_id)
    }

    /// Hands records to the host. Neighbouring appends share one effect.
    pub(super) fn append(&mut self, record: Record) {
        let mut lines = record.line;
        if core::mem::take(&mut self.open_end) {
            lines.insert(0, '\n');
        }
        if let Some(Effect::Append { lines: waiting, .. }) = self.effects.back_mut() {
            waiting.push_str(&lines);
            return;
        }
        let id = self.new_id();
        self.storing.push(id);
        self.effects.push_back(Effect::Append { id, lines });
    }

    fn start_turn(&mut self, words: &str, now: Millis) {
        self.breaker.reset();
        (self.overflows, self.pauses) = (0, 0);
        (self.refused, self.output_cap) = (None, None);
        if matches!(self.observed_window, Some(Observed::Guessed(_))) {
            self.observed_window = None;
            self.update_lines();
        }
        // Tags in the user's own words cannot forge what the engine attaches (X1).
        let words = &defuse(words);
        let block: RawJson = Block::text(words).raw().clone();
        let record = self.writer.user(Origin::Human, core::slice::from_ref(&block), now);
        let message = UserMessage::text(record.id.clone(), Origin::Human, words);
        self.event(Event::TurnStarted { message: record.id.as_str().to_string() });
        self.append(record);
        self.view.push(Item::User(message));
        self.advance(now);
    }

    /// Ends the turn and says what was typed meanwhile.
    pub(super) fn end_turn(&mut self, end: TurnEnd, now: Millis) {
        self.phase = Phase::Idle;
        self.event(Event::TurnEnded { end });
        if let Some(words) = self.queue.pop_front() {
            self.start_turn(&words, now);
        }
    }

    /// Takes back an effect: not yet handed out, it is dropped; handed out, the host is told to stop.
    pub(super) fn abort(&mut self, id: EffectId) {
        let before = self.effects.len();
        self.effects.retain(|effect| {
            !matches!(effect, Effect::CallModel { id: have, .. } | Effect::RunTool { id: have, .. } if *have == id)
        });
        if self.effects.len() == before {
            self.effects.push_back(Effect::Abort { id });
        }
    }
}

fn prelude(config: &Config, estimator: Estimator) -> Prelude {
    let parts = PreludeParts {
        model: &config.model,
        max_tokens: config.policy.max_output,
        system: config.system.iter().map(String::as_str).collect(),
        memory_index: config.memory_index.as_deref(),
        instructions: config.instructions.as_deref(),
        tools: config.tools.iter().map(ToolSpec::schema).collect(),
        thinking: config.thinking,
    };
    Prelude::new(&parts, estimator)
}
