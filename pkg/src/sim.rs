//! A simulated model with a project to work on, for demos and tests. It is no language model and says so.

use palimpsest_core::agent::{Config, Effect, Outcome};
use palimpsest_core::sim::{self, SimConfig, SimModel, SimTools};
use wasm_bindgen::prelude::*;

use crate::convert::tokens;
use crate::error::Result;
use crate::policy::chosen;
use crate::session::Session;

/// The simulated model and its tools, which together stand for a host.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Simulation {
    model: SimModel,
    tools: SimTools,
}

#[wasm_bindgen]
impl Simulation {
    /// A model that refuses prompts over `window` tokens by its own count.
    ///
    /// # Errors
    /// `bad-argument` for a window that is no number of tokens.
    #[wasm_bindgen(constructor)]
    pub fn new(window: f64) -> Result<Simulation> {
        let window = tokens(window, "window")?;
        Ok(Self { model: SimModel::new(SimConfig::new(window)), tools: SimTools::new() })
    }

    /// What the user of the demo says, in order.
    pub fn prompts() -> Vec<String> {
        sim::demo_prompts().iter().map(|prompt| prompt.text.clone()).collect()
    }

    /// A session for the demo's model, tools and project.
    ///
    /// # Errors
    /// As the constructor of `Session`.
    pub fn open(
        #[wasm_bindgen(unchecked_param_type = "string | Policy | null")] policy: JsValue,
        window: f64,
    ) -> Result<Session> {
        let policy = chosen(policy)?.with_window(tokens(window, "window")?);
        Session::of(Config {
            system: vec![sim::SYSTEM.to_owned()],
            tools: sim::tools(),
            instructions: Some(sim::INSTRUCTIONS.to_owned()),
            ..Config::new("simulated", sim::LARGE, policy)
        })
    }

    /// Performs a model call or tool call that the session handed out.
    ///
    /// # Errors
    /// `unknown-effect` when no call waits under this number.
    pub fn perform(&mut self, session: &mut Session, id: f64, now: f64) -> Result<()> {
        let outcome = match session.waiting(id)? {
            Effect::CallModel { purpose, request, .. } => Outcome::Model(self.model.reply(*purpose, request)),
            Effect::RunTool { call, .. } => {
                let (text, is_error) = self.tools.run(call);
                Outcome::Tool { text, is_error }
            }
            _ => return Ok(()),
        };
        session.answer(id, outcome, now);
        Ok(())
    }
}
