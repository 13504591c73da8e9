//! The address after `#`: where the page stands, versioned, so that a link leads to a moment.
//!
//! ```text
//! #v=1&view=demo&step=17&window=32000&policy=palimpsest&small=60
//! ```
//!
//! Names and numbers only: never a key, never anybody's text.

use leptos::prelude::*;
use wasm_bindgen::JsValue;

/// The version this page writes. A link of a later version opens the page at its start.
const VERSION: &str = "1";

/// What a link says. Whatever it leaves out stays as the page has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Link {
    /// The place.
    pub view: Option<String>,
    /// The step of the demo.
    pub step: Option<usize>,
    /// The window the engine believes in, in tokens.
    pub window: Option<u64>,
    /// The policy's name.
    pub policy: Option<String>,
    /// The small simulated model's window, in percent of it.
    pub small: Option<u32>,
}

impl Link {
    /// Reads what follows `#`. What it does not know or cannot read it leaves out.
    pub(crate) fn parse(hash: &str) -> Self {
        let pairs: Vec<(&str, &str)> =
            hash.trim_start_matches('#').split('&').filter_map(|pair| pair.split_once('=')).collect();
        let get = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        if get("v") != Some(VERSION) {
            return Self::default();
        }
        let word = |value: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
            (value.len() <= 40 && value.chars().all(plain)).then(|| value.to_owned())
        };
        Self {
            view: get("view").and_then(word),
            step: get("step").and_then(|value| value.parse().ok()),
            window: get("window").and_then(|value| value.parse().ok()),
            policy: get("policy").and_then(word),
            small: get("small").and_then(|value| value.parse().ok()),
        }
    }

    /// As it stands in the address, with its `#`.
    pub(crate) fn spell(&self) -> String {
        let mut out = format!("#v={VERSION}");
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                out.extend(["&", name, "=", &value]);
            }
        };
        add("view", self.view.clone());
        add("step", self.step.map(|step| step.to_string()));
        add("window", self.window.map(|window| window.to_string()));
        add("policy", self.policy.clone());
        add("small", self.small.map(|small| small.to_string()));
        out
    }

    /// The link the page was opened by.
    pub(crate) fn current() -> Self {
        Self::parse(&window().location().hash().unwrap_or_default())
    }

    /// Shows this link in the address bar, without a new entry in the history.
    pub(crate) fn show(&self) {
        if let Ok(history) = window().history() {
            // Refused in a sandboxed frame; the page does not need it.
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(&self.spell()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_link_comes_back() {
        let link = Link {
            view: Some("demo".into()),
            step: Some(17),
            window: Some(32_000),
            policy: Some("claude-code-2.1.87".into()),
            small: Some(60),
        };
        assert_eq!(link.spell(), "#v=1&view=demo&step=17&window=32000&policy=claude-code-2.1.87&small=60");
        assert_eq!(Link::parse(&link.spell()), link);
    }

    #[wasm_bindgen_test]
    fn what_it_cannot_read_it_leaves_out() {
        let link = Link::parse("#v=1&view=%3Cscript%3E&step=-1&window=x&policy=none&policy=trim&more");
        assert_eq!(link, Link { policy: Some("none".into()), ..Link::default() });
        assert_eq!(Link::parse("#v=2&step=3"), Link::default());
        assert_eq!(Link::parse(""), Link::default());
    }
}
