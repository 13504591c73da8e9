//! Counting: what a text, a picture or a request costs, and how far to trust the number.
//!
//! ```text
//! text ──► scan ──► estimate ──┐                          ┌──► ledger (by category, sums to the total)
//! image, document ──► media ───┴──► raw ──► calibration ──┘
//!                                               ▲
//!                     provider's reply ──► usage ──► price (micro-dollars)
//! ```
//!
//! One estimate serves display, trigger and cut (invariant A3). It is *raw* until [`Calibration`] anchors it on the
//! usage the provider last reported; the same estimator measures before and after a compaction (B6).

mod calibration;
mod estimate;
mod ledger;
mod media;
mod price;
mod scan;
mod usage;
mod weights;

pub use calibration::{Calibration, Factor, Observation, Rejection};
pub use estimate::{Estimator, Framing, Profile};
pub use ledger::{Category, Ledger};
pub use media::{DocumentSource, UNKNOWN_IMAGE, document, image, image_size};
pub use price::{MicroDollars, PriceList, Prices};
pub use usage::{Convention, Counts, Totals, Usage};
