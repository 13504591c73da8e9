//! One walk over the items: what each of them adds to the facts.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::errors::{self, Errors};
use super::excerpt::cut_chars;
use super::files::Files;
use super::form::{self, Entry, Name, Section};
use super::tasks::Tasks;
use super::{model, requests};
use crate::message::{Exchange, Item, Origin, Response};
use crate::request::defuse;

/// How many of the newest calls show the current work.
const CALLS: usize = 3;
/// Characters of an answer that are kept: the newest, and those before it.
const NEWEST_ANSWER: usize = 1_600;
const ANSWER: usize = 320;
/// Opens the entry that lists the newest calls.
const LAST_CALLS: &str = "last calls: ";

/// Where the session stood at its last item.
#[derive(Debug, Default)]
enum Stand {
    #[default]
    Nothing,
    Asked,
    Answered,
    /// After a call, in short.
    Called(String),
    /// As an earlier summary says.
    Carried(String),
}

/// What the items say, before any budget.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Summaries that a model wrote.
    earlier: Vec<String>,
    said: Vec<String>,
    files: Files,
    other_files: Vec<String>,
    errors: Errors,
    tasks: Tasks,
    solved: Vec<String>,
    answer: Option<String>,
    carried_answer: bool,
    calls: Vec<String>,
    stand: Stand,
    omitted: BTreeMap<Name, usize>,
}

impl Facts {
    /// Notes an item; they come oldest first.
    pub(super) fn add(&mut self, item: &Item) {
        match item {
            Item::User(message) => match message.origin {
                Origin::Summary => self.summary(&message.words()),
                Origin::Human => {
                    if let Some(said) = requests::typed(message) {
                        self.flush_answer();
                        self.said.push(said);
                        self.stand = Stand::Asked;
                    }
                }
                _ => {}
            },
            Item::Response(response) => self.response(response),
        }
    }

    fn response(&mut self, response: &Response) {
        let words = response.words();
        let words = words.trim();
        if !words.is_empty() {
            if self.carried_answer {
                self.flush_answer();
            }
            self.answer = Some(defuse(&cut_chars(words, NEWEST_ANSWER)));
            self.stand = Stand::Answered;
        }
        for exchange in response.exchanges() {
            self.exchange(exchange);
        }
    }

    fn exchange(&mut self, exchange: &Exchange) {
        let failed = exchange.result().is_none_or(|result| result.is_error);
        self.files.call(&exchange.call, failed);
        self.errors.call(exchange);
        self.tasks.call(exchange);
        let short = errors::short(&exchange.call);
        if self.calls.last() != Some(&short) {
            self.calls.push(short.clone());
        }
        if self.calls.len() > CALLS {
            self.calls.remove(0);
        }
        self.stand = Stand::Called(short);
        if let Some(said) =
            exchange.result().filter(|_| failed).and_then(|r| requests::said_in_refusal(&r.words()))
        {
            self.said.push(said);
            self.stand = Stand::Asked;
        }
    }

    /// The answer in hand becomes one of those before.
    fn flush_answer(&mut self) {
        self.solved.extend(self.answer.take().map(|answer| cut_chars(&answer, ANSWER)));
        self.carried_answer = false;
    }

    fn summary(&mut self, words: &str) {
        let Some(sections) = form::read(words) else {
            let words = model::bare(words);
            if !words.is_empty() && words != form::NOTHING {
                self.earlier.push(defuse(words));
            }
            return;
        };
        for section in sections {
            // A first request that was shown apart is one of the messages again.
            let name = if section.name == Name::Request { Name::Messages } else { section.name };
            *self.omitted.entry(name).or_default() += section.omitted;
            for entry in section.entries {
                self.take_over(name, &defuse(&entry.text));
            }
        }
    }

    fn take_over(&mut self, name: Name, text: &str) {
        match name {
            Name::Earlier => self.earlier.push(text.to_string()),
            Name::Request | Name::Messages => self.said.push(text.to_string()),
            Name::Files => self.other_files.extend(self.files.take_over(text)),
            Name::Errors => self.errors.take_over(text),
            Name::Solving => self.solved.push(text.to_string()),
            Name::Tasks => self.tasks.take_over(text),
            Name::Work => {
                if let Some(calls) = text.strip_prefix(LAST_CALLS) {
                    self.calls = alloc::vec![calls.to_string()];
                } else {
                    self.flush_answer();
                    self.answer = Some(text.to_string());
                    self.carried_answer = true;
                }
            }
            Name::Next => self.stand = Stand::Carried(text.to_string()),
        }
    }

    /// The sections in the order of the text; some may be empty.
    pub(super) fn into_sections(self) -> Vec<Section> {
        let next = self.next_step();
        let mut said = requests::entries(self.said);
        // What came before is told by the earlier summary: then no message here is the session's first.
        let first = said.iter().position(|entry| entry.rank == 0).filter(|_| self.earlier.is_empty());
        let first = first.map(|at| said.remove(at));
        let mut work = Vec::new();
        work.extend(self.answer);
        if !self.calls.is_empty() {
            work.push(format!("{LAST_CALLS}{}", self.calls.join("; ")));
        }
        let mut files = self.files.entries();
        let count = files.len();
        files.extend(
            newest_kept(self.other_files).into_iter().map(|e| Entry { rank: e.rank + 2 * count, ..e }),
        );
        let sections = [
            (Name::Earlier, newest_kept(self.earlier)),
            (Name::Request, first.into_iter().collect()),
            (Name::Files, files),
            (Name::Errors, self.errors.entries()),
            (Name::Solving, newest_kept(self.solved)),
            (Name::Messages, said),
            (Name::Tasks, self.tasks.entries()),
            (Name::Work, work.into_iter().enumerate().map(|(rank, text)| Entry::new(text, rank)).collect()),
            (Name::Next, next.into_iter().map(|text| Entry::new(text, 0)).collect()),
        ];
        let omitted = self.omitted;
        let section = |(name, entries)| {
            let omitted = match name {
                Name::Work | Name::Next | Name::Request => 0,
                name => omitted.get(&name).copied().unwrap_or(0),
            };
            Section { name, entries, omitted }
        };
        sections.into_iter().map(section).collect()
    }

    fn next_step(&self) -> Option<String> {
        if let (Some(task), false) = (self.tasks.active(), matches!(self.stand, Stand::Nothing)) {
            return Some(format!("go on with: {task}"));
        }
        match &self.stand {
            Stand::Nothing => None,
            Stand::Asked => Some("answer the newest user message".to_string()),
            Stand::Answered => Some("the newest answer was complete; go on as the user asks".to_string()),
            Stand::Called(call) => Some(format!("go on after the call: {call}")),
            Stand::Carried(text) => Some(text.clone()),
        }
    }
}

/// Each text once, in order; the newest are kept longest.
fn newest_kept(texts: Vec<String>) -> Vec<Entry> {
    let mut seen = BTreeSet::new();
    let texts: Vec<String> = texts.into_iter().filter(|text| seen.insert(text.clone())).collect();
    let count = texts.len();
    texts.into_iter().enumerate().map(|(at, text)| Entry::new(text, count - at)).collect()
}
