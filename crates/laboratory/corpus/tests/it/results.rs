//! Every case with every module of its unit, on the emulator and on a GPU if there is one: the
//! results equal the host's, and the devices agree bit for bit.

use lanework_corpus::{
    Case, OnEmulator, Outputs, Recorded, Variant, agree, all, lines, run, variants,
};
use lanework_runtime::{Backend, Device, PtxModule};
use std::collections::BTreeSet;
use std::io::Write;

/// The only unit to run, to find a kernel that crashes the GPU's context.
const UNIT: &str = "LANEWORK_CORPUS_UNIT";

/// Runs all cases with the `wanted` modules, and fails with a list of all mismatches.
fn run_all(suite: &str, wanted: impl Fn(&Variant) -> bool) {
    let (cases, devices) = (all(), Device::for_tests(suite));
    let recorded = Recorded::h200();
    let unit = std::env::var(UNIT).ok();
    let wanted = |variant: &Variant| {
        wanted(variant) && unit.as_ref().is_none_or(|unit| unit == variant.unit)
    };
    let (mut runs, mut complaints) = (0, Vec::new());
    for variant in variants().iter().filter(|variant| wanted(variant)) {
        let of_unit: Vec<&Case> = cases.iter().filter(|case| case.unit == variant.unit).collect();
        runs += of_unit.len();
        run_variant(&devices, &recorded, variant, &of_unit, &mut complaints);
    }
    assert!(runs > 0 || unit.is_some(), "no runs");
    assert!(
        complaints.is_empty(),
        "{} of {runs} runs:\n{}",
        complaints.len(),
        complaints.join("\n")
    );
}

fn run_variant(
    devices: &[Device],
    recorded: &Recorded,
    variant: &Variant,
    cases: &[&Case],
    complaints: &mut Vec<String>,
) {
    let mut outputs: Vec<Vec<Option<Outputs>>> = Vec::new();
    for device in devices {
        let emulated = device.backend() == Backend::Emulator;
        if !emulated && !variant.runs_on(device.info().compute_capability) {
            lanework_testing::skip(variant.file, &format!("{} cannot run it", device.info().id));
            continue;
        }
        // Loaded once: no two cases run an entry that changes a variable of the module.
        let module = device.load_ptx(variant.text).map_err(|error| error.to_string());
        let ran = cases.iter().map(|case| {
            if !emulated && !case.on_gpu {
                return None;
            }
            if unit_alone() && !emulated {
                say(&format!("RUNS {} of {}", case.name, variant.file));
            }
            let result = match &module {
                Ok(module) => run_case(device, module, variant, case),
                Err(why) => Err(why.clone()),
            };
            result.unwrap_or_else(|why| {
                let device = device.info().id;
                complaints.push(format!("{device}: {} of {}: {why}", case.name, variant.file));
                None
            })
        });
        outputs.push(ran.collect());
    }
    for (case, output) in cases.iter().zip(&outputs[0]) {
        let Some(output) = output else { continue };
        if let Err(why) = recorded.agrees(variant.file, case, output) {
            complaints.push(format!("recorded: {} of {}: {why}", case.name, variant.file));
        }
    }
    let [emulator, gpu] = outputs.as_slice() else { return };
    for (case, output) in cases.iter().zip(gpu) {
        if let Some(output) = output {
            record(&lines(variant.file, case, output));
        }
    }
    for ((case, one), other) in cases.iter().zip(emulator).zip(gpu) {
        let (Some(one), Some(other)) = (one, other) else { continue };
        if let Err(why) = agree(case, one, other) {
            complaints.push(format!("both: {} of {}: {why}", case.name, variant.file));
        }
    }
}

/// Runs one case. `None` if it failed as expected.
fn run_case(
    device: &Device,
    module: &PtxModule,
    variant: &Variant,
    case: &Case,
) -> Result<Option<Outputs>, String> {
    let emulated = device.backend() == Backend::Emulator;
    let result = run(device, module, case);
    let unsupported =
        case.unsupported.iter().find(|(part, _)| emulated && variant.file.contains(part));
    let refused = match case.on_emulator {
        OnEmulator::Fails(what) if emulated => Some(what),
        _ => None,
    };
    let error = match (result, unsupported, refused) {
        (Ok(outputs), None, None) => {
            for (name, check) in &case.checks {
                let place = case.buffers.iter().position(|(known, _)| known == name);
                let place = place.ok_or_else(|| format!("no buffer `{name}`"))?;
                check(&outputs[place]).map_err(|why| format!("`{name}`{why}"))?;
            }
            return Ok(Some(outputs));
        }
        (Ok(_), Some((_, what)), _) => {
            return Err(format!("runs: remove the expected failure {what}"));
        }
        (Ok(_), None, Some(what)) => return Err(format!("runs, but should fail: {what}")),
        (Err(error), ..) => error.to_string(),
    };
    match unsupported.map(|(_, what)| *what).or(refused) {
        Some(what) if error.contains(what) => {
            if unsupported.is_some() {
                say(&format!("AWAITS {what}: {} of {}", case.name, variant.file));
            }
            Ok(None)
        }
        Some(what) => Err(format!("should fail with `{what}`, but: {error}")),
        None => Err(error),
    }
}

/// Appends a GPU's results to the file that `LANEWORK_CORPUS_RECORD` names.
fn record(lines: &str) {
    if let Some(path) = std::env::var_os("LANEWORK_CORPUS_RECORD") {
        let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
        file.and_then(|mut file| file.write_all(lines.as_bytes())).expect("a writable record");
    }
}

/// Whether only one unit runs: then each run on a GPU is announced.
fn unit_alone() -> bool {
    std::env::var_os(UNIT).is_some()
}

/// A line past the capture of test output.
fn say(line: &str) {
    // Nothing to do when even standard error is closed.
    let _ = writeln!(std::io::stderr(), "{line}");
}

#[test]
fn optimized_for_sm_75() {
    run_all("the corpus for sm_75", |variant| variant.target == "sm_75" && !variant.debug);
}

#[test]
fn optimized_for_sm_80() {
    run_all("the corpus for sm_80", |variant| variant.target == "sm_80" && !variant.debug);
}

#[test]
fn optimized_for_sm_90() {
    run_all("the corpus for sm_90", |variant| {
        variant.target.starts_with("sm_90") && !variant.debug
    });
}

#[test]
fn compiled_for_debugging() {
    run_all("the corpus for debugging", |variant| variant.debug);
}

#[test]
fn every_entry_of_every_module_is_run_by_a_case() {
    let cases = all();
    for variant in variants() {
        let module = lanework_runtime::ptx::Module::parse(variant.text).expect(variant.file);
        let launched: BTreeSet<&str> = cases
            .iter()
            .filter(|case| case.unit == variant.unit)
            .flat_map(|case| case.launches.iter().map(|launch| launch.entry))
            .collect();
        for entry in module.entries() {
            assert!(launched.contains(entry.name.as_str()), "{}: {}", variant.file, entry.name);
        }
    }
}
