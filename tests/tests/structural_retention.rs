//! What a summary without a model keeps of real sessions, against the model's own summary of the same items.
//!
//! For every compaction in the corpus' transcripts: the file is cut right before its boundary, what the model saw
//! then is summarised at the cost of the real summary, and both texts are searched for the same facts.
#![allow(missing_docs, clippy::print_stdout)]

use std::collections::BTreeMap;

use palimpsest_core::compact::structural_summary;
use palimpsest_core::message::{Item, Origin, UserMessage};
use palimpsest_core::request::{Counted, View, item_cost};
use palimpsest_core::tokens::{Estimator, Profile};
use palimpsest_core::transcript::{Log, Session};
use palimpsest_core::unit::Tokens;
use palimpsest_tests::{corpus, files};
use serde_json::Value;

/// A real compaction: the file's bytes before its boundary, and the summary the model wrote.
struct Compaction {
    before: Vec<u8>,
    summary: String,
}

fn compactions(bytes: &[u8]) -> Vec<Compaction> {
    let mut found = Vec::new();
    let (mut at, mut boundary) = (0, None);
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let start = at;
        at += line.len();
        let Ok(value) = serde_json::from_slice::<Value>(line) else { continue };
        if value["subtype"] == "compact_boundary" {
            boundary = Some(start);
        } else if value["isCompactSummary"] == true {
            let content = &value["message"]["content"];
            let text = content
                .as_array()
                .map(|blocks| blocks.iter().filter_map(|block| block["text"].as_str()).collect());
            let summary = text.or_else(|| content.as_str().map(str::to_owned)).unwrap_or_default();
            if let Some(end) = boundary.take() {
                found.push(Compaction { before: bytes[..end].to_vec(), summary });
            }
        }
    }
    found
}

/// What should be named: the files by what happened to them, and the heads of the user's messages.
#[derive(Default)]
struct Wanted {
    edited: Vec<String>,
    read: Vec<String>,
    messages: Vec<String>,
}

impl Wanted {
    fn of(items: &[Counted]) -> Self {
        let mut touched: BTreeMap<String, bool> = BTreeMap::new();
        let mut messages = Vec::new();
        for entry in items {
            match entry.item.as_ref() {
                Item::User(message) if message.origin == Origin::Human => {
                    let words = message.words();
                    let words = words.trim();
                    // The host's own lines are no messages of the user: `<command-name>…`, `[Request interrupted…`.
                    if !words.is_empty()
                        && !words.starts_with('<')
                        && !words.starts_with("[Request interrupted")
                    {
                        messages.push(head(words));
                    }
                }
                Item::Response(response) => {
                    for exchange in response.exchanges() {
                        let edits = ["Edit", "Write", "MultiEdit", "NotebookEdit"]
                            .contains(&exchange.call.name.as_str());
                        let failed = exchange.result().is_none_or(|result| result.is_error);
                        if !edits && (exchange.call.name != "Read" || failed) {
                            continue;
                        }
                        let path = exchange
                            .call
                            .argument("file_path")
                            .or_else(|| exchange.call.argument("notebook_path"));
                        if let Some(path) = path {
                            *touched.entry(path).or_default() |= edits;
                        }
                    }
                }
                Item::User(_) => {}
            }
        }
        let of = |edited: bool| {
            touched.iter().filter(|&(_, &was)| was == edited).map(|(path, _)| path.clone()).collect()
        };
        Self { edited: of(true), read: of(false), messages }
    }
}

/// The first 60 characters; white space counts as one blank, since a summary may indent.
fn head(words: &str) -> String {
    one_blank(&words.chars().take(60).collect::<String>())
}

fn one_blank(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Default, Clone, Copy)]
struct Kept {
    of: usize,
    kept: usize,
}

impl Kept {
    fn count(&mut self, wanted: &[String], inside: impl Fn(&str) -> bool) {
        self.of += wanted.len();
        self.kept += wanted.iter().filter(|fact| inside(fact)).count();
    }

    fn permille(self) -> usize {
        (self.kept * 1000).checked_div(self.of).unwrap_or(1000)
    }
}

#[derive(Default)]
struct Score {
    edited: Kept,
    read: Kept,
    messages: Kept,
    tokens: u64,
}

impl Score {
    /// A model writes as it likes, so its summary is searched kindly: a file's name or a message's words anywhere.
    fn add_model(&mut self, wanted: &Wanted, summary: &str, tokens: Tokens) {
        let plain = one_blank(summary);
        let named = |path: &str| summary.contains(path.rsplit('/').next().unwrap_or(path));
        self.add(wanted, tokens, named, |message| plain.contains(message));
    }

    /// Ours is held to its form: an entry of its own for a file, by the whole path; a quote that opens an entry,
    /// so that a "yes" is not found in any other word's company.
    fn add_ours(&mut self, wanted: &Wanted, summary: &str, tokens: Tokens) {
        let plain = one_blank(summary);
        let entries = |kind: &'static str| summary.lines().filter_map(move |line| line.strip_prefix(kind));
        let named = |path: &str| {
            entries("- edited ").chain(entries("- read ")).any(|entry| {
                let rest = entry.strip_prefix(path);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" (") || rest.starts_with(": "))
            })
        };
        self.add(wanted, tokens, named, |message| plain.contains(&format!("- {message}")));
    }

    fn add(
        &mut self,
        wanted: &Wanted,
        tokens: Tokens,
        named: impl Fn(&str) -> bool,
        said: impl Fn(&str) -> bool,
    ) {
        self.edited.count(&wanted.edited, &named);
        self.read.count(&wanted.read, &named);
        self.messages.count(&wanted.messages, said);
        self.tokens += tokens.get();
    }

    /// At least these shares, in thousandths.
    fn reaches(&self, edited: usize, read: usize, messages: usize) {
        assert!(self.edited.permille() >= edited, "edited files named: {}‰", self.edited.permille());
        assert!(self.read.permille() >= read, "files only read named: {}‰", self.read.permille());
        assert!(self.messages.permille() >= messages, "user messages quoted: {}‰", self.messages.permille());
    }

    fn print(&self, title: &str) {
        let share =
            |kept: Kept| format!("{}/{} ({:.1} %)", kept.kept, kept.of, kept.permille() as f64 / 10.0);
        let (edited, read, messages) = (share(self.edited), share(self.read), share(self.messages));
        println!(
            "{title:<12} edited {edited:<17} read {read:<17} messages {messages:<18} {} tokens",
            self.tokens
        );
    }
}

/// What the model saw before a compaction, and what its summary of that cost.
struct Case {
    name: String,
    view: View,
    wanted: Wanted,
    summary: String,
    budget: Tokens,
}

fn cases(estimator: Estimator) -> Vec<Case> {
    let mut cases = Vec::new();
    let Some(corpus) = corpus() else { return cases };
    for file in files(&corpus.join("transcripts/claude-code"), "jsonl") {
        let bytes = std::fs::read(&file).expect("readable");
        for Compaction { before, summary } in compactions(&bytes) {
            let budget = estimator.text(&summary);
            // A summary trimmed out of a fixture is no measure.
            if budget < Tokens(500) {
                continue;
            }
            let session = Session::load(&Log::read(&before).expect("a prefix of a readable file"));
            let view = View::of(session.view, estimator);
            let wanted = Wanted::of(view.entries());
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            cases.push(Case { name, view, wanted, summary, budget });
        }
    }
    assert!(cases.len() >= 11, "only {} compactions were found", cases.len());
    cases
}

/// The summary of these items within the budget, checked to be within it.
fn summarise(entries: &[&Counted], budget: Tokens, estimator: Estimator) -> String {
    let summary = structural_summary(entries, budget, estimator);
    let spent = estimator.text(&summary);
    assert!(spent <= budget, "{spent} of {budget}");
    summary
}

#[test]
fn a_structural_summary_keeps_more_than_the_models_at_no_higher_cost() {
    let estimator = Estimator::new(Profile::Claude);
    let cases = cases(estimator);
    let (mut models, mut ours, mut halved) = (Score::default(), Score::default(), Score::default());
    for case in &cases {
        let entries: Vec<&Counted> = case.view.entries().iter().collect();
        let summary = summarise(&entries, case.budget, estimator);
        let spent = estimator.text(&summary);
        println!("{}: {spent} of {}", case.name, case.budget);
        if std::env::var_os("SHOW_SUMMARIES").is_some() {
            println!("{summary}\n");
        }
        models.add_model(&case.wanted, &case.summary, case.budget);
        ours.add_ours(&case.wanted, &summary, spent);
        let summary = summarise(&entries, case.budget.scaled(1, 2), estimator);
        halved.add_ours(&case.wanted, &summary, estimator.text(&summary));
    }
    models.print("the model's");
    ours.print("structural");
    halved.print("at half");
    ours.reaches(990, 800, 900);
    // Even at half the price it keeps more than the model's own summary.
    halved.reaches(models.edited.permille(), models.read.permille(), models.messages.permille());
    assert!(ours.tokens <= models.tokens, "{} > {} tokens", ours.tokens, models.tokens);
}

#[test]
fn m8_ten_generations_keep_what_one_keeps() {
    const GENERATIONS: usize = 10;
    let estimator = Estimator::new(Profile::Claude);
    let mut score = Score::default();
    for case in cases(estimator) {
        let entries = case.view.entries();
        let mut summary: Option<Counted> = None;
        for part in entries.chunks(entries.len().div_ceil(GENERATIONS)) {
            let parts: Vec<&Counted> = summary.iter().chain(part).collect();
            let text = summarise(&parts, case.budget, estimator);
            let item = Item::User(UserMessage::text("summary".into(), Origin::Summary, &text));
            let cost = item_cost(&item, estimator);
            summary = Some(Counted { item: item.into(), cost });
        }
        let text = summary.and_then(|entry| Some(entry.item.as_user()?.words())).unwrap_or_default();
        score.add_ours(&case.wanted, &text, estimator.text(&text));
        for line in text.lines().filter(|line| line.starts_with("## ")) {
            assert_eq!(text.lines().filter(|other| *other == line).count(), 1, "{}: {line} twice", case.name);
        }
    }
    score.print("the tenth");
    score.reaches(990, 800, 900);
}
