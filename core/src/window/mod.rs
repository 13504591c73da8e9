//! How full a window may be: policies as data, their lines, and the pressure on them.
//!
//! ```text
//!  Policy (named, versioned) ─ thresholds ─▶ target < auto ≤ hard ≤ window ─ pressure(total) ─▶ Low | Auto | Over
//! ```
//!
//! ```
//! use palimpsest_core::unit::Tokens;
//! use palimpsest_core::window::Policy;
//!
//! let policy = Policy::named("claude-code-2.1.87").expect("a name of the table");
//! assert_eq!(policy.thresholds().auto, Some(Tokens(187_000)));
//! let small = policy.with_window(Tokens(16_000));
//! assert!(small.thresholds().auto.expect("it triggers") > Tokens(14_000));
//! ```

mod limit;
mod named;
mod policy;
mod pressure;
mod validate;

pub use limit::Limit;
pub use named::NAMED;
pub use policy::{
    Cache, Memory, Micro, MicroMode, Notes, Oversize, Policy, Relist, Restore, Skills, Subagents, Summariser,
    SummaryLimits, Tail, Trigger,
};
pub use pressure::{Gauge, Pressure, Thresholds};
pub use validate::{PolicyError, SMALLEST_WINDOW};

#[cfg(test)]
mod tests;
