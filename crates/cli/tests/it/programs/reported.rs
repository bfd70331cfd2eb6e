//! Programs with bugs of reported kinds, and their repaired versions, under `lanework exec --check`.

use super::exec::{LANEWORK, text};
use std::path::PathBuf;
use std::process::Command;

/// The header of the programs.
const HEADER: &str = include_str!("../../data/reported.h");
const KERNELS: &str = include_str!("../../data/reported.cu");
const ADVICE: &str = include_str!("../../data/reported_advice.cu");
const STREAMS: &str = include_str!("../../data/reported_streams.cu");
const WAITS: &str = include_str!("../../data/reported_waits.cu");
const COPIES: &str = include_str!("../../data/reported_copies.cu");
const GRIDS: &str = include_str!("../../data/reported_grids.cu");
const PROTOCOLS: &str = include_str!("../../data/reported_protocols.cu");
const GROUPS: &str = include_str!("../../data/reported_groups.cu");
const HOST: &str = include_str!("../../data/reported_host.cu");
const PENDING: &str = include_str!("../../data/reported_pending.cu");
const MORE_KERNELS: &str = include_str!("../../data/reported_kernels.cu");

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

/// Writes a source with its header to a new folder.
fn written(source: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("reported.cu");
    std::fs::write(folder.path().join("reported.h"), HEADER).expect("written");
    std::fs::write(&file, source).expect("written");
    (folder, file)
}

/// Runs the wrong and the repaired version of each program of a source.
fn check(source: &str, least: usize) {
    let (_folder, file) = written(source);
    let mut wrong = String::new();
    for (name, expected) in programs(source) {
        for version in ["bug", "right"] {
            let mut command = Command::new(LANEWORK);
            command.args(["exec", "--check", "--"]).arg(&file).args([name, version]);
            let ended = command.env("LANEWORK_LANG", "en").output().expect("it starts");
            let said = text(&ended.stdout) + &text(&ended.stderr);
            let clean = version == "right" || expected.is_empty();
            // A check with only warnings succeeds.
            let warns = expected.first().is_some_and(|part| part.starts_with("warning["));
            let fits = match clean {
                true => ended.status.success() && said.contains("nothing to report"),
                false => {
                    ended.status.success() == warns
                        && expected.iter().all(|part| said.contains(part))
                }
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
    check(KERNELS, 19);
}

#[test]
fn bugs_of_streams_and_graphs_are_found_and_repaired_programs_are_clean() {
    check(STREAMS, 20);
}

#[test]
fn missing_waits_are_found_and_repaired_programs_are_clean() {
    check(WAITS, 13);
}

#[test]
fn bugs_of_copies_and_clusters_are_found_and_repaired_programs_are_clean() {
    check(COPIES, 20);
}

#[test]
fn bugs_of_grids_and_local_arrays_are_found_and_repaired_programs_are_clean() {
    check(GRIDS, 14);
}

#[test]
fn bugs_of_clusters_and_mbarriers_are_found_and_repaired_programs_are_clean() {
    check(PROTOCOLS, 12);
}

#[test]
fn bugs_of_groups_and_scopes_are_found_and_repaired_programs_are_clean() {
    check(GROUPS, 10);
}

#[test]
fn bugs_of_host_functions_and_graphs_are_found_and_repaired_programs_are_clean() {
    check(HOST, 10);
}

#[test]
fn accesses_of_the_host_to_pending_memory_are_found_and_repaired_programs_are_clean() {
    check(PENDING, 15);
}

#[test]
fn bugs_of_kernels_are_found_and_repaired_programs_are_clean() {
    check(MORE_KERNELS, 25);
}

#[test]
fn the_help_names_the_change_that_repairs_the_program() {
    check(ADVICE, 18);
}

/// The number after `line ` at the start of a text.
fn line_of(text: &str) -> Option<usize> {
    text.split_once("line ")?.1.split(' ').next()?.parse().ok()
}

/// Puts the barrier that the help names at its place; `None` if it names another change.
fn patched(source: &str, help: &str) -> Option<String> {
    let rest = help.strip_prefix("put `__sync")?;
    let (call, place) = rest.split_once('`')?;
    let mut lines: Vec<&str> = source.lines().collect();
    let barrier = format!("__sync{call};");
    let at = match place {
        _ if place.contains("at the head of the loop: before") => line_of(place)? - 1,
        // At the end of a loop, or between two accesses: after the first line.
        _ => line_of(place)?,
    };
    lines.insert(at, &barrier);
    Some(lines.join("\n"))
}

/// Times that a program's help is followed: one bug can need barriers at two places.
const PATCHES: usize = 3;

#[test]
fn barriers_at_the_places_that_the_help_names_repair_the_program() {
    let (_folder, file) = written(ADVICE);
    let (mut wrong, mut repaired) = (String::new(), 0);
    let run = |source: &str, name: &str| {
        std::fs::write(&file, source).expect("written");
        let mut command = Command::new(LANEWORK);
        command.args(["exec", "--check", "--"]).arg(&file).args([name, "bug"]);
        let ended = command.env("LANEWORK_LANG", "en").output().expect("it starts");
        text(&ended.stdout) + &text(&ended.stderr)
    };
    for (name, _) in programs(ADVICE) {
        let (mut source, mut said) = (ADVICE.to_owned(), run(ADVICE, name));
        let mut patches = 0;
        while patches < PATCHES {
            let help = said.lines().find_map(|line| line.trim().strip_prefix("= help: "));
            let Some(next) = help.and_then(|help| patched(&source, help)) else { break };
            patches += 1;
            said = run(&next, name);
            source = next;
        }
        if patches == 0 {
            continue;
        }
        repaired += 1;
        if !said.contains("nothing to report") {
            wrong += &format!("\n{name}, after {patches} patches:\n{said}");
        }
    }
    assert!(wrong.is_empty() && repaired >= 9, "{repaired}{wrong}");
}

#[test]
fn kinds_and_kernels_of_a_program_are_selected() {
    let (_folder, file) = written(WAITS);
    let run = |options: &[&str]| {
        let mut command = Command::new(LANEWORK);
        command.arg("check").args(options).arg(&file).args(["--", "freed_before_use", "bug"]);
        let ended = command.env("LANEWORK_LANG", "en").output().expect("it starts");
        (ended.status.code(), text(&ended.stdout) + &text(&ended.stderr))
    };
    for options in [&["--only", "fill"][..], &["--only=use-after-free"], &["--skip", "race,look_*"]]
    {
        let (code, said) = run(options);
        assert_eq!(code, Some(1), "{options:?}: {said}");
        assert!(said.contains("error[use-after-free]"), "{options:?}: {said}");
    }
    for options in [&["--skip", "use-after-free"][..], &["--only", "race"], &["--skip=f*l"]] {
        let (code, said) = run(options);
        assert_eq!(code, Some(0), "{options:?}: {said}");
        assert!(!said.contains("error"), "{options:?}: {said}");
    }
    let (code, said) = run(&["--skip", "fil"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("`fil` is neither") && said.contains("did you mean fill"), "{said}");
}
