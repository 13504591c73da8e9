//! Wire formats without I/O: a request to bytes, bytes to a reply or a classed failure.

mod failure;
mod reply;

pub use failure::{FailureKind, ModelFailure};
pub use reply::Reply;
