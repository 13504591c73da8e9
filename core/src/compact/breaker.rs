//! Stops a compaction that keeps failing.

use serde::Serialize;

/// Counts failures in a row. Open means: no automatic try until something changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Breaker {
    limit: u32,
    failures: u32,
}

impl Breaker {
    /// Opens after `limit` failures in a row (SPEC: 3).
    pub fn new(limit: u32) -> Self {
        Self { limit, failures: 0 }
    }

    /// True when automatic tries are stopped.
    pub fn is_open(&self) -> bool {
        self.failures >= self.limit
    }

    /// Failures in a row so far.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// A try failed.
    pub fn fail(&mut self) {
        self.failures = self.failures.saturating_add(1);
    }

    /// A try succeeded, or a person spoke (a manual compaction is that too): begin anew (B2).
    pub fn reset(&mut self) {
        self.failures = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b2_opens_after_the_limit_and_resets_on_success_or_user_input() {
        let mut breaker = Breaker::new(3);
        for _ in 0..2 {
            breaker.fail();
            assert!(!breaker.is_open());
        }
        breaker.fail();
        assert!(breaker.is_open());
        breaker.reset();
        assert!(!breaker.is_open());
    }
}
