//! Bytes to records, in pieces of any size, losing nothing.
//!
//! ```text
//! push(bytes) ─▶ lines ─▶ record | joined | blank | unreadable ─▶ [Entry] + diagnostics + counts
//! ```
//!
//! Every physical line falls in exactly one class, so the classes add up to the file's lines.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;

use super::diagnostic::{Diagnostic, DiagnosticKind, ReadError};
use super::entry::Entry;
use crate::message::RawJson;
use crate::message::json::{Json, JsonError, JsonKind};
use crate::unit::Bytes;

/// At most this many findings are told apart; the rest is counted. A 100 MB binary file has many lines.
const MAX_DIAGNOSTICS: usize = 200;
/// How many places of a spoilt line are tried as the start of a record behind a fragment.
const MAX_SALVAGE: usize = 512;

/// How many physical lines fell in each class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(tsify::Tsify))]
pub struct LineCounts {
    /// One record on the line.
    pub record: u64,
    /// Two or more records, or a record and a fragment, on one line.
    pub joined: u64,
    /// Nothing but white space.
    pub blank: u64,
    /// No record on it.
    pub unreadable: u64,
}

impl LineCounts {
    /// All lines.
    pub fn total(&self) -> u64 {
        self.record + self.joined + self.blank + self.unreadable
    }
}

/// What a file held.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// Its records in file order.
    pub entries: Vec<Entry>,
    /// Its lines by class.
    pub lines: LineCounts,
    /// How many bytes were read.
    pub bytes: Bytes,
    /// True when the last line has no line break: the next append must begin with one.
    pub open_end: bool,
    /// Findings, the first 200 of them.
    pub diagnostics: Vec<Diagnostic>,
    /// How many more findings there were.
    pub more_diagnostics: u64,
}

impl Log {
    /// Reads a whole file.
    ///
    /// # Errors
    /// [`ReadError`] when the file is empty or holds no record; everything less is a diagnostic.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let mut reader = Reader::new();
        reader.push(bytes);
        reader.finish()
    }

    fn report(&mut self, kind: DiagnosticKind, line: u64, message: String) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(Diagnostic { kind, line, message });
        } else {
            self.more_diagnostics += 1;
        }
    }
}

/// An incremental reader: give it bytes as they come.
#[derive(Debug, Default)]
pub struct Reader {
    log: Log,
    partial: Vec<u8>,
}

impl Reader {
    /// A reader at the start of a file.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many bytes were taken in so far.
    pub fn bytes(&self) -> Bytes {
        self.log.bytes
    }

    /// How many records were found so far.
    pub fn records(&self) -> usize {
        self.log.entries.len()
    }

    /// Takes the next bytes. A line or a character may be split between two calls.
    pub fn push(&mut self, bytes: &[u8]) {
        self.log.bytes += Bytes(bytes.len() as u64);
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            if self.partial.is_empty() {
                self.line(line, false);
            } else {
                let mut whole = core::mem::take(&mut self.partial);
                whole.extend_from_slice(line);
                self.line(&whole, false);
            }
        }
        self.partial.extend_from_slice(rest);
    }

    /// Ends the file. A last line that is no record was torn by a crash: it is reported, and nothing else is lost.
    ///
    /// # Errors
    /// [`ReadError::Empty`] for a file without bytes, [`ReadError::NotASession`] for one without a record,
    /// [`ReadError::NoTypes`] for JSON lines of another kind.
    pub fn finish(mut self) -> Result<Log, ReadError> {
        if !self.partial.is_empty() {
            self.log.open_end = true;
            let last = core::mem::take(&mut self.partial);
            self.line(&last, true);
        }
        let log = self.log;
        if log.lines.total() == log.lines.blank {
            return Err(ReadError::Empty);
        }
        if log.entries.is_empty() {
            let first = log.diagnostics.first().map(|first| first.message.clone()).unwrap_or_default();
            return Err(ReadError::NotASession { lines: log.lines.total(), first });
        }
        if log.entries.iter().all(|entry| entry.type_name.is_empty()) {
            return Err(ReadError::NoTypes { records: log.entries.len() as u64 });
        }
        Ok(log)
    }

    fn line(&mut self, bytes: &[u8], last: bool) {
        let number = self.log.lines.total() + 1;
        let bytes = if number == 1 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
        let text = match core::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let (kind, what) = if last && error.error_len().is_none() {
                    (DiagnosticKind::TornTail, "the last line was cut inside a character; it is left out")
                } else {
                    (DiagnosticKind::Unreadable, "not UTF-8; the line is left out and stays in the file")
                };
                self.log.report(kind, number, format!("{what} (byte {} of the line)", error.valid_up_to()));
                self.log.lines.unreadable += 1;
                return;
            }
        };
        if text.trim().is_empty() {
            self.log.lines.blank += 1;
            return;
        }
        match Json::parse(text) {
            Ok(value) if value.kind() == JsonKind::Object => {
                self.entry(value.raw(), number);
                self.log.lines.record += 1;
            }
            Ok(_) => {
                let what = "a JSON value but not an object; the line is left out and stays in the file";
                self.log.report(DiagnosticKind::Unreadable, number, what.to_string());
                self.log.lines.unreadable += 1;
            }
            Err(error) => self.spoilt_line(text, number, last, error),
        }
    }

    /// A line that is not one JSON value: find the whole records on it.
    fn spoilt_line(&mut self, text: &str, number: u64, last: bool, error: JsonError) {
        let (found, lost) = salvage(text);
        if found.is_empty() {
            let (kind, message) = if last {
                (
                    DiagnosticKind::TornTail,
                    format!("the last record was cut by a crash and is left out: {error}"),
                )
            } else {
                (DiagnosticKind::Unreadable, format!("{error}; the line is left out and stays in the file"))
            };
            self.log.report(kind, number, message);
            self.log.lines.unreadable += 1;
            return;
        }
        let records = found.len();
        for record in found {
            self.entry(record, number);
        }
        let message = if lost == 0 {
            format!("{records} records share the line; each was read")
        } else {
            format!(
                "a fragment of {lost} bytes shares the line with {records} whole records, which were read"
            )
        };
        self.log.report(DiagnosticKind::Joined, number, message);
        self.log.lines.joined += 1;
    }

    fn entry(&mut self, text: &str, line: u64) {
        // The text was validated by the caller; parsing it again here would only repeat that.
        self.log.entries.push(Entry::from_raw(RawJson::trusted(text.into()), line));
    }
}

/// The whole objects on a line that is not one JSON value, and how many bytes belong to none of them.
fn salvage(text: &str) -> (Vec<&str>, usize) {
    let mut found = Vec::new();
    let mut lost = 0;
    let mut at = 0;
    let mut tries = 0;
    while at < text.len() && tries < MAX_SALVAGE {
        match Json::parse_first(text, at) {
            Ok((value, next)) if value.kind() == JsonKind::Object => {
                found.push(value.raw());
                at = next;
            }
            _ => {
                tries += 1;
                // A record begins with a brace and a member name; look for the next such place.
                let from = at + 1;
                let next = text.get(from..).and_then(|rest| rest.find("{\"")).map(|step| from + step);
                let next = next.unwrap_or(text.len());
                lost += next - at;
                at = next;
            }
        }
    }
    // A fragment's own inner objects are not records.
    found.retain(|text| looks_like_record(text));
    let kept: usize = found.iter().map(|record| record.len()).sum();
    (found, lost.max(text.trim().len().saturating_sub(kept)))
}

/// True for an object that names its type and one of the members every transcript record has.
fn looks_like_record(text: &str) -> bool {
    const MARKS: [&str; 4] = ["uuid", "message", "leafUuid", "sessionId"];
    Json::parse(text)
        .is_ok_and(|json| json.get("type").is_some() && MARKS.iter().any(|mark| json.get(mark).is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const USER: &str =
        r#"{"type":"user","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"hi"}}"#;
    const SUMMARY: &str = r#"{"type":"summary","summary":"t","leafUuid":"u1"}"#;

    #[test]
    fn every_line_has_one_class() {
        let file = format!("{USER}\n\n{USER}{SUMMARY}\n42\nnot json\n{USER}\n{{\"type\":\"us");
        let log = Log::read(file.as_bytes()).unwrap();
        assert_eq!(log.lines, LineCounts { record: 2, joined: 1, blank: 1, unreadable: 3 });
        assert_eq!(log.lines.total(), 7);
        assert_eq!(log.entries.len(), 4);
        assert!(log.open_end);
        assert_eq!(log.diagnostics.last().unwrap().kind, DiagnosticKind::TornTail);
    }

    #[test]
    fn j3_a_record_glued_to_a_torn_one_is_found() {
        let file = format!("{{\"type\":\"assistant\",\"message\":{{\"content\":[{{\"type\":\"te{USER}\n");
        let log = Log::read(file.as_bytes()).unwrap();
        assert_eq!(log.entries.len(), 1);
        assert_eq!(log.lines.joined, 1);
    }

    #[test]
    fn says_what_is_wrong_with_a_file_that_is_no_session() {
        assert_eq!(Log::read(b"").unwrap_err(), ReadError::Empty);
        assert_eq!(Log::read(b"\n \n").unwrap_err(), ReadError::Empty);
        let error = Log::read(b"\x00\xff\x01\nabc\n").unwrap_err();
        assert!(error.to_string().starts_with("not a session file: none of its 2 lines"), "{error}");
        assert_eq!(Log::read(b"{\"a\":1}\n{\"b\":2}").unwrap_err(), ReadError::NoTypes { records: 2 });
    }

    proptest! {
        #[test]
        fn j3_reading_in_pieces_is_reading_at_once(cuts in proptest::collection::vec(0_usize..400, 0..8)) {
            let file = format!("{USER}\n{USER}{SUMMARY}\n\u{1f7e1}\n{USER}");
            let whole = Log::read(file.as_bytes()).unwrap();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(file.len())).collect();
            cuts.sort_unstable();
            let mut reader = Reader::new();
            let mut from = 0;
            for cut in cuts.into_iter().chain([file.len()]) {
                reader.push(&file.as_bytes()[from..cut]);
                from = cut;
            }
            let pieces = reader.finish().unwrap();
            prop_assert_eq!(pieces.lines, whole.lines);
            prop_assert_eq!(pieces.diagnostics, whole.diagnostics);
            prop_assert_eq!(pieces.entries.len(), whole.entries.len());
        }
    }
}
