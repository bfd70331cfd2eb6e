//! The corpus under the sanitizer: kernels with correct results have no findings.

use lanework_corpus::{Case, OnEmulator, Outputs, Variant, all, run, variants};
use lanework_runtime::{Device, Error, ReportKind};

/// Kernels with benign races by design: the final result does not depend on the order of the
/// accesses.
const RACE: &[(&str, &str)] = &[
    ("breadth first, by a block", "a vertex may be seen at its new level one iteration early"),
    ("components by union-find", "labels are written plainly while others follow them"),
    ("32 bits", "`atomicAdd_block` from several blocks"),
    ("shortest paths", "a distance is read plainly while atomics lower it"),
];

/// The findings in the cases of one module, and the number of cases that ran.
fn found(variant: &Variant, cases: &[Case]) -> (usize, Vec<String>) {
    let (mut ran, mut found) = (0, Vec::new());
    let mine = cases.iter().filter(|case| case.unit == variant.unit);
    let runs = |case: &&Case| {
        let awaits = case.unsupported.iter().any(|(part, _)| variant.file.contains(part));
        case.on_emulator == OnEmulator::Runs && !awaits
    };
    for case in mine.filter(runs) {
        // One device per case, so that addresses stay small.
        let device = Device::emulator().sanitized();
        let result = device.load_ptx(variant.text).and_then(|module| run(&device, &module, case));
        let known = RACE.iter().any(|(name, _)| *name == case.name);
        ran += 1;
        let wrong = match result {
            Ok(outputs) => mismatch(case, &outputs),
            Err(Error::Sanitizer(reports))
                if known && reports.iter().all(|report| report.kind == ReportKind::Race) =>
            {
                None
            }
            Err(error) => Some(error.to_string()),
        };
        found.extend(wrong.map(|why| format!("{} of {}: {why}", case.name, variant.file)));
    }
    (ran, found)
}

/// Mismatches of the results: checking must not change them.
fn mismatch(case: &Case, outputs: &Outputs) -> Option<String> {
    case.checks.iter().find_map(|(name, check)| {
        let place = case.buffers.iter().position(|(known, _)| known == name)?;
        check(&outputs[place]).err().map(|why| format!("`{name}`{why}"))
    })
}

fn all_clean(wanted: impl Fn(&Variant) -> bool) {
    let cases = all();
    let (mut ran, mut wrong) = (0, Vec::new());
    for variant in variants().iter().filter(|variant| wanted(variant)) {
        let (count, found) = found(variant, &cases);
        ran += count;
        wrong.extend(found);
    }
    assert!(ran > 0, "no runs");
    assert!(wrong.is_empty(), "{} of {ran} cases:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn kernels_for_sm_75_are_clean() {
    all_clean(|variant| variant.target == "sm_75" && !variant.debug);
}

#[test]
fn kernels_for_sm_80_are_clean() {
    all_clean(|variant| variant.target == "sm_80" && !variant.debug);
}

#[test]
fn kernels_for_sm_90_are_clean() {
    all_clean(|variant| variant.target.starts_with("sm_90") && !variant.debug);
}

#[test]
#[ignore = "slow: unoptimized code of the whole corpus"]
fn kernels_for_debugging_are_clean() {
    all_clean(|variant| variant.debug);
}
