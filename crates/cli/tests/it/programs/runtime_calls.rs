//! Calls of the CUDA runtime API, valid and invalid, compared with what an H200 returned for each.
//!
//! `tests/data/runtime_calls.cu` makes the calls and prints their results; `runtime_calls.txt` is its output on an H200
//! (nvcc 13.0, driver 580.159.04, 2026-11-30). `runtime_calls_differences.txt` lists where our own runtime, which serves
//! programs from source, returns something else.

use super::exec::{LANEWORK, text};
use lanework_testing::expect_file;
use std::path::Path;
use std::process::Command;

/// The first lines of the list of differences.
const HEADER: &str = "\
# Results of runtime_calls.cu: on an H200 | of a program from source | why they differ.
# Update: LANEWORK_BLESS=1 cargo test -p lanework-cli --test it runtime_calls
";

/// The intended differences: the group and the start of the line, and the reason.
const REASONS: [(&str, &str); 2] = [
    (
        "launches:   blocks is",
        "the emulator does not model how `cudaDeviceSetCacheConfig` divides shared memory and L1 cache",
    ),
    (
        "launches: cudaLaunchKernelEx(&config, store, p, 1) = 0",
        "programs from source launch clusters by `__cluster_dims__` only",
    ),
];

#[test]
fn runtime_calls_return_the_codes_of_an_h200() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut command = Command::new(LANEWORK);
    command.args(["exec", "--plain"]).arg(folder.join("runtime_calls.cu"));
    let ended = command.env("LANEWORK_LANG", "en").output().expect("it starts");
    let said = text(&ended.stdout);
    assert!(ended.status.success(), "{said}{}", text(&ended.stderr));
    let recorded = include_str!("../../data/runtime_calls.txt");
    let (recorded, said) = (recorded.lines(), said.lines());
    assert_eq!(recorded.clone().count(), said.clone().count());
    let mut found = HEADER.to_owned();
    for (one, other) in recorded.zip(said).filter(|(one, other)| one != other) {
        let call =
            |line: &str| line.rsplit_once(" = ").map_or(String::new(), |(call, _)| call.to_owned());
        assert_eq!(call(one), call(other));
        let result = other.rsplit_once([' ']).map_or(other, |(_, result)| result);
        let why = REASONS.iter().find(|(start, _)| one.starts_with(start));
        let why = why.map(|(_, why)| *why).unwrap_or_else(|| panic!("no reason: {one} | {other}"));
        found += &format!("{one} | {result} | {why}\n");
    }
    expect_file(folder.join("runtime_calls_differences.txt"), &found);
}
