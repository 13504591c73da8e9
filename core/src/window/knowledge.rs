//! Rules of what comes from outside the conversation: skills, memories, session notes.

use serde::{Deserialize, Serialize};

use super::Limit;
use crate::unit::{Bytes, Tokens};

/// Rules of the list of skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillRules {
    /// A description is cut at so many characters. 250 in the source.
    pub description_chars: usize,
    /// The whole list takes at most so many thousandths of the window. 10 (1 %) in the source.
    pub list_permille: u32,
}

impl SkillRules {
    /// What the list may cost on a window.
    pub fn list_budget(self, window: Tokens) -> Tokens {
        window.permille(self.list_permille)
    }
}

impl Default for SkillRules {
    fn default() -> Self {
        Self { description_chars: 250, list_permille: 10 }
    }
}

/// How memory files reach the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MemoryPlacement {
    /// The few that fit the user's words, as attachments.
    Selected,
    /// All of them, in the system prompt (`langgraph-replica`).
    SystemPrompt,
}

/// Rules of memory files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct MemoryRules {
    /// How they reach the model.
    pub placement: MemoryPlacement,
    /// At most so many are selected for a turn. 5 in the source (M9).
    pub selected: usize,
    /// Of so many, the newest. 200 in the source.
    pub candidates: usize,
    /// Each is cut at so many characters, with a notice. 4,096 in the source.
    pub file_chars: usize,
    /// `MEMORY.md` is cut after so many lines, with a notice. 200 in the source.
    pub index_lines: usize,
    /// And after so many bytes. 25 KB in the source, taken as 25,000.
    pub index_bytes: Bytes,
}

impl Default for MemoryRules {
    fn default() -> Self {
        Self {
            placement: MemoryPlacement::Selected,
            selected: 5,
            candidates: 200,
            file_chars: 4_096,
            index_lines: 200,
            index_bytes: Bytes(25_000),
        }
    }
}

/// Which sections the session notes have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NotesTemplate {
    /// Title, current state, task specification, files and functions, workflow, errors and corrections,
    /// codebase notes, learnings, key results, worklog.
    TenSections,
    /// The replica's seven, of 500 words each.
    SevenSections,
}

/// Rules of the session notes: a second memory, of one session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct NotesRules {
    /// Their sections.
    pub template: NotesTemplate,
    /// A section holds at most so much. 2,000 tokens in the source.
    pub section: Limit,
    /// All of them together. 12,000 tokens in the source.
    pub total: Limit,
    /// They are first written when the conversation has grown to this. 10,000 tokens in the source.
    pub first_after: Limit,
    /// And then each time it has grown by this. 5,000 tokens in the source.
    pub then_every: Limit,
    /// But not before so many more tool calls. 3 in the source.
    pub then_calls: usize,
}

impl Default for NotesRules {
    fn default() -> Self {
        Self {
            template: NotesTemplate::TenSections,
            section: Limit::new(2_000, 10),
            total: Limit::new(12_000, 60),
            first_after: Limit::new(10_000, 50),
            then_every: Limit::new(5_000, 25),
            then_calls: 3,
        }
    }
}
