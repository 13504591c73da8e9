//! The words of an error body, whatever its shape.
//!
//! ```text
//!  {"type":"error","error":{"type","message"}}            Anthropic
//!  {"error":{"message","type","param","code"}}            OpenAI, Groq, llama.cpp (+ n_prompt_tokens, n_ctx)
//!  {"error":{"code":502,"message","metadata":{"raw"}}}    OpenRouter; `raw` is the upstream's own body
//!  {"error":"…"}  {"message":"…"}  {"detail":…}           Ollama, Mistral, vLLM
//!  [{"error":{…}}]                                        Google
//!  <html>…  plain text  nothing                           proxies
//! ```

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::message::json::{Json, JsonKind};
use crate::message::text;
use crate::unit::Tokens;

/// So much of a provider's text goes into a failure, in characters.
const SHOWN_CHARS: usize = 500;
/// So much of it is searched for known sentences, in bytes: some servers quote the whole prompt back.
const SEARCHED_BYTES: usize = 8_192;

/// What a body says.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// The provider's own words, shortened, on one line.
    pub(super) message: String,
    /// The same and an upstream's body, in lower case, to search in.
    pub(super) searched: String,
    /// A numeric code that is an HTTP status.
    pub(super) status: Option<u16>,
    /// A prompt's tokens from a member of their own.
    pub(super) used: Option<Tokens>,
    /// A window from a member of its own.
    pub(super) limit: Option<Tokens>,
    /// True for an object that says of itself that it is an error.
    pub(super) is_error: bool,
    /// True when there was no body at all.
    pub(super) is_empty: bool,
    /// True for a web page.
    pub(super) is_html: bool,
    kind: String,
    code: String,
}

impl Answer {
    /// The error's type and code; either may be empty.
    pub(super) fn names(&self) -> [&str; 2] {
        [&self.kind, &self.code]
    }

    /// True when type or code is `name`.
    pub(super) fn is_named(&self, name: &str) -> bool {
        self.kind == name || self.code == name
    }

    /// True when money is the matter. Anthropic says so under a 400, OpenAI under a 429.
    pub(super) fn says_no_credit(&self) -> bool {
        ["billing_error", "insufficient_quota", "billing_hard_limit_reached"]
            .iter()
            .any(|name| self.is_named(name))
            || self.searched.contains("credit balance is too low")
    }
}

/// Reads any body.
pub(super) fn read(body: &str) -> Answer {
    let trimmed = body.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if trimmed.starts_with('<') {
        let message = format!("a web page instead of JSON{}", title(trimmed));
        return Answer { message: shortened(&message), is_html: true, ..Answer::default() };
    }
    let Ok(json) = Json::parse(trimmed) else {
        let (message, searched) = (shortened(trimmed), searched(&[trimmed]));
        return Answer { message, searched, is_empty: trimmed.is_empty(), ..Answer::default() };
    };
    let json = if json.kind() == JsonKind::Array { json.elements().next().unwrap_or(json) } else { json };
    let error = json.get("error").filter(|error| error.kind() != JsonKind::Null);
    from_json(error.unwrap_or(json), error.is_some(), trimmed)
}

fn from_json(error: Json<'_>, is_error: bool, whole: &str) -> Answer {
    let text = |name: &str| error.get(name).and_then(|value| value.as_str());
    let words =
        error.as_str().or_else(|| text("message")).or_else(|| text("detail")).or_else(|| text("error"));
    let metadata = error.get("metadata");
    let raw =
        metadata.and_then(|metadata| metadata.get("raw")).map(|raw| raw.as_str().unwrap_or(raw.raw().into()));
    let raw = raw.unwrap_or_default();
    let code = error.get("code");
    let named = |value: Option<Json<'_>>| value.and_then(|value| value.as_str()).map(Cow::into_owned);
    let typed = ["error_type", "error_code"].iter().find_map(|name| named(metadata?.get(name)));
    // Without words of its own the body speaks for itself.
    let message = words.unwrap_or_else(|| Cow::Borrowed(if error.raw() == "{}" { "" } else { whole }));
    let tokens = |name: &str| error.get(name).and_then(|value| value.as_u64()).map(Tokens);
    Answer {
        searched: searched(&[&message, &raw]),
        message: shortened(&if raw.is_empty() { message } else { Cow::Owned(format!("{message}: {raw}")) }),
        status: code
            .and_then(|code| code.raw().trim_matches('"').parse().ok())
            .filter(|code| (400..600).contains(code)),
        used: tokens("n_prompt_tokens"),
        limit: tokens("n_ctx"),
        is_error: is_error || error.get("type").is_some_and(|kind| kind.is_str("error")),
        is_empty: false,
        is_html: false,
        kind: named(error.get("type")).unwrap_or_default(),
        code: named(code).or(typed).unwrap_or_default(),
    }
}

/// The words on one line, cut between characters, with a mark where something is missing.
fn shortened(words: &str) -> String {
    let line: Vec<&str> = text::head(words, SEARCHED_BYTES).split_whitespace().collect();
    let line = line.join(" ");
    let head = text::head_chars(&line, SHOWN_CHARS);
    if head.len() < line.len() || words.len() > SEARCHED_BYTES { format!("{head} …") } else { line }
}

fn searched(texts: &[&str]) -> String {
    let heads: Vec<String> =
        texts.iter().map(|words| text::head(words, SEARCHED_BYTES).to_ascii_lowercase()).collect();
    heads.join("\n")
}

/// The title of a web page, such as "413 Request Entity Too Large".
fn title(page: &str) -> String {
    let head = text::head(page, SEARCHED_BYTES);
    let lower = head.to_ascii_lowercase();
    let start = lower.find("<title>").map(|at| at + "<title>".len());
    let range = start.and_then(|start| Some(start..start + lower.get(start..)?.find("</title>")?));
    let title = range.and_then(|range| head.get(range)).unwrap_or_default().trim();
    if title.is_empty() { String::new() } else { format!(": \"{}\"", text::head_chars(title, 100)) }
}
