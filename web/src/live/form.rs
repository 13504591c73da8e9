//! Who is called: provider, address, model, key, and the window and policy the engine works by.

use leptos::prelude::*;

use super::http::{Provider, parse_address};
use super::run::Choice;
use super::secret::Secret;
use crate::controls::{PolicySelect, WindowSlider};

#[component]
pub(crate) fn Form(choice: Choice) -> impl IntoView {
    let typed_key = RwSignal::new(String::new());
    let origin =
        Memo::new(move |_| choice.address.with(|address| parse_address(address)).map(|(_, origin)| origin));
    // A key belongs to the origin it was typed for: another address, and it is gone.
    Effect::new(move |before: Option<Result<String, String>>| {
        let now = origin.get();
        if before.is_some_and(|before| before != now) && now.is_ok() {
            typed_key.set(String::new());
            choice.key.set(Secret::default());
        }
        now.clone().or_else(|_| choice.key.with_untracked(|_| now))
    });
    let pick = move |provider: Provider| {
        if Provider::ALL.iter().any(|known| known.address() == choice.address.get_untracked()) {
            choice.address.set(provider.address().to_owned());
        }
        choice.provider.set(provider);
    };
    view! {
        <fieldset class="live-form">
            <legend class="visually-hidden">"Model"</legend>
            <label class="field">
                <span>"Provider"</span>
                <select
                    prop:value=move || choice.provider.get().key()
                    on:change:target=move |event| {
                        let key = event.target().value();
                        if let Some(provider) = Provider::ALL.into_iter().find(|provider| provider.key() == key) {
                            pick(provider);
                        }
                    }
                >
                    {Provider::ALL.map(|provider| view! { <option value=provider.key()>{provider.label()}</option> })}
                </select>
            </label>
            <label class="field wide">
                <span>"Address"</span>
                <input
                    type="url"
                    autocomplete="off"
                    spellcheck="false"
                    list="addresses"
                    prop:value=move || choice.address.get()
                    aria-invalid=move || origin.get().is_err().to_string()
                    on:change:target=move |event| choice.address.set(event.target().value())
                />
                <datalist id="addresses">
                    <option value="https://api.anthropic.com"></option>
                    <option value="https://api.openai.com/v1"></option>
                    <option value="https://openrouter.ai/api/v1"></option>
                    <option value="http://localhost:11434/v1"></option>
                    <option value="http://localhost:1234/v1"></option>
                    <option value="http://localhost:8080/v1"></option>
                </datalist>
            </label>
            <label class="field">
                <span>"Model"</span>
                <input
                    type="text"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="as the provider spells it"
                    prop:value=move || choice.model.get()
                    on:input:target=move |event| choice.model.set(event.target().value())
                />
            </label>
            <label class="field">
                <span>"Key"</span>
                <input
                    type="password"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="none for most local servers"
                    prop:value=move || typed_key.get()
                    on:input:target=move |event| {
                        let value = event.target().value();
                        typed_key.set(value.clone());
                        choice.key.set(Secret::new(value.trim().to_owned(), origin.get_untracked().unwrap_or_default()));
                    }
                />
            </label>
            <WindowSlider window=choice.window />
            <PolicySelect policy=choice.policy />
            <p class="quiet promise">
                {move || match origin.get() {
                    Ok(origin) => {
                        format!("The key stays in this page's memory and goes to {origin} only, from your browser, with what you type below. Nothing else is sent anywhere.")
                    }
                    Err(why) => why,
                }}
            </p>
        </fieldset>
    }
}
