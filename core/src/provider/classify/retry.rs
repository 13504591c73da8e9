//! How long to wait, from what the provider says of it.
//!
//! ```text
//!  retry-after-ms ▸ retry-after (seconds) ▸ "try again in 6m0s" ▸ x-ratelimit-reset-… (6m0s)
//! ```
//!
//! A date in `retry-after` and Anthropic's `…-reset` moments are not read: they need a clock, and Anthropic
//! always gives the seconds too.

use crate::provider::Headers;
use crate::unit::Millis;

/// The wait, if there is one.
pub(super) fn after(headers: &Headers<'_>, message: &str) -> Option<Millis> {
    let header = |name: &str| {
        headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    };
    let reset = |what: &str| header(what).and_then(duration);
    header("retry-after-ms")
        .and_then(|value| decimal(value, 1))
        .or_else(|| header("retry-after").and_then(|value| decimal(value, 1_000)))
        .or_else(|| in_words(message))
        // Which of the two limits was hit is not said; the longer wait is right for both.
        .or_else(|| reset("x-ratelimit-reset-requests").max(reset("x-ratelimit-reset-tokens")))
}

/// `try again in 1.2s` within a sentence.
fn in_words(message: &str) -> Option<Millis> {
    let (_, rest) = message.split_once("try again in ")?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
    duration(rest.get(..end)?.trim_end_matches('.'))
}

/// `1h2m3.5s`, `120ms`: parts of number and unit.
fn duration(text: &str) -> Option<Millis> {
    let mut total = Millis::ZERO;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at_checked(digits)?;
        let letters = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at_checked(letters)?;
        let unit = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        total += decimal(number, unit)?;
        rest = tail;
    }
    Some(total)
}

/// A number with up to three decimals that count, times a unit of so many milliseconds.
fn decimal(text: &str, unit: u64) -> Option<Millis> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let whole = Millis(whole.parse::<u64>().ok()?.saturating_mul(unit));
    let fraction = fraction.get(..fraction.len().min(3))?;
    let thousandths = match fraction.len() {
        0 => 0,
        1 => fraction.parse::<u64>().ok()? * 100,
        2 => fraction.parse::<u64>().ok()? * 10,
        _ => fraction.parse().ok()?,
    };
    Some(whole + Millis(unit).scaled(thousandths, 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use proptest::prelude::*;

    #[test]
    fn the_first_source_wins() {
        let all = [("Retry-After", "7"), ("retry-after-ms", "250"), ("x-ratelimit-reset-tokens", "6m0s")];
        assert_eq!(after(&all, "Please try again in 1.2s."), Some(Millis(250)));
        assert_eq!(after(&[("Retry-After", "7")], "Please try again in 1.2s."), Some(Millis(7_000)));
        assert_eq!(after(&[], "Please try again in 1.2s. Visit"), Some(Millis(1_200)));
        assert_eq!(after(&[], "Please try again in 1m2.5s."), Some(Millis(62_500)));
        let resets = [("x-ratelimit-reset-requests", "120ms"), ("x-ratelimit-reset-tokens", "1h6m0s")];
        assert_eq!(after(&resets, ""), Some(Millis(3_960_000)));
        assert_eq!(after(&[("retry-after", "Wed, 21 Oct 2026 07:28:00 GMT")], "later"), None);
        assert_eq!(after(&[("retry-after", "99999999999999999999")], ""), None);
    }

    proptest! {
        #[test]
        fn never_panics(value in any::<String>(), digits in "[0-9.hms]{0,12}") {
            for text in [&value, &digits] {
                after(&[("retry-after", text)], text);
                after(&[("x-ratelimit-reset-tokens", text)], &alloc::format!("try again in {text}"));
            }
        }
    }
}
