//! What an answer that is no reply means, whoever sent it.
//!
//! ```text
//!  status, headers, body ─ body::read ─▶ { message, type, code, numbers } ─┬ overflow? ─▶ ContextExceeded
//!                                                                          ├ type, code ┐
//!                                                                          └ status ────┴▶ every other class
//! ```
//!
//! Providers share no error format and have no code for "the prompt is too long" in common; Anthropic has
//! none at all. So the words decide, against a list of the sentences that are known ([`overflow`]), never a
//! lone word such as "context": a false match would compact a conversation for nothing.

mod body;
mod overflow;
mod retry;
#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::{String, ToString};

use self::body::Answer;
use super::{FailureKind, Headers, ModelFailure};

/// Classes a failed call. Pure: the same answer always gives the same class. `status` is the HTTP status, 0
/// when there was none; under a 2xx the body's own error decides.
pub fn classify(status: u16, headers: &Headers<'_>, body: &str) -> ModelFailure {
    let answer = body::read(body);
    let status = if (200..300).contains(&status) { answer.status.unwrap_or(status) } else { status };
    let kind = kind(status, headers, &answer);
    let message = match kind {
        _ if answer.message.is_empty() => own_words(status, kind),
        FailureKind::Malformed if !answer.is_html => format!("not a reply: {}", answer.message),
        _ => answer.message,
    };
    ModelFailure { kind, status, message }
}

fn kind(status: u16, headers: &Headers<'_>, answer: &Answer) -> FailureKind {
    if status == 0 && answer.is_empty {
        return FailureKind::Network;
    }
    // A wrong key, path or model says nothing about size, whatever words the body quotes.
    let overflow = if matches!(status, 401..=404) { None } else { overflow::find(status, answer) };
    if let Some(overflow) = overflow {
        return overflow;
    }
    let limited = || FailureKind::RateLimited { retry_after: retry::after(headers, &answer.message) };
    if answer.says_no_credit() {
        return FailureKind::Billing;
    }
    match status {
        // Cerebras refuses a prompt over its window with an empty 400; everyone else explains a 400.
        400 if answer.is_empty => FailureKind::ContextExceeded { used: None, limit: None },
        400 | 422 if answer.is_html => FailureKind::Malformed,
        400 | 422 => FailureKind::BadRequest,
        401 => FailureKind::Auth,
        402 => FailureKind::Billing,
        403 => FailureKind::Forbidden,
        404 | 405 => FailureKind::NotFound,
        413 => FailureKind::RequestTooLarge,
        429 => limited(),
        408 | 409 | 500.. => FailureKind::Overloaded,
        // No error status, or one with no meaning of its own: the body's type or code is all there is.
        _ if answer.is_named("rate_limit_error") || answer.is_named("rate_limit_exceeded") => limited(),
        _ => answer.names().iter().find_map(|name| by_name(name)).unwrap_or(unnamed(answer)),
    }
}

/// The class of an error type or code, where it has one of its own.
fn by_name(name: &str) -> Option<FailureKind> {
    Some(match name {
        "authentication_error" | "invalid_api_key" => FailureKind::Auth,
        "permission_error" => FailureKind::Forbidden,
        "not_found_error" | "model_not_found" => FailureKind::NotFound,
        "request_too_large" => FailureKind::RequestTooLarge,
        "overloaded_error" | "api_error" | "server_error" | "timeout_error" | "internal_server_error" => {
            FailureKind::Overloaded
        }
        "invalid_request_error" => FailureKind::BadRequest,
        _ => return None,
    })
}

/// A body without status, type or code: an error all the same when it is an error object.
fn unnamed(answer: &Answer) -> FailureKind {
    if answer.is_error { FailureKind::Other } else { FailureKind::Malformed }
}

/// What to say when the provider said nothing.
fn own_words(status: u16, kind: FailureKind) -> String {
    match kind {
        FailureKind::Forbidden => {
            "the server gave no reason. Local servers refuse pages of other origins in this way: \
             Ollama takes those that its OLLAMA_ORIGINS lists, LM Studio has a CORS switch"
                .to_string()
        }
        FailureKind::ContextExceeded { .. } => {
            "an empty refusal, which some servers give to a prompt over the window".to_string()
        }
        FailureKind::Malformed => "the answer is empty".to_string(),
        FailureKind::Network => String::new(),
        _ => format!("the server answered {status} without a reason"),
    }
}
