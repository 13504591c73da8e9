//! What fills a window, and since when: the same account of a session file and of a live session.
//!
//! ```text
//!  Log ─┐                 ┌─ file facts, lines by class, diagnostics
//!       ├─▶ Inspection ───┼─ view, history ─▶ Account { ledger, tools, largest, repeated }
//!  Session ┘              └─ window ─▶ WindowReport { gauge, rows } ◀── a live session's view
//! ```
//!
//! Every number is this crate's estimate, except where it says that a provider or the file reported it.
//!
//! ```
//! use palimpsest_core::inspect::Inspection;
//! use palimpsest_core::transcript::{Log, Session};
//! use palimpsest_core::window::Policy;
//!
//! let log = Log::read(br#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Hello"}}"#)?;
//! let inspection = Inspection::of(&log, &Session::load(&log), &Policy::default(), None);
//! assert_eq!(inspection.history.messages.requests, 1);
//! assert_eq!(inspection.view.ledger.total(), inspection.view.total);
//! # Ok::<(), palimpsest_core::transcript::ReadError>(())
//! ```

mod account;
mod label;
mod report;
mod usage;
mod window;

pub use account::{Account, LargeItem, Messages, RepeatedFile, ToolUse};
pub use report::{FileFacts, Inspection, LARGE_WINDOW, USUAL_WINDOW};
pub use usage::{Lifetime, Reported};
pub use window::{CallRow, CallState, ItemRow, ItemState, WindowParts, WindowReport, rows};

#[cfg(test)]
mod tests;
