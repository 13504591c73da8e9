//! Where the lines are, and how near the view is to them.
//!
//! ```text
//!  0 ────────── target ────── auto ─────── hard ──── window
//!     after a compaction  │ tier acts │  nothing   │ answer's
//!                                       is sent      reserve
//! ```

use serde::Serialize;

use super::policy::{MicroMode, Policy, Tail, Trigger};
use crate::unit::Tokens;

/// The lines of a policy in its window, in tokens of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Thresholds {
    /// The whole window; 0 when it is not known.
    pub window: Tokens,
    /// A compaction brings the view to at most this.
    pub target: Tokens,
    /// Where the micro tier acts, when a size sets it off.
    pub micro: Option<Tokens>,
    /// Above this the auto tier acts; `None` when nothing triggers it.
    pub auto: Option<Tokens>,
    /// Above this nothing is sent: the answer would have no room.
    pub hard: Tokens,
    /// Kept free for the answer.
    pub reserve: Tokens,
}

/// How near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pressure {
    /// Under every line.
    Low,
    /// Over the auto line.
    Auto,
    /// Over the hard line: this request cannot be sent.
    Over,
}

/// How a window is divided: used + reserve + free = window, or `over` says by how much it is not (A6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gauge {
    /// The next request.
    pub used: Tokens,
    /// Kept for the answer; less than the policy's reserve when the request already takes from it.
    pub reserve: Tokens,
    /// What is left.
    pub free: Tokens,
    /// By how much the request is larger than the window.
    pub over: Tokens,
}

impl Policy {
    /// The policy's lines in its own window.
    pub fn thresholds(&self) -> Thresholds {
        self.thresholds_in(self.window)
    }

    /// The policy's lines in another window, such as the one a provider's refusal names.
    pub fn thresholds_in(&self, window: Tokens) -> Thresholds {
        // The smallest answer worth asking for: 2 % of the window, at most 1,024 tokens.
        let least_reserve = Tokens(1_024).min(window.permille(20)).min(self.max_output);
        let (auto, reserve) = match self.trigger {
            Trigger::Headroom { reserve, buffer } => {
                let reserve = reserve.of(window).min(self.max_output);
                (Some(window - reserve - buffer.of(window)), reserve.max(least_reserve))
            }
            Trigger::Share { permille } => (Some(window.permille(permille)), least_reserve),
            Trigger::Never => (None, least_reserve),
        };
        let hard = window - reserve;
        let auto = auto.map(|auto| auto.min(hard)).filter(|_| !window.is_zero());
        let base = auto.unwrap_or(hard);
        let micro = match self.micro.mode {
            MicroMode::Above { trigger } => Some(trigger.min(window)),
            _ => None,
        };
        Thresholds { window, target: base.permille(self.summary.target_permille), micro, auto, hard, reserve }
    }

    /// The longest tail the policy keeps, as minimum, maximum and messages with text.
    pub fn tail_range(&self, window: Tokens) -> (Tokens, Tokens, usize) {
        match self.tail {
            Tail::Range { min, max, text_messages } => (min.of(window), max.of(window), text_messages),
            Tail::UserMessages { tokens } => (Tokens::ZERO, tokens.of(window), 0),
            Tail::Nothing => (Tokens::ZERO, Tokens::ZERO, 0),
        }
    }
}

impl Thresholds {
    /// How near a request of this size is. An unknown window presses on nothing (A13).
    pub fn pressure(&self, total: Tokens) -> Pressure {
        if self.window.is_zero() {
            Pressure::Low
        } else if total > self.hard {
            Pressure::Over
        } else if self.auto.is_some_and(|auto| total > auto) {
            Pressure::Auto
        } else {
            Pressure::Low
        }
    }

    /// How a request of this size divides the window.
    pub fn gauge(&self, used: Tokens) -> Gauge {
        let left = self.window - used;
        let reserve = self.reserve.min(left);
        Gauge { used, reserve, free: left - reserve, over: used - self.window }
    }
}
