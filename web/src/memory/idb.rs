//! IndexedDB: one database, one store, one transaction a change.
//!
//! A transaction commits by itself when nothing is asked of it any more, so each change is issued and awaited within
//! its own, and nothing else is awaited in between.

use ::idb::{
    Database as Handle, DatabaseEvent, Factory, KeyPath, ObjectStoreParams, Query, TransactionMode,
    TransactionResult,
};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::IdbDatabase;

use super::store::MemoryFile;
use crate::browser::words_of;

const NAME: &str = "palimpsest";
const VERSION: u32 = 1;
const FILES: &str = "memory";

/// The open database.
#[derive(Debug)]
pub(crate) struct Database(Handle);

impl Database {
    /// Opens it, made new where it is not there.
    ///
    /// # Errors
    /// The browser's reason: refused in some private windows, no space, a newer version in another tab.
    pub(crate) async fn open() -> Result<Self, String> {
        let factory = Factory::new().map_err(words)?;
        let mut request = factory.open(NAME, Some(VERSION)).map_err(words)?;
        request.on_upgrade_needed(|event| {
            if let Ok(database) = event.database() {
                let mut params = ObjectStoreParams::new();
                params.key_path(Some(KeyPath::new_single("name")));
                // A failure here fails the opening itself, and is reported there.
                let _ = database.create_object_store(FILES, params);
            }
        });
        let mut handle = request.await.map_err(words)?;
        // Another tab wants to change the version: let it.
        handle.on_version_change(|event| {
            if let Some(database) = event.target().and_then(|target| target.dyn_into::<IdbDatabase>().ok()) {
                database.close();
            }
        });
        Ok(Self(handle))
    }

    /// Every file.
    pub(crate) async fn all(&self) -> Result<Vec<MemoryFile>, String> {
        let transaction = self.0.transaction(&[FILES], TransactionMode::ReadOnly).map_err(words)?;
        let store = transaction.object_store(FILES).map_err(words)?;
        let values = store.get_all(None, None).map_err(words)?.await.map_err(words)?;
        // What is not of this shape was not written by this page; it stays where it is.
        Ok(values.into_iter().filter_map(|value| serde_wasm_bindgen::from_value(value).ok()).collect())
    }

    /// Writes a file over the one of its name.
    pub(crate) async fn put(&self, file: &MemoryFile) -> Result<(), String> {
        let value = serde_wasm_bindgen::to_value(file).map_err(|error| error.to_string())?;
        let transaction = self.0.transaction(&[FILES], TransactionMode::ReadWrite).map_err(words)?;
        transaction.object_store(FILES).map_err(words)?.put(&value, None).map_err(words)?;
        finished(transaction.await)
    }

    /// Removes a file; one that is not there is no failure.
    pub(crate) async fn delete(&self, name: &str) -> Result<(), String> {
        let transaction = self.0.transaction(&[FILES], TransactionMode::ReadWrite).map_err(words)?;
        let query = Query::Key(JsValue::from_str(name));
        transaction.object_store(FILES).map_err(words)?.delete(query).map_err(words)?;
        finished(transaction.await)
    }
}

fn finished(result: Result<TransactionResult, ::idb::Error>) -> Result<(), String> {
    match result.map_err(words)? {
        TransactionResult::Committed => Ok(()),
        TransactionResult::Aborted => Err("the browser gave the change up".to_owned()),
    }
}

/// An error in the browser's words where it has some.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn words(error: ::idb::Error) -> String {
    let of_browser = match &error {
        ::idb::Error::DomException(exception) => Some(words_of(exception)),
        _ => None,
    };
    of_browser.unwrap_or_else(|| error.to_string())
}
