//! Anchoring estimates on what the provider reported.
//!
//! ```text
//! raw estimate ──► × factor ──► prediction ──► request ──► reported
//!                     ▲                                       │
//!                     └── learned ◄── plausible? ◄────────────┘
//!                                        └── no: rejected, until the same level is seen three times
//! ```
//!
//! The factor is a ratio of two whole numbers, so state is exact and equal on every machine, and applying it to the
//! raw estimate it was learned from gives the reported number exactly.

use serde::{Deserialize, Serialize};

use crate::unit::Tokens;

/// Below this many tokens, estimated or reported, a request says more about its framing than about its text.
const SMALLEST: u64 = 200;
/// A first report is believed between these thousandths of the raw estimate.
const PLAUSIBLE: core::ops::RangeInclusive<u64> = 700..=3000;
/// Once a factor is learned, a report is believed between these thousandths of the prediction.
const STEADY: core::ops::RangeInclusive<u64> = 700..=1600;
/// Reports under these thousandths of the prediction look like a prompt that the server cut.
const TRUNCATED: u64 = 700;
/// Two ratios within these thousandths of each other are one level.
const SAME_LEVEL: u64 = 150;
/// So many reports of one level in a row are believed, however far it is from the present factor.
const BELIEVED_AT: u32 = 3;

/// A learned ratio of reported to estimated tokens. One to one until something is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Factor {
    reported: u64,
    estimated: u64,
}

impl Default for Factor {
    fn default() -> Self {
        Self::ONE
    }
}

impl Factor {
    /// Leaves estimates as they are.
    pub const ONE: Self = Self { reported: 1, estimated: 1 };

    /// The ratio of `reported` to `estimated`; [`Factor::ONE`] when either is zero, which teaches nothing.
    pub const fn of(reported: Tokens, estimated: Tokens) -> Self {
        if reported.0 == 0 || estimated.0 == 0 {
            return Self::ONE;
        }
        Self { reported: reported.0, estimated: estimated.0 }
    }

    /// The estimate times this ratio, rounded up: a window must not overflow by a fraction.
    pub fn apply(self, raw: Tokens) -> Tokens {
        let wide = u128::from(raw.0) * u128::from(self.reported);
        let scaled = match u128::from(self.estimated) {
            0 => u128::from(raw.0),
            estimated => wide.div_ceil(estimated),
        };
        Tokens(u64::try_from(scaled).unwrap_or(u64::MAX))
    }

    /// The ratio in thousandths, for people: 1083 reads as 1.083.
    pub fn permille(self) -> u64 {
        self.apply(Tokens(1000)).0
    }
}

/// What became of one report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Observation {
    /// The factor is now this.
    Learned {
        /// Reported over estimated.
        factor: Factor,
    },
    /// The factor stays as it was.
    Rejected {
        /// Why.
        reason: Rejection,
    },
}

/// Why a report was not learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rejection {
    /// Too few tokens to learn from.
    TooSmall,
    /// Far above what was predicted, and not yet often enough to be a new level.
    Outlier,
    /// Far below what was predicted: the server may have cut the prompt without saying so. Such reports become
    /// believable only when they keep growing with the prompt, which a cut prompt's do not.
    SilentTruncation,
}

/// The learned relation between raw estimates and a provider's reports, with its own measured error.
///
/// It belongs to one model: another model starts a new one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Calibration {
    factor: Factor,
    learned: u32,
    rejected: u32,
    error_permille_sum: u64,
    candidate: Option<Candidate>,
}

/// A level seen outside the believed range, and how many times in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Candidate {
    level: Factor,
    times: u32,
}

impl Calibration {
    /// Nothing learned: estimates pass unchanged.
    pub fn new() -> Self {
        Self::default()
    }

    /// The present factor.
    pub fn factor(&self) -> Factor {
        self.factor
    }

    /// What the provider will report for a request of this raw estimate, rounded up.
    pub fn apply(&self, raw: Tokens) -> Tokens {
        self.factor.apply(raw)
    }

    /// Learns from one request: its raw estimate, before [`apply`](Self::apply), and the context the provider
    /// reported for it ([`Usage::context`](super::Usage::context)).
    pub fn observe(&mut self, estimated_raw: Tokens, reported: Tokens) -> Observation {
        if estimated_raw.0 < SMALLEST || reported.0 < SMALLEST {
            return self.reject(Rejection::TooSmall);
        }
        let predicted = self.apply(estimated_raw);
        let seen = Factor::of(reported, estimated_raw);
        let believed = if self.learned == 0 { PLAUSIBLE } else { STEADY };
        let ratio = Factor::of(reported, predicted).permille();
        if !believed.contains(&ratio) && !self.confirms_new_level(seen, ratio) {
            let low = ratio < TRUNCATED;
            return self.reject(if low { Rejection::SilentTruncation } else { Rejection::Outlier });
        }
        let error = Tokens(1000).scaled(predicted.0.abs_diff(reported.0), reported.0);
        self.error_permille_sum = self.error_permille_sum.saturating_add(error.0);
        self.learned = self.learned.saturating_add(1);
        self.factor = seen;
        self.candidate = None;
        Observation::Learned { factor: seen }
    }

    /// True when a report is so low against the prediction that the server may have cut the prompt silently
    /// (a known habit of local servers with a small window).
    pub fn silent_truncation(&self, estimated_raw: Tokens, reported: Tokens) -> bool {
        let predicted = self.apply(estimated_raw);
        predicted.0 >= SMALLEST && reported < predicted.permille(u32::try_from(TRUNCATED).unwrap_or(0))
    }

    /// Mean absolute error of predictions against reports, in thousandths of the report, each taken before learning
    /// from it. `None` until something was learned.
    pub fn mean_error_permille(&self) -> Option<u64> {
        self.error_permille_sum.checked_div(u64::from(self.learned))
    }

    /// How many reports were learned from.
    pub fn learned(&self) -> u32 {
        self.learned
    }

    /// How many reports were rejected.
    pub fn rejected(&self) -> u32 {
        self.rejected
    }

    fn reject(&mut self, reason: Rejection) -> Observation {
        self.rejected = self.rejected.saturating_add(1);
        Observation::Rejected { reason }
    }

    /// Counts a far-off report towards a new level; true when the level has been seen often enough.
    fn confirms_new_level(&mut self, seen: Factor, ratio: u64) -> bool {
        let times = match self.candidate {
            Some(Candidate { level, times }) if same_level(level, seen) => {
                if ratio < TRUNCATED && !grows_with_prompt(level, seen) {
                    return false;
                }
                times.saturating_add(1)
            }
            _ => 1,
        };
        self.candidate = Some(Candidate { level: seen, times });
        times >= BELIEVED_AT
    }
}

fn same_level(a: Factor, b: Factor) -> bool {
    a.permille().abs_diff(b.permille()).saturating_mul(1000) <= a.permille().saturating_mul(SAME_LEVEL)
}

/// True when the prompt changed by a sixteenth or more and the report moved by at least half as much in proportion.
fn grows_with_prompt(before: Factor, after: Factor) -> bool {
    let prompt = after.estimated.abs_diff(before.estimated);
    let report = after.reported.abs_diff(before.reported);
    let expected = before.apply(Tokens(prompt)).0;
    prompt >= before.estimated / 16 && report >= expected / 2
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn learned(calibration: &mut Calibration, raw: u64, reported: u64) -> bool {
        matches!(calibration.observe(Tokens(raw), Tokens(reported)), Observation::Learned { .. })
    }

    #[test]
    fn a_prediction_is_anchored_on_the_last_report() {
        let mut calibration = Calibration::new();
        assert_eq!(calibration.mean_error_permille(), None);
        assert!(learned(&mut calibration, 10_000, 12_345));
        assert_eq!(calibration.apply(Tokens(10_000)), Tokens(12_345));
        assert_eq!(calibration.factor().permille(), 1235);
        assert_eq!(calibration.mean_error_permille(), Some(189));
        assert!(learned(&mut calibration, 20_000, 24_690));
        assert_eq!(calibration.mean_error_permille(), Some(94));
    }

    #[test]
    fn a12_one_outlier_changes_nothing_and_a_new_level_is_believed_the_third_time() {
        let mut calibration = Calibration::new();
        learned(&mut calibration, 5_000, 5_500);
        let before = calibration.factor();
        let outlier = calibration.observe(Tokens(6_000), Tokens(60_000));
        assert_eq!(outlier, Observation::Rejected { reason: Rejection::Outlier });
        assert_eq!(calibration.factor(), before);
        assert!(learned(&mut calibration, 7_000, 7_700));
        assert!(!learned(&mut calibration, 8_000, 20_000));
        assert!(!learned(&mut calibration, 8_000, 20_100));
        assert!(learned(&mut calibration, 8_100, 20_200));
        assert_eq!(calibration.apply(Tokens(8_100)), Tokens(20_200));
    }

    #[test]
    fn tiny_requests_teach_nothing() {
        let mut calibration = Calibration::new();
        let tiny = calibration.observe(Tokens(10), Tokens(40));
        assert_eq!(tiny, Observation::Rejected { reason: Rejection::TooSmall });
        assert_eq!(calibration.apply(Tokens(10)), Tokens(10));
    }

    #[test]
    fn a_cut_prompt_is_told_and_never_learned() {
        let mut calibration = Calibration::new();
        learned(&mut calibration, 1_900, 2_000);
        for raw in [4_200, 4_300, 4_700, 5_000, 6_000, 9_000] {
            assert!(calibration.silent_truncation(Tokens(raw), Tokens(2_051)));
            let cut = calibration.observe(Tokens(raw), Tokens(2_051));
            assert_eq!(cut, Observation::Rejected { reason: Rejection::SilentTruncation });
        }
        assert!(!calibration.silent_truncation(Tokens(1_900), Tokens(1_950)));
    }

    #[test]
    fn state_survives_a_round_trip_and_a_broken_one_is_harmless() {
        let mut calibration = Calibration::new();
        learned(&mut calibration, 1_000, 1_300);
        let json = serde_json::to_string(&calibration).unwrap();
        assert_eq!(serde_json::from_str::<Calibration>(&json).unwrap(), calibration);
        let broken: Factor = serde_json::from_str(r#"{"reported":5,"estimated":0}"#).unwrap();
        assert_eq!(broken.apply(Tokens(9)), Tokens(9));
    }

    proptest! {
        /// Whatever the true ratio and whatever was believed before, six growing prompts are enough.
        #[test]
        fn a12_reaches_the_true_ratio(before in 300_u64..3000, truth in 150_u64..6000, start in 2_000_u64..50_000) {
            let mut calibration = Calibration::new();
            calibration.observe(Tokens(10_000), Tokens(10 * before));
            let mut raw = start;
            for _ in 0..6 {
                calibration.observe(Tokens(raw), Tokens(raw).scaled(truth, 1000));
                raw += raw / 8;
            }
            let reported = Tokens(raw).scaled(truth, 1000);
            prop_assert!(calibration.apply(Tokens(raw)).0.abs_diff(reported.0) <= 1 + reported.0 / 200);
        }

        #[test]
        fn a12_an_accepted_report_is_reproduced_exactly(raw in 200_u64..2_000_000, reported in 200_u64..2_000_000) {
            let mut calibration = Calibration::new();
            if learned(&mut calibration, raw, reported) {
                prop_assert_eq!(calibration.apply(Tokens(raw)), Tokens(reported));
            } else {
                prop_assert_eq!(calibration.apply(Tokens(raw)), Tokens(raw));
            }
        }

        #[test]
        fn a13_nothing_overflows(pairs in prop::collection::vec(any::<(u64, u64)>(), 0..12), raw: u64) {
            let mut calibration = Calibration::new();
            for (estimated, reported) in pairs {
                calibration.observe(Tokens(estimated), Tokens(reported));
            }
            let scaled = calibration.apply(Tokens(raw));
            prop_assert!(raw == 0 || !scaled.is_zero());
        }
    }
}
