//! A model's answer, whatever the wire.

use alloc::string::String;
use alloc::vec::Vec;

use crate::message::{Part, RawJson, StopReason};
use crate::tokens::Usage;

/// One answer, in Anthropic's shape whichever provider gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The provider's id of the response; empty when it gave none.
    pub id: String,
    /// The model that answered.
    pub model: String,
    /// Its content blocks: text, thinking, calls (all still pending).
    pub parts: Vec<Part>,
    /// Why it stopped.
    pub stop: StopReason,
    /// What the provider counted.
    pub usage: Option<Usage>,
    /// The message as it goes into the transcript:
    /// `{"id","type":"message","role":"assistant","model","content","stop_reason","usage"}`.
    pub message: RawJson,
}
