//! The page: its places, its keys, what is dropped on it, and the link to where it stands.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::demo::{Demo, DemoPlace};
use crate::hash::Link;
use crate::help::Help;
use crate::live::{Live, LivePlace};
use crate::memory::{Memory, MemoryPlace};
use crate::sessions::{SessionPlace, Sessions};
use crate::state::Stage;
use crate::theme::ThemeToggle;

/// Where one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Demo,
    Session,
    Live,
    Memory,
}

impl Place {
    const ALL: [Self; 4] = [Self::Demo, Self::Session, Self::Live, Self::Memory];

    const fn key(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Session => "session",
            Self::Live => "live",
            Self::Memory => "memory",
        }
    }

    /// Where a link leads.
    fn of(link: &Link) -> Self {
        Self::ALL.into_iter().find(|place| link.view.as_deref() == Some(place.key())).unwrap_or(Self::Demo)
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Demo => "Demo",
            Self::Session => "Your session",
            Self::Live => "Live",
            Self::Memory => "Memory",
        }
    }
}

#[component]
pub(crate) fn App() -> impl IntoView {
    let link = Link::current();
    let place = RwSignal::new(Place::of(&link));
    let help = RwSignal::new(false);
    let memory = Memory::new();
    let demo = Demo::new(&link);
    let sessions = Sessions::new();
    let live = Live::new(memory);
    spawn_local(memory.open());

    Effect::new(move |_| {
        let link = match place.get() {
            Place::Demo => demo.link(),
            _ => Link::default(),
        };
        Link { view: Some(place.get().key().to_owned()), ..link }.show();
    });
    let followed = window_event_listener(ev::hashchange, move |_| {
        let link = Link::current();
        place.set(Place::of(&link));
        if place.get_untracked() == Place::Demo {
            demo.follow(&link);
        }
    });
    on_cleanup(move || followed.remove());
    let stage = move || match place.get_untracked() {
        Place::Demo => Some(demo.stage),
        Place::Live => Some(live.stage),
        Place::Session | Place::Memory => None,
    };
    keys(stage, help);
    let dragged = drop_anywhere(sessions, place);

    view! {
        <a class="skip" href="#main" on:click=move |event| {
            event.prevent_default();
            crate::browser::focus("main");
        }>"Skip to the content"</a>
        <header class="top">
            <h1 class="brand">
                <Mark />
                "Palimpsest"
            </h1>
            <nav class="places" aria-label="Places">
                {Place::ALL
                    .map(|this| {
                        view! {
                            <button
                                type="button"
                                aria-current=move || (place.get() == this).then_some("page")
                                on:click=move |_| place.set(this)
                            >
                                {this.label()}
                            </button>
                        }
                    })}
            </nav>
            <div class="top-tools">
                <ThemeToggle />
                <button type="button" class="icon-button" aria-label="Help" title="Help (?)" on:click=move |_| help.set(true)>
                    <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
                        <path d="M9 9a3 3 0 1 1 4.2 2.8c-.8.4-1.2 1-1.2 2.2M12 17.5v.1"></path>
                    </svg>
                </button>
            </div>
        </header>
        {move || {
            memory
                .refused
                .get()
                .map(|why| {
                    view! {
                        <p class="banner" role="status">
                            "This browser keeps no data for this page, so memory files last until the tab is closed. "
                            <span class="quiet">{why}</span>
                        </p>
                    }
                })
        }}
        <main id="main" tabindex="-1">
            {move || match place.get() {
                Place::Demo => view! { <DemoPlace demo /> }.into_any(),
                Place::Session => view! { <SessionPlace sessions /> }.into_any(),
                Place::Live => view! { <LivePlace live /> }.into_any(),
                Place::Memory => view! { <MemoryPlace memory /> }.into_any(),
            }}
        </main>
        <Show when=move || dragged.get()>
            <div class="dropzone" aria-hidden="true"><p>"Drop the session file"</p></div>
        </Show>
        <Help open=help />
    }
}

/// The sign: a page written over.
#[component]
fn Mark() -> impl IntoView {
    view! {
        <svg class="mark-sign" viewBox="0 0 32 32" aria-hidden="true">
            <rect class="sheet" x="4" y="3" width="24" height="26" rx="3"></rect>
            <path class="under" d="M9 10h14M9 16h14M9 22h14"></path>
            <path class="over" d="M9 13h9M9 19h12M9 25h6"></path>
        </svg>
    }
}

/// The keys of the page. Those of a field, a button or an open dialog come first.
fn keys(stage: impl Fn() -> Option<Stage> + 'static, help: RwSignal<bool>) {
    let handle = window_event_listener(ev::keydown, move |event| {
        if event.default_prevented() || event.ctrl_key() || event.meta_key() || event.alt_key() {
            return;
        }
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let within =
            |what: &str| target.as_ref().is_some_and(|target| target.closest(what).ok().flatten().is_some());
        if within("input:not([type=range]):not([type=checkbox]), textarea, select, dialog, [contenteditable]")
        {
            return;
        }
        if event.key() == "?" {
            help.set(true);
            return event.prevent_default();
        }
        let Some(stage) = stage() else { return };
        let on_slider = within("input[type=range]:not(.scrub)");
        match event.key().as_str() {
            " " if !within("button, summary, input, a, [role=tab]") => stage.toggle(),
            "ArrowLeft" if !on_slider => stage.walk(-1),
            "ArrowRight" if !on_slider => stage.walk(1),
            "Home" if !on_slider => stage.walk(isize::MIN),
            "End" if !on_slider => stage.walk(isize::MAX),
            _ => return,
        }
        event.prevent_default();
    });
    on_cleanup(move || handle.remove());
}

/// A file dropped anywhere is a session to open. True while one is over the page.
fn drop_anywhere(sessions: Sessions, place: RwSignal<Place>) -> RwSignal<bool> {
    let dragged = RwSignal::new(false);
    let has_files = |event: &web_sys::DragEvent| {
        event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
    };
    let over = window_event_listener(ev::dragover, move |event| {
        if has_files(&event) {
            event.prevent_default();
            dragged.set(true);
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        if event.related_target().is_none() {
            dragged.set(false);
        }
    });
    let dropped = window_event_listener(ev::drop, move |event| {
        dragged.set(false);
        let files = event.data_transfer().and_then(|data| data.files());
        if let Some(file) = files.and_then(|files| files.get(0)) {
            event.prevent_default();
            place.set(Place::Session);
            sessions.open(file);
        }
    });
    on_cleanup(move || {
        over.remove();
        leave.remove();
        dropped.remove();
    });
    dragged
}
