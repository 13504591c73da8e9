//! What pictures and documents cost: by their dimensions and pages, never by the length of their encoding (A10).
//!
//! ```text
//! base64 ──► decoded header ──► width × height ──► tokens
//! base64 ──► decoded PDF ──► pages ──► tokens
//! ```

use alloc::string::String;
use alloc::vec::Vec;

use super::Estimator;
use crate::unit::Tokens;

/// Pixels a token, by Anthropic's published rule `width × height / 750`.
const PIXELS_PER_TOKEN: u64 = 750;
/// A longer edge is scaled down to this many pixels before counting (same source).
const LONG_EDGE: u64 = 1568;
/// A picture that would cost more than this is scaled down until it does not (same source, "about 1,600 tokens").
const LARGEST_IMAGE: u64 = 1600;
/// What a picture of unknown size is taken to cost: the most one can. Screens, the common case, cost about that.
pub const UNKNOWN_IMAGE: Tokens = Tokens(LARGEST_IMAGE);

/// A PDF page, its text and its picture. Vendors name about 7,000 tokens for a three-page PDF read with pictures.
const PDF_PAGE: u64 = 2333;
/// Pages of a PDF that does not show its page count in clear.
const UNKNOWN_PAGES: u64 = 10;
/// The most pages a request may hold; a larger count is a broken file's.
const MOST_PAGES: u64 = 600;
/// A document that is only referred to, by address or file id.
const REMOTE_DOCUMENT: Tokens = Tokens(PDF_PAGE * UNKNOWN_PAGES);

/// How far into a JPEG its size is looked for: metadata blocks of 64 KiB each may come first.
const JPEG_SEARCH: usize = 128 * 1024;

/// What a picture of this size, in pixels, costs: at least one token, at most 1,600.
pub fn image(width: u32, height: u32) -> Tokens {
    let (width, height) = (u64::from(width.max(1)), u64::from(height.max(1)));
    let long = width.max(height);
    let area = width * height;
    let scaled = if long > LONG_EDGE {
        let wide =
            u128::from(area) * u128::from(LONG_EDGE * LONG_EDGE) / (u128::from(long) * u128::from(long));
        u64::try_from(wide).unwrap_or(u64::MAX)
    } else {
        area
    };
    Tokens(scaled.div_ceil(PIXELS_PER_TOKEN).clamp(1, LARGEST_IMAGE))
}

/// Width and height in pixels of a base64 PNG, JPEG, GIF or WebP, read from its header alone.
/// `None` when it is none of these or is cut before its size.
pub fn image_size(base64: &str) -> Option<(u32, u32)> {
    let head = decode(base64, 32);
    match head.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => png(&head),
        [0xFF, 0xD8, 0xFF, ..] => jpeg(&decode(base64, JPEG_SEARCH)),
        [b'G', b'I', b'F', b'8', ..] => Some((le16(&head, 6)?, le16(&head, 8)?)),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp(&head),
        _ => None,
    }
    .filter(|&(width, height)| width > 0 && height > 0)
}

/// Where a document's content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentSource<'a> {
    /// Encoded in the request.
    Base64(&'a str),
    /// Plain text in the request.
    Text(&'a str),
    /// Elsewhere: an address or a file id.
    Remote,
}

/// What a document costs: text by its text, a PDF by its pages, anything else as a PDF of unknown length.
pub fn document(estimator: Estimator, media_type: &str, source: DocumentSource<'_>) -> Tokens {
    match source {
        DocumentSource::Text(text) => estimator.text(text),
        DocumentSource::Base64(data) if is_text(media_type) => {
            estimator.text(&String::from_utf8_lossy(&decode(data, usize::MAX)))
        }
        DocumentSource::Base64(data) => Tokens(PDF_PAGE * pdf_pages(data).unwrap_or(UNKNOWN_PAGES)),
        DocumentSource::Remote => REMOTE_DOCUMENT,
    }
}

fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/") || matches!(media_type, "application/json" | "application/xml")
}

/// Pages of a PDF: its `/Type /Page` objects, or the largest `/Count` of its page tree where objects are packed.
fn pdf_pages(base64: &str) -> Option<u64> {
    let bytes = decode(base64, usize::MAX);
    let mut objects = 0_u64;
    let mut count = 0_u64;
    let mut rest = bytes.as_slice();
    while let Some(at) = rest.iter().position(|&byte| byte == b'/') {
        rest = rest.get(at + 1..).unwrap_or_default();
        if let Some(kind) = rest.strip_prefix(b"Type") {
            let page = kind.trim_ascii_start().strip_prefix(b"/Page");
            objects +=
                u64::from(page.is_some_and(|tail| !tail.first().is_some_and(u8::is_ascii_alphanumeric)));
        } else if let Some(number) = rest.strip_prefix(b"Count") {
            count = count.max(leading_number(number.trim_ascii_start()).unwrap_or(0));
        }
    }
    Some(if objects > 0 { objects } else { count }.min(MOST_PAGES)).filter(|&pages| pages > 0)
}

fn leading_number(bytes: &[u8]) -> Option<u64> {
    let digits = bytes.iter().take(9).take_while(|byte| byte.is_ascii_digit());
    digits.fold(None, |number, &digit| Some(number.unwrap_or(0) * 10 + u64::from(digit - b'0')))
}

fn png(head: &[u8]) -> Option<(u32, u32)> {
    Some((be32(head, 16)?, be32(head, 20)?))
}

/// Walks the segments to the frame header (SOF), which holds the size.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2_usize;
    loop {
        if *bytes.get(at)? != 0xFF {
            return None;
        }
        match *bytes.get(at + 1)? {
            0xFF => at += 1,                                 // padding
            0x01 | 0xD0..=0xD8 => at += 2,                   // markers without a segment
            0xD9 | 0xDA => return None,                      // end, or pixels before any frame header
            0xC4 | 0xC8 | 0xCC => at += segment(bytes, at)?, // tables that share the frame headers' range
            0xC0..=0xCF => return Some((be16(bytes, at + 7)?, be16(bytes, at + 5)?)),
            _ => at += segment(bytes, at)?,
        }
    }
}

/// The length of a JPEG segment with its marker.
fn segment(bytes: &[u8], at: usize) -> Option<usize> {
    Some(2 + usize::try_from(be16(bytes, at + 2)?.max(2)).ok()?)
}

fn webp(head: &[u8]) -> Option<(u32, u32)> {
    match head.get(12..16)? {
        b"VP8 " => Some((le16(head, 26)? & 0x3FFF, le16(head, 28)? & 0x3FFF)),
        b"VP8L" => {
            let bits = le16(head, 21)? | le16(head, 23)? << 16;
            Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
        }
        b"VP8X" => {
            let le24 = |at| Some(le16(head, at)? | u32::from(*head.get(at + 2)?) << 16);
            Some((le24(24)? + 1, le24(27)? + 1))
        }
        _ => None,
    }
}

fn le16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*bytes.get(at)?) | u32::from(*bytes.get(at + 1)?) << 8)
}

fn be16(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from(*bytes.get(at)?) << 8 | u32::from(*bytes.get(at + 1)?))
}

fn be32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(be16(bytes, at)? << 16 | be16(bytes, at + 2)?)
}

/// The first `limit` bytes of a base64 text in either alphabet. Line breaks are passed over, a `data:` head too;
/// anything else that is not base64 ends it.
fn decode(base64: &str, limit: usize) -> Vec<u8> {
    let body = match base64.split_once(";base64,") {
        Some((head, body)) if head.starts_with("data:") => body,
        _ => base64,
    };
    let mut bytes = Vec::with_capacity(limit.min(body.len() / 4 * 3 + 3));
    let (mut buffer, mut bits) = (0_u32, 0_u32);
    for character in body.bytes() {
        let sextet = match character {
            b'A'..=b'Z' => character - b'A',
            b'a'..=b'z' => character - b'a' + 26,
            b'0'..=b'9' => character - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'\n' | b'\r' | b' ' => continue,
            _ => break,
        };
        buffer = buffer << 6 | u32::from(sextet);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(buffer >> bits & 0xFF).unwrap_or(0));
            if bytes.len() >= limit {
                break;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests;
