//! The checks of `cargo xtask test`, cheapest first, and what each runs.
//!
//! All share one target folder. The wasm that ships is built once, with the profile `wasm`; clippy and the tests in
//! wasm share the profile `dev`.

use crate::build;
use crate::paths;
use crate::run::{Error, Result, cargo, command, npm, output, run};
use crate::serve::Server;
use crate::setup::{NO_STD, WASM};
use crate::tools::{Browser, is_root};
use std::fs;
use std::path::Path;
use std::process::Command;

/// One check.
pub(crate) struct Step {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it checks.
    pub what: &'static str,
    /// The steps whose products it uses.
    pub needs: &'static [&'static str],
    /// Whether it needs Chromium.
    pub browser: bool,
    /// Runs it.
    pub run: fn(&Run) -> Result<Done>,
}

/// How this run was asked for.
pub(crate) struct Run {
    /// Whether slow tests run too.
    pub long: bool,
}

/// A step that did not fail.
pub(crate) enum Done {
    /// It ran.
    Passed,
    /// There was nothing to run, for this reason.
    Skipped(String),
}

const fn step(name: &'static str, what: &'static str, run: fn(&Run) -> Result<Done>) -> Step {
    Step { name, what, needs: &[], browser: false, run }
}

impl Step {
    const fn needs(self, needs: &'static [&'static str]) -> Self {
        Self { needs, ..self }
    }

    const fn in_browser(self) -> Self {
        Self { browser: true, ..self }
    }
}

/// Every check, in the order in which they run.
pub(crate) const STEPS: &[Step] = &[
    step("fmt", "formatting", fmt),
    step("no-std-deps", "the core depends on nothing that needs std", no_std_deps),
    step("clippy", "lints, on the host and for wasm", clippy),
    step("docs", "the core's documentation, every link in it", docs),
    step("core", "tests on the host, with the examples in the documentation", core),
    step("no-std", "the core on targets that have no std", no_std),
    step("package", "the npm package: build and size", |_| build::package().map(|()| Done::Passed)),
    step("page", "the page: build and size", |_| build::page().map(|()| Done::Passed)),
    step("wasm-node", "tests in wasm, in Node", wasm_node),
    step("wasm-chromium", "tests in wasm, in headless Chromium", wasm_chromium).in_browser(),
    step("npm", "the npm package's own tests", npm_package).needs(&["package"]),
    step("server", "the strict test server's own tests", server),
    step("node", "the package and the demo in Node, against the strict test server", node)
        .needs(&["package"]),
    step("e2e", "the page in Chromium, against the strict test server", e2e).needs(&["page"]).in_browser(),
];

/// What the core may depend on, reviewed to be `no_std`.
const REVIEWED_NO_STD: &[&str] = &["palimpsest-core", "serde", "serde_core"];

fn fmt(_: &Run) -> Result<Done> {
    run(&mut cargo(["fmt", "--all", "--check"]))?;
    Ok(Done::Passed)
}

fn no_std_deps(_: &Run) -> Result<Done> {
    // Not the feature `typescript`: it is for the wasm package, which has std.
    let args = ["tree", "-p", "palimpsest-core", "--features", "sim", "--target", "all", "--prefix", "none"];
    let tree = output(cargo(args).args(["-e", "normal,no-proc-macro", "--format", "{p}"]))?;
    let unreviewed: Vec<_> = unreviewed(&tree);
    if unreviewed.is_empty() {
        return Ok(Done::Passed);
    }
    Err(Error::new(
        format!("the core depends on {}", unreviewed.join(", ")),
        "If it is no_std with the features used, add it to REVIEWED_NO_STD in xtask/src/steps.rs.",
    ))
}

/// The packages in `cargo tree`'s output that are not in the reviewed list.
fn unreviewed(tree: &str) -> Vec<&str> {
    tree.lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| !REVIEWED_NO_STD.contains(name))
        .collect()
}

fn clippy(_: &Run) -> Result<Done> {
    run(&mut cargo(["clippy", "--all-targets", "--", "-D", "warnings"]))?;
    let wasm = ["clippy", "-p", "palimpsest-wasm", "-p", "palimpsest-web", "--target", WASM, "--all-targets"];
    run(cargo(wasm).args(["--", "-D", "warnings"]))?;
    Ok(Done::Passed)
}

fn docs(_: &Run) -> Result<Done> {
    let args = ["doc", "--no-deps", "--package", "palimpsest-core", "--all-features"];
    run(cargo(args).env("RUSTDOCFLAGS", "-Dwarnings"))?;
    Ok(Done::Passed)
}

fn core(how: &Run) -> Result<Done> {
    let mut tests = cargo(["test"]);
    if how.long {
        tests.args(["--", "--include-ignored"]);
    }
    run(slow(how, &mut tests))?;
    Ok(Done::Passed)
}

fn no_std(_: &Run) -> Result<Done> {
    for target in NO_STD {
        run(&mut cargo(["build", "--package", "palimpsest-core", "--target", target]))?;
        run(&mut cargo(["build", "--package", "palimpsest-core", "--target", target, "--features", "sim"]))?;
    }
    Ok(Done::Passed)
}

fn wasm_node(_: &Run) -> Result<Done> {
    run(wasm_tests("palimpsest-wasm").args(["--features", "simulated"]))?;
    Ok(Done::Passed)
}

fn wasm_chromium(_: &Run) -> Result<Done> {
    let browser = browser()?;
    let capabilities = paths::target().join("webdriver.json");
    fs::write(&capabilities, webdriver(&browser.chrome, is_root()))
        .map_err(|error| Error::file("write", &capabilities, &error))?;
    for package in ["palimpsest-wasm", "palimpsest-web"] {
        run(wasm_tests(package)
            .env("WASM_BINDGEN_USE_BROWSER", "1")
            .env("WASM_BINDGEN_TEST_WEBDRIVER_JSON", &capabilities)
            .env("CHROMEDRIVER", &browser.driver))?;
    }
    Ok(Done::Passed)
}

fn npm_package(how: &Run) -> Result<Done> {
    run(slow(how, &mut npm(&paths::package(), ["test"])))?;
    Ok(Done::Passed)
}

fn server(how: &Run) -> Result<Done> {
    node_tests(how, "server", &[])
}

fn node(how: &Run) -> Result<Done> {
    run(&mut cargo(["build", "--package", "palimpsest-tests", "--example", "demo_requests"]))?;
    let demo = paths::target().join("debug/examples/demo_requests").to_string_lossy().into_owned();
    node_tests(how, "node", &[("PALIMPSEST_DEMO", &demo)])
}

fn e2e(how: &Run) -> Result<Done> {
    let page = Server::start(paths::page(), 0)?;
    let chrome = browser()?.chrome.to_string_lossy().into_owned();
    node_tests(how, "e2e", &[("PALIMPSEST_PAGE", &page.address()), ("CHROME", &chrome)])
}

/// A package's tests, compiled to wasm and given to wasm-bindgen's test runner.
fn wasm_tests(package: &str) -> Command {
    let mut tests = cargo(["test", "--package", package, "--target", WASM]);
    tests.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner");
    tests
}

/// Node's test runner over the `*.test.*` files of a folder of tests/. They are named one by one, since Node takes a
/// folder in some versions and a pattern in others.
fn node_tests(how: &Run, folder: &str, env: &[(&str, &str)]) -> Result<Done> {
    let folder = paths::root().join("tests").join(folder);
    if !folder.is_dir() {
        return Ok(Done::Skipped(format!("there is no {}", folder.display())));
    }
    let files: Vec<_> = build::files(&folder)?
        .into_iter()
        .filter(|file| file.to_string_lossy().contains(".test."))
        .filter(|file| !file.components().any(|part| part.as_os_str() == "node_modules"))
        .collect();
    if files.is_empty() {
        return Err(Error::new(format!("{} holds no *.test.* file", folder.display()), ""));
    }
    let mut node = command("node");
    node.args(["--test", "--test-reporter", "spec"]).args(files).envs(env.iter().copied());
    run(slow(how, &mut node))?;
    Ok(Done::Passed)
}

/// Tells a test program whether its slow cases are wanted.
fn slow<'a>(how: &Run, command: &'a mut Command) -> &'a mut Command {
    if how.long { command.env("PALIMPSEST_LONG", "1").env("PROPTEST_CASES", "4096") } else { command }
}

fn browser() -> Result<Browser> {
    Browser::find().ok_or_else(|| Error::new("there is no Chromium here", "Run: cargo xtask setup"))
}

/// What chromedriver is told to start. Root runs mostly in containers, where Chromium's sandbox cannot work.
fn webdriver(chrome: &Path, root: bool) -> String {
    let mut args = vec![
        "headless=new",
        "disable-dev-shm-usage",
        "disable-gpu",
        "no-first-run",
        "disable-background-networking",
        "disable-component-update",
        "disable-sync",
    ];
    if root {
        args.push("no-sandbox");
    }
    format!(
        "{{\"goog:chromeOptions\": {{\"binary\": {:?}, \"args\": {args:?}}}}}\n",
        chrome.to_string_lossy()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreviewed_dependency_is_found() {
        let tree = "palimpsest-core v0.1.0 (/x/core)\nserde v1.0.0\nserde_core v1.0.0 (*)\nrand v0.9.0\n";
        assert_eq!(unreviewed(tree), ["rand"]);
    }

    #[test]
    fn chromium_keeps_its_sandbox_unless_run_by_root() {
        let chrome = Path::new("/usr/bin/chromium");
        assert!(webdriver(chrome, true).contains("no-sandbox"));
        let json = webdriver(chrome, false);
        assert!(!json.contains("no-sandbox") && json.contains(r#""binary": "/usr/bin/chromium""#), "{json}");
    }
}
