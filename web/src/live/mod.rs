//! A live session: a real model over HTTP, the engine between it and the user, tools over a virtual project.
//!
//! ```text
//!  prompt ─▶ Engine ─ Task::Call ─▶ http ─▶ provider      key: in memory, for one origin, to one header
//!                   ─ Task::Tool ─▶ SimTools
//! ```

mod form;
mod hints;
mod http;
mod run;
mod secret;
mod view;

pub(crate) use run::Live;
pub(crate) use view::LivePlace;
