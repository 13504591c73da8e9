//! What failed, and what was done after it that worked.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::files::Touch;
use super::form::Entry;
use super::{files, shell};
use crate::message::{Exchange, ExchangeState, ToolCall, text};
use crate::request::defuse;

/// Characters of a call or of an error's line that are shown.
const SHOWN: usize = 120;

/// Stands between an error and what followed.
const THEN: &str = " → then: ";

#[derive(Debug)]
struct Failure {
    text: String,
    then: Option<String>,
}

/// The failures of a session.
#[derive(Debug, Default)]
pub(super) struct Errors {
    failures: Vec<Failure>,
    /// Failures that nothing has followed yet, by the file or program they are about.
    open: BTreeMap<String, Vec<usize>>,
    /// The place of each failure by its text, so that the same one is told once.
    seen: BTreeMap<String, usize>,
}

impl Errors {
    /// Notes an answered call: a failure, or what follows one on the same file or program.
    pub(super) fn call(&mut self, exchange: &Exchange) {
        let ExchangeState::Complete(result) = &exchange.state else { return };
        let key = subject(&exchange.call);
        if !result.is_error {
            for at in self.open.remove(&key).unwrap_or_default() {
                if let Some(failure) = self.failures.get_mut(at) {
                    failure.then = Some(short(&exchange.call));
                }
            }
            return;
        }
        let Some(line) = first_line(&result.words()) else { return };
        let at = self.note(format!("{}: {line}", short(&exchange.call)), None);
        self.open.entry(key).or_default().push(at);
    }

    fn note(&mut self, text: String, then: Option<String>) -> usize {
        if let Some(&at) = self.seen.get(&text) {
            return at;
        }
        let at = self.failures.len();
        self.seen.insert(text.clone(), at);
        self.failures.push(Failure { text, then });
        at
    }

    /// Takes over an entry of an earlier summary.
    pub(super) fn take_over(&mut self, entry: &str) {
        match entry.rsplit_once(THEN) {
            Some((text, then)) => self.note(text.to_string(), Some(then.to_string())),
            None => self.note(entry.to_string(), None),
        };
    }

    /// All of them in order, the newest to be kept longest.
    pub(super) fn entries(self) -> Vec<Entry> {
        let count = self.failures.len();
        let entry = |(at, failure): (usize, Failure)| {
            let then = failure.then.map(|then| format!("{THEN}{then}")).unwrap_or_default();
            Entry::new(format!("{}{then}", failure.text), count - at)
        };
        self.failures.into_iter().enumerate().map(entry).collect()
    }
}

/// What a call is about: its file and whether it edits that, else its tool and program.
fn subject(call: &ToolCall) -> String {
    if let Some(path) = files::named(call) {
        let edits = files::touch_of(call) == Some(Touch::Edited);
        return format!("{edits} {path}");
    }
    let program = files::command(call).map(|command| shell::program(&command)).unwrap_or_default();
    format!("{} {program}", call.name)
}

/// A call in one line: its tool with its command, file or first words.
pub(super) fn short(call: &ToolCall) -> String {
    let input = call.input();
    let first = || input.json().members().find_map(|(_, value)| Some(value.as_str()?.into_owned()));
    let what = files::command(call).or_else(|| files::named(call)).or_else(first).unwrap_or_default();
    let what = one_line(&what);
    defuse(format!("{} {what}", call.name).trim_end())
}

/// The line that tells what went wrong; `None` when the call itself was not tried.
fn first_line(words: &str) -> Option<String> {
    let words = words.trim();
    let inner = words.strip_prefix("<tool_use_error>").unwrap_or(words);
    let inner = inner.strip_suffix("</tool_use_error>").unwrap_or(inner);
    if inner.starts_with("Sibling tool call errored") || inner.starts_with("The user doesn't want to") {
        return None;
    }
    let mut lines = inner.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric));
    let first = lines.next().unwrap_or("(no message)");
    let line = match lines.next().filter(|_| first.starts_with("Exit code")) {
        Some(second) => format!("{first}: {second}"),
        None => first.to_string(),
    };
    Some(defuse(&one_line(&line)))
}

/// The words of a text's first line, at most [`SHOWN`] characters, with a sign when something is missing.
fn one_line(words: &str) -> String {
    let words = words.trim();
    let line = words.lines().next().unwrap_or_default();
    let head = text::head_chars(line, SHOWN);
    let clean: String = head.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if head.len() < words.len() { format!("{clean}…") } else { clean }
}
