//! Single blocks as what Chat Completions can hold: text, or an image in a user message.
//!
//! ```text
//!  text ─▶ its words     image ─▶ image_url   text document ─▶ title and text   anything else ─▶ [described]
//! ```

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::message::json::{Json, string};
use crate::message::{Block, BlockKind, text};

/// So many bytes of an unknown block go into its description.
const SHOWN_BYTES: usize = 400;

/// A part of a user message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Words.
    Text(String),
    /// The address of an image: a data URL or a link.
    Image(String),
}

/// A block of a user message or of a result.
pub(super) fn piece(block: &Block) -> Piece {
    match image_url(block) {
        Some(url) => Piece::Image(url),
        None => Piece::Text(in_words(block)),
    }
}

/// A block where only text can stand.
pub(super) fn in_words(block: &Block) -> String {
    match block.kind() {
        BlockKind::Text => block.words().unwrap_or_default().into_owned(),
        BlockKind::Document => document(block),
        BlockKind::Image => described("image", block),
        _ => described(&kind_of(block), block),
    }
}

/// The words of text blocks with blank lines between them; empty ones are left out.
pub(super) fn joined(blocks: impl Iterator<Item = Block>) -> String {
    let words: Vec<String> =
        blocks.map(|block| in_words(&block)).filter(|text| !text.trim().is_empty()).collect();
    words.join("\n\n")
}

/// The value of `content`: a string while there are words only, since some servers take nothing else.
pub(super) fn content(pieces: &[Piece]) -> String {
    let words: Option<Vec<&str>> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(words) => Some(words.as_str()),
            Piece::Image(_) => None,
        })
        .collect();
    if let Some(words) = words {
        return string(&words.join("\n\n"));
    }
    let parts: Vec<String> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(words) => format!(r#"{{"type":"text","text":{}}}"#, string(words)),
            Piece::Image(url) => format!(r#"{{"type":"image_url","image_url":{{"url":{}}}}}"#, string(url)),
        })
        .collect();
    format!("[{}]", parts.join(","))
}

fn source_member(block: &Block, name: &str) -> Option<String> {
    Some(block.raw().json().get("source")?.get(name)?.as_str()?.into_owned())
}

fn image_url(block: &Block) -> Option<String> {
    if block.kind() != BlockKind::Image {
        return None;
    }
    match source_member(block, "type")?.as_str() {
        "url" => source_member(block, "url"),
        "base64" => {
            let (kind, data) = (source_member(block, "media_type")?, source_member(block, "data")?);
            Some(format!("data:{kind};base64,{data}"))
        }
        _ => None,
    }
}

/// A text document goes in whole; a PDF cannot, since most servers have no place for one.
fn document(block: &Block) -> String {
    let title = block.raw().json().get("title").and_then(|title| title.as_str());
    let title = title.map(|title| format!(" \"{title}\"")).unwrap_or_default();
    match (source_member(block, "type").as_deref(), source_member(block, "data")) {
        (Some("text"), Some(words)) => format!("[Document{title}:]\n{words}"),
        _ => described(&format!("document{title}"), block),
    }
}

fn kind_of(block: &Block) -> String {
    let kind = block.raw().json().get("type").and_then(|kind: Json<'_>| kind.as_str());
    kind.map_or_else(|| "nameless".to_string(), Cow::into_owned)
}

/// A block that this API cannot carry: what it is, and its beginning unless that is base64.
fn described(what: &str, block: &Block) -> String {
    let raw = block.raw().as_str();
    let bytes = raw.len();
    if matches!(block.kind(), BlockKind::Image | BlockKind::Document) {
        let media_type = source_member(block, "media_type").unwrap_or_else(|| "by reference".to_string());
        return format!("[A {what} ({media_type}, {bytes} bytes) that this API cannot carry was left out.]");
    }
    let shown = text::head(raw, SHOWN_BYTES);
    let more = if shown.len() < bytes { " …" } else { "" };
    format!("[A block of type {what} ({bytes} bytes) that this API cannot carry; it begins: {shown}{more}]")
}
