//! Memory files: kept in this browser, edited here, listed in the index that a live session starts with.

mod idb;
mod name;
mod store;
mod view;

pub(crate) use store::{Memory, index};
pub(crate) use view::MemoryPlace;
