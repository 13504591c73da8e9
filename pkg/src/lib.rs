//! The engine for JavaScript: state lives here, only small values and deltas cross.
//!
//! ```text
//!  bytes of a file ──▶ inspect · Inspector ──▶ Inspection           policy · policies · validatePolicy · countTokens
//!
//!  prompt, outcomes ──▶ Session ──▶ effects, events                 encodeRequest · modelFailure: wire formats
//! ```
//!
//! Types cross as plain objects whose TypeScript is made from the Rust types (`tsify`), numbers as numbers, absent
//! values as `null`. Every failure is a JavaScript `Error` with a `code`; nothing here panics on input, since a panic
//! ends the instance.

mod convert;
mod effect;
mod error;
mod file;
mod model;
mod policy;
mod session;
#[cfg(feature = "simulated")]
mod sim;

pub use file::{Inspector, count_tokens, inspect};
pub use model::{model_failure, wire_format};
pub use policy::{policies, policy, validate_policy};
pub use session::Session;
#[cfg(feature = "simulated")]
pub use sim::Simulation;
