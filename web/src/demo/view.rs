//! The place: the player, the settings one can move, and the three columns.

use leptos::prelude::*;
use palimpsest_core::unit::Tokens;

use super::run::MOST_TASKS;
use super::{Demo, LEAST_SMALL};
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
                    <SmallSlider demo />
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
                <Show when=move || demo.stopped.get()>
                    <p class="notice" role="status">
                        {format!("Stopped after {MOST_TASKS} calls. With so little room the agent forgets what it has read and reads it again, without end.")}
                    </p>
                </Show>
            </div>
            <Columns
                stage=demo.stage
                empty="Press play, or the space key: an agent works on a small project, its window fills, and you see what goes and what stays."
            />
        </div>
    }
}

/// How small the model is that the user of the story changes to. The engine is not told: the provider refuses what is
/// too long for it, and the reactive tier acts.
#[component]
fn SmallSlider(demo: Demo) -> impl IntoView {
    let size = move || Tokens(demo.window.get()).scaled(u64::from(demo.small.get()), 100);
    view! {
        <label class="slider" title="In mid-session the user changes to a smaller model. The engine is not told how small: it learns by being refused">
            <span class="slider-name">"Small model"</span>
            <input
                type="range"
                min=LEAST_SMALL.to_string()
                max="100"
                step="5"
                prop:value=move || demo.small.get().to_string()
                aria-valuetext=move || format!("{} percent of the window", demo.small.get())
                on:input:target=move |event| {
                    if let Ok(percent) = event.target().value().parse() {
                        demo.small.set(percent);
                    }
                }
            />
            <output class="slider-value">{move || format!("{} ({} %)", short(size()), demo.small.get())}</output>
        </label>
    }
}
