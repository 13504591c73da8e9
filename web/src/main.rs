//! The playground: the engine in a page.
//!
//! ```text
//!  core (wasm) ─▶ engine ─▶ state (stories of frames) ─▶ stage (three columns, transport)
//!                   ▲                                       ▲
//!      demo, live ──┘           sessions (files) ───────────┘      memory (IndexedDB)
//! ```
//!
//! Every number on the page is the engine's: the page draws events and reports and computes only shares of them.

#![allow(unreachable_pub, reason = "Leptos writes components as pub")]
#![allow(
    clippy::large_types_passed_by_value,
    reason = "the properties of a component are handles, copied once"
)]

mod app;
mod browser;
mod controls;
mod demo;
mod engine;
mod format;
mod hash;
mod help;
mod live;
mod memory;
mod sessions;
mod stage;
mod state;
mod theme;

use leptos::prelude::*;

fn main() {
    // A panic stops the page; what and where must at least be in the console.
    std::panic::set_hook(Box::new(|panic| leptos::logging::error!("{panic}")));
    if let Some(loading) = document().get_element_by_id("loading") {
        loading.remove();
    }
    mount_to_body(app::App);
}
