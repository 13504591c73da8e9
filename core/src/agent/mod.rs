//! The loop as effects and outcomes: the engine decides, the host acts.
//!
//! ```text
//!            prompt, complete, cancel
//!   host ───────────────────────────────▶ Session ─ view, lines, breaker, calibration
//!    ▲  ◀── next_effect: CallModel, RunTool, Append, WriteArtifact, Abort
//!    └─ ◀── next_event:  Cleared, Summarised, Overflow, …   (enough to draw everything)
//! ```
//!
//! One rule: after every call that takes `&mut self`, drain effects and events; answer each effect once.
//!
//! ```
//! use palimpsest_core::agent::{Config, Effect, Outcome, Session};
//! use palimpsest_core::provider::anthropic;
//! use palimpsest_core::unit::Millis;
//! use palimpsest_core::window::Policy;
//!
//! let mut session = Session::new(Config::new("a-session", "a-model", Policy::default()))?;
//! session.prompt("Which test framework does this project use?", Millis(0))?;
//! while let Some(effect) = session.next_effect() {
//!     match effect {
//!         Effect::Append { id, .. } => session.complete(id, Outcome::Stored(Ok(())), Millis(1)),
//!         Effect::CallModel { id, .. } => {
//!             // A host posts `anthropic::encode(&request)` and decodes what comes back.
//!             let body = r#"{"id":"m1","type":"message","role":"assistant","model":"a-model",
//!                 "content":[{"type":"text","text":"pytest"}],"stop_reason":"end_turn",
//!                 "usage":{"input_tokens":900,"output_tokens":4}}"#;
//!             session.complete(id, Outcome::Model(anthropic::decode(200, &[], body)), Millis(2));
//!         }
//!         _ => {}
//!     }
//! }
//! assert!(session.is_idle());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod compaction;
mod config;
mod effect;
mod event;
mod round;
mod session;
mod turn;

#[cfg(test)]
mod tests;

pub use config::{Config, ConfigError, ToolSpec};
pub use effect::{Effect, EffectId, Outcome, Purpose};
pub use event::{Event, SummarisedBy, Tier, TurnEnd};
pub use session::{Refused, Session};
