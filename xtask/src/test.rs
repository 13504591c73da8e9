//! `cargo xtask test`: every check of [`steps::STEPS`], timed, until one fails; then the table of all.

use crate::run::{Error, Result};
use crate::setup::{self, Purpose};
use crate::steps::{Done, Run, STEPS, Step};
use std::time::{Duration, Instant};

/// What `cargo xtask test` was asked for.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Test {
    /// The steps to run with what they need; empty for all.
    pub only: Vec<String>,
    /// Whether slow tests run too.
    pub long: bool,
    /// Whether only to name the steps.
    pub list: bool,
}

/// Runs the steps, and prints the table whose last line counts them. False when one failed.
pub(crate) fn test(options: &Test) -> Result<bool> {
    let steps = selected(STEPS, &options.only)?;
    if options.list {
        for step in steps {
            println!("{:<14}{}", step.name, step.what);
        }
        return Ok(true);
    }
    let browser = steps.iter().any(|step| step.browser);
    let mut rows = vec![timed("setup", || setup::setup(Purpose::Test { browser }).map(|()| Done::Passed))];
    for step in &steps {
        if rows.iter().any(Row::failed) {
            break;
        }
        println!("\n== {}: {} ==", step.name, step.what);
        rows.push(timed(step.name, || (step.run)(&Run { long: options.long })));
    }
    summary(&rows, steps.len() + 1 - rows.len());
    Ok(!rows.iter().any(Row::failed))
}

/// One line of the table.
struct Row {
    name: &'static str,
    time: Duration,
    result: Result<Done>,
}

impl Row {
    fn failed(&self) -> bool {
        self.result.is_err()
    }
}

fn timed(name: &'static str, step: impl FnOnce() -> Result<Done>) -> Row {
    let started = Instant::now();
    let result = step();
    Row { name, time: started.elapsed(), result }
}

/// The steps named, in the order of the table, each after what it needs.
fn selected<'a>(steps: &'a [Step], only: &[String]) -> Result<Vec<&'a Step>> {
    let find = |name: &str| steps.iter().find(|step| step.name == name);
    if let Some(unknown) = only.iter().find(|name| find(name).is_none()) {
        let known: Vec<_> = steps.iter().map(|step| step.name).collect();
        return Err(Error::new(
            format!("there is no step `{unknown}`"),
            format!("Steps: {}", known.join(", ")),
        ));
    }
    let named = |step: &Step| only.iter().any(|name| name == step.name);
    let needed =
        |step: &Step| only.iter().filter_map(|name| find(name)).any(|user| user.needs.contains(&step.name));
    Ok(steps.iter().filter(|step| only.is_empty() || named(step) || needed(step)).collect())
}

fn summary(rows: &[Row], not_run: usize) {
    println!("\n{:<14} {:>8}  result", "step", "seconds");
    for Row { name, time, result } in rows {
        let result = match result {
            Ok(Done::Passed) => "passed",
            Ok(Done::Skipped(why)) => &format!("skipped: {why}"),
            Err(_) => "FAILED",
        };
        println!("{name:<14} {:>8.1}  {result}", time.as_secs_f64());
    }
    let total: Duration = rows.iter().map(|row| row.time).sum();
    println!("{:<14} {:>8.1}", "all", total.as_secs_f64());
    for Row { name, result, .. } in rows {
        if let Err(error) = result {
            println!("\n{name} failed: {error}\nThis step alone: cargo xtask test --only {name}");
        }
    }
    if not_run > 0 {
        println!("{not_run} more steps were not run");
    }
    println!("{}", count(rows));
}

/// The closing line.
fn count(rows: &[Row]) -> String {
    let number = |kind: fn(&Result<Done>) -> bool| rows.iter().filter(|row| kind(&row.result)).count();
    let passed = number(|result| matches!(result, Ok(Done::Passed)));
    let line = format!("{passed} passed, {} failed", number(Result::is_err));
    match number(|result| matches!(result, Ok(Done::Skipped(_)))) {
        0 => line,
        skipped => format!("{line}, {skipped} skipped"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(only: &[&str]) -> Vec<&'static str> {
        let only: Vec<_> = only.iter().map(|&name| name.to_owned()).collect();
        selected(STEPS, &only).unwrap().iter().map(|step| step.name).collect()
    }

    #[test]
    fn selects_what_is_named_with_what_it_needs() {
        assert_eq!(names(&[]).len(), STEPS.len());
        assert_eq!(names(&["docs", "fmt"]), ["fmt", "docs"]);
        assert_eq!(names(&["e2e"]), ["page", "e2e"]);
        assert!(selected(STEPS, &["nonsense".to_owned()]).is_err());
    }

    #[test]
    fn every_need_is_an_earlier_step() {
        for (index, step) in STEPS.iter().enumerate() {
            for need in step.needs {
                assert!(
                    STEPS[..index].iter().any(|earlier| earlier.name == *need),
                    "{} needs {need}",
                    step.name
                );
            }
        }
    }

    #[test]
    fn counts_each_outcome() {
        let row = |result| timed("step", || result);
        let mut rows = vec![row(Ok(Done::Passed)), row(Ok(Done::Passed))];
        assert_eq!(count(&rows), "2 passed, 0 failed");
        rows.push(row(Ok(Done::Skipped("nothing there".into()))));
        rows.push(row(Err(Error::new("broken", ""))));
        assert_eq!(count(&rows), "2 passed, 1 failed, 1 skipped");
        assert!(rows[3].failed() && !rows[2].failed());
    }
}
