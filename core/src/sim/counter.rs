//! The simulated model's own way to count: by words and punctuation. It is meant to differ from the engine's
//! estimate, as a provider's tokeniser does, so that the engine has something to learn.
//!
//! ```text
//!  roundCents(mills(amount)) ─▶ round·Cents ( mills ( amount ) )      one for about five letters, one a mark
//! ```

use crate::message::{Block, BlockKind, RawJson, ToolCall, ToolResult};
use crate::request::Request;
use crate::unit::Tokens;

/// What one message costs beside its blocks.
const MESSAGE: u64 = 4;
/// What one call, result or tool costs beside its text.
const STRUCTURE: u64 = 12;
/// What a picture costs, whatever its size.
const PICTURE: u64 = 1_200;

/// Characters of a run that make one token.
fn share(script: Script) -> u64 {
    match script {
        Script::Latin => 5,
        Script::Other | Script::Digit => 3,
        Script::Ideograph | Script::Mark | Script::Space => 1,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Digit,
    Ideograph,
    Other,
    Mark,
    Space,
}

fn script(c: char) -> Script {
    match c {
        'a'..='z' | 'A'..='Z' => Script::Latin,
        '0'..='9' => Script::Digit,
        '\u{2e80}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Script::Ideograph,
        _ if c.is_whitespace() => Script::Space,
        _ if c.is_alphanumeric() => Script::Other,
        _ => Script::Mark,
    }
}

/// Counts a text: each run of one script by its share, each line break, and blanks only where there are many.
pub(super) fn text(text: &str) -> u64 {
    let (mut total, mut run, mut blanks) = (0_u64, 0_u64, 0_u64);
    let mut before = Script::Space;
    for c in text.chars() {
        let now = script(c);
        if now != before {
            total += run.div_ceil(share(before));
            (run, blanks) = (0, 0);
        }
        before = now;
        match now {
            Script::Space if c == '\n' => total += 1,
            // One blank belongs to the word behind it; of many, eight are one token.
            Script::Space => {
                blanks += 1;
                total += u64::from(blanks % 8 == 2);
            }
            _ => run += 1,
        }
    }
    total + run.div_ceil(share(before))
}

/// Counts one block of a message, of the system prompt or a tool's schema.
pub(super) fn block(raw: &RawJson) -> u64 {
    if let Some((_, result)) = ToolResult::from_raw(raw.clone()) {
        let pictures = result.blocks().iter().filter(|block| block.kind() == BlockKind::Image).count() as u64;
        return STRUCTURE + text(&result.words()) + pictures * PICTURE;
    }
    let typed = Block::from_raw(raw.clone());
    match typed.kind() {
        BlockKind::Text | BlockKind::Thinking => 1 + text(&typed.words().unwrap_or_default()),
        BlockKind::Image | BlockKind::Document => PICTURE,
        _ => match ToolCall::from_raw(raw.clone()) {
            Some(call) => STRUCTURE + text(&call.name) + text(call.input().as_str()),
            None => STRUCTURE + text(raw.as_str()),
        },
    }
}

/// Counts a whole prompt.
pub(super) fn request(request: &Request) -> Tokens {
    let fixed = request.system.iter().chain(&request.tools);
    let spoken = request.messages.iter().flat_map(|message| &message.blocks);
    Tokens(fixed.chain(spoken).map(block).sum::<u64>() + request.messages.len() as u64 * MESSAGE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_costs_something() {
        assert_eq!(text(""), 0);
        assert_eq!(text("word"), 1);
        assert_eq!(text("roundCents(mills)"), 2 + 1 + 1 + 1);
        assert_eq!(text("四舍五入"), 4);
        assert_eq!(text("округление"), 4);
        assert_eq!(text("12345"), 2);
        assert!(text("        a") < text("a b c d e f g h"));
        assert_eq!(text("a\nb"), 3);
    }
}
