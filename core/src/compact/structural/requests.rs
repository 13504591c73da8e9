//! What the user said, word for word.
//!
//! ```text
//! rank 0  the first request     rank 1  the newest
//! then those that forbid or correct something, then the others, then bare commands: each newest first
//! ```

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::form::Entry;
use crate::message::{Block, UserMessage};
use crate::request::defuse;

/// Words that forbid, limit or correct. A match only raises a message's rank, so too many are better than too few.
const CUES: [&str; 62] = [
    "never",
    "don't",
    "dont",
    "don’t",
    "not",
    "no",
    "nope",
    "must",
    "mustn't",
    "shouldn't",
    "can't",
    "cannot",
    "won't",
    "isn't",
    "wrong",
    "incorrect",
    "stop",
    "avoid",
    "without",
    "instead",
    "only",
    "always",
    "revert",
    "undo",
    "actually",
    "rather",
    "prefer",
    "ensure",
    "except",
    "forbidden",
    "nicht",
    "nie",
    "niemals",
    "kein",
    "keine",
    "keinen",
    "nur",
    "immer",
    "falsch",
    "statt",
    "ohne",
    "bitte",
    "pas",
    "jamais",
    "sans",
    "toujours",
    "seulement",
    "nunca",
    "jamás",
    "sin",
    "siempre",
    "sólo",
    "não",
    "sem",
    "sempre",
    "non",
    "senza",
    "не",
    "нельзя",
    "никогда",
    "только",
    "без",
];

/// The same for scripts that do not part words by blanks.
const UNSPACED_CUES: [&str; 16] = [
    "不要",
    "别",
    "不能",
    "不可",
    "禁止",
    "必须",
    "不许",
    "只能",
    "不对",
    "错了",
    "しないで",
    "いけない",
    "必ず",
    "だけ",
    "違う",
    "하지 마",
];

/// True when a text forbids, limits or corrects something.
pub(super) fn is_constraint(words: &str) -> bool {
    let lower = words.to_lowercase();
    let parts = |c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’');
    lower.split(parts).any(|word| CUES.contains(&word)) || UNSPACED_CUES.iter().any(|cue| lower.contains(cue))
}

/// What a person wrote in a message, defused, or `None` when it is the host's words in the user's name.
pub(super) fn typed(message: &UserMessage) -> Option<String> {
    let mut said = String::new();
    for words in message.blocks.iter().filter_map(Block::words) {
        let words = words.trim();
        if words.is_empty() || words.starts_with("<system-reminder>") {
            continue;
        }
        if !said.is_empty() {
            said.push_str("\n\n");
        }
        said.push_str(words);
    }
    let said = unwrapped(&said)?;
    Some(defuse(&said).trim().to_string()).filter(|said| !said.is_empty())
}

/// A command as it was typed, without the tags the host puts around it; `None` for a command's output.
fn unwrapped(said: &str) -> Option<String> {
    const OUTPUTS: [&str; 6] = [
        "<local-command-stdout>",
        "<local-command-stderr>",
        "<local-command-caveat>",
        "<bash-stdout>",
        "<bash-stderr>",
        "<task-notification>",
    ];
    if OUTPUTS.iter().any(|tag| said.starts_with(tag)) || said.starts_with("[Request interrupted by user") {
        return None;
    }
    if let Some(command) = said.strip_prefix("<bash-input>") {
        return Some(format!("! {}", command.trim_end_matches("</bash-input>")));
    }
    if said.starts_with("<command-") {
        let name = inside(said, "command-name")?;
        let arguments = inside(said, "command-args").unwrap_or_default();
        return Some(format!("{name} {arguments}").trim().to_string());
    }
    Some(said.to_string())
}

fn inside<'a>(text: &'a str, tag: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(format!("<{tag}>").as_str())?;
    Some(rest.split_once(format!("</{tag}>").as_str())?.0.trim())
}

/// What the user says in refusing a tool call: the words behind the host's own.
pub(super) fn said_in_refusal(result: &str) -> Option<String> {
    let (_, said) = result.split_once("the user said:\n")?;
    let said = defuse(said.trim());
    (!said.is_empty()).then_some(said)
}

/// Every message once, in order; of the same words said again the first stays.
pub(super) fn entries(said: Vec<String>) -> Vec<Entry> {
    let mut seen = BTreeSet::new();
    let said: Vec<String> = said.into_iter().filter(|words| seen.insert(words.clone())).collect();
    let count = said.len();
    let first = said.iter().position(|words| !is_bare_command(words)).unwrap_or(0);
    let ranked = |(at, text): (usize, String)| {
        let age = count - at;
        let constraint = is_constraint(&text);
        let rank = match at {
            _ if at == first => 0,
            _ if age == 1 => 1,
            _ if constraint => 1 + age,
            _ if !is_bare_command(&text) => 1 + count + age,
            _ => 1 + 2 * count + age,
        };
        Entry { weight: if constraint { 3 } else { 1 }, ..Entry::new(text, rank) }
    };
    said.into_iter().enumerate().map(ranked).collect()
}

/// True for a command without arguments (`/model`): seldom what a session is about.
fn is_bare_command(said: &str) -> bool {
    said.starts_with('/') && !said.contains(char::is_whitespace)
}
