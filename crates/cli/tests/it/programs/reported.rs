//! Programs with bugs of reported kinds, and their repaired versions, under `lanework exec --check`.

use super::exec::{LANEWORK, text};
use std::process::Command;

const KERNELS: &str = include_str!("../../data/reported.cu");
const STREAMS: &str = include_str!("../../data/reported_streams.cu");

/// Each program with the parts of the output that its bug needs; none for a correct program.
fn programs(source: &str) -> Vec<(&str, Vec<&str>)> {
    let table = source.split_once("all[] = {").expect("a table").1;
    let names = table.split("};").next().expect("its end").split('"').skip(1).step_by(2);
    let expected = |name: &str| {
        let lines = source.lines().filter_map(|line| line.strip_prefix("// expect "));
        let mut of_name = lines.filter_map(|line| line.split_once(": "));
        let parts = of_name.find(|(of, _)| *of == name).map(|(_, parts)| parts.split(" | "));
        parts.map(Iterator::collect).unwrap_or_default()
    };
    names.map(|name| (name, expected(name))).collect()
}

/// Runs the wrong and the repaired version of each program of a source.
fn check(source: &str, least: usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("reported.cu");
    std::fs::write(&file, source).expect("written");
    let mut wrong = String::new();
    for (name, expected) in programs(source) {
        for version in ["bug", "right"] {
            let mut command = Command::new(LANEWORK);
            command.args(["exec", "--check", "--"]).arg(&file).args([name, version]);
            let ended = command.env("LANEWORK_LANG", "en").output().expect("it starts");
            let said = text(&ended.stdout) + &text(&ended.stderr);
            let clean = version == "right" || expected.is_empty();
            let fits = match clean {
                true => ended.status.success() && said.contains("nothing to report"),
                false => !ended.status.success() && expected.iter().all(|part| said.contains(part)),
            };
            if !fits {
                wrong += &format!("\n{name} {version} ({:?}), {expected:?}:\n{said}", ended.status);
            }
        }
    }
    assert!(programs(source).len() >= least, "{:?}", programs(source));
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn reported_bugs_are_found_and_repaired_programs_are_clean() {
    check(KERNELS, 18);
}

#[test]
fn bugs_of_streams_and_graphs_are_found_and_repaired_programs_are_clean() {
    check(STREAMS, 20);
}
