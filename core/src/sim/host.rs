//! A host for tests: it does what a page or a program does, without waiting.

use std::string::{String, ToString};
use std::vec::Vec;

use super::*;
use crate::agent::{Config, Effect, Event, Outcome, Purpose, Session};
use crate::message::{Part, joined_text};
use crate::request::check;
use crate::unit::{Millis, Tokens};
use crate::window::Policy;

/// A host that runs a session against the simulation, and keeps what happened.
pub(super) struct Host {
    session: Session,
    model: SimModel,
    pub(super) tools: SimTools,
    pub(super) events: Vec<Event>,
    /// Every prompt's size by the simulation's count, and whether it was refused.
    pub(super) sent: Vec<(Purpose, Tokens, bool)>,
    /// What the model said.
    pub(super) texts: Vec<String>,
    /// What tools returned and the model wrote, by the simulation's count.
    pub(super) traffic: Tokens,
    now: u64,
}

impl Host {
    fn new(window: Tokens) -> Self {
        let policy = Policy::default().with_window(window).with_max_output(Tokens(4_000));
        let mut config = Config::new("demo", LARGE, policy);
        config.system = std::vec![SYSTEM.to_string()];
        config.instructions = Some(INSTRUCTIONS.to_string());
        config.tools = tools();
        config.thinking = Some(Tokens(1_024));
        Self {
            session: Session::new(config).unwrap(),
            model: SimModel::new(SimConfig::new(window)),
            tools: SimTools::new(),
            events: Vec::new(),
            sent: Vec::new(),
            texts: Vec::new(),
            traffic: Tokens::ZERO,
            now: 1_772_500_000_000,
        }
    }

    /// Says something and performs effects until the session is idle.
    fn say(&mut self, text: &str) {
        self.session.prompt(text, Millis(self.now)).unwrap();
        let mut steps = 0;
        while let Some(effect) = self.session.next_effect() {
            steps += 1;
            assert!(steps < 400, "the turn does not end: {text}");
            self.now += 700;
            self.perform(effect);
            while let Some(event) = self.session.next_event() {
                self.events.push(event);
            }
        }
        assert!(self.session.is_idle());
    }

    fn perform(&mut self, effect: Effect) {
        let (id, outcome) = match effect {
            Effect::CallModel { id, purpose, request } => {
                check(&request).unwrap();
                let reply = self.model.reply(purpose, &request);
                self.sent.push((purpose, self.model.count(&request), reply.is_err()));
                if let (Ok(reply), Purpose::Turn) = (&reply, purpose) {
                    let words = reply.parts.iter().filter_map(|part| match part {
                        Part::Block(block) => Some(block),
                        Part::Exchange(_) => None,
                    });
                    self.texts.push(joined_text(words));
                    self.traffic += reply.usage.unwrap().output;
                }
                (id, Outcome::Model(reply))
            }
            Effect::RunTool { id, call } => {
                let (text, is_error) = self.tools.run(&call);
                self.traffic += Tokens(counter::text(&text));
                (id, Outcome::Tool { text, is_error })
            }
            Effect::Append { id, .. } | Effect::WriteArtifact { id, .. } => (id, Outcome::Stored(Ok(()))),
            _ => return,
        };
        self.session.complete(id, outcome, Millis(self.now));
    }

    /// The demo from beginning to end.
    pub(super) fn demo(window: Tokens) -> Self {
        let mut host = Self::new(window);
        for prompt in demo_prompts() {
            host.session.set_model(prompt.model);
            host.say(&prompt.text);
        }
        host
    }
}
