//! Stored runs: `--save`, `history`, and resumed sweeps.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A separate store for each test.
struct Lab(tempfile::TempDir);

impl Lab {
    fn new() -> Lab {
        Lab(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("h.sqlite")
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanework"));
        command
            .args(line.split_whitespace())
            .env("LANEWORK_STORE", self.file())
            .env("COLUMNS", "100");
        command
    }

    fn run(&self, line: &str) -> Output {
        self.command(line).output().expect("the command runs")
    }

    /// Standard output of a command that must succeed, and standard error.
    fn succeeds(&self, line: &str) -> (String, String) {
        let output = self.run(line);
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(output.status.success(), "{line}\n{stdout}\n{stderr}");
        (stdout, stderr)
    }

    fn json(&self, line: &str) -> Value {
        serde_json::from_str(&self.succeeds(line).0).expect("one JSON value")
    }

    /// Standard error of a command that must end with 2, free of panics.
    fn refused(&self, line: &str) -> String {
        let output = self.run(line);
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{line}\n{stderr}");
        assert!(stderr.contains("= help: ") && !stderr.contains("bug"), "{line}\n{stderr}");
        stderr
    }
}

const SWEEP: &str =
    "sweep transpose --device emulator --rungs naive,padded --size 33..65+16 --block 8,16";

#[test]
fn results_are_stored_only_on_request() {
    let lab = Lab::new();
    lab.succeeds("climb transpose --size 33 --device emulator");
    lab.succeeds(SWEEP);
    assert!(!lab.file().exists());
    let error = lab.refused("history");
    assert!(error.contains("there is no store at") && error.contains("--save"), "{error}");
    assert!(!lab.file().exists());
}

#[test]
fn a_climb_is_stored_listed_shown_exported_and_deleted() {
    let lab = Lab::new();
    let (_, said) = lab.succeeds("climb transpose --size 33 --device emulator --save");
    assert!(said.contains("stored as run 1 in"), "{said}");
    lab.succeeds("climb vector-add --size 1000 --device emulator --save");
    let runs = lab.json("history --json");
    assert_eq!(runs.as_array().map(Vec::len), Some(2));
    assert_eq!((&runs[0]["id"], &runs[0]["kind"]), (&1.into(), &"climb".into()));
    let ids = |filter: &str| -> Vec<i64> {
        let runs = lab.json(&format!("history --json {filter}"));
        runs.as_array().expect("runs").iter().filter_map(|run| run["id"].as_i64()).collect()
    };
    assert_eq!(ids("--ladder transpose"), [1]);
    assert_eq!(ids("--rung transpose/padded"), [1]);
    assert_eq!(ids("--gpu emulator --since 1d --verdict verified"), [1, 2]);
    assert_eq!(ids("--last 1"), [2]);
    assert_eq!(ids("--verdict wrong,slow"), [0i64; 0]);
    assert_eq!(ids("--command sweep"), [0i64; 0]);
    let (list, _) = lab.succeeds("history");
    for words in ["climb", "transpose", "vector-add", "verified", "Lanework emulator"] {
        assert!(list.contains(words), "no {words} in\n{list}");
    }
    assert!(list.lines().all(|line| line.chars().count() <= 100), "{list}");
    let (shown, _) = lab.succeeds("history show 1");
    for words in ["lanework climb transpose --size 33", "padded", "33x33", "sectors/pair"] {
        assert!(shown.contains(words), "no {words} in\n{shown}");
    }
    let whole = lab.json("history show 1 --json");
    assert!(whole[0]["entries"][0]["record"]["counters"]["global_load"]["sectors"].is_u64());
    let (csv, _) = lab.succeeds("history export");
    assert!(csv.starts_with("run,command,started,gpu,") && csv.ends_with("\r\n"), "{csv}");
    let file = lab.0.path().join("out.md");
    lab.succeeds(&format!("history export 2 --format markdown --output {}", file.display()));
    let markdown = std::fs::read_to_string(file).expect("written");
    assert!(markdown.contains("## Run 2: climb") && !markdown.contains("transpose"), "{markdown}");
    lab.succeeds("history delete 1");
    assert_eq!(ids(""), [2]);
    assert!(lab.refused("history show 1").contains("has no run 1"));
}

#[test]
fn meaningless_history_requests_are_refused() {
    let lab = Lab::new();
    lab.succeeds("climb vector-add --size 100 --device emulator --save");
    for (line, words) in [
        ("history delete", "no run is given"),
        ("history show", "no run is given"),
        ("history list 3", "takes no run numbers"),
        ("history show 1 --ladder x", "with run numbers"),
        ("history --since yesterday", "is not a time"),
        ("history --verdict good", "no verdict is called `good`"),
        ("history --command run", "no command that stores is called `run`"),
        ("history --output x", "--output is for exports"),
        ("history delete 7", "has no run 7"),
        ("history --store /no/such/file", "there is no store at /no/such/file"),
        ("climb vector-add --size 9 --device emulator --store /proc/none", "cannot be opened"),
        (
            "climb vector-add --size 9 --device emulator --store /etc/passwd",
            "not a store of Lanework",
        ),
    ] {
        let error = lab.refused(line);
        assert!(error.contains(words), "{line}: no `{words}` in\n{error}");
    }
    let error: Value =
        serde_json::from_slice(&lab.run("history show 9 --json").stdout).expect("JSON");
    assert_eq!(error["error"]["exit_code"], 2);
}

#[test]
fn a_sweep_takes_ranges_and_types_and_shows_what_is_impossible() {
    let lab = Lab::new();
    let line = "sweep transpose --device emulator --rungs naive,padded --size 16..64*2 --block 8,99 --type f32,u8";
    let record = lab.json(&format!("{line} --json"));
    let points = record["points"].as_array().expect("points");
    let of = |point: &Value| (point["element"].clone(), point["size"][0].clone());
    let found: Vec<_> = points.iter().map(of).collect();
    let expected =
        ["f32", "u8"].map(|element| [16, 32, 64].map(|size| (element.into(), size.into())));
    assert_eq!(found, expected.concat());
    let skipped = record["skipped"].as_array().expect("points");
    assert_eq!(skipped.len(), 6);
    assert_eq!(
        (&skipped[0]["problem"]["block"], &skipped[0]["outcome"]),
        (&"99".into(), &"skipped".into())
    );
    assert!(
        skipped[0]["why"].as_str().is_some_and(|why| why.contains("9801 threads")),
        "{skipped:?}"
    );
    let (table, _) = lab.succeeds(line);
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    assert!(table.contains("block 99") && table.contains("9801 threads"), "{table}");
    for (line, words) in [
        ("sweep transpose --device emulator --block 99,77", "9801 threads"),
        ("sweep transpose --device emulator --type f32,f33", "did you mean f32"),
        ("sweep transpose --device emulator --m 3", "takes no --m"),
        ("sweep transpose --device emulator --resume", "no interrupted run of this sweep"),
    ] {
        let error = lab.refused(line);
        assert!(error.contains(words), "{line}: no `{words}` in\n{error}");
    }
    let output = lab.run("sweep transpose --size 8..1*2");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("begins above its end"));
}

/// Points of the newest run in the store.
fn points_in(lab: &Lab) -> u64 {
    if !lab.file().exists() {
        return 0;
    }
    let output = lab.run("history --json --last 1");
    let runs: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    runs[0]["points_done"].as_u64().unwrap_or(0)
}

#[test]
fn an_interrupted_sweep_resumes_where_it_stopped() {
    let lab = Lab::new();
    let whole = lab.json(&format!("{SWEEP} --json"));
    let mut child = lab
        .command(&format!("{SWEEP} --save"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process");
    // The run is killed once a point is stored, unless it ends before the test sees the point.
    while points_in(&lab) == 0 && child.try_wait().expect("a state").is_none() {}
    child.kill().expect("killed");
    child.wait().expect("an end");
    // The sweep may have stored its end before it was killed.
    unfinish(&lab.file());
    let before = points_in(&lab);
    let (_, said) = lab.succeeds("history");
    assert!(said.is_empty() && before >= 1);
    let resumed = lab.run(&format!("{SWEEP} --resume --json"));
    let said = String::from_utf8_lossy(&resumed.stderr).into_owned();
    assert!(resumed.status.success(), "{said}");
    assert!(said.contains(&format!("resuming run 1: {before} of 6 points done")), "{said}");
    let mut resumed: Value = serde_json::from_slice(&resumed.stdout).expect("JSON");
    assert_eq!(resumed["run"], 1);
    let mut whole = whole;
    // Times of the host differ from run to run.
    for record in [&mut whole, &mut resumed] {
        record["run"] = Value::Null;
        for point in record["points"].as_array_mut().expect("points") {
            point["host"] = Value::Null;
            for rung in point["rungs"].as_array_mut().expect("rungs") {
                rung["figures"] = Value::Null;
            }
        }
    }
    assert_eq!(resumed, whole, "as if it had not been interrupted");
    assert!(lab.refused(&format!("{SWEEP} --resume")).contains("no interrupted run"));
}

#[test]
fn repeating_an_interrupted_sweep_suggests_resume() {
    let lab = Lab::new();
    lab.succeeds(&format!("{SWEEP} --save"));
    unfinish(&lab.file());
    let (_, said) = lab.succeeds(&format!("{SWEEP} --save"));
    assert!(
        said.contains("run 1 of the same sweep is incomplete, 6 of 6 points done: --resume"),
        "{said}"
    );
    assert!(said.contains("stored as run 2"), "{said}");
    let (_, said) = lab.succeeds(&format!("{SWEEP} --save --seed 2"));
    assert!(!said.contains("--resume"), "another sweep: {said}");
}

/// Makes the newest run one that was interrupted before its end was written.
fn unfinish(file: &Path) {
    let connection = rusqlite::Connection::open(file).expect("SQLite");
    let sql = "UPDATE run SET finished = NULL WHERE id = (SELECT max(id) FROM run)";
    assert_eq!(connection.execute(sql, []), Ok(1));
}

#[test]
fn a_benchmark_on_the_emulator_is_stored_as_counts() {
    let lab = Lab::new();
    lab.succeeds("bench transpose/padded --size 33 --device emulator --save");
    let run = lab.json("history show 1 --json");
    assert_eq!(
        (&run[0]["kind"], &run[0]["entries"][0]["shown"]),
        (&"bench".into(), &"counts".into())
    );
    let error = lab.refused("compare 1 1");
    assert!(error.contains("run 1 has no times to compare"), "{error}");
    let kernel = lab.0.path().join("k.ptx");
    let text = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n";
    std::fs::write(&kernel, text).expect("written");
    lab.succeeds(&format!(
        "bench {} --grid 1 --block 32 --device emulator --save",
        kernel.display()
    ));
    let runs = lab.json("history --kernel k --json");
    assert_eq!(runs[0]["id"], 2);
    let (list, _) = lab.succeeds("history show 2");
    assert!(list.contains("unverified"), "{list}");
}
