//! What this is and which keys it has, in a dialog.

use leptos::html::Dialog;
use leptos::prelude::*;

const KEYS: [(&str, &str); 7] = [
    ("Space", "Play or pause"),
    ("← →", "Step back, step on"),
    ("Home End", "To the start, to the end"),
    ("↑ ↓", "In the window: from block to block"),
    ("Tab", "From control to control"),
    ("Ctrl + Enter", "Live: send the prompt"),
    ("?", "This help"),
];

#[component]
pub(crate) fn Help(open: RwSignal<bool>) -> impl IntoView {
    let dialog = NodeRef::<Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = dialog.get() else { return };
        if open.get() {
            if !dialog.open() {
                // It fails only for a dialog that is open already.
                let _ = dialog.show_modal();
            }
        } else if dialog.open() {
            dialog.close();
        }
    });
    let closed = move |_| {
        // The browser tells of a closing a moment later; by then the dialog may have been opened again.
        if dialog.get_untracked().is_none_or(|dialog| !dialog.open()) {
            open.set(false);
        }
    };
    view! {
        <dialog class="help" node_ref=dialog aria-labelledby="help-title" on:close=closed>
            <h2 id="help-title">"How to read this page"</h2>
            <p>
                "A model sees only its window: a fixed number of tokens. An agent fills it with system prompt, tools, messages and tool results, and then something must go. Palimpsest is an engine that decides what, in three tiers:"
            </p>
            <dl class="tiers">
                <dt data-tone="micro"><span class="sign" aria-hidden="true">"M"</span>"Micro"</dt>
                <dd>"Old results of tools that can be run again give way to a short placeholder. No model is needed."</dd>
                <dt data-tone="auto"><span class="sign" aria-hidden="true">"A"</span>"Auto"</dt>
                <dd>"Above its line the older part becomes a summary; the newest part stays word for word."</dd>
                <dt data-tone="reactive"><span class="sign" aria-hidden="true">"R"</span>"Reactive"</dt>
                <dd>"The provider refuses a prompt as too long. The engine makes room and sends again."</dd>
            </dl>
            <p>
                "Nothing is ever deleted: the conversation on the left is the whole record, the window in the middle is what the model sees of it. Every number comes from the engine, which runs in this page."
            </p>
            <table class="keys">
                <caption>"Keys"</caption>
                <tbody>
                    {KEYS
                        .map(|(key, does)| {
                            view! {
                                <tr>
                                    <th scope="row"><kbd>{key}</kbd></th>
                                    <td>{does}</td>
                                </tr>
                            }
                        })}
                </tbody>
            </table>
            <form method="dialog">
                <button class="button primary">"Close"</button>
            </form>
        </dialog>
    }
}
