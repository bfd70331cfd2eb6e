//! Calls of the driver API, valid and invalid, compared with what an H200 returned for each (`tests/calls`).
//!
//! `calls.py` makes the calls and prints their results; `h200.txt` is its output on an H200 (driver 580.159.04, 2026-11-28).
//! `differences.txt` lists where the emulator's driver returns something else.

use lanework_testing::{expect_file, skip};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::process::Command;

/// The first lines of `differences.txt`.
const HEADER: &str = "\
# Results of tests/calls/calls.py: first as on an H200, then as on the emulator. Update: LANEWORK_BLESS=1 cargo test -p lanework-driver
# The intended differences, by group of calls:
# - procedures: the driver is of CUDA 13.5, and has no minimum version per function.
# - modules: without --gpu it takes PTX for newer GPUs; it tells texts without PTX by their content.
# - fault_*: a reset makes a context usable again after a fault. A GPU needs a new process.
# - destroyed handles: a lookup fails with an error. A GPU's driver reads freed memory (recorded as `crash`, or any code).
# - pools, virtual_memory, graphs, graph_memory, arrays: it accepts some arguments that a GPU's driver refuses, and the limits of
#   memory are the host's.
# - the other groups: flags without an effect here are not checked, arguments are checked in another order, and defaults of
#   limits and flags differ.
";

/// The part of a line before its result.
fn call_of(line: &str) -> &str {
    line.rsplit_once(" = ").map_or(line, |(call, _)| call)
}

/// The calls of an output; each includes the queries of its effect (lines with `...`).
fn calls(output: &str) -> Vec<String> {
    let mut calls: Vec<String> = Vec::new();
    for line in output.lines() {
        match (line.split_once(": ... "), calls.last_mut()) {
            (Some((_, effect)), Some(call)) => call.push_str(&format!(" ... {effect}")),
            _ => calls.push(line.to_owned()),
        }
    }
    calls
}

/// The calls of the recording that differ, with the emulator's results.
fn differences(recorded: &[String], emulated: &[String]) -> Vec<String> {
    let mut results: HashMap<&str, VecDeque<&String>> = HashMap::new();
    for line in emulated {
        results.entry(call_of(line)).or_default().push_back(line);
    }
    let mut found = Vec::new();
    for line in recorded {
        let other = results.get_mut(call_of(line)).and_then(VecDeque::pop_front);
        match other {
            // On the H200 the call ended the process.
            _ if line.contains(" = crash") => {}
            Some(other) if other == line => {}
            Some(other) => {
                let result = other.rsplit_once(" = ").map_or("", |(_, result)| result);
                found.push(format!("{line} | {result}"));
            }
            None => found.push(format!("{line} | is not called")),
        }
    }
    found
}

#[test]
fn calls_return_the_codes_of_an_h200() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calls");
    let here = std::env::current_exe().expect("a path").parent().expect("a folder").to_owned();
    let near = [here.join("liblanework_libcuda.so"), here.join("../liblanework_libcuda.so")];
    let library = near.iter().find(|path| path.exists()).expect("cargo builds the library");
    let links = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded-calls");
    std::fs::create_dir_all(&links).expect("a folder");
    let (library, link) = (library.canonicalize().expect("a path"), links.join("libcuda.so.1"));
    let _ = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(library, link).expect("a link");
    let mut command = Command::new("python3");
    command.arg("-B").arg(folder.join("calls.py")).env("LD_LIBRARY_PATH", &links);
    let Ok(output) = command.output() else {
        return skip("recorded calls", "python3 is not installed");
    };
    let emulated = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{output:?}");
    let recorded = std::fs::read_to_string(folder.join("h200.txt")).expect("the recording");
    let (recorded, emulated) = (calls(&recorded), calls(&emulated));
    assert!(recorded.len() > 3000, "{}", recorded.len());
    let found = differences(&recorded, &emulated);
    let text = format!("{HEADER}{}\n", found.join("\n"));
    expect_file(folder.join("differences.txt"), &text);
}
