//! Tasks that only read: exploring, the log, the tariff dump, a review.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::call::{Call, grep, list, read, read_from, todos, write};
use super::{Progress, hit, listed, needed, next_move, open};
use crate::sim::scene::Scene;

/// So many files are read at once.
const AT_ONCE: usize = 5;

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
    let how = match steps.as_slice() {
        [] => {
            "The README is no longer in my context, so I cannot repeat its steps word for word.".to_string()
        }
        steps => format!("A quote is computed like this:\n{}", steps.join("\n")),
    };
    let parts: Vec<String> = files.iter().map(|path| purpose(scene, path)).collect();
    Progress::Done(format!("{how}\n\nThe sources:\n{}\n\nI noted what you said for later.", parts.join("\n")))
}

/// A file with what it says of itself first, as far as it is still in view.
fn purpose(scene: &Scene, path: &str) -> String {
    let text = scene.result("read", path).unwrap_or_default();
    let comment = text.lines().find_map(|line| {
        let line = line.split_once('\t')?.1.trim();
        line.strip_prefix("/** ").or_else(|| line.strip_prefix("* "))
    });
    let words = comment.map_or("(no longer in my context)", |words| words.trim_end_matches("*/").trim());
    format!("- `{path}`: {words}")
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
    const REPORT: &str = "INCIDENT.md";
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
    let lines = found.lines().filter_map(hit).map(|(_, at, text)| format!("- line {at}: {text}\n"));
    let last = found.rsplit_once("the last: ").and_then(|(_, line)| hit(line.trim_end_matches(']')));
    let last = last.map(|(_, at, text)| format!("- line {at}: {text}\n"));
    let timeline: String = lines.chain(last).collect();
    if let Some(calls) =
        open(scene, alloc::vec![write(REPORT, &format!("# Slow quotes on 3 March\n\n{timeline}"))])
    {
        return next_move(
            "I write the timeline down before I read on.",
            "I write down what the log complains of.",
            calls,
        );
    }
    // From here on the report is the memory: the output of the search may be cleared at any time.
    let report = scene.written(REPORT).unwrap_or_default();
    let entries: Vec<(usize, &str)> = report.lines().filter_map(entry).collect();
    let (first, middle, last) = (entries.first(), entries.get(entries.len() / 2), entries.last());
    let around = [first, middle, last].into_iter().flatten();
    let parts: Vec<Call> = around.map(|(at, _)| read_from(&path, at.saturating_sub(12).max(1), 36)).collect();
    if let Some(calls) = open(scene, parts) {
        let thought = "I read the log around the first, a middle and the last complaint.";
        return next_move(thought, "Now the lines around them.", calls);
    }
    let causes = alloc::vec![read("src/cache.ts"), read("src/tariffs.ts"), grep("cacheSeconds", "config")];
    if let Some(calls) = open(scene, causes) {
        return next_move("The cache was reconfigured just before. What does the code do then?", "", calls);
    }
    let (Some((_, first)), Some((_, last))) = (first, last) else {
        return Progress::Done(format!(
            "I have read the log; {REPORT} has what I found, I no longer see it."
        ));
    };
    let slowest = slowest(scene, &path);
    Progress::Done(format!(
        "It began with this line:\n{first}\nand ended with this one:\n{last}\nA reload left out the cache's \
         life; `lifetime()` in src/cache.ts takes that for zero seconds, so every quote asked the tariff \
         service anew, and that answered 503. {REPORT} has the timeline. The prices are valid: each came \
         from the tariff service.\n\nThe slowest quotes that I have in view:\n{slowest}"
    ))
}

/// A line of the report: where in the log, and what it says.
fn entry(line: &str) -> Option<(usize, &str)> {
    let (at, text) = line.strip_prefix("- line ")?.split_once(": ")?;
    Some((at.parse().ok()?, text))
}

/// The slowest quotes among the lines of a log that are still in view.
fn slowest(scene: &Scene, path: &str) -> String {
    const SHOWN: usize = 20;
    let beginning = format!("read {path}");
    let parts = scene.steps.iter().filter(|step| step.label.starts_with(&beginning));
    let mut quotes: Vec<(u64, &str)> = parts
        .flat_map(|step| step.result.lines())
        .filter_map(|line| {
            let text = line.split_once('\t')?.1;
            let ms = text.split_once(" quote ")?.1.split_once("ms=")?.1.split(' ').next()?.parse().ok()?;
            Some((ms, text))
        })
        .collect();
    quotes.sort_unstable_by(|a, b| b.cmp(a));
    quotes.dedup();
    let lines: Vec<String> = quotes.iter().take(SHOWN).map(|(_, text)| format!("- {text}")).collect();
    if lines.is_empty() { "- none any more".to_string() } else { lines.join("\n") }
}

/// Reads every source and test, then names exported functions that no test mentions.
pub(super) fn review(scene: &Scene) -> Progress {
    const EXPORTS: &str = "export function|export async function";
    const REPORT: &str = "REVIEW.md";
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
    if scene.did("write", REPORT) && !scene.shows("grep", EXPORTS) {
        return Progress::Done(format!(
            "{REPORT} names every exported function and whether a test mentions it."
        ));
    }
    let exports =
        match needed(scene, grep(EXPORTS, "src"), "A list of the functions is safer than my memory.") {
            Ok(exports) => exports,
            Err(next) => return next,
        };
    let names: BTreeSet<&str> = exports.lines().filter_map(function).collect();
    if names.is_empty() {
        return Progress::Done("The list of functions is no longer in my context.".to_string());
    }
    let wanted: Vec<&str> = names.iter().copied().collect();
    let pattern = wanted.join("|");
    let tested = match needed(scene, grep(&pattern, "test"), "Which of them do the tests mention?") {
        Ok(tested) => tested,
        Err(next) => return next,
    };
    let bare: Vec<&str> = wanted.into_iter().filter(|name| !tested.contains(name)).collect();
    let rows = exports.lines().filter_map(hit).filter_map(|(path, line, text)| {
        let name = function(text)?;
        let state = if bare.contains(&name) { "no test mentions it" } else { "tested" };
        let head = text.trim().trim_end_matches('{').trim_end();
        Some(format!("- `{name}` ({path}:{line}): {state}\n  `{head}`\n"))
    });
    let report: String =
        core::iter::once("# Functions and their tests\n\n".to_string()).chain(rows).collect();
    if let Some(calls) = open(scene, alloc::vec![write(REPORT, &report), todos(&WORK, WORK.len())]) {
        return next_move("The list goes into a file.", "I write the list down.", calls);
    }
    let (all, bare) = (names.len(), bare.join(", "));
    Progress::Done(format!("Of {all} exported functions no test mentions: {bare}. {REPORT} lists all."))
}

/// The name of the function that a line declares.
fn function(line: &str) -> Option<&str> {
    line.split_once("function ")?.1.split(['(', '<']).next()
}
