//! OpenAI's Chat Completions, and the many servers that speak it: llama.cpp, vLLM, Ollama, LM Studio,
//! OpenRouter, …
//!
//! ```text
//!  blocks (Anthropic's shape)                        messages of Chat Completions
//!  system text, text            ────────────────▶    system:    one text
//!  user:      text, image       ────────────────▶    user:      [text, image_url]
//!  assistant: thinking, text, tool_use a, b  ───▶    assistant: text, tool_calls a, b   (no thinking)
//!  user:      result a + image, result b, text ─▶    tool a ▸ tool b ▸ user: [image of a, text]
//! ```
//!
//! The way back turns a completion into a message in Anthropic's shape, which is what a transcript holds.

mod decode;
mod encode;
mod render;
#[cfg(test)]
mod tests;

pub use decode::{INVALID_ARGUMENTS, decode};
pub use encode::encode;

/// The path below a base address such as `https://api.openai.com/v1` or `http://localhost:8080/v1`.
pub const PATH: &str = "/chat/completions";

/// The headers that hold no secret. The host adds `authorization: Bearer …` where the server wants a key.
pub const HEADERS: [(&str, &str); 1] = [("content-type", "application/json")];
