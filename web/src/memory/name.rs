//! Names of memory files: plain `*.md`, so that they are files of one folder wherever they go.

/// Longer names are refused; file systems take 255 bytes.
const LONGEST: usize = 100;

/// Checks a name.
///
/// # Errors
/// What is wrong and what would be right.
pub(crate) fn check(name: &str) -> Result<(), String> {
    let stem = name.strip_suffix(".md").ok_or("The name must end in .md, such as testing.md")?;
    if stem.is_empty() || stem.starts_with(['.', ' ']) || stem.ends_with(['.', ' ']) {
        return Err(
            "The name must have letters or digits before .md and not begin or end with a dot or a space"
                .to_owned(),
        );
    }
    if name.len() > LONGEST {
        return Err(format!("The name has {} bytes; at most {LONGEST} are taken", name.len()));
    }
    match name.chars().find(|c| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' '))) {
        Some(c) => Err(format!("The name has {c:?} in it; letters, digits, spaces and - _ . are taken")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn plain_names_pass_and_paths_do_not() {
        for name in ["testing.md", "MEMORY.md", "Памяць 2.md", "a-b_c.d.md"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in [
            "", ".md", "..md", "../x.md", "a/b.md", "a\\b.md", "c:x.md", "x", "x.MD", " .md", "a\0.md",
            "<b>.md",
        ] {
            assert!(check(name).is_err(), "{name}");
        }
        assert!(check(&format!("{}.md", "x".repeat(98))).is_err());
    }
}
