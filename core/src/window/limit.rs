//! An absolute limit that shrinks with the window.

use serde::{Deserialize, Serialize};

use crate::unit::Tokens;

/// `min(absolute, share of the window)`: a number made for 200,000 tokens still works at 16,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limit {
    /// The most it can be, in tokens.
    pub tokens: Tokens,
    /// The most it can be in thousandths of the window; 1000 leaves only the absolute limit.
    pub permille: u32,
}

impl Limit {
    /// At most `tokens` and at most `permille` thousandths of the window.
    pub const fn new(tokens: u64, permille: u32) -> Self {
        Self { tokens: Tokens(tokens), permille }
    }

    /// An absolute limit; the window itself still bounds it.
    pub const fn absolute(tokens: u64) -> Self {
        Self::new(tokens, 1000)
    }

    /// The limit in a window of this size.
    pub fn of(self, window: Tokens) -> Tokens {
        self.tokens.min(window.permille(self.permille))
    }
}
