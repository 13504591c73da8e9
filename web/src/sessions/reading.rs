//! Reads a file in pieces, so that the page stays alive and the reading can be stopped.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::Uint8Array;
use palimpsest_core::transcript::{Log, Reader};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use crate::browser::{SLICE_MS, breathe, clock, words_of};
use crate::state::Turns;

/// How much is taken from the disk at a time.
const FROM_DISK: f64 = 4.0 * 1024.0 * 1024.0;
/// How much the reader is given at a time: a fraction of a frame's work.
const PIECE: usize = 64 * 1024;
/// How many records are made turns between two looks at the clock.
const RECORDS: usize = 64;

/// Why there is no log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// It was asked for.
    Cancelled,
    /// In words, for people; they name the file.
    Failed(String),
}

/// Stops a reading from outside. Clones stop the same one.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cancel(Rc<Cell<bool>>);

impl Cancel {
    pub(crate) fn cancel(&self) {
        self.0.set(true);
    }

    fn check(&self) -> Result<(), Stopped> {
        if self.0.get() { Err(Stopped::Cancelled) } else { Ok(()) }
    }
}

/// Reads the whole file; `progress` is told bytes done and bytes in all.
///
/// # Errors
/// [`Stopped`], when it was cancelled, cannot be read, or is no session.
pub(crate) async fn read(file: &File, cancel: &Cancel, progress: impl Fn(f64, f64)) -> Result<Log, Stopped> {
    let name = file.name();
    let size = file.size();
    let mut reader = Reader::new();
    let mut done = 0.0;
    let mut since = clock();
    while done < size {
        let end = (done + FROM_DISK).min(size);
        let bytes = piece(file, done, end).await.map_err(|error| {
            Stopped::Failed(format!(
                "{name} cannot be read any further than byte {done}: {}",
                words_of(&error)
            ))
        })?;
        for part in bytes.chunks(PIECE) {
            cancel.check()?;
            reader.push(part);
            if clock() - since > SLICE_MS {
                progress(reader.bytes().get() as f64, size);
                breathe().await;
                since = clock();
            }
        }
        done = end;
    }
    progress(size, size);
    breathe().await;
    cancel.check()?;
    reader.finish().map_err(|error| Stopped::Failed(format!("{name}: {error}")))
}

async fn piece(file: &File, from: f64, to: f64) -> Result<Vec<u8>, JsValue> {
    let blob = file.slice_with_f64_and_f64(from, to)?;
    let buffer = JsFuture::from(blob.array_buffer()).await?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// The conversation in a log, made in slices.
///
/// # Errors
/// [`Stopped::Cancelled`].
pub(crate) async fn turns(log: &Log, cancel: &Cancel) -> Result<Turns, Stopped> {
    let mut turns = Turns::default();
    let mut since = clock();
    for entries in log.entries.chunks(RECORDS) {
        cancel.check()?;
        for entry in entries {
            turns.push(entry);
        }
        if clock() - since > SLICE_MS {
            breathe().await;
            since = clock();
        }
    }
    Ok(turns)
}
