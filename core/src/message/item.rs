//! The conversation: user messages and model responses in record order.

use alloc::string::String;
use alloc::vec::Vec;

use super::block::{Block, BlockKind, joined_text};
use super::exchange::Exchange;
use super::id::{MessageId, ResponseId};

/// Who put a user-role message there. The view needs it: summaries, reminders and real requests share a role
/// and must never be taken for each other (T087, X1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A person.
    Human,
    /// The host, in the user's name: command output, notices.
    Host,
    /// A compaction's summary.
    Summary,
    /// Something the engine attached in `<system-reminder>`.
    Attachment,
    /// A skill's body.
    Skill,
}

/// A user-role message without tool results; those belong to their exchanges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessage {
    /// The record's id.
    pub id: MessageId,
    /// Who put it there.
    pub origin: Origin,
    /// Text, images, documents and unknown blocks in their order.
    pub blocks: Vec<Block>,
}

impl UserMessage {
    /// A message of one text block.
    pub fn text(id: MessageId, origin: Origin, text: &str) -> Self {
        Self { id, origin, blocks: alloc::vec![Block::text(text)] }
    }

    /// The words of its text blocks.
    pub fn words(&self) -> String {
        joined_text(self.blocks.iter())
    }

    /// The same message with other words in place of its text; media and unknown blocks stay.
    #[must_use]
    pub fn shortened(&self, words: &str) -> Self {
        let others = self.blocks.iter().filter(|block| block.kind() != BlockKind::Text).cloned();
        let blocks = core::iter::once(Block::text(words)).chain(others).collect();
        Self { id: self.id.clone(), origin: self.origin, blocks }
    }
}

/// Why a response stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StopReason {
    /// The model was done.
    #[default]
    EndTurn,
    /// It waits for tool results.
    ToolUse,
    /// The output limit cut it.
    MaxTokens,
    /// The provider paused a long turn and wants it sent back.
    PauseTurn,
    /// The model declined.
    Refusal,
    /// The window was full in mid-answer.
    ContextExceeded,
}

/// A part of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text, thinking or an unknown block.
    Block(Block),
    /// A call with its result.
    Exchange(Exchange),
}

/// One answer of the model, with all its calls and their results: the smallest unit a tier may remove (P5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The first record's id; a response written over several lines has more records.
    pub id: MessageId,
    /// The provider's id; two responses are never merged (P7).
    pub response: Option<ResponseId>,
    /// Its parts in the order the model wrote them.
    pub parts: Vec<Part>,
    /// Why it stopped.
    pub stop: StopReason,
}

impl Response {
    /// Its exchanges.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        self.parts.iter().filter_map(|part| match part {
            Part::Exchange(exchange) => Some(exchange),
            Part::Block(_) => None,
        })
    }

    /// Its exchanges, to change.
    pub fn exchanges_mut(&mut self) -> impl Iterator<Item = &mut Exchange> {
        self.parts.iter_mut().filter_map(|part| match part {
            Part::Exchange(exchange) => Some(exchange),
            Part::Block(_) => None,
        })
    }

    /// Its blocks that stand alone.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.parts.iter().filter_map(|part| match part {
            Part::Block(block) => Some(block),
            Part::Exchange(_) => None,
        })
    }

    /// The words it says to the user.
    pub fn words(&self) -> String {
        joined_text(self.blocks().filter(|block| block.kind() == BlockKind::Text))
    }

    /// True while one of its calls has no result (P4).
    pub fn is_pending(&self) -> bool {
        self.exchanges().any(Exchange::is_pending)
    }

    /// True when it calls a tool, so that its thinking belongs to a tool loop.
    pub fn calls_tools(&self) -> bool {
        self.exchanges().next().is_some()
    }
}

/// One entry of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A user-role message.
    User(UserMessage),
    /// A model's response with its exchanges.
    Response(Response),
}

impl Item {
    /// The id of its (first) record.
    pub fn id(&self) -> &MessageId {
        match self {
            Self::User(message) => &message.id,
            Self::Response(response) => &response.id,
        }
    }

    /// The user message, if it is one.
    pub fn as_user(&self) -> Option<&UserMessage> {
        match self {
            Self::User(message) => Some(message),
            Self::Response(_) => None,
        }
    }

    /// The response, if it is one.
    pub fn as_response(&self) -> Option<&Response> {
        match self {
            Self::Response(response) => Some(response),
            Self::User(_) => None,
        }
    }

    /// True for what a person asked.
    pub fn is_human(&self) -> bool {
        self.as_user().is_some_and(|message| message.origin == Origin::Human)
    }

    /// True while one of its calls has no result.
    pub fn is_pending(&self) -> bool {
        self.as_response().is_some_and(Response::is_pending)
    }
}
