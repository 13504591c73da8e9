//! A simulated model with a project to work on, for demos and tests. It is no language model and says so.
//!
//! ```text
//!  demo_prompts ─▶ Session ─ CallModel ─▶ SimModel ─ reads the request, decides ─▶ Reply | refusal
//!                     └───── RunTool ───▶ SimTools ─ list, read, grep, edit, … over files in memory
//! ```
//!
//! Nothing here knows the engine's thresholds or counts steps. [`SimModel`] decides from what a request
//! holds: the last thing the user said and the results since. What a compaction took out of the request it
//! does not know, and it behaves accordingly: it reads again, or says that it does not remember. It counts
//! prompts with a counter of its own, which is not the engine's, keeps a prompt cache by the rules of the
//! Messages API, and refuses a prompt over its window in the words of that API. So when a tier fires in the
//! demo, it is because the numbers made it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

mod cache;
mod counter;
mod model;
mod project;
mod scene;
mod story;
mod summary;
mod tools;
mod vitest;

#[cfg(test)]
mod host;
#[cfg(test)]
mod tests;

pub use model::{SimConfig, SimModel};
pub use tools::{SimTools, tools};

/// The simulated model with the whole window.
pub const LARGE: &str = "simulated-large";
/// The simulated model with a smaller window, which the engine is not told of.
pub const SMALL: &str = "simulated-small";

/// The demo's system prompt.
pub const SYSTEM: &str = "You are a simulated coding agent in the demo of a context engine. You work on the \
project kestrel-freight with the tools you are given. Read before you change, run the tests after a change, and \
say what you did in a few sentences.";

/// The demo's instruction file.
pub const INSTRUCTIONS: &str = include_str!("project/files/AGENTS.md");

/// One thing the user of the demo says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DemoPrompt {
    /// The words.
    pub text: String,
    /// The model from this prompt on: the host switches before it sends the words.
    pub model: &'static str,
}

/// The demo's story, in order: a fact of the first hour, a bug, a prohibition, a long log, a dump, a smaller
/// model in mid-session, and a question about all of it at the end.
pub fn demo_prompts() -> Vec<DemoPrompt> {
    let said = |model: &'static str, text: &str| DemoPrompt { text: text.to_string(), model };
    alloc::vec![
        said(
            LARGE,
            "Explore this project and explain how a quote is computed. For later: the release is called \
             Kittiwake and goes out on 14 March.",
        ),
        said(
            LARGE,
            &format!("The tests fail. Find out why and fix it. The build says:\n\n{}", build_output())
        ),
        said(
            LARGE,
            "Check the docs in all three languages against the code and correct what is wrong. Never touch \
             config/prod.json: the operations team owns it.",
        ),
        said(LARGE, include_str!("project/files/mail.txt").trim_end()),
        said(
            LARGE,
            "Turn the price history of the tariff dump into a table in TARIFFS.md, and compare the dump \
             with the zones in the source: which lanes are missing?",
        ),
        said(
            SMALL,
            "I switch you to the small model to save money. Review all sources and write down in REVIEW.md \
             which functions no test covers. Then set the rounding mode to half-up in every config file.",
        ),
        said(
            SMALL,
            "What is the release called, when does it go out, and what did I tell you never to touch?",
        ),
    ]
}

/// What a user pastes from a failed build: the failures of a real run, cut where patience ends.
fn build_output() -> String {
    const LINES: usize = 140;
    let (output, _) = SimTools::new().run(&story::run_tests());
    let failures = output.lines().skip_while(|line| !line.starts_with(" FAIL"));
    failures.take(LINES).collect::<Vec<&str>>().join("\n")
}
