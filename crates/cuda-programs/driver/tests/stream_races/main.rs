//! Planted and fixed races between stream operations. Each scenario runs under the checker in its own process.

#[macro_use]
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/child.rs"]
mod child;

mod children;
mod correct;
mod generated;
mod gpu;
mod host_flags;
mod host_functions;
mod pools;
mod racing;

use std::ops::Range;
use std::process::Command;
use std::time::Duration;

/// The variable with the scenario to run.
const SCENARIO: &str = "LANEWORK_TEST_SCENARIO";

/// A program with its name.
type Scenario = (&'static str, fn());

#[test]
fn the_scenario_of_this_process() {
    let Ok(wanted) = std::env::var(SCENARIO) else { return };
    if let Some((class, seeds, defect)) = generated_programs(&wanted) {
        return generated::run(class, seeds, defect);
    }
    let racing = racing::ALL.iter().chain(host_functions::RACING).chain(host_flags::NARROW);
    let racing = racing.map(|(name, run, _)| (*name, *run));
    let flags =
        host_flags::racing().chain(host_flags::CORRECT).chain(host_functions::CORRECT).copied();
    let mut all = racing.chain(correct::ALL.iter().copied()).chain(flags);
    let (_, run): Scenario = all.find(|(name, _)| *name == wanted).expect("a scenario");
    run();
}

/// The class, seeds and kind of `right CLASS FIRST END` or `racing CLASS FIRST END`.
fn generated_programs(name: &str) -> Option<(&str, Range<u64>, bool)> {
    let words: Vec<&str> = name.split(' ').collect();
    let [kind @ ("right" | "racing"), class, first, end] = words[..] else { return None };
    Some((class, first.parse().ok()?..end.parse().ok()?, kind == "racing"))
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
    let ended = child::run(&mut command, Duration::from_secs(900));
    assert!(ended.status.is_some(), "{name} takes too long");
    ended.said
}

#[test]
fn racing_programs_have_one_finding() {
    let mut wrong = String::new();
    let flags = host_flags::racing().map(|(name, _)| (*name, host_flags::MISSING));
    let racing = racing::ALL.iter().chain(host_functions::RACING).chain(host_flags::NARROW);
    let racing = racing.map(|(name, _, expected)| (*name, *expected));
    for (name, expected) in racing.chain(flags) {
        let said = said(name);
        let findings = ["error[", "warning["].map(|level| said.matches(level).count());
        if !said.contains(expected) || findings.iter().sum::<usize>() != 1 {
            wrong += &format!("\n{name} should say once `{expected}`, and says:\n{said}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn correct_programs_have_no_findings() {
    let mut wrong = String::new();
    for (name, _) in correct::ALL.iter().chain(host_flags::CORRECT).chain(host_functions::CORRECT) {
        let said = said(name);
        if said.contains("error") || said.contains("warning") || !said.contains("nothing to report")
        {
            wrong += &format!("\n{name} is correct, and says:\n{said}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn findings_name_the_parameter_and_the_allocation() {
    let said = said("a kernel that leaves its part of a pool");
    assert!(said.contains("parameter `to`: allocation "), "{said}");
    assert!(said.contains(": 65536 bytes of device memory"), "{said}");
}

#[test]
fn leaks_are_reported_on_request() {
    let (name, leaked) = ("one stream", said_with("one stream", "1"));
    assert!(leaked.contains("error[leak]: ") && leaked.contains(" of device memory"), "{leaked}");
    assert!(!said(name).contains("leak"));
    let freed = said_with("memory that is freed", "1");
    assert!(!freed.contains("leak"), "{freed}");
}

/// Checks generated programs: runs several correct programs per process, and each racing program in its own process.
fn check_generated(seeds: Range<u64>) {
    let mut wrong = String::new();
    for (class, _, findings) in generated::CLASSES {
        let name = format!("right {class} {} {}", seeds.start, seeds.end);
        let right = said(&name);
        if !right.contains("nothing to report") {
            wrong += &format!("\n{name} is correct, and says:\n{right}");
        }
        for seed in seeds.clone() {
            let name = format!("racing {class} {seed} {}", seed + 1);
            let said = said(&name);
            let found = findings.iter().map(|finding| said.matches(finding).count()).sum::<usize>();
            // A fault that ends a kernel is not a numbered finding.
            let errors = said.matches("error[").count() + said.matches("check incomplete").count();
            if errors != 1 || found != 1 {
                wrong +=
                    &format!("\n{name} should say once one of {findings:?}, and says:\n{said}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn generated_races_are_found_and_right_programs_are_not_reported() {
    check_generated(0..12);
}

#[test]
#[ignore = "slow: hundreds of processes"]
fn many_generated_races_are_found() {
    check_generated(12..312);
}
