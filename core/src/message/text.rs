//! Cutting text without ever cutting a character (E1).

/// The longest head of `text` of at most `max` bytes that ends between characters.
pub fn head(text: &str, max: usize) -> &str {
    text.get(..floor_boundary(text, max)).unwrap_or_default()
}

/// The longest tail of `text` of at most `max` bytes that begins between characters.
pub fn tail(text: &str, max: usize) -> &str {
    let mut from = text.len().saturating_sub(max);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or_default()
}

/// The longest head of at most `max` characters.
pub fn head_chars(text: &str, max: usize) -> &str {
    let end = text.char_indices().nth(max).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or_default()
}

/// True when `text` has more than `max` characters; looks no further than it must.
pub fn exceeds_chars(text: &str, max: usize) -> bool {
    text.len() > max && text.chars().nth(max).is_some()
}

fn floor_boundary(text: &str, max: usize) -> usize {
    let mut end = max.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use proptest::prelude::*;

    #[test]
    fn t124_never_cuts_an_astral_character() {
        let text = alloc::format!("{}🟡", "a".repeat(3071));
        assert_eq!(head(&text, 3072), "a".repeat(3071));
        assert_eq!(tail("🟡a", 3), "a");
    }

    proptest! {
        #[test]
        fn e1_cuts_stay_within_limit_and_text(text in any::<String>(), max in 0_usize..64) {
            prop_assert!(head(&text, max).len() <= max && text.starts_with(head(&text, max)));
            prop_assert!(tail(&text, max).len() <= max && text.ends_with(tail(&text, max)));
            prop_assert!(head_chars(&text, max).chars().count() <= max);
            prop_assert_eq!(exceeds_chars(&text, max), text.chars().count() > max);
        }
    }
}
