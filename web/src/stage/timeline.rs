//! The scrubber: how full the window was at each step, the policy's lines, where the tiers acted, and a thumb.

use leptos::prelude::*;
use palimpsest_core::unit::Tokens;

use super::bar::scale;
use crate::format::{counted, share};
use crate::state::events::Tone;
use crate::state::{Stage, Story};

/// The drawing's height in its own units; its width is the number of steps.
const HEIGHT: f64 = 100.0;

/// Draws the story and moves through it.
#[component]
pub(crate) fn Timeline(stage: Stage) -> impl IntoView {
    let picture = Memo::new(move |_| stage.story.with(Picture::of));
    let width = move || stage.last.get().max(1);
    let said = move || {
        let frame = stage.frame.get();
        let title = frame.map(|frame| frame.told().title).unwrap_or_default();
        format!("Step {} of {}: {title}", stage.step.get(), stage.last.get())
    };
    let left = move |step: usize| format!("{:.3}%", step as f64 / width() as f64 * 100.0);
    view! {
        <div class="timeline">
            <svg
                class="timeline-picture"
                viewBox=move || format!("0 0 {} {HEIGHT}", width())
                preserveAspectRatio="none"
                aria-hidden="true"
            >
                <path class="area" d=move || picture.get().area></path>
                <path class="edge" d=move || picture.get().edge></path>
                {move || {
                    picture
                        .get()
                        .lines
                        .into_iter()
                        .map(|(key, y)| {
                            view! {
                                <line class="limit" data-line=key x1="0" x2=move || width().to_string() y1=format!("{y:.2}") y2=format!("{y:.2}")></line>
                            }
                        })
                        .collect_view()
                }}
            </svg>
            <div class="playhead" aria-hidden="true" style:left=move || left(stage.step.get())></div>
            <input
                class="scrub"
                type="range"
                min="0"
                max=move || stage.last.get().to_string()
                prop:value=move || stage.step.get().to_string()
                aria-label="Step"
                aria-valuetext=said
                on:input:target=move |event| {
                    stage.playing.set(false);
                    if let Ok(step) = event.target().value().parse() {
                        stage.go(step);
                    }
                }
            />
            <div class="markers">
                {move || {
                    stage
                        .markers
                        .get()
                        .into_iter()
                        .map(|marker| {
                            let title = format!("{}, step {}", marker.tone.label(), marker.step);
                            view! {
                                <button
                                    type="button"
                                    class="marker"
                                    data-tone=marker.tone.key()
                                    style:left=left(marker.step)
                                    title=title.clone()
                                    aria-label=title
                                    tabindex="-1"
                                    on:click=move |_| {
                                        stage.playing.set(false);
                                        stage.go(marker.step);
                                    }
                                >
                                    {marker.tone.sign()}
                                </button>
                            }
                        })
                        .collect_view()
                }}
            </div>
        </div>
    }
}

/// What each tier's letter means, and how often it acted.
#[component]
pub(crate) fn MarkerLegend(stage: Stage) -> impl IntoView {
    let count = move |tone: Tone| {
        stage.markers.with(|markers| markers.iter().filter(|marker| marker.tone == tone).count())
    };
    view! {
        <ul class="marker-legend" aria-label="How often each tier acted">
            {[Tone::Micro, Tone::Auto, Tone::Reactive]
                .map(|tone| {
                    view! {
                        <li data-tone=tone.key() data-count=move || count(tone).to_string() class:none=move || count(tone) == 0>
                            <span class="sign" aria-hidden="true">{tone.sign()}</span>
                            {tone.label()}
                            " "
                            <span class="times">{move || counted(count(tone) as u64, "time")}</span>
                        </li>
                    }
                })}
        </ul>
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Picture {
    area: String,
    edge: String,
    lines: Vec<(&'static str, f64)>,
}

impl Picture {
    fn of(story: &Story) -> Self {
        use std::fmt::Write;
        let whole = story.frames.iter().map(|frame| scale(&frame.report)).max().unwrap_or(Tokens(1));
        let y = |tokens: Tokens| HEIGHT - share(tokens, whole) / 100.0 * HEIGHT;
        let mut edge = String::new();
        for frame in &story.frames {
            let (step, y) = (frame.step, y(frame.used()));
            // Steps, not slopes: the window is what it is until the next event.
            let _ = match frame.step {
                0 => write!(edge, "M0 {y:.2}"),
                _ => write!(edge, "H{step}V{y:.2}"),
            };
        }
        let area = format!("{edge}V{HEIGHT}H0Z");
        let mut lines = Vec::new();
        if let Some(limits) = story.frames.last().and_then(|frame| frame.report.thresholds) {
            lines.extend(limits.auto.map(|auto| ("auto", y(auto))));
            lines.push(("hard", y(limits.hard)));
        }
        Self { area: if edge.is_empty() { String::new() } else { area }, edge, lines }
    }
}
