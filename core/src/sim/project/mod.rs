//! A small project for the simulated model to work on: a freight-quote service with one bug, docs in three
//! languages that repeat it, and a bad afternoon in its log.
//!
//! ```text
//!  files/*   written by hand ─ generated::filled (tables) ─┐
//!  generated::{tariffs, log} ──────────────────────────────┴─▶ files() ─▶ path → text
//! ```

mod generated;

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};

/// Every file by its path, as it stands before anything was changed.
pub(super) fn files() -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> =
        WRITTEN.iter().map(|(path, text)| ((*path).to_string(), generated::filled(path, text))).collect();
    files.insert("data/tariffs.json".into(), generated::tariffs());
    files.insert("logs/2026-03-03.log".into(), generated::log());
    files
}

#[rustfmt::skip]
const WRITTEN: [(&str, &str); 24] = [
    ("README.md", include_str!("files/README.md")),
    ("package.json", include_str!("files/package.json")),
    ("config/dev.json", include_str!("files/dev.json")),
    ("config/prod.json", include_str!("files/prod.json")),
    ("config/staging.json", include_str!("files/staging.json")),
    ("docs/en/quotes.md", include_str!("files/quotes.en.md")),
    ("docs/ru/quotes.md", include_str!("files/quotes.ru.md")),
    ("docs/zh/quotes.md", include_str!("files/quotes.zh.md")),
    ("src/cache.ts", include_str!("files/cache.ts")),
    ("src/config.ts", include_str!("files/config.ts")),
    ("src/contracts.ts", include_str!("files/contracts.ts")),
    ("src/distances.ts", include_str!("files/distances.ts")),
    ("src/holidays.ts", include_str!("files/holidays.ts")),
    ("src/invoice.ts", include_str!("files/invoice.ts")),
    ("src/log.ts", include_str!("files/log.ts")),
    ("src/money.ts", include_str!("files/money.ts")),
    ("src/quote.ts", include_str!("files/quote.ts")),
    ("src/schedule.ts", include_str!("files/schedule.ts")),
    ("src/server.ts", include_str!("files/server.ts")),
    ("src/tariffs.ts", include_str!("files/tariffs.ts")),
    ("src/zones.ts", include_str!("files/zones.ts")),
    ("test/money.test.ts", include_str!("files/money.test.ts")),
    ("test/quote.test.ts", include_str!("files/quote.test.ts")),
    ("AGENTS.md", super::INSTRUCTIONS),
];
