//! Starts the playground in the page's body.

use leptos::prelude::*;

fn main() {
    mount_to_body(|| view! { <h1>"Palimpsest"</h1> });
}
