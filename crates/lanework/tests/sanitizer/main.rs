//! Planted bugs: kernels of CUDA C++, compiled by nvcc, each with the lines that must be reported
//! and no others; among them correct kernels, which must have no findings.

mod planted;
mod rust;

use lanework::{Device, Error, Report, ReportKind};
use planted::{Planted, UNITS, planted, run};

/// The differences between the expected and the reported findings of a kernel.
fn complaints(plant: &Planted, reports: &[Report]) -> Vec<String> {
    let mut complaints = Vec::new();
    let lines = |report: &Report| {
        let other = report.other.as_ref().and_then(|other| other.location.as_ref());
        [report.line(), other.map_or(0, |location| location.line)]
    };
    for (kind, line) in &plant.bugs {
        if !reports.iter().any(|report| report.kind == *kind && lines(report).contains(line)) {
            complaints.push(format!("{}: no {kind} at line {line}", plant.name));
        }
    }
    for report in reports {
        let expected =
            |(kind, line): &(ReportKind, u32)| report.kind == *kind && lines(report).contains(line);
        if !plant.bugs.iter().chain(&plant.maybe).any(expected) {
            complaints.push(format!("{}: {}: {report}", plant.name, report.kind));
        }
    }
    complaints
}

#[test]
fn every_planted_bug_is_found_at_its_line_and_nothing_else() {
    let (mut wrong, mut bugs, mut right) = (Vec::new(), 0, 0);
    for unit in UNITS {
        for plant in planted(unit.cuda) {
            let device = Device::emulator_limited(Some(1 << 20)).sanitized();
            let found = match run(&device, unit, &plant) {
                Ok(()) => Vec::new(),
                Err(Error::Sanitizer(reports)) => reports.found,
                Err(other) => {
                    wrong.push(format!("{}: {other}", plant.name));
                    continue;
                }
            };
            bugs += plant.bugs.len();
            right += usize::from(plant.bugs.is_empty());
            wrong.extend(complaints(&plant, &found));
        }
    }
    println!("{bugs} bugs, {right} right kernels");
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
    assert!(bugs >= 80 && right >= 20, "{bugs} bugs, {right} right kernels");
}
