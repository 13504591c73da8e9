//! Anthropic's Messages API.
//!
//! ```text
//!  Request ─ encode ─▶ {"model","max_tokens","thinking","system","tools","messages"} ─ … ─▶ decode ─▶ Reply
//! ```
//!
//! Blocks go out as the bytes they came in as: the API compares the bytes of thinking with its own signature,
//! and its cache compares the bytes of the prefix.

mod decode;
mod encode;
#[cfg(test)]
mod tests;

pub use decode::decode;
pub(super) use decode::{count, malformed, one_line, read};
pub use encode::encode;

/// The path below a base address such as `https://api.anthropic.com`.
pub const PATH: &str = "/v1/messages";

/// The headers that hold no secret. The host adds `x-api-key`. The last one lets a page call the API itself:
/// without it the answer carries no CORS header and the page sees a network failure; outside browsers it is
/// ignored.
pub const HEADERS: [(&str, &str); 3] = [
    ("content-type", "application/json"),
    ("anthropic-version", "2023-06-01"),
    ("anthropic-dangerous-direct-browser-access", "true"),
];
