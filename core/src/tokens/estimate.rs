//! The token estimator (being fitted).
use serde::{Deserialize, Serialize};

use crate::unit::Tokens;

/// Which tokeniser's weights an estimate uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// OpenAI's `o200k_base`.
    O200k,
    /// Claude up to 4.6.
    #[default]
    Claude,
}

/// Counts text approximately.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimator {
    profile: Profile,
}

impl Estimator {
    /// An estimator with a profile's weights.
    pub const fn new(profile: Profile) -> Self {
        Self { profile }
    }

    /// The profile it counts by.
    pub const fn profile(self) -> Profile {
        self.profile
    }

    /// About how many tokens a text costs; at least one unless it is empty.
    pub fn text(&self, text: &str) -> Tokens {
        let quarters: u64 = text.chars().map(|c| if c.is_ascii() { 1 } else { 3 }).sum();
        let quarters = if self.profile == Profile::Claude { quarters * 5 / 4 } else { quarters };
        Tokens(quarters.div_ceil(4))
    }
}
