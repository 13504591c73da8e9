//! The scrubber: how full the window was at each step, the policy's lines, where the tiers acted, and a thumb.

use leptos::prelude::*;
use palimpsest_core::unit::Tokens;
use palimpsest_core::window::Thresholds;

use super::bar::scale;
use crate::format::{counted, share};
use crate::state::events::Tone;
use crate::state::{Frame, Stage, Story};

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
                        .limits
                        .into_iter()
                        .map(|(key, path)| view! { <path class="limit" data-line=key d=path></path> })
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
    limits: Vec<(&'static str, String)>,
}

impl Picture {
    fn of(story: &Story) -> Self {
        // To the scale of the newest window: one that turned out smaller than believed would leave a flat line else.
        let window = story.frames.last().map(|frame| scale(&frame.report)).unwrap_or_default();
        let whole = story.frames.iter().map(Frame::used).max().unwrap_or_default().max(window).max(Tokens(1));
        let limit = |line: fn(&Thresholds) -> Option<Tokens>| {
            steps(story, whole, move |frame| frame.report.thresholds.as_ref().and_then(line))
        };
        let edge = steps(story, whole, |frame| Some(frame.used()));
        let area = if edge.is_empty() { String::new() } else { format!("{edge}V{HEIGHT}H0Z") };
        let limits = vec![("auto", limit(|lines| lines.auto)), ("hard", limit(|lines| Some(lines.hard)))];
        Self { area, edge, limits }
    }
}

/// A path of steps, not slopes: what it draws is what it is until the next event.
fn steps(story: &Story, whole: Tokens, value: impl Fn(&Frame) -> Option<Tokens>) -> String {
    use std::fmt::Write;
    let mut path = String::new();
    let mut drawn = None;
    for frame in &story.frames {
        let now = value(frame);
        if let Some(tokens) = now {
            let y = HEIGHT - share(tokens, whole) / 100.0 * HEIGHT;
            // Writing to a string cannot fail.
            let _ = match drawn {
                None => write!(path, "M{} {y:.2}", frame.step),
                Some(before) if before == now => write!(path, "H{}", frame.step),
                Some(_) => write!(path, "H{}V{y:.2}", frame.step),
            };
        }
        drawn = now.is_some().then_some(now);
    }
    path
}
