//! Helpers of the tests that span crates.
