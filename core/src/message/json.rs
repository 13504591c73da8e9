//! JSON as text that is never re-spelt: a validated view into the bytes that came in.
//!
//! ```text
//! "{\"n\":1.0, \"s\":\"\\ud83d\"}"  ──parse──▶  Json ──members()──▶ ("n", 1.0) ("s", "\ud83d")
//!        the same bytes  ◀──raw()──
//! ```
//!
//! A general JSON library turns `1.0` into a float, `9007199254740993` into another number and refuses the
//! lone surrogate that a careless cut left in a session file. A transcript must survive all three, so the
//! record stays text and this view finds its way in it. Nothing here recurses: depth costs memory, not stack.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Why a text is not JSON, and at which byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// Byte offset in the text that was parsed.
    pub at: usize,
    /// What the grammar wanted there.
    pub expected: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not JSON at byte {}: expected {}", self.at, self.expected)
    }
}

impl core::error::Error for JsonError {}

/// The six kinds of JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonKind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number in any spelling.
    Number,
    /// A string, escapes kept as they were.
    String,
    /// An array.
    Array,
    /// An object; order and duplicates kept.
    Object,
}

/// One JSON value inside a validated text. Copying it copies two words, never the text.
#[derive(Clone, Copy)]
pub struct Json<'a> {
    text: &'a str,
    offset: usize,
}

impl fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

impl<'a> Json<'a> {
    /// Reads a text that holds exactly one value, white space around it allowed.
    ///
    /// # Errors
    /// The first byte at which the text stops being JSON.
    pub fn parse(text: &'a str) -> Result<Self, JsonError> {
        let (value, rest) = Self::parse_first(text, 0)?;
        if rest == text.len() { Ok(value) } else { Err(JsonError { at: rest, expected: "the end" }) }
    }

    /// Reads the first value at or after byte `from`; also returns where the next token begins, so that two
    /// records on one line can be told apart.
    ///
    /// # Errors
    /// The first byte at which the text stops being JSON.
    pub fn parse_first(text: &'a str, from: usize) -> Result<(Self, usize), JsonError> {
        let bytes = text.as_bytes();
        let start = skip_space(bytes, from);
        let end = validate(bytes, start)?;
        Ok((Self { text: cut(text, start, end), offset: start }, skip_space(bytes, end)))
    }

    /// A view of a text that was validated before.
    pub(super) fn trusted(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    /// The value's own text, byte for byte.
    pub fn raw(&self) -> &'a str {
        self.text
    }

    /// Where the value begins in the text it was parsed from, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Which kind of value this is.
    pub fn kind(&self) -> JsonKind {
        match self.text.as_bytes().first() {
            Some(b'{') => JsonKind::Object,
            Some(b'[') => JsonKind::Array,
            Some(b'"') => JsonKind::String,
            Some(b't' | b'f') => JsonKind::Bool,
            Some(b'n') | None => JsonKind::Null,
            Some(_) => JsonKind::Number,
        }
    }

    /// The decoded string, borrowed when it holds no escape. A lone surrogate reads as U+FFFD here and
    /// stays what it was in [`Json::raw`].
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        if self.kind() != JsonKind::String {
            return None;
        }
        let inner = cut(self.text, 1, self.text.len().saturating_sub(1));
        Some(if inner.contains('\\') { Cow::Owned(unescape(inner)) } else { Cow::Borrowed(inner) })
    }

    /// True when this is the string `expected`.
    pub fn is_str(&self, expected: &str) -> bool {
        self.as_str().is_some_and(|text| text == expected)
    }

    /// A whole number that fits, or `None` (also for `1.0` and `1e3`: those are not spelt as integers).
    pub fn as_u64(&self) -> Option<u64> {
        if self.kind() == JsonKind::Number { self.text.parse().ok() } else { None }
    }

    /// A boolean, or `None`.
    pub fn as_bool(&self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The value of a member; the last one when a key is repeated, as JSON readers do.
    pub fn get(&self, key: &str) -> Option<Json<'a>> {
        self.members().filter(|(name, _)| name == key).last().map(|(_, value)| value)
    }

    /// The members of an object in their order; nothing for other kinds.
    pub fn members(&self) -> impl Iterator<Item = (Cow<'a, str>, Json<'a>)> + use<'a> {
        let mut walk = Walk::new(*self, JsonKind::Object);
        core::iter::from_fn(move || {
            let key = walk.next_value()?;
            let value = walk.next_value()?;
            Some((key.as_str().unwrap_or_default(), value))
        })
    }

    /// The elements of an array in their order; nothing for other kinds.
    pub fn elements(&self) -> impl Iterator<Item = Json<'a>> + use<'a> {
        let mut walk = Walk::new(*self, JsonKind::Array);
        core::iter::from_fn(move || walk.next_value())
    }

    /// This object with one member's value replaced, or the member added at the end; every other byte stays.
    /// A value that is not an object comes back unchanged.
    #[must_use]
    pub fn with_member(&self, key: &str, value: &str) -> String {
        if self.kind() != JsonKind::Object {
            return String::from(self.text);
        }
        let mut out = String::with_capacity(self.text.len() + key.len() + value.len() + 4);
        if let Some(old) = self.get(key) {
            let start = old.offset.saturating_sub(self.offset);
            out.push_str(cut(self.text, 0, start));
            out.push_str(value);
            out.push_str(cut(self.text, start + old.text.len(), self.text.len()));
        } else {
            let head = self.text.strip_suffix('}').unwrap_or(self.text);
            out.push_str(head);
            if self.members().next().is_some() {
                out.push(',');
            }
            write_string(&mut out, key);
            out.push(':');
            out.push_str(value);
            out.push('}');
        }
        out
    }

    /// This object without one member; every other byte stays. Unchanged when there is no such member.
    #[must_use]
    pub fn without_member(&self, key: &str) -> String {
        let mut out = String::with_capacity(self.text.len());
        if self.get(key).is_none() {
            out.push_str(self.text);
            return out;
        }
        out.push('{');
        let mut first = true;
        let mut walk = Walk::new(*self, JsonKind::Object);
        while let (Some(name), Some(value)) = (walk.next_value(), walk.next_value()) {
            if name.is_str(key) {
                continue;
            }
            if !first {
                out.push(',');
            }
            first = false;
            let start = name.offset.saturating_sub(self.offset);
            let end = value.offset.saturating_sub(self.offset) + value.text.len();
            out.push_str(cut(self.text, start, end));
        }
        out.push('}');
        out
    }
}

/// Writes `text` as a JSON string with its quotes, escaping only what JSON demands.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut clean = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0x08 => "\\b",
            0x0c => "\\f",
            0..=0x1f => "",
            _ => continue,
        };
        out.push_str(cut(text, clean, at));
        if escape.is_empty() {
            let hex = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
            out.push_str("\\u00");
            out.push(hex(byte >> 4));
            out.push(hex(byte & 15));
        } else {
            out.push_str(escape);
        }
        clean = at + 1;
    }
    out.push_str(cut(text, clean, text.len()));
    out.push('"');
}

/// JSON text whose lone surrogates, which providers refuse, are replacement characters; everything else stays.
pub fn without_lone_surrogates(json: String) -> String {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let is_unicode = rest.as_bytes().get(at + 1) == Some(&b'u');
        let (decoded, end) = if is_unicode { unescape_unicode(rest, at) } else { (' ', at + 2) };
        out.push_str(cut(rest, 0, at));
        let lone = is_unicode && end == at + 6 && decoded == char::REPLACEMENT_CHARACTER;
        out.push_str(if lone { "\\ufffd" } else { cut(rest, at, end) });
        rest = rest.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// `text` as a JSON string, quotes included.
pub fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}

/// Walks the values of one container that is known to be valid.
struct Walk<'a> {
    text: &'a str,
    offset: usize,
    at: usize,
}

impl<'a> Walk<'a> {
    fn new(value: Json<'a>, kind: JsonKind) -> Self {
        let at = if value.kind() == kind { 1 } else { value.text.len() };
        Self { text: value.text, offset: value.offset, at }
    }

    fn next_value(&mut self) -> Option<Json<'a>> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b':')) {
            at += 1;
        }
        if matches!(bytes.get(at), None | Some(b'}' | b']')) {
            return None;
        }
        let end = skip_value(bytes, at);
        self.at = end;
        Some(Json { text: cut(self.text, at, end), offset: self.offset + at })
    }
}

/// `text[from..to]`, or nothing where the range is not one. The scanner only cuts at ASCII bytes.
fn cut(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// End of the value at `at` in a text already known to be valid: strings and nesting are all that matter.
fn skip_value(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 0_usize;
    loop {
        match bytes.get(at) {
            None => return at,
            Some(b'"') => at = skip_string(bytes, at + 1),
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
            }
            Some(b'}' | b']') => {
                depth = depth.saturating_sub(1);
                at += 1;
            }
            Some(b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') => {
                at += 1;
                continue;
            }
            Some(_) => {
                while !matches!(bytes.get(at), None | Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'))
                {
                    at += 1;
                }
            }
        }
        if depth == 0 {
            return at;
        }
    }
}

fn skip_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// Checks one value strictly by RFC 8259 and returns its end.
fn validate(bytes: &[u8], start: usize) -> Result<usize, JsonError> {
    let mut open: Vec<u8> = Vec::new();
    let mut at = start;
    loop {
        // A value is due here.
        at = skip_space(bytes, at);
        match bytes.get(at) {
            Some(b'{') => {
                at = skip_space(bytes, at + 1);
                if bytes.get(at) == Some(&b'}') {
                    at += 1;
                } else {
                    open.push(b'}');
                    at = validate_key(bytes, at)?;
                    continue;
                }
            }
            Some(b'[') => {
                at = skip_space(bytes, at + 1);
                if bytes.get(at) == Some(&b']') {
                    at += 1;
                } else {
                    open.push(b']');
                    continue;
                }
            }
            Some(b'"') => at = validate_string(bytes, at + 1)?,
            Some(b'-' | b'0'..=b'9') => at = validate_number(bytes, at)?,
            Some(b't') => at = validate_word(bytes, at, b"true")?,
            Some(b'f') => at = validate_word(bytes, at, b"false")?,
            Some(b'n') => at = validate_word(bytes, at, b"null")?,
            _ => return Err(JsonError { at, expected: "a value" }),
        }
        // A value has ended: close what ends with it, or go on to the next member.
        loop {
            let Some(&close) = open.last() else { return Ok(at) };
            at = skip_space(bytes, at);
            match bytes.get(at) {
                Some(b',') => {
                    at = skip_space(bytes, at + 1);
                    if close == b'}' {
                        at = validate_key(bytes, at)?;
                    }
                    break;
                }
                Some(&byte) if byte == close => {
                    open.pop();
                    at += 1;
                }
                _ => return Err(JsonError { at, expected: "a comma or the closing bracket" }),
            }
        }
    }
}

/// A member's key and colon.
fn validate_key(bytes: &[u8], at: usize) -> Result<usize, JsonError> {
    if bytes.get(at) != Some(&b'"') {
        return Err(JsonError { at, expected: "a member name" });
    }
    let end = skip_space(bytes, validate_string(bytes, at + 1)?);
    if bytes.get(end) == Some(&b':') { Ok(end + 1) } else { Err(JsonError { at: end, expected: "a colon" }) }
}

fn validate_string(bytes: &[u8], mut at: usize) -> Result<usize, JsonError> {
    loop {
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => at += 2,
                Some(b'u')
                    if bytes.get(at + 2..at + 6).is_some_and(|h| h.iter().all(u8::is_ascii_hexdigit)) =>
                {
                    at += 6;
                }
                _ => return Err(JsonError { at, expected: "a valid escape" }),
            },
            Some(0..=0x1f) | None => return Err(JsonError { at, expected: "the end of the string" }),
            Some(_) => at += 1,
        }
    }
}

fn validate_number(bytes: &[u8], start: usize) -> Result<usize, JsonError> {
    let digits = |mut at: usize| {
        let from = at;
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        if at > from { Ok(at) } else { Err(JsonError { at, expected: "a digit" }) }
    };
    let mut at = start + usize::from(bytes.get(start) == Some(&b'-'));
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(at)? };
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        at = digits(at)?;
    }
    Ok(at)
}

fn validate_word(bytes: &[u8], at: usize, word: &'static [u8]) -> Result<usize, JsonError> {
    if bytes.get(at..at + word.len()) == Some(word) {
        Ok(at + word.len())
    } else {
        Err(JsonError { at, expected: "true, false or null" })
    }
}

/// Decodes the escapes of a valid string body.
fn unescape(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        out.push_str(cut(rest, 0, at));
        let code = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        let mut used = at + 2;
        match code {
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'u' => {
                let (decoded, end) = unescape_unicode(rest, at);
                out.push(decoded);
                used = end;
            }
            other => out.push(char::from(other)),
        }
        rest = rest.get(used..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Decodes `\uXXXX` (and its low surrogate) at byte `at`; returns the character and the end.
fn unescape_unicode(text: &str, at: usize) -> (char, usize) {
    let unit = |at: usize| {
        let hex = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(hex, 16).ok()
    };
    let first = unit(at).unwrap_or(0xfffd);
    if let (0xd800..=0xdbff, Some(second)) = (first, unit(at + 6))
        && let Some(Ok(pair)) = char::decode_utf16([first, second]).next()
    {
        return (pair, at + 12);
    }
    (char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER), at + 6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use proptest::prelude::*;

    #[test]
    fn keeps_every_spelling() {
        let text = r#"{"n":1.0,"big":9007199254740993,"s":"\ud83d lone","k":[1e3,{"a":null}]}"#;
        let value = Json::parse(text).unwrap();
        assert_eq!(value.raw(), text);
        assert_eq!(value.get("n").unwrap().raw(), "1.0");
        assert_eq!(value.get("big").unwrap().as_u64(), Some(9_007_199_254_740_993));
        assert_eq!(value.get("s").unwrap().as_str().unwrap(), "\u{fffd} lone");
        assert_eq!(value.get("s").unwrap().raw(), r#""\ud83d lone""#);
        assert_eq!(value.get("k").unwrap().elements().count(), 2);
    }

    #[test]
    fn decodes_escapes_and_pairs() {
        let value = Json::parse(r#""a\n\"\u00e9\ud83d\udfe1\/""#).unwrap();
        assert_eq!(value.as_str().unwrap(), "a\n\"é🟡/");
    }

    #[test]
    fn refuses_what_is_not_json() {
        for text in
            ["", "{", "{\"a\"}", "[1,]", "{,}", "01", "1.", "\"\\x\"", "\"\u{1}\"", "nul", "{} {}", "[1}"]
        {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn e1_lone_surrogates_are_mended_and_pairs_stay() {
        let text = r#"["\ud83d","\ud83d\udfe1","\\ud83d","\uDC00x","\ufffd"]"#;
        let mended = without_lone_surrogates(text.into());
        assert_eq!(mended, r#"["\ufffd","\ud83d\udfe1","\\ud83d","\ufffdx","\ufffd"]"#);
    }

    #[test]
    fn two_values_on_one_line_are_found() {
        let text = r#"{"a":1}{"b":2}"#;
        let (first, rest) = Json::parse_first(text, 0).unwrap();
        assert_eq!(first.raw(), r#"{"a":1}"#);
        assert_eq!(Json::parse_first(text, rest).unwrap().0.raw(), r#"{"b":2}"#);
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(Json::parse(&deep).unwrap().raw().len(), 400_000);
    }

    #[test]
    fn edits_touch_one_member_only() {
        let value = Json::parse(r#"{ "a" : 1.0, "b":[1] , "c":"\u0041"}"#).unwrap();
        assert_eq!(value.with_member("b", "2"), r#"{ "a" : 1.0, "b":2 , "c":"\u0041"}"#);
        assert_eq!(value.with_member("d", "2"), r#"{ "a" : 1.0, "b":[1] , "c":"\u0041","d":2}"#);
        assert_eq!(value.without_member("b"), r#"{"a" : 1.0,"c":"\u0041"}"#);
        assert_eq!(Json::parse("{}").unwrap().with_member("a", "1"), r#"{"a":1}"#);
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in "[ -~\u{e9}\u{1f7e1}]{0,40}") {
            prop_assert_eq!(Json::parse(&text).is_ok(), serde_json::from_str::<serde_json::Value>(&text).is_ok());
        }

        #[test]
        fn e1_strings_round_trip(text in any::<String>()) {
            let written = string(&text);
            prop_assert_eq!(Json::parse(&written).unwrap().as_str().unwrap(), text.clone());
            prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        }
    }
}
