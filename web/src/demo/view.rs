//! The place: the player, the settings one can move, and the three columns.

use leptos::prelude::*;
use palimpsest_core::unit::Tokens;

use super::{Demo, LEAST_PROVIDER};
use crate::controls::{PolicyNote, PolicySelect, WindowSlider};
use crate::format::short;
use crate::stage::{Columns, MarkerLegend, Transport};

#[component]
pub(crate) fn DemoPlace(demo: Demo) -> impl IntoView {
    view! {
        <div class="place demo" aria-busy=move || demo.running.get().to_string()>
            <div class="controls">
                <Transport stage=demo.stage />
                <div class="settings">
                    <span class="label-simulated" title="The model's answers are made up by rules, so that the demo needs no key. Everything else is the real engine.">
                        "Simulated model"
                    </span>
                    <WindowSlider window=demo.window />
                    <ProviderSlider demo />
                    <PolicySelect policy=demo.policy />
                    <PolicyNote policy=demo.policy />
                    <MarkerLegend stage=demo.stage />
                </div>
                {move || {
                    demo.failure
                        .get()
                        .map(|why| {
                            view! {
                                <p class="failure" role="alert">
                                    "These settings cannot work: " {why} ". The story below is still that of the settings before."
                                </p>
                            }
                        })
                }}
            </div>
            <Columns
                stage=demo.stage
                empty="Press play, or the space key: an agent works on a small project, its window fills, and you see what goes and what stays."
            />
        </div>
    }
}

/// How much of the window the provider really takes: below the engine's belief it refuses, and the reactive tier acts.
#[component]
fn ProviderSlider(demo: Demo) -> impl IntoView {
    let size = move || Tokens(demo.window.get()).scaled(u64::from(demo.provider.get()), 100);
    view! {
        <label class="slider" title="Below 100 % the provider refuses prompts that the engine thinks will fit">
            <span class="slider-name">"Provider takes"</span>
            <input
                type="range"
                min=LEAST_PROVIDER.to_string()
                max="100"
                step="5"
                prop:value=move || demo.provider.get().to_string()
                aria-valuetext=move || format!("{} percent of the window", demo.provider.get())
                on:input:target=move |event| {
                    if let Ok(percent) = event.target().value().parse() {
                        demo.provider.set(percent);
                    }
                }
            />
            <output class="slider-value">{move || format!("{} ({} %)", short(size()), demo.provider.get())}</output>
        </label>
    }
}
