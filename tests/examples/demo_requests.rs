//! Plays the demo and prints, one JSON object a line, every request it sends in both wire formats and every event
//! between them. `tests/node/demo.test.mjs` hands the requests to the strict server.
//!
//! `cargo run -p palimpsest-tests --example demo_requests -- WINDOW`
#![allow(clippy::print_stdout)]

use palimpsest_core::agent::{Config, Session};
use palimpsest_core::provider::{anthropic, openai};
use palimpsest_core::sim::{self, SimConfig, SimModel, SimTools};
use palimpsest_core::unit::{Millis, Tokens};
use palimpsest_core::window::Policy;
use palimpsest_tests::host::play;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let window = Tokens(std::env::args().nth(1).unwrap_or_else(|| "32000".into()).parse()?);
    let policy = Policy::default().with_window(window).with_max_output(Tokens(4_000));
    let mut config = Config::new("demo", sim::LARGE, policy);
    config.system = vec![sim::SYSTEM.into()];
    config.tools = sim::tools();
    config.instructions = Some(sim::INSTRUCTIONS.into());
    config.thinking = Some(Tokens(1_024));
    let mut session = Session::new(config)?;
    let (mut model, mut tools) = (SimModel::new(SimConfig::new(window)), SimTools::new());
    let mut now = Millis(1_767_225_600_000);
    for prompt in sim::demo_prompts() {
        session.set_model(prompt.model);
        session.prompt(&prompt.text, now)?;
        play(
            &mut session,
            &mut now,
            &mut |purpose, request| {
                let name = serde_json::json!(purpose);
                let (first, second) = (anthropic::encode(request), openai::encode(request));
                println!(r#"{{"purpose":{name},"anthropic":{first},"openai":{second}}}"#);
                model.reply(purpose, request)
            },
            &mut |call| tools.run(call),
            &mut |event| println!("{}", serde_json::json!({ "event": event })),
        );
    }
    Ok(())
}
