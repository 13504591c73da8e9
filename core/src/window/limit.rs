//! A number that means the same on a small window as on a large one.

use serde::{Deserialize, Serialize};

use crate::unit::{Bytes, Tokens};

/// An absolute number of tokens, or a share of the window where that is less. 13,000 or 6.5 % is 13,000 on a
/// window of 200,000 and 1,040 on one of 16,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limit {
    /// Tokens, on any window.
    pub absolute: Tokens,
    /// Thousandths of the window; absent where the absolute number holds whatever the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_permille: Option<u32>,
}

impl Limit {
    /// No tokens on any window.
    pub const ZERO: Self = Self::absolute(0);

    /// The lesser of `tokens` and `permille` / 1000 of the window.
    pub const fn new(tokens: u64, permille: u32) -> Self {
        Self { absolute: Tokens(tokens), share_permille: Some(permille) }
    }

    /// The same on any window.
    pub const fn absolute(tokens: u64) -> Self {
        Self { absolute: Tokens(tokens), share_permille: None }
    }

    /// What it comes to on a window.
    pub fn of(self, window: Tokens) -> Tokens {
        self.share_permille.map_or(self.absolute, |share| self.absolute.min(window.permille(share)))
    }
}

/// A number of characters, or a share of the window in tokens where the text costs more than that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TextLimit {
    /// Unicode characters, on any window.
    pub chars: usize,
    /// Thousandths of the window that the text may cost in tokens, whatever its length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_permille: Option<u32>,
}

impl TextLimit {
    /// At most `chars` characters and `permille` / 1000 of the window.
    pub const fn new(chars: usize, permille: u32) -> Self {
        Self { chars, share_permille: Some(permille) }
    }

    /// True for a text of so many characters and tokens that is over the limit. On an unknown window (zero)
    /// only the characters count.
    pub fn is_exceeded(self, chars: usize, tokens: Tokens, window: Tokens) -> bool {
        let share = self.share_permille.filter(|_| !window.is_zero());
        chars > self.chars || share.is_some_and(|share| tokens > window.permille(share))
    }
}

/// A number of bytes, or so many bytes as a share of the window has tokens where that is less. A byte is at
/// most one token, so the text also fits that share of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ByteLimit {
    /// UTF-8 bytes, on any window.
    pub absolute: Bytes,
    /// Thousandths of the window, one byte for a token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_permille: Option<u32>,
}

impl ByteLimit {
    /// The lesser of `bytes` and `permille` / 1000 of the window.
    pub const fn new(bytes: u64, permille: u32) -> Self {
        Self { absolute: Bytes(bytes), share_permille: Some(permille) }
    }

    /// What it comes to on a window; on an unknown one (zero) the absolute number.
    pub fn of(self, window: Tokens) -> Bytes {
        let share = self.share_permille.filter(|_| !window.is_zero());
        share.map_or(self.absolute, |share| self.absolute.min(Bytes(window.permille(share).get())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_binds_on_small_windows_only() {
        let buffer = Limit::new(13_000, 65);
        assert_eq!(buffer.of(Tokens(200_000)), Tokens(13_000));
        assert_eq!(buffer.of(Tokens(1_000_000)), Tokens(13_000));
        assert_eq!(buffer.of(Tokens(16_000)), Tokens(1_040));
        assert_eq!(Limit::absolute(13_000).of(Tokens(16_000)), Tokens(13_000));
    }

    #[test]
    fn t067_a_short_chinese_text_can_be_too_large_where_a_latin_one_is_not() {
        let limit = TextLimit::new(50_000, 100);
        assert!(!limit.is_exceeded(50_000, Tokens(14_000), Tokens(200_000)));
        assert!(limit.is_exceeded(50_001, Tokens(14_000), Tokens(200_000)));
        assert!(limit.is_exceeded(40_000, Tokens(44_000), Tokens(200_000)));
        assert!(!limit.is_exceeded(40_000, Tokens(44_000), Tokens::ZERO));
    }

    #[test]
    fn a_preview_shrinks_with_the_window() {
        let preview = ByteLimit::new(2_000, 125);
        assert_eq!(preview.of(Tokens(200_000)), Bytes(2_000));
        assert_eq!(preview.of(Tokens(4_000)), Bytes(500));
        assert_eq!(preview.of(Tokens::ZERO), Bytes(2_000));
    }
}
