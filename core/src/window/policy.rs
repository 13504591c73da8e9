//! The policy: every number and switch of the engine, as data.

use alloc::string::String;

use serde::{Deserialize, Serialize};

use super::{
    BreakerRules, CacheRules, Hysteresis, Limit, MemoryRules, MicroRules, NotesRules, OversizeRules,
    ReactiveRules, RestoreRules, SkillRules, SubagentRules, SummaryRules,
};
use crate::tokens::{Prices, Profile};
use crate::unit::Tokens;

/// When the auto tier fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum TriggerRule {
    /// At the window less `output`, less `buffer`.
    BelowWindow {
        /// Left for the model's answer; its output limit caps it.
        output: Limit,
        /// Left for what one more round may add.
        buffer: Limit,
    },
    /// At a share of the window.
    Share {
        /// Thousandths of the window.
        permille: u32,
    },
    /// At a threshold of its own, looked at once, when a turn begins: never inside a tool loop.
    OnceATurn {
        /// The threshold.
        at: Limit,
    },
    /// Never.
    Never,
}

impl TriggerRule {
    /// True when the size is looked at before each model call (A9), false when only as a turn begins.
    pub const fn every_call(&self) -> bool {
        !matches!(self, Self::OnceATurn { .. })
    }
}

/// Every number of the engine. A field that a serialised policy leaves out has its value in `palimpsest`; an
/// unknown field is an error. [`Policy::validate`] tells whether the numbers work together.
///
/// ```
/// use palimpsest_core::{unit::Tokens, window::Policy};
///
/// let policy = Policy::named("claude-code-2.1.87").unwrap_or_default();
/// assert_eq!(policy.thresholds().and_then(|thresholds| thresholds.auto), Some(Tokens(187_000)));
/// assert_eq!(policy.with_window(Tokens(64_000)).validate(), Ok(()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// Its name: one of [`Policy::NAMES`], or a user's own.
    pub name: String,
    /// The version of what the name stands for. It changes when a number does.
    pub version: u32,
    /// The model's window: prompt and answer together. Zero when it is not known; then nothing triggers
    /// (A13).
    pub window: Tokens,
    /// What the model can write in one answer.
    pub max_output: Tokens,
    /// Kept free for the answer at all times, capped by [`Self::max_output`]: no prompt is larger than the
    /// window less this. Ours: 20,000 tokens, a tenth of the window. For sources that compare the prompt with
    /// the window alone: 1,024 tokens, 2 %, the least answer worth asking for.
    pub output_reserve: Limit,
    /// When the auto tier fires.
    pub trigger: TriggerRule,
    /// What a compaction must reach.
    pub hysteresis: Hysteresis,
    /// What is too large to stand in the window; absent when nothing is.
    pub oversize: Option<OversizeRules>,
    /// The micro tier.
    pub micro: MicroRules,
    /// The auto tier.
    pub summary: SummaryRules,
    /// What comes back behind a summary.
    pub restore: RestoreRules,
    /// The reactive tier.
    pub reactive: ReactiveRules,
    /// When automatic tries stop.
    pub breaker: BreakerRules,
    /// The list of skills.
    pub skills: SkillRules,
    /// Memory files.
    pub memory: MemoryRules,
    /// Session notes.
    pub notes: NotesRules,
    /// Subagents.
    pub subagent: SubagentRules,
    /// The provider's prompt cache.
    pub cache: CacheRules,
    /// What the model costs. Ours: Claude Sonnet's list price.
    pub prices: Prices,
    /// Which tokeniser the estimate follows.
    pub profile: Profile,
}

impl Policy {
    /// The same policy on another window. Every [`Limit`] follows; no other number changes.
    #[must_use]
    pub fn with_window(self, window: Tokens) -> Self {
        Self { window, ..self }
    }

    /// The same policy for a model that writes at most so much in one answer.
    #[must_use]
    pub fn with_max_output(self, max_output: Tokens) -> Self {
        Self { max_output, ..self }
    }

    /// The output limit to ask for with a prompt of `used` tokens: what the model can write, as far as the
    /// window has room for it; never zero, which providers refuse.
    pub fn output_limit(&self, used: Tokens) -> Tokens {
        let room = if self.window.is_zero() { self.max_output } else { self.window - used };
        self.max_output.min(room).max(Tokens(1))
    }
}

impl Default for Policy {
    /// `palimpsest` on a window of 200,000 tokens.
    fn default() -> Self {
        super::named::palimpsest()
    }
}
