//! The files that plain shell commands read or change.
//!
//! Only what can be told without running a shell: no variables, globs or substitutions. A command it cannot read
//! names no file.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::files::Touch;

/// The files a command names, with what it does to them, in the order of the command.
pub(super) fn touched(command: &str) -> Vec<(String, Touch)> {
    let mut found = Vec::new();
    let mut directory: Option<String> = None;
    let mut lines = command.lines();
    while let Some(line) = lines.next() {
        if let Some(path) = patched(line) {
            found.push((path, Touch::Edited));
            continue;
        }
        let words = words(line);
        for simple in words.split(|word| matches!(word, Word::End)) {
            simple_command(simple, &mut directory, &mut found);
        }
        if let Some(end) = heredoc(line) {
            // A patch fed to `apply_patch` names its files line by line; any other text is only text.
            let is_patch = line.contains("apply_patch");
            for inner in lines.by_ref().take_while(|inner| inner.trim() != end) {
                if let Some(path) = patched(inner).filter(|_| is_patch) {
                    found.push((path, Touch::Edited));
                }
            }
        }
    }
    found
}

/// The file that a line of the patch format names.
pub(super) fn patched(line: &str) -> Option<String> {
    let rest = line.strip_prefix("*** ")?;
    let (what, path) = rest.split_once(": ")?;
    matches!(what, "Add File" | "Update File" | "Delete File" | "Move to").then(|| path.trim().to_string())
}

/// The program a command runs, past a leading `cd … &&` and assignments.
pub(super) fn program(command: &str) -> String {
    let words = words(command.lines().next().unwrap_or_default());
    let simple = words.split(|word| matches!(word, Word::End));
    let named = simple.filter_map(|simple| {
        let mut plain = simple.iter().filter_map(Word::text).skip_while(|word| word.contains('='));
        Some((plain.next()?, plain.next()))
    });
    let first = named.into_iter().find(|(name, _)| *name != "cd");
    first.map_or_else(String::new, |(name, next)| {
        let mut out = String::from(name);
        if let Some(next) = next.filter(|next| next.chars().all(|c| c.is_ascii_alphabetic())) {
            out.push(' ');
            out.push_str(next);
        }
        out
    })
}

enum Word {
    /// A word; `plain` when no shell rule could change it.
    Text { text: String, plain: bool },
    /// `>` or `>>`: the next word is written.
    Write,
    /// `|`, `;`, `&&` and the like.
    End,
}

impl Word {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    fn path(&self) -> Option<&str> {
        let Self::Text { text, plain: true } = self else { return None };
        let named = text.contains(['/', '.']) && text.contains(char::is_alphanumeric);
        (named
            && !text.starts_with('-')
            && !text.starts_with("/dev/")
            && !text.contains("://")
            && !text.ends_with('/'))
        .then_some(text)
    }
}

fn words(line: &str) -> Vec<Word> {
    let mut out = Vec::new();
    let (mut text, mut plain, mut open, mut any) = (String::new(), true, None, false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (open, c) {
            (Some(quote), c) if c == quote => open = None,
            (Some(quote), c) => {
                plain &= quote == '\'' || !matches!(c, '$' | '`');
                text.push(c);
            }
            (None, '\'' | '"') => {
                open = Some(c);
                any = true;
            }
            (None, '\\') => text.extend(chars.next()),
            (None, ' ' | '\t' | '|' | ';' | '&' | '>' | '<' | '(' | ')') => {
                let descriptor = c == '>' && matches!(text.as_str(), "1" | "2");
                if (any || !text.is_empty()) && !descriptor {
                    out.push(Word::Text { text: core::mem::take(&mut text), plain });
                }
                text.clear();
                (plain, any) = (true, false);
                match c {
                    '>' if chars.peek() == Some(&'&') => {
                        chars.next();
                    }
                    '>' => {
                        if chars.peek() == Some(&'>') {
                            chars.next();
                        }
                        out.push(Word::Write);
                    }
                    '|' | ';' | '&' | '(' | ')' => out.push(Word::End),
                    _ => {}
                }
            }
            (None, c) => {
                plain &= !matches!(c, '$' | '`' | '*' | '?' | '{' | '}' | '[' | ']' | '~');
                text.push(c);
            }
        }
    }
    if any || !text.is_empty() {
        out.push(Word::Text { text, plain: plain && open.is_none() });
    }
    out
}

fn simple_command(words: &[Word], directory: &mut Option<String>, found: &mut Vec<(String, Touch)>) {
    let mut note = |path: &str, touch: Touch, directory: &Option<String>| {
        let path = match directory {
            Some(directory) if !path.starts_with('/') => joined(directory, path),
            _ => path.to_string(),
        };
        found.push((path, touch));
    };
    let mut arguments: Vec<&Word> = Vec::new();
    let mut write = false;
    for word in words {
        match word {
            Word::Write => write = true,
            Word::Text { .. } if write => {
                if let Some(path) = word.path() {
                    note(path, Touch::Edited, directory);
                }
                write = false;
            }
            _ => arguments.push(word),
        }
    }
    let mut rest =
        arguments.into_iter().skip_while(|word| word.text().is_some_and(|text| text.contains('=')));
    let Some(name) = rest.next().and_then(Word::text) else { return };
    let rest: Vec<&Word> = rest.collect();
    let flag = |flag: &str| rest.iter().any(|word| word.text().is_some_and(|text| text.starts_with(flag)));
    let touch = match name {
        "cd" => {
            if let Some(Word::Text { text, plain: true }) = rest.first() {
                *directory = Some(match directory.as_deref() {
                    Some(before) if !text.starts_with('/') => joined(before, text),
                    _ => text.clone(),
                });
            }
            return;
        }
        "sed" if flag("-i") || flag("--in-place") => Touch::Edited,
        "sed" | "cat" | "head" | "tail" | "less" | "more" | "nl" | "bat" => Touch::Read,
        "tee" | "touch" | "rm" | "mv" | "cp" => Touch::Edited,
        _ => return,
    };
    // sed's first word that is no flag is its script, unless `-e` or `-f` gave one.
    let script = usize::from(name == "sed" && !flag("-e") && !flag("-f"));
    let named =
        rest.iter().filter(|word| word.text().is_some_and(|text| !text.is_empty() && !text.starts_with('-')));
    for path in named.skip(script).filter_map(|word| word.path()) {
        note(path, touch, directory);
    }
}

fn joined(directory: &str, path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    alloc::format!("{}/{path}", directory.trim_end_matches('/'))
}

/// The word that ends a here-document opened on this line.
fn heredoc(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("<<")?;
    let rest = rest.trim_start_matches('-').trim_start();
    let end = rest.split(|c: char| c.is_whitespace() || matches!(c, ')' | '|' | '>' | ';')).next()?;
    let end = end.trim_matches(['\'', '"']);
    (!end.is_empty() && !end.starts_with('<')).then_some(end)
}
