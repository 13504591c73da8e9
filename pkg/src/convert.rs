//! Values across the border: plain objects, numbers as numbers, absent values as `null`.

use palimpsest_core::unit::{Millis, Tokens};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use crate::error::{Result, error};

/// A Rust value as a plain JavaScript one.
pub(crate) fn to_js<T: Serialize>(value: &T) -> Result<JsValue> {
    value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(|found| {
        error("not-representable", &format!("a number is too large for JavaScript: {found}"))
    })
}

/// A JavaScript value as a Rust one; `what` names it in the message.
pub(crate) fn from_js<T: DeserializeOwned>(value: JsValue, code: &str, what: &str) -> Result<T> {
    serde_wasm_bindgen::from_value(value).map_err(|found| error(code, &format!("{what}: {found}")))
}

/// A moment as JavaScript has it. Anything that is no moment counts as the epoch.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and NaN becomes 0"
)]
pub(crate) fn millis(now: f64) -> Millis {
    Millis(now as u64)
}

/// A number of tokens as JavaScript has it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
pub(crate) fn tokens(number: f64, what: &str) -> Result<Tokens> {
    const LARGEST: f64 = 9_007_199_254_740_991.0;
    if (0.0..=LARGEST).contains(&number) && number.fract() == 0.0 {
        return Ok(Tokens(number as u64));
    }
    Err(error("bad-argument", &format!("{what} must be a whole number of tokens, 0 or more; it is {number}")))
}
