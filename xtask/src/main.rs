//! The project's own commands: `cargo xtask setup | build | serve | test`.
//!
//! ```text
//! setup ──► build ──► serve      the playground on this machine
//!   │         └─────► test       every check there is; what CI runs
//!   └ tools of this project alone in ~/.cargo/palimpsest, npm parts beside their package.json
//! ```
//!
//! `cargo xtask` compiles this crate each time a clone is new, so it is small and has few dependencies.

mod build;
mod cli;
mod paths;
mod run;
mod serve;
mod setup;
mod size;
mod steps;
mod test;
mod tools;

use cli::Command;
use setup::Purpose;
use std::process::ExitCode;

fn main() -> ExitCode {
    let done = cli::parse(lexopt::Parser::from_env()).and_then(|command| match command {
        Command::Help => {
            println!("{}", cli::HELP);
            Ok(true)
        }
        Command::Setup(purpose) => setup::setup(purpose).map(|()| {
            run::say("everything is there");
            true
        }),
        Command::Build => setup::setup(Purpose::Serve).and_then(|()| build::all()).map(|()| true),
        Command::Serve(options) => serve::serve(&options).map(|()| true),
        Command::Test(options) => test::test(&options),
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("\nerror: {error}");
            ExitCode::FAILURE
        }
    }
}
