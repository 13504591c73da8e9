//! Wire formats without I/O: a request to bytes, bytes to a reply or a classed failure.
//!
//! ```text
//!            ┌ anthropic::encode ─▶ POST /v1/messages         ┐            ┌ anthropic::decode ┐
//!  Request ──┤                                                ├─ (host) ──▶┤                   ├─▶ Reply
//!            └ openai::encode ────▶ POST …/chat/completions   ┘  │         └ openai::decode ───┘
//!                                                               └─ not a reply: classify ─▶ ModelFailure
//! ```
//!
//! A host joins a base address with `PATH`, adds `HEADERS` and its own key (the core never sees one), sends
//! the body and hands back status, headers and text. Whatever the provider, a reply comes back in Anthropic's
//! shape, so the transcript knows one message format only.

pub mod anthropic;
mod classify;
mod failure;
mod ids;
pub mod openai;
mod reply;

pub use classify::classify;
pub use failure::{FailureKind, ModelFailure};
pub use reply::Reply;

/// Response headers as a host hands them in: name and value, names in any case.
pub type Headers<'a> = [(&'a str, &'a str)];
