//! The calls that the simulated model can make, spelt as it spells them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::message::json::string;
use crate::message::{RawJson, ToolCall};
use crate::sim::scene;

/// A call before it has an id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::sim) struct Call {
    /// The tool's name.
    pub(in crate::sim) tool: &'static str,
    /// What it is about, as a scene that holds the call will say it.
    pub(in crate::sim) target: String,
    /// The arguments as JSON.
    pub(in crate::sim) input: String,
}

fn of(tool: &'static str, input: String) -> Call {
    let call = ToolCall::new("", tool, &RawJson::written(input.clone()));
    Call { tool, target: scene::target(&call), input }
}

pub(super) fn list(folder: &str) -> Call {
    of("list", if folder.is_empty() { "{}".to_string() } else { format!(r#"{{"path":{}}}"#, string(folder)) })
}

pub(super) fn read(path: &str) -> Call {
    of("read", format!(r#"{{"file_path":{}}}"#, string(path)))
}

pub(super) fn read_from(path: &str, line: usize, lines: usize) -> Call {
    of("read", format!(r#"{{"file_path":{},"offset":{line},"limit":{lines}}}"#, string(path)))
}

pub(super) fn grep(pattern: &str, path: &str) -> Call {
    of("grep", format!(r#"{{"pattern":{},"path":{}}}"#, string(pattern), string(path)))
}

pub(super) fn edit(path: &str, old: &str, new: &str) -> Call {
    let (file, old, new) = (string(path), string(old), string(new));
    of("edit", format!(r#"{{"file_path":{file},"old_string":{old},"new_string":{new}}}"#))
}

pub(super) fn write(path: &str, content: &str) -> Call {
    of("write", format!(r#"{{"file_path":{},"content":{}}}"#, string(path), string(content)))
}

pub(super) fn test() -> Call {
    of("bash", r#"{"command":"npm test"}"#.to_string())
}

/// The to-do list with the first `done` entries completed and the next one in progress.
pub(super) fn todos(entries: &[&str], done: usize) -> Call {
    let entry = |(at, text): (usize, &&str)| {
        let status = match at {
            at if at < done => "completed",
            at if at == done => "in_progress",
            _ => "pending",
        };
        format!(r#"{{"content":{},"status":"{status}"}}"#, string(text))
    };
    let list: Vec<String> = entries.iter().enumerate().map(entry).collect();
    of("todo_write", format!(r#"{{"todos":[{}]}}"#, list.join(",")))
}
