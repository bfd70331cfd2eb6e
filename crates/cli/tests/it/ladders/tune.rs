//! `lanework tune` without a GPU: its list and its refusals. The choice itself is tested in `lab`.

use lanework::tuned::{Choice, Key, Tuned};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn tune(file: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lanework"))
        .arg("tune")
        .args(line.split_whitespace())
        .env("LANEWORK_TUNED", file)
        .env("COLUMNS", "100")
        .output()
        .expect("the command runs")
}

#[test]
fn choices_are_listed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tuned.tsv");
    let output = tune(&file, "--list");
    assert!(output.status.success() && !file.exists());
    assert!(String::from_utf8_lossy(&output.stdout).contains("nothing is tuned yet"));
    let key = Key::new("NVIDIA H200", "580", "transpose", "rows 1024-2047/16, f32");
    Tuned::record(&file, &key, &Choice::new("padded").with("block", 16)).expect("recorded");
    let text = String::from_utf8(tune(&file, "--list").stdout).expect("UTF-8");
    assert!(text.contains("padded, block 16") && text.contains("NVIDIA H200"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let other = folder.path().join("other");
    let json = tune(&other, &format!("--list --json --tuned {}", file.display())).stdout;
    let json: Value = serde_json::from_slice(&json).expect("one JSON value");
    assert_eq!(
        (&json[0]["kernel"], &json[0]["parameters"]["block"]),
        (&"padded".into(), &16.into())
    );
}

#[test]
fn tuning_refuses_invalid_requests_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tuned.tsv");
    for (line, words) in [
        ("transpose --device emulator", "which does not model time"),
        ("transpos --device emulator", "did you mean transpose"),
        ("transpose --rungs paded --device emulator", "did you mean padded"),
        ("", "required"),
        ("transpose --list", "cannot be used with"),
    ] {
        let output = tune(&file, line);
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{line}\n{stderr}");
        assert!(stderr.contains(words), "{line}: no `{words}` in\n{stderr}");
    }
    std::fs::write(&file, "something\n").expect("written");
    let output = tune(&file, "--list");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("is not a file of tuned choices"), "{stderr}");
    assert_eq!(std::fs::read_to_string(&file).expect("read"), "something\n");
}
