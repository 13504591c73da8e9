//! From the command line to a [`Command`].

use crate::run::{Error, Result};
use crate::serve::Serve;
use crate::setup::Purpose;
use crate::test::Test;
use lexopt::prelude::*;

/// What `cargo xtask help` prints.
pub(crate) const HELP: &str = "\
cargo xtask setup [--for serve|test]       install what is missing; seconds when nothing is
cargo xtask build                          npm package → pkg/dist, page → dist
cargo xtask serve [--port N] [--no-open]   build the page and serve it on 127.0.0.1
                  [--watch]                and build it again, unoptimised, whenever a source file changes
cargo xtask test  [--only STEP]...         run every check, or only the named ones with what they need
                  [--long]                 and the slow tests too
                  [--list]                 name the checks";

/// One parsed command line.
#[derive(Debug, PartialEq)]
pub(crate) enum Command {
    Help,
    Setup(Purpose),
    Build,
    Serve(Serve),
    Test(Test),
}

/// Reads the arguments; an unknown one is an error that shows [`HELP`].
pub(crate) fn parse(args: lexopt::Parser) -> Result<Command> {
    parse_args(args).map_err(|error| Error::new(error.to_string(), HELP))
}

fn parse_args(mut args: lexopt::Parser) -> std::result::Result<Command, lexopt::Error> {
    let name = match args.next()? {
        None | Some(Short('h') | Long("help")) => return Ok(Command::Help),
        Some(Value(name)) => name.string()?,
        Some(other) => return Err(other.unexpected()),
    };
    let mut command = match name.as_str() {
        "help" => Command::Help,
        "setup" => Command::Setup(Purpose::Test { browser: true }),
        "build" => Command::Build,
        "serve" => Command::Serve(Serve::default()),
        "test" => Command::Test(Test::default()),
        other => return Err(format!("there is no command `{other}`").into()),
    };
    while let Some(arg) = args.next()? {
        match (&mut command, arg) {
            (_, Short('h') | Long("help")) => return Ok(Command::Help),
            (Command::Setup(purpose), Long("for")) => {
                *purpose = match args.value()?.string()?.as_str() {
                    "serve" => Purpose::Serve,
                    "test" => Purpose::Test { browser: true },
                    other => return Err(format!("setup is for `serve` or `test`, not `{other}`").into()),
                };
            }
            (Command::Serve(serve), Long("port")) => serve.port = args.value()?.parse()?,
            (Command::Serve(serve), Long("no-open")) => serve.open = false,
            (Command::Serve(serve), Long("watch")) => serve.watch = true,
            (Command::Test(test), Long("only")) => test.only.push(args.value()?.string()?),
            (Command::Test(test), Long("long")) => test.long = true,
            (Command::Test(test), Long("list")) => test.list = true,
            (_, other) => return Err(other.unexpected()),
        }
    }
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command> {
        parse(lexopt::Parser::from_args(line.split_whitespace()))
    }

    #[test]
    fn reads_every_command() {
        assert_eq!(parsed("").unwrap(), Command::Help);
        assert_eq!(parsed("test --help").unwrap(), Command::Help);
        assert_eq!(parsed("setup").unwrap(), Command::Setup(Purpose::Test { browser: true }));
        assert_eq!(parsed("setup --for serve").unwrap(), Command::Setup(Purpose::Serve));
        assert_eq!(
            parsed("serve --port 9000 --no-open").unwrap(),
            Command::Serve(Serve { port: 9000, open: false, watch: false })
        );
        assert_eq!(
            parsed("test --only core --only=docs --long").unwrap(),
            Command::Test(Test { only: vec!["core".into(), "docs".into()], long: true, list: false })
        );
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        for (line, names) in [
            ("bake", "bake"),
            ("build --port 1", "--port"),
            ("serve --port many", "many"),
            ("serve --port", "--port"),
            ("setup --for fun", "fun"),
            ("test extra", "extra"),
        ] {
            let error = parsed(line).unwrap_err().to_string();
            assert!(error.contains(names), "{line}: {error}");
            assert!(error.contains("cargo xtask serve"), "{line} shows no help: {error}");
        }
    }
}
