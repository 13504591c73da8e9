//! Policies by name, on a window, checked.

use palimpsest_core::window::{Policy, PolicyError};
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use crate::convert::{from_js, to_js, tokens};
use crate::error::{Result, error};

/// One row of the table of policies.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
struct NamedPolicy {
    /// The name that `policy` takes.
    name: String,
    /// What it stands for, in one line.
    about: String,
}

/// The policies that have a name, the default first.
///
/// # Errors
/// None in practice: every name fits into JavaScript.
#[wasm_bindgen(unchecked_return_type = "NamedPolicy[]")]
pub fn policies() -> Result<JsValue> {
    let row = |name: &&str| NamedPolicy {
        name: (*name).to_owned(),
        about: Policy::about(name).unwrap_or_default().to_owned(),
    };
    to_js(&Policy::NAMES.iter().map(row).collect::<Vec<_>>())
}

/// A named policy, on a window of so many tokens (200,000 when none is given).
///
/// # Errors
/// `unknown-policy` lists the names; `bad-argument` for a window that is no number of tokens.
#[wasm_bindgen(unchecked_return_type = "Required<Policy>")]
pub fn policy(name: &str, window: Option<f64>) -> Result<JsValue> {
    let mut policy = named(name)?;
    if let Some(window) = window {
        policy = policy.with_window(tokens(window, "window")?);
    }
    to_js(&policy)
}

/// What of a policy cannot work: nothing when all is well. Takes an object or its JSON text.
///
/// # Errors
/// None in practice: what cannot be read as a policy is a finding, too.
#[wasm_bindgen(js_name = validatePolicy, unchecked_return_type = "PolicyError[]")]
pub fn validate_policy(
    #[wasm_bindgen(unchecked_param_type = "Policy | string")] policy: JsValue,
) -> Result<JsValue> {
    /// As [`PolicyError`], whose field is a name of the type.
    #[derive(Serialize)]
    struct Unreadable<'a> {
        field: &'a str,
        message: String,
    }
    match read(policy) {
        Ok(policy) => to_js(&policy.validate().err().unwrap_or_else(Vec::<PolicyError>::new)),
        Err(found) => {
            let message =
                found.dyn_ref::<js_sys::Error>().map_or_else(String::new, |found| found.message().into());
            to_js(&[Unreadable { field: "policy", message }])
        }
    }
}

/// A policy given as a name or an object; ours when none is given.
pub(crate) fn chosen(policy: JsValue) -> Result<Policy> {
    if policy.is_undefined() || policy.is_null() {
        return Ok(Policy::default());
    }
    match policy.as_string() {
        Some(name) => named(&name),
        None => from_js(policy, "bad-policy", "policy"),
    }
}

/// A policy given as an object or as JSON text.
fn read(policy: JsValue) -> Result<Policy> {
    let object = match policy.as_string() {
        Some(text) => js_sys::JSON::parse(&text)?,
        None => policy,
    };
    from_js(object, "bad-policy", "policy")
}

fn named(name: &str) -> Result<Policy> {
    Policy::named(name).ok_or_else(|| {
        let message = format!("no policy is named {name:?}; there are {}", Policy::NAMES.join(", "));
        error("unknown-policy", &message)
    })
}
