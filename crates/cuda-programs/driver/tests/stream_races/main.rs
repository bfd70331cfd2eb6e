//! Planted and fixed races between stream operations. Each scenario runs under the checker in its own process.

#[macro_use]
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/child.rs"]
mod child;

mod children;
mod correct;
mod gpu;
mod pools;
mod racing;

use std::process::Command;
use std::time::Duration;

/// The variable with the scenario to run.
const SCENARIO: &str = "LANEWORK_TEST_SCENARIO";

/// A program with its name.
type Scenario = (&'static str, fn());

#[test]
fn the_scenario_of_this_process() {
    let Ok(wanted) = std::env::var(SCENARIO) else { return };
    let racing = racing::ALL.iter().map(|(name, run, _)| (*name, *run));
    let mut all = racing.chain(correct::ALL.iter().copied());
    let (_, run): Scenario = all.find(|(name, _)| *name == wanted).expect("a scenario");
    run();
}

/// Findings of a scenario.
fn said(name: &str) -> String {
    said_with(name, "0")
}

/// Findings of a scenario, with leaks if requested.
fn said_with(name: &str, leaks: &str) -> String {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "the_scenario_of_this_process", "--test-threads=1", "--nocapture"]);
    command.env(SCENARIO, name).env("LANEWORK_TOOL", "check").env("LANEWORK_TOOL_LEAKS", leaks);
    let ended = child::run(&mut command, Duration::from_secs(120));
    assert!(ended.status.is_some(), "{name} takes too long");
    ended.said
}

#[test]
fn what_nothing_orders_is_found() {
    let mut wrong = String::new();
    for (name, _, expected) in racing::ALL {
        let said = said(name);
        let findings = ["error[", "warning["].map(|level| said.matches(level).count());
        if !said.contains(expected) || findings.iter().sum::<usize>() != 1 {
            wrong += &format!("\n{name} should say once `{expected}`, and says:\n{said}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_ordered_is_not_reported() {
    let mut wrong = String::new();
    for (name, _) in correct::ALL {
        let said = said(name);
        if said.contains("error") || said.contains("warning") || !said.contains("nothing to report")
        {
            wrong += &format!("\n{name} is correct, and says:\n{said}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_never_freed_is_reported_on_request() {
    let (name, leaked) = ("one stream", said_with("one stream", "1"));
    assert!(leaked.contains("error[leak]: ") && leaked.contains(" of device memory"), "{leaked}");
    assert!(!said(name).contains("leak"));
    let freed = said_with("memory that is freed", "1");
    assert!(!freed.contains("leak"), "{freed}");
}
