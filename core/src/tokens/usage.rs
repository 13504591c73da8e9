//! What a provider says a request cost, in one convention.
//!
//! ```text
//! Anthropic  input │ cache_read │ cache_write      beside each other   ─┐
//! OpenAI     prompt [ cached ]                     cache inside input  ─┴─►  Usage (beside)
//! ```
//!
//! [`Usage`] is of one request and tells the size of its context (invariant A1); [`Totals`] are of a lifetime, and
//! the two never mix.

use alloc::collections::BTreeMap;
use alloc::string::String;

use serde::{Deserialize, Serialize};

use crate::unit::Tokens;

/// How a provider relates cached tokens to its input count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Convention {
    /// Cached tokens are counted beside `input` (Anthropic).
    CacheBeside,
    /// Cached tokens are part of `input` (OpenAI and those compatible with it).
    CacheInside,
}

/// Token counts as a provider writes them, under its own [`Convention`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counts {
    /// `input_tokens` or `prompt_tokens`.
    pub input: Tokens,
    /// Tokens served from the cache.
    pub cache_read: Tokens,
    /// Tokens written to the cache.
    pub cache_write: Tokens,
    /// `output_tokens` or `completion_tokens`, reasoning included.
    pub output: Tokens,
    /// The part of the output that was reasoning, where the provider tells it.
    pub reasoning: Tokens,
}

/// What one request cost. The three input counts are disjoint: their sum is what the window held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "camelCase", default)]
pub struct Usage {
    /// Input tokens that neither came from the cache nor went into it.
    pub input: Tokens,
    /// Input tokens served from the cache.
    pub cache_read: Tokens,
    /// Input tokens written to the cache.
    pub cache_write: Tokens,
    /// Output tokens, reasoning included.
    pub output: Tokens,
    /// The part of `output` that was reasoning; zero where the provider does not tell.
    pub reasoning: Tokens,
}

impl Usage {
    /// Brings a provider's counts into the one convention.
    ///
    /// Under [`Convention::CacheInside`] a cache count above the input count is a provider's mistake; the plain
    /// input is then zero, never negative.
    pub fn from_counts(convention: Convention, counts: Counts) -> Self {
        let Counts { input, cache_read, cache_write, output, reasoning } = counts;
        let input = match convention {
            Convention::CacheBeside => input,
            Convention::CacheInside => input - (cache_read + cache_write),
        };
        Self { input, cache_read, cache_write, output, reasoning }
    }

    /// The same numbers as a provider of `convention` would write them.
    pub fn to_counts(self, convention: Convention) -> Counts {
        let Self { input, cache_read, cache_write, output, reasoning } = self;
        let input = match convention {
            Convention::CacheBeside => input,
            Convention::CacheInside => self.context(),
        };
        Counts { input, cache_read, cache_write, output, reasoning }
    }

    /// What the window held when this request was read: input, cached or not.
    pub fn context(&self) -> Tokens {
        self.input + self.cache_read + self.cache_write
    }

    /// Context and output: what the window holds once the reply is part of it.
    pub fn total(&self) -> Tokens {
        self.context() + self.output
    }

    /// The share of the context that the cache served, in thousandths; zero for an empty context.
    pub fn cached_permille(&self) -> u32 {
        u32::try_from(Tokens(1000).scaled(self.cache_read.0, self.context().0).0).unwrap_or(1000)
    }

    fn zip(self, other: Self, join: impl Fn(Tokens, Tokens) -> Tokens) -> Self {
        Self {
            input: join(self.input, other.input),
            cache_read: join(self.cache_read, other.cache_read),
            cache_write: join(self.cache_write, other.cache_write),
            output: join(self.output, other.output),
            reasoning: join(self.reasoning, other.reasoning),
        }
    }
}

/// Sums over a lifetime of requests. They never decrease, whatever is compacted, and count a response once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Totals {
    usage: Usage,
    requests: u64,
    seen: BTreeMap<String, Usage>,
}

impl Totals {
    /// Nothing counted yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts one response; true when it was a new one.
    ///
    /// Session files repeat a response's usage in each line of it, sometimes with the output still growing: a known
    /// id adds only what grew. A response without an id is always new.
    pub fn record(&mut self, response_id: Option<&str>, usage: Usage) -> bool {
        let Some(id) = response_id else {
            self.add(usage);
            return true;
        };
        if let Some(known) = self.seen.get_mut(id) {
            let grown = known.zip(usage, Ord::max);
            let news = grown.zip(*known, |new, old| new - old);
            *known = grown;
            self.usage = self.usage.zip(news, |a, b| a + b);
            return false;
        }
        self.seen.insert(id.into(), usage);
        self.add(usage);
        true
    }

    /// The sum of every response counted.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// How many responses were counted.
    pub fn requests(&self) -> u64 {
        self.requests
    }

    fn add(&mut self, usage: Usage) {
        self.usage = self.usage.zip(usage, |a, b| a + b);
        self.requests = self.requests.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn usage(input: u64, cache_read: u64, cache_write: u64, output: u64) -> Usage {
        Usage {
            input: Tokens(input),
            cache_read: Tokens(cache_read),
            cache_write: Tokens(cache_write),
            output: Tokens(output),
            reasoning: Tokens::ZERO,
        }
    }

    #[test]
    fn a2_one_context_whatever_the_convention() {
        let counts = |input, cache_read| Counts {
            input: Tokens(input),
            cache_read: Tokens(cache_read),
            output: Tokens(50),
            ..Counts::default()
        };
        let beside = Usage::from_counts(Convention::CacheBeside, counts(100, 900));
        let inside = Usage::from_counts(Convention::CacheInside, counts(1000, 900));
        assert_eq!(beside, inside);
        assert_eq!(beside.context(), Tokens(1000));
        assert_eq!(beside.total(), Tokens(1050));
        assert_eq!(beside.cached_permille(), 900);
        // More cached than read: wrong, but no wrap.
        assert_eq!(Usage::from_counts(Convention::CacheInside, counts(10, 900)).input, Tokens::ZERO);
    }

    #[test]
    fn a_response_written_as_several_lines_counts_once() {
        let mut totals = Totals::new();
        assert!(totals.record(Some("msg_1"), usage(10, 900, 5, 1)));
        assert!(!totals.record(Some("msg_1"), usage(10, 900, 5, 1)));
        assert!(!totals.record(Some("msg_1"), usage(10, 900, 5, 320)));
        assert_eq!(totals.usage(), usage(10, 900, 5, 320));
        assert_eq!(totals.requests(), 1);
        assert!(totals.record(None, usage(1, 0, 0, 1)));
        assert!(totals.record(None, usage(1, 0, 0, 1)));
        assert_eq!((totals.requests(), totals.usage().output), (3, Tokens(322)));
    }

    #[test]
    fn totals_survive_a_round_trip() {
        let mut totals = Totals::new();
        totals.record(Some("a"), usage(1, 2, 3, 4));
        let json = serde_json::to_string(&totals).unwrap();
        let mut back: Totals = serde_json::from_str(&json).unwrap();
        assert_eq!(back, totals);
        assert!(!back.record(Some("a"), usage(1, 2, 3, 4)));
    }

    proptest! {
        #[test]
        fn a2_conversion_is_exact(input: u32, cache_read: u32, cache_write: u32, output: u32) {
            let usage = usage(input.into(), cache_read.into(), cache_write.into(), output.into());
            for convention in [Convention::CacheBeside, Convention::CacheInside] {
                prop_assert_eq!(Usage::from_counts(convention, usage.to_counts(convention)), usage);
            }
        }

        #[test]
        fn a1_totals_never_decrease(calls in prop::collection::vec((0_u8..4, any::<[u64; 4]>()), 0..20)) {
            let mut totals = Totals::new();
            for (id, [a, b, c, d]) in calls {
                let before = totals.usage();
                totals.record(["x", "y", "z"].get(usize::from(id)).copied(), usage(a, b, c, d));
                let after = totals.usage();
                prop_assert!(after.input >= before.input && after.cache_read >= before.cache_read);
                prop_assert!(after.cache_write >= before.cache_write && after.output >= before.output);
            }
        }
    }
}
