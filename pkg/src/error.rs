//! Failures as JavaScript errors: a message for people, a `code` for programs.

use core::fmt::Display;

use js_sys::{Error, Reflect};
use palimpsest_core::agent::{ConfigError, Refused};
use palimpsest_core::transcript::ReadError;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What a caller branches on. */
export type ErrorCode =
    | "bad-argument"
    | "bad-config"
    | "bad-policy"
    | "busy"
    | "empty-file"
    | "empty-prompt"
    | "invalid-request"
    | "not-a-session"
    | "not-initialised"
    | "unknown-effect"
    | "unknown-policy"
    | "not-representable";

/** What every function of the engine throws. */
export interface PalimpsestError extends Error {
    code: ErrorCode;
}
"#;

/// What every function of this crate fails with: a JavaScript `Error`.
pub(crate) type Result<T> = core::result::Result<T, JsValue>;

/// An `Error` with a message and a code of `ErrorCode`.
pub(crate) fn error(code: &str, message: &impl Display) -> JsValue {
    let error = Error::new(&message.to_string());
    error.set_name("PalimpsestError");
    // A new object takes any property; should it not, the message is still there.
    let _ = Reflect::set(&error, &"code".into(), &code.into());
    error.into()
}

pub(crate) fn read(found: &ReadError) -> JsValue {
    let code = if *found == ReadError::Empty { "empty-file" } else { "not-a-session" };
    error(code, found)
}

pub(crate) fn config(found: &ConfigError) -> JsValue {
    let code = if matches!(found, ConfigError::Policy(_)) { "bad-policy" } else { "bad-config" };
    error(code, found)
}

pub(crate) fn refused(found: Refused) -> JsValue {
    error(if found == Refused::Empty { "empty-prompt" } else { "busy" }, &found)
}
