//! Tests that the findings and faults of kernels with planted bugs are translated.

use super::catalogue::Catalogue;
use super::english::english_in;
use super::translate::{is_code, text};
use lanework::{Device, Error};

#[path = "../../../runtime/lanework/tests/sanitizer/planted.rs"]
mod planted;

/// The lines of a text that are still English.
fn left(catalogue: &Catalogue, english: &str) -> Vec<String> {
    let said = text(catalogue, english);
    let wrong = said.lines().filter(|line| !is_code(line) && english_in(line));
    wrong.map(|line| format!("{line}\n    of {english:?}")).collect()
}

/// The lines of a source's findings and faults that are still English, and the number of findings.
fn of_unit(catalogue: &Catalogue, unit: &planted::Unit) -> (Vec<String>, usize) {
    let (mut wrong, mut findings) = (Vec::new(), 0);
    for plant in planted::planted(unit.cuda).iter().filter(|plant| !plant.bugs.is_empty()) {
        let device = Device::emulator_limited(Some(1 << 14)).sanitized();
        match planted::run(&device, unit, plant) {
            Ok(()) => {}
            Err(Error::Sanitizer(reports)) => {
                findings += reports.found.len();
                for report in &reports.found {
                    wrong.extend(left(catalogue, &report.to_string()));
                }
                if let Some(fault) = &reports.stopped {
                    wrong.extend(left(catalogue, &fault.to_string()));
                }
            }
            Err(other) => wrong.extend(left(catalogue, &other.to_string())),
        }
    }
    (wrong, findings)
}

#[test]
fn findings_and_faults_of_planted_bugs_are_chinese() {
    let catalogue = Catalogue::chinese();
    let (mut wrong, mut findings) = (Vec::new(), 0);
    std::thread::scope(|scope| {
        let catalogue = &catalogue;
        let of = |unit| scope.spawn(move || of_unit(catalogue, unit));
        let threads: Vec<_> = planted::UNITS.iter().map(of).collect();
        for thread in threads {
            let (lines, count) = thread.join().expect("a source is run");
            wrong.extend(lines);
            findings += count;
        }
    });
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} lines are English\n{}", wrong.len(), wrong.join("\n"));
    assert!(findings > 300, "{findings} findings");
}
