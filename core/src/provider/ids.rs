//! Call ids that another provider accepts too.
//!
//! ```text
//!  functions.read:0 ──▶ functions_read_0 and a hash of the whole   (Anthropic takes letters, digits, _ and - only)
//!  an id of 60 characters ──▶ its head, then a hash of the whole   (OpenAI takes 40 at most)
//! ```
//!
//! A conversation may change its provider in the middle, so it can carry ids that the next one refuses. The
//! record keeps them; only the wire changes, the same way for a call and its result. An id that is right
//! stays as it is.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use crate::message::text;

/// The longest call id that Chat Completions takes, in characters; it was measured, and is not documented.
const OPENAI_CHARS: usize = 40;

/// The id with every character that the Messages API refuses replaced by `_`.
pub(super) fn for_anthropic(id: &str) -> Cow<'_, str> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !id.is_empty() && id.chars().all(allowed) {
        return Cow::Borrowed(id);
    }
    let plain: String = id.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    // Ids that differ only in what was replaced must stay different.
    Cow::Owned(format!("{plain}_{:016x}", hash(id)))
}

/// The id, shortened when Chat Completions would refuse its length.
pub(super) fn for_openai(id: &str) -> Cow<'_, str> {
    if !text::exceeds_chars(id, OPENAI_CHARS) {
        return Cow::Borrowed(id);
    }
    let head = text::head_chars(id, OPENAI_CHARS - 17);
    Cow::Owned(format!("{head}_{:016x}", hash(id)))
}

/// An id for a call that came without one (or with one already used in its reply): from the reply's own
/// bytes, so that reading the same reply twice gives the same id.
pub(super) fn invented(body: &str, index: usize) -> String {
    format!("call_{:016x}_{index}", hash(body))
}

/// FNV-1a, 64 bits: stable across versions and platforms, and nothing here needs to resist an attacker.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_right_id_stays_and_a_wrong_one_is_mended_the_same_way_each_time() {
        assert_eq!(for_anthropic("toolu_01-A"), "toolu_01-A");
        assert!(for_anthropic("functions.read:0").starts_with("functions_read_0_"));
        assert_ne!(for_anthropic("read.0"), for_anthropic("read:0"));
        assert_ne!(for_anthropic("é"), for_anthropic("è"));
        assert!(!for_anthropic("").is_empty());
        assert_eq!(for_openai(&"a".repeat(40)), "a".repeat(40));
        let (one, two) = ("a".repeat(41), alloc::format!("{}b", "a".repeat(40)));
        assert_eq!(for_openai(&one).chars().count(), 40);
        assert_ne!(for_openai(&one), for_openai(&two));
        assert_eq!(invented("{}", 1), invented("{}", 1));
    }
}
