//! Rules of the auto tier: what becomes the summary, what stays word for word behind it.

use serde::{Deserialize, Serialize};

use super::Limit;
use crate::unit::Tokens;

/// What is put in the older part's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Replacement {
    /// A summary.
    Summary,
    /// Nothing: the older part is left out (`trim`).
    Nothing,
}

/// Whether the session notes become the summary, so that no model is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NotesMode {
    /// No: a model always summarises.
    Off,
    /// Where there are notes, they are the summary.
    First,
    /// The notes are a field of the agent's state beside the messages, given with every call.
    StateField,
}

/// What stays word for word. The live user request stays under every rule (C5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum Tail {
    /// The newest `min` tokens, more until `text_messages` messages with text are in it, never over `max`.
    Range {
        /// At least so much.
        min: Limit,
        /// At most so much.
        max: Limit,
        /// Messages with text that should be among it.
        text_messages: usize,
    },
    /// A share of the trigger, from a person's message on.
    TriggerShare {
        /// Thousandths of the trigger.
        permille: u32,
    },
    /// Nothing: the summary alone.
    Nothing,
    /// The user's own messages, the newest first, and nothing of the model's.
    UserMessages {
        /// At most so much.
        tokens: Limit,
    },
    /// The newest so many tokens.
    Newest {
        /// At most so much.
        tokens: Limit,
        /// But never less than this, whatever share [`Limit`] allows.
        at_least: Tokens,
    },
    /// The newest that fit under the target.
    NewestThatFit,
}

/// Which sections a summary has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Template {
    /// `<analysis>`, which is dropped, then nine sections: primary request and intent; key technical
    /// concepts; files and code; errors and fixes; problem solving; all user messages; pending tasks; current
    /// work; next step.
    NineSections,
    /// Free text under the heading `[Compressed]`.
    Compressed,
}

/// How the older part becomes a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SummaryRules {
    /// What replaces the older part.
    pub replacement: Replacement,
    /// Whether session notes come first.
    pub notes_first: NotesMode,
    /// What stays word for word.
    pub tail: Tail,
    /// Kept free for the summary in the summariser's own request, and its output limit. 20,000 tokens in the
    /// source; the model's output limit and this share of its window cap it (T034).
    pub output_reserve: Limit,
    /// The length the summary should have: about 5,000 tokens in the source, 2,000 in `plain-python`.
    pub aim: Limit,
    /// Its sections.
    pub template: Template,
}

impl SummaryRules {
    /// The output limit of a summariser's request: never over what its model can write (T034). On an unknown
    /// window (zero) no share binds.
    pub fn output_limit(&self, window: Tokens, max_output: Tokens) -> Tokens {
        on(self.output_reserve, window).min(max_output)
    }

    /// The length to ask for: the aim, or what the summariser can write where that is less.
    pub fn length(&self, window: Tokens, max_output: Tokens) -> Tokens {
        on(self.aim, window).min(self.output_limit(window, max_output))
    }
}

/// A limit on a window that may be unknown.
fn on(limit: Limit, window: Tokens) -> Tokens {
    if window.is_zero() { limit.absolute } else { limit.of(window) }
}

impl Default for SummaryRules {
    /// The rules of `palimpsest`.
    fn default() -> Self {
        Self {
            replacement: Replacement::Summary,
            notes_first: NotesMode::First,
            tail: Tail::Range {
                min: Limit::new(10_000, 100),
                max: Limit::new(40_000, 200),
                text_messages: 5,
            },
            output_reserve: Limit::new(20_000, 100),
            aim: Limit::new(5_000, 50),
            template: Template::NineSections,
        }
    }
}

/// How much of the newest messages stays: the numbers a [`Tail`] rule comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TailBudget {
    /// The tail grows at least to this.
    pub min: Tokens,
    /// And never over this.
    pub max: Tokens,
    /// Messages with text it should hold before it stops growing between the two.
    pub text_messages: usize,
}

impl Tail {
    /// The numbers on a window with these thresholds. No tail is larger than the target, so that a compaction
    /// can reach it.
    pub fn budget(self, thresholds: &super::Thresholds) -> TailBudget {
        let window = thresholds.window;
        let same = |tokens: Tokens| (tokens, tokens, 0);
        let (min, max, text_messages) = match self {
            Self::Range { min, max, text_messages } => (min.of(window), max.of(window), text_messages),
            Self::TriggerShare { permille } => same(thresholds.trigger().permille(permille)),
            Self::Nothing => same(Tokens::ZERO),
            Self::UserMessages { tokens } => same(tokens.of(window)),
            Self::Newest { tokens, at_least } => same(tokens.of(window).max(at_least)),
            Self::NewestThatFit => same(thresholds.target),
        };
        let max = max.min(thresholds.target);
        TailBudget { min: min.min(max), max, text_messages }
    }
}
