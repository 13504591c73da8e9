//! Whether a policy's numbers work together, and with what a session cannot do without.
//!
//! ```text
//! policy field `trigger` is 190000 tokens: allowed is 1 to 179999 tokens (below the hard limit); lower …
//!              └ field      └ value                └ allowed                                     └ advice
//! ```

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};

use serde::Serialize;

use super::check::MOST;
use super::{Policy, TriggerRule};
use crate::unit::Tokens;

/// A field that cannot work: which, what it holds, what it may hold, what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct PolicyError {
    /// The path of the field, as in JSON: `micro.keepLast`.
    pub field: &'static str,
    /// What it holds, or what it comes to on this window.
    pub value: String,
    /// What it may hold.
    pub allowed: String,
    /// What to do.
    pub advice: String,
}

impl Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, value, allowed, advice } = self;
        write!(f, "policy field `{field}` is {value}: allowed is {allowed}; {advice}")
    }
}

impl core::error::Error for PolicyError {}

/// What a user should know about a policy that is nevertheless allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Notice {
    /// The window is zero: its size is not known (A13).
    UnknownWindow,
    /// The auto tier never fires.
    NoTrigger,
}

impl Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownWindow => {
                "the window is not known, so nothing compacts before the provider refuses; set `window`"
            }
            Self::NoTrigger => "this policy never compacts; the provider refuses when the window is full",
        })
    }
}

impl Policy {
    /// Checks each number and how they work together on the policy's window.
    ///
    /// # Errors
    /// Every field that cannot work, not only the first.
    pub fn validate(&self) -> Result<(), Vec<PolicyError>> {
        let findings = self.check();
        if findings.is_empty() { Ok(()) } else { Err(findings) }
    }

    /// Checks the policy for a session whose system prompt, tools and instructions, which no tier can make
    /// smaller, cost `floor` tokens (B1).
    ///
    /// # Errors
    /// Those of [`Policy::validate`]; for a sound policy, the window, when it is too small for the floor. On
    /// an unknown window nothing is compared.
    pub fn validate_for(&self, floor: Tokens) -> Result<(), Vec<PolicyError>> {
        self.validate()?;
        let Some(thresholds) = self.thresholds().filter(|thresholds| floor >= thresholds.trigger()) else {
            return Ok(());
        };
        let needed = self.smallest_window(floor);
        let needed =
            needed.map_or_else(|| "a larger window".to_string(), |window| format!("{window} or more"));
        let advice = format!(
            "system prompt, tools and instructions alone cost {floor}, and {} is where this policy compacts: \
             take a model with a larger window, fewer tools or shorter instructions",
            thresholds.trigger()
        );
        let value = self.window.to_string();
        Err(alloc::vec![PolicyError { field: "window", value, allowed: needed, advice }])
    }

    /// What a user should know although it is allowed.
    pub fn notices(&self) -> Vec<Notice> {
        let unknown = self.window.is_zero().then_some(Notice::UnknownWindow);
        let never = (self.trigger == TriggerRule::Never).then_some(Notice::NoTrigger);
        unknown.into_iter().chain(never).collect()
    }

    /// The smallest window on which `floor` is under the trigger. The trigger never falls as the window
    /// grows, so the interval halves.
    fn smallest_window(&self, floor: Tokens) -> Option<Tokens> {
        let fits = |window: u64| floor < self.thresholds_in(Tokens(window)).trigger();
        let (mut low, mut high) = (self.window.get(), MOST.get());
        if !fits(high) {
            return None;
        }
        while low + 1 < high {
            let middle = low.midpoint(high);
            if fits(middle) { high = middle } else { low = middle }
        }
        Some(Tokens(high))
    }
}
