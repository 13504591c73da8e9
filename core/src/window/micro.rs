//! Rules of the micro tier: old results of tools that can be run again make room, without a model.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Limit;
use crate::unit::Millis;

/// When the micro tier acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
#[non_exhaustive]
pub enum MicroMode {
    /// Never.
    Off,
    /// Before every model call, whatever the cache loses by it.
    #[serde(alias = "every_round")]
    EveryRound,
    /// When what the cleared tokens would have cost over the calls to come is more than writing the cache
    /// anew costs, or when the limit forces it (K1).
    #[serde(alias = "when_it_pays")]
    WhenItPays,
    /// When nobody called for so long that the cache is cold anyway (K3).
    #[serde(alias = "when_cold")]
    WhenCold {
        /// Time since the last call; 60 minutes in the source.
        idle: Millis,
    },
    /// When enough lies outside a protected newest part.
    ProtectNewest {
        /// The newest results up to this many tokens stay.
        tool_tokens: Limit,
        /// Results of so many newest user turns stay.
        user_turns: usize,
        /// Less than this is not worth the rewrite.
        min_freed: Limit,
    },
    /// The provider edits the context itself and the messages here stay. It is told [`MicroRules::from`] as
    /// its trigger and [`MicroRules::keep_last`] as what to keep.
    Provider,
}

/// What the micro tier clears, and what it leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct MicroRules {
    /// When it acts.
    pub mode: MicroMode,
    /// It leaves a request of fewer tokens alone. Half of the window in ours, at most 100,000: quality falls
    /// long before a large window is full. The sources have no such floor; providers' own editing starts at
    /// 100,000.
    pub from: Limit,
    /// The newest results that stay, counted in results, not messages (C7). 5 in the source, 3 in
    /// `plain-python`.
    pub keep_last: usize,
    /// The newest *failed* results that stay beside [`Self::keep_last`]: what went wrong is what a model must
    /// not try again. 3 in ours; the sources clear errors like successes.
    pub keep_errors: usize,
    /// Results of up to so many characters stay: the placeholder would save nothing. 100 in the source.
    pub min_chars: usize,
    /// Clearing less than this is not worth breaking the cache. 2,000 tokens in ours, 1 % of the window.
    pub min_freed: Limit,
    /// How many more calls will read what stays, for [`MicroMode::WhenItPays`]. Ours: 20, about one more turn
    /// of a working agent.
    pub expected_calls: u32,
    /// Tools whose results can be had again by running them again. Compared without case, `_` and `-`, so
    /// that `web_fetch` is also `WebFetch`.
    pub tools: Vec<String>,
    /// What stands in a cleared result's place, as the source spells it.
    pub placeholder: String,
}

/// Tools that only look: running them again gives the result again. `ls` is Claude Code's older `list`.
const LOOKING: [&str; 9] =
    ["bash", "read", "grep", "glob", "list", "ls", "notebook_read", "web_fetch", "web_search"];
/// The source also clears what its writing tools answered: "the file was updated", with an excerpt.
const WRITING: [&str; 2] = ["edit", "write"];

impl MicroRules {
    /// The source's placeholder.
    pub const PLACEHOLDER: &'static str = "[Old tool result content cleared]";

    /// The source's rules, off: nothing is measured, every round all but the newest five go.
    pub(super) fn source() -> Self {
        Self {
            mode: MicroMode::Off,
            from: Limit::ZERO,
            keep_errors: 0,
            min_freed: Limit::ZERO,
            tools: LOOKING.iter().chain(&WRITING).map(|&tool| tool.to_owned()).collect(),
            ..Self::default()
        }
    }

    /// True for a tool whose old results may be cleared.
    pub fn clears(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| plain(name).eq(plain(tool)))
    }
}

impl Default for MicroRules {
    /// The rules of `palimpsest`.
    fn default() -> Self {
        Self {
            mode: MicroMode::WhenItPays,
            from: Limit::new(100_000, 500),
            keep_last: 5,
            keep_errors: 3,
            min_chars: 100,
            min_freed: Limit::new(2_000, 10),
            expected_calls: 20,
            tools: LOOKING.iter().map(|&tool| tool.to_owned()).collect(),
            placeholder: Self::PLACEHOLDER.to_owned(),
        }
    }
}

/// The characters of a tool's name that tell it from another.
fn plain(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_tool_are_one_tool() {
        let rules = MicroRules::default();
        for tool in ["bash", "Bash", "WebFetch", "web-search", "LS"] {
            assert!(rules.clears(tool), "{tool}");
        }
        for tool in ["", "Skill", "bash2", "ead", "Edit", "mcp__files__read"] {
            assert!(!rules.clears(tool), "{tool}");
        }
        assert!(MicroRules::source().clears("Edit"));
    }
}
