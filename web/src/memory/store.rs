//! Where memory files are kept: IndexedDB, or this page's memory where the browser refuses that.

use std::collections::BTreeMap;

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::idb::Database;
use crate::browser;
use crate::format::first_line;

/// The index file, which a session starts with.
const INDEX: &str = "MEMORY.md";

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MemoryFile {
    pub name: String,
    pub text: String,
    /// When it was saved, in Unix milliseconds.
    pub saved: u64,
}

/// A store of files by name. Only what it could keep is in [`Memory::files`].
#[derive(Debug)]
enum Store {
    Idb(Database),
    /// Nothing beyond the page's own copy.
    Page,
}

impl Store {
    async fn put(&self, file: &MemoryFile) -> Result<(), String> {
        match self {
            Self::Idb(database) => database.put(file).await,
            Self::Page => Ok(()),
        }
    }

    async fn delete(&self, name: &str) -> Result<(), String> {
        match self {
            Self::Idb(database) => database.delete(name).await,
            Self::Page => Ok(()),
        }
    }
}

/// The files as the page has them, and the store behind them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub files: RwSignal<BTreeMap<String, MemoryFile>>,
    /// False until the store was read once.
    pub ready: RwSignal<bool>,
    /// Why files are kept in this page only, in the browser's words.
    pub refused: RwSignal<Option<String>>,
    store: StoredValue<Option<std::rc::Rc<Store>>, LocalStorage>,
}

impl Memory {
    pub(crate) fn new() -> Self {
        Self {
            files: RwSignal::new(BTreeMap::new()),
            ready: RwSignal::new(false),
            refused: RwSignal::new(None),
            store: StoredValue::new_local(None),
        }
    }

    /// Opens the store and reads it. Where it cannot, the page says so and works without.
    pub(crate) async fn open(self) {
        let opened = async {
            let database = Database::open().await?;
            let files = database.all().await?;
            Ok::<_, String>((database, files))
        };
        let store = match opened.await {
            Ok((database, files)) => {
                self.files.set(files.into_iter().map(|file| (file.name.clone(), file)).collect());
                Store::Idb(database)
            }
            Err(why) => {
                self.refused.set(Some(why));
                Store::Page
            }
        };
        self.store.set_value(Some(std::rc::Rc::new(store)));
        self.ready.set(true);
    }

    /// Saves a file under its name; with `instead` it replaces that one, whatever its name was.
    ///
    /// # Errors
    /// The name is taken or wrong, or the browser's reason. Nothing is changed then.
    pub(crate) async fn save(self, name: &str, text: &str, instead: Option<&str>) -> Result<(), String> {
        super::name::check(name)?;
        if instead != Some(name) && self.files.with_untracked(|files| files.contains_key(name)) {
            return Err(format!("There is a file {name} already; open it or choose another name"));
        }
        let file = MemoryFile { name: name.to_owned(), text: text.to_owned(), saved: browser::now().get() };
        let store = self.store.get_value().ok_or("The files are still being read; try again")?;
        store.put(&file).await?;
        if matches!(*store, Store::Idb(_)) {
            browser::ask_to_keep();
        }
        if let Some(old) = instead.filter(|old| *old != name) {
            store.delete(old).await?;
        }
        self.files.update(|files| {
            if let Some(old) = instead {
                files.remove(old);
            }
            files.insert(file.name.clone(), file);
        });
        Ok(())
    }

    /// Deletes a file and gives it back, so that the deletion can be undone.
    ///
    /// # Errors
    /// The browser's reason.
    pub(crate) async fn delete(self, name: &str) -> Result<Option<MemoryFile>, String> {
        let store = self.store.get_value().ok_or("The files are still being read; try again")?;
        store.delete(name).await?;
        let mut gone = None;
        self.files.update(|files| gone = files.remove(name));
        Ok(gone)
    }
}

/// The index that a session starts with: `MEMORY.md` where there is one, else a line for each file.
pub(crate) fn index(files: &BTreeMap<String, MemoryFile>) -> Option<String> {
    if let Some(index) = files.get(INDEX) {
        return Some(index.text.clone()).filter(|text| !text.trim().is_empty());
    }
    let lines: Vec<String> = files
        .values()
        .map(|file| {
            format!("- {}: {}", file.name, first_line(file.text.trim_start_matches(['#', '-', ' ']), 120))
        })
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn file(name: &str, text: &str) -> (String, MemoryFile) {
        (name.to_owned(), MemoryFile { name: name.to_owned(), text: text.to_owned(), saved: 0 })
    }

    #[wasm_bindgen_test]
    fn the_index_is_the_file_of_that_name_or_a_list() {
        let mut files = BTreeMap::from([file("b.md", "# Tests\nuse pytest"), file("a.md", "")]);
        assert_eq!(index(&files).as_deref(), Some("- a.md: \n- b.md: Tests"));
        files.extend([file("MEMORY.md", "see b.md")]);
        assert_eq!(index(&files).as_deref(), Some("see b.md"));
        assert_eq!(index(&BTreeMap::new()), None);
    }
}
