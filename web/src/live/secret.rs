//! A key that was typed in: kept in memory, for the origin it was typed for, and shown to nobody.

use core::fmt;

/// The key and the only origin it may be sent to.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Secret {
    value: String,
    origin: String,
}

impl Secret {
    pub(crate) fn new(value: String, origin: String) -> Self {
        Self { value, origin }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.value.is_empty()
    }

    /// The key, for a request to `origin`; `None` for any other.
    pub(crate) fn for_origin(&self, origin: &str) -> Option<&str> {
        (!self.is_empty() && self.origin == origin).then_some(self.value.as_str())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_key_goes_to_its_origin_only_and_never_into_a_log() {
        let key = Secret::new("sk-canary".to_owned(), "https://api.anthropic.com".to_owned());
        assert_eq!(key.for_origin("https://api.anthropic.com"), Some("sk-canary"));
        assert_eq!(key.for_origin("https://example.org"), None);
        assert!(!format!("{key:?}").contains("canary"));
        assert_eq!(Secret::default().for_origin(""), None);
    }
}
