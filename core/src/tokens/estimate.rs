//! The estimator: a text's tokens without a tokeniser's vocabulary.
//!
//! ```text
//! text ──► scan: features of each character ──► weights of a profile ──► sum, rounded up
//! ```
//!
//! One pass, no allocation, a few table look-ups a character. The weights are fitted to exact counts; how, and how
//! far off the estimates are on texts they were not fitted to, stands in `FITTING.md` beside this file.

use serde::{Deserialize, Serialize};

use super::scan::scan;
use super::weights::{CLAUDE, O200K, UNIT, Weights};
use crate::unit::Tokens;

/// Whose tokeniser an estimate follows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// OpenAI's `o200k_base` (GPT-4o and later).
    O200k,
    /// Claude 3 to 4.6. From 4.7 on Claude counts numbers alike, prose and code 30 to 60 % higher; calibration
    /// learns that.
    #[default]
    Claude,
}

/// What a provider wraps around the parts of a conversation, in tokens each.
///
/// Claude: a call and its result together were fitted to real usage (75); their shares are nominal, and a text
/// block's own mark could not be told from nothing there, so it is a role mark's size. `o200k`: a message's three
/// or four tokens as OpenAI documents them; calls are unpublished and taken as two messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Framing {
    /// Around a text block, or a message that is one text.
    pub text: Tokens,
    /// Around a tool call: beside its name and its input's JSON.
    pub tool_call: Tokens,
    /// Around a tool result: beside its content.
    pub tool_result: Tokens,
}

/// Estimates tokens by a profile's weights. A plain value: make one where it is needed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Estimator {
    profile: Profile,
}

impl Estimator {
    /// Two texts joined cost what they cost apart, give or take this many tokens (invariant A7). Appending never
    /// lowers a cost at all.
    pub const SEAM: Tokens = Tokens(8);

    /// An estimator that follows `profile`.
    pub const fn new(profile: Profile) -> Self {
        Self { profile }
    }

    /// The profile it follows.
    pub const fn profile(self) -> Profile {
        self.profile
    }

    /// About how many tokens `text` costs: none when it is empty, else at least one.
    ///
    /// The text counts as it will be sent: for a tool's input pass its JSON source.
    pub fn text(&self, text: &str) -> Tokens {
        let weights = self.weights();
        let mut units = 0_u64;
        scan(text, |feature| units = units.saturating_add(weights.of(feature)));
        Tokens(units.div_ceil(UNIT).max(u64::from(!text.is_empty())))
    }

    /// What the provider wraps around each part of a conversation.
    pub const fn framing(self) -> Framing {
        match self.profile {
            Profile::Claude => Framing { text: Tokens(3), tool_call: Tokens(43), tool_result: Tokens(32) },
            Profile::O200k => Framing { text: Tokens(4), tool_call: Tokens(8), tool_result: Tokens(4) },
        }
    }

    fn weights(self) -> &'static Weights {
        match self.profile {
            Profile::O200k => &O200K,
            Profile::Claude => &CLAUDE,
        }
    }
}

#[cfg(test)]
mod tests;
