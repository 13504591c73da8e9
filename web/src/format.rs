//! Numbers as people read them: tokens short with the exact count at hand, bytes, shares, durations.

use palimpsest_core::unit::{Bytes, Tokens};

/// `812`, `9.4k`, `12.4k`, `187k`, `1.2M`: at most three digits that matter.
pub(crate) fn short(tokens: Tokens) -> String {
    match tokens.get() {
        n @ 0..1_000 => n.to_string(),
        n @ 1_000..99_950 => tenths(n, 1_000, "k"),
        n @ 99_950..999_500 => format!("{}k", (n + 500) / 1_000),
        n => tenths(n, 1_000_000, "M"),
    }
}

/// One decimal, rounded; `8.0k` is `8k`.
fn tenths(n: u64, unit: u64, suffix: &str) -> String {
    let tenths = (n.saturating_mul(10).saturating_add(unit / 2)) / unit;
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole}{suffix}"),
        (whole, tenth) => format!("{whole}.{tenth}{suffix}"),
    }
}

/// `187 420`, grouped by narrow spaces that never break.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 2);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push('\u{202f}');
        }
        out.push(digit);
    }
    out
}

/// `187 420 tokens`.
pub(crate) fn exact(tokens: Tokens) -> String {
    counted(tokens.get(), "token")
}

/// `1 token`, `2 tokens`.
pub(crate) fn counted(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// `12.3 %`; a share under a tenth of a percent that is not nothing is `<0.1 %`.
pub(crate) fn percent(part: Tokens, whole: Tokens) -> String {
    if part.is_zero() || whole.is_zero() {
        return "0 %".to_owned();
    }
    match part.scaled(1_000, whole.get()).get() {
        0 => "<0.1 %".to_owned(),
        permille if permille.is_multiple_of(10) => format!("{} %", permille / 10),
        permille => format!("{}.{} %", permille / 10, permille % 10),
    }
}

/// `part / whole` for drawing, in percent; nothing of nothing is nothing.
pub(crate) fn share(part: Tokens, whole: Tokens) -> f64 {
    if whole.is_zero() { 0.0 } else { part.get() as f64 / whole.get() as f64 * 100.0 }
}

/// A share for CSS.
pub(crate) fn css_percent(share: f64) -> String {
    format!("{share:.4}%")
}

/// `774 bytes`, `75.6 kB`, `2.4 MB`: thousands, as file managers count.
pub(crate) fn size(bytes: Bytes) -> String {
    match bytes.get() {
        n @ 0..1_000 => counted(n, "byte"),
        n @ 1_000..999_950 => tenths(n, 1_000, " kB"),
        n => tenths(n, 1_000_000, " MB"),
    }
}

/// The first line with words in it, cut at `max` characters.
pub(crate) fn first_line(text: &str, max: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let mut out: String = line.chars().take(max).collect();
    if out.len() < line.len() {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn tokens_are_short_and_round_at_the_edges() {
        let cases = [
            (0, "0"),
            (999, "999"),
            (1_000, "1k"),
            (1_049, "1k"),
            (1_050, "1.1k"),
            (12_449, "12.4k"),
            (99_949, "99.9k"),
            (99_950, "100k"),
            (187_420, "187k"),
            (999_499, "999k"),
            (999_500, "1M"),
            (1_250_000, "1.3M"),
        ];
        for (tokens, expected) in cases {
            assert_eq!(short(Tokens(tokens)), expected, "{tokens}");
        }
    }

    #[wasm_bindgen_test]
    fn shares_never_claim_nothing_for_something() {
        assert_eq!(percent(Tokens(0), Tokens(10)), "0 %");
        assert_eq!(percent(Tokens(1), Tokens(100_000)), "<0.1 %");
        assert_eq!(percent(Tokens(1), Tokens(8)), "12.5 %");
        assert_eq!(percent(Tokens(8), Tokens(8)), "100 %");
        assert_eq!(percent(Tokens(8), Tokens(0)), "0 %");
    }

    #[wasm_bindgen_test]
    fn groups_of_three() {
        assert_eq!(exact(Tokens(1_234_567)), "1\u{202f}234\u{202f}567 tokens");
        assert_eq!(counted(1, "line"), "1 line");
        assert_eq!(size(Bytes(774_477)), "774.5 kB");
        assert_eq!(size(Bytes(104_857_600)), "104.9 MB");
    }

    #[wasm_bindgen_test]
    fn lines_are_cut_at_characters() {
        assert_eq!(first_line("\n  Привет, мир \nи ещё", 6), "Привет…");
        assert_eq!(first_line("short", 6), "short");
    }
}
