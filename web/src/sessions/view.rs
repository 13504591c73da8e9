//! The place: how to open a file, how far it is, what was wrong with it, and what is in it.

use leptos::html::Input;
use leptos::prelude::*;
use palimpsest_core::unit::{Bytes, Tokens};
use palimpsest_core::window::Policy;

use super::opened::Sessions;
use super::overview::Overview;
use crate::format::{self, css_percent};
use crate::stage::Columns;

/// The windows one can choose for the picture; the first is what the file suggests.
const WINDOWS: [u64; 5] = [32_000, 128_000, 200_000, 400_000, 1_000_000];

#[component]
pub(crate) fn SessionPlace(sessions: Sessions) -> impl IntoView {
    view! {
        <div class="place session">
            <Opener sessions />
            <Show when=move || sessions.opened.with(Option::is_some)>
                <Overview sessions />
                <Columns stage=sessions.stage empty="The file holds no message." />
            </Show>
        </div>
    }
}

#[component]
fn Opener(sessions: Sessions) -> impl IntoView {
    let input = NodeRef::<Input>::new();
    let choose = move |_| {
        if let Some(input) = input.get() {
            // The same file again is a change too.
            input.set_value("");
            input.click();
        }
    };
    let chosen = move |_| {
        let file = input.get().and_then(|input| input.files()).and_then(|files| files.get(0));
        if let Some(file) = file {
            sessions.open(file);
        }
    };
    let is_open = move || sessions.opened.with(Option::is_some);
    view! {
        <div class="opener" class:compact=is_open>
            <Show when=move || !is_open()>
                <h2>"Look into a session of your own"</h2>
                <p>
                    "Drop a Claude Code session file (.jsonl) anywhere on this page. You see what fills its window, where it was compacted and what is wrong with the file."
                </p>
            </Show>
            <div class="row">
                <button type="button" class="button primary" on:click=choose>
                    {move || if is_open() { "Open another file" } else { "Choose a file" }}
                </button>
                <input node_ref=input type="file" class="visually-hidden" tabindex="-1" aria-label="Session file" accept=".jsonl,.json,.txt,application/jsonl" on:change=chosen />
                <Show when=is_open>
                    <PictureChoices sessions />
                </Show>
                <span class="quiet promise">"The file never leaves your browser."</span>
            </div>
            <Show when=move || !is_open()>
                <p class="quiet">"Claude Code keeps its sessions in " <code>"~/.claude/projects/"</code></p>
            </Show>
            <Reading sessions />
            {move || sessions.failure.get().map(|why| view! { <p class="failure" role="alert">{why}</p> })}
        </div>
    }
}

#[component]
fn Reading(sessions: Sessions) -> impl IntoView {
    let share = move || {
        sessions.progress.with(|progress| match progress {
            Some(progress) if progress.size > 0.0 => progress.done / progress.size * 100.0,
            _ => 0.0,
        })
    };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes of files, percents")]
    let said = move || {
        sessions.progress.get().map(|progress| {
            let (done, size) = (Bytes(progress.done as u64), Bytes(progress.size as u64));
            format!("Reading {}: {} of {}", progress.name, format::size(done), format::size(size))
        })
    };
    view! {
        <Show when=move || sessions.progress.with(Option::is_some)>
            <div class="progress">
                <p role="status">{said}</p>
                <div class="progress-track"><div class="progress-fill" style:width=move || css_percent(share())></div></div>
                <button type="button" class="button" on:click=move |_| sessions.stop()>"Cancel"</button>
            </div>
        </Show>
    }
}

/// The window and the policy whose lines are drawn.
#[component]
fn PictureChoices(sessions: Sessions) -> impl IntoView {
    let assumed = move || {
        sessions.inspection.with(|inspection| {
            inspection.as_ref().map_or(Tokens(200_000), |inspection| inspection.window.window)
        })
    };
    view! {
        <label class="inline-field">
            <span>"Window"</span>
            <select
                prop:value=move || sessions.window.get().map_or_else(String::new, |window| window.to_string())
                on:change:target=move |event| sessions.window.set(event.target().value().parse().ok())
            >
                <option value="">{move || match sessions.window.get() {
                    None => format!("as the file suggests ({})", format::short(assumed())),
                    Some(_) => "as the file suggests".to_owned(),
                }}</option>
                {WINDOWS.map(|window| view! { <option value=window.to_string()>{format::short(Tokens(window))}</option> })}
            </select>
        </label>
        <label class="inline-field">
            <span>"Lines of"</span>
            <select
                prop:value=move || sessions.policy.get()
                on:change:target=move |event| sessions.policy.set(event.target().value())
            >
                {Policy::NAMES.map(|name| view! { <option value=name title=Policy::about(name)>{name}</option> })}
            </select>
        </label>
    }
}
