//! The lossless message model: the bytes of every record, and a typed view over them.
//!
//! ```text
//!  record (bytes, never re-spelt)                 typed view
//!  {"type":"tool_use","id":"t1",…}        ┐
//!  {"type":"tool_result","tool_use_id":…} ┴──▶  Exchange { call, state }  ┐
//!  {"type":"thinking","signature":"…"}    ───▶  Block                      ├─▶ Response ┐
//!  {"type":"text","text":"…"}             ───▶  Block                      ┘            ├─▶ [Item]
//!  {"role":"user","content":"…"}          ───▶  UserMessage ────────────────────────────┘
//! ```
//!
//! - An untouched block goes out byte for byte: [`RawJson`] shares the record's text.
//! - In a touched one ([`json::Json::with_member`]) every other byte stays: key order, number spelling,
//!   escapes, unknown members.
//! - A call and its result are one [`Exchange`], so no cut can part them.
//!
//! ```
//! use palimpsest_core::message::{Exchange, RawJson, ToolCall, ToolResult};
//!
//! let input = RawJson::parse(r#"{"file_path":"src/lib.rs"}"#)?;
//! let mut exchange = Exchange::pending(ToolCall::new("t1", "read", &input));
//! assert!(exchange.is_pending());
//! exchange.close("The session ended before this tool answered.");
//! assert!(exchange.result().is_some_and(|result| result.is_error));
//! # Ok::<(), palimpsest_core::message::JsonError>(())
//! ```

mod block;
mod exchange;
mod id;
mod item;
pub mod json;
mod raw;
pub mod text;

pub use block::{Block, BlockKind, Media, content_blocks, joined_text};
pub use exchange::{Exchange, ExchangeState, INVALID_INPUT, ResultForm, ToolCall, ToolResult};
pub use id::{CallId, MessageId, ResponseId};
pub use item::{Item, Origin, Part, Response, StopReason, UserMessage};
pub use json::JsonError;
pub use raw::RawJson;
