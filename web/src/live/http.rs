//! One call over HTTP: the core spells the body and reads the answer, this sends it.

use gloo_net::http::Request as Post;
use palimpsest_core::agent::Purpose;
use palimpsest_core::provider::{FailureKind, ModelFailure, Reply, anthropic, openai};
use web_sys::AbortSignal;

use super::hints;
use super::secret::Secret;
use crate::state::Sent;
use leptos::prelude::window;

/// Whose wire format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    Anthropic,
    OpenAi,
}

impl Provider {
    pub(crate) const ALL: [Self; 2] = [Self::Anthropic, Self::OpenAi];

    pub(crate) const fn key(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
        }
    }

    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Anthropic => "Anthropic",
            Self::OpenAi => "OpenAI-compatible",
        }
    }

    /// The address that is usual for it.
    pub(crate) const fn address(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
        }
    }
}

/// Where calls go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub provider: Provider,
    /// The base address, without a slash at its end.
    pub address: String,
    pub origin: String,
    pub key: Secret,
}

/// Splits an address typed by a person into base and origin.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn parse_address(typed: &str) -> Result<(String, String), String> {
    let url = web_sys::Url::new(typed.trim())
        .map_err(|_| format!("{typed:?} is no address; it begins with https:// or http://"))?;
    if !matches!(url.protocol().as_str(), "https:" | "http:") {
        return Err("the address begins with https:// or http://".to_owned());
    }
    if !url.username().is_empty() || !url.password().is_empty() {
        return Err(
            "the address must not hold a user name or a password; the key has its own field".to_owned()
        );
    }
    if !url.search().is_empty() || !url.hash().is_empty() {
        return Err("the address must not hold ? or #".to_owned());
    }
    let base = format!("{}{}", url.origin(), url.pathname());
    Ok((base.trim_end_matches('/').to_owned(), url.origin()))
}

/// Sends a request and reads the answer.
///
/// # Errors
/// The class of the failure; without any answer also what to check.
pub(crate) async fn call(target: &Target, sent: &Sent, signal: &AbortSignal) -> Result<Reply, ModelFailure> {
    debug_assert!(matches!(sent.purpose, Purpose::Turn | Purpose::Summary));
    let (path, body) = match target.provider {
        Provider::Anthropic => (anthropic::PATH, anthropic::encode(&sent.request)),
        Provider::OpenAi => (openai::PATH, openai::encode(&sent.request)),
    };
    let mut post = Post::post(&join(&target.address, path)).abort_signal(Some(signal));
    for (name, value) in headers(target) {
        post = post.header(name, &value);
    }
    let unanswered = |error: gloo_net::Error| {
        if signal.aborted() {
            return ModelFailure { kind: FailureKind::Aborted, status: 0, message: String::new() };
        }
        let origin = window().location().origin().unwrap_or_default();
        let mut message = vec![format!("{} ({error}).", target.address)];
        message.extend(hints::for_network(&target.address, &origin));
        ModelFailure { kind: FailureKind::Network, status: 0, message: message.join(" ") }
    };
    let response = post.body(body).map_err(unanswered)?.send().await.map_err(unanswered)?;
    let status = response.status();
    let names: Vec<(String, String)> = response.headers().entries().collect();
    let names: Vec<(&str, &str)> =
        names.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let text = response.text().await.map_err(unanswered)?;
    match target.provider {
        Provider::Anthropic => anthropic::decode(status, &names, &text),
        Provider::OpenAi => openai::decode(status, &names, &text),
    }
}

/// `/v1` may be part of the address or of the path, as people paste either.
fn join(address: &str, path: &str) -> String {
    let path = path.trim_start_matches('/');
    match path.strip_prefix("v1/") {
        Some(rest) if address.ends_with("/v1") => format!("{address}/{rest}"),
        _ => format!("{address}/{path}"),
    }
}

fn headers(target: &Target) -> Vec<(&'static str, String)> {
    let key = target.key.for_origin(&target.origin);
    let mut out: Vec<(&'static str, String)> = Vec::new();
    match target.provider {
        Provider::Anthropic => {
            out.extend(anthropic::HEADERS.iter().map(|(name, value)| (*name, (*value).to_owned())));
            out.extend(key.map(|key| ("x-api-key", key.to_owned())));
        }
        Provider::OpenAi => {
            out.extend(openai::HEADERS.iter().map(|(name, value)| (*name, (*value).to_owned())));
            out.extend(key.map(|key| ("authorization", format!("Bearer {key}"))));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn v1_is_there_once() {
        assert_eq!(
            join("https://api.anthropic.com", "/v1/messages"),
            "https://api.anthropic.com/v1/messages"
        );
        assert_eq!(join("http://h/v1", "/v1/messages"), "http://h/v1/messages");
        assert_eq!(join("http://h/v1", "/chat/completions"), "http://h/v1/chat/completions");
    }
}
