//! The account of a window: how many tokens each category holds.
//!
//! ```text
//! system | tools | mcp | agents | instructions | memory | skills | user | assistant | … | summary   = total
//! ```
//!
//! Categories are disjoint and the total is always their sum (invariant A6), also after scaling.

use core::fmt;
use core::ops;

use serde::de::{Error, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Factor;
use crate::unit::Tokens;

/// What a part of a request is, in the order in which it is listed to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// The system prompt: identity and environment.
    System,
    /// Schemas of built-in tools.
    Tools,
    /// Schemas of tools that MCP servers bring.
    McpTools,
    /// The list of subagent kinds.
    Agents,
    /// Instruction files (`CLAUDE.md`, `AGENTS.md`).
    Instructions,
    /// The memory index and selected memories.
    Memory,
    /// The skill list and loaded skill bodies.
    Skills,
    /// What the user wrote.
    User,
    /// What the model wrote.
    Assistant,
    /// Thinking blocks, redacted ones too.
    Thinking,
    /// Tool calls with their input.
    ToolCalls,
    /// Tool results.
    ToolResults,
    /// Reminders and other injected context, images and documents of the user's.
    Attachments,
    /// Summaries that stand for compacted history.
    Summary,
}

impl Category {
    /// How many categories there are.
    pub const COUNT: usize = 14;

    /// Every category, in listing order.
    pub const ALL: [Self; Self::COUNT] = [
        Self::System,
        Self::Tools,
        Self::McpTools,
        Self::Agents,
        Self::Instructions,
        Self::Memory,
        Self::Skills,
        Self::User,
        Self::Assistant,
        Self::Thinking,
        Self::ToolCalls,
        Self::ToolResults,
        Self::Attachments,
        Self::Summary,
    ];

    /// The name people read.
    pub const fn label(self) -> &'static str {
        match self {
            Self::System => "System prompt",
            Self::Tools => "System tools",
            Self::McpTools => "MCP tools",
            Self::Agents => "Agents",
            Self::Instructions => "Instruction files",
            Self::Memory => "Memory",
            Self::Skills => "Skills",
            Self::User => "User messages",
            Self::Assistant => "Assistant messages",
            Self::Thinking => "Thinking",
            Self::ToolCalls => "Tool calls",
            Self::ToolResults => "Tool results",
            Self::Attachments => "Attachments",
            Self::Summary => "Summary",
        }
    }

    /// The name machines read: kebab-case, stable, the key in JSON.
    pub const fn key(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Tools => "tools",
            Self::McpTools => "mcp-tools",
            Self::Agents => "agents",
            Self::Instructions => "instructions",
            Self::Memory => "memory",
            Self::Skills => "skills",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Thinking => "thinking",
            Self::ToolCalls => "tool-calls",
            Self::ToolResults => "tool-results",
            Self::Attachments => "attachments",
            Self::Summary => "summary",
        }
    }

    /// The category with this [`key`](Self::key).
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.key() == key)
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}

/// Tokens by category. In JSON: an object of category key to number, categories without tokens left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(type = "Partial<Record<Category, Tokens>>"))]
pub struct Ledger([Tokens; Category::COUNT]);

impl Ledger {
    /// An empty account.
    pub const fn new() -> Self {
        Self([Tokens::ZERO; Category::COUNT])
    }

    /// Puts `tokens` into `category`.
    pub fn add(&mut self, category: Category, tokens: Tokens) {
        if let Some(slot) = self.0.get_mut(category as usize) {
            *slot += tokens;
        }
    }

    /// What `category` holds.
    pub fn get(&self, category: Category) -> Tokens {
        self.0.get(category as usize).copied().unwrap_or_default()
    }

    /// The sum of all categories.
    pub fn total(&self) -> Tokens {
        self.0.into_iter().sum()
    }

    /// True when nothing was added.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|tokens| tokens.is_zero())
    }

    /// Every category with what it holds, in listing order, empty ones too.
    pub fn iter(&self) -> impl Iterator<Item = (Category, Tokens)> + '_ {
        Category::ALL.into_iter().zip(self.0)
    }

    /// Every category times `factor`; the new total is `factor` applied to the old total, exactly.
    #[must_use]
    pub fn scaled(&self, factor: Factor) -> Self {
        self.scaled_to(factor.apply(self.total()))
    }

    /// The same shares of another total. An empty account has no shares and stays empty.
    ///
    /// Running sums are rounded, not the parts, so the parts add up to `total` whatever it is, and each is off by
    /// less than one token.
    #[must_use]
    pub fn scaled_to(&self, total: Tokens) -> Self {
        let whole: u128 = self.0.iter().map(|tokens| u128::from(tokens.0)).sum();
        let (mut running, mut given) = (0_u128, 0_u64);
        Self(self.0.map(|tokens| {
            running += u128::from(tokens.0);
            let upto = proportion(total.0, running, whole);
            let part = Tokens(upto - given);
            given = upto;
            part
        }))
    }
}

/// `total` × `part` / `whole`, to the nearest; `part` ≤ `whole`, so the result is at most `total`.
fn proportion(total: u64, part: u128, whole: u128) -> u64 {
    // A whole of more than 2^64 is halved together with its part until the product fits.
    let excess = u128::BITS - whole.leading_zeros();
    let shift = excess.saturating_sub(u64::BITS - 1);
    let (part, whole) = (part >> shift, whole >> shift);
    let share = (u128::from(total) * part + whole / 2).checked_div(whole).unwrap_or(0);
    u64::try_from(share).unwrap_or(u64::MAX).min(total)
}

impl ops::Add for Ledger {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl ops::AddAssign for Ledger {
    fn add_assign(&mut self, other: Self) {
        for (category, tokens) in other.iter() {
            self.add(category, tokens);
        }
    }
}

impl ops::Sub for Ledger {
    type Output = Self;
    /// Category by category; none goes below zero.
    fn sub(mut self, other: Self) -> Self {
        for (slot, taken) in self.0.iter_mut().zip(other.0) {
            *slot = *slot - taken;
        }
        self
    }
}

impl Serialize for Ledger {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (category, tokens) in self.iter().filter(|(_, tokens)| !tokens.is_zero()) {
            map.serialize_entry(category.key(), &tokens)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Ledger {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Ledger;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of category to number of tokens")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Ledger, A::Error> {
                let mut ledger = Ledger::new();
                while let Some((category, tokens)) = map.next_entry::<Category, Tokens>()? {
                    if !ledger.get(category).is_zero() {
                        return Err(A::Error::custom(format_args!(
                            "category `{}` given twice",
                            category.key()
                        )));
                    }
                    ledger.add(category, tokens);
                }
                Ok(ledger)
            }
        }

        deserializer.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use std::string::ToString;

    use super::*;

    fn ledger(parts: [u64; Category::COUNT]) -> Ledger {
        Ledger(parts.map(Tokens))
    }

    #[test]
    fn keys_are_the_serde_names_and_come_back() {
        for category in Category::ALL {
            assert_eq!(serde_json::to_value(category).unwrap(), category.key());
            assert_eq!(Category::from_key(category.key()), Some(category));
            assert_eq!(Category::ALL[category as usize], category);
        }
    }

    #[test]
    fn json_is_a_map_of_what_is_there() {
        let mut account = Ledger::new();
        account.add(Category::ToolResults, Tokens(7));
        account.add(Category::System, Tokens(3));
        let json = serde_json::to_string(&account).unwrap();
        assert_eq!(json, r#"{"system":3,"tool-results":7}"#);
        assert_eq!(serde_json::from_str::<Ledger>(&json).unwrap(), account);
        let error = serde_json::from_str::<Ledger>(r#"{"sistem":3}"#).unwrap_err().to_string();
        assert!(error.contains("sistem"), "{error}");
        assert!(serde_json::from_str::<Ledger>(r#"{"user":3,"user":4}"#).is_err());
    }

    #[test]
    fn a13_totals_and_differences_saturate() {
        let mut account = ledger([u64::MAX; Category::COUNT]);
        account.add(Category::User, Tokens(1));
        assert_eq!(account.total(), Tokens(u64::MAX));
        assert_eq!(account.scaled_to(Tokens(u64::MAX)).total(), Tokens(u64::MAX));
        assert_eq!((Ledger::new() - account).total(), Tokens::ZERO);
        assert_eq!(Ledger::new().scaled_to(Tokens(5)), Ledger::new());
    }

    proptest! {
        #[test]
        fn a6_parts_add_up_after_scaling(parts: [u32; Category::COUNT], total: u64) {
            let before = ledger(parts.map(u64::from));
            let after = before.scaled_to(Tokens(total));
            prop_assert_eq!(after.total(), if before.is_empty() { Tokens::ZERO } else { Tokens(total) });
            for ((_, old), (_, new)) in before.iter().zip(after.iter()) {
                prop_assert!(!old.is_zero() || new.is_zero());
                let exact = old.scaled(total, before.total().0);
                prop_assert!(new.0.abs_diff(exact.0) <= 1);
            }
        }

        #[test]
        fn a6_sum_and_difference_cancel(a: [u32; Category::COUNT], b: [u32; Category::COUNT]) {
            let (a, b) = (ledger(a.map(u64::from)), ledger(b.map(u64::from)));
            prop_assert_eq!((a + b).total(), a.total() + b.total());
            prop_assert_eq!((a + b) - b, a);
        }
    }
}
