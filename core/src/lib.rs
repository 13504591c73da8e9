#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic
    )
)]
//! Palimpsest: the context engine.

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod agent;
pub mod compact;
pub mod inspect;
pub mod message;
pub mod provider;
pub mod request;
#[cfg(feature = "sim")]
pub mod sim;
pub mod tokens;
pub mod transcript;
pub mod unit;
pub mod window;
