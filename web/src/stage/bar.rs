//! The window to scale: slabs stacked from the top, the policy's lines across, free space and reserve below.

use std::collections::BTreeMap;
use std::sync::Arc;

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use palimpsest_core::inspect::WindowReport;
use palimpsest_core::unit::Tokens;
use palimpsest_core::window::Thresholds;

use super::slabs::{Slab, slabs, state_key, state_label};
use crate::format::{css_percent, exact, percent, share, short};
use crate::state::Stage;

/// Labels of lines closer than this, in percent of the bar, are moved apart.
const LABEL_GAP: f64 = 4.6;

/// The bar. What is under the pointer or picked it tells through `hovered`.
#[component]
pub(crate) fn Bar(stage: Stage, hovered: RwSignal<Option<Slab>>) -> impl IntoView {
    let drawn = Memo::new(move |_| {
        let Some(frame) = stage.frame.get() else { return Vec::new() };
        let before = stage.before.get();
        slabs(&frame.report, before.as_ref().map(|frame| frame.report.as_ref()), scale(&frame.report))
    });
    let by_key = Memo::new(move |_| {
        let pairs = drawn.get().into_iter().map(|slab| (slab.key.clone(), slab));
        Arc::new(pairs.collect::<BTreeMap<String, Slab>>())
    });
    let keys = move || drawn.with(|slabs| slabs.iter().map(|slab| slab.key.clone()).collect::<Vec<_>>());
    let whole = move || stage.frame.get().map_or(Tokens::ZERO, |frame| scale(&frame.report));
    let on_key = move |event: KeyboardEvent| {
        let there: Vec<Slab> = drawn.get_untracked().into_iter().filter(|slab| !slab.gone).collect();
        let selected = stage.selected.get_untracked();
        let at = there.iter().position(|slab| Some(&slab.key) == selected.as_ref());
        let to = match event.key().as_str() {
            "ArrowDown" => at.map_or(0, |at| at + 1),
            "ArrowUp" => at.map_or(0, |at| at.saturating_sub(1)),
            "PageDown" => at.map_or(0, |at| at + 10),
            "PageUp" => at.map_or(0, |at| at.saturating_sub(10)),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        if let Some(slab) = there.get(to.min(there.len().saturating_sub(1))) {
            stage.selected.set(Some(slab.key.clone()));
            stage.tab.set(crate::state::Tab::Item);
        }
    };
    let active = move || {
        let slabs = drawn.get();
        let at = stage.selected.with(|id| slabs.iter().position(|slab| Some(&slab.key) == id.as_ref()))?;
        Some(format!("slab-{at}"))
    };
    let place =
        move |key: &str| drawn.with(|slabs| slabs.iter().position(|slab| slab.key == key)).unwrap_or(0);

    view! {
        <div class="bar-frame">
            <div
                class="bar"
                role="listbox"
                tabindex="0"
                aria-label="The window, to scale; arrow keys go through its items"
                aria-activedescendant=active
                on:keydown=on_key
                on:mouseleave=move |_| hovered.set(None)
            >
                <For each=keys key=Clone::clone let(key)>
                    {
                        let key_of_slab = key.clone();
                        let slab = Memo::new(move |_| {
                            by_key.with(|slabs| slabs.get(&key_of_slab).cloned())
                        });
                        let (picked, clicked, named) = (key.clone(), key.clone(), key);
                        view! {
                            <SlabView
                                slab
                                whole=Signal::derive(whole)
                                id=Signal::derive(move || format!("slab-{}", place(&named)))
                                picked=Signal::derive(move || stage.is_picked(&picked))
                                on_pick=move || stage.pick(&clicked)
                                on_hover=move || hovered.set(slab.get_untracked())
                            />
                        }
                    }
                </For>
            </div>
            <Lines stage />
        </div>
    }
}

#[component]
fn SlabView(
    slab: Memo<Option<Slab>>,
    whole: Signal<Tokens>,
    id: Signal<String>,
    picked: Signal<bool>,
    on_pick: impl Fn() + 'static,
    on_hover: impl Fn() + 'static,
) -> impl IntoView {
    let get = move |read: fn(&Slab) -> String| slab.with(|slab| slab.as_ref().map(read).unwrap_or_default());
    let gone = move || slab.with(|slab| slab.as_ref().is_none_or(|slab| slab.gone));
    let height = move || {
        let tokens = slab.with(|slab| slab.as_ref().filter(|slab| !slab.gone).map(|slab| slab.tokens));
        css_percent(share(tokens.unwrap_or_default(), whole.get()))
    };
    let spoken =
        move || slab.with(|slab| slab.as_ref().map(|slab| describe(slab, whole.get())).unwrap_or_default());
    view! {
        <div
            class="slab"
            role="option"
            id=id
            aria-label=spoken
            aria-selected=move || picked.get().to_string()
            aria-hidden=move || gone().then_some("true")
            class:gone=gone
            class:many=move || slab.with(|slab| slab.as_ref().is_some_and(|slab| slab.count > 1))
            data-kind=move || get(|slab| slab.kind.to_owned())
            data-state=move || get(|slab| state_key(slab.state).to_owned())
            style:height=height
            on:click=move |_| on_pick()
            on:mouseenter=move |_| on_hover()
        >
            <span class="slab-label">
                <span class="slab-text">{move || get(|slab| slab.label.clone())}</span>
                <span class="slab-state">{move || get(|slab| state_label(slab.state).unwrap_or_default().to_owned())}</span>
                <span class="slab-tokens">{move || get(|slab| short(slab.tokens))}</span>
            </span>
        </div>
    }
}

/// What the whole height stands for: the window, or what is in it when that is more or the window is not known.
pub(crate) fn scale(report: &WindowReport) -> Tokens {
    report.window.max(report.gauge.used).max(Tokens(1))
}

/// A slab in words: name, tokens, share, state.
pub(crate) fn describe(slab: &Slab, whole: Tokens) -> String {
    let state = state_label(slab.state).map(|state| format!(", {state}")).unwrap_or_default();
    let kind = if slab.label.starts_with(slab.kind_label) {
        String::new()
    } else {
        format!("{}: ", slab.kind_label)
    };
    format!(
        "{kind}{}, {}, {} of the window{state}",
        slab.label,
        exact(slab.tokens),
        percent(slab.tokens, whole)
    )
}

#[derive(Debug, Clone, PartialEq)]
struct Line {
    key: &'static str,
    name: &'static str,
    title: &'static str,
    at: Tokens,
    /// Where it is, in percent from the top.
    top: f64,
    /// Where its label is.
    label_top: f64,
}

fn lines(report: &WindowReport) -> Vec<Line> {
    let whole = scale(report);
    let Some(limits) = report.thresholds else { return Vec::new() };
    let line = |key, name, title, at: Tokens| {
        let top = share(at, whole);
        Line { key, name, title, at, top, label_top: top }
    };
    let mut lines = Vec::new();
    if let Some(micro) = limits.micro {
        lines.push(line("micro", "micro", "Above this the micro tier clears old tool results", micro));
    }
    if let Some(auto) = limits.auto {
        lines.push(line("auto", "auto", "Above this the auto tier summarises the older part", auto));
    }
    lines.push(line(
        "hard",
        "hard",
        "Above this nothing is sent: the answer would have no room",
        limits.hard,
    ));
    lines.push(line("window", "window", "The whole window", report.window));
    lines.sort_by_key(|line| line.at);
    // Labels make room for each other from the bottom up, where the lines are dense.
    let mut below = 100.0 + LABEL_GAP / 2.0;
    for line in lines.iter_mut().rev() {
        line.label_top = line.top.min(below - LABEL_GAP);
        below = line.label_top;
    }
    lines
}

/// The policy's lines and, between the hard line and the window's end, the reserve.
#[component]
fn Lines(stage: Stage) -> impl IntoView {
    let lines = Memo::new(move |_| stage.frame.get().map(|frame| lines(&frame.report)).unwrap_or_default());
    let reserve = move |part: fn(&Thresholds) -> Tokens| {
        move || {
            let frame = stage.frame.get()?;
            let limits = frame.report.thresholds?;
            Some(css_percent(share(part(&limits), scale(&frame.report))))
        }
    };
    view! {
        <div class="reserve" aria-hidden="true"
            style:top=move || reserve(|limits| limits.hard)().unwrap_or_default()
            style:height=move || reserve(|limits| limits.reserve)().unwrap_or_default()>
        </div>
        {move || {
            lines
                .get()
                .into_iter()
                .map(|line| {
                    view! {
                        <div class="line" data-line=line.key aria-hidden="true" style:top=css_percent(line.top)></div>
                        <div class="line-label" data-line=line.key style:top=css_percent(line.label_top) title=line.title>
                            <span class="line-name">{line.name}</span>
                            " "
                            <span class="line-at" title=exact(line.at)>{short(line.at)}</span>
                        </div>
                    }
                })
                .collect_view()
        }}
    }
}
