//! Questions about what was said: answered from what is still in view, by the words that question and
//! sentence share.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::call::grep;
use super::{Progress, next_move, open};
use crate::sim::scene::{Scene, sentences};

/// Words that say nothing about what is asked.
const COMMON: [&str; 22] = [
    "what",
    "which",
    "when",
    "where",
    "does",
    "that",
    "this",
    "with",
    "from",
    "have",
    "tell",
    "told",
    "your",
    "about",
    "name",
    "remember",
    "recall",
    "please",
    "said",
    "were",
    "beginning",
    "again",
];
/// An answer quotes at most so many sentences.
const QUOTES: usize = 4;

/// Quotes the sentences in view that answer best; searches the files for words that none of them has.
pub(super) fn recall(scene: &Scene) -> Progress {
    let wanted = keywords(&scene.prompt);
    let asked: BTreeSet<&str> = sentences(&scene.prompt).collect();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for sentence in scene.sentences().filter(|sentence| !asked.contains(sentence)) {
        let words = keywords(sentence);
        let shared = wanted.iter().filter(|word| words.contains(*word)).count();
        if shared > 0 && !found.iter().any(|(_, known)| known.contains(sentence) || sentence.contains(known))
        {
            found.push((shared, sentence));
        }
    }
    found.sort_by_key(|(shared, _)| Reverse(*shared));
    found.truncate(QUOTES);
    let known: BTreeSet<String> = found.iter().flat_map(|(_, sentence)| keywords(sentence)).collect();
    let missing: Vec<&str> =
        wanted.iter().filter(|word| !known.contains(*word)).map(String::as_str).collect();
    let quotes: Vec<String> =
        found.iter().map(|(_, sentence)| format!("> {}", sentence.trim_matches('"'))).collect();
    if !quotes.is_empty() {
        let rest = if missing.is_empty() {
            String::new()
        } else {
            format!("\n\nNothing in my context speaks of: {}.", missing.join(", "))
        };
        return Progress::Done(format!("This is what I still have of it:\n{}{rest}", quotes.join("\n")));
    }
    let pattern = missing.join("|");
    if pattern.is_empty() {
        return Progress::Done("I do not know what you mean.".to_string());
    }
    if let Some(calls) = open(scene, alloc::vec![grep(&pattern, "")]) {
        return next_move(
            "Nothing in view speaks of it. Perhaps the files do.",
            "I no longer have that; I search the files.",
            calls,
        );
    }
    Progress::Done(match scene.result("grep", &pattern) {
        Some(result) if result != "no matches" => {
            format!("It was in nothing I still see, but the files say:\n{result}")
        }
        _ => "I do not have that any more: neither my context nor the files speak of it.".to_string(),
    })
}

/// The words of a text that carry meaning, in lower case, cut to their stems.
fn keywords(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let telling = words.filter(|word| word.chars().count() > 3 && !COMMON.contains(word));
    telling.map(|word| crate::message::text::head_chars(word, 6).to_string()).collect()
}
