#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]
//! The context engine of Palimpsest: message assembly, accounting, compaction and the agent loop, without I/O.
//!
//! ```text
//!  bytes ─ transcript ─▶ items ─ request ─▶ view ─▶ request ─ provider ─▶ bytes
//!                          ▲                 │
//!                          └──── agent ◀─────┴─ window: too full? ─ compact ─▶ a smaller view
//! ```
//!
//! # What it does not do
//! It opens no file, sends nothing, reads no clock and draws no random number. A host does all that when the
//! engine asks: [`agent::Session::next_effect`] says what to do, [`agent::Session::complete`] takes what came of
//! it, [`agent::Session::next_event`] tells what changed. [`agent`] has the loop as a running example.
//!
//! # The rooms, in the order in which data meets them
//! [`mod@unit`] · [`message`] · [`tokens`] · [`window`] · [`transcript`] · [`request`] · [`compact`] · [`provider`] ·
//! [`agent`] · [`inspect`], and `sim` with the feature of that name.
//!
//! # Features
//! | feature | what it adds |
//! | --- | --- |
//! | `sim` | a scripted model and a small project, for demos and tests; labelled as simulated |
//! | `typescript` | TypeScript types of what crosses the border to JavaScript; for `palimpsest-wasm` only |
//!
//! # Limits of this version
//! Skills, memory selection, session notes, subagents and hooks have their numbers in [`window::Policy`] but do
//! not act yet; `micro.mode = provider` is a setting without effect here.

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod agent;
pub mod compact;
pub mod inspect;
pub mod message;
pub mod provider;
pub mod request;
#[cfg(feature = "sim")]
pub mod sim;
pub mod tokens;
pub mod transcript;
pub mod unit;
pub mod window;
