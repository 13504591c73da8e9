//! Wire formats: a request to a body, an answer to a reply or a classed failure. The host does the sending and holds
//! the key; it never comes here.

use js_sys::Array;
use palimpsest_core::provider::{FailureKind, Headers, ModelFailure, Reply, anthropic, openai};
use palimpsest_core::request::Request;
use serde::Serialize;
use tsify::Tsify;
use wasm_bindgen::prelude::*;

use crate::convert::{Members, to_js};
use crate::error::{Result, error};

/// How a provider is spoken to.
#[derive(Debug, Clone, Copy, Serialize, Tsify)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Wire {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions and everything compatible with it.
    Openai,
}

/// Where a wire's requests go, and with which headers; the host adds its key.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
struct WireFormat {
    /// To be joined with the base address.
    path: String,
    /// Names and values.
    headers: Vec<(String, String)>,
}

/// An answer as it came over HTTP.
#[derive(Debug, Tsify)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    /// The wire it came over.
    pub wire: Wire,
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in any case.
    #[tsify(optional)]
    pub headers: Vec<(String, String)>,
    /// The body's text.
    pub body: String,
}

/// A failed call, and whether the same request may succeed later.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
struct ClassedFailure {
    /// Its class.
    kind: FailureKind,
    /// The HTTP status.
    status: u16,
    /// Class, status and the provider's words in one line.
    message: String,
    /// True for what waiting may cure.
    retryable: bool,
}

impl Wire {
    pub(crate) fn read(name: &str) -> Result<Self> {
        match name {
            "anthropic" => Ok(Self::Anthropic),
            "openai" => Ok(Self::Openai),
            _ => Err(error("bad-argument", &format!("wire {name:?}: there are anthropic and openai"))),
        }
    }

    pub(crate) fn encode(self, request: &Request) -> String {
        match self {
            Self::Anthropic => anthropic::encode(request),
            Self::Openai => openai::encode(request),
        }
    }
}

impl Answer {
    pub(crate) fn read(answer: &JsValue) -> Result<Self> {
        let members = Members::of(answer, "bad-argument", "answer")?;
        let status = members.get("status").and_then(|status| status.as_f64());
        let header = |pair: JsValue| {
            let text = |at| Array::from(&pair).get(at).as_string();
            text(0).zip(text(1)).ok_or_else(|| members.wrong("`headers` must hold pairs of strings"))
        };
        Ok(Self {
            wire: Wire::read(&members.text("wire")?)?,
            status: status.map(http_status).ok_or_else(|| members.wrong("`status` must be a number"))?,
            headers: members.list("headers")?.into_iter().map(header).collect::<Result<_>>()?,
            body: members.text("body")?,
        })
    }

    pub(crate) fn decode(&self) -> core::result::Result<Reply, ModelFailure> {
        let headers: Vec<(&str, &str)> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let headers: &Headers<'_> = &headers;
        match self.wire {
            Wire::Anthropic => anthropic::decode(self.status, headers, &self.body),
            Wire::Openai => openai::decode(self.status, headers, &self.body),
        }
    }
}

/// A status as JavaScript has it; what cannot be one becomes 0, no answer.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "`as` saturates, and NaN becomes 0"
)]
fn http_status(status: f64) -> u16 {
    status as u16
}

/// Where a wire's requests go, and with which headers.
///
/// # Errors
/// `bad-argument` for another wire.
#[wasm_bindgen(js_name = wireFormat, unchecked_return_type = "WireFormat")]
pub fn wire_format(#[wasm_bindgen(unchecked_param_type = "Wire")] wire: &str) -> Result<JsValue> {
    let (path, headers): (_, &[(&str, &str)]) = match Wire::read(wire)? {
        Wire::Anthropic => (anthropic::PATH, &anthropic::HEADERS),
        Wire::Openai => (openai::PATH, &openai::HEADERS),
    };
    let headers = headers.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
    to_js(&WireFormat { path: path.to_owned(), headers })
}

/// What is wrong with an answer, or `null` when it is a reply.
///
/// # Errors
/// `bad-argument` when it is not an answer at all.
#[wasm_bindgen(js_name = modelFailure, unchecked_return_type = "ClassedFailure | null")]
pub fn model_failure(#[wasm_bindgen(unchecked_param_type = "Answer")] answer: &JsValue) -> Result<JsValue> {
    match Answer::read(answer)?.decode() {
        Ok(_) => Ok(JsValue::NULL),
        Err(failure) => {
            let (message, retryable) = (failure.to_string(), failure.is_retryable());
            to_js(&ClassedFailure { kind: failure.kind, status: failure.status, message, retryable })
        }
    }
}
