use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::request::View;
use crate::tokens::{Category, Factor, Ledger};
use crate::transcript::{Log, Session};
use crate::unit::Tokens;
use crate::window::Policy;

fn inspect(lines: &[String]) -> Inspection {
    let log = Log::read(lines.join("\n").as_bytes()).unwrap();
    Inspection::of(&log, &Session::load(&log), &Policy::default(), None)
}

fn record(id: &str, parent: &str, kind: &str, message: &str) -> String {
    let parent = if parent.is_empty() { "null".to_string() } else { format!("\"{parent}\"") };
    format!(r#"{{"type":"{kind}","uuid":"{id}","parentUuid":{parent},"sessionId":"s1","message":{message}}}"#)
}

fn user(id: &str, parent: &str, text: &str) -> String {
    record(id, parent, "user", &format!(r#"{{"role":"user","content":"{text}"}}"#))
}

/// A response of one block, with the usage that the provider counted.
fn assistant(id: &str, parent: &str, response: &str, block: &str, input: u64) -> String {
    let usage = format!(r#"{{"input_tokens":{input},"cache_read_input_tokens":5,"output_tokens":7}}"#);
    let message = format!(
        r#"{{"id":"{response}","role":"assistant","model":"m-1","content":[{block}],"usage":{usage}}}"#
    );
    record(id, parent, "assistant", &message)
}

fn read(call: &str, path: &str) -> String {
    format!(r#"{{"type":"tool_use","id":"{call}","name":"Read","input":{{"file_path":"{path}"}}}}"#)
}

fn result(id: &str, parent: &str, call: &str, words: usize, error: bool) -> String {
    let text = "word ".repeat(words);
    let block =
        format!(r#"{{"type":"tool_result","tool_use_id":"{call}","content":"{text}","is_error":{error}}}"#);
    record(id, parent, "user", &format!(r#"{{"role":"user","content":[{block}]}}"#))
}

/// One turn: two reads of one file, the first response written over two lines.
fn session() -> Vec<String> {
    [
        user("u1", "", "Which   colour?\\nTell me."),
        assistant("a1", "u1", "r1", r#"{"type":"text","text":"I look."}"#, 1000),
        assistant("a2", "a1", "r1", &read("c1", "src/a.rs"), 1000),
        result("u2", "a2", "c1", 500, false),
        assistant("a3", "u2", "r2", &read("c2", "src/a.rs"), 3000),
        result("u3", "a3", "c2", 5, true),
        assistant("a4", "u3", "r3", r#"{"type":"text","text":"Red."}"#, 3500),
    ]
    .to_vec()
}

#[test]
fn tells_what_a_session_holds() {
    let found = inspect(&session());
    let account = &found.history;
    assert_eq!(account, &found.view, "nothing was compacted");
    assert_eq!(account.messages, Messages { user: 1, assistant: 3, requests: 1, summaries: 0 });
    assert_eq!(account.turns, 1);
    let read = &account.tools[0];
    assert_eq!((read.name.as_str(), read.calls, read.errors, read.unanswered), ("Read", 2, 1, 0));
    assert_eq!(account.repeated[0].path, "src/a.rs");
    assert_eq!((account.repeated[0].times, account.repeated[0].tokens), (2, read.tokens));
    let largest = &account.largest[0];
    assert_eq!((largest.label.as_str(), largest.line, largest.turn), ("Read src/a.rs", 4, 1));
    assert_eq!(largest.category, Category::ToolResults);
    assert_eq!(found.session_id.as_deref(), Some("s1"));
    assert_eq!(found.model.as_deref(), Some("m-1"));
    assert_eq!(found.file.record_types["user"], 3);
    assert_eq!(found.window.items[0].label, "Which colour? Tell me.");
}

#[test]
fn a1_a_context_is_of_one_request_and_a_lifetime_counts_each_once() {
    let found = inspect(&session());
    assert_eq!(found.lifetime.requests, 3);
    assert_eq!(found.lifetime.usage.input, Tokens(1000 + 3000 + 3500));
    assert_eq!(found.lifetime.peak, Tokens(3505));
    let reported = found.reported.unwrap();
    assert_eq!((reported.line, reported.context), (7, Tokens(3505)));
    assert_eq!(reported.unseen + reported.estimated, reported.context);
    assert_eq!(found.window.unseen, reported.unseen);
}

#[test]
fn a_compacted_session_has_less_in_view_than_in_history() {
    let mut lines = session();
    let boundary = r#"{"type":"system","subtype":"compact_boundary","uuid":"b1","parentUuid":null,"logicalParentUuid":"a4","compactMetadata":{"trigger":"auto","preTokens":3500}}"#;
    lines.push(boundary.to_string());
    lines.push(user("s1", "b1", "They read a file.").replacen('{', r#"{"isCompactSummary":true,"#, 1));
    lines.push(user("u4", "s1", "And now?"));
    let found = inspect(&lines);
    assert_eq!(found.boundaries.len(), 1);
    assert_eq!((found.boundaries[0].line, found.boundaries[0].before), (8, Tokens(3500)));
    assert_eq!(found.view.messages, Messages { user: 2, assistant: 0, requests: 1, summaries: 1 });
    assert_eq!(found.history.messages, Messages { user: 2, assistant: 3, requests: 2, summaries: 0 });
    assert_eq!(found.history.turns, 1, "the second request has no answer yet");
    assert!(found.view.total < found.history.total);
    assert_eq!(found.window.items[0].state, ItemState::Summary);
    let turns = found.view.largest.iter().map(|item| (item.label.as_str(), item.turn));
    assert!(
        turns.eq([("Summary: They read a file.", 1), ("And now?", 2)]),
        "turns count from the session's start"
    );
    assert_eq!(found.reported, None, "a count from before the boundary says nothing about the view (B5)");
}

#[test]
fn the_window_is_assumed_from_the_largest_request() {
    let small = inspect(&session());
    assert!(small.window_assumed && small.window.window == USUAL_WINDOW);
    let mut lines = session();
    lines.push(assistant("a5", "a4", "r4", r#"{"type":"text","text":"More."}"#, 300_000));
    assert_eq!(inspect(&lines).window.window, LARGE_WINDOW);
}

#[test]
fn a13_numbers_beyond_reason_are_bounded() {
    let mut lines = session();
    lines.push(assistant("a5", "a4", "r4", r#"{"type":"text","text":"More."}"#, u64::MAX));
    let found = inspect(&lines);
    assert_eq!(found.lifetime.peak, usage::MOST);
    assert_eq!(found.lifetime.usage.input, usage::MOST);
}

proptest! {
    #[test]
    fn a6_every_account_adds_up(words in prop::collection::vec(1_usize..400, 1..30), reported in 1_u64..400_000) {
        let mut lines = std::vec![user("u0", "", "Go.")];
        let mut parent = "u0".to_string();
        for (at, &words) in words.iter().enumerate() {
            lines.push(assistant(&format!("a{at}"), &parent, &format!("r{at}"), &read(&format!("c{at}"), "f"), reported));
            lines.push(result(&format!("t{at}"), &format!("a{at}"), &format!("c{at}"), words, words % 2 == 0));
            parent = format!("t{at}");
        }
        let found = inspect(&lines);
        for account in [&found.view, &found.history] {
            prop_assert_eq!(account.total, account.ledger.total());
            prop_assert!(account.largest.len() <= 20);
            prop_assert!(account.largest.is_sorted_by(|a, b| a.tokens >= b.tokens));
            prop_assert_eq!(account.tools.iter().map(|tool| tool.calls).sum::<u64>(), words.len() as u64);
        }
        let items: Ledger = found.window.items.iter().fold(Ledger::new(), |sum, item| sum + item.ledger);
        prop_assert_eq!(items, found.window.ledger);
        let gauge = found.window.gauge;
        prop_assert_eq!(gauge.used + gauge.reserve + gauge.free, found.window.window + gauge.over);
        prop_assert_eq!(found.file.lines.total(), found.file.line_count);
        prop_assert_eq!(found.file.record_types.values().sum::<usize>() as u64, found.file.records);
    }

    #[test]
    fn a3_a_report_has_the_total_that_the_engine_decides_by(permille in 400_u64..3000) {
        let log = Log::read(session().join("\n").as_bytes()).unwrap();
        let policy = Policy::default();
        let view = View::of(Session::load(&log).view, super::super::tokens::Estimator::new(policy.profile));
        let factor = Factor::of(Tokens(permille), Tokens(1000));
        let mut prelude = Ledger::new();
        prelude.add(Category::System, Tokens(777));
        let parts = WindowParts { model: "m", thresholds: policy.thresholds(), prelude, view: &view, factor, unseen: Tokens::ZERO };
        let report = WindowReport::of(&parts);
        prop_assert_eq!(report.total, factor.apply(prelude.total() + view.ledger().total()));
        prop_assert_eq!(report.ledger.total(), report.total);
        let items: Tokens = report.items.iter().map(|item| item.tokens).sum();
        let conversation = factor.apply(view.ledger().total());
        prop_assert!(items >= conversation && items.get() <= conversation.get() + view.len() as u64);
    }
}
