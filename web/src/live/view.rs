//! The place: the form, the prompt, and the three columns over the session as it goes.

use leptos::prelude::*;

use super::form::Form;
use super::run::Live;
use crate::stage::{Columns, MarkerLegend, Transport};

#[component]
pub(crate) fn LivePlace(live: Live) -> impl IntoView {
    let form_open = RwSignal::new(true);
    Effect::new(move |_| form_open.set(!live.started.get()));
    view! {
        <div class="place live" class:fresh=move || !live.started.get()>
            <Show when=move || !live.started.get()>
                <header class="live-intro">
                    <h2>"Ask a real model"</h2>
                    <p>
                        "The engine stands between you and the model: it assembles each request, counts it, and makes room when the window fills. The agent's tools work on a small made-up project in this page."
                    </p>
                </header>
            </Show>
            <details class="live-setup" prop:open=move || form_open.get() on:toggle:target=move |event| form_open.set(event.target().has_attribute("open"))>
                <summary>
                    <h3>"Model"</h3>
                    <span class="quiet">
                        {move || {
                            let model = live.choice.model.get();
                            if model.is_empty() { "not chosen yet".to_owned() } else { format!("{model} at {}", live.choice.address.get()) }
                        }}
                    </span>
                </summary>
                <Form choice=live.choice />
            </details>
            <Show when=move || live.started.get()>
                <div class="controls">
                    <Transport stage=live.stage />
                    <MarkerLegend stage=live.stage />
                </div>
            </Show>
            {move || live.failure.get().map(|why| view! { <p class="failure" role="alert">{why}</p> })}
            <Show when=move || live.started.get()>
                <Columns stage=live.stage empty="Nothing said yet." />
            </Show>
            <Prompt live />
        </div>
    }
}

#[component]
fn Prompt(live: Live) -> impl IntoView {
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            live.send();
        }
    };
    view! {
        <form
            class="prompt"
            aria-label="Prompt"
            on:submit=move |event| {
                event.prevent_default();
                live.send();
            }
        >
            <textarea
                rows="2"
                aria-label="What the agent should do"
                placeholder="Which test framework does this project use?"
                prop:value=move || live.prompt.get()
                on:input:target=move |event| live.prompt.set(event.target().value())
                on:keydown=on_key
            ></textarea>
            <div class="row">
                <button type="submit" class="button primary" title="Ctrl+Enter">"Send"</button>
                <Show when=move || live.busy.get()>
                    <button type="button" class="button" on:click=move |_| live.cancel()>"Cancel"</button>
                </Show>
                <Show when=move || live.started.get() && !live.busy.get()>
                    <button type="button" class="button" on:click=move |_| live.compact()>"Compact now"</button>
                    <button type="button" class="button" on:click=move |_| live.export()>"Export .jsonl"</button>
                    <button type="button" class="button" on:click=move |_| live.reset()>"New session"</button>
                </Show>
                <span class="quiet" role="status">
                    {move || {
                        if live.busy.get() { "The agent works…" } else { "" }
                    }}
                </span>
            </div>
        </form>
    }
}
