//! Writers in several processes, and writers that are killed: no committed data is lost.
//!
//! The writers are this test binary, restarted for one test, [`writer`], with the file in a variable.

use crate::common::{begin, timed};
use lanework_store::{Filter, NewPoint, RunCommand, RunId, Store};
use serde_json::json;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Names the file to write to, and the number of points to add.
const FILE: &str = "STORE_TEST_FILE";
const POINTS: &str = "STORE_TEST_POINTS";

/// The child process: adds points to its own run and prints each one that is committed.
#[test]
fn writer() {
    let Ok(file) = std::env::var(FILE) else { return };
    let points: usize = std::env::var(POINTS).expect("points").parse().expect("a number");
    let mut store = Store::write(Path::new(&file)).expect("a store");
    let run = begin(&mut store, RunCommand::Sweep, &json!({"process": std::process::id()}), points);
    println!("\nrun {run}");
    for position in 0..points {
        let point = NewPoint::of_timed(position, timed(None, "saxpy", 1000.0 + position as f64));
        assert!(store.add(run, &point).expect("added"));
        println!("in {run} {position}");
        std::io::stdout().flush().expect("a pipe");
    }
    store.finish(run).expect("finished");
    println!("finished {run}");
}

fn start(file: &Path, points: usize) -> Child {
    Command::new(std::env::current_exe().expect("this test"))
        .args(["--exact", "processes::writer", "--nocapture", "--test-threads", "1"])
        .env(FILE, file)
        .env(POINTS, points.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process")
}

#[test]
fn writers_of_several_processes_take_turns() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s");
    let children: Vec<Child> = (0..6).map(|_| start(&file, 15)).collect();
    for child in children {
        let output = child.wait_with_output().expect("an end");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let store = Store::read(&file).expect("a store");
    let runs = store.runs(&Filter::default()).expect("runs");
    assert_eq!(runs.len(), 6);
    for run in runs {
        assert!(run.finished.is_some() && run.points_done == 15, "{run:?}");
        for (position, entry) in store.entries(run.id).expect("entries").iter().enumerate() {
            assert!(entry.timed == Some(timed(None, "saxpy", 1000.0 + position as f64)));
        }
    }
}

#[test]
fn a_killed_writer_loses_nothing_that_was_committed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("s");
    let mut said = Vec::new();
    for round in 0..40usize {
        let mut child = start(&file, 1_000_000);
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        // Kill after a different number of points each time, including 0.
        for line in lines.by_ref() {
            let line = line.expect("a line");
            let words: Vec<&str> = line.split(' ').collect();
            let number = |at: usize| words[at].parse::<i64>().expect("a number");
            match words[0] {
                "run" => said.push((RunId(number(1)), 0)),
                "in" => said.last_mut().expect("a run").1 = number(2) as usize + 1,
                _ => {}
            }
            if said.len() > round && said[round].1 >= round * 7 % 11 {
                break;
            }
        }
        // SIGKILL, wherever the writer is.
        child.kill().expect("killed");
        child.wait().expect("an end");
        // The points that it printed before it was killed.
        for line in lines.map_while(Result::ok) {
            if let Some(position) = line.strip_prefix("in ").and_then(|rest| rest.split(' ').nth(1))
            {
                // The last line may be truncated.
                let position: usize = position.parse().unwrap_or(0);
                said[round].1 = said[round].1.max(position + 1);
            }
        }
    }
    let store = Store::read(&file).expect("a store");
    let runs = store.runs(&Filter::default()).expect("runs");
    assert_eq!(runs.len(), said.len());
    for ((run, count), row) in said.iter().zip(&runs) {
        assert_eq!((row.id, row.finished.as_ref()), (*run, None));
        let entries = store.entries(*run).expect("whole records");
        assert!(entries.len() >= *count, "run {run}: {} of {count} points", entries.len());
        assert_eq!(
            entries.len(),
            row.points_done,
            "a point is there with its kernel or not at all"
        );
        for (position, entry) in entries.iter().enumerate() {
            assert!(entry.timed == Some(timed(None, "saxpy", 1000.0 + position as f64)));
        }
    }
}
