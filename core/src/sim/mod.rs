//! A simulated model with a project to work on, for demos and tests. It is no language model and says so.
//!
//! ```text
//!  demo_prompts ─▶ Session ─ CallModel ─▶ SimModel ─ reads the request, decides the next step ─▶ Reply | refusal
//!                     └───── RunTool ───▶ SimTools ─ list, read, grep, edit, bash, todo_write over files in memory
//! ```
//!
//! Nothing here knows the engine's thresholds or counts steps. [`SimModel`] decides from what a request holds: the
//! last thing the user said and the results since. What a compaction took out of the request it does not know, and
//! it behaves accordingly: it reads again, or says that it does not remember. It counts prompts with a counter of
//! its own, which is not the engine's, keeps a prompt cache by the rules of the Messages API, and refuses a prompt
//! over its window in the words of that API. So when a tier fires in the demo, it is because the numbers made it.

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
mod tests;

pub use model::{SimConfig, SimModel};
pub use tools::{SimTools, tools};

/// The simulated model with the whole window.
pub const LARGE: &str = "simulated-large";
/// The simulated model with a smaller window, which the engine is not told of.
pub const SMALL: &str = "simulated-small";

/// The demo's system prompt.
pub const SYSTEM: &str = "You are a simulated coding agent in the demo of a context engine. You work on the project \
kestrel-freight with the tools you are given. Read before you change, run the tests after a change, and say what you \
did in a few sentences.";

/// The demo's instruction file.
pub const INSTRUCTIONS: &str = "# Working on kestrel-freight\n\n- Prices are tenths of a cent until the last moment; \
never round twice.\n- The English docs lead; the Chinese and the Russian ones follow them.\n- Run `npm test` after every \
change of code or configuration.\n";

/// One thing the user of the demo says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DemoPrompt {
    /// The words.
    pub text: &'static str,
    /// The model from this prompt on: the host switches before it sends the words.
    pub model: &'static str,
}

/// The demo's story, in order: a fact of the first hour, a bug, a prohibition, a long log, a dump, a smaller model
/// in mid-session, and a question about all of it at the end.
pub fn demo_prompts() -> &'static [DemoPrompt] {
    const fn large(text: &'static str) -> DemoPrompt {
        DemoPrompt { text, model: LARGE }
    }
    const fn small(text: &'static str) -> DemoPrompt {
        DemoPrompt { text, model: SMALL }
    }
    const PROMPTS: [DemoPrompt; 7] = [
        large(
            "Explore this project and explain how a quote is computed. For later: the release is called Kittiwake \
             and goes out on 14 March.",
        ),
        large("The tests fail. Find out why and fix it."),
        large(
            "Check the docs in all three languages against the code and correct what is wrong. Never touch \
             config/prod.json: the operations team owns it.",
        ),
        large("A customer says that quotes were slow on 3 March. Look at the logs: what happened, and when?"),
        large("Compare the tariff dump with the zones in the source. Which lanes are missing?"),
        small(
            "I switch you to the small model to save money. Review all sources and name the functions that no test \
             covers. Then set the rounding mode to half-up in every config file.",
        ),
        small("What is the release called, when does it go out, and what did I tell you never to touch?"),
    ];
    &PROMPTS
}
