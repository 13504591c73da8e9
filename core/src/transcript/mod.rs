//! The append-only transcript: bytes to records to conversation, and records to append.
//!
//! ```text
//!  .jsonl ──Reader──▶ Log { entries, lines, findings } ──load──▶ Session { view, archive, boundaries, usage }
//!    ▲                                                                     │
//!    └───────────── host appends ◀── Record ◀── Writer ◀──────────── the agent's changes
//! ```
//!
//! The format is Claude Code's: one JSON object a line, linked by `parentUuid`; a `compact_boundary` has a null
//! parent and tells a loader where to resume. The reader takes a file as it is: torn, joined, out of order,
//! with links that lead nowhere. What it had to bridge or leave out it says; the file itself is never changed.
//!
//! ```
//! use palimpsest_core::transcript::{Log, Session};
//!
//! let file = br#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Hello"}}
//! {"type":"assistant","uuid":"a1","parentUuid":"u1","message":{"id":"m1","role":"assistant","content":[{"type":"te"#;
//! let log = Log::read(file)?;
//! let session = Session::load(&log);
//! assert_eq!(session.view.len(), 1);
//! assert_eq!(log.diagnostics[0].to_string().split(':').next(), Some("line 2"));
//! # Ok::<(), palimpsest_core::transcript::ReadError>(())
//! ```

mod chain;
mod diagnostic;
mod entry;
mod load;
mod reader;
mod timestamp;
mod writer;

pub use diagnostic::{Diagnostic, DiagnosticKind, ReadError};
pub use entry::{Entry, EntryKind};
pub use load::{Boundary, INTERRUPTED, ReportedUsage, Session};
pub use reader::{LineCounts, Log, Reader};
pub use timestamp::rfc3339;
pub use writer::{NewBoundary, Record, Replaced, Stretch, Writer};

/// What stands for a cleared result when a boundary record names no words of its own, as Claude Code writes it.
pub const CLEARED: &str = "[Old tool result content cleared]";
