//! The story played through: by the tools alone, by single requests, and by a session of the engine.

use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use proptest::prelude::*;

use super::host::Host;
use super::*;
use crate::agent::{Event, Purpose, Tier, TurnEnd};
use crate::message::{Block, Part, RawJson, StopReason, ToolCall, ToolResult};
use crate::provider::FailureKind;
use crate::request::{CacheMark, Request, Role, WireMessage};
use crate::tokens::{Estimator, Ledger, Profile};
use crate::unit::Tokens;

fn call(name: &str, input: &str) -> ToolCall {
    ToolCall::new("t", name, &RawJson::parse(input).unwrap())
}

#[test]
fn the_tests_fail_until_the_rounding_is_mended() {
    let mut tools = SimTools::new();
    let test = call("bash", r#"{"command":"npm test"}"#);
    let (output, failed) = tools.run(&test);
    assert!(
        failed
            && output.contains("FAIL  test/money.test.ts")
            && output.contains("❯ roundCents src/money.ts:")
    );
    // Rounding up is wrong as well, in other cases.
    for (function, fails) in [("ceil", true), ("round", false), ("trunc", true)] {
        let mut tools = tools.clone();
        let edit = format!(
            r#"{{"file_path":"src/money.ts","old_string":"Math.floor(amount","new_string":"Math.{function}(amount"}}"#
        );
        assert!(!tools.run(&call("edit", &edit)).1);
        assert_eq!(tools.run(&test).1, fails, "{function}");
    }
    // The sums come from the sources: another surcharge is another sum.
    let edit = r#"{"file_path":"src/quote.ts","old_string":"FUEL_SURCHARGE = 125","new_string":"FUEL_SURCHARGE = 150"}"#;
    tools.run(&call("edit", edit));
    assert!(tools.run(&test).0.contains("expected 5229 to be 5154"));
}

#[test]
fn tools_answer_errors_and_never_panic() {
    let mut tools = SimTools::new();
    for (name, input, words) in [
        ("read", r#"{"file_path":"no.ts"}"#, "no such file"),
        ("read", r#"{"file_path":"src/log.ts","offset":99}"#, "behind its end"),
        (
            "read",
            r#"{"file_path":"src/log.ts","offset":18446744073709551615,"limit":18446744073709551615}"#,
            "behind its end",
        ),
        ("edit", r#"{"file_path":"src/log.ts","old_string":"config","new_string":"x"}"#, "make it longer"),
        ("edit", r#"{"file_path":"src/log.ts","old_string":"","new_string":"x"}"#, "is empty"),
        ("edit", r#"{"file_path":"src/log.ts","old_string":"zzz","new_string":"x"}"#, "does not occur"),
        ("grep", r#"{"pattern":"|"}"#, "pattern is empty"),
        ("list", r#"{"path":"nowhere"}"#, "no such folder"),
        ("bash", r#"{"command":"rm -rf /"}"#, "npm test"),
        ("todo_write", r#"{"todos":5}"#, "not a list"),
        ("fly", "{}", "no tool is named"),
        ("read", r#"{"_invalid_arguments":"{\"file"}"#, "not a JSON object"),
    ] {
        let (text, failed) = tools.run(&call(name, input));
        assert!(failed && text.contains(words), "{name} {input}: {text}");
    }
    let (text, failed) = tools.run(&call("grep", r#"{"pattern":"WARN|ERROR","path":"logs"}"#));
    assert!(!failed && text.contains(" more of ") && text.lines().count() == 61);
    let (text, _) = tools.run(&call("read", r#"{"file_path":"data/tariffs.json","limit":2}"#));
    assert!(text.contains("go on at line 3]"));
}

#[test]
fn the_tools_schemas_and_the_project_are_what_they_should_be() {
    for tool in tools() {
        assert_eq!(tool.input_schema.json().get("type").unwrap().as_str().unwrap(), "object");
    }
    let tools = SimTools::new();
    let json: serde_json::Value = serde_json::from_str(tools.file("data/tariffs.json").unwrap()).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 19);
    // Another way to count than the engine's, but not so far off that a provider seems to cut prompts
    // silently.
    let estimator = Estimator::new(Profile::Claude);
    for (path, text) in tools.files() {
        let (ours, engine) = (counter::text(text), estimator.text(text).get());
        assert!(ours * 10 > engine * 8 && ours * 10 < engine * 16, "{path}: {ours} and {engine}");
        // A read is meant to be as large as an ordinary one, not to spill each time.
        assert!(text.lines().all(|line| line.chars().count() <= 240), "{path}");
    }
}

/// How often a tier acted.
fn count(host: &Host, tier: Tier) -> usize {
    let is = |event: &&Event| match event {
        Event::Cleared { .. } => tier == Tier::Micro,
        Event::Summarised { tier: of, .. } => *of == tier,
        _ => false,
    };
    host.events.iter().filter(is).count()
}

fn ends(host: &Host) -> Vec<&TurnEnd> {
    let ends = host.events.iter().filter_map(|event| match event {
        Event::TurnEnded { end } => Some(end),
        _ => None,
    });
    ends.collect()
}

#[test]
fn the_demo_goes_through_every_tier_and_does_its_work() {
    let host = Host::demo(Tokens(32_000));
    assert_eq!(ends(&host), [&TurnEnd::Done; 7]);
    for tier in [Tier::Micro, Tier::Auto, Tier::Reactive] {
        assert!(count(&host, tier) > 0, "{tier:?}");
    }
    // Auto comes by the engine's own estimate, before any refusal; the refusal is the small model's.
    let at = |wanted: fn(&Event) -> bool| host.events.iter().position(wanted).unwrap();
    let auto = at(|event| matches!(event, Event::Summarised { tier: Tier::Auto, .. }));
    let refusal = at(|event| matches!(event, Event::Overflow { limit: Some(Tokens(16_000)), .. }));
    assert!(auto < refusal);
    assert!((60_000..100_000).contains(&host.traffic.get()), "{}", host.traffic);
    // The work is done, and what was forbidden is not.
    let file = |path| host.tools.file(path).unwrap();
    assert!(file("src/money.ts").contains("Math.round(amount / 10)"));
    assert!(
        file("docs/zh/quotes.md").contains("四舍五入")
            && file("docs/ru/quotes.md").contains("| SEGOT | Göteborg | 9.50 |")
    );
    assert_eq!(file("TARIFFS.md").matches("| BALT-BALT |").count(), 7);
    assert!(!file("TARIFFS.md").contains("goes on here") && file("INCIDENT.md").contains("cacheSeconds=0"));
    assert!(file("REVIEW.md").contains("`taxOn`"));
    assert!(file("config/staging.json").contains("half-up") && file("config/prod.json").contains("down"));
    let answer = host.texts.last().unwrap();
    assert!(
        answer.contains("Kittiwake") && answer.contains("14 March") && answer.contains("config/prod.json"),
        "{answer}"
    );
    let labelled = host.texts.iter().filter(|text| text.contains("simulated model")).count();
    assert_eq!(labelled, 1, "it says once what it is");
}

#[test]
fn the_same_inputs_give_the_same_session() {
    let (one, two) = (Host::demo(Tokens(24_000)), Host::demo(Tokens(24_000)));
    assert_eq!((&one.events, &one.texts, &one.sent), (&two.events, &two.texts, &two.sent));
}

#[test]
fn the_window_decides_when_a_tier_fires() {
    let mut firsts = Vec::new();
    for window in [12_000, 24_000, 48_000, 200_000] {
        let host = Host::demo(Tokens(window));
        assert_eq!(ends(&host), [&TurnEnd::Done; 7], "every turn ends in a window of {window}");
        assert!(host.sent.iter().all(|(_, tokens, refused)| *refused || *tokens <= Tokens(window)));
        let acted = |event: &Event| matches!(event, Event::Cleared { .. } | Event::Summarised { .. });
        let before = host.events.iter().take_while(|event| !acted(event));
        let first = before.filter(|event| matches!(event, Event::RequestSent { .. })).count();
        match window {
            // So small that single results go to artifacts first.
            12_000 => continue,
            200_000 => assert_eq!((count(&host, Tier::Auto), count(&host, Tier::Reactive)), (0, 0)),
            _ => {}
        }
        firsts.push(first);
    }
    assert!(firsts.is_sorted_by(|a, b| a < b), "a larger window acts later: {firsts:?}");
}

/// A request of one user text and what follows it.
fn request(texts: &[&str]) -> Request {
    let message = |(at, text): (usize, &&str)| WireMessage {
        role: if at % 2 == 0 { Role::User } else { Role::Assistant },
        blocks: std::vec![Block::text(text).raw().clone()],
    };
    Request {
        model: LARGE.into(),
        max_tokens: Tokens(4_000),
        system: std::vec![Block::text(SYSTEM).raw().clone()],
        tools: tools().iter().map(crate::agent::ToolSpec::schema).collect(),
        messages: texts.iter().enumerate().map(message).collect(),
        thinking: Some(Tokens(1_024)),
        marks: std::vec![CacheMark::System, CacheMark::Block { message: texts.len() - 1, block: 0 }],
        estimate: Ledger::new(),
    }
}

fn model(window: u64) -> SimModel {
    SimModel::new(SimConfig::new(Tokens(window)))
}

#[test]
fn a_prompt_over_the_window_is_refused_in_the_apis_words() {
    let mut request = request(&["Explore this."]);
    let used = model(0).count(&request);
    assert!(model(used.get()).reply(Purpose::Turn, &request).is_ok());
    let failure = model(used.get() - 1).reply(Purpose::Turn, &request).unwrap_err();
    assert_eq!(
        failure.kind,
        FailureKind::ContextExceeded { used: Some(used), limit: Some(used - Tokens(1)) }
    );
    assert_eq!(failure.status, 400);
    // The small model has half the window; which applies is the request's to say.
    request.model = SMALL.into();
    assert!(model(used.get()).reply(Purpose::Turn, &request).is_err());
    assert!(model(used.get() * 2).reply(Purpose::Turn, &request).is_ok());
    let mut wide = model(10);
    wide.set_window(SMALL, Tokens(90_000));
    assert!(wide.reply(Purpose::Turn, &request).is_ok());
}

#[test]
fn broken_requests_and_changed_thinking_are_refused() {
    let mut request = request(&["Explore this."]);
    let reply = model(90_000).reply(Purpose::Turn, &request).unwrap();
    let blocks: Vec<RawJson> = reply
        .parts
        .iter()
        .map(|part| match part {
            Part::Block(block) => block.raw().clone(),
            Part::Exchange(exchange) => exchange.call.raw().clone(),
        })
        .collect();
    let call = reply.parts.iter().find_map(|part| match part {
        Part::Exchange(exchange) => Some(exchange.call.clone()),
        Part::Block(_) => None,
    });
    request.messages.push(WireMessage { role: Role::Assistant, blocks });
    let orphan = model(90_000).reply(Purpose::Turn, &request).unwrap_err();
    assert_eq!(orphan.kind, FailureKind::BadRequest);
    let result = ToolResult::text(&call.unwrap().id, "    12 lines  README.md", false);
    request.messages.push(WireMessage { role: Role::User, blocks: std::vec![result.raw().clone()] });
    assert!(model(90_000).reply(Purpose::Turn, &request).is_ok());
    let thinking = &mut request.messages[1].blocks[0];
    *thinking = RawJson::parse(thinking.as_str().replace("project", "object")).unwrap();
    let changed = model(90_000).reply(Purpose::Turn, &request).unwrap_err();
    assert_eq!(changed.kind, FailureKind::BadRequest);
    assert!(changed.message.contains("cannot be modified"));
}

#[test]
fn usage_adds_up_and_the_cache_serves_what_stayed_the_same() {
    let mut model = model(90_000);
    let long = "word ".repeat(1_500);
    let first = request(&[&long]);
    let cold = model.reply(Purpose::Turn, &first).unwrap().usage.unwrap();
    assert_eq!((cold.context(), cold.cache_read), (model.count(&first), Tokens::ZERO));
    let mut second = request(&[&long, "Well.", "And now?"]);
    let warm = model.reply(Purpose::Turn, &second).unwrap().usage.unwrap();
    assert_eq!((warm.context(), warm.cache_read), (model.count(&second), cold.cache_write));
    // Without marks nothing is read; a changed beginning is another prefix; so is another model.
    second.marks.clear();
    assert_eq!(model.reply(Purpose::Turn, &second).unwrap().usage.unwrap().cache_read, Tokens::ZERO);
    let changed = request(&[&long.replacen("word", "work", 1), "Well.", "And now?"]);
    let changed = model.reply(Purpose::Turn, &changed).unwrap().usage.unwrap();
    assert!(changed.cache_read < warm.cache_read);
    let mut other = request(&[&long, "Well.", "And now?"]);
    other.model = SMALL.into();
    assert_eq!(model.reply(Purpose::Turn, &other).unwrap().usage.unwrap().cache_read, Tokens::ZERO);
}

/// Asks for a summary of a transcript.
fn summary_of(transcript: &str) -> String {
    let prompt = crate::compact::summary::prompt(transcript, 0, None, Tokens(2_000));
    let reply = model(90_000).reply(Purpose::Summary, &request(&[&prompt])).unwrap();
    crate::compact::summary::read(&reply).unwrap()
}

const TRANSCRIPT: &str = r#"[user]
Mend the tests. Never touch config/prod.json.

[assistant]
I look.

[tool call: read]
{"file_path":"src/money.ts"}
[tool result]
    1	const SECRET_OF_THE_FILE = 1;

[tool call: edit]
{"file_path":"src/money.ts","old_string":"Math.floor(","new_string":"Math.round("}
[tool result]
src/money.ts: replaced one occurrence at line 18

[tool call: bash]
{"command":"npm test"}
[tool error]
 FAIL  test/money.test.ts > half up

"#;

#[test]
fn a_summary_is_filled_from_the_transcript_and_loses_what_summaries_lose() {
    let summary = summary_of(TRANSCRIPT);
    insta::assert_snapshot!(summary);
    assert!(!summary.contains("SECRET_OF_THE_FILE"));
    for name in crate::compact::summary::SECTIONS {
        assert!(summary.contains(name), "{name}");
    }
}

#[test]
fn summaries_of_summaries_shrink_line_by_line() {
    let long =
        format!("[user]\nRemember this: {} the end of it\n\n[assistant]\nYes.\n\n", "detail ".repeat(40));
    let mut summary = summary_of(&long);
    assert!(summary.contains("the end of it"));
    for _ in 0..2 {
        summary =
            summary_of(&format!("[earlier summary]\n{summary}\n\n[user]\nGo on.\n\n[assistant]\nYes.\n\n"));
    }
    assert!(summary.contains("Remember this: detail") && !summary.contains("the end of it"));
}

#[test]
fn what_is_no_longer_in_view_is_not_known() {
    let ask = "Set the rounding mode to half-up in every config file.";
    let edits = |before: &str| {
        let mut request = request(&[before, "Yes.", ask]);
        let call = ToolCall::new(
            "t1",
            "grep",
            &RawJson::parse(r#"{"pattern":"roundingMode","path":"config"}"#).unwrap(),
        );
        let (found, _) = SimTools::new().run(&call);
        request.messages.push(WireMessage { role: Role::Assistant, blocks: std::vec![call.raw().clone()] });
        let result = ToolResult::text(&call.id, &found, false);
        request.messages.push(WireMessage { role: Role::User, blocks: std::vec![result.raw().clone()] });
        model(90_000).reply(Purpose::Turn, &request).unwrap().message.as_str().to_string()
    };
    assert!(!edits("Never touch config/prod.json.").contains("\"file_path\":\"config/prod.json\""));
    assert!(!edits("不要改 config/prod.json。").contains("\"file_path\":\"config/prod.json\""));
    // A prohibition that a compaction lost is a prohibition that is broken.
    assert!(edits("Hello.").contains("\"file_path\":\"config/prod.json\""));
}

#[test]
fn an_answer_over_the_output_limit_is_cut() {
    let mut request = request(&["What can you do"]);
    let whole = model(90_000).reply(Purpose::Turn, &request).unwrap();
    request.max_tokens = Tokens(20);
    let cut = model(90_000).reply(Purpose::Turn, &request).unwrap();
    assert_eq!((whole.stop, cut.stop), (StopReason::EndTurn, StopReason::MaxTokens));
    assert!(cut.usage.unwrap().output <= Tokens(20));
}

/// A word for each task.
const WISHES: [&str; 8] = [
    "Explore",
    "The tests fail",
    "Check the docs",
    "the logs",
    "tariff dump",
    "Review",
    "rounding mode of config",
    "what?",
];

proptest! {
    #[test]
    fn e1_any_conversation_gets_an_answer(
        words in any::<String>(),
        prompt in prop::sample::select(&WISHES[..]),
        result in "[ -~\n\t|:]{0,300}",
    ) {
        let mut model = model(1_000_000);
        let mut tools = SimTools::new();
        let mut request = request(&[&format!("{words}."), "Yes.", &format!("{prompt} {words}")]);
        for _ in 0..6 {
            let Ok(reply) = model.reply(Purpose::Turn, &request) else { break };
            let calls: Vec<ToolCall> = reply.parts.iter().filter_map(|part| match part {
                Part::Exchange(exchange) => Some(exchange.call.clone()),
                Part::Block(_) => None,
            }).collect();
            if calls.is_empty() { break }
            let results = calls.iter().map(|call| {
                tools.run(call);
                ToolResult::text(&call.id, &result, false).raw().clone()
            }).collect();
            let blocks = calls.iter().map(|call| call.raw().clone()).collect();
            request.messages.push(WireMessage { role: Role::Assistant, blocks });
            request.messages.push(WireMessage { role: Role::User, blocks: results });
        }
        summary_of(&result);
    }
}
