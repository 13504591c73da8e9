//! Bodies and answers of the Messages API.

use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::message::{Block, BlockKind, Part, RawJson, StopReason};
use crate::provider::FailureKind;
use crate::request::{CacheMark, Request, Role, WireMessage};
use crate::tokens::Ledger;
use crate::unit::Tokens;

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn message(role: Role, blocks: &[&str]) -> WireMessage {
    WireMessage { role, blocks: blocks.iter().map(|block| raw(block)).collect() }
}

/// Every kind of block, spelt in ways that a JSON library would change.
fn request() -> Request {
    Request {
        model: "claude-sonnet-4-5".into(),
        max_tokens: Tokens(8_000),
        system: vec![raw(r#"{"type":"text","text":"You help."}"#), raw(r#"{"type":"text","text":"Linux."}"#)],
        tools: vec![raw(r#"{"name":"read","description":"Reads.","input_schema":{"type":"object"}}"#)],
        messages: vec![
            message(
                Role::User,
                &[
                    r#"{"type":"text","text":"Look"}"#,
                    r#"{"type":"image","source":{"type":"url","url":"https://x/y.png"}}"#,
                ],
            ),
            message(
                Role::Assistant,
                &[
                    r#"{"type":"thinking","thinking":"Hm…\u00e9","signature":"c2ln"}"#,
                    r#"{"type":"redacted_thinking","data":"AAEC"}"#,
                    r#"{ "type":"tool_use", "id":"toolu_1","name":"read","input":{"n":1.0,"big":9007199254740993,"s":"\ud83d"} }"#,
                ],
            ),
            message(Role::User, &[r#"{"type":"tool_result","tool_use_id":"toolu_1","content":"ok"}"#]),
        ],
        thinking: Some(Tokens(2_000)),
        marks: vec![
            CacheMark::System,
            CacheMark::Block { message: 0, block: 1 },
            CacheMark::Block { message: 2, block: 0 },
        ],
        estimate: Ledger::new(),
    }
}

#[test]
fn a_whole_request() {
    insta::assert_snapshot!(encode(&request()));
}

#[test]
fn p7_blocks_go_out_byte_for_byte() {
    let request = request();
    let body = encode(&request);
    serde_json::from_str::<Value>(&body).expect("valid JSON");
    for block in &request.messages[1].blocks {
        // A lone surrogate, which no provider takes, is all that is mended (T124).
        let block = block.as_str().replace("\\ud83d", "\\ufffd");
        assert!(body.contains(&block), "{block}");
    }
}

#[test]
fn k4_a_growing_conversation_keeps_the_bytes_before_it() {
    let mut request = request();
    request.marks = vec![CacheMark::System];
    let before = encode(&request);
    request.messages.push(message(Role::Assistant, &[r#"{"type":"text","text":"Done."}"#]));
    let after = encode(&request);
    assert!(after.starts_with(before.strip_suffix("]}").unwrap()));
}

#[test]
fn marks_never_stand_on_thinking_or_empty_text_and_foreign_ones_go() {
    let mut request = request();
    request.messages[0].blocks[0] = raw(r#"{"type":"text","text":" "}"#);
    request.messages[0].blocks[1] = raw(r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}"#);
    request.marks =
        vec![CacheMark::Block { message: 0, block: 0 }, CacheMark::Block { message: 1, block: 0 }];
    assert!(!encode(&request).contains("cache_control"));
    // Without a system prompt the last tool carries its mark.
    request.system.clear();
    request.marks = vec![CacheMark::System];
    assert!(
        encode(&request)
            .contains(r#""input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}]"#)
    );
}

#[test]
fn the_thinking_budget_fits_the_apis_rules_or_is_off() {
    let mut request = request();
    for (max, budget, expected) in [
        (8_000, Some(2_000), Some(2_000)),
        (8_000, Some(9_000), Some(7_999)),
        (8_000, Some(5), Some(1_024)),
        (1_024, Some(2_000), None),
        (8_000, None, None),
    ] {
        request.max_tokens = Tokens(max);
        request.thinking = budget.map(Tokens);
        let body: Value = serde_json::from_str(&encode(&request).replace("\\ud83d", "?")).unwrap();
        assert_eq!(body["thinking"]["budget_tokens"].as_u64(), expected, "{max} {budget:?}");
    }
}

#[test]
fn an_id_of_another_provider_is_mended_for_call_and_result_alike() {
    let mut request = request();
    request.messages[1].blocks[2] = raw(r#"{"type":"tool_use","id":"read:0","name":"read","input":{}}"#);
    request.messages[2].blocks[0] = raw(r#"{"type":"tool_result","tool_use_id":"read:0","content":"ok"}"#);
    let body = encode(&request);
    let body: Value = serde_json::from_str(&body.replace("\\ud83d", "?")).unwrap();
    let id = &body["messages"][1]["content"][2]["id"];
    assert!(id.as_str().unwrap().starts_with("read_0_"), "{id}");
    assert_eq!(id, &body["messages"][2]["content"][0]["tool_use_id"]);
    let body = body.to_string();
    assert!(!body.contains("read:0"));
}

const ANSWER: &str = r#"{
  "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-x",
  "content": [
    {"type":"thinking","thinking":"é \ud83d","signature":"EqQBCg=="},
    {"type":"text","text":"Reading."},
    {"type":"hologram","x":1.0},
    {"type":"tool_use","id":"toolu_9","name":"read","input":{"line":9007199254740993}}
  ],
  "stop_reason": "tool_use", "stop_sequence": null,
  "usage": {"input_tokens":7,"cache_creation_input_tokens":20,"cache_read_input_tokens":300,"output_tokens":40,"service_tier":"standard"}
}"#;

#[test]
fn an_answer_keeps_every_byte_of_its_blocks() {
    let reply = decode(200, &[], ANSWER).unwrap();
    assert_eq!(
        (reply.id.as_str(), reply.model.as_str(), reply.stop),
        ("msg_1", "claude-x", StopReason::ToolUse)
    );
    let usage = reply.usage.unwrap();
    assert_eq!((usage.context(), usage.cache_read, usage.output), (Tokens(327), Tokens(300), Tokens(40)));
    let blocks: Vec<String> = reply
        .parts
        .iter()
        .map(|part| match part {
            Part::Block(block) => block.raw().as_str().to_string(),
            Part::Exchange(exchange) => {
                assert!(exchange.is_pending());
                exchange.call.raw().as_str().to_string()
            }
        })
        .collect();
    assert_eq!(blocks.len(), 4);
    for block in &blocks {
        assert!(ANSWER.contains(block) && reply.message.as_str().contains(block), "{block}");
    }
    // One record is one line.
    assert!(!reply.message.as_str().contains('\n'));
    let answer: Value = serde_json::from_str(&ANSWER.replace("\\ud83d", "?")).unwrap();
    let stored: Value = serde_json::from_str(&reply.message.as_str().replace("\\ud83d", "?")).unwrap();
    assert_eq!(answer, stored);
}

#[test]
fn stop_reasons_in_their_classes() {
    for (reason, expected) in [
        (r#""end_turn""#, StopReason::EndTurn),
        (r#""stop_sequence""#, StopReason::EndTurn),
        (r#""max_tokens""#, StopReason::MaxTokens),
        (r#""pause_turn""#, StopReason::PauseTurn),
        (r#""refusal""#, StopReason::Refusal),
        (r#""model_context_window_exceeded""#, StopReason::ContextExceeded),
        (r#""something_new""#, StopReason::EndTurn),
        ("null", StopReason::EndTurn),
    ] {
        let body = std::format!(r#"{{"content":"Hi","stop_reason":{reason}}}"#);
        let reply = decode(200, &[], &body).unwrap();
        assert_eq!(reply.stop, expected, "{reason}");
        // A compatible server may leave out what a record needs.
        assert!(reply.message.as_str().contains(r#""role":"assistant""#));
        assert!(reply.usage.is_none(), "what was not counted is not zero");
        let Some(Part::Block(block)) = reply.parts.first() else { panic!("one text block") };
        assert_eq!((block.kind(), block.words().unwrap().as_ref()), (BlockKind::Text, "Hi"));
    }
}

#[test]
fn what_is_no_message_is_a_failure() {
    let error = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    assert_eq!(decode(200, &[], error).unwrap_err().kind, FailureKind::Overloaded);
    assert_eq!(decode(529, &[], error).unwrap_err().kind, FailureKind::Overloaded);
    for body in
        ["", "{}", "[]", "null", "<html></html>", r#"{"content":5}"#, r#"{"content":[5]}"#, r#"{"content":["#]
    {
        let failure = decode(200, &[], body).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Malformed, "{body}");
        assert!(!failure.message.is_empty());
    }
    // An answer without content is a message: what to make of it is the loop's business.
    assert!(decode(200, &[], r#"{"content":[],"stop_reason":"end_turn"}"#).unwrap().parts.is_empty());
}

proptest! {
    #[test]
    fn e1_any_text_makes_a_valid_body(
        words in any::<String>(),
        model in any::<String>(),
        id in any::<String>(),
        marks in prop::collection::vec((0_usize..5, 0_usize..5), 0..6),
    ) {
        let text = Block::text(&words).raw().clone();
        let input = raw("{}");
        let call = crate::message::ToolCall::new(&id, &words, &input);
        let result = crate::message::ToolResult::text(&call.id, &words, true);
        let mut request = request();
        request.model = model.clone();
        request.system.push(text.clone());
        request.messages[0].blocks.push(text.clone());
        request.messages[1].blocks = vec![text, call.raw().clone()];
        request.messages[2].blocks = vec![result.raw().clone()];
        request.marks = marks.iter().map(|&(message, block)| CacheMark::Block { message, block }).collect();
        let body: Value = serde_json::from_str(&encode(&request)).unwrap();
        prop_assert_eq!(body["model"].as_str().unwrap(), model);
        prop_assert_eq!(body["messages"][1]["content"][0]["text"].as_str().unwrap(), words);
        prop_assert_eq!(&body["messages"][1]["content"][1]["id"], &body["messages"][2]["content"][0]["tool_use_id"]);
    }

    #[test]
    fn e1_any_answer_is_read_or_refused(status: u16, body in any::<String>(), content in any::<String>()) {
        let _ = decode(status, &[], &body);
        let _ = decode(200, &[], &body);
        let quoted = crate::message::json::string(&content);
        let _ = decode(200, &[], &std::format!(r#"{{"content":[{{"type":{quoted}}},{{"type":"tool_use","id":{quoted}}}]}}"#));
        let reply = decode(200, &[], &std::format!(r#"{{"content":{quoted}}}"#)).unwrap();
        prop_assert!(RawJson::parse(reply.message.as_str()).is_ok());
    }

    /// Cut anywhere, an answer is a failure and never half a message.
    #[test]
    fn c4_half_an_answer_is_none(at in 0..ANSWER.len() - 1) {
        let end = (0..=at).rev().find(|&end| ANSWER.is_char_boundary(end)).unwrap();
        prop_assert_eq!(decode(200, &[], &ANSWER[..end]).unwrap_err().kind, FailureKind::Malformed);
    }
}
