//! The engine with its host's memory around it: records as they are stored, frames as events come.
//!
//! ```text
//!  Session ─ next_effect ─▶ host performs ─ complete ─▶ Session
//!     └ next_event ─▶ Story (frames)      Append ─▶ Story (turns) and the transcript to export
//! ```

use std::sync::Arc;

use palimpsest_core::agent::{Config, ConfigError, Effect, EffectId, Event, Outcome, Session};
use palimpsest_core::inspect::{WindowParts, WindowReport};
use palimpsest_core::message::{RawJson, ToolCall};
use palimpsest_core::transcript::Entry;
use palimpsest_core::unit::{Millis, Tokens};

use crate::state::{Sent, Story};

/// A session and what its host keeps of it.
#[derive(Debug)]
pub(crate) struct Engine {
    session: Session,
    /// The records, as a file would hold them.
    transcript: String,
    lines: u64,
}

/// What the host cannot do at once: it performs it and answers by [`Engine::complete`].
#[derive(Debug)]
pub(crate) enum Task {
    Call { id: EffectId, sent: Arc<Sent> },
    Tool { id: EffectId, call: ToolCall },
    Abort,
}

impl Engine {
    /// Starts a session and draws its empty window as the story's first frame.
    ///
    /// # Errors
    /// The engine's own: a policy that cannot work, a tool's name.
    pub(crate) fn new(config: Config, story: &mut Story) -> Result<Self, ConfigError> {
        let session = Session::new(config)?;
        *story = Story::still(report(&session), crate::state::Turns::default());
        Ok(Self { session, transcript: String::new(), lines: 0 })
    }

    pub(crate) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The records so far: a session file.
    pub(crate) fn transcript(&self) -> &str {
        &self.transcript
    }

    /// The next thing to do. Storing is done here, since the page keeps records in memory.
    pub(crate) fn next(&mut self, story: &mut Story, now: Millis) -> Option<Task> {
        loop {
            self.tell(story);
            match self.session.next_effect()? {
                Effect::Append { id, lines } => {
                    self.store(&lines, story);
                    self.session.complete(id, Outcome::Stored(Ok(())), now);
                }
                // A page has no folder: the whole result stays in the record, from which the conversation shows it.
                Effect::WriteArtifact { id, .. } => self.session.complete(id, Outcome::Stored(Ok(())), now),
                Effect::CallModel { id, purpose, request } => {
                    let sent = Arc::new(Sent { purpose, request: *request });
                    story.asked(&sent);
                    return Some(Task::Call { id, sent });
                }
                Effect::RunTool { id, call } => return Some(Task::Tool { id, call }),
                Effect::Abort { .. } => return Some(Task::Abort),
                _ => {}
            }
        }
    }

    /// Answers an effect.
    pub(crate) fn complete(&mut self, id: EffectId, outcome: Outcome, now: Millis, story: &mut Story) {
        self.session.complete(id, outcome, now);
        self.tell(story);
    }

    /// Puts the events that came into the story.
    pub(crate) fn tell(&mut self, story: &mut Story) {
        let mut events: Vec<Event> = Vec::new();
        while let Some(event) = self.session.next_event() {
            events.push(event);
        }
        if !events.is_empty() {
            story.moved(events, report(&self.session));
        }
    }

    fn store(&mut self, lines: &str, story: &mut Story) {
        for line in lines.lines().filter(|line| !line.trim().is_empty()) {
            self.lines += 1;
            if let Ok(raw) = RawJson::parse(line) {
                story.record(&Entry::from_raw(raw, self.lines));
            }
        }
        self.transcript.push_str(lines);
    }
}

/// The account of a live session's window.
fn report(session: &Session) -> WindowReport {
    WindowReport::of(&WindowParts {
        model: &session.prelude().model,
        thresholds: session.thresholds(),
        prelude: session.prelude().cost,
        view: session.view(),
        factor: session.calibration().factor(),
        unseen: Tokens::ZERO,
    })
}
