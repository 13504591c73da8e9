//! Helpers of the tests that span crates: where the real files lie.

pub mod host;

use std::path::{Path, PathBuf};

/// The shared corpus, when this machine has it; tests that read it are skipped, and say so, where it is missing.
pub fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no ../shared/corpus beside the repository");
    None
}

/// Every file below `dir` whose name ends in `.{extension}`, sorted.
pub fn files(dir: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(dir) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|have| have == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// How many cases a property runs: `few`, or what `PROPTEST_CASES` asks for.
pub fn cases(few: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(few)
}
