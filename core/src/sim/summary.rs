//! The simulated model's summary: nine sections, each filled from the messages by a rule.
//!
//! ```text
//!  <transcript> [user] … [assistant] … [tool call: read] … [tool result] … </transcript>
//!      └─ entries ─▶ said, steps, files, errors ─▶ <analysis>…</analysis> <summary> 1 … 9 </summary>
//! ```
//!
//! It loses what a model's summary loses: what files hold, numbers in outputs, everything but the beginning
//! of long texts. What an earlier summary held is carried over, each line cut shorter than before.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use super::scene::{AT_REST, UNDER_WAY, label, target};
use super::story::forbids;
use crate::compact::summary::SECTIONS;
use crate::message::{RawJson, ToolCall, text};
use crate::request::{Request, Role};

/// A user's message is quoted up to so many characters.
const QUOTED: usize = 320;
/// A line of an earlier summary is carried over up to so many characters.
const CARRIED: usize = 240;
/// So many lines of one section are carried over, the newest.
const CARRIED_LINES: usize = 12;
/// An error or an answer is kept up to so many characters.
const NOTED: usize = 160;

/// One entry of the transcript that the request quotes.
struct Entry<'a> {
    label: &'a str,
    body: &'a str,
}

/// Writes the summary that a request asks for.
pub(super) fn write(request: &Request) -> String {
    let asked = asked(request);
    let inside = asked.split_once("<transcript>").map_or(asked.as_str(), |(_, rest)| rest);
    let inside = inside.rsplit_once("</transcript>").map_or(inside, |(inside, _)| inside);
    let entries = entries(inside);
    let mut sections: [Vec<String>; 9] = Default::default();
    for earlier in entries.iter().filter(|entry| entry.label == "earlier summary") {
        carry(earlier.body, &mut sections);
    }
    fill(&entries, &mut sections);
    let mut out = format!(
        "<analysis>\nSimulated: {} entries, filled in by rule.\n</analysis>\n<summary>\n",
        entries.len()
    );
    for (at, (name, lines)) in SECTIONS.iter().zip(&sections).enumerate() {
        let _ = writeln!(out, "{}. {name}", at + 1);
        let mut seen = BTreeSet::new();
        for line in lines.iter().filter(|line| seen.insert(line.as_str())) {
            let _ = writeln!(out, "- {line}");
        }
        if lines.is_empty() {
            out.push_str("- none\n");
        }
    }
    out.push_str("</summary>");
    out
}

/// The user's words in the request.
fn asked(request: &Request) -> String {
    let user = request.messages.iter().filter(|message| message.role == Role::User);
    let blocks = user.flat_map(|message| &message.blocks);
    let words = blocks.filter_map(|raw| Some(raw.json().get("text")?.as_str()?.into_owned()));
    words.collect::<Vec<String>>().join("\n")
}

/// Cuts the transcript at its labels: `[user]`, `[assistant]`, `[tool call: read]`, `[tool result]`, …
fn entries(transcript: &str) -> Vec<Entry<'_>> {
    const LABELS: [&str; 6] = ["user", "assistant", "host", "earlier summary", "tool result", "tool error"];
    let mut starts: Vec<(usize, usize, &str)> = Vec::new();
    let mut at = 0;
    for line in transcript.split_inclusive('\n') {
        let inner = line.trim_end().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some(label) = inner.filter(|label| LABELS.contains(label) || label.starts_with("tool call: "))
        {
            starts.push((at, at + line.len(), label));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, _, _)| *start).chain([transcript.len()]);
    let bodies = starts.iter().zip(ends).map(|((_, from, label), end)| Entry {
        label,
        body: transcript.get(*from..end).unwrap_or_default().trim(),
    });
    bodies.collect()
}

/// Takes over the lines of an earlier summary, section by section.
fn carry(earlier: &str, sections: &mut [Vec<String>; 9]) {
    let mut current = None;
    for line in earlier.lines() {
        let heading = SECTIONS
            .iter()
            .position(|name| line.trim_start_matches(|c: char| !c.is_alphabetic()).starts_with(name));
        if let Some(at) = heading.filter(|_| !line.trim_start().starts_with("- ")) {
            current = Some(at);
            continue;
        }
        // Current work and next step are of their moment.
        let section = current.filter(|at| *at < 7).and_then(|at| sections.get_mut(at));
        let words = line.trim().trim_start_matches("- ");
        if let (Some(section), false) = (section, words.is_empty() || words == "none") {
            section.push(short(words, CARRIED));
        }
    }
    for section in sections {
        let surplus = section.len().saturating_sub(CARRIED_LINES);
        section.drain(..surplus);
    }
}

/// Fills the nine sections from the entries.
fn fill(entries: &[Entry<'_>], sections: &mut [Vec<String>; 9]) {
    let [intent, concepts, files, errors, solving, said, pending, current, next] = sections;
    let spoken: Vec<&str> =
        entries.iter().filter(|entry| entry.label == "user").map(|entry| entry.body).collect();
    if intent.is_empty() {
        intent.extend(spoken.first().map(|words| short(words, QUOTED)));
    }
    said.extend(spoken.iter().map(|words| format!("\"{}\"", short(words, QUOTED))));
    next.extend(spoken.last().map(|words| format!("Go on with: \"{}\"", short(words, QUOTED))));
    errors.extend(
        spoken
            .iter()
            .filter(|words| forbids(words))
            .map(|words| format!("The user: \"{}\"", short(words, QUOTED))),
    );
    let mut under_way: Vec<String> = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        let following = entries.get(at + 1);
        match entry.label {
            "user" => under_way.clear(),
            // Words without a call behind them end a turn.
            "assistant" if !following.is_some_and(|next| next.label.starts_with("tool call")) => {
                solving.push(short(entry.body, NOTED));
                under_way.clear();
            }
            "tool error" => errors.push(error_line(entry.body)),
            _ => {
                let Some(call) = called(entry) else { continue };
                under_way.push(format!("`{}`", label(&call.name, &target(&call))));
                note(&call, concepts, files, pending);
            }
        }
    }
    current.push(match under_way.as_slice() {
        [] => AT_REST.to_string(),
        steps => format!("{UNDER_WAY}{}", steps.join(", ")),
    });
}

fn called(entry: &Entry<'_>) -> Option<ToolCall> {
    let name = entry.label.strip_prefix("tool call: ")?;
    let input = RawJson::parse(entry.body).or_else(|_| RawJson::parse("{}")).ok()?;
    Some(ToolCall::new("summary", name, &input))
}

/// What a call tells: which tool, which file, which to-dos.
fn note(call: &ToolCall, concepts: &mut Vec<String>, files: &mut Vec<String>, pending: &mut Vec<String>) {
    concepts.push(format!("tool {}", call.name));
    if call.name == "todo_write" {
        let input = call.input();
        let todos =
            input.json().get("todos").map(|todos| todos.elements().collect::<Vec<_>>()).unwrap_or_default();
        let open =
            todos.iter().filter(|todo| todo.get("status").is_none_or(|status| !status.is_str("completed")));
        *pending = open.filter_map(|todo| Some(todo.get("content")?.as_str()?.into_owned())).collect();
    }
    let Some(path) = call.argument("file_path") else { return };
    match (call.argument("old_string"), call.argument("new_string")) {
        (Some(old), Some(new)) => {
            files.push(format!("{path}: `{}` became `{}`", short(&old, NOTED), short(&new, NOTED)));
        }
        _ => files.push(format!("{path}: read")),
    }
}

/// The line of an output that says what failed.
fn error_line(body: &str) -> String {
    let telling = body.lines().find(|line| line.contains("FAIL") || line.contains("Error"));
    short(telling.or_else(|| body.lines().next()).unwrap_or("no output").trim(), NOTED)
}

/// A text on one line, cut between characters.
fn short(words: &str, max: usize) -> String {
    let line: Vec<&str> = words.split_whitespace().collect();
    let line = line.join(" ");
    let head = text::head_chars(&line, max);
    if head.len() < line.len() { format!("{head} …") } else { head.to_string() }
}
