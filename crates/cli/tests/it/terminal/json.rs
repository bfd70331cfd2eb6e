//! With `--json` standard output is one JSON value, whatever happens: results, or one error object.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

const KERNELS: &str = "\
.version 7.0
.target sm_80
.address_size 64
.visible .entry past(.param .u64 p)
{ .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; st.global.u32 [%rd1+400], 1; ret; }
.visible .entry traps(.param .u64 p)
{ trap; }
.visible .entry endless(.param .u64 p)
{ .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p];
again: st.global.u32 [%rd1], %r1; add.u32 %r1, %r1, 1; bra again; }
.extern .func elsewhere;
.visible .entry refused(.param .u64 p)
{ call elsewhere; ret; }
";

/// Runs the command, and returns its exit code and the JSON value that it printed.
fn json(folder: &Path, args: &[&str]) -> (i32, Value) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
    let output = command.args(args).current_dir(folder).output().expect("the command runs");
    let (said, shown) =
        (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    let value = serde_json::from_str(&shown);
    let value = value.unwrap_or_else(|error| panic!("{args:?}: {error}\n{shown}\n{said}"));
    (output.status.code().expect("no signal"), value)
}

/// Runs a command that stops, whose error has this kind, or one of several.
fn stops(folder: &Path, args: &[&str], kind: &str) -> Value {
    let (code, mut value) = json(folder, args);
    let error = value["error"].take();
    let found = error["kind"].as_str().unwrap_or_default();
    assert!(kind.split('|').any(|kind| kind == found), "{args:?}: {error}");
    assert_eq!(error["exit_code"], code, "{args:?}: {error}");
    assert_ne!(code, 0, "{args:?}");
    let message = error["message"].as_str().unwrap_or_default();
    assert!(!message.is_empty() && !message.contains('\u{1b}'), "{args:?}: {error}");
    error
}

/// A folder with a file of kernels, one that is no PTX, and one of no kernels.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.ptx"), KERNELS).expect("a file");
    std::fs::write(folder.path().join("bad.ptx"), ".version 7.0\n.target sm_80\n}\n")
        .expect("a file");
    folder
}

#[test]
fn every_command_on_files_reports_a_fault_in_json() {
    let folder = folder();
    let at = folder.path();
    for command in ["run", "profile", "look"] {
        let with = |more: &[&'static str]| {
            let mut all = vec![command, "k.ptx", "--json", "--arg", "zeros:u32:100"];
            all.extend(more);
            all
        };
        let error = stops(at, &with(&["--entry", "past"]), "out-of-bounds");
        assert_eq!(error["kernel"], "past");
        assert_eq!(error["line"], 5);
        assert_eq!(error["thread"], serde_json::json!([0, 0, 0]));
        stops(at, &with(&["--entry", "traps"]), "trap");
        let limit = ["--entry", "endless", "--max-instructions", "5000"];
        stops(at, &with(&limit), "instruction-limit");
        stops(at, &with(&["--entry", "endless", "--time-limit", "0.2"]), "time-limit");
        stops(at, &with(&["--entry", "refused"]), "unsupported");
        stops(at, &with(&["--entry", "past", "--block", "2000"]), "limit-exceeded");
        stops(at, &with(&["--entry", "past", "--arg", "u32:1"]), "input");
        stops(at, &with(&["--entry", "none"]), "input");
        stops(at, &with(&["--no-such-option"]), "usage");
        stops(at, &[command, "missing.ptx", "--json"], "input");
        stops(at, &[command, "bad.ptx", "--json"], "ptx");
    }
}

#[test]
fn a_check_that_stops_early_has_its_findings_and_the_error() {
    let folder = folder();
    let at = folder.path();
    let with = |more: &[&'static str]| {
        let mut all = vec!["check", "k.ptx", "--json", "--grid", "1", "--arg", "zeros:u32:100"];
        all.extend(more);
        all
    };
    let (code, found) = json(at, &with(&["--entry", "past"]));
    assert_eq!((code, &found["reports"][0]["kind"]), (1, &"out-of-bounds".into()));
    stops(at, &with(&["--entry", "traps"]), "trap");
    let limit = ["--entry", "endless", "--max-instructions", "5000"];
    stops(at, &with(&limit), "instruction-limit");
    stops(at, &with(&["--entry", "endless", "--time-limit", "0.2"]), "time-limit");
    stops(at, &with(&["--entry", "refused"]), "unsupported");
    stops(at, &with(&["--only", "nonsense", "--entry", "past"]), "input");
    stops(at, &["check", "bad.ptx", "--json"], "ptx");
    stops(at, &["check", "transpose", "--json", "--no-such-option"], "usage");
}

#[test]
fn every_command_with_json_tells_its_errors_in_json() {
    let folder = folder();
    let cases: &[(&[&str], &str)] = &[
        (&["check", "nonsense"], "input"),
        (&["climb", "nonsense"], "input"),
        (&["climb", "transpose", "--size", "0"], "launch"),
        (&["climb", "transpose", "--device", "cuda:99"], "device|cuda"),
        (&["sweep", "nonsense"], "input"),
        (&["profile", "nonsense"], "input"),
        (&["look", "transpose/nonsense"], "input"),
        (&["run", "transpose/nonsense", "--input", "none.npy"], "input"),
        (&["run", "transpose/padded", "--input", "none.npy"], "input"),
        (&["inspect", "none.ptx"], "input"),
        (&["inspect", "bad.ptx"], "ptx"),
        (&["list", "--nonsense"], "usage"),
        (&["devices", "--nonsense"], "usage"),
        (&["gpus", "--file", "none.json"], "input"),
        (&["conform"], "input"),
        (&["streams", "--device", "cuda:99"], "device|cuda"),
        (&["nonsense"], "usage"),
    ];
    for (args, kind) in cases {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        stops(folder.path(), &args, kind);
    }
}

#[test]
fn a_json_result_has_no_error_object() {
    let folder = folder();
    let (code, found) = json(folder.path(), &["list", "--json"]);
    assert_eq!((code, found.get("error")), (0, None));
    // Findings make the check fail, but the JSON result already has them.
    let args =
        ["check", "k.ptx", "--json", "--grid", "1", "--arg", "zeros:u32:100", "--entry", "past"];
    let (code, found) = json(folder.path(), &args);
    assert_eq!((code, found.get("error")), (1, None));
}
