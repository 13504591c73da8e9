//! The player: to the start, back, play, on, to the end, speed, and the timeline to scrub.

use std::time::Duration;

use leptos::prelude::*;

use super::timeline::Timeline;
use crate::state::Stage;

/// How long a step stays at speed 1, in milliseconds; a tier's step stays four times as long.
const DWELL: u64 = 420;
const SPEEDS: [u32; 4] = [1, 2, 4, 8];

#[component]
pub(crate) fn Transport(stage: Stage) -> impl IntoView {
    drive(stage);
    let button = move |label: &'static str, keys: &'static str, path: &'static str, act: fn(Stage)| {
        view! {
            <button type="button" class="icon-button" title=format!("{label} ({keys})") aria-label=label on:click=move |_| act(stage)>
                <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
                    <path d=path></path>
                </svg>
            </button>
        }
    };
    view! {
        <div class="transport" role="group" aria-label="Player">
            <div class="transport-buttons">
                {button("To the start", "Home", "M18 6 9 12l9 6zM6 6v12", |stage| stage.walk(isize::MIN))}
                {button("Step back", "←", "M15 6l-8 6 8 6z", |stage| stage.walk(-1))}
                <button
                    type="button"
                    class="icon-button play"
                    title="Play or pause (Space)"
                    aria-label=move || if stage.playing.get() { "Pause" } else { "Play" }
                    on:click=move |_| stage.toggle()
                >
                    <svg viewBox="0 0 24 24" class="icon" aria-hidden="true">
                        <path d=move || if stage.playing.get() { "M8 5v14M16 5v14" } else { "M8 5l11 7-11 7z" }></path>
                    </svg>
                </button>
                {button("Step on", "→", "M9 6l8 6-8 6z", |stage| stage.walk(1))}
                {button("To the end", "End", "M6 6l9 6-9 6zM18 6v12", |stage| stage.walk(isize::MAX))}
                <label class="speed">
                    <span class="visually-hidden">"Speed"</span>
                    <select
                        title="Speed"
                        prop:value=move || stage.speed.get().to_string()
                        on:change:target=move |event| stage.speed.set(event.target().value().parse().unwrap_or(1))
                    >
                        {SPEEDS.map(|speed| view! { <option value=speed.to_string()>{format!("{speed}×")}</option> })}
                    </select>
                </label>
            </div>
            <Timeline stage />
            <output class="step-count" aria-label="Step">
                <span class="step-number">{move || stage.step.get()}</span>
                {move || format!(" / {}", stage.last.get())}
            </output>
        </div>
    }
}

/// Moves on while it plays. A step is due after the dwell of the one before it, at the speed of that moment.
fn drive(stage: Stage) {
    Effect::new(move |timer: Option<Option<TimeoutHandle>>| {
        if let Some(timer) = timer.flatten() {
            timer.clear();
        }
        let step = stage.step.get();
        if !stage.playing.get() {
            return None;
        }
        if step >= stage.last.get() {
            stage.playing.set(false);
            return None;
        }
        let marked = stage.markers.with(|markers| markers.iter().any(|marker| marker.step == step));
        let dwell = DWELL * if marked { 4 } else { 1 } / u64::from(stage.speed.get().max(1));
        set_timeout_with_handle(move || stage.go(step + 1), Duration::from_millis(dwell)).ok()
    });
}
