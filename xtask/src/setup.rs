//! `cargo xtask setup`: installs what is missing, each part with the reason for it; seconds when nothing is.
//!
//! ```text
//! Rust targets   rustup                 wasm32; for tests two targets that have no std
//! Cargo tools    cargo (bin)install     wasm-bindgen in the lock file's version, Trunk
//! npm parts      npm ci                 pkg/: wasm-opt, TypeScript; tests/: what drives a browser
//! Chromium       apt-get, as root       for tests, where there is none
//! ```

use crate::paths;
use crate::run::{Error, Result, cargo, command, npm, output, run, say};
use crate::tools::{Browser, CargoTool, is_root, node_major, on_path};
use std::fs;
use std::path::Path;

/// What a machine is set up for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Building and serving the page and the npm package.
    Serve,
    /// That, and running the tests; some of them in a browser.
    Test {
        /// Whether any of them needs one.
        browser: bool,
    },
}

/// The target of everything that runs in a browser or in Node.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";
/// Targets without a standard library: on them the core proves that it needs none.
pub(crate) const NO_STD: [&str; 2] = ["wasm32v1-none", "thumbv7em-none-eabi"];
/// The oldest Node that the package and its tests run on.
const NODE: u32 = 20;

/// Installs what is missing.
pub(crate) fn setup(purpose: Purpose) -> Result {
    let test = matches!(purpose, Purpose::Test { .. });
    rust_target(WASM, "the page and the npm package run as wasm")?;
    if test {
        for target in NO_STD {
            rust_target(target, "a target without std: the core must build there")?;
        }
    }
    cargo_tools(&[CargoTool::wasm_bindgen()?, CargoTool::trunk()])?;
    // Trunk builds offline. Without network need when everything is there.
    output(&mut cargo(["fetch", "--quiet", "--target", WASM]))?;
    node()?;
    npm_parts(&paths::package(), "wasm-opt, which makes wasm files small, and TypeScript")?;
    if test {
        npm_parts(
            &paths::root().join("tests"),
            "the tokeniser of the strict test server and what drives a browser",
        )?;
    }
    if purpose == (Purpose::Test { browser: true }) {
        browser()?;
    }
    Ok(())
}

fn rust_target(target: &str, why: &str) -> Result {
    let sysroot = output(command("rustc").args(["--print", "sysroot"]))?;
    if Path::new(sysroot.trim()).join("lib/rustlib").join(target).join("lib").is_dir() {
        return Ok(());
    }
    say(format!("Rust's {target} target: {why}"));
    if on_path("rustup").is_none() {
        let what = format!("Rust has no {target} target, and there is no rustup to add it");
        return Err(Error::new(
            what,
            "Install Rust with rustup, or this target with whatever installed Rust.",
        ));
    }
    run(command("rustup").args(["target", "add", target]))
}

fn cargo_tools(tools: &[CargoTool]) -> Result {
    let missing: Vec<_> = tools.iter().filter(|tool| !tool.is_there()).collect();
    for tool in &missing {
        let CargoTool { name, version, why, .. } = tool;
        say(format!(
            "{name} {version}: {why}; into {}, so that no tool of yours changes",
            paths::tools().display()
        ));
        if !prebuilt(tool) {
            say("built from source: one to five minutes on two cores, once");
            from_source(tool)?;
        }
        if !tool.is_there() {
            return Err(Error::new(
                format!("{name} was installed, but does not run as version {version}"),
                "",
            ));
        }
    }
    let scratch = scratch();
    if scratch.is_dir() {
        fs::remove_dir_all(&scratch).map_err(|error| Error::file("remove", &scratch, &error))?;
    }
    Ok(())
}

/// Tries `cargo binstall`, where the user has it. No failure of it matters.
fn prebuilt(tool: &CargoTool) -> bool {
    if output(&mut cargo(["binstall", "-V"])).is_err() {
        return false;
    }
    let crate_version = format!("{}@{}", tool.name, tool.version);
    let mut binstall =
        cargo(["binstall", "--no-confirm", "--force", "--disable-strategies", "compile", "--root"]);
    run(binstall.arg(paths::tools()).arg(crate_version)).is_ok() && tool.is_there()
}

/// `cargo install`, tuned for a short build.
fn from_source(tool: &CargoTool) -> Result {
    let mut install = cargo(["install", tool.name, "--version", &tool.version, "--force", "--root"]);
    install.arg(paths::tools());
    if tool.locked {
        install.arg("--locked");
    }
    install
        .env("CARGO_TARGET_DIR", scratch())
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", tool.opt_level)
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0");
    run(&mut install)
}

/// Where tools are compiled; shared while several are, removed after.
fn scratch() -> std::path::PathBuf {
    paths::target().join("tools")
}

fn node() -> Result {
    let hint = format!("Install Node {NODE} or newer with npm, from your system's packages or nodejs.org.");
    match node_major() {
        Some(major) if major >= NODE => Ok(()),
        Some(major) => Err(Error::new(format!("Node {major} is too old"), hint)),
        None => Err(Error::new("there is no Node here, which wasm-opt and the npm package need", hint)),
    }
}

/// `npm ci`, unless it was done for this very lock file.
fn npm_parts(folder: &Path, what: &str) -> Result {
    let lock = folder.join("package-lock.json");
    let wanted = fs::read(&lock).map_err(|error| Error::file("read", &lock, &error))?;
    let stamp = folder.join("node_modules/.palimpsest-lock");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    say(format!("npm parts of {}/: {what}", folder.file_name().unwrap_or_default().display()));
    run(&mut npm(folder, ["ci", "--no-audit", "--no-fund"]))?;
    fs::write(&stamp, wanted).map_err(|error| Error::file("write", &stamp, &error))
}

fn browser() -> Result {
    if Browser::find().is_some() {
        return Ok(());
    }
    say("Chromium and chromedriver: the page and the wasm code are tested in a real browser");
    if on_path("apt-get").is_some() && is_root() {
        let apt = |args: &[&str]| run(command("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive"));
        // A failure has printed apt's own words; what to do is said below.
        let _ = apt(&["update", "-q"]).and_then(|()| {
            apt(&["install", "-q", "-y", "--no-install-recommends", "chromium", "chromium-driver"])
        });
    }
    if Browser::find().is_some() {
        return Ok(());
    }
    Err(Error::new(
        "there is no Chromium (or Chrome) with chromedriver here",
        "Install both, in one version, from your system's packages (Debian: apt-get install chromium \
         chromium-driver), or name them: CHROME=/path/to/chrome CHROMEDRIVER=/path/to/chromedriver.\n\
         Single checks that need no browser: cargo xtask test --only STEP; cargo xtask test --list names them.",
    ))
}
