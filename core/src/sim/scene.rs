//! What the simulated model can see: a request, read back as who said what and which steps were taken.
//!
//! ```text
//!  [summary] [user] call result call result [user: the live prompt] call result …
//!      │        │                                   │                  └ steps since
//!      └────────┴─ said: all it knows of the past   └ prompt
//! ```
//!
//! It sees nothing but the request. What was cleared, cut or summarised away is gone for it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::message::text::head_chars;
use crate::message::{Block, BlockKind, RawJson, ToolCall, ToolResult};
use crate::request::{CONTINUE, OPENING, Request, Role};

/// Opens every line of a summary that names a step of the turn under way.
pub(super) const UNDER_WAY: &str = "In the turn under way: ";

/// Says in a summary that no turn was under way.
pub(super) const AT_REST: &str = "No turn was under way.";

/// One call with its result.
#[derive(Debug, Clone)]
pub(super) struct Step {
    /// Verb and target: `read src/money.ts`, `bash npm test`.
    pub(super) label: String,
    /// The tool.
    pub(super) tool: String,
    /// The arguments, which no tier ever clears: what the model wrote itself it can read again.
    pub(super) input: RawJson,
    /// What came back; nothing when the engine has cleared it.
    pub(super) result: String,
    /// Whether it failed.
    pub(super) failed: bool,
}

/// A request as the model sees it.
#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    /// The newest thing that a person said; empty when there is none.
    pub(super) prompt: String,
    /// Everything that persons said, oldest first, the prompt included.
    pub(super) said: Vec<String>,
    /// The summaries in view.
    pub(super) summaries: Vec<String>,
    /// The steps since the prompt.
    pub(super) steps: Vec<Step>,
    /// True when the model has said nothing yet in this view.
    pub(super) is_first: bool,
    /// How often a person spoke since the newest summary. At the first time, the summary may be of this very
    /// turn.
    said_since_summary: usize,
}

impl Scene {
    /// Reads a request.
    pub(super) fn read(request: &Request) -> Self {
        let mut scene = Self { is_first: true, ..Self::default() };
        let mut open: Vec<(ToolCall, usize)> = Vec::new();
        for message in &request.messages {
            for raw in &message.blocks {
                match message.role {
                    Role::Assistant => scene.assistant(raw, &mut open),
                    Role::User => scene.user(raw, &open),
                }
            }
        }
        scene
    }

    fn assistant(&mut self, raw: &RawJson, open: &mut Vec<(ToolCall, usize)>) {
        self.is_first = false;
        if let Some(call) = ToolCall::from_raw(raw.clone()) {
            self.steps.push(Step {
                label: label(&call.name, &target(&call)),
                tool: call.name.clone(),
                input: call.input(),
                result: String::new(),
                failed: false,
            });
            open.push((call, self.steps.len() - 1));
        }
    }

    fn user(&mut self, raw: &RawJson, open: &[(ToolCall, usize)]) {
        if let Some((id, result)) = ToolResult::from_raw(raw.clone()) {
            let at = open.iter().rev().find(|(call, _)| call.id == id).map(|(_, at)| *at);
            if let Some(step) = at.and_then(|at| self.steps.get_mut(at)) {
                step.failed = result.is_error;
                step.result = visible(&result.words());
            }
            return;
        }
        let block = Block::from_raw(raw.clone());
        let words = block.words().unwrap_or_default();
        let words = words.trim();
        if block.kind() != BlockKind::Text || words.is_empty() || words.starts_with("<system-reminder>") {
            return;
        }
        if is_summary(words) {
            self.summaries.push(words.to_string());
            self.said_since_summary = 0;
            return;
        }
        if [OPENING, CONTINUE].contains(&words) {
            return;
        }
        self.said.push(words.to_string());
        self.said_since_summary += 1;
        self.prompt = words.to_string();
        // What was done before stays in the request, but the work of the turn begins here.
        self.steps.clear();
    }

    /// True when a step was taken since the prompt, well or badly, or when the summary says so of the turn
    /// that is still under way. Nothing is tried twice in the same words, so every turn ends.
    pub(super) fn did(&self, tool: &str, target: &str) -> bool {
        self.shows(tool, target) || self.did_before_the_summary(&label(tool, target), target)
    }

    fn did_before_the_summary(&self, wanted: &str, target: &str) -> bool {
        let Some(summary) = self.summaries.last().filter(|_| self.said_since_summary == 1) else {
            return false;
        };
        match summary.lines().find(|line| line.contains(UNDER_WAY)) {
            Some(line) => line.contains(&format!("`{wanted}`")),
            None if summary.contains(AT_REST) => false,
            // A summary in other words, such as the engine's own: what it names was looked at.
            None => !target.is_empty() && summary.contains(target),
        }
    }

    /// The newest visible result of a step of this turn.
    pub(super) fn result(&self, tool: &str, target: &str) -> Option<&str> {
        let wanted = label(tool, target);
        let newest = self.steps.iter().rev().find(|step| step.label == wanted)?;
        Some(newest.result.as_str()).filter(|result| !result.is_empty())
    }

    /// What the model wrote into a file in this turn.
    pub(super) fn written(&self, path: &str) -> Option<String> {
        let wanted = label("write", path);
        let step = self.steps.iter().rev().find(|step| step.label == wanted)?;
        Some(step.input.json().get("content")?.as_str()?.into_owned())
    }

    /// True when a step was taken after the newest edit of this turn.
    pub(super) fn did_since_edit(&self, tool: &str, target: &str) -> bool {
        let from = self.steps.iter().rposition(|step| step.tool == "edit").map_or(0, |at| at + 1);
        let wanted = label(tool, target);
        self.steps.iter().skip(from).any(|step| step.label == wanted)
    }

    /// True when a step of this turn is still in view, its result cleared or not.
    pub(super) fn shows(&self, tool: &str, target: &str) -> bool {
        let wanted = label(tool, target);
        self.steps.iter().any(|step| step.label == wanted)
    }

    /// The newest step of this turn whose label begins like this, if its result is still there.
    pub(super) fn newest(&self, beginning: &str) -> Option<&Step> {
        let newest = self.steps.iter().rev().find(|step| step.label.starts_with(beginning))?;
        Some(newest).filter(|step| !step.result.is_empty())
    }

    /// Sentences of persons, the summaries among them, oldest first.
    pub(super) fn sentences(&self) -> impl Iterator<Item = &str> {
        self.summaries.iter().chain(&self.said).flat_map(|text| sentences(text))
    }
}

/// Cuts a text into sentences and lines.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let lines =
        text.lines().flat_map(|line| line.split_inclusive(". ").flat_map(|part| part.split_inclusive("? ")));
    lines.map(str::trim).filter(|sentence| !sentence.is_empty())
}

/// True for text that stands for an older part of the conversation.
fn is_summary(words: &str) -> bool {
    words.starts_with("[The earlier part of this session")
        || words.starts_with("This session is being continued")
}

/// A result as the model can use it: nothing when only a placeholder is left.
fn visible(words: &str) -> String {
    let cleared = words.len() < 200 && words.starts_with('[') && words.contains("cleared");
    if cleared { String::new() } else { words.to_string() }
}

/// What a call is about.
pub(super) fn target(call: &ToolCall) -> String {
    if call.name == "todo_write" {
        // Two lists differ by how much of them is done.
        return format!("{} done", call.input().as_str().matches("\"completed\"").count());
    }
    if let Some(old) = call.argument("old_string") {
        // So do two edits of one file by what they replace.
        return format!("{} at {:?}", call.argument("file_path").unwrap_or_default(), head_chars(&old, 24));
    }
    let part = call.input().json().get("offset").and_then(|offset| offset.as_u64());
    let main = ["file_path", "command", "pattern", "path"].iter().find_map(|name| call.argument(name));
    let main = main.unwrap_or_default();
    match part {
        Some(line) => format!("{main} from line {line}"),
        None => main,
    }
}

/// How a step is named in thoughts and summaries.
pub(super) fn label(tool: &str, target: &str) -> String {
    if target.is_empty() { tool.to_string() } else { format!("{tool} {target}") }
}
