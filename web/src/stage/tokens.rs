//! A number of tokens: short to read, exact on hover and for screen readers.

use leptos::prelude::*;
use palimpsest_core::unit::Tokens;

use crate::format::{exact, short};

/// `12.4k`, with the exact count as its title.
#[component]
pub(crate) fn Tok(#[prop(into)] n: Signal<Tokens>) -> impl IntoView {
    view! {
        <data class="tok" value=move || n.get().get().to_string() title=move || exact(n.get())>
            {move || short(n.get())}
        </data>
    }
}
