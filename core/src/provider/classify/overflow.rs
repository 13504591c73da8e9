//! The sentences by which providers say that a prompt is over the window.
//!
//! ```text
//!  "prompt is too long: 213462 tokens > 200000 maximum"
//!   prompt is too long: {used}  tokens > {limit} maximum  ─▶ ContextExceeded { used: 213462, … }
//! ```
//!
//! A pattern is the sentence itself in lower case: `{used}` and `{limit}` are numbers to keep, `{}` is a
//! number to skip, `…` is anything up to what follows. Each line names who says it; the texts come from
//! public reports and from servers that were asked.

use super::body::Answer;
use crate::provider::FailureKind;
use crate::unit::Tokens;

#[rustfmt::skip]
const SENTENCES: &[&str] = &[
    // Anthropic. In the second, `{used}` is the prompt without the output that was asked for.
    "prompt is too long: {used} tokens > {limit} maximum",
    "input length and `max_tokens` exceed context limit: {used} + {} > {limit}",
    "prompt is too long",
    // OpenAI and those that took over its words: OpenRouter, vLLM, DeepSeek, Together
    "maximum context length is {limit} tokens. however, you requested … {} tokens ({used} in the messages",
    "maximum context length is {limit} tokens. however, you requested … {} tokens ({used} of text input",
    "maximum context length is {limit} tokens. however, you requested … {used} tokens",
    "maximum context length is {limit} tokens. however, your messages resulted in {used} tokens",
    "maximum context length is {limit} tokens. however, your request has {used} input tokens",
    "maximum context length is {limit} tokens and your request has {used} input tokens",
    "maximum context length is … tokens. however, you requested",
    "input exceeds the context window of this model",
    // Google
    "input token count ({used}) exceeds the maximum number of tokens allowed ({limit})",
    "input token count exceeds the maximum number of tokens allowed {limit}",
    // xAI
    "maximum prompt length is {limit} but the request contains {used} tokens",
    // Groq
    "please reduce the length of the messages or completion",
    // llama.cpp
    "request ({used} tokens) exceeds the available context size ({limit} tokens)",
    "request exceeds the available context size",
    // LM Studio
    "tokens to keep from the initial prompt is greater than the context length",
    // GitHub Copilot
    "prompt token count of {used} exceeds the limit of {limit}",
    // MiniMax
    "invalid params, context window exceeds limit",
    // Kimi
    "request exceeded model token limit: {limit} (requested: {used})",
    // Mistral
    "prompt contains {used} tokens … too large for model with {limit} maximum context length",
    // Amazon Bedrock
    "input is too long for requested model",
    // Ollama, where it does not cut silently
    "input length exceeds the context length",
    // LiteLLM, around any of the others
    "contextwindowexceedederror",
];

/// Codes and types that say it by name.
const NAMES: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded"];

/// OpenAI (429) and Groq (413) count a request against the tokens of a minute. Over that limit by itself, it
/// will never pass, however long one waits: for the engine that is a window.
const PER_MINUTE: [&str; 2] = ["limit {limit}, requested {used}", "limit {limit}, used {}, requested {used}"];

/// The overflow that an answer tells of, with the numbers it gives.
pub(super) fn find(status: u16, answer: &Answer) -> Option<FailureKind> {
    let text = &answer.searched;
    let found = SENTENCES.iter().find_map(|pattern| matched(text, pattern));
    if found.is_some() || NAMES.iter().any(|name| answer.is_named(name)) {
        let found = found.unwrap_or_default();
        return Some(FailureKind::ContextExceeded {
            used: answer.used.or(found.used),
            limit: answer.limit.or(found.limit),
        });
    }
    let counted = matches!(status, 413 | 429) || answer.is_named("rate_limit_exceeded");
    let found = PER_MINUTE.iter().filter(|_| counted).find_map(|pattern| matched(text, pattern))?;
    let never_fits = found.used > found.limit && text.contains("tokens per");
    never_fits.then_some(FailureKind::ContextExceeded { used: found.used, limit: found.limit })
}

/// The numbers of a sentence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Numbers {
    used: Option<Tokens>,
    limit: Option<Tokens>,
}

/// Finds a pattern anywhere in a text.
fn matched(text: &str, pattern: &str) -> Option<Numbers> {
    // A pattern begins with words, so only the places where they stand need a try.
    let opening = pattern.split(['{', '…']).next().unwrap_or(pattern);
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(opening)) {
        if let Some(numbers) = text.get(from + at..).and_then(|rest| matched_here(rest, pattern)) {
            return Some(numbers);
        }
        from += at + opening.len().max(1);
    }
    None
}

/// Matches a pattern at the beginning of a text.
fn matched_here(mut text: &str, mut pattern: &str) -> Option<Numbers> {
    let mut numbers = Numbers::default();
    loop {
        if let Some(rest) = pattern.strip_prefix('…') {
            pattern = rest.trim_start();
            text = skipped(text, pattern)?;
            continue;
        }
        if let Some((name, rest)) = pattern.strip_prefix('{').and_then(|rest| rest.split_once('}')) {
            let (number, after) = number(text)?;
            match name {
                "used" => numbers.used = Some(number),
                "limit" => numbers.limit = Some(number),
                _ => {}
            }
            (text, pattern) = (after, rest);
            continue;
        }
        let words = pattern.find(['{', '…']).map_or(pattern, |end| pattern.get(..end).unwrap_or(pattern));
        if words.is_empty() {
            return Some(numbers);
        }
        text = text.strip_prefix(words)?;
        pattern = pattern.get(words.len()..)?;
    }
}

/// The text from where the rest of a pattern may begin: its next number or its next words.
fn skipped<'a>(text: &'a str, pattern: &str) -> Option<&'a str> {
    let at = if pattern.starts_with('{') {
        text.find(|c: char| c.is_ascii_digit())?
    } else {
        let words = pattern.split(['{', '…']).next().unwrap_or(pattern);
        text.find(words)?
    };
    text.get(at..)
}

/// A whole number with or without thousands separators (`200,000`, `200_000`), and what follows it.
fn number(text: &str) -> Option<(Tokens, &str)> {
    let mut value: Option<u64> = None;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let digit_follows = || text.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
        match c.to_digit(10) {
            Some(digit) => {
                value = Some(value.unwrap_or(0).saturating_mul(10).saturating_add(u64::from(digit)));
            }
            None if value.is_some() && matches!(c, ',' | '_') && digit_follows() => {}
            None => break,
        }
        end = at + c.len_utf8();
    }
    Some((Tokens(value?), text.get(end..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use proptest::prelude::*;

    fn numbers(used: u64, limit: u64) -> Numbers {
        Numbers { used: Some(Tokens(used)), limit: Some(Tokens(limit)) }
    }

    #[test]
    fn a_pattern_is_found_anywhere_and_its_numbers_are_read() {
        let pattern = "prompt is too long: {used} tokens > {limit} maximum";
        assert_eq!(matched("x: prompt is too long: 5 tokens > 4 maximum.", pattern), Some(numbers(5, 4)));
        assert_eq!(
            matched("prompt is too long: 1,005 tokens > 1_000 maximum", pattern),
            Some(numbers(1005, 1000))
        );
        assert_eq!(matched("prompt is too long: many tokens > 4 maximum", pattern), None);
        // The opening words may stand twice.
        let twice = "prompt is too long: yes, prompt is too long: 5 tokens > 4 maximum";
        assert_eq!(matched(twice, pattern), Some(numbers(5, 4)));
        assert_eq!(number("99999999999999999999999 x").unwrap().0, Tokens(u64::MAX));
    }

    #[test]
    fn a_gap_ends_at_the_next_number_or_words() {
        let pattern = "contains {used} tokens … too large … {limit} maximum";
        assert_eq!(
            matched("contains 9 tokens and that is too large for m with 8 maximum", pattern),
            Some(numbers(9, 8))
        );
        assert_eq!(matched("contains 9 tokens, too small", pattern), None);
    }

    proptest! {
        #[test]
        fn e1_matching_never_panics(text in any::<String>(), pattern in "[a-z{}… ]{0,20}") {
            matched(&text, &pattern);
            for pattern in SENTENCES {
                matched(&text, pattern);
            }
        }
    }
}
