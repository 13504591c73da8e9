//! The named policies of SPEC's table. Ours is the default; the others show what their numbers cost.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::limit::Limit;
use super::policy::{
    Cache, Memory, Micro, MicroMode, Notes, Oversize, Policy, Relist, Restore, Skills, Subagents, Summariser,
    SummaryLimits, Tail, Trigger,
};
use crate::tokens::{Prices, Profile};
use crate::unit::{Bytes, Millis, Tokens};

/// Whatever follows a shell, a search or a read can be had again. Claude Code's names and the plain ones.
const RERUNNABLE: [&str; 18] = [
    "bash",
    "shell",
    "read",
    "read_file",
    "grep",
    "search",
    "glob",
    "list",
    "ls",
    "web_fetch",
    "web_search",
    "WebFetch",
    "WebSearch",
    "Bash",
    "Read",
    "Grep",
    "Glob",
    "LS",
];

/// Results of edits are short and say what was done; Claude Code clears them as well.
const EDITS: [&str; 4] = ["edit", "write", "Edit", "Write"];

/// The names and what each is, in the order of SPEC's table.
pub const NAMED: [(&str, &str); 12] = [
    (
        "palimpsest",
        "Ours: compacts with headroom, clears old results only when that pays for the cache it breaks.",
    ),
    ("claude-code-2.1.87", "Claude Code 2.1.87 as shipped: summarises at window − 13,000, micro tier off."),
    (
        "claude-code-later",
        "Later Claude Code: also keeps the answer's room free; clears results when the cache is cold.",
    ),
    (
        "langgraph-replica",
        "The LangGraph rebuild: its own threshold, a fifth of it kept from a user's message on.",
    ),
    ("plain-python", "The plain Python rebuild: clears results every round, keeps nothing but one summary."),
    ("opencode", "OpenCode: protects the newest 40,000 tool tokens, keeps a quarter, at most 15,000."),
    ("codex", "Codex: at 90 % a summary and the user's own messages up to 20,000 tokens."),
    ("pi", "Pi: at window − 16,384, keeps the newest 20,000 tokens."),
    ("micro-only", "Clears old results every round and never summarises."),
    ("trim", "Keeps the newest messages that fit and drops the rest without a summary."),
    (
        "provider-editing",
        "The provider's own context editing: above 100,000 tokens all but 3 results are cleared.",
    ),
    ("none", "Does nothing until the provider refuses."),
];

impl Default for Policy {
    /// `palimpsest` in a window of 200,000 tokens.
    fn default() -> Self {
        Self {
            name: "palimpsest".to_string(),
            version: 1,
            window: Tokens(200_000),
            max_output: Tokens(32_000),
            profile: Profile::Claude,
            trigger: Trigger::Headroom { reserve: Limit::new(20_000, 100), buffer: Limit::new(13_000, 65) },
            micro: Micro {
                mode: MicroMode::WhenItPays { min_freed: Limit::new(20_000, 100), expected_calls: 20 },
                keep_last: 5,
                min_chars: 100,
                tools: RERUNNABLE.iter().map(ToString::to_string).collect(),
                placeholder: "[Old tool result content cleared]".to_string(),
            },
            notes: Notes::First,
            tail: Tail::Range {
                min: Limit::new(10_000, 100),
                max: Limit::new(40_000, 200),
                text_messages: 5,
            },
            summariser: Summariser::Model,
            summary: SummaryLimits {
                reserve: Limit::new(20_000, 100),
                aim: Limit::new(5_000, 50),
                target_permille: 700,
                min_saving_permille: 20,
                breaker: 3,
                retries: 3,
                drop_fraction: 5,
            },
            oversize: Oversize {
                result_chars: 50_000,
                message_chars: 200_000,
                result_permille: 250,
                preview: Bytes(2_000),
            },
            restore: Restore {
                files: 5,
                file_each: Limit::new(5_000, 50),
                files_together: Limit::new(50_000, 250),
                skill_each: Limit::new(5_000, 50),
                skills_together: Limit::new(25_000, 125),
                relist_skills: Relist::Names,
            },
            skills: Skills { description_chars: 250, list_permille: 10 },
            memory: Memory {
                select: 5,
                manifest: 200,
                file_chars: 4_096,
                index_lines: 200,
                index_bytes: Bytes(25 * 1024),
                notes_section: Tokens(2_000),
                notes_together: Tokens(12_000),
                notes_after: Tokens(10_000),
                notes_every: Tokens(5_000),
                notes_calls: 3,
            },
            subagents: Subagents { iterations: 30, max_output: Tokens(8_000) },
            cache: Cache { life: Millis(5 * 60 * 1000), min_prefix: Tokens(1_024) },
            prices: Prices {
                input: 3_000_000,
                output: 15_000_000,
                cache_write: 3_750_000,
                cache_read: 300_000,
            },
        }
    }
}

impl Policy {
    /// A policy of the table by name.
    pub fn named(name: &str) -> Option<Self> {
        let ours = Self { name: name.to_string(), ..Self::default() };
        let source = Self {
            notes: Notes::Off,
            micro: Micro { mode: MicroMode::Off, ..ours.micro.clone() },
            restore: Restore { relist_skills: Relist::Off, ..ours.restore },
            ..ours.clone()
        };
        let clearing = |mode, keep_last| Micro { mode, keep_last, tools: clearable(), ..ours.micro.clone() };
        let range = |min, max, text_messages| Tail::Range { min, max, text_messages };
        Some(match name {
            "palimpsest" => ours,
            "claude-code-2.1.87" => Self {
                trigger: headroom(0, 13_000),
                tail: range(Limit::new(10_000, 100), Limit::new(40_000, 200), 5),
                ..source
            },
            "claude-code-later" => Self {
                trigger: headroom(20_000, 13_000),
                tail: range(Limit::new(10_000, 100), Limit::new(40_000, 200), 5),
                micro: clearing(MicroMode::WhenCold { idle: Millis(60 * 60 * 1000) }, 5),
                ..source
            },
            "langgraph-replica" => Self {
                trigger: Trigger::Share { permille: 800 },
                tail: range(Limit::absolute(0), Limit::new(u64::MAX, 160), 0),
                ..source
            },
            "plain-python" => Self {
                trigger: headroom(0, 13_000),
                micro: clearing(MicroMode::EveryRound, 3),
                tail: Tail::Nothing,
                summary: SummaryLimits { aim: Limit::new(2_000, 50), ..source.summary },
                ..source
            },
            "opencode" => Self {
                trigger: headroom(20_000, 0),
                micro: clearing(
                    MicroMode::ProtectNewest {
                        tool_tokens: Tokens(40_000),
                        user_turns: 2,
                        min_freed: Tokens(20_000),
                    },
                    0,
                ),
                tail: range(Limit::new(2_000, 250), Limit::new(15_000, 250), 0),
                ..source
            },
            "codex" => Self {
                trigger: Trigger::Share { permille: 900 },
                tail: Tail::UserMessages { tokens: Limit::new(20_000, 200) },
                ..source
            },
            "pi" => Self {
                trigger: headroom(0, 16_384),
                tail: range(Limit::new(20_000, 200), Limit::new(20_000, 200), 0),
                ..source
            },
            "micro-only" => {
                Self { trigger: Trigger::Never, micro: clearing(MicroMode::EveryRound, 5), ..source }
            }
            "trim" => Self {
                trigger: headroom(0, 13_000),
                tail: range(Limit::new(u64::MAX, 600), Limit::new(u64::MAX, 600), 0),
                summariser: Summariser::Nobody,
                ..source
            },
            "provider-editing" => Self {
                trigger: Trigger::Never,
                micro: clearing(MicroMode::Above { trigger: Tokens(100_000) }, 3),
                ..source
            },
            "none" => Self { trigger: Trigger::Never, ..source },
            _ => return None,
        })
    }

    /// All named policies, in the order of the table.
    pub fn all_named() -> Vec<Self> {
        NAMED.iter().filter_map(|(name, _)| Self::named(name)).collect()
    }

    /// The same policy for another window.
    #[must_use]
    pub fn with_window(mut self, window: Tokens) -> Self {
        self.window = window;
        self
    }

    /// The same policy for another output limit.
    #[must_use]
    pub fn with_max_output(mut self, max_output: Tokens) -> Self {
        self.max_output = max_output;
        self
    }
}

fn headroom(reserve: u64, buffer: u64) -> Trigger {
    // The sources name absolute numbers; the shares only come in below their 200,000.
    Trigger::Headroom { reserve: Limit::new(reserve, 100), buffer: Limit::new(buffer, 82) }
}

fn clearable() -> Vec<alloc::string::String> {
    RERUNNABLE.iter().chain(&EDITS).map(ToString::to_string).collect()
}
