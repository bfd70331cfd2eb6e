//! Predictions of rungs, against the emulator's counters.

mod attention;
mod factors;
mod hgemm;
mod int_matmul;
mod matmul;
mod rows;
mod sgemm;
mod sum_squares;
mod transpose;
mod vector_add;

use lanework::{Counters, Device};
use lanework_lab::{ClimbSettings, Request, RungRecord, climb, family, run_rung};
use std::time::Duration;

fn settings(rungs: &[&str]) -> ClimbSettings {
    let rungs = rungs.iter().map(|&rung| rung.to_owned()).collect();
    ClimbSettings { rungs, seed: 5, time_limit: Duration::from_secs(5) }
}

/// Verifies and counts some rungs of a ladder on the emulator.
fn climbed<const N: usize>(ladder: &str, rungs: [&str; N], request: &Request) -> [RungRecord; N] {
    let family = family(ladder).expect("a ladder");
    let case = family.case(request).expect("a case");
    let device = Device::emulator();
    let record =
        climb(&family, case.as_ref(), &device, &settings(&rungs), &mut |_| {}).expect("a climb");
    for rung in &record.rungs {
        assert_eq!(rung.error, None, "{ladder}/{}", rung.name);
    }
    record.rungs.try_into().expect("a record of each rung")
}

/// The counters of one verified rung.
fn counted(ladder: &str, rung: &str, request: &Request) -> Counters {
    let [record] = climbed(ladder, [rung], request);
    record.counters.expect("counted")
}

/// Runs and verifies every rung of a ladder.
fn verify_every_rung(ladder: &str, request: &Request, device: &Device) {
    let family = family(ladder).expect("a ladder");
    let case = family.case(request).expect("a case");
    for rung in (family.ladder)().rungs {
        if let Some(why) = case.skips(rung.name, device) {
            eprintln!("SKIPPED {ladder}/{}: {why}", rung.name);
            continue;
        }
        let checked = run_rung(rung.name, case.as_ref(), device).expect(rung.name);
        assert!(checked.is_ok(), "{ladder}/{} of {request:?}: {checked:?}", rung.name);
    }
}
