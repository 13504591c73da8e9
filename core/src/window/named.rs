//! The policies that have a name: ours, and what public accounts tell of others.
//!
//! A source's absolute number stands as it is wherever the window is large enough for it. Where it is not, a
//! share that the source does not have keeps the policy from compacting without end: a quarter or half of the
//! window.

use alloc::borrow::ToOwned;
use alloc::string::String;

use super::{
    BreakerRules, CacheRules, Hysteresis, Limit, MemoryPlacement, MemoryRules, MicroMode, MicroRules,
    NotesMode, NotesRules, NotesTemplate, OversizeRules, Policy, ReactiveRules, RelistSkills, Replacement,
    RestoreRules, SkillRules, SubagentRules, SummaryRules, Tail, Template, TriggerRule,
};
use crate::tokens::{Prices, Profile};
use crate::unit::Tokens;

/// A name, what it stands for in one line, and the policy.
struct Named {
    name: &'static str,
    about: &'static str,
    build: fn() -> Policy,
}

const fn named(name: &'static str, about: &'static str, build: fn() -> Policy) -> Named {
    Named { name, about, build }
}

const TABLE: [Named; 12] = [
    named(
        "palimpsest",
        "Ours: clears only when it pays, notes become the summary, skills stay findable, nothing is lost.",
        palimpsest,
    ),
    named(
        "claude-code-2.1.87",
        "Claude Code 2.1.87: 13,000 tokens below the window; micro tier and notes present but off.",
        claude_code,
    ),
    named(
        "claude-code-later",
        "Later Claude Code: also leaves room for the answer, so it compacts at 83.5 % of 200,000.",
        claude_code_later,
    ),
    named(
        "langgraph-replica",
        "A rebuild in LangGraph: looks once a turn, never in a tool loop; all memories in the prompt.",
        langgraph_replica,
    ),
    named(
        "plain-python",
        "A rebuild in plain Python: clears every round, keeps three results, then one summary and no tail.",
        plain_python,
    ),
    named(
        "opencode",
        "OpenCode: protects the newest 40,000 tool tokens, prunes only when 20,000 are freed.",
        opencode,
    ),
    named("codex", "Codex: at 90 %, a summary behind the user's own newest messages.", codex),
    named("pi", "Pi: 16,384 tokens below the window, the newest 20,000 stay.", pi),
    named("micro-only", "Clears old tool results every round and does nothing else.", micro_only),
    named("trim", "Leaves out the oldest until the newest fit, without a summary.", trim),
    named(
        "provider-editing",
        "The provider clears old tool results itself from 100,000 tokens on, keeping three.",
        provider_editing,
    ),
    named("none", "Does nothing: the session ends when the window is full.", none),
];

impl Policy {
    /// The names [`Policy::named`] knows, the default first.
    pub const NAMES: [&'static str; 12] = [
        "palimpsest",
        "claude-code-2.1.87",
        "claude-code-later",
        "langgraph-replica",
        "plain-python",
        "opencode",
        "codex",
        "pi",
        "micro-only",
        "trim",
        "provider-editing",
        "none",
    ];

    /// A named policy on a window of 200,000 tokens; `None` for a name not in [`Policy::NAMES`].
    pub fn named(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.name == name).map(|row| (row.build)())
    }

    /// What a name stands for, in one line.
    pub fn about(name: &str) -> Option<&'static str> {
        TABLE.iter().find(|row| row.name == name).map(|row| row.about)
    }
}

/// The version of every policy in this file.
const VERSION: u32 = 1;

pub(super) fn palimpsest() -> Policy {
    Policy {
        name: "palimpsest".to_owned(),
        version: VERSION,
        window: Tokens(200_000),
        max_output: Tokens(32_000),
        output_reserve: Limit::new(20_000, 100),
        trigger: TriggerRule::BelowWindow { output: Limit::new(20_000, 100), buffer: Limit::new(13_000, 65) },
        hysteresis: Hysteresis::default(),
        oversize: Some(OversizeRules::default()),
        micro: MicroRules::default(),
        summary: SummaryRules::default(),
        restore: RestoreRules::default(),
        reactive: ReactiveRules::default(),
        breaker: BreakerRules::default(),
        skills: SkillRules::default(),
        memory: MemoryRules::default(),
        notes: NotesRules::default(),
        subagent: SubagentRules::default(),
        cache: CacheRules::default(),
        prices: Prices::named("claude-sonnet-4-5").map_or(Prices::FREE, |list| list.prices),
        profile: Profile::Claude,
    }
}

/// What the sources have in common: hardly a reserve for the answer, micro tier and notes off, a model
/// summarises.
fn source(name: &str, trigger: TriggerRule, tail: Tail) -> Policy {
    Policy {
        name: String::from(name),
        // They compare the prompt with the window alone. What is left is the least answer worth asking for,
        // ours.
        output_reserve: Limit::new(1_024, 20),
        trigger,
        micro: MicroRules::source(),
        summary: SummaryRules { notes_first: NotesMode::Off, tail, ..SummaryRules::default() },
        restore: RestoreRules::NOTHING,
        ..palimpsest()
    }
}

/// So many tokens below the window, whatever the answer needs.
const fn below(tokens: u64) -> TriggerRule {
    TriggerRule::BelowWindow { output: Limit::ZERO, buffer: Limit::new(tokens, 500) }
}

fn claude_code() -> Policy {
    Policy {
        restore: RestoreRules { relist_skills: RelistSkills::Off, ..RestoreRules::default() },
        ..source("claude-code-2.1.87", below(13_000), SummaryRules::default().tail)
    }
}

fn claude_code_later() -> Policy {
    Policy {
        name: "claude-code-later".to_owned(),
        output_reserve: Limit::new(20_000, 250),
        trigger: TriggerRule::BelowWindow {
            output: Limit::new(20_000, 250),
            buffer: Limit::new(13_000, 250),
        },
        ..claude_code()
    }
}

fn langgraph_replica() -> Policy {
    // The source leaves the threshold to whoever uses it; half a window of 200,000 is ours.
    let trigger = TriggerRule::OnceATurn { at: Limit::new(100_000, 500) };
    let base = source("langgraph-replica", trigger, Tail::TriggerShare { permille: 200 });
    Policy {
        summary: SummaryRules { notes_first: NotesMode::StateField, ..base.summary },
        restore: RestoreRules {
            skill: RestoreRules::default().skill,
            skill_chars: Some(5_000),
            skills_total: RestoreRules::default().skills_total,
            ..RestoreRules::NOTHING
        },
        memory: MemoryRules { placement: MemoryPlacement::SystemPrompt, ..MemoryRules::default() },
        notes: NotesRules { template: NotesTemplate::SevenSections, ..NotesRules::default() },
        ..base
    }
}

fn plain_python() -> Policy {
    let base = source("plain-python", below(13_000), Tail::Nothing);
    Policy {
        micro: MicroRules { mode: MicroMode::EveryRound, keep_last: 3, ..base.micro },
        summary: SummaryRules { template: Template::Compressed, aim: Limit::new(2_000, 50), ..base.summary },
        ..base
    }
}

fn opencode() -> Policy {
    let trigger = TriggerRule::BelowWindow { output: Limit::new(20_000, 250), buffer: Limit::ZERO };
    let tail = Tail::Newest { tokens: Limit::new(15_000, 250), at_least: Tokens(2_000) };
    let base = source("opencode", trigger, tail);
    let mode = MicroMode::ProtectNewest {
        tool_tokens: Limit::new(40_000, 200),
        user_turns: 2,
        min_freed: Limit::new(20_000, 100),
    };
    Policy { micro: MicroRules { mode, keep_last: 0, ..base.micro }, ..base }
}

fn codex() -> Policy {
    source(
        "codex",
        TriggerRule::Share { permille: 900 },
        Tail::UserMessages { tokens: Limit::new(20_000, 250) },
    )
}

fn pi() -> Policy {
    source("pi", below(16_384), Tail::Newest { tokens: Limit::new(20_000, 250), at_least: Tokens::ZERO })
}

fn micro_only() -> Policy {
    let base = source("micro-only", TriggerRule::Never, Tail::Nothing);
    Policy {
        micro: MicroRules { mode: MicroMode::EveryRound, ..base.micro },
        reactive: ReactiveRules { attempts: 0, ..ReactiveRules::default() },
        ..base
    }
}

fn trim() -> Policy {
    let base = source("trim", palimpsest().trigger, Tail::NewestThatFit);
    Policy {
        output_reserve: palimpsest().output_reserve,
        // As little as possible is left out at a time, so that almost every call breaks the cache.
        hysteresis: Hysteresis { target_permille: 990, min_saving: Limit::ZERO },
        summary: SummaryRules { replacement: Replacement::Nothing, ..base.summary },
        ..base
    }
}

fn provider_editing() -> Policy {
    let base = source("provider-editing", TriggerRule::Never, Tail::Nothing);
    Policy {
        output_reserve: palimpsest().output_reserve,
        micro: MicroRules {
            mode: MicroMode::Provider,
            from: Limit::new(100_000, 500),
            keep_last: 3,
            ..base.micro
        },
        reactive: ReactiveRules { attempts: 0, ..ReactiveRules::default() },
        ..base
    }
}

fn none() -> Policy {
    Policy {
        oversize: None,
        reactive: ReactiveRules { attempts: 0, ..ReactiveRules::default() },
        ..source("none", TriggerRule::Never, Tail::Nothing)
    }
}
