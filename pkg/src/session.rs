//! A session for a JavaScript host: prompt, drain effects and events, answer.

use palimpsest_core::agent::{self, Config, Effect, EffectId, Outcome, ToolSpec};
use palimpsest_core::inspect::{WindowParts, WindowReport};
use palimpsest_core::message::RawJson;
use palimpsest_core::transcript;
use palimpsest_core::unit::Tokens;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use crate::convert::{Members, millis, to_js};
use crate::effect::{self, EffectValue};
use crate::error::{self, Result, error};
use crate::model::Wire;
use crate::policy::chosen;

/// A tool that the host runs.
#[derive(Debug, Tsify)]
#[serde(rename_all = "camelCase")]
struct ToolConfig {
    /// Its name, as the model calls it.
    name: String,
    /// What it does, for the model.
    description: String,
    /// The JSON schema of its input, as JSON text.
    input_schema: String,
    /// It changes nothing.
    #[tsify(optional)]
    read_only: bool,
    /// It may run beside others of its round; the default is one after another.
    #[tsify(optional)]
    concurrent: bool,
}

/// What a session starts with.
#[derive(Debug, Tsify)]
#[serde(rename_all = "camelCase")]
struct SessionConfig {
    /// The model's name as the provider knows it.
    model: String,
    /// The session's id: record ids are made from it.
    session_id: String,
    /// The policy: a name or an object. Default `palimpsest`.
    #[tsify(type = "string | Policy | null", optional)]
    policy: JsValue,
    /// The model's window in tokens, in place of the policy's; 0 when it is not known.
    #[tsify(type = "number | null", optional)]
    window: Option<Tokens>,
    /// The model's output limit in tokens, in place of the policy's.
    #[tsify(type = "number | null", optional)]
    max_output: Option<Tokens>,
    /// Identity and environment, one block each.
    #[tsify(optional)]
    system: Vec<String>,
    /// The tools that the host runs.
    #[tsify(optional)]
    tools: Vec<ToolConfig>,
    /// Instruction files' text; prepended to every call and never stored.
    #[tsify(type = "string | null", optional)]
    instructions: Option<String>,
    /// The memory index file's text.
    #[tsify(type = "string | null", optional)]
    memory_index: Option<String>,
    /// The thinking budget in tokens; none turns thinking off.
    #[tsify(type = "number | null", optional)]
    thinking: Option<Tokens>,
}

impl SessionConfig {
    fn read(config: &JsValue) -> Result<Self> {
        let members = Members::of(config, "bad-config", "config")?.only(&[
            "model",
            "sessionId",
            "policy",
            "window",
            "maxOutput",
            "system",
            "tools",
            "instructions",
            "memoryIndex",
            "thinking",
        ])?;
        let tools = members.list("tools")?;
        Ok(Self {
            model: members.text("model")?,
            session_id: members.text("sessionId")?,
            policy: members.get("policy").unwrap_or_default(),
            window: members.maybe_tokens("window")?,
            max_output: members.maybe_tokens("maxOutput")?,
            system: members.texts("system")?,
            tools: tools.iter().map(ToolConfig::read).collect::<Result<_>>()?,
            instructions: members.maybe_text("instructions")?,
            memory_index: members.maybe_text("memoryIndex")?,
            thinking: members.maybe_tokens("thinking")?,
        })
    }

    fn into_config(self) -> Result<Config> {
        let mut policy = chosen(self.policy)?;
        if let Some(window) = self.window {
            policy = policy.with_window(window);
        }
        if let Some(limit) = self.max_output {
            policy = policy.with_max_output(limit);
        }
        Ok(Config {
            policy,
            model: self.model,
            session_id: self.session_id,
            system: self.system,
            tools: self.tools.into_iter().map(ToolConfig::into_spec).collect::<Result<_>>()?,
            instructions: self.instructions,
            memory_index: self.memory_index,
            thinking: self.thinking,
        })
    }
}

impl ToolConfig {
    fn read(tool: &JsValue) -> Result<Self> {
        let members = Members::of(tool, "bad-config", "tool")?;
        Ok(Self {
            name: members.text("name")?,
            description: members.text("description")?,
            input_schema: members.text("inputSchema")?,
            read_only: members.flag("readOnly"),
            concurrent: members.flag("concurrent"),
        })
    }

    fn into_spec(self) -> Result<ToolSpec> {
        let input_schema = RawJson::parse(self.input_schema)
            .map_err(|found| error("bad-config", &format!("inputSchema of tool {:?}: {found}", self.name)))?;
        Ok(ToolSpec {
            name: self.name,
            description: self.description,
            input_schema,
            read_only: self.read_only,
            concurrent: self.concurrent,
        })
    }
}

/// One conversation with a model. After every call that changes it, drain `nextEffect` and `nextEvent` until both
/// are empty, perform the effects in any order and answer each with `complete`.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Session {
    inner: agent::Session,
    /// Model calls and tool calls handed out and not yet answered.
    waiting: Vec<(u64, Effect)>,
}

#[wasm_bindgen]
impl Session {
    /// A new session.
    ///
    /// # Errors
    /// `bad-config`, `bad-policy`, `unknown-policy`, `bad-argument`: each names the field.
    #[wasm_bindgen(constructor)]
    pub fn new(#[wasm_bindgen(unchecked_param_type = "SessionConfig")] config: &JsValue) -> Result<Session> {
        let inner = agent::Session::new(SessionConfig::read(config)?.into_config()?)
            .map_err(|found| error::config(&found))?;
        Ok(Self { inner, waiting: Vec::new() })
    }

    /// A session that goes on where a transcript ended. Calls that were never answered are closed, and the records
    /// that say so come as the first effect. No model is called.
    ///
    /// # Errors
    /// As the constructor; `empty-file` and `not-a-session` for the bytes.
    pub fn resume(
        #[wasm_bindgen(unchecked_param_type = "SessionConfig")] config: &JsValue,
        transcript: &[u8],
        now: f64,
    ) -> Result<Session> {
        let config = SessionConfig::read(config)?.into_config()?;
        let log = transcript::Log::read(transcript).map_err(|found| error::read(&found))?;
        let loaded = transcript::Session::load(&log);
        let inner = agent::Session::resume(config, &loaded, log.open_end, millis(now))
            .map_err(|found| error::config(&found))?;
        Ok(Self { inner, waiting: Vec::new() })
    }

    /// Says something to the model. While a turn runs the words are queued and said after it, once.
    ///
    /// # Errors
    /// `empty-prompt` for words without a visible character.
    pub fn prompt(&mut self, words: &str, now: f64) -> Result<()> {
        self.inner.prompt(words, millis(now)).map_err(error::refused)
    }

    /// Compacts now. The instructions go to the summariser.
    ///
    /// # Errors
    /// `busy` while a turn runs.
    pub fn compact(&mut self, instructions: Option<String>, now: f64) -> Result<()> {
        self.inner.compact(instructions.as_deref(), millis(now)).map_err(error::refused)
    }

    /// Stops whatever runs.
    pub fn cancel(&mut self, now: f64) {
        self.inner.cancel(millis(now));
    }

    /// The next thing to do, or `null` until an outcome comes.
    ///
    /// # Errors
    /// None in practice: every effect fits into JavaScript.
    #[wasm_bindgen(js_name = nextEffect, unchecked_return_type = "Effect | null")]
    pub fn next_effect(&mut self) -> Result<JsValue> {
        let Some(effect) = self.inner.next_effect() else { return Ok(JsValue::NULL) };
        let value = EffectValue::of(&effect).ok_or_else(|| {
            error("not-representable", &"the engine asked for something these bindings do not know")
        })?;
        let value = to_js(&value)?;
        match effect {
            Effect::CallModel { id, .. } | Effect::RunTool { id, .. } => {
                self.waiting.push((id.0, effect));
            }
            Effect::Abort { id } => {
                self.forget(id.0);
            }
            _ => {}
        }
        Ok(value)
    }

    /// The body of a request that `nextEffect` handed out, until it is answered.
    ///
    /// # Errors
    /// `unknown-effect` for any other number.
    #[wasm_bindgen(js_name = encodeRequest)]
    pub fn encode_request(
        &self,
        id: f64,
        #[wasm_bindgen(unchecked_param_type = "Wire")] wire: &str,
    ) -> Result<String> {
        let wire = Wire::read(wire)?;
        match self.waiting(id)? {
            Effect::CallModel { request, .. } => Ok(wire.encode(request)),
            _ => Err(error("unknown-effect", &format!("effect {id} is no model call"))),
        }
    }

    /// Tells what came of an effect. An outcome for an effect that is no longer wanted is ignored.
    ///
    /// # Errors
    /// `bad-argument` when it is no outcome; the effect then still waits for one.
    pub fn complete(
        &mut self,
        id: f64,
        #[wasm_bindgen(unchecked_param_type = "Outcome")] outcome: &JsValue,
        now: f64,
    ) -> Result<()> {
        let outcome = effect::outcome(outcome)?;
        self.answer(id, outcome, now);
        Ok(())
    }

    /// The next event, oldest first, or `null`.
    ///
    /// # Errors
    /// `not-representable` for a provider's number beyond JavaScript's range.
    #[wasm_bindgen(js_name = nextEvent, unchecked_return_type = "Event | null")]
    pub fn next_event(&mut self) -> Result<JsValue> {
        self.inner.next_event().map_or(Ok(JsValue::NULL), |event| to_js(&event))
    }

    /// True when nothing runs and a prompt would start a turn.
    #[wasm_bindgen(getter, js_name = isIdle)]
    pub fn is_idle(&self) -> bool {
        self.inner.is_idle()
    }

    /// The words of the newest response in the view; empty when there is none.
    #[wasm_bindgen(getter)]
    pub fn words(&self) -> String {
        let newest = self.inner.view().entries().iter().rev().find_map(|entry| entry.item.as_response());
        newest.map(palimpsest_core::message::Response::words).unwrap_or_default()
    }

    /// What fills the window now, item by item.
    ///
    /// # Errors
    /// None in practice: every number of it fits into JavaScript.
    #[wasm_bindgen(unchecked_return_type = "WindowReport")]
    pub fn report(&self) -> Result<JsValue> {
        let prelude = self.inner.prelude();
        to_js(&WindowReport::of(&WindowParts {
            model: &prelude.model,
            thresholds: self.inner.thresholds(),
            prelude: prelude.cost,
            view: self.inner.view(),
            factor: self.inner.calibration().factor(),
            unseen: Tokens::ZERO,
        }))
    }

    /// Puts another policy in force from the next call on.
    ///
    /// # Errors
    /// `bad-policy` or `unknown-policy`; the old policy stays in force then.
    #[wasm_bindgen(js_name = setPolicy)]
    pub fn set_policy(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "string | Policy")] policy: JsValue,
    ) -> Result<()> {
        self.inner
            .set_policy(chosen(policy)?)
            .map_err(|found| error::config(&agent::ConfigError::Policy(found)))
    }

    /// Goes on with another model.
    #[wasm_bindgen(js_name = setModel)]
    pub fn set_model(&mut self, model: &str) {
        self.inner.set_model(model);
    }
}

impl Session {
    #[cfg(feature = "simulated")]
    pub(crate) fn of(config: Config) -> Result<Self> {
        let inner = agent::Session::new(config).map_err(|found| error::config(&found))?;
        Ok(Self { inner, waiting: Vec::new() })
    }

    /// A model call or tool call that waits for its outcome.
    pub(crate) fn waiting(&self, id: f64) -> Result<&Effect> {
        let wanted = number(id);
        self.waiting
            .iter()
            .find_map(|(number, effect)| (*number == wanted).then_some(effect))
            .ok_or_else(|| error("unknown-effect", &format!("no call waits under the number {id}")))
    }

    fn forget(&mut self, id: u64) {
        self.waiting.retain(|(number, _)| *number != id);
    }

    pub(crate) fn answer(&mut self, id: f64, outcome: Outcome, now: f64) {
        let id = number(id);
        self.forget(id);
        self.inner.complete(EffectId(id), outcome, millis(now));
    }
}

/// An effect's number as JavaScript has it; what is none names no effect.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and NaN becomes 0"
)]
fn number(id: f64) -> u64 {
    id as u64
}
