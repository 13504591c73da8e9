//! What the engine asks its host to do, and what the host answers.

use alloc::string::String;

use crate::message::ToolCall;
use crate::provider::{ModelFailure, Reply};
use crate::request::Request;

/// Names one effect; its outcome carries the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct EffectId(pub u64);

/// Why a model is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Purpose {
    /// To go on with the turn.
    Turn,
    /// To summarise for a compaction. Such a call can never start a compaction (B7).
    Summary,
}

/// One thing for the host to do. Effects may run at once and finish in any order, except that the engine hands
/// out no call before the records it rests on are stored (J1).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Effect {
    /// Send a request to a model. Answer with [`Outcome::Model`].
    CallModel {
        /// Its number.
        id: EffectId,
        /// Why.
        purpose: Purpose,
        /// What to send; a provider module spells it.
        request: alloc::boxed::Box<Request>,
    },
    /// Run a tool. Answer with [`Outcome::Tool`].
    RunTool {
        /// Its number.
        id: EffectId,
        /// The call.
        call: ToolCall,
    },
    /// Append lines to the transcript. Answer with [`Outcome::Stored`].
    Append {
        /// Its number.
        id: EffectId,
        /// One or more whole lines.
        lines: String,
    },
    /// Store a text under a path below the session's folder. Answer with [`Outcome::Stored`].
    WriteArtifact {
        /// Its number.
        id: EffectId,
        /// `tool-results/{tool}-{id}.txt`; it never leaves the folder.
        path: String,
        /// The whole text.
        text: String,
    },
    /// Stop working on an effect, if that is still possible. No answer is expected.
    Abort {
        /// The effect to stop.
        id: EffectId,
    },
}

/// What came of an effect.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// A model's reply or failure.
    Model(Result<Reply, ModelFailure>),
    /// A tool's output.
    Tool {
        /// What it printed.
        text: String,
        /// Whether it failed.
        is_error: bool,
    },
    /// Whether a store kept what it was given; the error is the store's own words.
    Stored(Result<(), String>),
}
