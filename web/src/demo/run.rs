//! Runs the demo's session from its first prompt to its last answer, in slices, with a clock of its own.

use palimpsest_core::agent::{Config, Outcome};
use palimpsest_core::sim::{self, SimConfig, SimModel, SimTools};
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
/// The simulated models answer with at most this much, and think with at most that much.
const MAX_OUTPUT: Tokens = Tokens(4_000);
const THINKING: Tokens = Tokens(1_024);
/// A session with more tasks than this goes in circles: in a tiny window the simulated agent forgets what it has read,
/// reads it again, and forgets it again.
pub(super) const MOST_TASKS: usize = 600;

/// A story, and whether it came to its end.
#[derive(Debug)]
pub(super) struct Played {
    pub story: Story,
    pub stopped: bool,
}

/// The whole story. `wanted` turns false when a newer run has begun.
///
/// # Errors
/// The engine's words for settings that cannot work.
pub(super) async fn session(settings: &Settings, wanted: impl Fn() -> bool) -> Result<Played, String> {
    let window = Tokens(settings.window);
    let policy =
        Policy::named(&settings.policy).ok_or_else(|| format!("there is no policy {}", settings.policy))?;
    let mut model = SimModel::new(SimConfig { window, small_permille: settings.small * 10 });
    let mut tools = SimTools::new();
    let mut config = Config::new("demo", sim::LARGE, policy.with_window(window).with_max_output(MAX_OUTPUT));
    config.system = vec![sim::SYSTEM.to_owned()];
    config.tools = sim::tools();
    config.thinking = Some(THINKING);
    config.instructions = Some(sim::INSTRUCTIONS.to_owned());

    let mut story = Story::default();
    let mut engine = Engine::new(config, &mut story).map_err(|error| error.to_string())?;
    let mut now = BEGIN;
    let mut since = clock();
    let mut tasks = 0;
    for prompt in sim::demo_prompts() {
        engine.session().set_model(prompt.model);
        engine.session().prompt(&prompt.text, now).map_err(|refused| refused.to_string())?;
        while let Some(task) = engine.next(&mut story, now) {
            tasks += 1;
            if tasks > MOST_TASKS {
                return Ok(Played { story, stopped: true });
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
                    return Ok(Played { story, stopped: true });
                }
            }
        }
    }
    Ok(Played { story, stopped: false })
}
