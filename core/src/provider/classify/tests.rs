//! Every error body that is known, and what it means.

use std::format;
use std::string::String;

use proptest::prelude::*;

use super::*;
use crate::unit::{Millis, Tokens};

fn over(used: impl Into<Option<u64>>, limit: impl Into<Option<u64>>) -> FailureKind {
    FailureKind::ContextExceeded { used: used.into().map(Tokens), limit: limit.into().map(Tokens) }
}

fn waiting(millis: impl Into<Option<u64>>) -> FailureKind {
    FailureKind::RateLimited { retry_after: millis.into().map(Millis) }
}

fn kind_of(status: u16, body: &str) -> FailureKind {
    classify(status, &[], body).kind
}

/// An error in Anthropic's shape.
fn anthropic(kind: &str, message: &str) -> String {
    let message = crate::message::json::string(message);
    format!(r#"{{"type":"error","error":{{"type":"{kind}","message":{message}}},"request_id":"req_1"}}"#)
}

/// An error in OpenAI's shape.
fn openai(kind: &str, code: &str, message: &str) -> String {
    let message = crate::message::json::string(message);
    format!(r#"{{"error":{{"message":{message},"type":"{kind}","param":null,"code":{code}}}}}"#)
}

#[test]
fn anthropics_errors_by_status_and_type() {
    let cases = [
        (400, "invalid_request_error", "messages: at least one message is required", FailureKind::BadRequest),
        (401, "authentication_error", "invalid x-api-key", FailureKind::Auth),
        (
            401,
            "authentication_error",
            "CORS requests must set 'anthropic-dangerous-direct-browser-access' header",
            FailureKind::Auth,
        ),
        (402, "billing_error", "payment required", FailureKind::Billing),
        (
            400,
            "invalid_request_error",
            "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
            FailureKind::Billing,
        ),
        (403, "permission_error", "Your API key does not have permission", FailureKind::Forbidden),
        (404, "not_found_error", "model: claude-nothing", FailureKind::NotFound),
        (413, "request_too_large", "Request exceeds the maximum size", FailureKind::RequestTooLarge),
        (
            429,
            "rate_limit_error",
            "This request would exceed your rate limit of 30,000 input tokens per minute",
            waiting(None),
        ),
        (500, "api_error", "Internal server error", FailureKind::Overloaded),
        (504, "timeout_error", "The request timed out", FailureKind::Overloaded),
        (529, "overloaded_error", "Overloaded", FailureKind::Overloaded),
    ];
    for (status, kind, message, expected) in cases {
        let failure = classify(status, &[], &anthropic(kind, message));
        assert_eq!(failure.kind, expected, "{message}");
        assert_eq!((failure.status, failure.message.as_str()), (status, message), "the provider's own words");
    }
    // The same under a 200, as the end of a broken stream gives it: the type alone decides.
    assert_eq!(kind_of(200, &anthropic("overloaded_error", "Overloaded")), FailureKind::Overloaded);
    assert_eq!(kind_of(200, &anthropic("rate_limit_error", "Slow down")), waiting(None));
    assert_eq!(kind_of(200, &anthropic("authentication_error", "no")), FailureKind::Auth);
}

#[test]
fn every_known_overflow_is_one_and_its_numbers_are_read() {
    // Status, the provider's sentence, tokens, window.
    #[rustfmt::skip]
    let sentences: [(u16, &str, Option<u64>, Option<u64>); 27] = [
        (400, "prompt is too long: 213462 tokens > 200000 maximum", Some(213_462), Some(200_000)),
        (400, "prompt is too long: 345320 tokens > 199999 maximum", Some(345_320), Some(199_999)),
        (400, "Prompt is too long", None, None),
        (400, "input length and `max_tokens` exceed context limit: 184915 + 20000 > 204648, decrease input length or `max_tokens` and try again", Some(184_915), Some(204_648)),
        (400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 8227 tokens. Please reduce the length of the messages.", Some(8_227), Some(8_192)),
        (400, "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.", Some(5_000), Some(8_192)),
        (400, "This model's maximum context length is 4096 tokens. However, you requested 4100 tokens. Please shorten it.", Some(4_100), Some(4_096)),
        (400, "This model's maximum context length is 2048 tokens. However, your request has 2100 input tokens.", Some(2_100), Some(2_048)),
        (400, "'max_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 5000 input tokens (4096 > 8192 - 5000).", Some(5_000), Some(8_192)),
        (400, "Your input exceeds the context window of this model. Please adjust your input and try again.", None, None),
        (400, "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).", Some(1_196_265), Some(1_048_575)),
        (400, "The input token count exceeds the maximum number of tokens allowed 1048576.", None, Some(1_048_576)),
        (400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", Some(537_812), Some(131_072)),
        (400, "Please reduce the length of the messages or completion.", None, None),
        (400, "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (140000 of text input, 2000 of tool input, 8000 in the output).", Some(140_000), Some(131_072)),
        (400, "This endpoint's maximum context length is 131,072 tokens. However, you requested about 150,000 tokens.", Some(150_000), Some(131_072)),
        (400, "This endpoint's maximum context length is X tokens. However, you requested about Y tokens", None, None),
        (400, "request (65561 tokens) exceeds the available context size (65536 tokens), try increasing it", Some(65_561), Some(65_536)),
        (500, "the request exceeds the available context size, try increasing it", None, None),
        (400, "The number of tokens to keep from the initial prompt is greater than the context length.", None, None),
        (400, "prompt token count of 130000 exceeds the limit of 128000", Some(130_000), Some(128_000)),
        (400, "invalid params, context window exceeds limit (2013)", None, None),
        (400, "Your request exceeded model token limit: 131072 (requested: 140001)", Some(140_001), Some(131_072)),
        (400, "Prompt contains 40000 tokens and 100 draft tokens, too large for model with 32768 maximum context length", Some(40_000), Some(32_768)),
        (400, "Input is too long for requested model.", None, None),
        (400, "the input length exceeds the context length", None, None),
        (400, "litellm.ContextWindowExceededError: litellm.BadRequestError: mock\nmodel=mock-ctx.", None, None),
    ];
    for (status, sentence, used, limit) in sentences {
        let shapes = [
            anthropic("invalid_request_error", sentence),
            anthropic("mock_error", sentence),
            openai("invalid_request_error", "null", sentence),
            openai("invalid_request_error", r#""400""#, sentence),
            format!(r#"{{"error":{}}}"#, crate::message::json::string(sentence)),
            format!(
                r#"[{{"error":{{"code":400,"message":{},"status":"INVALID_ARGUMENT"}}}}]"#,
                crate::message::json::string(sentence)
            ),
            format!(
                r#"{{"object":"error","message":{},"code":400}}"#,
                crate::message::json::string(sentence)
            ),
            sentence.into(),
        ];
        for body in shapes {
            let failure = classify(status, &[], &body);
            assert_eq!(failure.kind, over(used, limit), "{body}");
            assert!(failure.is_context_exceeded() && !failure.is_retryable());
        }
    }
}

#[test]
fn overflow_by_code_and_by_number() {
    let coded = openai("invalid_request_error", r#""context_length_exceeded""#, "Too much.");
    assert_eq!(kind_of(400, &coded), over(None, None));
    let llama = r#"{"error":{"code":400,"message":"too long","type":"exceed_context_size_error","n_prompt_tokens":600024,"n_ctx":2048}}"#;
    assert_eq!(kind_of(400, llama), over(600_024, 2_048));
    // Cerebras says nothing at all.
    assert_eq!(kind_of(400, ""), over(None, None));
    assert_eq!(kind_of(413, ""), FailureKind::RequestTooLarge);
    assert_eq!(kind_of(400, "{}"), FailureKind::BadRequest);
}

#[test]
fn a_request_over_the_limit_of_a_minute_never_fits() {
    let words = "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be reduced in order to run successfully.";
    let body = openai("tokens", r#""rate_limit_exceeded""#, words);
    assert_eq!(kind_of(429, &body), over(30_601, 30_000));
    assert_eq!(kind_of(413, &body), over(30_601, 30_000));
    // The same words, but waiting helps: each request fits by itself.
    let used = "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 25000, Requested 8000. Please try again in 6.2s.";
    assert_eq!(kind_of(429, &openai("tokens", r#""rate_limit_exceeded""#, used)), waiting(6_200));
    let requests = "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.";
    assert_eq!(kind_of(429, &openai("requests", r#""rate_limit_exceeded""#, requests)), waiting(20_000));
}

#[test]
fn limits_of_rate_and_money() {
    let headers = [("Retry-After", "12")];
    assert_eq!(classify(429, &headers, &anthropic("rate_limit_error", "slow down")).kind, waiting(12_000));
    let litellm =
        anthropic("rate_limit_error", "litellm.RateLimitError: this is a mock rate limit error ...");
    assert_eq!(kind_of(429, &litellm), waiting(None));
    let quota = openai("insufficient_quota", r#""insufficient_quota""#, "You exceeded your current quota.");
    let failure = classify(429, &headers, &quota);
    assert_eq!(failure.kind, FailureKind::Billing);
    assert!(!failure.is_retryable());
}

#[test]
fn openrouters_errors_under_a_200() {
    let body = r#"{"error":{"code":502,"message":"Provider returned error","metadata":{"provider_name":"X","raw":"upstream connect error"}}}"#;
    let failure = classify(200, &[], body);
    assert_eq!((failure.kind, failure.status), (FailureKind::Overloaded, 502));
    assert_eq!(failure.message, "Provider returned error: upstream connect error");
    let body = r#"{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 5 tokens > 4 maximum\"}}"}}}"#;
    assert_eq!(kind_of(200, body), over(5, 4));
    assert_eq!(
        kind_of(
            200,
            r#"{"error":{"code":400,"message":"m","metadata":{"error_type":"context_length_exceeded"}}}"#
        ),
        over(None, None)
    );
    for (code, expected) in [
        (401, FailureKind::Auth),
        (402, FailureKind::Billing),
        (403, FailureKind::Forbidden),
        (408, FailureKind::Overloaded),
        (429, waiting(None)),
        (503, FailureKind::Overloaded),
    ] {
        let body = format!(r#"{{"error":{{"code":{code},"message":"m"}}}}"#);
        assert_eq!(kind_of(200, &body), expected, "{code}");
        assert_eq!(kind_of(code, &body), expected, "{code}");
    }
}

#[test]
fn web_pages_and_other_text() {
    let page = "\n<!DOCTYPE html><html><head><TITLE>413 Request Entity Too Large</TITLE></head><body>…</body></html>";
    let failure = classify(413, &[], page);
    assert_eq!(failure.kind, FailureKind::RequestTooLarge);
    assert_eq!(failure.message, "a web page instead of JSON: \"413 Request Entity Too Large\"");
    assert_eq!(kind_of(200, page), FailureKind::Malformed);
    assert_eq!(kind_of(400, "<html><title>open"), FailureKind::Malformed);
    assert_eq!(kind_of(502, "<html>"), FailureKind::Overloaded);
    assert_eq!(kind_of(404, "404 page not found"), FailureKind::NotFound);
    assert_eq!(kind_of(200, r#"{"id":"msg_1","content":[{"ty"#), FailureKind::Malformed);
    assert_eq!(kind_of(200, ""), FailureKind::Malformed);
    // Ollama refuses a foreign origin with an empty 403: the message has to say what nobody else does.
    let origin = classify(403, &[], "");
    assert_eq!(origin.kind, FailureKind::Forbidden);
    assert!(origin.message.contains("OLLAMA_ORIGINS"));
    assert_eq!(kind_of(0, ""), FailureKind::Network);
}

#[test]
fn an_ordinary_refusal_that_speaks_of_context_is_none_of_size() {
    for message in [
        "messages.8: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        "messages.12.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_02.",
        "context_management: Extra inputs are not permitted",
        "The context of this conversation is invalid",
        "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-x",
        "messages.3.content.1: text content blocks must contain non-whitespace text",
        "the tool `count_context` has too long a name: 70 characters > 64 maximum",
        "Invalid 'messages[0].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
        "image exceeds 5 MB maximum: 5300000 bytes > 5242880 bytes",
        "This model does not support a context window of 1M tokens",
        "prompt: field required",
    ] {
        for body in
            [anthropic("invalid_request_error", message), openai("invalid_request_error", "null", message)]
        {
            assert_eq!(kind_of(400, &body), FailureKind::BadRequest, "{message}");
        }
    }
    // A wrong key that is refused with the prompt quoted stays a wrong key.
    assert_eq!(kind_of(401, "prompt is too long: 2 tokens > 1 maximum"), FailureKind::Auth);
}

#[test]
fn e1_long_messages_are_cut_between_characters_on_one_line() {
    let long = "Ошибка 🟡\n".repeat(5_000);
    let failure = classify(400, &[], &anthropic("invalid_request_error", &long));
    assert!(failure.message.ends_with('…') && failure.message.chars().count() <= 502);
    assert!(!failure.message.contains('\n'));
}

proptest! {
    #[test]
    fn e1_any_answer_has_a_class(status: u16, body in any::<String>(), name in "[ -~]{0,20}", value in any::<String>()) {
        let failure = classify(status, &[(&name, &value), ("retry-after", &value)], &body);
        prop_assert!(failure.message.chars().count() <= 600);
        classify(status, &[], &openai("x", "null", &body));
        classify(200, &[], &format!(r#"{{"error":{{"message":{},"code":{status}}}}}"#, crate::message::json::string(&body)));
    }
}
