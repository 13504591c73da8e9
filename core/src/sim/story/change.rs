//! Tasks that change files: failing tests, wrong docs, a setting in every config file.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::call::{Call, edit, grep, list, read, test, todos};
use super::{Progress, forbidden, hit, listed, needed, next_move, open};
use crate::sim::scene::Scene;

/// Sentences of the docs that are wrong once the code rounds half up, and what is right.
const WRONG: [(&str, &str); 3] = [
    ("总和向下取整", "总和四舍五入,半分进位"),
    ("сумма округляется вниз", "половина цента округляется вверх"),
    ("half a cent is rounded down", "half a cent is rounded up"),
];

/// Where the section about port fees ends on a page, and the head of its table there.
const FEE_SECTIONS: [(&str, &str); 2] = [
    ("危险品还须按运价表支付操作费。", "| 港口 | 名称 | 费用(欧元) |"),
    ("дополнительно оплачивается обработка по тарифу.", "| порт | название | сбор, EUR |"),
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
    if let Some(calls) = open(scene, tables(scene, &pages)) {
        let thought = "The English page has a table of the port fees; these pages lack it.";
        return next_move(thought, "I add the table of port fees where it is missing.", calls);
    }
    let changed = edited_paths(scene);
    let what = match changed.as_slice() {
        [] => "nothing had to be corrected".to_string(),
        changed => format!("I corrected {}", changed.join(" and ")),
    };
    let count = pages.len();
    Progress::Done(format!("I compared {count} pages with the code: {what}. What you forbade I leave alone."))
}

/// Edits that bring the English page's table of port fees to the pages without one, as far as all of them are
/// still in view.
fn tables(scene: &Scene, pages: &[String]) -> Vec<Call> {
    let page = |path: &str| -> Vec<&str> {
        let text = scene.result("read", path).unwrap_or_default();
        text.lines().filter_map(|line| line.split_once('\t').map(|(_, line)| line)).collect()
    };
    let is_fee =
        |line: &&str| line.get(2..7).is_some_and(|code| code.bytes().all(|b| b.is_ascii_uppercase()));
    let fees: Vec<&str> = page("docs/en/quotes.md").into_iter().filter(is_fee).collect();
    let lacking = pages.iter().filter_map(|path| {
        let lines = page(path);
        let missing = !fees.is_empty() && !lines.is_empty() && !lines.iter().any(is_fee);
        let anchor = FEE_SECTIONS
            .iter()
            .find_map(|(ending, head)| Some((*lines.iter().find(|line| line.ends_with(ending))?, *head)));
        let (line, head) = anchor.filter(|_| missing && !forbidden(scene, path))?;
        Some((path, line, format!("{line}\n\n{head}\n| --- | --- | ---: |\n{}", fees.join("\n"))))
    });
    lacking.map(|(path, old, new)| edit(path, old, &new)).collect()
}

fn correction(scene: &Scene, path: &str, text: &str) -> Option<Call> {
    let (wrong, right) = WRONG.iter().find(|(wrong, _)| text.contains(wrong))?;
    (!forbidden(scene, path)).then(|| edit(path, wrong, right))
}

/// Sets the rounding mode in each config file that it may touch, and runs the tests.
pub(super) fn configure(scene: &Scene) -> Progress {
    let found = match needed(scene, grep("roundingMode", "config"), "Where is the rounding mode set?") {
        Ok(found) => found,
        Err(next) => return next,
    };
    let hits = || found.lines().filter_map(hit);
    let down = hits().filter(|(_, _, text)| text.contains("\"down\"")).map(|(path, _, _)| path);
    let (left, mine): (Vec<&str>, Vec<&str>) = down.partition(|path| forbidden(scene, path));
    let edits =
        mine.iter().map(|path| edit(path, r#""roundingMode": "down""#, r#""roundingMode": "half-up""#));
    if let Some(calls) = open(scene, edits.collect()) {
        return next_move(&format!("I may change {}.", mine.join(" and ")), "I change what I may.", calls);
    }
    if !mine.is_empty() && !scene.did_since_edit("bash", "npm test") {
        return next_move("The instructions want the tests to run after a change.", "", alloc::vec![test()]);
    }
    let changed: Vec<&str> = hits().map(|(path, _, _)| path).filter(|path| !left.contains(path)).collect();
    let kept = match left.as_slice() {
        [] => String::new(),
        left => format!(" I left {} alone, since you told me never to touch it.", left.join(" and ")),
    };
    Progress::Done(format!("The rounding mode is half-up in {}.{kept}", changed.join(" and ")))
}

/// Files that this turn has changed.
fn edited_paths(scene: &Scene) -> Vec<String> {
    let edits = scene.steps.iter().filter(|step| !step.failed);
    let labels = edits.filter_map(|step| step.label.strip_prefix("edit "));
    let mut paths: Vec<String> =
        labels.filter_map(|rest| rest.split(' ').next()).map(ToString::to_string).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
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
