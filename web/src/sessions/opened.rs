//! The opened file, and opening another one without losing it before that has worked.

use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use palimpsest_core::inspect::Inspection;
use palimpsest_core::transcript::{Log, Session};
use palimpsest_core::unit::Tokens;
use palimpsest_core::window::Policy;
use web_sys::File;

use super::reading::{Cancel, Stopped, read, turns};
use crate::browser::breathe;
use crate::state::{Stage, Story, Tab, Turns};

/// A file that was read.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub name: String,
    pub log: Arc<Log>,
    pub session: Arc<Session>,
    pub turns: Turns,
}

/// How far a reading is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress {
    pub name: String,
    pub done: f64,
    pub size: f64,
}

/// The place's state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sessions {
    pub stage: Stage,
    pub opened: RwSignal<Option<Opened>>,
    pub inspection: RwSignal<Option<Arc<Inspection>>>,
    pub progress: RwSignal<Option<Progress>>,
    pub failure: RwSignal<Option<String>>,
    /// The policy whose lines are drawn.
    pub policy: RwSignal<String>,
    /// The window, when the reader of the page says which; else it is assumed.
    pub window: RwSignal<Option<u64>>,
    cancel: StoredValue<Cancel, LocalStorage>,
}

impl Sessions {
    pub(crate) fn new() -> Self {
        let sessions = Self {
            stage: Stage::new(Tab::Item),
            opened: RwSignal::new(None),
            inspection: RwSignal::new(None),
            progress: RwSignal::new(None),
            failure: RwSignal::new(None),
            policy: RwSignal::new(Policy::default().name),
            window: RwSignal::new(None),
            cancel: StoredValue::new_local(Cancel::default()),
        };
        Effect::new(move |_| {
            let (policy, window) = (sessions.policy.get(), sessions.window.get());
            sessions.opened.with(|opened| match opened {
                Some(opened) => sessions.draw(opened, &policy, window),
                None => sessions.inspection.set(None),
            });
        });
        sessions
    }

    /// Opens a file. What is open stays until this one has been read.
    pub(crate) fn open(self, file: File) {
        self.cancel.get_value().cancel();
        let cancel = Cancel::default();
        self.cancel.set_value(cancel.clone());
        self.failure.set(None);
        let name = file.name();
        self.progress.set(Some(Progress { name: name.clone(), done: 0.0, size: file.size() }));
        spawn_local(async move {
            let tell = |done, size| self.progress.set(Some(Progress { name: name.clone(), done, size }));
            let read = async {
                let log = read(&file, &cancel, tell).await?;
                let turns = turns(&log, &cancel).await?;
                breathe().await;
                let session = Session::load(&log);
                // Counting comes next; between the two long pieces of work the page draws and hears.
                breathe().await;
                Ok(Opened { name: name.clone(), log: Arc::new(log), session: Arc::new(session), turns })
            };
            let outcome: Result<Opened, Stopped> = read.await;
            if outcome == Err(Stopped::Cancelled) {
                return;
            }
            self.progress.set(None);
            match outcome {
                Ok(opened) => {
                    self.window.set(None);
                    self.stage.selected.set(None);
                    self.opened.set(Some(opened));
                }
                Err(Stopped::Failed(why)) => self.failure.set(Some(why)),
                Err(Stopped::Cancelled) => {}
            }
        });
    }

    /// Stops the reading that goes on.
    pub(crate) fn stop(self) {
        self.cancel.get_value().cancel();
        self.progress.set(None);
    }

    fn draw(self, opened: &Opened, policy: &str, window: Option<u64>) {
        let policy = Policy::named(policy).unwrap_or_default();
        let inspection = Inspection::of(&opened.log, &opened.session, &policy, window.map(Tokens));
        let story = Story::still(inspection.window.clone(), opened.turns.clone());
        self.stage.story.set(story);
        // What ate the window is what one came for: the largest item is picked until another one is.
        if let Some(largest) =
            inspection.view.largest.first().filter(|_| self.stage.selected.with_untracked(Option::is_none))
        {
            self.stage.pick(&largest.id);
        }
        self.inspection.set(Some(Arc::new(inspection)));
    }
}

impl PartialEq for Opened {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.log, &other.log)
    }
}
