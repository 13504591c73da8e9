//! Tasks that change files: failing tests, wrong docs, a setting in every config file.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::call::{Call, edit, grep, list, read, test, todos};
use super::{Progress, forbidden, hit, listed, next_move, open};
use crate::sim::scene::Scene;

/// Sentences of the docs that are wrong once the code rounds half up, and what is right.
const WRONG: [(&str, &str); 3] = [
    ("总和向下取整", "总和四舍五入,半分进位"),
    ("сумма округляется вниз", "половина цента округляется вверх"),
    ("half a cent is rounded down", "half a cent is rounded up"),
];

/// Runs the tests, reads the place where they fail, mends the rounding there, and runs them again.
pub(super) fn mend(scene: &Scene) -> Progress {
    const WORK: [&str; 3] = ["Run the tests", "Find and mend the cause", "Run the tests again"];
    if let Some(calls) = open(scene, alloc::vec![todos(&WORK, 0), test()]) {
        return next_move("First I want to see them fail.", "I run the tests.", calls);
    }
    let Some(run) = scene.newest("bash npm test") else {
        // The output is gone: only a new run can tell.
        return next_move(
            "I no longer see the output of the tests.",
            "I run the tests again.",
            alloc::vec![test()],
        );
    };
    let edited = scene.steps.iter().any(|step| step.tool == "edit");
    if !run.failed {
        let how = if edited { "All tests pass now" } else { "All tests pass, there is nothing to mend" };
        return Progress::Done(format!(
            "{how}: {}. The rounding goes half up, as the README says.",
            counts(&run.result)
        ));
    }
    let Some((source, line)) = place(&run.result) else {
        return Progress::Done("The tests fail, but their output names no place in the sources.".to_string());
    };
    let mut files = alloc::vec![read(&source)];
    files.extend(failing_file(&run.result).map(|path| read(&path)));
    if let Some(calls) = open(scene, files) {
        return next_move("The output names the place. I read it, and the test beside it.", "", calls);
    }
    if edited && !scene.did_since_edit("bash", "npm test") {
        return next_move("Now the tests must show whether that was it.", "", alloc::vec![test()]);
    }
    let code = scene.result("read", &source).and_then(|text| numbered(text, line)).unwrap_or_default();
    let function = code.split_once("Math.").and_then(|(_, rest)| rest.split('(').next()).unwrap_or_default();
    if edited || function.is_empty() || function == "round" || forbidden(scene, &source) {
        return Progress::Done(format!(
            "The tests still fail at {source}:{line}: {}. I found no way to mend it.",
            counts(&run.result)
        ));
    }
    let (old, new) = (format!("Math.{function}("), "Math.round(".to_string());
    let call = edit(&source, &code, &code.replace(&old, &new));
    let thought = format!("Half a cent is to go up, but the line says {old}: {code}");
    next_move(
        &thought,
        &format!("{source} rounds with Math.{function}; half up is Math.round."),
        alloc::vec![call],
    )
}

/// Checks the docs against the code's rounding and corrects the pages that say otherwise.
pub(super) fn docs(scene: &Scene) -> Progress {
    if let Some(calls) = open(scene, alloc::vec![list("docs"), read("src/money.ts")]) {
        return next_move("What the code does, and which pages there are.", "", calls);
    }
    let pages = scene.result("list", "docs").map(|result| listed(result, "docs/", ".md")).unwrap_or_default();
    if let Some(calls) = open(scene, pages.iter().map(|path| read(path)).collect()) {
        return next_move("The same page in three languages.", "I read all three.", calls);
    }
    if scene.result("read", "src/money.ts").is_some_and(|code| code.contains("Math.floor(amount")) {
        return Progress::Done(
            "The code itself rounds down, against the README. Mend the tests first.".to_string(),
        );
    }
    let phrases: Vec<&str> = WRONG.iter().map(|(wrong, _)| *wrong).collect();
    let pattern = phrases.join("|");
    if let Some(calls) = open(scene, alloc::vec![grep(&pattern, "docs")]) {
        return next_move("Pages that still say that sums are rounded down:", "", calls);
    }
    let found = scene.result("grep", &pattern).unwrap_or_default();
    let edits: Vec<Call> =
        found.lines().filter_map(hit).filter_map(|(path, _, text)| correction(scene, path, text)).collect();
    let count = edits.len();
    if let Some(calls) = open(scene, edits) {
        return next_move(
            "The English page leads; the others follow.",
            "I correct what contradicts the code.",
            calls,
        );
    }
    if count > 0 && !scene.did_since_edit("grep", &pattern) {
        return next_move("Is any of them left?", "", alloc::vec![grep(&pattern, "docs")]);
    }
    let changed = edited_paths(scene);
    let what = if changed.is_empty() {
        "nothing had to be corrected".to_string()
    } else {
        format!("I corrected {}", changed.join(" and "))
    };
    Progress::Done(format!(
        "I compared {} pages with the code: {what}. What you forbade I leave alone.",
        pages.len()
    ))
}

fn correction(scene: &Scene, path: &str, text: &str) -> Option<Call> {
    let (wrong, right) = WRONG.iter().find(|(wrong, _)| text.contains(wrong))?;
    (!forbidden(scene, path)).then(|| edit(path, wrong, right))
}

/// Sets the rounding mode in each config file that it may touch, and runs the tests.
pub(super) fn configure(scene: &Scene) -> Progress {
    if let Some(calls) = open(scene, alloc::vec![grep("roundingMode", "config")]) {
        return next_move("Where is the rounding mode set?", "Now the config files.", calls);
    }
    let found = scene.result("grep", "roundingMode").unwrap_or_default();
    let down: Vec<&str> = found
        .lines()
        .filter_map(hit)
        .filter(|(_, _, text)| text.contains("\"down\""))
        .map(|(path, _, _)| path)
        .collect();
    let (left, mine): (Vec<&str>, Vec<&str>) = down.into_iter().partition(|path| forbidden(scene, path));
    let edits = mine
        .iter()
        .map(|path| edit(path, r#""roundingMode": "down""#, r#""roundingMode": "half-up""#))
        .collect();
    if let Some(calls) = open(scene, edits) {
        return next_move(&format!("I may change {}.", mine.join(" and ")), "", calls);
    }
    if !scene.did_since_edit("bash", "npm test") && !mine.is_empty() {
        return next_move("The instructions want the tests to run after a change.", "", alloc::vec![test()]);
    }
    let kept = if left.is_empty() {
        String::new()
    } else {
        format!(" I left {} alone, since you told me never to touch it.", left.join(" and "))
    };
    Progress::Done(format!("The rounding mode is half-up in {}.{kept}", edited_paths(scene).join(" and ")))
}

/// Files that this turn has changed.
fn edited_paths(scene: &Scene) -> Vec<String> {
    let edits = scene.steps.iter().filter(|step| !step.failed);
    edits.filter_map(|step| step.label.strip_prefix("edit ")).map(ToString::to_string).collect()
}

/// The source and line that a failing run names below its assertion.
fn place(output: &str) -> Option<(String, usize)> {
    let line = output.lines().find(|line| line.contains("❯") && line.contains("src/"))?;
    let place = line.split_whitespace().find(|word| word.starts_with("src/"))?;
    let mut parts = place.split(':');
    Some((parts.next()?.to_string(), parts.next()?.parse().ok()?))
}

/// The test file of the first failure.
fn failing_file(output: &str) -> Option<String> {
    let line = output.lines().find_map(|line| line.trim().strip_prefix("FAIL  "))?;
    line.split(" > ").next().map(ToString::to_string)
}

/// The summary line of a run.
fn counts(output: &str) -> &str {
    output.lines().map(str::trim).find_map(|line| line.strip_prefix("Tests  ")).unwrap_or("no counts")
}

/// A line's text from a numbered listing.
fn numbered(text: &str, wanted: usize) -> Option<String> {
    let lines = text.lines().filter_map(|line| line.split_once('\t'));
    let found =
        lines.filter(|(number, _)| number.trim().parse() == Ok(wanted)).map(|(_, line)| line.trim()).next();
    found.map(ToString::to_string)
}
