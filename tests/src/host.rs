//! A host for tests: answers every effect of a session from closures, keeps the file and the events.

use std::collections::VecDeque;

use palimpsest_core::agent::{Effect, Event, Outcome, Purpose, Session};
use palimpsest_core::message::ToolCall;
use palimpsest_core::provider::{ModelFailure, Reply};
use palimpsest_core::request::{Request, check};
use palimpsest_core::unit::Millis;

/// A model's side of a conversation.
pub type Model<'a> = Box<dyn FnMut(Purpose, &Request) -> Result<Reply, ModelFailure> + 'a>;
/// A tool: its name to its output and whether it failed.
pub type Tool<'a> = Box<dyn FnMut(&str) -> (String, bool) + 'a>;

/// Drives a session to rest.
pub struct Host<'a> {
    /// The session.
    pub session: Session,
    /// Answers model calls.
    pub model: Model<'a>,
    /// Answers tool calls.
    pub tool: Tool<'a>,
    /// Everything that was appended.
    pub file: String,
    /// Every request that was sent, each checked.
    pub requests: Vec<(Purpose, Request)>,
    /// Every event.
    pub events: Vec<Event>,
    /// Whether outcomes come newest first.
    pub newest_first: bool,
    now: u64,
}

impl std::fmt::Debug for Host<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("requests", &self.requests.len()).field("events", &self.events).finish()
    }
}

impl<'a> Host<'a> {
    /// A host for a session.
    pub fn new(session: Session, model: Model<'a>, tool: Tool<'a>) -> Self {
        let (file, requests, events) = (String::new(), Vec::new(), Vec::new());
        Self { session, model, tool, file, requests, events, newest_first: false, now: 1_000_000 }
    }

    /// Says something and runs until nothing is left to do.
    ///
    /// # Errors
    /// The first request that breaks a rule.
    pub fn say(&mut self, words: &str) -> Result<(), String> {
        self.session.prompt(words, Millis(self.now)).map_err(|refused| refused.to_string())?;
        self.run()
    }

    /// Runs until nothing is left to do.
    ///
    /// # Errors
    /// The first request that breaks a rule.
    pub fn run(&mut self) -> Result<(), String> {
        let mut open = VecDeque::new();
        loop {
            while let Some(effect) = self.session.next_effect() {
                open.push_back(effect);
            }
            self.events.extend(std::iter::from_fn(|| self.session.next_event()));
            let next = if self.newest_first { open.pop_back() } else { open.pop_front() };
            let Some(effect) = next else { return Ok(()) };
            self.now += 1;
            let (id, outcome) = match effect {
                Effect::Append { id, lines } => {
                    self.file.push_str(&lines);
                    (id, Outcome::Stored(Ok(())))
                }
                Effect::WriteArtifact { id, .. } => (id, Outcome::Stored(Ok(()))),
                Effect::RunTool { id, call } => {
                    let (text, is_error) = (self.tool)(&call.name);
                    (id, Outcome::Tool { text, is_error })
                }
                Effect::CallModel { id, purpose, request } => {
                    check(&request).map_err(|violation| format!("{violation}\n{request:#?}"))?;
                    let answer = (self.model)(purpose, &request);
                    self.requests.push((purpose, *request));
                    (id, Outcome::Model(answer))
                }
                _ => continue,
            };
            self.session.complete(id, outcome, Millis(self.now));
        }
    }
}

/// Answers every effect of a session, oldest first, until nothing is left to do. Stores always succeed.
pub fn play(
    session: &mut Session,
    now: &mut Millis,
    model: &mut dyn FnMut(Purpose, &Request) -> Result<Reply, ModelFailure>,
    tool: &mut dyn FnMut(&ToolCall) -> (String, bool),
    event: &mut dyn FnMut(&Event),
) {
    loop {
        std::iter::from_fn(|| session.next_event()).for_each(|happened| event(&happened));
        let Some(effect) = session.next_effect() else { return };
        *now += Millis(1_000);
        let (id, outcome) = match effect {
            Effect::Append { id, .. } | Effect::WriteArtifact { id, .. } => (id, Outcome::Stored(Ok(()))),
            Effect::RunTool { id, call } => {
                let (text, is_error) = tool(&call);
                (id, Outcome::Tool { text, is_error })
            }
            Effect::CallModel { id, purpose, request } => (id, Outcome::Model(model(purpose, &request))),
            _ => continue,
        };
        session.complete(id, outcome, *now);
    }
}
