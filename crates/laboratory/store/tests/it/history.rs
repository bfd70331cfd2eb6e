//! The store preserves runs, points, entries and every sample; filters, deletion, export.

use crate::common::{begin, device, timed};
use lanework_lab::{ComparisonRecord, Verdict};
use lanework_store::{
    Exported, Filter, Format, NewPoint, Outcome, RunCommand, RunId, Shown, Store, StoreError,
    export,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A climb of two rungs, as the laboratory writes it.
fn climb(block: u64) -> Value {
    json!({
        "ladder": "transpose", "device": {"name": "NVIDIA H200"}, "extents": ["rows", "cols"], "size": [70, 45],
        "block": block, "element": "f32", "bytes": 25200, "flops": 0, "seed": 1, "rungs": [
            {"name": "naive", "verified": true, "skipped": null,
             "counters": {"global_load": {"sectors": 10}, "warp_instructions": 7}},
            {"name": "padded", "verified": true, "counters": null, "time": {"median_ns": 1000.0}},
            {"name": "broken", "verified": false, "rejection": "wrong", "error": "wrong: at 3, 4", "counters": null},
        ],
    })
}

/// A store with a sweep of three points, a benchmark and a comparison.
fn filled(folder: &tempfile::TempDir) -> Store {
    let mut store = Store::write(&folder.path().join("h.sqlite")).expect("a store");
    let sweep = begin(&mut store, RunCommand::Sweep, &json!({"a": 1}), 3);
    for position in [0, 2] {
        let times =
            BTreeMap::from([("padded".to_owned(), timed(Some("transpose"), "padded", 1000.0))]);
        let point = NewPoint::of_climb(position, climb(8 + position as u64), times);
        assert!(store.add(sweep, &point).expect("added"));
        assert!(!store.add(sweep, &point).expect("not added twice"));
    }
    let problem = BTreeMap::from([("block".to_owned(), "99".to_owned())]);
    let why = "a block of 99x99, \"too large\"";
    store.add(sweep, &NewPoint::without(1, Outcome::Skipped, why, problem)).expect("added");
    store.finish(sweep).expect("finished");
    let bench = begin(&mut store, RunCommand::Bench, &json!({"a": 2}), 1);
    store.add(bench, &NewPoint::of_timed(0, timed(None, "saxpy", 5000.0))).expect("added");
    store.finish(bench).expect("finished");
    let compare = begin(&mut store, RunCommand::Compare, &json!({"a": 3}), 1);
    let (a, b) = (timed(None, "saxpy", 5000.0), timed(None, "daxpy", 9000.0));
    let comparison = ComparisonRecord {
        a,
        b,
        interleaved: true,
        ratio: 1.8,
        interval: [1.79, 1.81],
        verdict: Verdict::Slow,
        why: "slower".to_owned(),
    };
    store.add(compare, &NewPoint::of_comparison(0, comparison)).expect("added");
    store
}

#[test]
fn a_stored_run_is_read_back_completely() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(filled(&folder));
    let store = Store::read(&folder.path().join("h.sqlite")).expect("a store");
    let run = store.run(RunId(1)).expect("a run");
    assert_eq!((run.kind, run.points, run.points_done), (RunCommand::Sweep, 3, 3));
    assert_eq!((run.device, run.revision.as_deref()), (device(), Some("abc1234+")));
    assert!(run.finished.is_some() && run.started.ends_with('Z'));
    let points = store.points(RunId(1)).expect("points");
    assert_eq!(points.iter().map(|point| point.position).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(points[0].record, climb(8), "the climb as it was given");
    assert_eq!((points[1].outcome, &points[1].record), (Outcome::Skipped, &Value::Null));
    let entries = store.entries(RunId(1)).expect("entries");
    assert_eq!(entries.len(), 6);
    assert_eq!(entries[0].shown, Shown::Counts);
    assert_eq!(entries[1].timed, Some(timed(Some("transpose"), "padded", 1000.0)), "every sample");
    assert_eq!((entries[2].shown, entries[2].verdict.as_str()), (Shown::Nothing, "wrong"));
    let compared = store.entries(RunId(3)).expect("entries");
    let verdicts: Vec<&str> = compared.iter().map(|entry| entry.verdict.as_str()).collect();
    assert_eq!(verdicts, ["verified", "verified", "slow"]);
    assert_eq!(compared[2].record["ratio"], 1.8);
}

#[test]
fn runs_are_filtered_by_all_that_is_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = filled(&folder);
    let ids = |filter: Filter| -> Vec<i64> {
        store.runs(&filter).expect("runs").iter().map(|run| run.id.0).collect()
    };
    let word = |text: &str| Some(text.to_owned());
    assert_eq!(ids(Filter::default()), [1, 2, 3]);
    assert_eq!(ids(Filter { limit: Some(2), ..Filter::default() }), [2, 3], "the newest");
    assert_eq!(ids(Filter { ladder: word("Transpose"), ..Filter::default() }), [1]);
    assert_eq!(ids(Filter { rung: word("padded"), ..Filter::default() }), [1]);
    assert_eq!(ids(Filter { rung: word("saxpy"), ..Filter::default() }), [0i64; 0]);
    assert_eq!(ids(Filter { kernel: word("saxpy"), ..Filter::default() }), [2, 3]);
    assert_eq!(ids(Filter { kernel: word("own.ptx"), ..Filter::default() }), [2, 3]);
    assert_eq!(ids(Filter { gpu: word("h200"), ..Filter::default() }), [1, 2, 3]);
    assert_eq!(
        ids(Filter { gpu: word("%"), ..Filter::default() }),
        [0i64; 0],
        "a name, not a pattern"
    );
    assert_eq!(ids(Filter { revision: word("abc"), ..Filter::default() }), [1, 2, 3]);
    assert_eq!(ids(Filter { revision: word("b"), ..Filter::default() }), [0i64; 0]);
    assert_eq!(ids(Filter { since: word("9999-01-01T00:00:00Z"), ..Filter::default() }), [0i64; 0]);
    assert_eq!(ids(Filter { since: word("2000-01-01T00:00:00Z"), ..Filter::default() }), [1, 2, 3]);
    let verdicts = vec!["SLOW".to_owned(), "wrong".to_owned()];
    assert_eq!(ids(Filter { verdicts, ..Filter::default() }), [1, 3]);
    assert_eq!(ids(Filter { kinds: vec!["bench"], ..Filter::default() }), [2]);
    let both =
        Filter { rung: word("padded"), verdicts: vec!["wrong".to_owned()], ..Filter::default() };
    assert_eq!(ids(both), [0i64; 0], "one entry that is both");
}

#[test]
fn deleted_runs_are_gone_and_their_numbers_are_not_reused() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = filled(&folder);
    let error = store.delete(&[RunId(3), RunId(17)]).expect_err("no such run");
    assert!(matches!(error, StoreError::NoRun { id: 17, .. }), "{error}");
    assert_eq!(store.runs(&Filter::default()).expect("runs").len(), 3, "nothing was deleted");
    store.delete(&[RunId(1), RunId(3)]).expect("deleted");
    assert_eq!(store.runs(&Filter::default()).expect("runs").len(), 1);
    assert!(store.points(RunId(1)).expect("points").is_empty());
    assert!(store.entries(RunId(1)).expect("entries").is_empty());
    assert_eq!(begin(&mut store, RunCommand::Climb, &json!({}), 1), RunId(4));
}

#[test]
fn an_interrupted_run_is_found_by_its_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = Store::write(&folder.path().join("s")).expect("a store");
    let (one, other) = (json!({"size": [1, 2]}), json!({"size": [1, 3]}));
    assert!(store.unfinished(&one).expect("read").is_none());
    let run = begin(&mut store, RunCommand::Sweep, &one, 2);
    store.add(run, &NewPoint::of_climb(1, climb(8), BTreeMap::new())).expect("added");
    let found = store.unfinished(&one).expect("read").expect("a run");
    assert_eq!((found.id, found.points_done, found.points), (run, 1, 2));
    assert!(store.unfinished(&other).expect("read").is_none());
    store.finish(run).expect("finished");
    assert!(store.unfinished(&one).expect("read").is_none());
}

#[test]
fn exports_hold_every_kernel_and_every_sample() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = filled(&folder);
    let runs = [1, 2, 3].map(|id| Exported {
        run: store.run(RunId(id)).expect("a run"),
        points: store.points(RunId(id)).expect("points"),
        entries: store.entries(RunId(id)).expect("entries"),
    });
    let text = |format| export(&runs, format).expect("JSON");
    let rows = |text: &str| -> Vec<BTreeMap<String, String>> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader
            .deserialize()
            .map(|row| row.expect("a row of as many fields as the header"))
            .collect()
    };
    let lines = rows(&text(Format::Csv));
    assert_eq!(lines.len(), 6 + 1 + 1 + 3);
    assert_eq!((lines[0]["load_sectors"].as_str(), lines[0]["median_ns"].as_str()), ("10", ""));
    assert_eq!((lines[1]["load_sectors"].as_str(), lines[1]["median_ns"].as_str()), ("", "1000"));
    assert_eq!(lines[2]["why"], "wrong: at 3, 4");
    let skipped = lines.iter().find(|line| line["verdict"] == "skipped").expect("a line");
    assert_eq!(skipped["why"], "a block of 99x99, \"too large\"");
    let samples = rows(&text(Format::Samples));
    assert_eq!(samples.len(), 5 * 101);
    assert_eq!(samples[0]["ns"].parse(), Ok(timed(None, "", 1000.0).samples[0].ns));
    let json: Value = serde_json::from_str(&text(Format::Json)).expect("JSON");
    assert_eq!(json[0]["entries"][1]["timed"]["samples"].as_array().map(Vec::len), Some(101));
    assert_eq!(json[2]["kind"], "compare");
    let markdown = text(Format::Markdown);
    for words in [
        "## Run 1: sweep",
        "| transpose/padded |",
        "1000.0",
        "| slow: slower |",
        "block=99: skipped",
    ] {
        assert!(markdown.contains(words), "no `{words}` in\n{markdown}");
    }
    let mut columns =
        markdown.lines().filter(|line| line.starts_with('|')).map(|line| line.split(" | ").count());
    assert!(columns.all(|count| count == 8), "{markdown}");
}
