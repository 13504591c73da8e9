//! The editor: the files on the left, the open one on the right, and the index they make.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::store::{Memory, MemoryFile, index};
use crate::format::{first_line, short};
use crate::stage::Tok;
use palimpsest_core::tokens::{Estimator, Profile};

/// What is being edited.
#[derive(Debug, Clone, Copy)]
struct Editor {
    /// The saved name of the open file; `None` for a new one.
    saved_as: RwSignal<Option<String>>,
    name: RwSignal<String>,
    text: RwSignal<String>,
    /// What came of the last action.
    said: RwSignal<Option<Result<String, String>>>,
    /// The file that was deleted last, until something else is done.
    deleted: RwSignal<Option<MemoryFile>>,
}

impl Editor {
    fn new() -> Self {
        Self {
            saved_as: RwSignal::new(None),
            name: RwSignal::new(String::new()),
            text: RwSignal::new(String::new()),
            said: RwSignal::new(None),
            deleted: RwSignal::new(None),
        }
    }

    fn open(self, file: Option<&MemoryFile>) {
        self.saved_as.set(file.map(|file| file.name.clone()));
        self.name.set(file.map_or_else(String::new, |file| file.name.clone()));
        self.text.set(file.map_or_else(String::new, |file| file.text.clone()));
        self.said.set(None);
        self.deleted.set(None);
    }

    /// True when the editor holds what the store does not.
    fn is_dirty(self, memory: Memory) -> bool {
        let (name, text) = (self.name.get(), self.text.get());
        match self.saved_as.get() {
            None => !name.is_empty() || !text.is_empty(),
            Some(saved) => {
                saved != name
                    || memory.files.with(|files| files.get(&saved).is_none_or(|file| file.text != text))
            }
        }
    }

    fn save(self, memory: Memory) {
        let (name, text) = (self.name.get_untracked().trim().to_owned(), self.text.get_untracked());
        let instead = self.saved_as.get_untracked();
        spawn_local(async move {
            match memory.save(&name, &text, instead.as_deref()).await {
                Ok(()) => {
                    self.saved_as.set(Some(name.clone()));
                    self.name.set(name.clone());
                    self.said.set(Some(Ok(format!("Saved {name}"))));
                }
                Err(why) => self.said.set(Some(Err(why))),
            }
        });
    }

    fn delete(self, memory: Memory) {
        let Some(name) = self.saved_as.get_untracked() else { return self.open(None) };
        spawn_local(async move {
            match memory.delete(&name).await {
                Ok(gone) => {
                    self.open(None);
                    self.deleted.set(gone);
                    self.said.set(Some(Ok(format!("Deleted {name}"))));
                }
                Err(why) => self.said.set(Some(Err(why))),
            }
        });
    }

    fn undo(self, memory: Memory) {
        let Some(file) = self.deleted.get_untracked() else { return };
        spawn_local(async move {
            match memory.save(&file.name, &file.text, None).await {
                Ok(()) => self.open(Some(&file)),
                Err(why) => self.said.set(Some(Err(why))),
            }
        });
    }
}

#[component]
pub(crate) fn MemoryPlace(memory: Memory) -> impl IntoView {
    let editor = Editor::new();
    view! {
        <div class="place memory">
            <section class="column files" aria-label="Memory files">
                <h2 class="column-title">"Memory files"</h2>
                <button type="button" class="button" on:click=move |_| {
                    editor.open(None);
                    crate::browser::focus("memory-name");
                }>
                    "New file"
                </button>
                <Files memory editor />
                <p class="quiet">
                    "Files are kept in this browser only. A live session starts with their index: the file MEMORY.md, or else this list with first lines."
                </p>
            </section>
            <EditorForm memory editor />
            <IndexView memory />
        </div>
    }
}

#[component]
fn Files(memory: Memory, editor: Editor) -> impl IntoView {
    view! {
        <Show when=move || memory.ready.get() && memory.files.with(std::collections::BTreeMap::is_empty)>
            <p class="empty">"No files yet. Write down what an agent should know in every session: how tests are run, what must never be done."</p>
        </Show>
        <ul class="file-list">
            <For each=move || memory.files.get().into_values() key=|file| (file.name.clone(), file.saved) let(file)>
                {
                    let name = file.name.clone();
                    let is_open = move || editor.saved_as.with(|open| open.as_deref() == Some(name.as_str()));
                    let first = first_line(&file.text, 60);
                    let label = file.name.clone();
                    view! {
                        <li>
                            <button
                                type="button"
                                class="file"
                                aria-current=move || is_open().then_some("true")
                                on:click=move |_| editor.open(Some(&file))
                            >
                                <span class="file-name">{label}</span>
                                <span class="quiet">{first}</span>
                            </button>
                        </li>
                    }
                }
            </For>
        </ul>
    }
}

#[component]
fn EditorForm(memory: Memory, editor: Editor) -> impl IntoView {
    let on_submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        editor.save(memory);
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if (event.ctrl_key() || event.meta_key()) && event.key() == "s" {
            event.prevent_default();
            editor.save(memory);
        }
    };
    let tokens = move || editor.text.with(|text| Estimator::new(Profile::Claude).text(text));
    view! {
        <form class="column editor" aria-label="File" on:submit=on_submit on:keydown=on_key>
            <h2 class="column-title">{move || editor.saved_as.get().unwrap_or_else(|| "New file".to_owned())}</h2>
            <label class="field">
                <span>"Name"</span>
                <input
                    id="memory-name"
                    type="text"
                    placeholder="testing.md"
                    autocomplete="off"
                    spellcheck="false"
                    prop:value=move || editor.name.get()
                    on:input:target=move |event| editor.name.set(event.target().value())
                />
            </label>
            <label class="field grow">
                <span>"Text"</span>
                <textarea
                    rows="12"
                    prop:value=move || editor.text.get()
                    on:input:target=move |event| editor.text.set(event.target().value())
                ></textarea>
            </label>
            <p class="quiet">{move || format!("About {} tokens", short(tokens()))}</p>
            <div class="row">
                <button type="submit" class="button primary" disabled=move || !editor.is_dirty(memory)>"Save"</button>
                <button type="button" class="button" disabled=move || editor.saved_as.get().is_none() on:click=move |_| editor.delete(memory)>
                    "Delete"
                </button>
                <Show when=move || editor.deleted.get().is_some()>
                    <button type="button" class="button" on:click=move |_| editor.undo(memory)>"Undo"</button>
                </Show>
            </div>
            <p role="status" class="said" class:error=move || matches!(editor.said.get(), Some(Err(_)))>
                {move || editor.said.get().map(|said| match said { Ok(text) | Err(text) => text })}
            </p>
        </form>
    }
}

#[component]
fn IndexView(memory: Memory) -> impl IntoView {
    let text = Memo::new(move |_| memory.files.with(index));
    let tokens =
        move || text.with(|text| Estimator::new(Profile::Claude).text(text.as_deref().unwrap_or_default()));
    view! {
        <section class="column index" aria-label="Index">
            <h2 class="column-title">"Index, as a live session gets it"</h2>
            {move || match text.get() {
                None => view! { <p class="empty">"Empty: a session starts without one."</p> }.into_any(),
                Some(text) => {
                    view! {
                        <p class="quiet">"Part of the system prompt, " <Tok n=Signal::derive(tokens) /> " tokens"</p>
                        <div class="text code" tabindex="0">{text}</div>
                    }
                        .into_any()
                }
            }}
        </section>
    }
}
