//! Money: prices of a model and the cost of a request, in whole micro-dollars.
//!
//! ```text
//! Usage { input, cache_read, cache_write, output } × Prices per million  ──►  MicroDollars
//! ```
//!
//! The table is a convenience with a date; prices change, and a user's own [`Prices`] always win.

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign};

use serde::{Deserialize, Serialize};

use super::Usage;
use crate::unit::Tokens;

/// An amount of money: millionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MicroDollars(pub u64);

impl Add for MicroDollars {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for MicroDollars {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for MicroDollars {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::default(), Add::add)
    }
}

impl fmt::Display for MicroDollars {
    /// Dollars with four decimals, rounded to the nearest.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths_of_mills = self.0.saturating_add(50) / 100;
        write!(f, "${}.{:04}", tenths_of_mills / 10_000, tenths_of_mills % 10_000)
    }
}

/// What a million tokens cost, in micro-dollars: 3_000_000 is three dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase")]
pub struct Prices {
    /// A million input tokens outside the cache.
    pub input: u64,
    /// A million output tokens.
    pub output: u64,
    /// A million tokens written to the cache (the five-minute kind where there are several).
    pub cache_write: u64,
    /// A million tokens read from the cache.
    pub cache_read: u64,
}

/// List prices of one model and when they were checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceList {
    /// The model's name without date or vendor.
    pub model: &'static str,
    /// The month the prices were checked, `YYYY-MM`.
    pub as_of: &'static str,
    /// The prices.
    pub prices: Prices,
}

/// When [`TABLE`] was checked against what is published of the vendors' price lists.
const AS_OF: &str = "2026-10";

const fn row(model: &'static str, [input, output, cache_write, cache_read]: [u64; 4]) -> PriceList {
    PriceList { model, as_of: AS_OF, prices: Prices { input, output, cache_write, cache_read } }
}

/// List prices for prompts under any long-context surcharge: input, output, cache write, cache read. Where a vendor
/// names no price for a cache write it costs what input costs. A model whose price depends on the prompt's length
/// from early on (Haiku 5.5) is left out rather than misstated.
const TABLE: [PriceList; 27] = [
    row("claude-fable-5-1", [10_000_000, 50_000_000, 12_500_000, 250_000]),
    row("claude-fable-5", [10_000_000, 50_000_000, 12_500_000, 1_000_000]),
    row("claude-opus-5-5", [4_000_000, 20_000_000, 5_000_000, 200_000]),
    row("claude-opus-5", [5_000_000, 25_000_000, 6_250_000, 500_000]),
    row("claude-opus-4-8", [5_000_000, 25_000_000, 6_250_000, 500_000]),
    row("claude-opus-4-7", [5_000_000, 25_000_000, 6_250_000, 500_000]),
    row("claude-opus-4-6", [5_000_000, 25_000_000, 6_250_000, 500_000]),
    row("claude-opus-4-5", [5_000_000, 25_000_000, 6_250_000, 500_000]),
    row("claude-opus-4-1", [15_000_000, 75_000_000, 18_750_000, 1_500_000]),
    row("claude-opus-4", [15_000_000, 75_000_000, 18_750_000, 1_500_000]),
    row("claude-sonnet-5-5", [2_000_000, 10_000_000, 2_500_000, 100_000]),
    row("claude-sonnet-5", [2_000_000, 10_000_000, 2_500_000, 200_000]),
    row("claude-sonnet-4-6", [3_000_000, 15_000_000, 3_750_000, 300_000]),
    row("claude-sonnet-4-5", [3_000_000, 15_000_000, 3_750_000, 300_000]),
    row("claude-sonnet-4", [3_000_000, 15_000_000, 3_750_000, 300_000]),
    row("claude-haiku-4-5", [1_000_000, 5_000_000, 1_250_000, 100_000]),
    row("gpt-6.1-sol", [2_000_000, 10_000_000, 2_500_000, 100_000]),
    row("gpt-6-sol", [2_000_000, 10_000_000, 2_500_000, 200_000]),
    row("gpt-6-luna", [100_000, 500_000, 125_000, 10_000]),
    row("gpt-5.4", [2_500_000, 15_000_000, 2_500_000, 250_000]),
    row("gpt-5.4-mini", [750_000, 4_500_000, 750_000, 75_000]),
    row("gpt-5.2", [1_750_000, 14_000_000, 1_750_000, 175_000]),
    row("gpt-5", [1_250_000, 10_000_000, 1_250_000, 125_000]),
    row("gpt-5-mini", [250_000, 2_000_000, 250_000, 25_000]),
    row("gpt-4.1", [2_000_000, 8_000_000, 2_000_000, 500_000]),
    row("gpt-4o", [2_500_000, 10_000_000, 2_500_000, 1_250_000]),
    row("gpt-4o-mini", [150_000, 600_000, 150_000, 75_000]),
];

impl Prices {
    /// What nothing costs: a local model.
    pub const FREE: Self = Self { input: 0, output: 0, cache_write: 0, cache_read: 0 };

    /// Every model of the built-in table.
    pub const fn table() -> &'static [PriceList] {
        &TABLE
    }

    /// List prices of a model by name, with or without vendor (`anthropic/…`) and date (`…-20251001`).
    /// `None` for a model the table does not have: a near name is never taken for it.
    pub fn named(model: &str) -> Option<PriceList> {
        let name = model.rsplit('/').next().unwrap_or(model);
        TABLE.into_iter().find(|list| name.strip_prefix(list.model).is_some_and(is_version))
    }

    /// What a request cost, to the nearest micro-dollar.
    pub fn cost(&self, usage: &Usage) -> MicroDollars {
        let price = |tokens: Tokens, per_million: u64| u128::from(tokens.0) * u128::from(per_million);
        let pico = price(usage.input, self.input)
            .saturating_add(price(usage.cache_read, self.cache_read))
            .saturating_add(price(usage.cache_write, self.cache_write))
            .saturating_add(price(usage.output, self.output));
        MicroDollars(u64::try_from(pico.saturating_add(500_000) / 1_000_000).unwrap_or(u64::MAX))
    }
}

/// True for what may follow a model's name: nothing, `-latest`, or a date of eight digits.
fn is_version(rest: &str) -> bool {
    let digits = rest.bytes().filter(u8::is_ascii_digit).count();
    let dated = rest.starts_with('-') && digits == 8 && rest.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    rest.is_empty() || rest == "-latest" || dated
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn names_with_vendor_and_date_are_found_and_near_names_are_not() {
        let opus = Prices::named("claude-opus-4-6").unwrap();
        assert_eq!(opus.prices.output, 25_000_000);
        assert_eq!(Prices::named("anthropic/claude-opus-4-6"), Some(opus));
        assert_eq!(Prices::named("claude-haiku-4-5-20251001").unwrap().model, "claude-haiku-4-5");
        assert_eq!(Prices::named("gpt-4o-2024-08-06").unwrap().model, "gpt-4o");
        assert_eq!(Prices::named("claude-opus-4-20250514").unwrap().model, "claude-opus-4");
        for unknown in ["claude-opus-4-99", "gpt-5-nano", "gpt-4", "", "llama3.2"] {
            assert_eq!(Prices::named(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_request_costs_the_sum_of_its_parts() {
        let prices = Prices::named("claude-sonnet-4-5").unwrap().prices;
        let usage = Usage {
            input: Tokens(1_000),
            cache_read: Tokens(100_000),
            cache_write: Tokens(2_000),
            output: Tokens(500),
            reasoning: Tokens(100),
        };
        // 0.003 + 0.030 + 0.0075 + 0.0075 dollars
        assert_eq!(prices.cost(&usage), MicroDollars(48_000));
        assert_eq!(prices.cost(&usage).to_string(), "$0.0480");
        assert_eq!(Prices::FREE.cost(&usage), MicroDollars(0));
    }

    #[test]
    fn a13_absurd_counts_saturate() {
        let usage = Usage { input: Tokens(u64::MAX), output: Tokens(u64::MAX), ..Usage::default() };
        let prices = Prices { input: u64::MAX, output: u64::MAX, ..Prices::FREE };
        assert_eq!(prices.cost(&usage), MicroDollars(u64::MAX));
        assert_eq!(MicroDollars(u64::MAX) + MicroDollars(1), MicroDollars(u64::MAX));
    }

    #[test]
    fn a_cache_read_is_cheaper_and_a_write_is_not() {
        for list in Prices::table() {
            let Prices { input, output, cache_write, cache_read } = list.prices;
            assert!(cache_read < input && input <= cache_write && input < output, "{}", list.model);
        }
    }
}
