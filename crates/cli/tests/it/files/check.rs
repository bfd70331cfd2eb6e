//! `lanework check`, as its users run it: findings with their lines, in JSON and SARIF, and exit codes.

use lanework::{Level, ReportKind};
use serde_json::Value;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The folder of the planted bugs, from which their sources are found.
fn planted() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/lanework/tests/sanitizer"))
}

fn check(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanework"))
        .arg("check")
        .args(args)
        .current_dir(planted())
        .output()
        .expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const NO_BARRIER: [&str; 7] =
    ["ptx/races.ptx", "--entry", "no_barrier", "--block", "64", "--arg", "zeros:f32:64"];

/// The number of the line of races.cu with this text, from 1.
fn line_of(words: &str) -> u64 {
    let source = std::fs::read_to_string(planted().join("cuda/races.cu")).expect("the source");
    source.lines().position(|line| line.contains(words)).expect("the line") as u64 + 1
}

#[test]
fn a_race_is_shown_at_both_its_lines() {
    let output = check(&NO_BARRIER);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{shown}{said}");
    assert!(shown.contains("error[race]: race in shared memory"), "{shown}");
    assert!(shown.contains("tile[threadIdx.x] = threadIdx.x; // SEEN\n"), "{shown}");
    assert!(shown.contains("  = the other access: `ld.shared.f32` by thread"), "{shown}");
    assert!(
        shown.contains("^^^^\n") && shown.contains("  = help: put `__syncthreads()`"),
        "{shown}"
    );
    assert!(said.contains("1 error in no_barrier"), "one barrier is missing: {said}");
}

#[test]
fn findings_are_json_and_sarif() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("found.sarif");
    let sarif = file.to_str().expect("UTF-8");
    let output = check(&[&NO_BARRIER[..], &["--json", "--sarif", sarif]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let report = &found["reports"][0];
    assert_eq!(report["kind"], "race");
    assert_eq!(report["kernel"], "no_barrier");
    assert!(report["file"].as_str().is_some_and(|file| file.ends_with("races.cu")), "{report}");
    let mut lines =
        [&report["line"], &report["other"]["line"]].map(|l| l.as_u64().expect("a line"));
    lines.sort_unstable();
    assert_eq!(lines[0], line_of("tile[threadIdx.x] = threadIdx.x; // SEEN"));
    assert_eq!(lines[1], lines[0] + 1);
    assert!(report["count"].as_u64() > Some(1) && report["message"].is_string(), "{report}");
    let log: Value =
        serde_json::from_str(&std::fs::read_to_string(file).expect("written")).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), found["reports"].as_array().map_or(0, Vec::len));
    assert_eq!(results[0]["ruleId"], "race");
}

#[test]
fn sarif_paths_are_relative_to_the_repository_and_name_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("found.sarif");
    let args = ["ptx/calls.ptx", "--entry", "in_a_helper", "--block", "128", "--arg"];
    let more = ["rand:f32:128", "--arg", "zeros:f32:128", "--sarif", file.to_str().expect("UTF-8")];
    let output = check(&[&args[..], &more[..]].concat());
    assert!(text(&output.stdout).contains("  = called at cuda/calls.cu:9:5\n"), "{output:?}");
    let log: Value =
        serde_json::from_str(&std::fs::read_to_string(file).expect("written")).expect("JSON");
    let run = &log["runs"][0];
    let root = run["originalUriBaseIds"]["SRCROOT"]["uri"].as_str().expect("a root");
    assert!(root.starts_with("file:///") && root.ends_with('/'), "{root}");
    let result = &run["results"][0];
    let artifact = &result["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(artifact["uri"], "crates/runtime/lanework/tests/sanitizer/cuda/calls.cu");
    assert_eq!(artifact["uriBaseId"], "SRCROOT");
    let related = result["relatedLocations"].as_array().expect("related places");
    let called = related.iter().filter(|place| place["message"]["text"] == "called here");
    let lines: Vec<&Value> =
        called.map(|place| &place["physicalLocation"]["region"]["startLine"]).collect();
    assert_eq!(lines, [9, 14]);
}

#[test]
fn every_kind_of_finding_is_documented() {
    for page in ["en", "zh"] {
        let file = format!("{}/../../docs/src/{page}/check.md", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&file).expect("the page");
        for kind in lanework::ReportKind::ALL {
            assert!(text.contains(&format!("| `{kind}` |")), "{kind} is not in {file}");
        }
    }
}

#[test]
fn right_kernels_and_ladders_have_nothing_to_report() {
    let mut right = NO_BARRIER;
    right[2] = "with_barrier";
    for args in [&right[..], &["transpose", "--size", "40"], &["sum-squares/warp-shuffle"]] {
        let output = check(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        assert!(text(&output.stdout).contains("nothing to report"), "{args:?}");
    }
}

#[test]
fn kinds_are_selected_and_wrong_options_are_reported() {
    for args in [["--skip", "race"], ["--only", "out-of-bounds,leak"]] {
        let output = check(&[&NO_BARRIER[..], &args].concat());
        // With races omitted, the read before the write may still be reported.
        let shown = text(&output.stdout);
        assert!(!shown.contains("race in"), "{shown}");
    }
    for (args, words) in [
        (&["transpose", "--only", "typo"][..], "is not a kind of error"),
        (&["transpos"], "did you mean"),
        (&["ptx/races.ptx", "--entry", "no_barrier", "--device", "cuda:0"], "the emulator only"),
    ] {
        let output = check(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
}

/// A kernel that prints `hi`.
const SAYS: &str = ".version 8.0\n.target sm_80\n.address_size 64\n\
    .extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n\
    .global .align 1 .b8 words[4] = {104, 105, 10, 0};\n\
    .visible .entry _ZN3ops4saysEv()\n{\n.reg .b64 %rd<3>;\n\
    mov.u64 %rd1, words;\ncvta.global.u64 %rd2, %rd1;\n\
    { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd2; st.param.b64 [a], 0;\n\
    call.uni (r), vprintf, (f, a); }\nret;\n}\n";

#[test]
fn kernel_output_is_not_mixed_into_json() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("says.ptx");
    std::fs::write(&file, SAYS).expect("written");
    let file = file.to_str().expect("UTF-8");
    let output = check(&[file, "--entry", "ops::says", "--json"]);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{shown}{said}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(found["reports"].as_array().map(Vec::len), Some(0));
    assert!(said.contains("hi\n"), "{said}");
    assert!(text(&check(&[file, "--entry", "says"]).stdout).contains("hi\n"));
}

#[test]
fn the_pages_list_every_kind_of_finding() {
    let page = |path: &str| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/").to_owned() + path;
        std::fs::read_to_string(&path).expect("a page")
    };
    let names = |kinds: Vec<&lanework::KindInfo>| -> Vec<String> {
        kinds.into_iter().map(|kind| format!("`{}`", kind.name)).collect()
    };
    let warnings = ReportKind::TABLE.iter().filter(|kind| kind.level == Level::Warning);
    let listed = format!(
        "each with `kind` ({}; of these, {} are warnings)",
        names(ReportKind::TABLE.iter().collect()).join(", "),
        names(warnings.collect()).join(", ")
    );
    let json: Vec<String> = page("json.md").split_whitespace().map(str::to_owned).collect();
    assert!(json.join(" ").contains(&listed), "docs/json.md: {listed}");
    for language in ["en", "zh"] {
        let path = format!("src/{language}/check.md");
        let page = page(&path);
        for kind in ReportKind::TABLE {
            assert!(page.contains(&format!("\n| `{}` |", kind.name)), "{path}: {}", kind.name);
        }
    }
}
