//! Asking a model for a summary, and taking its answer only when it is one.
//!
//! ```text
//!  older items ─ as_text (newest kept when cut, at items) ─▶ prompt ─▶ model ─▶ read ─▶ Summary | why not
//! ```
//!
//! The older part goes in as text inside one user message: no pairing, media or thinking rule can fail on it, it
//! is cut at whole items, and it fits the window of whatever model summarises (C1). The answer changes nothing
//! unless it is a complete summary (C4).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use crate::message::{BlockKind, Item, Origin, Part, StopReason, text};
use crate::provider::Reply;
use crate::request::{Counted, defuse};
use crate::tokens::Estimator;
use crate::unit::Tokens;

/// The nine sections, in order.
pub const SECTIONS: [&str; 9] = [
    "Primary request and intent",
    "Key technical concepts",
    "Files and code",
    "Errors and fixes",
    "Problem solving",
    "All user messages",
    "Pending tasks",
    "Current work",
    "Next step",
];

/// The system prompt of a summarising call.
pub const SYSTEM: &str = "You write the memory of a coding session that is too long to be kept whole. \
Answer with text only. Do not call tools.";

/// At most so many characters of one result go to the summariser; the whole stays in the archive.
const RESULT_CHARS: usize = 4_000;

/// The request's text: the older part, then what is wanted of it.
pub fn prompt(older: &str, omitted: usize, instructions: Option<&str>, aim: Tokens) -> String {
    let sections: Vec<String> =
        SECTIONS.iter().enumerate().map(|(at, name)| format!("{}. {name}", at + 1)).collect();
    let omitted = match omitted {
        0 => String::new(),
        count => format!("[{count} older items were left out to make this fit; they stay in the archive.]\n"),
    };
    let extra = instructions.map(str::trim).filter(|text| !text.is_empty());
    let extra = extra.map(|text| format!("\nThe user asks of this summary: {text}\n")).unwrap_or_default();
    format!(
        "Below is the older part of a session between a user and an assistant that works with tools. It will be \
         removed from the assistant's context, and your summary will stand in its place: whatever is not in it, the \
         assistant no longer knows.\n\n<transcript>\n{omitted}{older}</transcript>\n\n\
         First think inside <analysis> tags: go through the transcript in order and note what the user asked, what was \
         done, what went wrong and how it was put right. Then write inside <summary> tags, about {} tokens, these \
         sections:\n{}\n\n\
         In \"Files and code\" name every file by its path and say what changed in it. In \"Errors and fixes\" keep \
         the user's corrections. In \"All user messages\" quote each one, prohibitions and approvals word for word. \
         In \"Next step\" quote the words that show where the work stood. An earlier summary in the transcript is \
         your own: carry its facts over, they are nowhere else.\n{extra}\
         Format:\n<analysis>\n…\n</analysis>\n<summary>\n1. {}\n…\n</summary>",
        aim.get(),
        sections.join("\n"),
        SECTIONS.first().unwrap_or(&""),
    )
}

/// Items as text for the summariser, oldest first. When they do not fit `budget`, the newest stay (never the
/// oldest: that loses the work in hand); also returns how many were left out.
pub fn as_text(items: &[&Counted], budget: Tokens, estimator: Estimator) -> (String, usize) {
    let mut parts: Vec<String> = Vec::new();
    let mut spent = Tokens::ZERO;
    for entry in items.iter().rev() {
        let Some(part) = item_text(&entry.item) else { continue };
        spent += estimator.text(&part);
        if spent > budget && !parts.is_empty() {
            break;
        }
        if spent > budget {
            // A single item over the whole budget: its head and tail are better than nothing.
            parts.push(shorten(&part, bytes_for(&part, budget, spent)));
            break;
        }
        parts.push(part);
    }
    let sent = items.iter().filter(|entry| item_text(&entry.item).is_some()).count();
    let omitted = sent.saturating_sub(parts.len());
    parts.reverse();
    (parts.concat(), omitted)
}

fn bytes_for(part: &str, budget: Tokens, cost: Tokens) -> usize {
    let bytes = crate::unit::Bytes(part.len() as u64).scaled(budget.get(), cost.get().max(1));
    usize::try_from(bytes.get()).unwrap_or(usize::MAX)
}

/// Head and tail of a text within `max` bytes, with a mark between them that says how much is missing.
pub fn shorten(whole: &str, max: usize) -> String {
    if whole.len() <= max {
        return whole.to_string();
    }
    let mark = format!("\n[… {} bytes left out …]\n", whole.len());
    let room = max.saturating_sub(mark.len());
    let head = text::head(whole, room - room / 3);
    let tail = text::tail(whole, room / 3);
    let missing = whole.len() - head.len() - tail.len();
    let mark = format!("\n[… {missing} bytes left out …]\n");
    if max < mark.len() { text::head(whole, max).to_string() } else { format!("{head}{mark}{tail}") }
}

/// One item; `None` for what must not be summarised: attachments, skill bodies, empty answers (S5).
fn item_text(item: &Item) -> Option<String> {
    match item {
        Item::User(message) => {
            let label = match message.origin {
                Origin::Human => "user",
                Origin::Host => "host",
                Origin::Summary => "earlier summary",
                _ => return None,
            };
            let mut words = message.words();
            for block in &message.blocks {
                match block.kind() {
                    BlockKind::Image => words.push_str(" [image]"),
                    BlockKind::Document => words.push_str(" [document]"),
                    _ => {}
                }
            }
            Some(format!("[{label}]\n{}\n\n", escape(&words)))
        }
        Item::Response(response) => {
            let mut out = String::new();
            for part in &response.parts {
                match part {
                    Part::Block(block) if block.kind() == BlockKind::Text => {
                        let words = block.words().unwrap_or_default();
                        out.extend(["[assistant]\n", &escape(words.trim()), "\n\n"]);
                    }
                    Part::Block(_) => {}
                    Part::Exchange(exchange) => {
                        let input = exchange.call.input();
                        let input = shorten(input.as_str(), RESULT_CHARS);
                        out.extend(["[tool call: ", &exchange.call.name, "]\n", &escape(&input), "\n"]);
                        if let Some(result) = exchange.result() {
                            let label = if result.is_error { "tool error" } else { "tool result" };
                            let words = shorten(&result.words(), RESULT_CHARS);
                            out.extend(["[", label, "]\n", &escape(&words), "\n\n"]);
                        }
                    }
                }
            }
            (!out.is_empty()).then_some(out)
        }
    }
}

/// Text from the session cannot close the transcript or open a summary of its own (X1).
fn escape(words: &str) -> String {
    let words = defuse(words);
    words.replace("</transcript>", "<\u{200b}/transcript>").replace("<summary>", "<\u{200b}summary>")
}

/// Why an answer is not a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unusable {
    /// No text in it: thinking only, or nothing.
    Empty,
    /// It called a tool although it was told not to.
    CalledTool,
    /// It declined.
    Refused,
    /// The output limit cut it.
    Cut,
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the summariser answered without text",
            Self::CalledTool => "the summariser called a tool instead of answering",
            Self::Refused => "the summariser declined",
            Self::Cut => "the summary was cut by the output limit",
        })
    }
}

/// Takes the summary out of a reply, in any legal content shape; the analysis is dropped.
///
/// # Errors
/// Why the reply is no complete summary; the view must not change then (C4).
pub fn read(reply: &Reply) -> Result<String, Unusable> {
    if reply.parts.iter().any(|part| matches!(part, Part::Exchange(_))) {
        return Err(Unusable::CalledTool);
    }
    if reply.stop == StopReason::Refusal {
        return Err(Unusable::Refused);
    }
    let words: Vec<String> = reply
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Block(block) if block.kind() == BlockKind::Text => Some(block.words()?.into_owned()),
            _ => None,
        })
        .collect();
    let answer = words.join("\n");
    let told = without_analysis(&answer);
    let whole = reply.stop == StopReason::EndTurn;
    let inside = match told.rsplit_once("<summary>") {
        Some((_, rest)) => match rest.split_once("</summary>") {
            Some((summary, _)) => summary,
            None if whole => rest,
            None => return Err(Unusable::Cut),
        },
        // No tags at all: what is left beside the analysis is taken for the summary.
        None if whole => told,
        None => return Err(Unusable::Cut),
    };
    let summary = inside.trim();
    if summary.is_empty() { Err(Unusable::Empty) } else { Ok(summary.to_string()) }
}

/// What follows the analysis; nothing of an analysis that never ends.
fn without_analysis(answer: &str) -> &str {
    match answer.split_once("<analysis>") {
        None => answer,
        Some((_, rest)) => rest.split_once("</analysis>").map_or("", |(_, told)| told),
    }
}

/// The words that stand in the view for the older part.
pub fn standing(summary: &str, by_model: bool) -> String {
    let by = if by_model { "a model" } else { "the engine, without a model" };
    format!(
        "[The earlier part of this session was compacted. This summary, written by {by}, stands for it; \
         every message it stands for is kept in the archive.]\n\n{summary}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Block, Exchange, RawJson, ToolCall};

    fn reply(text: &str, stop: StopReason) -> Reply {
        Reply {
            id: "m".into(),
            model: "t".into(),
            parts: alloc::vec![Part::Block(Block::text(text))],
            stop,
            usage: None,
            message: RawJson::parse("{}").unwrap(),
        }
    }

    #[test]
    fn c4_only_a_complete_summary_is_taken() {
        let whole = reply("<analysis>a <b></analysis>\n<summary>\n1. It\n</summary>", StopReason::EndTurn);
        assert_eq!(read(&whole).unwrap(), "1. It");
        assert_eq!(read(&reply("plain words", StopReason::EndTurn)).unwrap(), "plain words");
        assert_eq!(read(&reply("<analysis>x</analysis> rest", StopReason::EndTurn)).unwrap(), "rest");
        let named = "<analysis>I use <summary> tags.</analysis><summary>A</summary></summary>";
        assert_eq!(read(&reply(named, StopReason::EndTurn)).unwrap(), "A");
        assert_eq!(read(&reply("<analysis>only", StopReason::EndTurn)), Err(Unusable::Empty));
        assert_eq!(read(&reply("<summary>half", StopReason::MaxTokens)), Err(Unusable::Cut));
        assert_eq!(read(&reply("  ", StopReason::EndTurn)), Err(Unusable::Empty));
        assert_eq!(read(&reply("no", StopReason::Refusal)), Err(Unusable::Refused));
        let mut calls = reply("text", StopReason::ToolUse);
        let input = RawJson::parse("{}").unwrap();
        calls.parts.push(Part::Exchange(Exchange::pending(ToolCall::new("t", "bash", &input))));
        assert_eq!(read(&calls), Err(Unusable::CalledTool));
    }

    #[test]
    fn e2_head_and_tail_do_not_overlap_and_stay_within_the_limit() {
        let whole = "абв🟡".repeat(100);
        for max in 0..200 {
            assert!(shorten(&whole, max).len() <= max, "{max}");
        }
    }
}
