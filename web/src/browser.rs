//! What the page asks of the browser: time, a pause to paint, a download, the clipboard, small settings.

use js_sys::{Array, Promise, Uint8Array};
use leptos::prelude::*;
use palimpsest_core::unit::Millis;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

/// Now, in Unix milliseconds.
pub(crate) fn now() -> Millis {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the clock is after 1970")]
    Millis(js_sys::Date::now() as u64)
}

/// Milliseconds since the page was opened, for measuring spans.
pub(crate) fn clock() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Gives the browser a turn, so that it paints and hears clicks in the midst of long work.
pub(crate) async fn breathe() {
    let promise = Promise::new(&mut |resolve, _| {
        // Without a timer there is no turn to give; the work simply goes on.
        if window().set_timeout_with_callback(&resolve).is_err() {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    });
    let _ = JsFuture::from(promise).await;
}

/// How long work may hold the page before it must [`breathe`]: three quarters of a frame at 60 Hz.
pub(crate) const SLICE_MS: f64 = 12.0;

/// Offers a text as a file to keep.
pub(crate) fn download(name: &str, media_type: &str, text: &str) -> Result<(), JsValue> {
    let options = BlobPropertyBag::new();
    options.set_type(media_type);
    let bytes = Uint8Array::from(text.as_bytes());
    let blob = Blob::new_with_u8_array_sequence_and_options(&Array::of1(&bytes), &options)?;
    let url = Url::create_object_url_with_blob(&blob)?;
    let link: HtmlAnchorElement = document().create_element("a")?.unchecked_into();
    link.set_href(&url);
    link.set_download(name);
    link.click();
    // The download has its own hold on the data by the time the next task runs.
    set_timeout(move || drop(Url::revoke_object_url(&url)), std::time::Duration::from_secs(10));
    Ok(())
}

/// Puts a text on the clipboard; false when the browser refuses.
pub(crate) async fn copy(text: &str) -> bool {
    let navigator = window().navigator();
    if !has(&navigator, "clipboard") {
        return false;
    }
    JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}

/// A setting of this browser; `None` where storage is refused.
pub(crate) fn setting(key: &str) -> Option<String> {
    window().local_storage().ok()??.get_item(key).ok()?
}

/// Keeps a setting, where storage is allowed. Never called with a key or with anybody's text.
pub(crate) fn keep_setting(key: &str, value: &str) {
    if let Ok(Some(storage)) = window().local_storage() {
        let _ = storage.set_item(key, value);
    }
}

/// Asks the browser not to clear this page's data when space runs short. Some decide by themselves, some ask the user;
/// nothing depends on the answer.
pub(crate) fn ask_to_keep() {
    let navigator = window().navigator();
    if has(&navigator, "storage") {
        let _ = navigator.storage().persist();
    }
}

/// False for what this browser lacks, or has on secure pages only.
fn has(object: &JsValue, member: &str) -> bool {
    js_sys::Reflect::get(object, &member.into()).is_ok_and(|value| !value.is_undefined())
}

/// An error of the browser in its own words: its name and message.
pub(crate) fn words_of(error: &JsValue) -> String {
    let member =
        |name: &str| js_sys::Reflect::get(error, &name.into()).ok().and_then(|value| value.as_string());
    match (member("name"), member("message")) {
        (Some(name), Some(message)) if !message.is_empty() => format!("{name}: {message}"),
        (Some(name), _) => name,
        (None, Some(message)) => message,
        (None, None) => error.as_string().unwrap_or_else(|| "the browser gave no reason".to_owned()),
    }
}

/// Moves the focus to an element by its id, once the page has drawn.
pub(crate) fn focus(id: &'static str) {
    request_animation_frame(move || {
        let element = document()
            .get_element_by_id(id)
            .and_then(|element| element.dyn_into::<web_sys::HtmlElement>().ok());
        if let Some(element) = element {
            let _ = element.focus();
        }
    });
}
