//! The window: how large, how full, and what happens at which line.
//!
//! ```text
//! name ──► Policy (data: every number of the engine) ──► Thresholds (for its window) ──► Pressure, Gauge
//!             │
//!             └── validate: do the numbers work together?  validate_for(floor): with this system and tools?
//! ```
//!
//! A [`Policy`] is plain data that a user may store, change and send. Its numbers are [`Limit`]s: an absolute
//! number, or a share of the window where that is less, so that a window of 16,000 tokens works like one of a
//! million.

mod check;
mod guard;
mod knowledge;
mod limit;
mod micro;
mod named;
mod policy;
mod pressure;
mod restore;
mod summary;
#[cfg(test)]
mod tests;
mod validate;

pub use guard::{BreakerRules, CacheRules, Hysteresis, OversizeRules, ReactiveRules, SubagentRules};
pub use knowledge::{MemoryPlacement, MemoryRules, NotesRules, NotesTemplate, SkillRules};
pub use limit::{ByteLimit, Limit, TextLimit};
pub use micro::{MicroMode, MicroRules};
pub use policy::{Policy, TriggerRule};
pub use pressure::{Gauge, Pressure, Thresholds};
pub use restore::{RelistSkills, RestoreRules};
pub use summary::{NotesMode, Replacement, SummaryRules, Tail, TailBudget, Template};
pub use validate::{Notice, PolicyError};
