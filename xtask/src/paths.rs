//! Where things are: in the repository, in Cargo's home, and what the lock file pins.

use std::env;
use std::path::{Path, PathBuf};

/// The repository's root folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository")
}

/// Cargo's target folder: `target/`, or where `CARGO_TARGET_DIR` points.
pub(crate) fn target() -> PathBuf {
    root().join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Where Trunk leaves the page.
pub(crate) fn page() -> PathBuf {
    root().join("dist")
}

/// The npm package's folder.
pub(crate) fn package() -> PathBuf {
    root().join("pkg")
}

/// Where `setup` installs tools: `palimpsest/` in Cargo's home. All clones share it, `cargo clean` keeps it, and a
/// `wasm-bindgen` of another version that other projects need stays untouched in `~/.cargo/bin`.
pub(crate) fn tools() -> PathBuf {
    let cargo_home = env::var_os("CARGO_HOME").map(PathBuf::from);
    cargo_home
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
        .unwrap_or_else(target)
        .join("palimpsest")
}

/// The version of `package` in the text of a `Cargo.lock`.
pub(crate) fn locked_version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| **line != name);
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_lock_file() {
        let lock = "[[package]]\nname = \"a-b\"\nversion = \"1.0.0\"\n\n[[package]]\nname = \"a\"\nversion = \"2.1.0\"\n";
        assert_eq!(locked_version(lock, "a"), Some("2.1.0"));
        assert_eq!(locked_version(lock, "a-b"), Some("1.0.0"));
        assert_eq!(locked_version(lock, "b"), None);
    }
}
