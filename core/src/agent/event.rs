//! What happened, in the engine's own words: enough for a host to draw everything.

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use super::effect::Purpose;
use crate::tokens::Usage;
use crate::unit::Tokens;

/// Which tier acted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Tier {
    /// Old results of re-runnable tools were cleared.
    Micro,
    /// The older part was summarised because the trigger was crossed.
    Auto,
    /// The provider refused the request as too long.
    Reactive,
    /// The user asked for it.
    Manual,
}

/// Who wrote a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum SummarisedBy {
    /// A model.
    Model,
    /// The engine, from the messages themselves.
    Structural,
    /// Nobody: a notice stands for what is only in the archive now.
    Nobody,
}

/// Why a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(tag = "reason", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TurnEnd {
    /// The model was done.
    Done,
    /// The output limit cut the answer.
    OutputLimit,
    /// The model declined.
    Refusal,
    /// The user cancelled.
    Cancelled,
    /// A call failed for good.
    Failed {
        /// What and why, in one line.
        message: String,
    },
    /// Even the smallest request does not fit.
    CannotFit {
        /// Names the largest parts and what to do.
        message: String,
    },
}

/// One event. Token numbers are the engine's calibrated estimate unless they are inside a `usage`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Event {
    /// A turn began with the user's words.
    TurnStarted {
        /// The message's id.
        message: String,
    },
    /// A request was handed to the host.
    RequestSent {
        /// Why.
        purpose: Purpose,
        /// What it costs.
        tokens: Tokens,
        /// How many messages it has.
        messages: usize,
    },
    /// A reply came.
    Replied {
        /// For which purpose.
        purpose: Purpose,
        /// What the provider counted.
        usage: Option<Usage>,
        /// What the engine had expected the prompt to cost.
        estimated: Tokens,
    },
    /// A tool was started.
    ToolStarted {
        /// The call's id.
        call: String,
        /// The tool.
        name: String,
    },
    /// A tool answered.
    ToolFinished {
        /// The call's id.
        call: String,
        /// Whether it failed.
        is_error: bool,
        /// What its result costs.
        tokens: Tokens,
    },
    /// A result was too large and went to an artifact.
    Spilled {
        /// The call's id.
        call: String,
        /// Where the whole is.
        path: String,
        /// The result's cost before.
        before: Tokens,
        /// The preview's cost.
        after: Tokens,
    },
    /// The micro tier cleared old results.
    Cleared {
        /// Whose results.
        calls: Vec<String>,
        /// The view's cost before.
        before: Tokens,
        /// The view's cost after.
        after: Tokens,
        /// Why now, with the numbers.
        reason: String,
    },
    /// A compaction began.
    CompactionStarted {
        /// Which tier.
        tier: Tier,
        /// Why, with the numbers.
        reason: String,
    },
    /// A compaction ended well: a summary stands for the older part.
    Summarised {
        /// Which tier.
        tier: Tier,
        /// Who wrote it.
        by: SummarisedBy,
        /// The ids of the items it stands for.
        items: Vec<String>,
        /// How many items stayed word for word.
        kept: usize,
        /// The view's cost before.
        before: Tokens,
        /// The view's cost after.
        after: Tokens,
    },
    /// A single giant result or message was cut, since nothing else was left to remove.
    Truncated {
        /// The item's id.
        item: String,
        /// The view's cost before.
        before: Tokens,
        /// The view's cost after.
        after: Tokens,
    },
    /// A compaction changed nothing.
    CompactionAborted {
        /// Which tier.
        tier: Tier,
        /// Why.
        cause: String,
        /// How many failures in a row that makes.
        failures: u32,
    },
    /// The provider refused the request as too long.
    Overflow {
        /// Tokens by the provider's count, when it said so.
        used: Option<Tokens>,
        /// Its window, when it said so.
        limit: Option<Tokens>,
        /// What the engine had estimated.
        estimated: Tokens,
    },
    /// A cached prefix is lost from here on.
    CacheBroken {
        /// What changed.
        cause: String,
        /// How many tokens must be written anew.
        tokens: Tokens,
    },
    /// The provider answered, but counted far less than was sent: it cut the prompt without saying so.
    SilentTruncation {
        /// What was sent.
        estimated: Tokens,
        /// What the provider counted.
        reported: Tokens,
    },
    /// Something the user should know.
    Notice {
        /// In one line.
        message: String,
    },
    /// The turn ended.
    TurnEnded {
        /// How.
        #[serde(flatten)]
        end: TurnEnd,
    },
}
