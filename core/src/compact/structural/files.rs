//! Files touched: edited, or only read.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::form::Entry;
use super::shell;
use crate::message::{ToolCall, text};
use crate::request::defuse;

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touch {
    Read,
    Edited,
}

#[derive(Debug, Default)]
struct File {
    edits: usize,
    /// Lines that the newest edits put in, oldest first.
    changes: Vec<String>,
    first: usize,
    last: usize,
}

/// The files of a session by path.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: BTreeMap<String, File>,
    clock: usize,
}

/// How many changed lines are shown of a file.
const CHANGES: usize = 3;
/// Characters shown of one.
const CHANGE_CHARS: usize = 80;
/// Stands between two of them.
const AND: &str = " ¦ ";

/// The arguments in which tools name the one file they work on.
const PATHS: [&str; 6] = ["file_path", "notebook_path", "path", "filePath", "target_file", "filename"];

/// The file a call names in its arguments, if it is a call on one file.
pub(super) fn named(call: &ToolCall) -> Option<String> {
    PATHS.iter().find_map(|name| call.argument(name)).filter(|path| !path.trim().is_empty())
}

/// What a tool does to the file it names, by the tool's name; `None` for searches and listings.
pub(super) fn touch_of(call: &ToolCall) -> Option<Touch> {
    let name = call.name.to_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["str_replace"]) && call.argument("command").is_some_and(|command| command == "view") {
        return Some(Touch::Read);
    }
    if has(&["edit", "write", "patch", "replace", "create", "insert", "delete", "append"]) {
        return Some(Touch::Edited);
    }
    has(&["read", "view", "cat", "open"]).then_some(Touch::Read)
}

impl Files {
    /// Notes what an answered call did. A failed edit changed nothing, but shows that the file matters.
    pub(super) fn call(&mut self, call: &ToolCall, failed: bool) {
        if let Some((path, touch)) = named(call).zip(touch_of(call)) {
            match (touch, failed) {
                (Touch::Read, true) => {}
                (Touch::Edited, true) => self.note(&path, Touch::Read, 0),
                (touch, false) => {
                    self.note(&path, touch, 1);
                    self.change(&path, changed_line(call));
                }
            }
        }
        if failed {
            return;
        }
        if let Some(command) = command(call) {
            for (path, touch) in shell::touched(&command) {
                self.note(&path, touch, 1);
            }
        }
        for patch in ["patch", "input", "patchText"].iter().filter_map(|name| call.argument(name)) {
            for path in patch.lines().filter_map(shell::patched) {
                self.note(&path, Touch::Edited, 1);
            }
        }
    }

    fn note(&mut self, path: &str, touch: Touch, edits: usize) {
        let Some(path) = key(path) else { return };
        self.clock += 1;
        let clock = self.clock;
        let file = self.files.entry(path).or_insert(File { first: clock, ..File::default() });
        if touch == Touch::Edited {
            file.edits = file.edits.saturating_add(edits);
        }
        file.last = clock;
    }

    fn change(&mut self, path: &str, line: Option<String>) {
        let file = key(path).and_then(|path| self.files.get_mut(&path));
        let Some((file, line)) = file.zip(line).filter(|(file, line)| !file.changes.contains(line)) else {
            return;
        };
        if file.changes.len() == CHANGES {
            file.changes.remove(0);
        }
        file.changes.push(line);
    }

    /// Takes over an entry of an earlier summary; what is none of ours comes back.
    pub(super) fn take_over(&mut self, entry: &str) -> Option<String> {
        let (entry_head, changes) = entry.split_once(": ").unwrap_or((entry, ""));
        if let Some(path) = entry_head.strip_prefix("read ") {
            self.note(path, Touch::Read, 0);
        } else if let Some(path) = entry_head.strip_prefix("edited ") {
            let counted = path.strip_suffix("×)").and_then(|rest| rest.rsplit_once(" ("));
            let counted = counted.and_then(|(path, count)| Some((path, count.parse().ok()?)));
            let (path, count) = counted.unwrap_or((path, 1));
            self.note(path, Touch::Edited, count);
            for line in changes.split(AND).filter(|line| !line.is_empty()) {
                self.change(path, Some(line.to_string()));
            }
        } else {
            return Some(entry.to_string());
        }
        None
    }

    /// Edited files first, each group in the order of its first touch; the newest touched are kept longest.
    pub(super) fn entries(self) -> Vec<Entry> {
        let clock = self.clock;
        let files: Vec<(String, File)> = self.files.into_iter().collect();
        let place = |file: &File| file.first + if file.edits == 0 { clock } else { 0 };
        let places = files.iter().enumerate().map(|(at, (_, file))| (place(file), at));
        let mut places: Vec<(usize, usize)> = places.collect();
        places.sort_unstable();
        let entry = |(path, file): &(String, File)| {
            let rank = clock - file.last + if file.edits == 0 { clock } else { 0 };
            let brief = match file.edits {
                0 => format!("read {path}"),
                1 => format!("edited {path}"),
                count => format!("edited {path} ({count}×)"),
            };
            let changes = file.changes.join(AND);
            let text = if changes.is_empty() { brief.clone() } else { format!("{brief}: {changes}") };
            Entry { brief: Some(brief), ..Entry::new(text, rank) }
        };
        places.into_iter().filter_map(|(_, at)| files.get(at)).map(entry).collect()
    }
}

/// A path as it is kept; `None` for what could not be one line of the text.
fn key(path: &str) -> Option<String> {
    let path = path.strip_prefix("./").unwrap_or(path).trim();
    let plain = !path.is_empty() && !path.contains(char::is_control) && !path.contains(": ");
    plain.then(|| defuse(path))
}

/// The first line with a name in it that an edit puts in.
fn changed_line(call: &ToolCall) -> Option<String> {
    let new =
        ["new_string", "new_str", "new_source", "insert_text"].iter().find_map(|name| call.argument(name))?;
    let old = call.argument("old_string").or_else(|| call.argument("old_str")).unwrap_or_default();
    let mut kept: BTreeMap<&str, usize> = BTreeMap::new();
    for line in old.lines() {
        kept.insert(line.trim(), 0);
    }
    let telling =
        |line: &&str| !kept.contains_key(line) && line.chars().filter(|c| c.is_alphanumeric()).count() >= 4;
    let line = new.lines().map(str::trim).find(telling)?;
    let clean: String = line.chars().map(|c| if c.is_control() || c == '¦' { ' ' } else { c }).collect();
    Some(defuse(text::head_chars(&clean, CHANGE_CHARS)).trim().to_string())
}

/// The shell command of a call, as one text.
pub(super) fn command(call: &ToolCall) -> Option<String> {
    let name = call.name.to_lowercase();
    if !["bash", "shell", "exec", "command", "terminal"].iter().any(|part| name.contains(part)) {
        return None;
    }
    if let Some(command) = call.argument("command").or_else(|| call.argument("cmd")) {
        return Some(command);
    }
    // `["bash", "-lc", "…"]`: the last word is the script.
    let input = call.input();
    let words = input.json().get("command")?.elements().last()?;
    Some(words.as_str()?.into_owned())
}
