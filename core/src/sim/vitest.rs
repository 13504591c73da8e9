//! `npm test`: the two test files of the project, evaluated on the sources as they stand.
//!
//! ```text
//!  src/money.ts ─ which Math function rounds? ─┐
//!  src/quote.ts ─ surcharge, weights ──────────┼─▶ expected against got ─▶ ✓ / FAIL with place and numbers
//!  test/*.ts ─ the tables of cases ────────────┘
//! ```
//!
//! The numbers are computed from constants read out of the files, so an edit that changes them changes the
//! outcome.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

type Files = BTreeMap<String, String>;

/// One case: its name, where it stands, and what went wrong.
struct Case {
    file: &'static str,
    name: String,
    line: usize,
    wrong: Option<(u64, u64)>,
}

/// Runs all tests; an error is a run with failures.
pub(super) fn run(files: &Files) -> Result<String, String> {
    let mut cases = rounding_cases(files);
    cases.extend(quote_cases(files));
    let failed = cases.iter().filter(|case| case.wrong.is_some()).count();
    let mut out = String::from(
        "\n> kestrel-freight@3.8.2 test\n> vitest run\n\n RUN  v3.0.5 /work/kestrel-freight\n\n",
    );
    for case in &cases {
        let _ =
            writeln!(out, " {} {} > {}", if case.wrong.is_some() { "×" } else { "✓" }, case.file, case.name);
        if case.file.ends_with("quote.test.ts") {
            let _ = writeln!(
                out,
                "stdout | {} > {}\n  {{\"level\":20,\"time\":1772442000000,\"route\":\"BALT-NORD\",\"ms\":0,\"attempt\":1,\"msg\":\"tariff fetched\"}}",
                case.file, case.name
            );
        }
    }
    for case in cases.iter().filter(|case| case.wrong.is_some()) {
        out.push_str(&failure(files, case));
    }
    let passed = cases.len() - failed;
    let _ = write!(out, "\n Tests  {failed} failed | {passed} passed ({})\n", cases.len());
    if failed == 0 { Ok(out) } else { Err(out) }
}

/// How a failed case is shown: names, numbers, the lines around the place in the test, and the place in the
/// source.
fn failure(files: &Files, case: &Case) -> String {
    let (expected, got) = case.wrong.unwrap_or_default();
    let mut out = format!(
        "\n FAIL  {} > {}\nAssertionError: expected {got} to be {expected}\n\n",
        case.file, case.name
    );
    let _ =
        writeln!(out, "- Expected\n+ Received\n\n- {expected}\n+ {got}\n\n ❯ {}:{}:7", case.file, case.line);
    let text = files.get(case.file).map_or("", String::as_str);
    for (at, line) in text.lines().enumerate().skip(case.line.saturating_sub(3)).take(5) {
        let _ = writeln!(out, "    {:>3}| {line}", at + 1);
    }
    let (source, line) = rounding_line(files).map_or(("src/money.ts", 1), |(line, _)| ("src/money.ts", line));
    let _ = writeln!(out, " ❯ roundCents {source}:{line}:16");
    out
}

/// The line of `src/money.ts` that rounds, and its function.
fn rounding_line(files: &Files) -> Option<(usize, String)> {
    let text = files.get("src/money.ts")?;
    let body = text.lines().enumerate().skip_while(|(_, line)| !line.contains("function roundCents"));
    let (at, line) = body.take(6).find(|(_, line)| line.contains("Math."))?;
    let name = line.split_once("Math.")?.1.split('(').next()?;
    Some((at + 1, name.to_string()))
}

/// Tenths of a cent, given in thousandths of themselves, as whole cents by the source's own rounding.
fn round_cents(files: &Files, thousandths: u64) -> Option<u64> {
    match rounding_line(files)?.1.as_str() {
        "floor" | "trunc" => Some(thousandths / 10_000),
        "round" => Some((thousandths + 5_000) / 10_000),
        "ceil" => Some(thousandths.div_ceil(10_000)),
        _ => None,
    }
}

/// The table `[amount, expected],` of the rounding test.
fn rounding_cases(files: &Files) -> Vec<Case> {
    let text = files.get("test/money.test.ts").map_or("", String::as_str);
    let rows = text.lines().enumerate().filter_map(|(at, line)| {
        let row = line.trim().strip_prefix('[')?.strip_suffix("],")?;
        let (amount, expected) = row.split_once(", ")?;
        Some((at + 1, amount.parse::<u64>().ok()?, expected.parse::<u64>().ok()?))
    });
    rows.map(|(line, amount, expected)| {
        let got = round_cents(files, amount * 1_000).unwrap_or(u64::MAX);
        Case {
            file: "test/money.test.ts",
            name: format!("roundCents > {amount} mills are {expected} cents, half up"),
            line,
            wrong: (got != expected).then_some((expected, got)),
        }
    })
    .collect()
}

/// A number behind `name = ` in a source.
fn constant(files: &Files, path: &str, name: &str) -> Option<u64> {
    let text = files.get(path)?;
    let (_, rest) = text.split_once(&format!("const {name} = "))?;
    rest.split(';').next()?.replace('_', "").parse().ok()
}

/// The fee of a port, from the table of ports.
fn port_fee(files: &Files, code: &str) -> Option<u64> {
    let line = files.get("src/zones.ts")?.lines().find(|line| line.contains(&format!("\"{code}\"")))?;
    line.split_once("fee: ")?.1.split(' ').next()?.replace('_', "").parse().ok()
}

/// The sums of the quote test: weight, dangerous goods, and where the expected total stands in the file.
fn quote_cases(files: &Files) -> Vec<Case> {
    let text = files.get("test/quote.test.ts").map_or("", String::as_str);
    let cases = [
        ("rounds the sum once, half up", 813, 0),
        ("rounds a half up", 840, 0),
        ("adds the handling of dangerous goods", 813, 45_000),
    ];
    let total = |weight: u64, handling: u64| {
        let charged = weight.max(constant(files, "src/quote.ts", "MINIMUM_WEIGHT")?);
        let freight = charged * 37;
        let surcharge = freight * constant(files, "src/quote.ts", "FUEL_SURCHARGE")?;
        let fees = port_fee(files, "SEGOT")? + port_fee(files, "LVRIX")? + handling;
        round_cents(files, (freight + fees) * 1_000 + surcharge)
    };
    cases
        .iter()
        .filter_map(|&(name, weight, handling)| {
            let (start, _) =
                text.lines().enumerate().find(|(_, line)| line.contains(&format!("\"{name}\"")))?;
            let (line, check) =
                text.lines().enumerate().skip(start).find(|(_, line)| line.contains(".total).toBe("))?;
            let expected = check.split_once("toBe(")?.1.split(')').next()?.parse().ok()?;
            let got = total(weight, handling).unwrap_or(u64::MAX);
            Some(Case {
                file: "test/quote.test.ts",
                name: format!("quote > {name}"),
                line: line + 1,
                wrong: (got != expected).then_some((expected, got)),
            })
        })
        .collect()
}
