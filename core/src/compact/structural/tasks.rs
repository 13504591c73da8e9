//! Open to-dos, from the newest list a tool was given, or from single calls that add and change them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::form::Entry;
use crate::message::json::{Json, JsonKind};
use crate::message::{Exchange, ToolCall};
use crate::request::defuse;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Task {
    /// The number that later calls change it by, when it has one.
    id: Option<String>,
    text: String,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Active,
    Done,
}

/// The to-dos as they stand.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    tasks: Vec<Task>,
}

impl Tasks {
    /// Notes what an answered call does to the list, if it is about to-dos.
    pub(super) fn call(&mut self, exchange: &Exchange) {
        let call = &exchange.call;
        let name: String = call.name.to_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
        match name.as_str() {
            "todowrite" | "writetodos" | "updateplan" | "updatetodolist" => self.replace(call),
            "taskcreate" => {
                let Some(text) = call.argument("subject") else { return };
                let answer = exchange.result().map(|result| result.words().into_owned()).unwrap_or_default();
                self.tasks.push(Task { id: number(&answer), text: line(&text), state: State::Open });
            }
            "taskupdate" => self.update(call),
            _ => {}
        }
    }

    fn replace(&mut self, call: &ToolCall) {
        let input = call.input();
        let lists = ["todos", "plan", "items", "tasks"];
        let Some(list) = lists.iter().find_map(|name| input.json().get(name)) else { return };
        if list.kind() != JsonKind::Array {
            return;
        }
        self.tasks = list.elements().filter_map(task).collect();
    }

    fn update(&mut self, call: &ToolCall) {
        let Some(id) = call.argument("taskId").or_else(|| call.argument("task_id")) else { return };
        let Some(task) = self.tasks.iter_mut().find(|task| task.id.as_ref() == Some(&id)) else { return };
        if let Some(text) = call.argument("subject") {
            task.text = line(&text);
        }
        if let Some(status) = call.argument("status") {
            task.state = state(&status);
        }
    }

    /// Takes over an entry of an earlier summary.
    pub(super) fn take_over(&mut self, entry: &str) {
        let (state, rest) = match (entry.strip_prefix("[ ] "), entry.strip_prefix("[>] ")) {
            (Some(rest), _) => (State::Open, rest),
            (_, Some(rest)) => (State::Active, rest),
            _ => (State::Open, entry),
        };
        let numbered = rest.strip_prefix('#').and_then(|rest| rest.split_once(' '));
        let numbered = numbered.filter(|(id, _)| id.chars().all(|c| c.is_ascii_digit()) && !id.is_empty());
        let (id, text) = numbered.map_or((None, rest), |(id, text)| (Some(id.to_string()), text));
        self.tasks.push(Task { id, text: line(text), state });
    }

    /// What is being worked on.
    pub(super) fn active(&self) -> Option<&str> {
        self.tasks.iter().find(|task| task.state == State::Active).map(|task| task.text.as_str())
    }

    /// The open ones in their order, the one in work first to be kept.
    pub(super) fn entries(self) -> Vec<Entry> {
        let open = self.tasks.into_iter().filter(|task| task.state != State::Done && !task.text.is_empty());
        let entry = |(at, task): (usize, Task)| {
            let mark = if task.state == State::Active { "[>]" } else { "[ ]" };
            let id = task.id.map(|id| format!("#{id} ")).unwrap_or_default();
            let rank = if task.state == State::Active { 0 } else { at + 1 };
            Entry::new(format!("{mark} {id}{}", task.text), rank)
        };
        open.enumerate().map(entry).collect()
    }
}

fn task(item: Json<'_>) -> Option<Task> {
    let member = |names: &[&str]| names.iter().find_map(|name| item.get(name)?.as_str());
    let text = match item.as_str() {
        Some(text) => text,
        None => member(&["content", "step", "title", "text", "description"])?,
    };
    let status = member(&["status", "state"]).map_or(State::Open, |status| state(&status));
    Some(Task { id: None, text: line(&text), state: status })
}

fn state(status: &str) -> State {
    match status {
        "completed" | "done" | "cancelled" | "deleted" => State::Done,
        "in_progress" | "in-progress" | "active" => State::Active,
        _ => State::Open,
    }
}

/// The number in `Task #3 created …`.
fn number(answer: &str) -> Option<String> {
    let (_, rest) = answer.split_once('#')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}

/// A to-do is one line.
fn line(text: &str) -> String {
    defuse(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}
