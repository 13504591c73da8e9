//! What went wrong with a call, in one type for all providers.

use alloc::string::String;
use core::fmt;

use serde::Serialize;

use crate::unit::{Millis, Tokens};

/// The class of a failure: what a caller branches on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify), tsify(missing_as_null))]
#[serde(tag = "class", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum FailureKind {
    /// The prompt is over the window. The numbers are the provider's, where it gave any.
    ContextExceeded {
        /// Tokens of the refused prompt.
        used: Option<Tokens>,
        /// The window.
        limit: Option<Tokens>,
    },
    /// The body is over the provider's byte limit.
    RequestTooLarge,
    /// Too many calls; waiting helps.
    RateLimited {
        /// How long to wait, when the provider says so.
        retry_after: Option<Millis>,
    },
    /// The provider is overloaded or failed; waiting helps.
    Overloaded,
    /// The key is missing or wrong.
    Auth,
    /// The key may not do this, or the server takes no requests from this page's origin.
    Forbidden,
    /// No credit.
    Billing,
    /// The request is malformed: a fault of ours or of a tool schema.
    BadRequest,
    /// The address, model or path does not exist.
    NotFound,
    /// No answer at all: dead host, or a browser that was refused by CORS. A page cannot tell the two apart.
    Network,
    /// The answer cannot be read: HTML, a cut stream, something else.
    Malformed,
    /// The caller cancelled.
    Aborted,
    /// Anything else.
    Other,
}

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct ModelFailure {
    /// Its class.
    pub kind: FailureKind,
    /// The HTTP status; 0 when there was no answer.
    pub status: u16,
    /// The provider's own words, or ours when it had none.
    pub message: String,
}

impl ModelFailure {
    /// True when the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, FailureKind::RateLimited { .. } | FailureKind::Overloaded | FailureKind::Network)
    }

    /// True when a smaller request may succeed.
    pub fn is_context_exceeded(&self) -> bool {
        matches!(self.kind, FailureKind::ContextExceeded { .. } | FailureKind::RequestTooLarge)
    }
}

impl fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            FailureKind::ContextExceeded { .. } => "the prompt is over the model's window",
            FailureKind::RequestTooLarge => "the request has too many bytes",
            FailureKind::RateLimited { .. } => "rate limit; wait and try again",
            FailureKind::Overloaded => "the provider is overloaded; try again",
            FailureKind::Auth => "the key is missing or wrong",
            FailureKind::Forbidden => "the provider does not allow this",
            FailureKind::Billing => "the account has no credit",
            FailureKind::BadRequest => "the provider refused the request",
            FailureKind::NotFound => "no such address or model",
            FailureKind::Network => {
                "no answer: the server is not reachable, or it does not allow this page (CORS)"
            }
            FailureKind::Malformed => "the answer cannot be read",
            FailureKind::Aborted => "cancelled",
            FailureKind::Other => "the call failed",
        };
        f.write_str(what)?;
        if self.status > 0 {
            write!(f, " (status {})", self.status)?;
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        Ok(())
    }
}

impl core::error::Error for ModelFailure {}
