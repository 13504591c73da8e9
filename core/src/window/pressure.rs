//! From a policy to lines across the window, and from a size to what it means.
//!
//! ```text
//! 0 ────────────── micro ───── target ──────── auto ──── hard ─────────── window
//!       Low         │         Micro             │  Auto   │      Over
//!                                                         └─── reserve ──┘
//! ```

use serde::Serialize;

use super::{MicroMode, Policy, TriggerRule};
use crate::unit::Tokens;

/// The lines a request's size is compared with, for one window. For every valid policy
/// `target < auto < hard ≤ window`; without an auto trigger, `target < hard`. All zero when the window is not
/// known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(rename_all = "camelCase")]
pub struct Thresholds {
    /// The window.
    pub window: Tokens,
    /// From here the micro tier may act; `None` when it is off.
    pub micro: Option<Tokens>,
    /// Above this the auto tier acts; `None` when it never does.
    pub auto: Option<Tokens>,
    /// No request may be larger.
    pub hard: Tokens,
    /// Kept free for the answer: the window less [`Self::hard`].
    pub reserve: Tokens,
    /// What a compaction must come down to.
    pub target: Tokens,
}

impl Thresholds {
    /// What a request of `total` tokens means; nothing presses on an unknown window (A13).
    pub fn pressure(&self, total: Tokens) -> Pressure {
        if self.window.is_zero() {
            Pressure::Low
        } else if total > self.hard {
            Pressure::Over
        } else if self.auto.is_some_and(|auto| total > auto) {
            Pressure::Auto
        } else if self.micro.is_some_and(|micro| total >= micro) {
            Pressure::Micro
        } else {
            Pressure::Low
        }
    }

    /// The line that a compaction must get under: the trigger, or the hard limit where there is none.
    pub fn trigger(&self) -> Tokens {
        self.auto.unwrap_or(self.hard)
    }

    /// How `used` tokens fill the window; on an unknown one only `used` is above zero.
    pub fn gauge(&self, used: Tokens) -> Gauge {
        let over = if self.window.is_zero() { Tokens::ZERO } else { used - self.hard };
        Gauge { window: self.window, used, reserve: self.reserve, free: self.hard - used, over }
    }
}

/// How pressing a request's size is. Ordered: more is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Pressure {
    /// Nothing to do.
    Low,
    /// The micro tier may act.
    Micro,
    /// The auto tier acts.
    Auto,
    /// Too large to send.
    Over,
}

/// How a known window is filled. `used + reserve + free = window + over` always, and at most one of `free`
/// and `over` is above zero (A6). The reserve is never counted as used (T057).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Gauge {
    /// The window; zero when it is not known.
    pub window: Tokens,
    /// What the request costs.
    pub used: Tokens,
    /// What is kept free for the answer.
    pub reserve: Tokens,
    /// What may still be added.
    pub free: Tokens,
    /// What is too much.
    pub over: Tokens,
}

impl Gauge {
    /// How full the usable window is, in thousandths, rounded down; above 1,000 when it is over the limit and
    /// `None` when the window is not known.
    pub fn permille(&self) -> Option<u64> {
        let usable = self.window - self.reserve;
        (!usable.is_zero()).then(|| self.used.scaled(1_000, usable.get()).get())
    }
}

impl Policy {
    /// The lines across the policy's window; `None` when the window is not known, so that there is nothing to
    /// cross (A13).
    pub fn thresholds(&self) -> Option<Thresholds> {
        (!self.window.is_zero()).then(|| self.thresholds_in(self.window))
    }

    /// The lines across another window, such as the one a provider's refusal names. On an unknown one (zero)
    /// every line is zero, and nothing is over it: see [`Thresholds::pressure`].
    pub fn thresholds_in(&self, window: Tokens) -> Thresholds {
        if window.is_zero() {
            return Thresholds::default();
        }
        let reserve = self.output_reserve.of(window).min(self.max_output).min(window);
        let hard = window - reserve;
        let auto = match self.trigger {
            TriggerRule::BelowWindow { output, buffer } => {
                Some(window - output.of(window).min(self.max_output) - buffer.of(window))
            }
            TriggerRule::Share { permille } => Some(window.permille(permille)),
            TriggerRule::OnceATurn { at } => Some(at.of(window)),
            TriggerRule::Never => None,
        };
        let auto = auto.map(|auto| auto.min(window));
        let micro = (self.micro.mode != MicroMode::Off).then(|| self.micro.from.of(window));
        let target = auto.unwrap_or(hard).permille(self.hysteresis.target_permille);
        Thresholds { window, micro, auto, hard, reserve, target }
    }

    /// What a request of `total` tokens means; [`Pressure::Low`] on an unknown window.
    pub fn pressure(&self, total: Tokens) -> Pressure {
        self.thresholds_in(self.window).pressure(total)
    }

    /// How `used` tokens fill the window.
    pub fn gauge(&self, used: Tokens) -> Gauge {
        self.thresholds_in(self.window).gauge(used)
    }
}
