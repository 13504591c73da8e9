//! The right column: why, step by step; the picked item; the request as it was sent.

use leptos::prelude::*;

use super::item_view::ItemView;
use super::request_view::RequestView;
use super::steps::Steps;
use crate::state::{Stage, Tab};

#[component]
pub(crate) fn Inspector(stage: Stage) -> impl IntoView {
    let has_steps = move || stage.last.get() > 0;
    let tab = move |tab: Tab, label: &'static str| {
        view! {
            <button
                type="button"
                role="tab"
                id=tab_id(tab)
                aria-controls="inspector-panel"
                aria-selected=move || (stage.tab.get() == tab).to_string()
                tabindex=move || if stage.tab.get() == tab { "0" } else { "-1" }
                on:click=move |_| stage.tab.set(tab)
            >
                {label}
            </button>
        }
    };
    let on_key = move |event: leptos::ev::KeyboardEvent| {
        let tabs = [Tab::Steps, Tab::Item, Tab::Request];
        let at = tabs.iter().position(|tab| *tab == stage.tab.get_untracked()).unwrap_or(0);
        let to = match event.key().as_str() {
            "ArrowRight" => (at + 1) % tabs.len(),
            "ArrowLeft" => (at + tabs.len() - 1) % tabs.len(),
            _ => return,
        };
        event.prevent_default();
        event.stop_propagation();
        stage.tab.set(tabs[to]);
        crate::browser::focus(tab_id(tabs[to]));
    };
    view! {
        <section class="column inspector" aria-label="Inspector">
            <div class="tabs" role="tablist" aria-label="Inspector" on:keydown=on_key>
                {tab(Tab::Steps, "Steps")}
                {tab(Tab::Item, "Item")}
                {tab(Tab::Request, "Request")}
            </div>
            <div
                class="panel"
                id="inspector-panel"
                role="tabpanel"
                tabindex="0"
                aria-labelledby=move || tab_id(stage.tab.get())
            >
                {move || match stage.tab.get() {
                    Tab::Steps if has_steps() => view! { <Steps stage /> }.into_any(),
                    Tab::Steps => {
                        view! { <p class="empty">"A session file tells what stands in the window, not each step that led there. Pick a block to see it."</p> }
                            .into_any()
                    }
                    Tab::Item => view! { <ItemView stage /> }.into_any(),
                    Tab::Request => view! { <RequestView stage /> }.into_any(),
                }}
            </div>
        </section>
    }
}

const fn tab_id(tab: Tab) -> &'static str {
    match tab {
        Tab::Steps => "tab-steps",
        Tab::Item => "tab-item",
        Tab::Request => "tab-request",
    }
}
