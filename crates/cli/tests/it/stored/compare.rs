//! `lanework compare` of stored runs: verdicts and exit codes, on samples with known answers.

#[path = "../../../../laboratory/store/tests/it/common/mod.rs"]
mod common;

use common::{device, timed};
use lanework_lab::TimedRecord;
use lanework_store::{NewPoint, NewRun, RunCommand, RunId, Store};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};

struct Lab(tempfile::TempDir);

impl Lab {
    fn new() -> Lab {
        Lab(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("h.sqlite")
    }

    /// Stores a run of these kernels.
    fn store(&self, revision: &str, records: impl IntoIterator<Item = TimedRecord>) -> RunId {
        let mut store = Store::write(&self.file()).expect("a store");
        let command = ["bench".to_owned()];
        let (request, device, revision) = (json!(null), device(), Some(revision));
        let plan = NewRun {
            kind: RunCommand::Bench,
            command: &command,
            request: &request,
            points: 1,
            device: &device,
            revision,
        };
        let run = store.begin(&plan).expect("a run");
        for (position, record) in records.into_iter().enumerate() {
            store.add(run, &NewPoint::of_timed(position, record)).expect("added");
        }
        store.finish(run).expect("finished");
        run
    }

    fn compare(&self, line: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_lanework"))
            .arg("compare")
            .args(line.split_whitespace())
            .env("LANEWORK_STORE", self.file())
            .env("COLUMNS", "100")
            .output()
            .expect("the command runs")
    }

    /// Standard output and error of a comparison that ends with `code`.
    fn ends(&self, code: i32, line: &str) -> (String, String) {
        let output = self.compare(line);
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert_eq!(output.status.code(), Some(code), "{line}\n{stdout}\n{stderr}");
        (stdout, stderr)
    }
}

fn padded(ns: f64) -> TimedRecord {
    timed(Some("transpose"), "padded", ns)
}

#[test]
fn a_regression_has_exit_code_3_and_an_ambiguous_result_0() {
    let lab = Lab::new();
    for (revision, ns) in
        [("aaa1", 10_000.0), ("bbb2", 10_000.0), ("ccc3", 10_300.0), ("ddd4", 9_000.0)]
    {
        lab.store(revision, [padded(ns), timed(None, "saxpy", 5_000.0)]);
    }
    let (same, _) = lab.ends(0, "1 2");
    assert!(same.matches("AMBIGUOUS").count() == 2 && same.contains("+0.00 %"), "{same}");
    assert!(same.lines().all(|line| line.chars().count() <= 100), "{same}");
    let (slow, said) = lab.ends(3, "1 3");
    assert!(slow.contains("SLOW") && slow.contains("+3.00 %"), "{slow}");
    assert!(said.contains("1 kernels are slower") && said.contains("transpose/padded"), "{said}");
    let (fast, _) = lab.ends(0, "1 4");
    assert!(fast.contains("FAST") && fast.contains("-10.00 %"), "{fast}");
    lab.ends(3, "4 1");
    lab.ends(0, "3 1");
    lab.ends(3, "--revision aaa ccc");
    lab.ends(0, "saxpy --revision aaa ccc");
    lab.ends(3, "transpose --revision bbb2 ccc3");
    lab.ends(0, "--last");
    lab.store("eee5", [padded(9_500.0)]);
    lab.ends(3, "--last");
    lab.ends(3, "transpose/padded --last");
    let (json, _) = lab.ends(3, "1 3 --json");
    let json: Value = serde_json::from_str(&json).expect("one JSON value");
    assert_eq!(json[0]["verdict"], "ambiguous");
    assert_eq!(json[1]["verdict"], "slow");
    assert_eq!(json[1]["a"]["samples"].as_array().map(Vec::len), Some(101));
}

#[test]
fn incomparable_runs_are_refused_or_give_a_warning() {
    let lab = Lab::new();
    lab.store("a", [padded(1000.0)]);
    let with = |change: &dyn Fn(&mut TimedRecord)| {
        let mut record = padded(1000.0);
        change(&mut record);
        record
    };
    lab.store("b", [with(&|record| record.device.name = "Other GPU".to_owned())]);
    lab.store("c", [with(&|record| record.protocol += 1)]);
    lab.store("d", [with(&|record| record.device.driver = "999".to_owned())]);
    lab.store(
        "e",
        [with(&|record| drop(record.problem.insert("rows".to_owned(), "7".to_owned())))],
    );
    lab.store("f", []);
    lab.store("g", [with(&|record| record.invalid = Some("under the floor".to_owned()))]);
    // At half the clock everything takes twice as long: a fact about the clock, not about the kernel.
    lab.store(
        "h",
        [with(&|record| {
            let slow = padded(2000.0);
            (record.samples, record.summary) = (slow.samples, slow.summary);
            record.samples.iter_mut().for_each(|sample| sample.sm_mhz = Some(990));
        })],
    );
    for (line, words) in [
        ("1 2", "the GPUs differ: NVIDIA H200 and Other GPU"),
        ("1 3", "the measurement protocols differ"),
        ("1 5", "have no kernel on the same problem"),
        ("1 6", "run 6 has no times to compare"),
        ("1 99", "has no run 99"),
        ("1 2 --size 3", "stored runs are not run again"),
        ("1 2 --save", "nothing is run"),
        ("--revision a zzz", "revision zzz has no times"),
        ("nothing --last", "no two runs that timed the same kernel"),
        ("1 2 --store /no/such/store", "there is no store at"),
    ] {
        let (_, error) = lab.ends(2, line);
        assert!(
            error.contains(words) && error.contains("help"),
            "{line}: no `{words}` in\n{error}"
        );
    }
    let (text, _) = lab.ends(0, "1 4");
    assert!(text.contains("warning: the drivers differ: 580.65 and 999"), "{text}");
    let (text, error) = lab.ends(1, "1 7");
    assert!(text.contains("INVALID") && error.contains("under the floor"), "{text}{error}");
    let (text, _) = lab.ends(0, "1 8");
    assert!(text.contains("AMBIGUOUS") && text.contains("clocks"), "{text}");
}

#[test]
fn kernels_of_only_one_run_are_listed() {
    let lab = Lab::new();
    lab.store("a", [padded(1000.0), timed(None, "saxpy", 10.0)]);
    lab.store("b", [padded(1000.0), timed(None, "daxpy", 10.0)]);
    let (text, _) = lab.ends(0, "1 2");
    assert!(text.contains("only in run 1: saxpy"), "{text}");
    assert!(text.contains("only in run 2: daxpy"), "{text}");
}
