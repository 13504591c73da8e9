//! Every number of the engine, as data.
//!
//! A policy says when the tiers act, what they spare and what they bring back. It is named, versioned and
//! serialisable; no function holds a number of its own that belongs here. Sources are in SPEC: Claude Code
//! 2.1.87 as two public readings describe it, and the other systems of its table.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::limit::Limit;
use crate::tokens::{Prices, Profile};
use crate::unit::{Bytes, Millis, Tokens};

/// When the auto tier acts, and what of the window it leaves free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Trigger {
    /// Above window − reserve for the answer − buffer. The reserve is never more than the model's output limit.
    Headroom {
        /// Kept free for the answer.
        reserve: Limit,
        /// Kept free beside it, for what the estimate misses.
        buffer: Limit,
    },
    /// Above a share of the window.
    Share {
        /// In thousandths of the window.
        permille: u32,
    },
    /// Never: only the provider's refusal makes it compact.
    Never,
}

/// When old results of re-runnable tools are cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum MicroMode {
    /// Never.
    Off,
    /// Before every call.
    EveryRound,
    /// When what is freed is worth the cache it breaks, by the price table over the calls still expected; and
    /// when the auto trigger would be crossed otherwise.
    WhenItPays {
        /// Free at least this much, or do nothing.
        min_freed: Limit,
        /// How many more calls the saving is reckoned over.
        expected_calls: u32,
    },
    /// When the cache is cold anyway.
    WhenCold {
        /// The time without a call after which it is.
        idle: Millis,
    },
    /// Spare the newest tool tokens and turns, act when enough can be freed.
    ProtectNewest {
        /// This many of the newest tool tokens stay.
        tool_tokens: Tokens,
        /// Results of this many newest user turns stay.
        user_turns: u32,
        /// Free at least this much, or do nothing.
        min_freed: Tokens,
    },
    /// Above this many tokens in the view (the provider's own context editing).
    Above {
        /// The view's size that sets it off.
        trigger: Tokens,
    },
}

/// The micro tier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Micro {
    /// When it acts.
    pub mode: MicroMode,
    /// This many of the newest clearable results stay.
    pub keep_last: usize,
    /// Results of at most this many characters stay.
    pub min_chars: usize,
    /// Tools whose results can be had again.
    pub tools: Vec<String>,
    /// What stands for a cleared result.
    pub placeholder: String,
}

/// What the auto tier keeps word for word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Tail {
    /// Back from the newest item until both minima are reached, never further than the maximum.
    Range {
        /// At least this many tokens.
        min: Limit,
        /// At most this many tokens.
        max: Limit,
        /// At least this many messages with text.
        text_messages: usize,
    },
    /// The user's own messages, newest first, up to so much; the model's side only in the summary.
    UserMessages {
        /// At most this many tokens.
        tokens: Limit,
    },
    /// Nothing but the live request.
    Nothing,
}

/// Who writes what stands for the older part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Summariser {
    /// A model; the engine itself where the model fails and the window would overflow.
    Model,
    /// Nobody: the older part is only in the archive and a notice says so.
    Nobody,
}

/// Whether session notes, where there are some, become the summary without a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notes {
    /// Not used.
    Off,
    /// First choice.
    First,
}

/// Whether the skill list is announced again after a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relist {
    /// Not at all: saves about 4,000 tokens; the model no longer finds what it has not used.
    Off,
    /// Names only.
    Names,
    /// Names and descriptions.
    Full,
}

/// Summaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SummaryLimits {
    /// The output limit of a summarising call.
    pub reserve: Limit,
    /// The length asked for.
    pub aim: Limit,
    /// The view after a compaction is at most this share of the trigger, in thousandths, so that the next turn
    /// does not compact again (hysteresis).
    pub target_permille: u32,
    /// A compaction that saves less than this share of the window, in thousandths, is no progress.
    pub min_saving_permille: u32,
    /// Failures in a row that stop automatic tries.
    pub breaker: u32,
    /// A summarising call that is itself too long is tried again this often, each time without the oldest part.
    pub retries: u32,
    /// What each such retry leaves out: one part in this many.
    pub drop_fraction: u32,
}

/// Results and messages that are too large to stay whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Oversize {
    /// A result above this many characters goes to an artifact.
    pub result_chars: usize,
    /// The results of one round above this many characters together: the largest go first.
    pub message_chars: usize,
    /// A result above this share of the window goes to an artifact too, in thousandths.
    pub result_permille: u32,
    /// What stays of it.
    pub preview: Bytes,
}

/// What comes back after auto and reactive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Restore {
    /// This many of the most recently touched files.
    pub files: usize,
    /// Each cut to this.
    pub file_each: Limit,
    /// All of them together.
    pub files_together: Limit,
    /// Each invoked skill's body cut to this.
    pub skill_each: Limit,
    /// All of them together.
    pub skills_together: Limit,
    /// Whether the skill list comes back.
    pub relist_skills: Relist,
}

/// The skill list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Skills {
    /// A description is cut at this many characters.
    pub description_chars: usize,
    /// The whole list at this share of the window, in thousandths.
    pub list_permille: u32,
}

/// Memory files and session notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Memory {
    /// At most this many are selected for a turn.
    pub select: usize,
    /// From a manifest of at most this many.
    pub manifest: usize,
    /// Each cut at this many characters.
    pub file_chars: usize,
    /// The index file is cut at this many lines …
    pub index_lines: usize,
    /// … or this many bytes.
    pub index_bytes: Bytes,
    /// Session notes: one section holds at most this.
    pub notes_section: Tokens,
    /// Session notes: all of them.
    pub notes_together: Tokens,
    /// Session notes begin after this much conversation.
    pub notes_after: Tokens,
    /// They are updated after this much more …
    pub notes_every: Tokens,
    /// … and this many tool calls.
    pub notes_calls: u32,
}

/// Subagents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Subagents {
    /// At most this many model calls.
    pub iterations: u32,
    /// The output limit of each.
    pub max_output: Tokens,
}

/// The prompt cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cache {
    /// An idle prefix is forgotten after this.
    pub life: Millis,
    /// A shorter prefix is not cached.
    pub min_prefix: Tokens,
}

/// A named set of all these numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Changes whenever a number of a named policy does.
    pub version: u32,
    /// The model's window; 0 when it is not known, and then nothing triggers and a notice says so.
    pub window: Tokens,
    /// The model's output limit.
    pub max_output: Tokens,
    /// How tokens are estimated.
    pub profile: Profile,
    /// When the auto tier acts.
    pub trigger: Trigger,
    /// The micro tier.
    pub micro: Micro,
    /// Session notes as the summary.
    pub notes: Notes,
    /// What the auto tier keeps.
    pub tail: Tail,
    /// Who summarises the rest.
    pub summariser: Summariser,
    /// Summaries, retries, the breaker.
    pub summary: SummaryLimits,
    /// Too large results.
    pub oversize: Oversize,
    /// What comes back.
    pub restore: Restore,
    /// The skill list.
    pub skills: Skills,
    /// Memory and notes.
    pub memory: Memory,
    /// Subagents.
    pub subagents: Subagents,
    /// The cache.
    pub cache: Cache,
    /// Money, per million tokens.
    pub prices: Prices,
}
