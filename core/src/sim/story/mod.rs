//! What the simulated model does next, from what it sees.
//!
//! ```text
//!  prompt ─ words in it ─▶ tasks: explore, mend, docs, logs, dump, configure, review, recall
//!  each task: Scene ─▶ Next(move)   something is still to be looked at or changed
//!                    └▶ Done(words)  nothing is; what was found
//! ```
//!
//! A task is a pure function of the scene and is asked anew at every call. It has no memory but the request.

mod call;
mod change;
mod dump;
mod look;
mod recall;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

pub(super) use self::call::Call;
use super::scene::Scene;
use crate::message::{RawJson, ToolCall};

/// What to say and which tools to call; without calls the turn ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Move {
    /// What the model thinks.
    pub(super) thought: String,
    /// What it says; may be empty beside calls.
    pub(super) words: String,
    /// What it calls, all at once.
    pub(super) calls: Vec<Call>,
}

/// How far a task is.
enum Progress {
    /// The next step.
    Next(Move),
    /// Nothing is left to do; what there is to say.
    Done(String),
}

type Task = fn(&Scene) -> Progress;

/// The next move for a scene.
pub(super) fn next(scene: &Scene) -> Move {
    let tasks = tasks(&scene.prompt);
    let mut findings = Vec::new();
    for task in &tasks {
        match task(scene) {
            Progress::Next(next) => return next,
            Progress::Done(words) => findings.push(words),
        }
    }
    let words = if tasks.is_empty() { unknown() } else { findings.join("\n\n") };
    let steps = scene.steps.len();
    Move {
        thought: format!("Nothing is left to do for this request; {steps} steps of it are in view."),
        words,
        calls: Vec::new(),
    }
}

/// The call that runs the project's tests.
pub(super) fn run_tests() -> ToolCall {
    let call = call::test();
    ToolCall::new("", call.tool, &RawJson::written(call.input))
}

/// The tasks that a prompt asks for, in the order in which they are done.
fn tasks(prompt: &str) -> Vec<Task> {
    // What is quoted or pasted below the first paragraph is material, not a wish.
    let prompt = prompt.split("\n\n").next().unwrap_or(prompt).to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| prompt.contains(word));
    let all = |words: &[&str]| words.iter().all(|word| prompt.contains(word));
    let mut tasks: Vec<Task> = Vec::new();
    if has(&["explore", "explain", "overview"]) {
        tasks.push(look::explore);
    }
    if prompt.contains("test") && has(&["fail", "fix", "broken", "red"]) {
        tasks.push(change::mend);
    }
    if has(&["docs", "documentation"]) {
        tasks.push(change::docs);
    }
    if has(&["the log", "logs"]) {
        tasks.push(look::logs);
    }
    if has(&["tariff dump", "tariffs.json", "missing lane"]) {
        tasks.push(dump::dump);
    }
    if has(&["review"]) {
        tasks.push(look::review);
    }
    if all(&["rounding mode", "config"]) {
        tasks.push(change::configure);
    }
    if tasks.is_empty() && (prompt.contains('?') || has(&["remember", "recall"])) {
        tasks.push(recall::recall);
    }
    tasks
}

fn unknown() -> String {
    "I am simulated and follow rules, so I can only do what they know: explore the project, mend its \
     failing tests, check its docs, look at its logs, compare the tariff dump with the zones, review the \
     sources, set the rounding mode of the config files, and answer questions about what was said here."
        .to_string()
}

/// The calls of this list that were not made yet, or nothing.
fn open(scene: &Scene, calls: Vec<Call>) -> Option<Vec<Call>> {
    let open: Vec<Call> = calls.into_iter().filter(|call| !scene.did(call.tool, &call.target)).collect();
    (!open.is_empty()).then_some(open)
}

/// The result of a call: at once when it is in view, empty when it was cleared there. A call that is not in
/// view at all is made, also when a summary says that it was made before: its result is needed now.
fn needed<'a>(scene: &'a Scene, call: Call, thought: &str) -> Result<&'a str, Progress> {
    if scene.shows(call.tool, &call.target) {
        return Ok(scene.result(call.tool, &call.target).unwrap_or_default());
    }
    Err(next_move(thought, "", alloc::vec![call]))
}

fn next_move(thought: &str, words: &str, calls: Vec<Call>) -> Progress {
    Progress::Next(Move { thought: thought.to_string(), words: words.to_string(), calls })
}

/// Files of a `list` result that begin with `folder` and end with `suffix`.
fn listed(result: &str, folder: &str, suffix: &str) -> Vec<String> {
    let paths = result.lines().filter_map(|line| line.rsplit_once("  ").map(|(_, path)| path.trim()));
    paths.filter(|path| path.starts_with(folder) && path.ends_with(suffix)).map(ToString::to_string).collect()
}

/// A `path:line:text` line of `grep`.
fn hit(line: &str) -> Option<(&str, usize, &str)> {
    let (path, rest) = line.split_once(':')?;
    let (at, text) = rest.split_once(':')?;
    Some((path, at.parse().ok()?, text))
}

/// True when a person, as far as the model can still see, forbade to touch this path.
fn forbidden(scene: &Scene, path: &str) -> bool {
    scene.sentences().any(|sentence| sentence.contains(path) && forbids(sentence))
}

/// True for words that forbid something.
pub(super) fn forbids(words: &str) -> bool {
    const WORDS: [&str; 7] = ["never", "do not", "don't", "must not", "не трогай", "никогда", "不要"];
    let words = words.to_lowercase();
    WORDS.iter().any(|word| words.contains(word))
}
