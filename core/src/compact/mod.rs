//! Three tiers that give the window room again.
//!
//! ```text
//!  tier      trigger                    plan                          model calls
//!  micro     before every call          micro::plan ─▶ Clearing       0
//!  auto      over the auto line         cut::choose ─▶ Cut            1, or 0
//!  reactive  the provider refused       cut::choose ─▶ Cut, fit       1 and fewer, or 0
//! ```
//!
//! Each tier first decides (a plan is data and changes nothing), then the view is made from the plan. When a
//! model fails, the structural summary stands in; when that is not enough, single giants are cut. So from any
//! state whose floor fits, a fitting request is reached in bounded steps without any model (C3).

mod breaker;
pub mod cut;
pub mod fit;
pub mod micro;
pub mod spill;
mod structural;
pub mod summary;

pub use breaker::Breaker;
pub use structural::structural_summary;
