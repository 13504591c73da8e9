//! Policies by name, on a window, checked.

use palimpsest_core::window::Policy;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use crate::convert::{from_js, stray, to_js, tokens};
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
/// `bad-policy` for what cannot be read as a policy at all; it names the field.
#[wasm_bindgen(js_name = validatePolicy, unchecked_return_type = "PolicyError[]")]
pub fn validate_policy(
    #[wasm_bindgen(unchecked_param_type = "Policy | string")] policy: JsValue,
) -> Result<JsValue> {
    to_js(&read(policy)?.validate().err().unwrap_or_default())
}

/// A policy given as a name or an object; ours when none is given.
pub(crate) fn chosen(policy: JsValue) -> Result<Policy> {
    if policy.is_undefined() || policy.is_null() {
        return Ok(Policy::default());
    }
    match policy.as_string() {
        Some(name) => named(&name),
        None => from_object(policy),
    }
}

/// A policy given as an object. A member that no policy has is refused, not ignored.
fn from_object(object: JsValue) -> Result<Policy> {
    let policy: Policy = from_js(object.clone(), "bad-policy", "policy")?;
    match stray(&object, &to_js(&policy)?) {
        Some(path) => Err(error("bad-policy", &format!("policy: there is no field `{path}`"))),
        None => Ok(policy),
    }
}

/// A policy given as an object or as JSON text.
fn read(policy: JsValue) -> Result<Policy> {
    let object = match policy.as_string() {
        Some(text) => {
            js_sys::JSON::parse(&text).map_err(|_| error("bad-policy", &"policy: the text is not JSON"))?
        }
        None => policy,
    };
    from_object(object)
}

fn named(name: &str) -> Result<Policy> {
    Policy::named(name).ok_or_else(|| {
        let message = format!("no policy is named {name:?}; there are {}", Policy::NAMES.join(", "));
        error("unknown-policy", &message)
    })
}
