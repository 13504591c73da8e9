//! Running other programs: said before, timed, and with an error that tells what to do.

use crate::paths;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, io};

/// What failed, and what to do about it.
#[derive(Debug)]
pub(crate) struct Error {
    what: String,
    hint: String,
}

/// A result of this crate's own steps.
pub(crate) type Result<T = ()> = std::result::Result<T, Error>;

impl Error {
    /// An error with its remedy; an empty `hint` when the text above it says enough.
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { what: what.into(), hint: hint.into() }
    }

    /// A file that could not be read or written.
    pub(crate) fn file(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(format!("cannot {doing} {}: {error}", path.display()), "")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, "\n{}", self.hint) }
    }
}

/// Tells the user what is being done, and why.
pub(crate) fn say(text: impl AsRef<str>) {
    println!("· {}", text.as_ref());
}

/// A command in the repository's root, which finds this project's tools first and reads nothing from the terminal.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let own = paths::tools().join("bin");
    let inherited = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(std::iter::once(own).chain(env::split_paths(&inherited))).unwrap_or(inherited);
    let mut command = Command::new(program);
    command.current_dir(paths::root()).env("PATH", path).stdin(Stdio::null());
    command
}

/// The Cargo that runs this program, so that inner calls use the same toolchain.
pub(crate) fn cargo<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut cargo = command(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(args);
    cargo
}

/// npm in one of the folders that hold a `package.json`.
pub(crate) fn npm<S: AsRef<OsStr>>(folder: &Path, args: impl IntoIterator<Item = S>) -> Command {
    let mut npm = command(if cfg!(windows) { "npm.cmd" } else { "npm" });
    npm.current_dir(folder).args(args);
    npm
}

/// Shows the command, runs it with its output on the terminal, and fails when it does.
pub(crate) fn run(command: &mut Command) -> Result {
    let line = shown(command);
    println!("  $ {line}");
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(Error::new(format!("`{line}` failed ({status})"), "")) }
}

/// Runs a command quietly for what it prints; its error output is shown only with a failure.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| cannot_start(command, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let what = format!("`{}` failed ({})", shown(command), output.status);
    Err(Error::new(what, String::from_utf8_lossy(&output.stderr).trim_end()))
}

fn cannot_start(command: &Command, error: &io::Error) -> Error {
    let hint = if error.kind() == io::ErrorKind::NotFound { "Is it installed, and on the PATH?" } else { "" };
    Error::new(format!("cannot start `{}`: {error}", command.get_program().display()), hint)
}

/// A command as one would type it, programs and files below the root without their folder.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let root = format!("{}{}", paths::root().display(), std::path::MAIN_SEPARATOR);
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy().replace(&root, ""))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut command("no-such-program-of-palimpsest")).unwrap_err().to_string();
        assert!(error.contains("no-such-program-of-palimpsest") && error.contains("PATH"), "{error}");
    }

    #[test]
    fn a_failure_keeps_the_programs_own_words() {
        let error = output(&mut cargo(["no-such-subcommand"])).unwrap_err().to_string();
        assert!(error.contains("cargo no-such-subcommand") && error.contains("no such command"), "{error}");
    }
}
