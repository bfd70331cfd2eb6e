//! The corpus under the sanitizer: kernels that give the right results give no reports.

use lanework::{Device, Error, ReportKind};
use lanework_corpus::{Case, OnEmulator, Variant, all, run, variants};

/// Kernels that do race, by design: whichever access comes first, the result is the same in the end.
const RACE: &[(&str, &str)] = &[
    ("breadth first, by a block", "a vertex may be seen at its new level a round early"),
    ("components by union-find", "labels are written plainly while others follow them"),
    ("32 bits", "`atomicAdd_block` from several blocks"),
    ("shortest paths", "a distance is read plainly while atomics lower it"),
];

/// What the sanitizer finds in the cases of one module.
fn found(variant: &Variant, cases: &[Case]) -> Vec<String> {
    let mut found = Vec::new();
    let mine = cases.iter().filter(|case| case.unit == variant.unit);
    let runs = |case: &&Case| {
        let awaits = case.awaited.iter().any(|(part, _)| variant.file.contains(part));
        case.on_emulator == OnEmulator::Runs && !awaits
    };
    for case in mine.filter(runs) {
        // A device for each, so that addresses stay small.
        let device = Device::emulator().sanitized();
        let result = device.load_ptx(variant.text).and_then(|module| run(&device, &module, case));
        let known = RACE.iter().any(|(name, _)| *name == case.name);
        if let Err(Error::Sanitizer(reports)) = result {
            if known && reports.iter().all(|report| report.kind == ReportKind::Race) {
                continue;
            }
            found.push(format!("{} of {}: {reports}", case.name, variant.file));
        }
    }
    found
}

#[test]
fn right_kernels_are_clean() {
    let cases = all();
    let wanted = |variant: &&Variant| {
        variant.target == "sm_80" || variant.target == "sm_90a" || variant.debug
    };
    let wrong: Vec<String> =
        variants().iter().filter(wanted).flat_map(|variant| found(variant, &cases)).collect();
    assert!(wrong.is_empty(), "{} cases:\n\n{}", wrong.len(), wrong.join("\n\n"));
}
