//! A request before a provider spells it: blocks in order, by reference to the records they came from.

use alloc::string::String;
use alloc::vec::Vec;

use crate::message::RawJson;
use crate::tokens::Ledger;
use crate::unit::Tokens;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The user's side: requests, results, attachments.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// As the wire spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// One message: at least one block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WireMessage {
    /// Who speaks.
    pub role: Role,
    /// Its blocks in Anthropic's shape, byte for byte.
    pub blocks: Vec<RawJson>,
}

/// Where a cache mark goes. The provider encoding adds it; the blocks here stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CacheMark {
    /// On the last system block (and with it all tools).
    System,
    /// On a block of a message.
    Block {
        /// Index of the message.
        message: usize,
        /// Index of the block in it.
        block: usize,
    },
}

/// A request, ready for a provider's encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The model's name as the provider knows it.
    pub model: String,
    /// The output limit.
    pub max_tokens: Tokens,
    /// Text blocks of the system prompt.
    pub system: Vec<RawJson>,
    /// Tool schemas: `{"name":…,"description":…,"input_schema":…}`.
    pub tools: Vec<RawJson>,
    /// The conversation, the first a user's, roles alternating.
    pub messages: Vec<WireMessage>,
    /// The budget for thinking; `None` turns it off.
    pub thinking: Option<Tokens>,
    /// At most four, in order.
    pub marks: Vec<CacheMark>,
    /// What the engine thinks it costs, by category: an estimate.
    pub estimate: Ledger,
}
