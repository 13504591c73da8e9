//! Values across the border: plain objects, numbers as numbers, absent values as `null`.

use js_sys::{Array, Object, Reflect};
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

/// Reads an object's members one by one, naming the one that is not what it should be.
///
/// A derived reader of the same objects would make the wasm file larger by a tenth, and say less.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members<'a> {
    object: &'a JsValue,
    /// The error's code.
    code: &'static str,
    /// What the object is, for messages.
    what: &'static str,
}

impl<'a> Members<'a> {
    pub(crate) fn of(object: &'a JsValue, code: &'static str, what: &'static str) -> Result<Self> {
        if object.is_object() {
            return Ok(Self { object, code, what });
        }
        Err(error(code, &format!("{what} must be an object")))
    }

    /// Refuses members that nobody reads: a misspelt one would be ignored in silence.
    pub(crate) fn only(self, known: &[&str]) -> Result<Self> {
        match keys(self.object).find(|key| !known.contains(&key.as_str())) {
            None => Ok(self),
            Some(key) => Err(self.wrong(&format!("there is no `{key}`; there are {}", known.join(", ")))),
        }
    }

    /// A member; `None` when it is absent, `undefined` or `null`.
    pub(crate) fn get(self, name: &str) -> Option<JsValue> {
        Some(member(self.object, name)).filter(|value| !value.is_undefined() && !value.is_null())
    }

    pub(crate) fn text(self, name: &str) -> Result<String> {
        self.maybe_text(name)?.ok_or_else(|| self.wrong(&format!("`{name}` must be a string")))
    }

    pub(crate) fn maybe_text(self, name: &str) -> Result<Option<String>> {
        let text = |value: JsValue| {
            value.as_string().ok_or_else(|| self.wrong(&format!("`{name}` must be a string")))
        };
        self.get(name).map(text).transpose()
    }

    /// A number of tokens.
    pub(crate) fn maybe_tokens(self, name: &str) -> Result<Option<Tokens>> {
        self.get(name).map(|value| tokens(value.as_f64().unwrap_or(f64::NAN), name)).transpose()
    }

    pub(crate) fn flag(self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.is_truthy())
    }

    /// The elements of an array; none when there is no such member.
    pub(crate) fn list(self, name: &str) -> Result<Vec<JsValue>> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let array = value.dyn_ref::<Array>().ok_or_else(|| self.wrong(&format!("`{name}` must be an array")));
        Ok(array?.iter().collect())
    }

    pub(crate) fn texts(self, name: &str) -> Result<Vec<String>> {
        let text = |value: JsValue| {
            value.as_string().ok_or_else(|| self.wrong(&format!("`{name}` must hold strings only")))
        };
        self.list(name)?.into_iter().map(text).collect()
    }

    pub(crate) fn wrong(self, message: &str) -> JsValue {
        error(self.code, &format!("{}: {message}", self.what))
    }
}

/// The path of the first member of `value` that is not in `known`, which is the same value read and written again.
pub(crate) fn stray(value: &JsValue, known: &JsValue) -> Option<String> {
    keys(value).find_map(|key| {
        // A name of several words may be spelt with underscores where we write hyphens.
        let twin = [key.clone(), key.replace('_', "-")]
            .into_iter()
            .map(|name| member(known, &name))
            .find(|twin| !twin.is_undefined());
        match twin {
            None => Some(key),
            Some(twin) => stray(&member(value, &key), &twin).map(|path| format!("{key}.{path}")),
        }
    })
}

/// The names of an object's members that have a value.
fn keys(value: &JsValue) -> impl Iterator<Item = String> {
    let object = value.dyn_ref::<Object>().filter(|_| !Array::is_array(value));
    let names = object.map(Object::keys).unwrap_or_default();
    let names: Vec<String> = names.iter().filter_map(|name| name.as_string()).collect();
    let value = value.clone();
    names
        .into_iter()
        .filter(move |name| !matches!(member(&value, name), none if none.is_null() || none.is_undefined()))
}

fn member(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap_or(JsValue::UNDEFINED)
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
