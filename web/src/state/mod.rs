//! What the page shows, apart from how: a story of frames, and where one stands in it.
//!
//! ```text
//!  engine events ─▶ Frame ┐                       ┌─▶ conversation
//!  records (JSONL) ─▶ Turn ┴─▶ Story ─ Stage.step ─┼─▶ window, to scale
//!                                                 └─▶ inspector
//! ```

pub(crate) mod events;
pub(crate) mod stage;
pub(crate) mod story;
pub(crate) mod turn;

pub(crate) use stage::{Pane, Stage, Tab};
pub(crate) use story::{Frame, Sent, Story};
pub(crate) use turn::{Body, Kind, Part, Turn, Turns};
