//! Tasks that only read: exploring, the log, the tariff dump, a review.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::call::{Call, grep, list, read, read_from, todos};
use super::{Progress, hit, listed, next_move, open};
use crate::sim::scene::Scene;

/// So many files are read at once.
const AT_ONCE: usize = 4;

/// Reads the README, then every source that it names, and repeats how a quote is made.
pub(super) fn explore(scene: &Scene) -> Progress {
    if let Some(calls) = open(scene, alloc::vec![list("")]) {
        return next_move("A new project. First I need its files.", "I start with the list of files.", calls);
    }
    if let Some(calls) = open(scene, alloc::vec![read("README.md"), read("package.json")]) {
        return next_move("The README should say how the parts fit together.", "", calls);
    }
    let files = scene.result("list", "").map(|result| listed(result, "src/", ".ts")).unwrap_or_default();
    if let Some(calls) = batch(scene, &files) {
        return next_move("I follow the sources one group after another.", "Now the sources.", calls);
    }
    let steps: Vec<&str> = scene
        .result("read", "README.md")
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.split_once('\t').map(|(_, text)| text.trim()))
        .filter(|line| line.chars().next().is_some_and(|c| c.is_ascii_digit()))
        .collect();
    if steps.is_empty() {
        return Progress::Done(format!(
            "I have read {} files. The README is no longer in my context, so I cannot repeat its steps word for word.",
            files.len()
        ));
    }
    Progress::Done(format!(
        "A quote is computed like this:\n{}\nI noted what you said for later.",
        steps.join("\n")
    ))
}

/// The next files that were not read yet.
fn batch(scene: &Scene, files: &[String]) -> Option<Vec<Call>> {
    let mut calls = open(scene, files.iter().map(|path| read(path)).collect())?;
    calls.truncate(AT_ONCE);
    Some(calls)
}

/// Finds where the log begins to complain, reads around it, and looks for the cause in the code.
pub(super) fn logs(scene: &Scene) -> Progress {
    const COMPLAINTS: &str = "WARN|ERROR|reconfigured";
    if let Some(calls) = open(scene, alloc::vec![list("logs")]) {
        return next_move("Which logs are there?", "", calls);
    }
    let Some(path) = scene.result("list", "logs").and_then(|result| listed(result, "logs/", ".log").pop())
    else {
        return Progress::Done("I no longer see which log files there are; please ask again.".to_string());
    };
    if let Some(calls) = open(scene, alloc::vec![grep(COMPLAINTS, &path)]) {
        return next_move(
            "The log is long. Warnings and errors first, and changes of the configuration.",
            "",
            calls,
        );
    }
    let found = scene.result("grep", COMPLAINTS).unwrap_or_default();
    let hits: Vec<(&str, usize, &str)> = found.lines().filter_map(hit).collect();
    let last = found.rsplit_once("the last: ").and_then(|(_, line)| hit(line));
    let (first, last) = (hits.first().copied(), last.or_else(|| hits.last().copied()));
    let around = [first, last].into_iter().flatten();
    let parts: Vec<Call> =
        around.map(|(_, at, _)| read_from(&path, at.saturating_sub(40).max(1), 120)).collect();
    // Where the complaints were cleared away, what was read around them is all there is.
    if let Some(calls) = open(scene, parts) {
        return next_move(
            "I read the log around the first and the last complaint.",
            "Now the lines around them.",
            calls,
        );
    }
    let causes = alloc::vec![read("src/cache.ts"), read("src/tariffs.ts"), grep("cacheSeconds", "config")];
    if let Some(calls) = open(scene, causes) {
        return next_move("The cache was reconfigured just before. What does the code do then?", "", calls);
    }
    let Some((_, _, first)) = first else {
        return Progress::Done(
            "I have read the log, but what I found in it is no longer in my context.".to_string(),
        );
    };
    let count =
        found.rsplit_once(" more of ").and_then(|(_, rest)| rest.split(' ').next()).unwrap_or("a few");
    let end = last.map_or("", |(_, _, text)| text);
    Progress::Done(format!(
        "It began with this line:\n{first}\nand ended with this one:\n{end}\nBetween them the log has {count} warnings, \
         errors and reloads. A reload left out the cache's life; `lifetime()` in src/cache.ts takes that for zero seconds, \
         so every quote asked the tariff service anew, and that answered 503."
    ))
}

/// Reads the dump to its end and compares its lanes with all pairs of zones.
pub(super) fn dump(scene: &Scene) -> Progress {
    const DUMP: &str = "data/tariffs.json";
    const LANES: &str = "\"lane\":";
    if let Some(calls) = open(scene, alloc::vec![read(DUMP), read("src/zones.ts")]) {
        return next_move("Both sides are needed: the dump and the zones.", "I read both.", calls);
    }
    let rest = scene.newest(&format!("read {DUMP}")).and_then(|step| {
        let (_, rest) = step.result.rsplit_once("go on at line ")?;
        rest.split(']').next()?.parse::<usize>().ok()
    });
    if let Some(calls) = rest.and_then(|line| open(scene, alloc::vec![read_from(DUMP, line, 400)])) {
        return next_move("The dump goes on.", "", calls);
    }
    if let Some(calls) = open(scene, alloc::vec![grep(LANES, DUMP), grep("zone: \"", "src/zones.ts")]) {
        return next_move("Now only the names, to compare them.", "", calls);
    }
    let quoted = |text: &str, before: &str| -> BTreeSet<String> {
        let values = text
            .lines()
            .filter_map(|line| line.rsplit_once(before)?.1.split('"').next().map(ToString::to_string));
        values.collect()
    };
    let lanes = quoted(scene.result("grep", LANES).unwrap_or_default(), "\"lane\": \"");
    let zones = quoted(scene.result("grep", "zone: \"").unwrap_or_default(), "zone: \"");
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

/// Reads every source and test, then names exported functions that no test mentions.
pub(super) fn review(scene: &Scene) -> Progress {
    const EXPORTS: &str = "export function|export async function";
    const WORK: [&str; 3] = ["Read all sources", "Read the tests", "Name what no test covers"];
    if let Some(calls) = open(scene, alloc::vec![list(""), todos(&WORK, 0)]) {
        return next_move("All sources, then the tests.", "I go through all sources once more.", calls);
    }
    let listing = scene.result("list", "").unwrap_or_default();
    let mut files = listed(listing, "src/", ".ts");
    files.extend(listed(listing, "test/", ".ts"));
    if let Some(calls) = batch(scene, &files) {
        return next_move("On to the next files.", "", calls);
    }
    if let Some(calls) = open(scene, alloc::vec![grep(EXPORTS, "src")]) {
        return next_move("A list of the exported functions is safer than my memory.", "", calls);
    }
    let names: BTreeSet<&str> = scene
        .result("grep", EXPORTS)
        .unwrap_or_default()
        .lines()
        .filter_map(|line| line.split_once("function ")?.1.split(['(', '<']).next())
        .collect();
    if names.is_empty() {
        return Progress::Done("The list of functions is no longer in my context.".to_string());
    }
    let wanted: Vec<&str> = names.iter().copied().collect();
    let pattern = wanted.join("|");
    if let Some(calls) = open(scene, alloc::vec![grep(&pattern, "test")]) {
        return next_move("Which of them do the tests mention?", "", calls);
    }
    let tested = scene.result("grep", &pattern).unwrap_or_default();
    let bare: Vec<&str> = wanted.into_iter().filter(|name| !tested.contains(name)).collect();
    Progress::Done(format!("Of {} exported functions no test mentions: {}.", names.len(), bare.join(", ")))
}
