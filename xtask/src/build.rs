//! `cargo xtask build`: the npm package and the page, both small.
//!
//! ```text
//! pkg/  cargo (profile wasm) ─► wasm-bindgen ─► pkg/wasm ─► wasm-opt ─► npm run build ─► pkg/dist
//! web/  trunk (the same, and static/) ────────► dist ─────► wasm-opt
//! ```

use crate::paths;
use crate::run::{Error, Result, cargo, command, npm, output, run, say};
use crate::setup::WASM;
use crate::size;
use std::collections::hash_map::DefaultHasher;
use std::ffi::OsStr;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

/// For size, with the wasm features that rustc's code uses anyway; every browser of the last three years has them.
const WASM_OPT: [&str; 9] = [
    "-Oz",
    "--strip-debug",
    "--strip-producers",
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-multivalue",
];

/// Builds both.
pub(crate) fn all() -> Result {
    package()?;
    page()
}

/// Builds the npm package into `pkg/dist`.
pub(crate) fn package() -> Result {
    say("npm package: core and bindings as wasm, then the TypeScript around them");
    run(&mut cargo([
        "build",
        "--package",
        "palimpsest-wasm",
        "--lib",
        "--target",
        WASM,
        "--profile",
        "wasm",
    ]))?;
    let built = paths::target().join(WASM).join("wasm/palimpsest_wasm.wasm");
    let wasm = paths::package().join("wasm");
    let mut bindgen = command("wasm-bindgen");
    bindgen.args(["--target", "web", "--out-name", "palimpsest", "--out-dir"]).arg(&wasm).arg(built);
    run(&mut bindgen)?;
    optimise(&wasm.join("palimpsest_bg.wasm"))?;
    run(&mut npm(&paths::package(), ["run", "build"]))?;
    size::check_package(&wasm.join("palimpsest_bg.wasm"))
}

/// Builds the page into `dist`.
pub(crate) fn page() -> Result {
    say("page: Trunk compiles web/ and gathers static/ (Trunk.toml)");
    run(command("trunk").args(["build", "--skip-version-check"]))?;
    for wasm in files(&paths::page())?.iter().filter(|file| file.extension() == Some(OsStr::new("wasm"))) {
        optimise(wasm)?;
    }
    size::check_page(&paths::page())
}

/// All files of a folder and its folders, in sorted order.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error| Error::file("read", folder, &error);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Runs wasm-opt on a file in place. It takes a while, so what it made is kept by the hash of what went in.
fn optimise(wasm: &Path) -> Result {
    let input = fs::read(wasm).map_err(|error| Error::file("read", wasm, &error))?;
    let kept = kept_name(&input);
    if !kept.is_file() {
        let folder = paths::target().join("wasm-opt");
        fs::create_dir_all(&folder).map_err(|error| Error::file("create", &folder, &error))?;
        say(format!("wasm-opt: {} becomes smaller", wasm.file_name().unwrap_or_default().display()));
        let unfinished = kept.with_extension("part");
        let program = paths::package().join("node_modules/binaryen/bin/wasm-opt");
        output(command("node").arg(program).arg(wasm).args(WASM_OPT).arg("-o").arg(&unfinished))?;
        fs::rename(&unfinished, &kept).map_err(|error| Error::file("rename", &unfinished, &error))?;
    }
    fs::copy(&kept, wasm).map(drop).map_err(|error| Error::file("write", wasm, &error))
}

fn kept_name(input: &[u8]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (input, WASM_OPT).hash(&mut hasher);
    paths::target().join("wasm-opt").join(format!("{:016x}.wasm", hasher.finish()))
}
