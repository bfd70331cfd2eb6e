//! The emulator's memory traffic counters for the corpus, compared with the hardware counters of an
//! H200 for the same launches (`recorded/h200-counters.json`).
//!
//! On a machine with a GPU, `LANEWORK_CORPUS_LAUNCHES=FILE` makes every launch once, for a hardware profiler to count, and
//! lists them in FILE. Profile only the test `counters::launches_for_a_hardware_profiler`.

use lanework_corpus::{Case, OnEmulator, Variant, all, run_each, variants};
use lanework_lab::{Deviation, Hardware};
use lanework_runtime::emulator::Blocks;
use lanework_runtime::{Device, PtxModule};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Requests the launches on a GPU.
const LAUNCHES: &str = "LANEWORK_CORPUS_LAUNCHES";

/// Modules whose launches are counted: those for sm_90, and those of other compilers. Unoptimized code is not
/// profiled in practice.
fn counted(variant: &Variant) -> bool {
    let of_others = variant.file.starts_with("triton") || variant.file.starts_with("numba");
    let newest = variant.target.starts_with("sm_90");
    !variant.debug && (newest || of_others) && variant.runs_on((9, 0))
}

fn runs(variant: &Variant, case: &Case) -> bool {
    let unsupported = case.unsupported.iter().any(|(part, _)| variant.file.contains(part));
    case.unit == variant.unit && case.on_gpu && !unsupported && case.on_emulator == OnEmulator::Runs
}

/// Calls `each` for every case of every module, loaded on a device.
fn every_case(device: &Device, mut each: impl FnMut(&Variant, &PtxModule, &Case)) {
    let cases = all();
    for variant in variants().iter().filter(|variant| counted(variant)) {
        let module = device.load_ptx(variant.text).unwrap_or_else(|e| panic!("{e}"));
        for case in cases.iter().filter(|case| runs(variant, case)) {
            each(variant, &module, case);
        }
    }
}

fn name(variant: &Variant, case: &Case, number: usize, entry: &str) -> String {
    let file = variant.file.trim_end_matches(".ptx");
    format!("{file} {} {number} {entry}", case.name)
}

#[test]
fn launches_for_a_hardware_profiler() {
    let Some(path) = std::env::var_os(LAUNCHES) else { return };
    let device = Device::open("cuda:0").expect("a GPU");
    let mut list = String::new();
    every_case(&device, |variant, module, case| {
        let mut number = 0;
        run_each(&device, case, &mut |launch, shape, arguments| {
            // SAFETY: the arguments are those of the case, whose buffers the emulator has checked access by access
            // before the corpus runs on a GPU.
            unsafe { module.launch(launch.entry, shape, arguments) }?;
            let name = name(variant, case, number, launch.entry);
            number += 1;
            let _ = writeln!(list, "{name}\t{}", launch.entry);
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{}: {}: {e}", variant.file, case.name));
    });
    std::fs::write(path, list).expect("a writable list");
}

/// Records the counters of a hardware profiler, from the folder that `LANEWORK_CORPUS_NCU` names.
#[test]
fn record_the_counters_of_a_hardware_profiler() {
    let Some(folder) = std::env::var_os("LANEWORK_CORPUS_NCU") else { return };
    let folder = std::path::PathBuf::from(folder);
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let mut hardware = Hardware { gpu: "NVIDIA H200".to_owned(), ..Hardware::default() };
    hardware.read(&read("corpus.csv"), &read("corpus.txt")).expect("a row for each launch");
    let recorded =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("recorded/h200-counters.json");
    std::fs::write(recorded, hardware.to_json()).expect("a writable record");
}

/// Cases that were not profiled on the GPU.
const UNCOUNTED: [&str; 1] = ["recursion"];

/// Known differences, by the prefix of a launch's name and of a counter's, with the reason.
const EXPLAINED: &str = include_str!("../../recorded/h200-counters.explained");

fn explained(one: &Deviation) -> bool {
    EXPLAINED.lines().filter(|line| !line.starts_with('#')).any(|line| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap_or_default();
        let (launch, counter, why) = (next(), next(), next());
        !why.is_empty() && one.launch.contains(launch) && one.counter.starts_with(counter)
    })
}

#[test]
fn counters_equal_the_hardwares_except_where_explained() {
    let hardware: Hardware =
        serde_json::from_str(include_str!("../../recorded/h200-counters.json")).expect("JSON");
    let device = Device::emulator();
    let (mut deviations, mut launches): (Vec<Deviation>, usize) = (Vec::new(), 0);
    every_case(&device, |variant, module, case| {
        let mut number = 0;
        run_each(&device, case, &mut |launch, shape, arguments| {
            let profile = module.profile(launch.entry, shape, arguments, Blocks::All)?;
            let name = name(variant, case, number, launch.entry);
            number += 1;
            deviations.extend(hardware.compare(&name, &profile.counters));
            launches += usize::from(!UNCOUNTED.contains(&case.name));
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{}: {}: {e}", variant.file, case.name));
    });
    let far: Vec<&Deviation> = deviations.iter().filter(|one| !one.within_a_hundredth()).collect();
    if let Some(path) = std::env::var_os("LANEWORK_CORPUS_DEVIATIONS") {
        std::fs::write(path, table(&far)).expect("a writable table");
    }
    let within = 1.0 - far.len() as f64 / deviations.len().max(1) as f64;
    let unknown: Vec<&&Deviation> = far.iter().filter(|one| !explained(one)).collect();
    assert!(unknown.is_empty(), "unexplained differences: {unknown:#?}");
    // The corpus has many locks, rings and loops of compare-and-swap.
    assert!(within >= 0.85, "only {:.1} % within 1 %", 100.0 * within);
    assert_eq!(launches, hardware.launches.len(), "the corpus is what the GPU counted");
}

/// The differences, by counter.
fn table(far: &[&Deviation]) -> String {
    let mut by_counter: BTreeMap<&str, Vec<&Deviation>> = BTreeMap::new();
    for one in far {
        by_counter.entry(one.counter).or_default().push(one);
    }
    let mut text = String::new();
    for one in by_counter.into_values().flatten() {
        let error = one.error.map_or(String::new(), |error| format!("{:+.1} %", 100.0 * error));
        let _ = writeln!(
            text,
            "{}\t{}\t{}\t{}\t{error}",
            one.counter, one.launch, one.emulated, one.measured
        );
    }
    text
}
