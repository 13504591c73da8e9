//! What providers reported in a file: the newest request beside our estimate, and the sums of a lifetime.

use alloc::string::String;

use serde::Serialize;

use super::report::Places;
use crate::request::View;
use crate::tokens::{Totals, Usage};
use crate::transcript::{EntryKind, Log, Session};
use crate::unit::Tokens;

/// The provider's count of the newest request, beside the estimate of the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "camelCase")]
pub struct Reported {
    /// The line of the response.
    pub line: u64,
    /// The response's id, when it has one.
    pub response: Option<String>,
    /// What the provider counted.
    #[cfg_attr(feature = "typescript", tsify(type = "Required<Usage>"))]
    pub usage: Usage,
    /// Its input, cached or not: what the window held.
    pub context: Tokens,
    /// What we estimate for the messages before that response.
    pub estimated: Tokens,
    /// `context` beyond `estimated`: the system prompt and tools, which a file does not hold, and the estimate's
    /// error. 0 when we estimate more than was counted.
    pub unseen: Tokens,
}

/// Sums over all responses of a file, subagents' too; each response counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Lifetime {
    /// Responses with a usage.
    pub requests: u64,
    /// Their sum. It says what was paid for, not what a window held (A1).
    #[cfg_attr(feature = "typescript", tsify(type = "Required<Usage>"))]
    pub usage: Usage,
    /// The largest context of any one of them.
    pub peak: Tokens,
}

impl Reported {
    pub(super) fn of(session: &Session, view: &View, places: &Places) -> Option<Self> {
        let reported = session.usage.as_ref()?;
        let item = session.view.get(reported.item)?;
        let usage = bounded(reported.usage);
        let estimated = view.entries().iter().take(reported.item).map(|entry| entry.cost.total()).sum();
        Some(Self {
            line: places.line(item.id()),
            response: reported.response.as_ref().map(|id| id.as_str().into()),
            usage,
            context: safe(usage.context()),
            estimated,
            unseen: safe(usage.context()) - estimated,
        })
    }
}

impl Lifetime {
    pub(super) fn of(log: &Log) -> Self {
        let mut totals = Totals::new();
        let mut peak = Tokens::ZERO;
        for entry in log.entries.iter().filter(|entry| entry.kind == EntryKind::Assistant) {
            if let Some(usage) = entry.usage() {
                totals.record(entry.response_id().as_deref(), usage);
                peak = peak.max(safe(usage.context()));
            }
        }
        Self { requests: totals.requests(), usage: bounded(totals.usage()), peak }
    }
}

fn bounded(usage: Usage) -> Usage {
    Usage {
        input: safe(usage.input),
        cache_read: safe(usage.cache_read),
        cache_write: safe(usage.cache_write),
        output: safe(usage.output),
        reasoning: safe(usage.reasoning),
    }
}

/// A file may say any number. This is the most that is taken over: the sum of a few is then still a whole number that
/// every JSON reader takes exactly.
pub(super) const MOST: Tokens = Tokens(1 << 50);

pub(super) fn safe(tokens: Tokens) -> Tokens {
    tokens.min(MOST)
}
