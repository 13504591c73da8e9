//! A JSON value that owns a share of the record it came from.

use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;

use super::json::{Json, JsonError};

/// One JSON value, byte for byte as it came in. A clone shares the record's text.
#[derive(Clone)]
pub struct RawJson {
    source: Arc<str>,
    start: usize,
    end: usize,
}

impl RawJson {
    /// Reads a text that holds one JSON value.
    ///
    /// # Errors
    /// The first byte at which the text stops being JSON.
    pub fn parse(source: impl Into<Arc<str>>) -> Result<Self, JsonError> {
        let source = source.into();
        let (start, end) = {
            let value = Json::parse(&source)?;
            (value.offset(), value.offset() + value.raw().len())
        };
        Ok(Self { source, start, end })
    }

    /// Takes a text that this crate has just written; anything else becomes a JSON string of itself, so a
    /// mistake of ours can spoil one value but never a whole request.
    pub(crate) fn written(text: String) -> Self {
        let text = match Json::parse(&text) {
            Ok(_) => text,
            Err(_) => super::json::string(&text),
        };
        let end = text.len();
        Self { source: Arc::from(text), start: 0, end }
    }

    /// Takes a text that was validated just before, as exactly one value without white space around it.
    pub(crate) fn trusted(source: Arc<str>) -> Self {
        debug_assert!(Json::parse(&source).is_ok(), "trusted text must be JSON");
        let end = source.len();
        Self { source, start: 0, end }
    }

    /// A part of this value, sharing its text. `part` must come from [`RawJson::json`] of this value; a
    /// foreign one gives the whole value back.
    #[must_use]
    pub fn part(&self, part: Json<'_>) -> Self {
        let start = self.start + part.offset();
        let end = start + part.raw().len();
        if self.source.get(start..end) == Some(part.raw()) {
            Self { source: self.source.clone(), start, end }
        } else {
            self.clone()
        }
    }

    /// The value's text.
    pub fn as_str(&self) -> &str {
        self.source.get(self.start..self.end).unwrap_or("null")
    }

    /// A view to read it by. The text was validated when this value was made.
    pub fn json(&self) -> Json<'_> {
        Json::trusted(self.as_str())
    }
}

impl fmt::Debug for RawJson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for RawJson {}
