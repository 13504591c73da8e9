//! The live session's host: performs what the engine asks for, one task after another, until the turn is over.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use palimpsest_core::agent::{Config, Outcome};
use palimpsest_core::sim::{self, SimTools};
use palimpsest_core::tokens::Profile;
use palimpsest_core::unit::Tokens;
use palimpsest_core::window::Policy;
use web_sys::AbortController;

use super::http::{Provider, Target, call, parse_address};
use super::secret::Secret;
use crate::browser;
use crate::engine::{Engine, Task};
use crate::memory::{Memory, index};
use crate::state::{Stage, Story, Tab};

/// Who the model is told to be.
const SYSTEM: &str = "You are a careful coding agent in a small project. Look before you answer: list the files, read the \
ones that matter, and say in which file you found what. Answer in plain text, briefly.";

/// What the form says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choice {
    pub provider: RwSignal<Provider>,
    pub address: RwSignal<String>,
    pub model: RwSignal<String>,
    pub window: RwSignal<u64>,
    pub policy: RwSignal<String>,
    /// Never leaves this signal but into a header of a call to its origin.
    pub key: RwSignal<Secret>,
}

/// The place's state.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Live {
    pub stage: Stage,
    pub choice: Choice,
    pub prompt: RwSignal<String>,
    pub busy: RwSignal<bool>,
    pub failure: RwSignal<Option<String>>,
    pub started: RwSignal<bool>,
    memory: Memory,
    engine: StoredValue<Option<Rc<RefCell<Engine>>>, LocalStorage>,
    abort: StoredValue<Option<AbortController>, LocalStorage>,
}

impl Live {
    pub(crate) fn new(memory: Memory) -> Self {
        let choice = Choice {
            provider: RwSignal::new(Provider::Anthropic),
            address: RwSignal::new(Provider::Anthropic.address().to_owned()),
            model: RwSignal::new(String::new()),
            window: RwSignal::new(200_000),
            policy: RwSignal::new(Policy::default().name),
            key: RwSignal::new(Secret::default()),
        };
        Self {
            stage: Stage::new(Tab::Steps),
            choice,
            prompt: RwSignal::new(String::new()),
            busy: RwSignal::new(false),
            failure: RwSignal::new(None),
            started: RwSignal::new(false),
            memory,
            engine: StoredValue::new_local(None),
            abort: StoredValue::new_local(None),
        }
    }

    /// Sends the prompt. What was typed stays until the engine has taken it.
    pub(crate) fn send(self) {
        self.failure.set(None);
        let words = self.prompt.get_untracked();
        let started = self.target().and_then(|target| {
            let engine = self.ensure()?;
            let taken = engine.borrow_mut().session().prompt(&words, browser::now());
            taken.map_err(|refused| refused.to_string())?;
            Ok((target, engine))
        });
        match started {
            Ok((target, engine)) => {
                self.prompt.set(String::new());
                self.run(engine, target);
            }
            Err(why) => self.failure.set(Some(why)),
        }
    }

    /// Compacts by hand.
    pub(crate) fn compact(self) {
        self.failure.set(None);
        let started = self.target().and_then(|target| {
            let engine = self.ensure()?;
            let taken = engine.borrow_mut().session().compact(None, browser::now());
            taken.map_err(|refused| refused.to_string())?;
            Ok((target, engine))
        });
        match started {
            Ok((target, engine)) => self.run(engine, target),
            Err(why) => self.failure.set(Some(why)),
        }
    }

    /// Stops the turn that runs.
    pub(crate) fn cancel(self) {
        if let Some(abort) = self.abort.get_value() {
            abort.abort();
        }
        if let Some(engine) = self.engine.get_value() {
            engine.borrow_mut().session().cancel(browser::now());
        }
    }

    /// Forgets the session; the form stays as it is.
    pub(crate) fn reset(self) {
        self.cancel();
        self.engine.set_value(None);
        self.started.set(false);
        self.failure.set(None);
        self.stage.step.set(0);
        self.stage.story.set(Story::default());
    }

    /// The transcript as a session file.
    pub(crate) fn export(self) {
        let Some(engine) = self.engine.get_value() else { return };
        let kept = browser::download("session.jsonl", "application/jsonl", engine.borrow().transcript());
        if let Err(error) = kept {
            self.failure.set(Some(format!("The transcript cannot be saved: {}", browser::words_of(&error))));
        }
    }

    fn target(self) -> Result<Target, String> {
        let (address, origin) = parse_address(&self.choice.address.get_untracked())?;
        if self.choice.model.with_untracked(|model| model.trim().is_empty()) {
            return Err("Which model? Type its name as the provider spells it".to_owned());
        }
        let provider = self.choice.provider.get_untracked();
        Ok(Target { provider, address, origin, key: self.choice.key.get_untracked() })
    }

    /// The session, started or brought up to date with the form.
    fn ensure(self) -> Result<Rc<RefCell<Engine>>, String> {
        let model = self.choice.model.get_untracked().trim().to_owned();
        let name = self.choice.policy.get_untracked();
        let policy = Policy::named(&name).ok_or_else(|| format!("there is no policy {name}"))?;
        // Each family of models has a tokeniser of its own; the provider's usage corrects what is left.
        let profile = match self.choice.provider.get_untracked() {
            Provider::Anthropic => Profile::Claude,
            Provider::OpenAi => Profile::O200k,
        };
        let policy = Policy { profile, ..policy.with_window(Tokens(self.choice.window.get_untracked())) };
        if let Some(engine) = self.engine.get_value() {
            {
                let mut engine = engine.borrow_mut();
                engine.session().set_model(&model);
                if *engine.session().policy() != policy {
                    let told = |errors: Vec<_>| {
                        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
                    };
                    engine.session().set_policy(policy).map_err(told)?;
                }
            }
            return Ok(engine);
        }
        let mut config = Config::new(&format!("live-{}", browser::now().get()), &model, policy);
        config.system = vec![SYSTEM.to_owned()];
        config.tools = sim::tools();
        config.memory_index = self.memory.files.with_untracked(index);
        let mut story = Story::default();
        let engine = Engine::new(config, &mut story).map_err(|error| error.to_string())?;
        self.stage.step.set(0);
        self.stage.story.set(story);
        let engine = Rc::new(RefCell::new(engine));
        self.engine.set_value(Some(engine.clone()));
        self.started.set(true);
        Ok(engine)
    }

    fn run(self, engine: Rc<RefCell<Engine>>, target: Target) {
        if self.busy.get_untracked() {
            // The running loop finds what was queued.
            return;
        }
        self.busy.set(true);
        spawn_local(async move {
            let mut tools = SimTools::new();
            while let Some(task) = self.step(|story| engine.borrow_mut().next(story, browser::now())) {
                let (id, outcome) = match task {
                    Task::Call { id, sent } => {
                        let Ok(abort) = AbortController::new() else { break };
                        self.abort.set_value(Some(abort.clone()));
                        let reply = call(&target, &sent, &abort.signal()).await;
                        self.abort.set_value(None);
                        if let Err(failure) = &reply
                            && !failure.is_context_exceeded()
                        {
                            self.failure.set(Some(failure.to_string()));
                        }
                        (id, Outcome::Model(reply))
                    }
                    Task::Tool { id, call } => {
                        let (text, is_error) = tools.run(&call);
                        (id, Outcome::Tool { text, is_error })
                    }
                    Task::Abort => continue,
                };
                self.step(|story| engine.borrow_mut().complete(id, outcome, browser::now(), story));
            }
            self.busy.set(false);
        });
    }

    /// Lets the engine move, and follows it where one stood at its newest step.
    fn step<T>(self, act: impl FnOnce(&mut Story) -> T) -> T
    where
        T: 'static,
    {
        let follows = self.stage.step.get_untracked() >= self.stage.last.get_untracked();
        let mut story = self.stage.story.get_untracked();
        let result = act(&mut story);
        self.stage.story.set(story);
        if follows {
            self.stage.step.set(self.stage.last.get_untracked());
        }
        result
    }
}
