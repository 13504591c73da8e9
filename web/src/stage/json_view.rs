//! JSON as it is, set out for reading: key order, number spelling and escapes stay.

use leptos::prelude::*;
use leptos::task::spawn_local;
use palimpsest_core::message::json::{Json, JsonKind, string};

use super::part_view::LongText;
use crate::browser;

/// Deeper values stay on one line; the reader of the core has its own limit above this.
const DEPTH: usize = 60;

/// Sets out a JSON text; one that is none comes back as it is.
pub(crate) fn pretty(text: &str) -> String {
    let Ok(value) = Json::parse(text) else { return text.to_owned() };
    let mut out = String::with_capacity(text.len() * 2);
    write(&mut out, value, 0);
    out
}

fn write(out: &mut String, value: Json<'_>, depth: usize) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    match value.kind() {
        JsonKind::Object if depth < DEPTH && value.members().next().is_some() => {
            out.push('{');
            for (at, (key, member)) in value.members().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(out, depth + 1);
                out.push_str(&string(&key));
                out.push_str(": ");
                write(out, member, depth + 1);
            }
            line(out, depth);
            out.push('}');
        }
        JsonKind::Array if depth < DEPTH && value.elements().next().is_some() => {
            out.push('[');
            for (at, element) in value.elements().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                line(out, depth + 1);
                write(out, element, depth + 1);
            }
            line(out, depth);
            out.push(']');
        }
        _ => out.push_str(value.raw()),
    }
}

/// A JSON text with a button that copies it, byte for byte as it is.
#[component]
pub(crate) fn JsonText(#[prop(into)] text: String, #[prop(into)] label: String) -> impl IntoView {
    let said = RwSignal::new("Copy");
    let set_out = pretty(&text);
    let copy = move |_| {
        let text = text.clone();
        spawn_local(async move {
            said.set(if browser::copy(&text).await { "Copied" } else { "The browser refused" });
            let rest = move || {
                // The button may be gone by then.
                let _ = said.try_set("Copy");
            };
            set_timeout(rest, std::time::Duration::from_secs(2));
        });
    };
    view! {
        <div class="json">
            <div class="json-head">
                <span>{label}</span>
                <button type="button" class="button small" on:click=copy aria-live="polite">{move || said.get()}</button>
            </div>
            <LongText text=set_out class="text code" />
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn sets_out_and_changes_nothing() {
        let text = r#"{"b":1.0e+2,"a":[true,{"x":"\u0041\ud83d"}],"e":{},"n":[]}"#;
        let expected = "{\n  \"b\": 1.0e+2,\n  \"a\": [\n    true,\n    {\n      \"x\": \"\\u0041\\ud83d\"\n    }\n  ],\n  \"e\": {},\n  \"n\": []\n}";
        assert_eq!(pretty(text), expected);
        assert_eq!(pretty("not json"), "not json");
    }
}
