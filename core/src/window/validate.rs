//! What a policy may not say.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use super::policy::{MicroMode, Policy, Tail, Trigger};
use crate::unit::Tokens;

/// A number that cannot work: which, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyError {
    /// The field's path: `tail.max`.
    pub field: &'static str,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "policy field {}: {}", self.field, self.message)
    }
}

impl core::error::Error for PolicyError {}

/// The smallest window that holds a prompt, a summary and an answer at all.
pub const SMALLEST_WINDOW: Tokens = Tokens(1_000);

impl Policy {
    /// Every field that cannot work. A window of 0 means "not known" and is allowed.
    ///
    /// # Errors
    /// All faults at once, so that they can be put right in one go.
    pub fn validate(&self) -> Result<(), Vec<PolicyError>> {
        let mut found = Vec::new();
        let mut wrong = |field, bad: bool, message: String| {
            if bad {
                found.push(PolicyError { field, message });
            }
        };
        let window = self.window;
        wrong(
            "window",
            !window.is_zero() && window < SMALLEST_WINDOW,
            format!("{window} is too small; use at least {SMALLEST_WINDOW}, or 0 when it is not known"),
        );
        wrong(
            "maxOutput",
            self.max_output.is_zero(),
            "0 leaves no room for an answer; use at least 1".into(),
        );
        wrong("name", self.name.trim().is_empty(), "is empty; give the policy a name".into());
        if let Trigger::Share { permille } = self.trigger {
            wrong(
                "trigger.permille",
                !(1..=1000).contains(&permille),
                format!("{permille} is not within 1 and 1000"),
            );
        }
        if let Trigger::Headroom { reserve, buffer } = self.trigger {
            let taken = reserve.permille.saturating_add(buffer.permille);
            wrong(
                "trigger",
                taken >= 1000,
                format!("reserve and buffer may take {taken} ‰ of the window; leave some"),
            );
        }
        if let Tail::Range { min, max, .. } = self.tail {
            let (min, max) = (min.of(window), max.of(window));
            wrong(
                "tail.min",
                min > max,
                format!("{min} is more than tail.max ({max}); make it at most that"),
            );
        }
        if let MicroMode::WhenItPays { expected_calls, .. } = self.micro.mode {
            wrong(
                "micro.mode.expectedCalls",
                expected_calls == 0,
                "0 calls can pay for nothing; use at least 1".into(),
            );
        }
        let target = self.summary.target_permille;
        wrong(
            "summary.targetPermille",
            !(1..1000).contains(&target),
            format!("{target} is not within 1 and 999"),
        );
        wrong("summary.dropFraction", self.summary.drop_fraction < 2, "must be at least 2 (half)".into());
        wrong("summary.breaker", self.summary.breaker == 0, "0 would never try; use at least 1".into());
        wrong(
            "micro.placeholder",
            self.micro.placeholder.trim().is_empty(),
            "is empty; providers refuse empty results".into(),
        );
        wrong("oversize.preview", self.oversize.preview.get() < 200, "must be at least 200 bytes".into());
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    /// Whether a request can fit at all: what no tier may touch (`floor`: system, tools, instructions) must leave
    /// room for a summary and an answer.
    ///
    /// # Errors
    /// Names the numbers and what to do.
    pub fn validate_floor(&self, floor: Tokens) -> Result<(), PolicyError> {
        let lines = self.thresholds();
        let room = lines.auto.unwrap_or(lines.hard);
        if self.window.is_zero() || floor < room {
            return Ok(());
        }
        Err(PolicyError {
            field: "window",
            message: format!(
                "system prompt, tools and instructions take {floor}, but only {room} of the window of {} may be used; \
                 use a larger window or fewer tools",
                self.window
            ),
        })
    }
}
