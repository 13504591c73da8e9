//! The simulated tools: they really search and change the files, which live in memory.
//!
//! ```text
//!  list · read · grep   read only, may run at once     edit · write · bash · todo_write   one by one
//! ```

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::{project, vitest};
use crate::agent::ToolSpec;
use crate::message::json::JsonKind;
use crate::message::{RawJson, ToolCall};
use crate::provider::openai::INVALID_ARGUMENTS;

/// `read` shows so many lines unless it is asked for another number.
const LINES: usize = 150;
/// `grep` shows so many matches.
const MATCHES: usize = 60;

/// The tools with their schemas.
pub fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, description: &str, schema: &str, read_only: bool| ToolSpec {
        name: name.to_string(),
        description: description.to_string(),
        input_schema: RawJson::written(schema.to_string()),
        read_only,
        concurrent: read_only,
    };
    alloc::vec![
        tool(
            "list",
            "Lists the project's files with their lines, or those below a folder.",
            r#"{"type":"object","properties":{"path":{"type":"string","description":"Folder; all files without it"}}}"#,
            true,
        ),
        tool(
            "read",
            "Reads a file with line numbers; long files in parts.",
            r#"{"type":"object","properties":{"file_path":{"type":"string"},"offset":{"type":"integer","minimum":1,"description":"First line"},"limit":{"type":"integer","minimum":1,"description":"Number of lines, 150 without it"}},"required":["file_path"]}"#,
            true,
        ),
        tool(
            "grep",
            "Finds lines that hold one of several words. Words are separated by | and taken as they are.",
            r#"{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string","description":"File or folder; everywhere without it"}},"required":["pattern"]}"#,
            true,
        ),
        tool(
            "edit",
            "Replaces a text that occurs exactly once in a file.",
            r#"{"type":"object","properties":{"file_path":{"type":"string"},"old_string":{"type":"string"},"new_string":{"type":"string"}},"required":["file_path","old_string","new_string"]}"#,
            false,
        ),
        tool(
            "write",
            "Writes a whole file, new or in place of the old one.",
            r#"{"type":"object","properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"]}"#,
            false,
        ),
        tool(
            "bash",
            "Runs a command. This simulated shell knows `npm test` and nothing else.",
            r#"{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}"#,
            false,
        ),
        tool(
            "todo_write",
            "Replaces the list of to-dos.",
            r#"{"type":"object","properties":{"todos":{"type":"array","items":{"type":"object","properties":{"content":{"type":"string"},"status":{"enum":["pending","in_progress","completed"]}},"required":["content","status"]}}},"required":["todos"]}"#,
            false,
        ),
    ]
}

/// The files and what runs on them.
#[derive(Debug, Clone)]
pub struct SimTools {
    files: BTreeMap<String, String>,
}

impl Default for SimTools {
    fn default() -> Self {
        Self::new()
    }
}

impl SimTools {
    /// The project as it stands before anything was changed.
    pub fn new() -> Self {
        Self { files: project::files() }
    }

    /// A file's text as it stands now.
    pub fn file(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Every file with its text, by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }

    /// Runs a call. Returns what it printed, and whether it failed.
    pub fn run(&mut self, call: &ToolCall) -> (String, bool) {
        if let Some(words) = call.argument(INVALID_ARGUMENTS) {
            return (format!("the arguments are not a JSON object: {words}"), true);
        }
        let argument = |name: &str| call.argument(name).unwrap_or_default();
        let outcome = match call.name.as_str() {
            "list" => self.list(&argument("path")),
            "read" => self.read(&argument("file_path"), number(call, "offset"), number(call, "limit")),
            "grep" => self.grep(&argument("pattern"), &argument("path")),
            "edit" => self.edit(&argument("file_path"), &argument("old_string"), &argument("new_string")),
            "write" => self.write(&argument("file_path"), &argument("content")),
            "bash" => self.bash(&argument("command")),
            "todo_write" => todo_write(call),
            name => Err(format!("no tool is named {name}")),
        };
        match outcome {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        }
    }

    fn list(&self, folder: &str) -> Result<String, String> {
        let mut out = String::new();
        for (path, text) in self.below(folder) {
            let _ = writeln!(out, "{:>6} lines  {path}", text.lines().count());
        }
        if out.is_empty() { Err(format!("{folder}: no such folder")) } else { Ok(out) }
    }

    fn read(&self, path: &str, offset: Option<usize>, limit: Option<usize>) -> Result<String, String> {
        let text = self.files.get(path).ok_or_else(|| format!("{path}: no such file"))?;
        let (from, limit) = (offset.unwrap_or(1).max(1), limit.unwrap_or(LINES));
        let mut out = String::new();
        for (at, line) in text.lines().enumerate().skip(from - 1).take(limit) {
            let _ = writeln!(out, "{:>5}\t{line}", at + 1);
        }
        let (total, end) = (text.lines().count(), from.saturating_add(limit) - 1);
        if out.is_empty() {
            return Err(format!("{path} has {total} lines; line {from} is behind its end"));
        }
        if end < total {
            let _ = writeln!(out, "[{} more lines in {path}; go on at line {}]", total - end, end + 1);
        }
        Ok(out)
    }

    fn grep(&self, pattern: &str, path: &str) -> Result<String, String> {
        let words: Vec<&str> = pattern.split('|').filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            return Err("the pattern is empty".to_string());
        }
        let found: Vec<String> = self
            .below(path)
            .flat_map(|(path, text)| text.lines().enumerate().map(move |(at, line)| (path, at + 1, line)))
            .filter(|(_, _, line)| words.iter().any(|word| line.contains(word)))
            .map(|(path, at, line)| format!("{path}:{at}:{line}"))
            .collect();
        if found.is_empty() {
            return Ok("no matches".to_string());
        }
        let more = found.len().saturating_sub(MATCHES);
        let mut out = found.get(..found.len() - more).unwrap_or_default().join("\n");
        if more > 0 {
            let _ = write!(
                out,
                "\n[{more} more of {} matches; the last: {}]",
                found.len(),
                found.last().map_or("", |last| last)
            );
        }
        Ok(out)
    }

    fn edit(&mut self, path: &str, old: &str, new: &str) -> Result<String, String> {
        let text = self.files.get_mut(path).ok_or_else(|| format!("{path}: no such file"))?;
        match text.matches(old).count() {
            _ if old.is_empty() => Err("old_string is empty".to_string()),
            0 => Err(format!("{path}: old_string does not occur")),
            1 => {
                let line = text.split(old).next().map_or(1, |before| before.lines().count().max(1));
                *text = text.replacen(old, new, 1);
                Ok(format!("{path}: replaced one occurrence at line {line}"))
            }
            count => Err(format!("{path}: old_string occurs {count} times; make it longer")),
        }
    }

    fn write(&mut self, path: &str, content: &str) -> Result<String, String> {
        if path.is_empty() {
            return Err("file_path is empty".to_string());
        }
        let old = self.files.insert(path.to_string(), content.to_string());
        let what = if old.is_some() { "replaced" } else { "created" };
        Ok(format!("{path}: {what}, {} lines", content.lines().count()))
    }

    fn bash(&self, command: &str) -> Result<String, String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        match words.as_slice() {
            ["npm", "test"] | ["npm", "run", "test"] => vitest::run(&self.files),
            _ => Err(format!("this simulated shell knows `npm test` only, not: {command}")),
        }
    }

    fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let folder = folder.trim_matches('/');
        let inside = move |path: &str| {
            let rest = path.strip_prefix(folder);
            folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.files().filter(move |(path, _)| inside(path))
    }
}

fn number(call: &ToolCall, name: &str) -> Option<usize> {
    usize::try_from(call.input().json().get(name)?.as_u64()?).ok()
}

fn todo_write(call: &ToolCall) -> Result<String, String> {
    let input = call.input();
    let todos = input.json().get("todos").filter(|todos| todos.kind() == JsonKind::Array);
    let todos = todos.ok_or_else(|| "todos is not a list".to_string())?;
    let is = |status: &str| {
        let with = |todo: &crate::message::json::Json<'_>| {
            todo.get("status").is_some_and(|value| value.is_str(status))
        };
        todos.elements().filter(with).count()
    };
    Ok(format!(
        "{} to-dos: {} done, {} in progress",
        todos.elements().count(),
        is("completed"),
        is("in_progress")
    ))
}
