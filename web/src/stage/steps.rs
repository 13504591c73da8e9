//! What happened, step by step: the engine's events, the current one with its reason and its numbers.

use leptos::html::Ol;
use leptos::prelude::*;
use palimpsest_core::tokens::Category;
use palimpsest_core::unit::Tokens;

use super::tokens::Tok;
use crate::format::{css_percent, percent, share};
use crate::state::events::Told;
use crate::state::{Frame, Stage};

#[component]
pub(crate) fn Steps(stage: Stage) -> impl IntoView {
    let all = RwSignal::new(false);
    let list = NodeRef::<Ol>::new();
    let steps = Memo::new(move |_| {
        let all = all.get();
        stage.story.with(|story| {
            let told = story.frames.iter().map(|frame| (frame.step, story.told(frame)));
            told.filter(|(_, told)| all || !told.minor).collect::<Vec<_>>()
        })
    });
    // The current step may be one that the short list leaves out; then the one before it is marked.
    let current = Memo::new(move |_| {
        let step = stage.step.get();
        steps.with(|steps| steps.iter().rev().map(|(at, _)| *at).find(|at| *at <= step))
    });
    Effect::new(move |_| {
        let Some(step) = current.get() else { return };
        request_animation_frame(move || {
            let Some(item) = document().get_element_by_id(&format!("step-{step}")) else { return };
            let Some(steps) = list.try_get_untracked().flatten().and_then(|list| list.parent_element())
            else {
                return;
            };
            let Some((panel, now)) = steps.parent_element().zip(steps.first_element_child()) else { return };
            // The card of the current step lies over the top of the list.
            let (outer, inner) = (panel.get_bounding_client_rect(), item.get_bounding_client_rect());
            let top = now.get_bounding_client_rect().bottom().max(outer.top());
            if inner.top() < top + 30.0 || inner.bottom() > outer.bottom() - 40.0 {
                #[expect(clippy::cast_possible_truncation, reason = "pixels of a page")]
                let by = (inner.top() - top - (outer.bottom() - top) / 3.0) as i32;
                panel.set_scroll_top(panel.scroll_top() + by);
            }
        });
    });
    view! {
        <div class="steps">
            <Now stage />
            <label class="check">
                <input type="checkbox" prop:checked=move || all.get() on:change:target=move |event| all.set(event.target().checked()) />
                "Also requests, replies and tools"
            </label>
            <ol class="step-list" node_ref=list>
                <For each=move || steps.get() key=|(step, told)| (*step, told.title.clone()) let((step, told))>
                    <StepView stage step told current />
                </For>
            </ol>
        </div>
    }
}

#[component]
fn StepView(stage: Stage, step: usize, told: Told, current: Memo<Option<usize>>) -> impl IntoView {
    let is_current = move || current.get() == Some(step);
    view! {
        <li id=format!("step-{step}") class="step" data-tone=told.tone.key() class:current=is_current class:later=move || { step > stage.step.get() }>
            <button
                type="button"
                aria-current=move || is_current().then_some("step")
                on:click=move |_| {
                    stage.playing.set(false);
                    stage.go(step);
                }
            >
                <span class="sign" aria-hidden="true">{told.tone.sign()}</span>
                <span class="step-title">{told.title}</span>
                {told
                    .before_after
                    .map(|(before, after)| {
                        view! {
                            <span class="from-to">
                                <Tok n=before />
                                <span aria-label="to">" → "</span>
                                <Tok n=after />
                            </span>
                        }
                    })}
            </button>
        </li>
    }
}

/// The current step in full: title, reason, before and after, what changed by category.
#[component]
fn Now(stage: Stage) -> impl IntoView {
    view! {
        <div class="now" aria-live="polite" aria-atomic="true">
            {move || {
                let frame = stage.frame.get()?;
                let told = stage.story.with(|story| story.told(&frame));
                let changed = stage.before.get().map(|before| changes(&before, &frame)).unwrap_or_default();
                Some(view! {
                    <p class="now-title" data-tone=told.tone.key()>
                        <span class="sign" aria-hidden="true">{told.tone.sign()}</span>
                        {told.title.clone()}
                    </p>
                    {told.detail.iter().map(|line| view! { <p class="reason">{line.clone()}</p> }).collect_view()}
                    {told.before_after.map(|(before, after)| view! { <BeforeAfter before after /> })}
                    {(!changed.is_empty()).then(|| view! { <Changes changed /> })}
                })
            }}
        </div>
    }
}

#[component]
fn BeforeAfter(before: Tokens, after: Tokens) -> impl IntoView {
    let whole = before.max(after).max(Tokens(1));
    let row = |name: &'static str, tokens: Tokens| {
        view! {
            <div class="measure" data-measure=name>
                <span class="measure-name">{name}</span>
                <span class="measure-track">
                    <span class="measure-fill" style:width=css_percent(share(tokens, whole))></span>
                </span>
                <Tok n=tokens />
            </div>
        }
    };
    let saved = before - after;
    view! {
        <div class="before-after">
            {row("before", before)}
            {row("after", after)}
            <p class="quiet">"Saved " <Tok n=saved /> {format!(", {}", percent(saved, before))}</p>
        </div>
    }
}

/// What grew and shrank between two windows, by category.
fn changes(before: &Frame, after: &Frame) -> Vec<(Category, Tokens, Tokens)> {
    let (old, new) = (&before.report.ledger, &after.report.ledger);
    let pairs = Category::ALL.into_iter().map(|category| (category, old.get(category), new.get(category)));
    pairs.filter(|(_, old, new)| old != new).collect()
}

#[component]
fn Changes(changed: Vec<(Category, Tokens, Tokens)>) -> impl IntoView {
    view! {
        <table class="changes">
            <caption>"What changed in the window"</caption>
            <thead class="visually-hidden">
                <tr>
                    <th scope="col">"Category"</th>
                    <th scope="col">"Before"</th>
                    <th scope="col">"After"</th>
                </tr>
            </thead>
            <tbody>
                {changed
                    .into_iter()
                    .map(|(category, old, new)| {
                        view! {
                            <tr>
                                <th scope="row">
                                    <span class="swatch" data-kind=category.key() aria-hidden="true"></span>
                                    {category.label()}
                                </th>
                                <td><Tok n=old /></td>
                                <td aria-hidden="true">{if new > old { "▲" } else { "▼" }}</td>
                                <td><Tok n=new /></td>
                            </tr>
                        }
                    })
                    .collect_view()}
            </tbody>
        </table>
    }
}
