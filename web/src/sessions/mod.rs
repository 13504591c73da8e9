//! A session file of one's own: opened here, read here, never sent anywhere.
//!
//! ```text
//!  drop or choose ─▶ reading (pieces, progress, cancel) ─▶ Opened { log, session, inspection } ─▶ overview, columns
//! ```

mod opened;
mod overview;
mod reading;
mod view;

pub(crate) use opened::Sessions;
pub(crate) use view::SessionPlace;
