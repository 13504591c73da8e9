//! Effects and outcomes as plain values. A request stays here: the host asks for its bytes when it sends it.

use palimpsest_core::agent::{Effect, Outcome, Purpose};
use palimpsest_core::provider::{FailureKind, ModelFailure};
use palimpsest_core::unit::Tokens;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use crate::convert::Members;
use crate::error::Result;
use crate::model::Answer;

/// One thing for the host to do.
#[derive(Debug, Serialize, Tsify)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[tsify(rename = "Effect")]
pub(crate) enum EffectValue {
    /// Send a request to a model: `encodeRequest(id, wire)` is its body.
    CallModel {
        /// Its number.
        id: u64,
        /// Why.
        purpose: Purpose,
        /// The model's name.
        model: String,
        /// What it costs: an estimate.
        tokens: Tokens,
    },
    /// Run a tool.
    RunTool {
        /// Its number.
        id: u64,
        /// The call's id.
        call: String,
        /// The tool.
        name: String,
        /// Its arguments as JSON text, as the model wrote them.
        input: String,
    },
    /// Append whole lines to the transcript.
    Append {
        /// Its number.
        id: u64,
        /// The lines, each with its line break.
        lines: String,
    },
    /// Store a text below the session's folder.
    WriteArtifact {
        /// Its number.
        id: u64,
        /// `tool-results/{tool}-{id}.txt`.
        path: String,
        /// The whole text.
        text: String,
    },
    /// Stop working on an effect. No answer is expected.
    Abort {
        /// The effect to stop.
        id: u64,
    },
}

#[wasm_bindgen(typescript_custom_section)]
const OUTCOME: &str = r#"
/** Why there is no answer: the server was not reached, the call was cancelled, or something else on the host's side. */
export type NoAnswer = "network" | "aborted" | "other";

/** What came of an effect. */
export type Outcome =
    /** A model's answer as it came over HTTP, reply or refusal. */
    | { type: "answer"; answer: Answer }
    /** No answer from a model; the message is the host's own, without keys. */
    | { type: "no-answer"; reason: NoAnswer; message: string }
    /** What a tool printed, and whether it failed. */
    | { type: "tool"; text: string; isError: boolean }
    /** A store kept what it was given. */
    | { type: "stored" }
    /** A store did not; the message is its own. */
    | { type: "not-stored"; message: string };
"#;

impl EffectValue {
    /// The value of an effect; `None` for one that this version of the bindings does not know.
    pub(crate) fn of(effect: &Effect) -> Option<Self> {
        Some(match effect {
            Effect::CallModel { id, purpose, request } => Self::CallModel {
                id: id.0,
                purpose: *purpose,
                model: request.model.clone(),
                tokens: request.estimate.total(),
            },
            Effect::RunTool { id, call } => Self::RunTool {
                id: id.0,
                call: call.id.as_str().to_owned(),
                name: call.name.clone(),
                input: call.input().as_str().to_owned(),
            },
            Effect::Append { id, lines } => Self::Append { id: id.0, lines: lines.clone() },
            Effect::WriteArtifact { id, path, text } => {
                Self::WriteArtifact { id: id.0, path: path.clone(), text: text.clone() }
            }
            Effect::Abort { id } => Self::Abort { id: id.0 },
            _ => return None,
        })
    }
}

/// Reads an outcome.
pub(crate) fn outcome(value: &JsValue) -> Result<Outcome> {
    let members = Members::of(value, "bad-argument", "outcome")?;
    let text = |name| members.text(name);
    Ok(match text("type")?.as_str() {
        "answer" => Outcome::Model(Answer::read(&members.get("answer").unwrap_or_default())?.decode()),
        "no-answer" => {
            let kind = match text("reason")?.as_str() {
                "network" => FailureKind::Network,
                "aborted" => FailureKind::Aborted,
                _ => FailureKind::Other,
            };
            Outcome::Model(Err(ModelFailure { kind, status: 0, message: text("message")? }))
        }
        "tool" => Outcome::Tool { text: text("text")?, is_error: members.flag("isError") },
        "stored" => Outcome::Stored(Ok(())),
        "not-stored" => Outcome::Stored(Err(text("message")?)),
        other => return Err(members.wrong(&format!("no type is named {other:?}"))),
    })
}
