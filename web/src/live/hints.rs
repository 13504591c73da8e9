//! What to do when no answer came: a page cannot tell a dead server from one that does not allow it, so it says both.

use leptos::prelude::*;

/// What to check, by address. `origin` is this page's own.
pub(crate) fn for_network(address: &str, origin: &str) -> Vec<String> {
    let mut hints = Vec::new();
    if !allowed(address) {
        hints.push(format!(
            "This page's own policy does not let it call {address}: it names Anthropic, OpenAI, OpenRouter and servers on this machine. Whoever hosts the page adds other addresses to connect-src in index.html."
        ));
    }
    if address.contains(":11434") {
        hints.push(format!(
            "Ollama: start it with OLLAMA_ORIGINS={origin} ollama serve, so that it allows this page."
        ));
    } else if address.contains(":1234") {
        hints
            .push("LM Studio: switch CORS on in its server settings, or lms server start --cors.".to_owned());
    } else if is_local(address) {
        hints.push(format!(
            "A server on this machine: is it running, and does it send Access-Control-Allow-Origin for {origin}? llama.cpp's server does by default."
        ));
    }
    if is_local(address) && origin.starts_with("https:") {
        hints.push(
            "This page came over https; the browser may ask whether it may reach the local network, or refuse. Served from this machine (cargo xtask serve) it has no such limit."
                .to_owned(),
        );
    }
    if !is_local(address) {
        hints.push(
            "Is the address right, and is there a connection? Some organisations switch browser access off."
                .to_owned(),
        );
    }
    hints
}

fn is_local(address: &str) -> bool {
    ["http://localhost", "http://127.", "http://[::1]"].iter().any(|start| address.starts_with(start))
}

/// True when the page's security policy lets it connect there, as far as its meta element tells.
fn allowed(address: &str) -> bool {
    let policy = document()
        .query_selector("meta[http-equiv=Content-Security-Policy]")
        .ok()
        .flatten()
        .and_then(|meta| meta.get_attribute("content"))
        .unwrap_or_default();
    let Some(sources) = policy.split(';').find_map(|rule| rule.trim().strip_prefix("connect-src")) else {
        return true;
    };
    sources.split_whitespace().any(|source| match source.strip_suffix(":*") {
        Some(host) => {
            address.strip_prefix(host).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
        }
        None => address == source || address.starts_with(&format!("{source}/")),
    }) || address.starts_with(&window().location().origin().unwrap_or_default())
}
