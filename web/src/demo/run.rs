//! Runs the demo's session from its first prompt to its last answer, in slices, with a clock of its own.

use palimpsest_core::agent::{Config, Outcome};
use crate::sim_shim::{self, SimConfig, SimModel, SimTools};
use palimpsest_core::unit::{Millis, Tokens};
use palimpsest_core::window::Policy;

use super::Settings;
use crate::browser::{SLICE_MS, breathe, clock};
use crate::engine::{Engine, Task};
use crate::state::Story;

/// The moment the demo begins, the same each time: what it shows depends on its settings alone.
const BEGIN: Millis = Millis(1_767_225_600_000);
/// What each task takes on the demo's clock.
const TICK: Millis = Millis(2_000);
/// No session of the demo has as many tasks; one that does is stuck.
const MOST_TASKS: usize = 5_000;

/// The whole story. `wanted` turns false when a newer run has begun.
///
/// # Errors
/// The engine's words for settings that cannot work.
pub(crate) async fn session(settings: &Settings, wanted: impl Fn() -> bool) -> Result<Story, String> {
    let window = Tokens(settings.window);
    let policy = Policy::named(&settings.policy).ok_or_else(|| format!("there is no policy {}", settings.policy))?;
    let provider = window.scaled(u64::from(settings.provider), 100);
    let mut model = SimModel::new(SimConfig::new(provider));
    let mut tools = SimTools::new();
    let mut config = Config::new("demo", sim_shim::MODEL, policy.with_window(window));
    config.system = sim_shim::system();
    config.tools = SimTools::specs();
    config.instructions = sim_shim::instructions();

    let mut story = Story::default();
    let mut engine = Engine::new(config, &mut story).map_err(|error| error.to_string())?;
    let mut now = BEGIN;
    let mut since = clock();
    let mut tasks = 0;
    for prompt in sim_shim::demo_prompts() {
        engine.session().prompt(prompt, now).map_err(|refused| refused.to_string())?;
        while let Some(task) = engine.next(&mut story, now) {
            tasks += 1;
            if tasks > MOST_TASKS {
                return Err("the session does not come to its end".to_owned());
            }
            now += TICK;
            let (id, outcome) = match task {
                Task::Call { id, sent } => (id, Outcome::Model(model.reply(sent.purpose, &sent.request))),
                Task::Tool { id, call } => {
                    let (text, is_error) = tools.run(&call);
                    (id, Outcome::Tool { text, is_error })
                }
                Task::Abort => continue,
            };
            engine.complete(id, outcome, now, &mut story);
            if clock() - since > SLICE_MS {
                breathe().await;
                since = clock();
                if !wanted() {
                    return Ok(story);
                }
            }
        }
    }
    Ok(story)
}
