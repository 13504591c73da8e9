//! The demo: a whole session of the engine with a simulated model, run anew whenever a setting moves.
//!
//! ```text
//!  window, policy, small model's window ─▶ run (Engine + SimModel + SimTools, in slices) ─▶ Story ─▶ stage
//! ```
//!
//! No step and no number is scripted: the tiers act where the engine's own estimate crosses its own lines.

mod run;
mod view;

use leptos::prelude::*;
use leptos::task::spawn_local;
use palimpsest_core::window::Policy;

use crate::controls::WINDOWS;
use crate::hash::Link;
use crate::state::{Stage, Tab};

pub(crate) use view::DemoPlace;

/// The window the demo starts with: small enough that a short session fills it.
const FIRST_WINDOW: u64 = 24_000;
/// The small model's window at first, in percent of the large one's.
const FIRST_SMALL: u32 = 60;
/// The smallest small model, in percent.
pub(crate) const LEAST_SMALL: u32 = 30;

/// What one can move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    pub window: u64,
    pub policy: String,
    pub small: u32,
}

impl Settings {
    /// What a link says, where it makes sense; else what the demo starts with.
    fn of(link: &Link) -> Self {
        let known = |name: &String| Policy::NAMES.contains(&name.as_str());
        Self {
            window: link.window.filter(|window| WINDOWS.contains(window)).unwrap_or(FIRST_WINDOW),
            policy: link.policy.clone().filter(known).unwrap_or_else(|| Policy::default().name),
            small: link.small.filter(|percent| (LEAST_SMALL..=100).contains(percent)).unwrap_or(FIRST_SMALL),
        }
    }
}

/// The place's state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demo {
    pub stage: Stage,
    pub window: RwSignal<u64>,
    pub policy: RwSignal<String>,
    /// The small model's window, in percent. The engine is not told of it: it learns by being refused.
    pub small: RwSignal<u32>,
    /// Why the newest settings cannot work; the story is still that of the last that did.
    pub failure: RwSignal<Option<String>>,
    /// True when the story was stopped since it went in circles.
    pub stopped: RwSignal<bool>,
    /// True while the engine runs.
    pub running: RwSignal<bool>,
    /// The step a link asked for, until the story is there.
    wanted: RwSignal<Option<usize>>,
    /// Counts the runs, so that a newer one stops an older.
    newest: RwSignal<u64>,
}

impl Demo {
    pub(crate) fn new(link: &Link) -> Self {
        let Settings { window, policy, small } = Settings::of(link);
        let demo = Self {
            stage: Stage::new(Tab::Steps),
            window: RwSignal::new(window),
            policy: RwSignal::new(policy),
            small: RwSignal::new(small),
            failure: RwSignal::new(None),
            stopped: RwSignal::new(false),
            running: RwSignal::new(false),
            wanted: RwSignal::new(link.step),
            newest: RwSignal::new(0),
        };
        Effect::new(move |_| demo.run(demo.settings()));
        demo
    }

    /// Goes where a link says.
    pub(crate) fn follow(self, link: &Link) {
        let settings = Settings::of(link);
        let same = settings == untrack(|| self.settings());
        self.wanted.set(link.step);
        if same {
            self.arrive();
        } else {
            self.window.set(settings.window);
            self.policy.set(settings.policy);
            self.small.set(settings.small);
        }
    }

    /// Goes to the step that a link asked for, or stays where one was.
    fn arrive(self) {
        let wanted = self.wanted.get_untracked();
        self.wanted.set(None);
        self.stage.go(wanted.unwrap_or(self.stage.step.get_untracked()));
    }

    fn settings(self) -> Settings {
        Settings { window: self.window.get(), policy: self.policy.get(), small: self.small.get() }
    }

    /// The link to this moment.
    pub(crate) fn link(self) -> Link {
        let Settings { window, policy, small } = self.settings();
        Link {
            view: None,
            step: Some(self.stage.step.get()),
            window: Some(window),
            policy: Some(policy),
            small: Some(small),
        }
    }

    /// Runs the whole session by these settings and shows it where one stood, or where a link leads.
    fn run(self, settings: Settings) {
        let number = self.newest.get_untracked() + 1;
        self.newest.set(number);
        self.running.set(true);
        spawn_local(async move {
            let is_newest = move || self.newest.get_untracked() == number;
            let ended = run::session(&settings, is_newest).await;
            if !is_newest() {
                return;
            }
            self.running.set(false);
            match ended {
                Ok(run::Played { story, stopped }) => {
                    self.failure.set(None);
                    self.stopped.set(stopped);
                    let at_end = self.stage.last.get_untracked() > 0
                        && self.stage.step.get_untracked() == self.stage.last.get_untracked();
                    self.stage.playing.set(false);
                    self.stage.story.set(story);
                    if at_end && self.wanted.get_untracked().is_none() {
                        self.wanted.set(Some(usize::MAX));
                    }
                    self.arrive();
                }
                Err(why) => self.failure.set(Some(why)),
            }
        });
    }
}
