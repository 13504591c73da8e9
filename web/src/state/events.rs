//! The engine's events in words: a title, the reason, and tokens before and after.

use palimpsest_core::agent::{Event, Purpose, SummarisedBy, Tier, TurnEnd};
use palimpsest_core::tokens::Usage;
use palimpsest_core::unit::Tokens;

use crate::format::{counted, exact, grouped, percent, short};

/// What an event is about, for colour, sign and the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Turn,
    Request,
    Tool,
    Spill,
    Micro,
    Auto,
    Reactive,
    Manual,
    Trouble,
}

impl Tone {
    /// For style sheets.
    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Turn => "turn",
            Self::Request => "request",
            Self::Tool => "tool",
            Self::Spill => "spill",
            Self::Micro => "micro",
            Self::Auto => "auto",
            Self::Reactive => "reactive",
            Self::Manual => "manual",
            Self::Trouble => "trouble",
        }
    }

    /// The letter that stands for it on the timeline.
    pub(crate) const fn sign(self) -> &'static str {
        match self {
            Self::Micro => "M",
            Self::Auto => "A",
            Self::Reactive => "R",
            Self::Manual => "C",
            Self::Spill => "S",
            Self::Trouble => "!",
            Self::Turn => "¶",
            Self::Request => "→",
            Self::Tool => "⚙",
            Self::Plain => "·",
        }
    }

    /// Its name in a legend.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Micro => "Micro tier",
            Self::Auto => "Auto tier",
            Self::Reactive => "Reactive tier",
            Self::Manual => "Compacted by hand",
            Self::Spill => "Large result stored aside",
            Self::Trouble => "Trouble",
            Self::Turn => "Turn",
            Self::Request => "Request",
            Self::Tool => "Tool",
            Self::Plain => "Event",
        }
    }

    /// True for what gets a marker on the timeline.
    pub(crate) const fn is_marked(self) -> bool {
        matches!(self, Self::Micro | Self::Auto | Self::Reactive | Self::Manual)
    }
}

/// An event, told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub tone: Tone,
    pub title: String,
    /// The reason or the particulars, in sentences.
    pub detail: Vec<String>,
    /// The cost before and after, of the view or of the one result concerned.
    pub before_after: Option<(Tokens, Tokens)>,
    /// True when blocks in the window became something else.
    pub changes_window: bool,
    /// True for steps that a short list leaves out.
    pub minor: bool,
}

impl Told {
    fn new(tone: Tone, title: impl Into<String>) -> Self {
        let title = title.into();
        Self { tone, title, detail: Vec::new(), before_after: None, changes_window: false, minor: false }
    }

    /// Before anything happened.
    pub(crate) fn beginning() -> Self {
        Self::new(Tone::Plain, "Before the first request")
    }

    fn detail(mut self, text: impl Into<String>) -> Self {
        self.detail.push(text.into());
        self
    }

    fn measured(mut self, before: Tokens, after: Tokens) -> Self {
        self.before_after = Some((before, after));
        self
    }

    fn changing(mut self) -> Self {
        self.changes_window = true;
        self
    }

    fn minor(mut self) -> Self {
        self.minor = true;
        self
    }
}

/// Says what happened.
pub(crate) fn tell(event: &Event) -> Told {
    match event {
        Event::TurnStarted { .. } => Told::new(Tone::Turn, "The user asks"),
        Event::RequestSent { purpose, tokens, messages } => {
            let title = match purpose {
                Purpose::Turn => format!("Request sent, {}", short(*tokens)),
                Purpose::Summary => format!("Summary requested, {}", short(*tokens)),
            };
            let messages = counted(*messages as u64, "message");
            Told::new(Tone::Request, title)
                .detail(format!("{messages}, {} by estimate.", exact(*tokens)))
                .minor()
        }
        Event::Replied { purpose, usage, estimated } => replied(*purpose, usage.as_ref(), *estimated),
        Event::ToolStarted { name, .. } => Told::new(Tone::Tool, format!("{name} runs")).minor(),
        Event::ToolFinished { is_error, tokens, .. } => {
            let what = if *is_error { "The tool failed" } else { "The tool answers" };
            Told::new(Tone::Tool, format!("{what}, {}", short(*tokens))).minor()
        }
        Event::Spilled { path, before, after, .. } => {
            Told::new(Tone::Spill, "A large result is stored aside")
                .detail(format!("A preview stays in the window; the whole result is in {path}."))
                .measured(*before, *after)
                .changing()
        }
        Event::Cleared { calls, before, after, reason } => {
            let results = counted(calls.len() as u64, "old tool result");
            Told::new(Tone::Micro, format!("Micro tier: {results} cleared"))
                .detail(reason.clone())
                .measured(*before, *after)
                .changing()
        }
        Event::CompactionStarted { tier, reason } => {
            Told::new(Tone::Plain, format!("{} begins", tier_name(*tier))).detail(reason.clone())
        }
        Event::Summarised { tier, by, items, kept, before, after } => {
            summarised(*tier, *by, items.len(), *kept).measured(*before, *after).changing()
        }
        Event::Truncated { before, after, .. } => {
            Told::new(Tone::Reactive, "A single giant item is cut, since nothing else is left to remove")
                .measured(*before, *after)
                .changing()
        }
        Event::CompactionAborted { tier, cause, failures } => {
            Told::new(Tone::Trouble, format!("{}: nothing changed", tier_name(*tier)))
                .detail(cause.clone())
                .detail(format!("{} in a row.", counted(u64::from(*failures), "failure")))
        }
        Event::Overflow { used, limit, estimated } => overflow(*used, *limit, *estimated),
        Event::CacheBroken { cause, tokens } => {
            Told::new(Tone::Plain, format!("{} to be written to the cache anew", short(*tokens)))
                .detail(cause.clone())
                .minor()
        }
        Event::SilentTruncation { estimated, reported } => Told::new(
            Tone::Trouble,
            "The provider cut the prompt without saying so",
        )
        .detail(format!("It counted {} of about {}.", exact(*reported), grouped(estimated.get()))),
        Event::Notice { message } => Told::new(Tone::Plain, message.clone()),
        Event::TurnEnded { end } => turn_end(end),
        _ => Told::new(Tone::Plain, "An event this page does not know"),
    }
}

fn replied(purpose: Purpose, usage: Option<&Usage>, estimated: Tokens) -> Told {
    let title = match purpose {
        Purpose::Turn => "The model answers",
        Purpose::Summary => "The summary arrives",
    };
    let told = Told::new(Tone::Plain, title).minor();
    match usage {
        None => told.detail("The provider reported no usage."),
        Some(usage) => told.detail(format!(
            "The provider counted {} for the prompt ({} from the cache) and {} for the answer; the engine had \
             estimated {}, off by {}.",
            exact(usage.context()),
            grouped(usage.cache_read.get()),
            grouped(usage.output.get()),
            grouped(estimated.get()),
            percent(Tokens(estimated.get().abs_diff(usage.context().get())), usage.context()),
        )),
    }
}

fn summarised(tier: Tier, by: SummarisedBy, items: usize, kept: usize) -> Told {
    let items = counted(items as u64, "item");
    let title = match by {
        SummarisedBy::Nobody => format!("{}: {items} dropped", tier_name(tier)),
        _ => format!("{}: a summary stands for {items}", tier_name(tier)),
    };
    let by = match by {
        SummarisedBy::Nobody => "No summary stands for them; they are in the record only.",
        SummarisedBy::Model => "A model wrote the summary.",
        SummarisedBy::Structural => {
            "The engine wrote the summary from the messages themselves, without a model."
        }
    };
    Told::new(tone_of(tier), title)
        .detail(format!("{by} {} stayed word for word.", counted(kept as u64, "item")))
}

fn overflow(used: Option<Tokens>, limit: Option<Tokens>, estimated: Tokens) -> Told {
    let told = Told::new(Tone::Trouble, "The provider refuses the request as too long");
    match (used, limit) {
        (Some(used), Some(limit)) => told.detail(format!(
            "It counted {} against its window of {}; the engine had estimated {}.",
            exact(used),
            grouped(limit.get()),
            grouped(estimated.get()),
        )),
        _ => told.detail(format!("It gave no numbers; the engine had estimated {}.", exact(estimated))),
    }
}

fn turn_end(end: &TurnEnd) -> Told {
    match end {
        TurnEnd::Done => Told::new(Tone::Turn, "The turn is done").minor(),
        TurnEnd::OutputLimit => Told::new(Tone::Trouble, "The output limit cut the answer"),
        TurnEnd::Refusal => Told::new(Tone::Trouble, "The model declined"),
        TurnEnd::Cancelled => Told::new(Tone::Turn, "Cancelled"),
        TurnEnd::Failed { message } => Told::new(Tone::Trouble, "The turn failed").detail(message.clone()),
        TurnEnd::CannotFit { message } => {
            Told::new(Tone::Trouble, "Even the smallest request does not fit").detail(message.clone())
        }
        _ => Told::new(Tone::Turn, "The turn ended"),
    }
}

const fn tone_of(tier: Tier) -> Tone {
    match tier {
        Tier::Micro => Tone::Micro,
        Tier::Auto => Tone::Auto,
        Tier::Reactive => Tone::Reactive,
        Tier::Manual => Tone::Manual,
    }
}

const fn tier_name(tier: Tier) -> &'static str {
    match tier {
        Tier::Micro => "Micro tier",
        Tier::Auto => "Auto tier",
        Tier::Reactive => "Reactive tier",
        Tier::Manual => "Compaction by hand",
    }
}
