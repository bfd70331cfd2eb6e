//! Checks the documentation page: its task is read and judged, and its table lists every kind of reason.

use lanework_judge::{Found, KINDS, Options, Submission, Task, Unjudged, judge};
use std::fs;
use std::path::Path;

fn page(language: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/src");
    fs::read_to_string(docs.join(language).join("judge.md")).expect("the page")
}

#[test]
fn the_task_of_the_page_is_judged() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let ptx = fs::read_to_string(tests.join("ptx/honest/saxpy_naive.ptx")).expect("a kernel");
    for language in ["en", "zh"] {
        let page = page(language);
        let task = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next());
        let task = Task::read(Path::new("page.toml"), task.expect("a task"));
        let task = task.unwrap_or_else(|error| panic!("{error}"));
        let given =
            Submission { name: "saxpy.ptx".to_owned(), source: None, ptx: Some(ptx.clone()) };
        let options = Options { seed: 1, timed: true, gpu: None };
        let none = |_: &Submission, _: &Task| {
            Err(Unjudged::Failed("no compiler is needed".to_owned(), String::new()))
        };
        let verdict = judge(&task, &given, &options, &none, &mut |_| {}).expect("a verdict");
        assert_eq!(verdict.verdict, Found::Right, "{}", verdict.words());
    }
}

#[test]
fn the_page_lists_every_kind_and_every_cheat() {
    let cheats = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cheats");
    for language in ["en", "zh"] {
        let page = page(language);
        for (kind, _) in KINDS {
            assert!(page.contains(&format!("`{kind}`")), "{language} lacks `{kind}`");
        }
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        let named = rows.filter_map(|row| row.split('|').nth(3)).flat_map(|cell| cell.split('`'));
        let is_name = |word: &&str| {
            word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        };
        for name in named.filter(is_name) {
            assert!(cheats.join(format!("{name}.cu")).exists(), "{language}: no cheat `{name}`");
        }
    }
}
