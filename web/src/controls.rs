//! Settings that more than one place has: the window as a slider, the policy as a list.

use leptos::prelude::*;
use palimpsest_core::unit::Tokens;
use palimpsest_core::window::Policy;

use crate::format::{exact, short};

/// The windows of the slider, in tokens: even steps to the eye, from too small for anything to the usual 200k.
pub(crate) const WINDOWS: [u64; 18] = [
    500, 2_000, 4_000, 8_000, 10_000, 12_000, 16_000, 20_000, 24_000, 32_000, 40_000, 48_000, 64_000, 80_000,
    100_000, 128_000, 160_000, 200_000,
];

/// The window that the engine believes in.
#[component]
pub(crate) fn WindowSlider(window: RwSignal<u64>) -> impl IntoView {
    let at = move || WINDOWS.iter().position(|size| *size >= window.get()).unwrap_or(WINDOWS.len() - 1);
    let said = move || short(Tokens(window.get()));
    view! {
        <label class="slider">
            <span class="slider-name">"Window"</span>
            <input
                type="range"
                min="0"
                max=(WINDOWS.len() - 1).to_string()
                prop:value=move || at().to_string()
                aria-valuetext=move || exact(Tokens(window.get()))
                on:input:target=move |event| {
                    let size = event.target().value().parse().ok().and_then(|at: usize| WINDOWS.get(at).copied());
                    if let Some(size) = size {
                        window.set(size);
                    }
                }
            />
            <output class="slider-value">{said}</output>
        </label>
    }
}

/// The named policies.
#[component]
pub(crate) fn PolicySelect(policy: RwSignal<String>) -> impl IntoView {
    let what = move || Policy::about(&policy.get());
    view! {
        <label class="inline-field policy">
            <span>"Policy"</span>
            <select
                title=what
                prop:value=move || policy.get()
                on:change:target=move |event| policy.set(event.target().value())
            >
                {Policy::NAMES.map(|name| view! { <option value=name title=Policy::about(name)>{name}</option> })}
            </select>
        </label>
    }
}

/// What the chosen policy is, in a sentence.
#[component]
pub(crate) fn PolicyNote(policy: RwSignal<String>) -> impl IntoView {
    view! {
        <span class="quiet policy-note">
            {move || Policy::about(&policy.get())}
        </span>
    }
}
