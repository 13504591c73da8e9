//! From the view to a valid request.
//!
//! ```text
//!  Prelude (system, tools, instructions) ─┐
//!  View ([Counted item], running sum) ────┴─ assemble ─▶ Request ─ check ─▶ provider::…::encode
//! ```
//!
//! [`assemble`] writes no text of the conversation anew: it lists the blocks of the records in the order and
//! roles a provider wants. [`check`] reads the result as a provider would and names the first broken rule.

mod assemble;
mod check;
mod cost;
mod normalise;
mod view;
mod wire;

pub use assemble::{End, Prelude, PreludeParts, assemble, defuse, end_of, reminder};
pub use check::{Violation, check};
pub use cost::{block_cost, call_cost, item_cost, raw_cost, result_cost, user_category};
pub use normalise::{CONTINUE, OPENING, normalise};
pub use view::{Counted, View};
pub use wire::{CacheMark, Request, Role, WireMessage};
