//! The tariff dump: turned into a table part by part, and compared with the zones.
//!
//! ```text
//!  read lines 1 to 150 ─▶ write rows ─▶ read on ─▶ add rows ─▶ … ─▶ names of both sides ─▶ what is missing
//! ```

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::call::{edit, grep, read, read_from, write};
use super::{Progress, needed, next_move, open};
use crate::sim::scene::Scene;

const DUMP: &str = "data/tariffs.json";
const TABLE: &str = "TARIFFS.md";
/// So many lines are read at once.
const PART: usize = 150;

/// Reads the dump to its end, each part into the table before the next one, then compares lanes and zones.
pub(super) fn dump(scene: &Scene) -> Progress {
    const LANES: &str = "\"lane\":";
    const THOUGHT: &str = "Now only the names of both sides, to compare them.";
    if let Some(calls) = open(scene, alloc::vec![read(DUMP), read("src/zones.ts")]) {
        return next_move("Both sides are needed: the dump and the zones.", "I read both.", calls);
    }
    if let Some(next) = next_part(scene) {
        return next;
    }
    let names = grep(LANES, DUMP);
    let zones = grep("zone: \"", "src/zones.ts");
    let (lanes, zones) = match (needed(scene, names, THOUGHT), needed(scene, zones, THOUGHT)) {
        (Ok(lanes), Ok(zones)) => (lanes, zones),
        (Err(Progress::Next(mut both)), Err(Progress::Next(zones))) => {
            both.calls.extend(zones.calls);
            return Progress::Next(both);
        }
        (Err(next), _) | (_, Err(next)) => return next,
    };
    let quoted = |text: &str, before: &str| -> BTreeSet<String> {
        let values = text
            .lines()
            .filter_map(|line| line.rsplit_once(before)?.1.split('"').next().map(ToString::to_string));
        values.collect()
    };
    let (lanes, zones) = (quoted(lanes, "\"lane\": \""), quoted(zones, "zone: \""));
    if lanes.is_empty() || zones.is_empty() {
        return Progress::Done(
            "The names I had collected are no longer in my context; please ask again.".to_string(),
        );
    }
    let pairs = zones
        .iter()
        .flat_map(|from| zones.iter().filter(move |to| from <= to).map(move |to| format!("{from}-{to}")));
    let missing: Vec<String> = pairs.filter(|lane| !lanes.contains(lane)).collect();
    Progress::Done(match missing.as_slice() {
        [] => format!("All lanes between the {} zones are in the dump.", zones.len()),
        missing => format!(
            "The dump has {} lanes. Missing between the {} zones: {}.",
            lanes.len(),
            zones.len(),
            missing.join(", ")
        ),
    })
}

/// Writes down the part that was read last, or reads the next one; nothing when the dump is at its end, or
/// when that part is no longer in view.
fn next_part(scene: &Scene) -> Option<Progress> {
    let part = scene.newest(&format!("read {DUMP}"))?;
    let from = part.label.rsplit_once("from line ").map_or("1", |(_, line)| line);
    let next = part.result.rsplit_once("go on at line ").and_then(|(_, rest)| rest.split(']').next());
    let next = next.and_then(|line| line.parse::<usize>().ok());
    let end = next.map(mark).unwrap_or_default();
    let rows = rows(&part.result);
    let head = "# Tariffs\n\n| lane | from | price | revision | by |\n| --- | --- | ---: | ---: | --- |\n";
    let call = match from.parse() {
        Ok(1) | Err(_) => write(TABLE, &format!("{head}{rows}{end}")),
        Ok(line) => edit(TABLE, &mark(line), &format!("{rows}{end}")),
    };
    if let Some(calls) = open(scene, alloc::vec![call]) {
        return Some(next_move("This part goes into the table before I read on.", "", calls));
    }
    let calls = open(scene, alloc::vec![read_from(DUMP, next?, PART)])?;
    Some(next_move("The dump goes on.", "", calls))
}

/// Where the next part of the table goes.
fn mark(line: usize) -> String {
    format!("<!-- line {line} goes on here -->")
}

/// One row for each older price in a part of the dump.
fn rows(part: &str) -> String {
    let mut lane = "as above";
    let mut out = String::new();
    for line in part.lines() {
        let member = |name: &str| {
            let (_, rest) = line.split_once(&format!("\"{name}\": "))?;
            rest.split([',', ' ', '}']).next().map(|value| value.trim_matches('"'))
        };
        lane = member("lane").unwrap_or(lane);
        let (Some(from), Some(price)) = (member("from"), member("perKilogram")) else { continue };
        let (revision, by) = (member("revision").unwrap_or("?"), member("by").unwrap_or("?"));
        let _ = writeln!(out, "| {lane} | {from} | {price} | {revision} | {by} |");
    }
    out
}
