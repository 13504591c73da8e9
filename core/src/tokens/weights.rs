//! The fitted weights of one tokeniser: what each feature of [`super::scan`] costs.
//!
//! ```text
//! file:  192 × u16 little-endian   fixed features, in 1/256 token
//!        3,072 bytes               6,144 n-gram buckets, two a byte, low half first, in 34/256 token
//! ```
//!
//! The files are made by the fitting that `FITTING.md` describes; none of their numbers is set by hand.

use super::scan::{BUCKETS, FIXED};

/// Weights are whole numbers of this share of a token.
pub(super) const UNIT: u64 = 256;
/// One step of an n-gram weight, in units.
const STEP: u64 = 34;
const SIZE: usize = FIXED * 2 + BUCKETS / 2;

/// One tokeniser's weights.
#[derive(Debug)]
pub(super) struct Weights(&'static [u8; SIZE]);

/// OpenAI's `o200k_base`.
pub(super) static O200K: Weights = Weights(include_bytes!("o200k.weights"));
/// Claude 3 to 4.6.
pub(super) static CLAUDE: Weights = Weights(include_bytes!("claude.weights"));

impl Weights {
    /// What a feature costs, in 1/256 token; nothing for a number that is no feature.
    #[inline]
    pub(super) fn of(&self, feature: usize) -> u64 {
        let byte = |at: usize| self.0.get(at).copied().map_or(0, u64::from);
        match feature.checked_sub(FIXED) {
            None => byte(2 * feature) | byte(2 * feature + 1) << 8,
            Some(bucket) => STEP * (byte(2 * FIXED + bucket / 2) >> (4 * (bucket % 2)) & 15),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a7_every_weight_is_bounded() {
        for weights in [&O200K, &CLAUDE] {
            for feature in 0..FIXED + BUCKETS {
                assert!(weights.of(feature) <= 8 * UNIT, "{feature}");
            }
            assert_eq!(weights.of(FIXED + BUCKETS), 0);
        }
    }
}
