//! Finding the programs that build and test the project: by name, in the version that fits.

use crate::paths;
use crate::run::{Error, Result, command, output};
use std::env;
use std::path::PathBuf;

/// A program that Cargo installs.
#[derive(Debug)]
pub(crate) struct CargoTool {
    /// The crate's name.
    pub name: &'static str,
    /// The programs it brings that we use.
    pub programs: &'static [&'static str],
    /// The one version that fits.
    pub version: String,
    /// Whether its own lock file can be used.
    pub locked: bool,
    /// Cargo's `opt-level` when it is built from source: as low as does not slow our builds.
    pub opt_level: &'static str,
    /// Why the project needs it.
    pub why: &'static str,
}

impl CargoTool {
    /// The command line of wasm-bindgen; its version must be that of the library exactly, so it comes from `Cargo.lock`.
    pub(crate) fn wasm_bindgen() -> Result<Self> {
        let file = paths::root().join("Cargo.lock");
        let lock = std::fs::read_to_string(&file).map_err(|error| Error::file("read", &file, &error))?;
        let version = paths::locked_version(&lock, "wasm-bindgen")
            .ok_or_else(|| Error::new("Cargo.lock names no wasm-bindgen", "Restore it from git."))?;
        Ok(Self {
            name: "wasm-bindgen-cli",
            programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
            version: version.to_owned(),
            // Its lock file names crate versions that registries no longer serve.
            locked: false,
            opt_level: "1",
            why: "writes the JavaScript side of our wasm files and runs the tests in wasm",
        })
    }

    /// Trunk. 0.22 needs a newer Rust than the rest of the project.
    pub(crate) fn trunk() -> Self {
        Self {
            name: "trunk",
            programs: &["trunk"],
            version: "0.21.14".to_owned(),
            locked: true,
            opt_level: "0",
            why: "builds the page",
        }
    }

    /// Whether all its programs are there in the right version. The project's own folder comes before the PATH, so a
    /// stale program there has to be replaced even when the PATH holds the right one.
    pub(crate) fn is_there(&self) -> bool {
        self.programs.iter().all(|program| {
            output(command(program).arg("--version"))
                .is_ok_and(|text| text.split_whitespace().any(|word| word == self.version))
        })
    }
}

/// A Chromium (or Chrome) and its driver, for tests in a browser.
#[derive(Debug)]
pub(crate) struct Browser {
    /// The browser's program.
    pub chrome: PathBuf,
    /// The WebDriver server that steers it.
    pub driver: PathBuf,
}

impl Browser {
    /// The one that `CHROME` and `CHROMEDRIVER` name, else the first on the PATH, else where macOS keeps it.
    pub(crate) fn find() -> Option<Self> {
        let chrome = from_env("CHROME").or_else(|| {
            ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
                .iter()
                .find_map(|name| on_path(name))
                .or_else(|| {
                    let mac = PathBuf::from("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
                    mac.is_file().then_some(mac)
                })
        })?;
        let driver = from_env("CHROMEDRIVER").or_else(|| on_path("chromedriver"))?;
        Some(Self { chrome, driver })
    }
}

/// Node's major version, or `None` where there is no Node.
pub(crate) fn node_major() -> Option<u32> {
    let version = output(command("node").arg("--version")).ok()?;
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Whether this process is root: Chromium needs to be told, and only root installs Debian's packages.
pub(crate) fn is_root() -> bool {
    cfg!(unix) && output(command("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}

fn from_env(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// The first program of that name on the PATH.
pub(crate) fn on_path(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(&file)).find(|path| path.is_file())
}
