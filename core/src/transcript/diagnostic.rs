//! What was wrong with a file, where, and what was done about it.

use alloc::string::String;
use core::fmt;

use serde::Serialize;

/// What kind of trouble it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum DiagnosticKind {
    /// A line that holds no JSON object.
    Unreadable,
    /// The last line was cut by a crash.
    TornTail,
    /// Two records, or a record and a fragment, share one line.
    Joined,
    /// Records, but no message among them.
    NoMessages,
    /// A user or assistant record without a message that can be read.
    NoMessage,
    /// Two records have one id.
    DuplicateRecord,
    /// A record's parent is not in the file.
    BrokenLink,
    /// A chain of parents runs in a circle.
    Cycle,
    /// A second thread begins without a parent.
    NewRoot,
    /// A boundary without its summary.
    LostSummary,
    /// A call whose result never came.
    UnansweredCall,
    /// A result for a call that is not there.
    OrphanResult,
    /// A second result for one call.
    DuplicateResult,
    /// A second call with one id.
    DuplicateCall,
}

/// One finding. It never stops a load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct Diagnostic {
    /// What kind of trouble.
    pub kind: DiagnosticKind,
    /// The physical line, from 1; 0 when the finding is about the whole file.
    pub line: u64,
    /// What was found and what was done.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        f.write_str(&self.message)
    }
}

/// Why a file cannot be taken as a session at all.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// Nothing in it.
    Empty,
    /// No line of it is a record.
    NotASession {
        /// How many lines were looked at.
        lines: u64,
        /// What was wrong with the first of them.
        first: String,
    },
    /// JSON objects, but none says what it is.
    NoTypes {
        /// How many there are.
        records: u64,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => {
                f.write_str("the file is empty; choose a session file (.jsonl, one JSON object a line)")
            }
            Self::NotASession { lines, first } => write!(
                f,
                "not a session file: none of its {lines} lines is a JSON object (line 1: {first}); \
                 choose a .jsonl transcript"
            ),
            Self::NoTypes { records } => write!(
                f,
                "not a session file: no record with a `type` among its {records} JSON objects; choose a .jsonl transcript"
            ),
        }
    }
}

impl core::error::Error for ReadError {}
