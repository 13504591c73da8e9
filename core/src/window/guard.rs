//! Rules that keep a session from growing, looping or paying without end.

use serde::{Deserialize, Serialize};

use super::{ByteLimit, Limit, TextLimit};
use crate::unit::{Millis, Tokens};

/// What is too large to stand in the window, and how much of it is shown instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct OversizeRules {
    /// A tool result over this goes to an artifact. 50,000 characters in the source.
    pub result: TextLimit,
    /// A message over this, all its results together. 200,000 characters in the source.
    pub message: TextLimit,
    /// What is shown in its place, marker included (E2). 2,000 bytes in the source.
    pub preview: ByteLimit,
}

impl Default for OversizeRules {
    fn default() -> Self {
        Self {
            result: TextLimit::new(50_000, 100),
            message: TextLimit::new(200_000, 400),
            preview: ByteLimit::new(2_000, 125),
        }
    }
}

/// What a compaction must reach, so that the next turn does not trigger another (B3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Hysteresis {
    /// The target, in thousandths of the trigger. Ours: 700.
    pub target_permille: u32,
    /// A compaction that saves less made no progress. Ours: 5,000 tokens, 2.5 % of the window.
    pub min_saving: Limit,
}

impl Default for Hysteresis {
    fn default() -> Self {
        Self { target_permille: 700, min_saving: Limit::new(5_000, 25) }
    }
}

/// When automatic compaction gives up (B2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct BreakerRules {
    /// Failures in a row that stop automatic tries, until a success or real user input. 3 in the source.
    pub failures: u32,
}

impl Default for BreakerRules {
    fn default() -> Self {
        Self { failures: 3 }
    }
}

/// What happens when the provider refuses a prompt as too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct ReactiveRules {
    /// The oldest rounds that are dropped at a time, in thousandths of all rounds. A fifth in the source.
    pub drop_permille: u32,
    /// Tries before the structural summary and the cutting of single items; 0 turns the tier off. Ours: 5, so
    /// that five fifths are everything.
    pub attempts: u32,
}

impl Default for ReactiveRules {
    fn default() -> Self {
        Self { drop_permille: 200, attempts: 5 }
    }
}

/// Limits of a subagent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SubagentRules {
    /// Model calls it may make. 30 in the source.
    pub iterations: u32,
    /// Its output limit. 8,000 tokens in the source.
    pub max_output: Tokens,
}

impl Default for SubagentRules {
    fn default() -> Self {
        Self { iterations: 30, max_output: Tokens(8_000) }
    }
}

/// How the provider's prompt cache works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct CacheRules {
    /// Marks a request may carry. 4 at Anthropic.
    pub marks: usize,
    /// Blocks that the provider looks back from a mark for an entry it knows. 20 at Anthropic.
    pub lookback: usize,
    /// A shorter prefix is not cached. 1,024 to 4,096 tokens at Anthropic, by model; the least is taken.
    pub min_prefix: Tokens,
    /// How long an entry lives after its last use. 5 minutes at Anthropic.
    pub ttl: Millis,
}

impl Default for CacheRules {
    fn default() -> Self {
        Self { marks: 4, lookback: 20, min_prefix: Tokens(1_024), ttl: Millis(5 * 60 * 1_000) }
    }
}
