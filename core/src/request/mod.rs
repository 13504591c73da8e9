//! From the view to a valid request.

mod wire;

pub use wire::{CacheMark, Request, Role, WireMessage};
