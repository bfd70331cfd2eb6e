//! Every rung of every ladder under the sanitizer, without findings.

use lanework::{Backend, Device};
use lanework_lab::{Case, Request, families};

/// The findings of every rung that runs on a sanitized device.
fn found(name: &str, case: &dyn Case, rungs: &[&'static str], device: &Device) -> Vec<String> {
    let mut found = Vec::new();
    for rung in rungs {
        if case.skips(rung, device).is_some() {
            continue;
        }
        let mut trial = case.trial(rung, device).expect("fits");
        let result = trial.job().and_then(|mut job| job.launch());
        if let Err(error) = result {
            found.push(format!("{name}/{rung}: {error}"));
        }
    }
    found
}

#[test]
fn no_rung_has_findings() {
    let device = Device::emulator().sanitized();
    let mut wrong = Vec::new();
    for family in families() {
        let ladder = family.with_peer();
        let rungs: Vec<&str> = ladder.rungs.iter().map(|rung| rung.name).collect();
        let case = family.case(&Request::new(Backend::Emulator)).expect("a case");
        for small in case.edge_cases() {
            wrong.extend(found(ladder.name, small.as_ref(), &rungs, &device));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
