//! Content blocks that stand alone. Calls and results do not: see [`super::exchange`].

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use super::json::{Json, string};
use super::raw::RawJson;

/// What a block is. Unknown kinds are kept and sent as they came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlockKind {
    /// Plain text.
    Text,
    /// The model's thinking, with its signature.
    Thinking,
    /// Thinking that only the provider can read.
    RedactedThinking,
    /// An image: base64, URL or file reference.
    Image,
    /// A document: PDF or text.
    Document,
    /// Any other type; never interpreted.
    Unknown,
}

/// One content block: its kind and its JSON, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    kind: BlockKind,
    raw: RawJson,
}

impl Block {
    /// Types a JSON object by its `type` member.
    pub fn from_raw(raw: RawJson) -> Self {
        let kind = match raw.json().get("type").and_then(|kind| kind.as_str()).as_deref() {
            Some("text") => BlockKind::Text,
            Some("thinking") => BlockKind::Thinking,
            Some("redacted_thinking") => BlockKind::RedactedThinking,
            Some("image") => BlockKind::Image,
            Some("document") => BlockKind::Document,
            _ => BlockKind::Unknown,
        };
        Self { kind, raw }
    }

    /// A new text block.
    pub fn text(text: &str) -> Self {
        let raw = RawJson::written(format!(r#"{{"type":"text","text":{}}}"#, string(text)));
        Self { kind: BlockKind::Text, raw }
    }

    /// A text block around a JSON string taken over byte for byte, escapes and all.
    pub(crate) fn text_from_raw_string(raw: Json<'_>) -> Self {
        let raw = RawJson::written(format!(r#"{{"type":"text","text":{}}}"#, raw.raw()));
        Self { kind: BlockKind::Text, raw }
    }

    /// What the block is.
    pub fn kind(&self) -> BlockKind {
        self.kind
    }

    /// The block's JSON.
    pub fn raw(&self) -> &RawJson {
        &self.raw
    }

    /// The words of a text or thinking block; `None` for other kinds.
    pub fn words(&self) -> Option<Cow<'_, str>> {
        let member = match self.kind {
            BlockKind::Text => "text",
            BlockKind::Thinking => "thinking",
            _ => return None,
        };
        self.raw.json().get(member)?.as_str()
    }

    /// True for thinking that the provider signed or redacted: it goes out byte for byte or with its loop.
    pub fn is_thinking(&self) -> bool {
        matches!(self.kind, BlockKind::Thinking | BlockKind::RedactedThinking)
    }

    /// Base64 data and media type of an inline image or document.
    pub fn media(&self) -> Option<Media<'_>> {
        if !matches!(self.kind, BlockKind::Image | BlockKind::Document) {
            return None;
        }
        let source = self.raw.json().get("source")?;
        let member = |name| source.get(name).and_then(|value: Json<'_>| value.as_str()).unwrap_or_default();
        Some(Media { media_type: member("media_type"), data: member("data") })
    }

    /// True when the block would be refused as empty: text without a visible character.
    pub fn is_empty(&self) -> bool {
        self.kind == BlockKind::Text && self.words().is_none_or(|text| text.trim().is_empty())
    }
}

/// Inline media of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Media<'a> {
    /// `image/png`, `application/pdf`, … or empty.
    pub media_type: Cow<'a, str>,
    /// Base64, or the text of a text document, or empty when the media is a reference.
    pub data: Cow<'a, str>,
}

/// The blocks of a `content` value: a bare string is one text block. Order is kept.
pub fn content_blocks(owner: &RawJson, content: Json<'_>) -> alloc::vec::Vec<RawJson> {
    match content.kind() {
        super::json::JsonKind::String => alloc::vec![Block::text_from_raw_string(content).raw],
        super::json::JsonKind::Array => content.elements().map(|block| owner.part(block)).collect(),
        _ => alloc::vec::Vec::new(),
    }
}

/// Joins the words of text blocks with blank lines between them.
pub fn joined_text<'a>(blocks: impl Iterator<Item = &'a Block>) -> String {
    let mut out = String::new();
    for words in blocks.filter(|block| block.kind() == BlockKind::Text).filter_map(Block::words) {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        out.push_str(&words);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_surrogate_in_a_string_content_stays_as_it_was_spelt() {
        let owner = RawJson::parse(r#"{"content":"cut \ud83d"}"#).unwrap();
        let blocks = content_blocks(&owner, owner.json().get("content").unwrap());
        assert_eq!(blocks[0].as_str(), r#"{"type":"text","text":"cut \ud83d"}"#);
    }

    #[test]
    fn unknown_types_are_kept() {
        let raw = RawJson::parse(r#"{"type":"hologram","x":1.0}"#).unwrap();
        let block = Block::from_raw(raw);
        assert_eq!(block.kind(), BlockKind::Unknown);
        assert_eq!(block.raw().as_str(), r#"{"type":"hologram","x":1.0}"#);
    }
}
