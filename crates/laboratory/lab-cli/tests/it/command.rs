//! Output, refusals and JSON errors of the commands, in both languages.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

#[path = "../../../../terminal/src/words/english.rs"]
mod english;

fn lanework_lab(arguments: &[&str], language: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanework-lab"));
    command.args(arguments).env("LANEWORK_LANG", language).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Standard error of a command that must exit with 2.
fn refused(arguments: &[&str]) -> String {
    let output = lanework_lab(arguments, "en");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}\n{said}");
    assert!(!said.contains("panicked") && !said.contains("has a bug"), "{arguments:?}\n{said}");
    said
}

#[test]
fn options_that_would_be_ignored_are_refused() {
    for (line, words) in [
        (&["experiments", "--time-limit", "3"][..], "--run"),
        (
            &["conform", "--device", "emulator", "--only", "add.rn.f32"],
            "--device emulator is not used",
        ),
        (&["conform", "--live", "--vectors", "x.vectors"], "cannot be used with"),
        (&["conform", "--ptx", "--json"], "cannot be used with"),
        (&["conform", "--tuples", "0"], "--tuples"),
        (&["fidelity", "--metrics", "--json"], "cannot be used with"),
        (&["fidelity", "--skip", "transpose"], "--launch"),
    ] {
        let why = refused(line);
        assert!(why.contains(words), "{line:?}: {why}");
    }
}

#[test]
fn stored_predictions_of_rungs_are_compared_without_new_ones() {
    let folder = std::env::temp_dir().join(format!("lanework-rungs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the folder is created");
    let path = folder.join("rungs.json");
    let file = path.to_string_lossy().into_owned();
    let rung = r#"[{"problem": "scan", "name": "scan/x", "suite": "ladders", "measured_ns": 1000.0,
        "predicted_ns": 1100.0, "interval_ns": [900.0, 1300.0], "limiter": "DRAM", "roofline_ns": 500.0}]"#;
    std::fs::write(&path, rung).expect("the file is written");
    let output = lanework_lab(&["predict-check", "--rungs", &file], "en");
    let said = text(&output.stdout);
    assert!(output.status.success() && said.contains("ladders: 1 kernels"), "{said}");
    assert!(said.contains("median error 10.0 %") && said.contains("100.0 % covered"), "{said}");
    std::fs::write(&path, "{}").expect("the file is written");
    let why = refused(&["predict-check", "--rungs", &file]);
    assert!(why.contains("rungs.json") && why.contains("predict-check --json"), "{why}");
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}

#[test]
fn errors_are_reported_in_json() {
    for (arguments, kinds) in [
        (&["coverage", "--opcode", "nonsense"][..], &["input"][..]),
        (&["conform", "--vectors", "none.txt"], &["input"]),
        (&["fidelity", "--data", "none"], &["input", "launch"]),
        (&["experiments", "--run", "--device", "cuda:99"], &["device", "cuda"]),
        (&["nonsense"], &["usage"]),
    ] {
        let arguments = [arguments, &["--json"]].concat();
        let output = lanework_lab(&arguments, "en");
        let error = serde_json::from_slice::<Value>(&output.stdout).expect("JSON")["error"].take();
        let kind = error["kind"].as_str().unwrap_or_default();
        assert!(kinds.contains(&kind), "{arguments:?}: {error}");
        assert_eq!(error["exit_code"], output.status.code().expect("no signal"), "{arguments:?}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()));
    }
}

#[test]
fn experiments_are_listed_with_their_commands() {
    let output = lanework_lab(&["experiments", "--device", "emulator", "--json"], "en");
    let rows: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = rows.as_array().expect("a list");
    for id in ["A0", "A8", "A14", "B1", "B9", "C1", "C4", "D4", "E3"] {
        let row = rows.iter().find(|row| row["id"] == id).expect(id);
        assert!(row["command"].as_str().is_some_and(|text| text.starts_with("lanework ")), "{row}");
    }
}

#[test]
fn comparisons_with_a_gpu_need_no_checkout() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanework-lab"));
        command.args(line.split(' ')).current_dir(folder.path()).env("LANEWORK_LANG", "en");
        let output = command.output().expect("the command starts");
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(run("conform --only add.rn").contains("0 different"));
    assert!(run("fidelity --only vector-add").contains("within 1 %"));
    assert!(run("coverage --opcode add").contains("add.u32"));
}

#[test]
fn all_that_is_printed_has_a_translation() {
    // Code and the titles of cited sources are not translated.
    let code = |line: &&str| line.contains(" | ") || line.contains("NVIDIA ");
    let left = |line: &str| {
        let arguments: Vec<&str> = line.split(' ').collect();
        let output = lanework_lab(&arguments, "zh");
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(!said.is_empty(), "{line} prints nothing");
        let lines = said.lines().filter(|line| !code(line) && english::english_in(line));
        lines.map(|english| format!("{line}\n    {english}\n")).collect::<String>()
    };
    let lines = [
        "--help",
        "experiments --help",
        "coverage --help",
        "conform --help",
        "fidelity --help",
        "book --help",
        "coverage",
        "coverage --opcode cvt",
        "experiments",
        "conform --only add.rn.f32",
        "fidelity --only transpose",
        "coverage --opcode none",
        "conform --only none",
        "conform --device cuda:0",
    ];
    let wrong: String = lines.into_iter().map(left).collect();
    assert_eq!(wrong, "");
}

#[test]
fn lines_of_help_fit_in_100_columns() {
    let wide = |c: char| usize::from(!c.is_ascii()) + 1;
    for command in ["conform", "fidelity"] {
        for line in text(&lanework_lab(&[command, "--help"], "zh").stdout).lines() {
            let columns: usize = line.chars().map(wide).sum();
            // A closing mark may exceed the width.
            assert!(columns <= 102, "{columns} columns: {line}");
        }
    }
}

#[test]
fn ptx_is_the_same_in_both_languages() {
    let arguments = ["conform", "--only", "add.rn.f32", "--ptx"];
    let [english, chinese] = ["en", "zh"].map(|language| lanework_lab(&arguments, language).stdout);
    assert!(!english.is_empty() && english == chinese);
}

/// The experiments run the command `lanework`, which a test of this crate does not build.
#[test]
fn the_command_that_experiments_run_has_to_be_built() {
    let here = tempfile::tempdir().expect("a folder");
    let alone = here.path().join("lanework-lab");
    std::fs::copy(Path::new(env!("CARGO_BIN_EXE_lanework-lab")), &alone).expect("copied");
    let mut command = Command::new(alone);
    command.args(["experiments", "--run", "--device", "emulator"]).env("LANEWORK_LANG", "en");
    let output = command.output().expect("the command starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cargo build --release -p lanework-cli"));
}
