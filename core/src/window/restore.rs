//! What comes back behind a summary, and how much of it.

use serde::{Deserialize, Serialize};

use super::Limit;

/// How the list of available skills comes back after a boundary. Bodies of skills in use come back in any
/// case, within [`RestoreRules::skills_total`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum RelistSkills {
    /// Not at all: about 4,000 tokens saved, but the model can no longer find a skill it has not used.
    Off,
    /// Their names (S2).
    Names,
    /// Names and descriptions, as at the start.
    Full,
}

/// Budgets of what is restored after an auto or reactive compaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct RestoreRules {
    /// The most recently touched files that are read again, none that the tail already shows. 5 in the
    /// source.
    pub files: usize,
    /// Of each file at most so much. 5,000 tokens in the source.
    pub file: Limit,
    /// Of all files together. 50,000 tokens in the source, a quarter of the window in ours.
    pub files_total: Limit,
    /// Of each invoked skill's body at most so much. 5,000 tokens in the source.
    pub skill: Limit,
    /// Of each invoked skill's body also at most so many *characters*: what `langgraph-replica` does where
    /// the text says tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill_chars: Option<usize>,
    /// Of all invoked skills together, most recent first. 25,000 tokens in the source.
    pub skills_total: Limit,
    /// How the list of available skills comes back.
    pub relist_skills: RelistSkills,
    /// Whether agent list, deferred tool names, MCP instructions, session-start hooks, plan and to-dos are
    /// announced anew.
    pub announce_again: bool,
}

impl RestoreRules {
    /// Nothing comes back.
    pub(super) const NOTHING: Self = Self {
        files: 0,
        file: Limit::ZERO,
        files_total: Limit::ZERO,
        skill: Limit::ZERO,
        skill_chars: None,
        skills_total: Limit::ZERO,
        relist_skills: RelistSkills::Off,
        announce_again: false,
    };
}

impl Default for RestoreRules {
    /// The rules of `palimpsest`.
    fn default() -> Self {
        Self {
            files: 5,
            file: Limit::new(5_000, 50),
            files_total: Limit::new(50_000, 250),
            skill: Limit::new(5_000, 50),
            skill_chars: None,
            skills_total: Limit::new(25_000, 125),
            relist_skills: RelistSkills::Names,
            announce_again: true,
        }
    }
}
