//! The programs of the page for C programmers: they run as the page says, and the mistakes of its table are found.

use std::path::Path;
use std::process::{Command, Output};

/// The programs of the page, in its order.
fn programs(language: &str) -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src");
    let page = std::fs::read_to_string(docs.join(language).join("first-cuda.md")).expect("a page");
    let blocks = page.split("```cpp\n").skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap_or_default().to_owned()).collect()
}

/// Runs a command on a program's source.
fn run_by(by: &str, source: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.cu");
    std::fs::write(&file, source).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    command.arg(by).arg(&file).args(["--compiler", "own"]).env("LANEWORK_LANG", "en");
    command.output().expect("it starts")
}

/// The source after a change, which must occur in it.
fn changed(source: &str, from: &str, to: &str) -> String {
    assert!(source.contains(from), "{from}");
    source.replacen(from, to, 1)
}

#[test]
fn the_programs_print_what_the_page_says_and_nothing_is_reported() {
    for language in ["en", "zh"] {
        let programs = programs(language);
        assert_eq!(programs.len(), 2, "{language}");
        for (source, printed) in programs.iter().zip(["3 2997\n", "256\n"]) {
            let ended = run_by("run", source);
            assert_eq!(String::from_utf8_lossy(&ended.stdout), printed, "{language}");
            let checked = run_by("check", source);
            let said = String::from_utf8_lossy(&checked.stdout).into_owned();
            assert_eq!(checked.status.code(), Some(0), "{said}");
            assert!(said.contains("nothing to report"), "{said}");
        }
    }
}

#[test]
fn the_mistakes_of_the_table_are_found() {
    let programs = programs("en");
    let [scale, sum] = &programs[..] else { panic!("two programs") };
    let barrier = "        __syncthreads();\n";
    let faults = [
        (changed(scale, "if (i < n)", ""), "error[out-of-bounds]"),
        (
            changed(scale, "cudaMalloc(&device, n * sizeof(float))", "cudaMalloc(&device, n)"),
            "error[failed-call]",
        ),
        (changed(scale, "(n + 255) / 256, 256", "1, n + 100"), "error[failed-call]"),
        (changed(scale, "(device, 3.0f, n)", "(host, 3.0f, n)"), "error[out-of-bounds]"),
        (changed(sum, barrier, ""), "error[race]"),
        (changed(sum, "    cudaDeviceSynchronize();\n", ""), "error[stream-race]"),
    ];
    for (source, finding) in faults {
        let checked = run_by("check", &source);
        let said = String::from_utf8_lossy(&checked.stdout).into_owned();
        assert!(said.contains(finding), "{finding}:\n{source}\n{said}");
        assert_ne!(checked.status.code(), Some(0), "{finding}");
    }
}
