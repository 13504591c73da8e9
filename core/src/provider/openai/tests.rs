//! Bodies and answers of Chat Completions.

use std::format;
use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::message::{Block, Part, RawJson, StopReason, ToolCall, ToolResult};
use crate::provider::{FailureKind, Reply};
use crate::request::{CacheMark, Request, Role, WireMessage};
use crate::tokens::Ledger;
use crate::unit::Tokens;

fn raw(text: &str) -> RawJson {
    RawJson::parse(text).unwrap()
}

fn message(role: Role, blocks: &[&str]) -> WireMessage {
    WireMessage { role, blocks: blocks.iter().map(|block| raw(block)).collect() }
}

fn request(messages: Vec<WireMessage>) -> Request {
    Request {
        model: "qwen3".into(),
        max_tokens: Tokens(4_000),
        system: vec![raw(r#"{"type":"text","text":"You help."}"#), raw(r#"{"type":"text","text":"Linux."}"#)],
        tools: vec![raw(
            r#"{"name":"read","description":"Reads.","input_schema":{"type":"object","properties":{"n":{"maximum":1.0}}}}"#,
        )],
        messages,
        thinking: Some(Tokens(2_000)),
        marks: vec![CacheMark::System],
        estimate: Ledger::new(),
    }
}

/// A round of parallel calls with everything in it that Chat Completions puts elsewhere or cannot hold.
fn round() -> Vec<WireMessage> {
    vec![
        message(
            Role::User,
            &[
                r#"{"type":"text","text":"What is this?"}"#,
                r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBO"}}"#,
                r#"{"type":"document","title":"Plan","source":{"type":"text","media_type":"text/plain","data":"Step one."}}"#,
                r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBE"}}"#,
            ],
        ),
        message(
            Role::Assistant,
            &[
                r#"{"type":"thinking","thinking":"secret","signature":"c2ln"}"#,
                r#"{"type":"text","text":"I look."}"#,
                r#"{"type":"tool_use","id":"toolu_1","name":"read","input":{"big":9007199254740993}}"#,
                r#"{"type":"tool_use","id":"toolu_2","name":"shot","input":{}}"#,
                r#"{"type":"hologram","x":1.0}"#,
            ],
        ),
        message(
            Role::User,
            &[
                r#"{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"no such file"}],"is_error":true}"#,
                r#"{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"image","source":{"type":"url","url":"https://x/y.png"}}]}"#,
                r#"{"type":"text","text":"Go on."}"#,
            ],
        ),
    ]
}

#[test]
fn a_whole_request() {
    let body: Value = serde_json::from_str(&encode(&request(round()))).unwrap();
    insta::assert_snapshot!(serde_json::to_string_pretty(&body).unwrap());
}

#[test]
fn tool_messages_stand_right_behind_their_call_and_images_behind_all_of_them() {
    let body: Value = serde_json::from_str(&encode(&request(round()))).unwrap();
    let messages = body["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "user"]);
    assert!(
        messages
            .iter()
            .filter(|message| message["role"] == "tool")
            .all(|message| message["content"].is_string())
    );
    assert_eq!(messages[5]["content"][1]["image_url"]["url"], "https://x/y.png");
    assert!(!body.to_string().contains("secret"), "thinking is dropped");
    assert!(body.to_string().contains("hologram"), "an unknown block is described");
    // Arguments keep the spelling of their numbers.
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], r#"{"big":9007199254740993}"#);
}

#[test]
fn k4_a_growing_conversation_keeps_the_bytes_before_it() {
    let mut request = request(round());
    let before = encode(&request);
    request.messages.push(message(Role::Assistant, &[r#"{"type":"text","text":"Done."}"#]));
    assert!(encode(&request).starts_with(before.strip_suffix("]}").unwrap()));
}

#[test]
fn the_models_name_decides_how_the_output_limit_is_called() {
    let mut request = request(round());
    for (model, name) in [
        ("gpt-4o", "max_tokens"),
        ("gpt-4.1-mini", "max_tokens"),
        ("gpt-35-turbo", "max_tokens"),
        ("olmo-2", "max_tokens"),
        ("ollama/llama3", "max_tokens"),
        ("gpt-oss-20b", "max_tokens"),
        ("o1", "max_completion_tokens"),
        ("openai/o3-mini", "max_completion_tokens"),
        ("gpt-5", "max_completion_tokens"),
        ("gpt-5.2-pro", "max_completion_tokens"),
    ] {
        request.model = model.into();
        let body: Value = serde_json::from_str(&encode(&request)).unwrap();
        assert_eq!(body[name], 4_000, "{model}");
        assert!(body["max_tokens"].is_null() || body["max_completion_tokens"].is_null());
    }
}

#[test]
fn answers_without_words_and_results_without_output_are_not_empty() {
    let messages = vec![
        message(Role::User, &[r#"{"type":"text","text":"Hi"}"#]),
        message(Role::Assistant, &[r#"{"type":"redacted_thinking","data":"AA"}"#]),
        message(Role::User, &[r#"{"type":"tool_result","tool_use_id":"a"}"#]),
    ];
    let body: Value = serde_json::from_str(&encode(&request(messages))).unwrap();
    assert_eq!(body["messages"][2], json!({"role":"assistant","content":"(no text)"}));
    assert_eq!(body["messages"][3], json!({"role":"tool","tool_call_id":"a","content":"(no output)"}));
}

#[test]
fn a_long_id_is_shortened_for_call_and_result_alike() {
    let call = ToolCall::new(&"x".repeat(60), "read", &raw("{}"));
    let result = ToolResult::text(&call.id, "ok", false);
    let messages = vec![
        WireMessage { role: Role::Assistant, blocks: vec![call.raw().clone()] },
        WireMessage { role: Role::User, blocks: vec![result.raw().clone()] },
    ];
    let body: Value = serde_json::from_str(&encode(&request(messages))).unwrap();
    let id = body["messages"][1]["tool_calls"][0]["id"].as_str().unwrap();
    assert_eq!(id.len(), 40);
    assert_eq!(body["messages"][2]["tool_call_id"], id);
}

/// A completion around a message.
fn completion(message: &str, finish: &str) -> String {
    format!(
        r#"{{"id":"chatcmpl-1","object":"chat.completion","model":"gpt-x","choices":[{{"index":0,"message":{message},"finish_reason":{finish}}}],"usage":{{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050,"prompt_tokens_details":{{"cached_tokens":900}},"completion_tokens_details":{{"reasoning_tokens":30}}}}}}"#
    )
}

fn read(message: &str, finish: &str) -> Reply {
    decode(200, &[], &completion(message, finish)).unwrap()
}

fn calls(reply: &Reply) -> Vec<ToolCall> {
    reply
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Exchange(exchange) => Some(exchange.call.clone()),
            Part::Block(_) => None,
        })
        .collect()
}

fn words(reply: &Reply) -> String {
    let blocks: Vec<Block> = reply
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Block(block) => Some(block.clone()),
            Part::Exchange(_) => None,
        })
        .collect();
    crate::message::joined_text(blocks.iter())
}

#[test]
fn an_answer_with_calls_becomes_a_message_in_anthropics_shape() {
    let reply = read(
        r#"{"role":"assistant","content":"I read \u00e9.","reasoning_content":"hm","annotations":[],"tool_calls":[{"id":"call_1","type":"function","function":{"name":"read","arguments":"{\"path\": \"a.rs\",\n \"n\": 9007199254740993}"}}]}"#,
        r#""tool_calls""#,
    );
    assert_eq!(reply.stop, StopReason::ToolUse);
    let usage = reply.usage.unwrap();
    assert_eq!((usage.context(), usage.cache_read, usage.input), (Tokens(1_000), Tokens(900), Tokens(100)));
    assert_eq!((usage.output, usage.reasoning), (Tokens(50), Tokens(30)));
    assert_eq!(calls(&reply)[0].input().as_str(), r#"{"path": "a.rs",  "n": 9007199254740993}"#);
    insta::assert_snapshot!(reply.message.as_str());
    // What the transcript holds reads back as the same reply.
    let again = super::super::anthropic::read(&reply.message).unwrap();
    assert_eq!((again.parts, again.stop), (reply.parts, reply.stop));
}

#[test]
fn content_in_every_legal_shape() {
    assert_eq!(words(&read(r#"{"content":"one"}"#, r#""stop""#)), "one");
    assert_eq!(
        words(&read(r#"{"content":[{"type":"text","text":"one"},{"type":"text","text":""},"two"]}"#, "null")),
        "one\n\ntwo"
    );
    assert!(read(r#"{"content":null}"#, r#""stop""#).parts.is_empty());
    assert!(read(r#"{"content":""}"#, r#""stop""#).parts.is_empty());
    let unknown = read(r#"{"content":[{"type":"hologram","x":1.0}]}"#, r#""stop""#);
    assert!(unknown.message.as_str().contains(r#"{"type":"hologram","x":1.0}"#));
    let refusal = read(r#"{"content":null,"refusal":"I cannot."}"#, r#""stop""#);
    assert_eq!((refusal.stop, words(&refusal).as_str()), (StopReason::Refusal, "I cannot."));
}

#[test]
fn arguments_that_are_not_an_object_are_kept_in_a_call_that_can_be_answered() {
    let input = |arguments: &str| {
        let message = format!(r#"{{"tool_calls":[{{"id":"c","function":{{"name":"read"{arguments}}}}}]}}"#);
        calls(&read(&message, r#""tool_calls""#))[0].input().as_str().to_string()
    };
    for nothing in
        ["", r#","arguments":null"#, r#","arguments":"""#, r#","arguments":" \n""#, r#","arguments":"{}""#]
    {
        assert_eq!(input(nothing), "{}", "{nothing}");
    }
    assert_eq!(input(r#","arguments":{"a":1.0}"#), r#"{"a":1.0}"#);
    for (arguments, kept) in [
        (r#""{\"a\": ""#, r#"{"_invalid_arguments":"{\"a\": "}"#),
        (r#""[1]""#, r#"{"_invalid_arguments":"[1]"}"#),
        ("[1]", r#"{"_invalid_arguments":"[1]"}"#),
        (r#""rm -rf""#, r#"{"_invalid_arguments":"rm -rf"}"#),
    ] {
        assert_eq!(input(&format!(r#","arguments":{arguments}"#)), kept);
    }
}

#[test]
fn p8_every_call_of_a_reply_has_an_id_of_its_own() {
    let message = r#"{"content":null,"tool_calls":[{"function":{"name":"a"}},{"id":"","function":{"name":"b"}},{"id":"x","function":{"name":"c"}},{"id":"x","function":{"name":"d"}}],"function_call":{"name":"e","arguments":"{}"}}"#;
    let reply = read(message, r#""stop""#);
    // Many servers say "stop" although there are calls to run.
    assert_eq!(reply.stop, StopReason::ToolUse);
    let mut ids: Vec<String> = calls(&reply).iter().map(|call| call.id.as_str().into()).collect();
    assert_eq!(ids.len(), 5);
    assert_eq!(read(message, r#""stop""#).message, reply.message, "the same bytes give the same ids");
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

#[test]
fn finish_reasons_in_their_classes() {
    for (finish, expected) in [
        (r#""stop""#, StopReason::EndTurn),
        (r#""length""#, StopReason::MaxTokens),
        (r#""content_filter""#, StopReason::Refusal),
        (r#""model_context_window_exceeded""#, StopReason::ContextExceeded),
        (r#""eos""#, StopReason::EndTurn),
        ("null", StopReason::EndTurn),
    ] {
        assert_eq!(read(r#"{"content":"x"}"#, finish).stop, expected, "{finish}");
    }
    // Cut in the middle of a call: the call is kept, and that it was cut too.
    let cut = read(
        r#"{"tool_calls":[{"id":"c","function":{"name":"write","arguments":"{\"text\":\"ab"}}]}"#,
        r#""length""#,
    );
    assert_eq!((cut.stop, calls(&cut).len()), (StopReason::MaxTokens, 1));
}

#[test]
fn errors_under_a_200_and_what_is_no_completion() {
    let failure =
        decode(200, &[], r#"{"error":{"code":502,"message":"Provider returned error"}}"#).unwrap_err();
    assert_eq!((failure.kind, failure.status), (FailureKind::Overloaded, 502));
    let body = r#"{"id":"g","choices":[{"error":{"code":400,"message":"prompt is too long: 5 tokens > 4 maximum"},"message":{"content":""},"finish_reason":"error"}]}"#;
    assert!(decode(200, &[], body).unwrap_err().is_context_exceeded());
    assert!(decode(200, &[], r#"{"error":null,"choices":[{"message":{"content":"x"}}]}"#).is_ok());
    for body in [
        "",
        "{}",
        "[]",
        "<html>",
        r#"{"choices":[]}"#,
        r#"{"choices":[{}]}"#,
        r#"{"choices":[{"message":"x"}]}"#,
    ] {
        assert_eq!(decode(200, &[], body).unwrap_err().kind, FailureKind::Malformed, "{body}");
    }
    assert_eq!(decode(401, &[], r#"{"error":"no"}"#).unwrap_err().kind, FailureKind::Auth);
}

#[test]
fn a2_counts_that_are_missing_are_not_zero() {
    let body =
        r#"{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":0,"completion_tokens":3}}"#;
    assert_eq!(decode(200, &[], body).unwrap().usage, None);
    let body = r#"{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":90,"prompt_cache_hit_tokens":64}}"#;
    let usage = decode(200, &[], body).unwrap().usage.unwrap();
    assert_eq!((usage.input, usage.cache_read), (Tokens(26), Tokens(64)));
}

proptest! {
    #[test]
    fn e1_any_text_makes_a_valid_body(words in any::<String>(), model in any::<String>(), id in any::<String>()) {
        let text = Block::text(&words).raw().clone();
        let call = ToolCall::new(&id, &words, &raw("{}"));
        let result = ToolResult::text(&call.id, &words, true);
        let mut request = request(round());
        request.model = model.clone();
        request.system.push(text.clone());
        request.messages[0].blocks.push(text.clone());
        request.messages[1].blocks = vec![text, call.raw().clone()];
        request.messages[2].blocks = vec![result.raw().clone()];
        let body: Value = serde_json::from_str(&encode(&request)).unwrap();
        prop_assert_eq!(body["model"].as_str().unwrap(), model);
        prop_assert_eq!(&body["messages"][2]["tool_calls"][0]["id"], &body["messages"][3]["tool_call_id"]);
    }

    #[test]
    fn e1_any_answer_is_read_or_refused(status: u16, body in any::<String>(), words in any::<String>()) {
        let _ = decode(status, &[], &body);
        let _ = decode(200, &[], &body);
        let quoted = crate::message::json::string(&words);
        let message = format!(r#"{{"content":{quoted},"refusal":{quoted},"x":{quoted},"tool_calls":[{{"id":{quoted},"function":{{"name":{quoted},"arguments":{quoted}}}}}]}}"#);
        let reply = read(&message, &quoted);
        prop_assert!(RawJson::parse(reply.message.as_str()).is_ok());
        prop_assert_eq!(calls(&reply).len(), 1);
    }
}
