//! The loop as effects and outcomes.

mod effect;
mod event;

pub use effect::{Effect, EffectId, Outcome, Purpose};
pub use event::{Event, SummarisedBy, Tier, TurnEnd};
