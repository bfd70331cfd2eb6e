//! Properties of all rungs: ptxas compiles them, the sanitizer finds nothing, and they ignore only listed parameters.

use lanework::{Backend, Device, Job};
use lanework_lab::{Case, Request, families};
use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

/// The output of `ptxas -v` for a text; `Err` if ptxas rejects it.
fn compiled(ptxas: &OsStr, text: &str, file: &Path) -> Result<String, String> {
    std::fs::write(file, text).expect("a place for temporary files");
    let output = Command::new(ptxas)
        .args(["-arch=sm_90a", "-v", "-o", "/dev/null"])
        .arg(file)
        .output()
        .expect("PTXAS names a program");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(said) } else { Err(said) }
}

#[test]
fn ptxas_compiles_every_rung() {
    let Some(ptxas) = std::env::var_os("PTXAS") else {
        lanework_testing::skip("compiling every rung", "PTXAS names no ptxas");
        return;
    };
    let file = std::env::temp_dir().join(format!("lanework_rung_{}.ptx", std::process::id()));
    let device = Device::emulator();
    let (mut refused, mut count) = (Vec::new(), 0);
    for family in families() {
        let ladder = (family.ladder)();
        let case = family.case(&Request::new(Backend::Emulator)).expect("a case");
        for rung in ladder.rungs {
            if case.skips(rung.name, &device).is_some() {
                continue;
            }
            let mut trial = case.trial(rung.name, &device).expect("fits");
            let text = trial.job().expect("a kernel").ptx().expect("kernels have a text");
            // A job of several kernels has one text per kernel, each with its own header.
            for part in text.split(".version").skip(1) {
                match compiled(&ptxas, &format!(".version{part}"), &file) {
                    Ok(said) => {
                        let told = |line: &&str| line.contains("Used") || line.contains("spill");
                        let lines: Vec<&str> = said.lines().filter(told).map(str::trim).collect();
                        eprintln!("{}/{}: {}", ladder.name, rung.name, lines.join(" "));
                    }
                    Err(said) => refused.push(format!("{}/{}: {said}", ladder.name, rung.name)),
                }
                count += 1;
            }
        }
    }
    std::fs::remove_file(&file).expect("written above");
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(count > 90, "{count} kernels");
}

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

/// Runs every rung on a sanitized device, with the edge cases that `wanted` selects.
fn expect_no_findings(wanted: impl Fn(&mut Vec<Box<dyn Case>>)) {
    let device = Device::emulator().sanitized();
    let mut wrong = Vec::new();
    for family in families() {
        let ladder = family.with_peer();
        let rungs: Vec<&str> = ladder.rungs.iter().map(|rung| rung.name).collect();
        let case = family.case(&Request::new(Backend::Emulator)).expect("a case");
        let mut cases = case.edge_cases();
        wanted(&mut cases);
        assert!(!cases.is_empty(), "{} has no case", ladder.name);
        for small in cases {
            wrong.extend(found(ladder.name, small.as_ref(), &rungs, &device));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn no_rung_has_findings() {
    // An awkward shape; the first case is often empty, and the last is the largest.
    expect_no_findings(|cases| {
        let second_to_last = cases.len().saturating_sub(2);
        *cases = vec![cases.swap_remove(second_to_last)];
    });
}

#[test]
#[ignore = "slow: every rung at every edge case"]
fn no_rung_has_findings_at_any_edge_case() {
    expect_no_findings(|_| ());
}

/// The launch of a rung with a parameter: its shape, and its PTX.
fn launch(
    family: &lanework_lab::Family,
    rung: &str,
    name: &'static str,
    value: u64,
) -> Option<String> {
    let device = Device::emulator();
    let request = Request::new(device.backend()).with(name, value);
    let small = family.parameters.contains(&"size");
    let case =
        family.case(&if small { request.with("size", 300) } else { request }).expect("a case");
    let mut trial = case.trial(rung, &device).ok()?;
    let Job::Kernel(kernel) = trial.job().ok()? else { return None };
    Some(format!("{:?}\n{}", kernel.shape(), kernel.module()))
}

#[test]
fn rungs_use_the_parameters_that_they_take() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for family in families() {
        for name in ["block", "tile"].into_iter().filter(|name| family.parameters.contains(name)) {
            let idle = family.unused.iter().find(|(unused, _)| *unused == name);
            let idle = idle.map_or(&[][..], |(_, rungs)| rungs);
            let values = if name == "tile" { [4, 8] } else { [16, 32] };
            let values = if (family.ladder)().name == "sum-squares" { [64, 128] } else { values };
            for rung in (family.ladder)().rungs {
                let [one, other] = values.map(|value| launch(&family, rung.name, name, value));
                let (Some(one), Some(other)) = (one, other) else { continue };
                if (one == other) != idle.contains(&rung.name) {
                    let ignores = if one == other { "ignores" } else { "uses" };
                    wrong.push(format!(
                        "{}/{} {ignores} --{name}",
                        (family.ladder)().name,
                        rung.name
                    ));
                }
                compared += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "the table says otherwise: {wrong:#?}");
    assert!(compared > 25, "{compared}");
}
