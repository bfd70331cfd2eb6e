//! `docs/json.md` lists the counters as the emulator's table has them.

use lanework::Counters;
use std::fmt::Write;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/json.md");
/// Where the table of the page begins and ends.
const MARKS: [&str; 2] = [
    "<!-- made from the table of counters: BLESS=1 cargo test -p lanework-lab --test counters -->\n",
    "<!-- end -->\n",
];

/// The table of the page.
fn table() -> String {
    let mut text = "| counter | unit | is | in Nsight Compute (`.sum`) |\n\
                    | --- | --- | --- | --- |\n"
        .to_owned();
    for (counter, _) in Counters::default().each() {
        let metrics: Vec<String> =
            counter.metrics().iter().map(|metric| format!("`{metric}`")).collect();
        let (path, row) = (counter.path(), counter.row);
        let _ = writeln!(
            text,
            "| `{path}` | {} | {} | {} |",
            row.unit,
            row.doc.trim_end_matches('.'),
            metrics.join(" + ")
        );
    }
    text
}

#[test]
fn the_page_lists_the_counters_of_the_table() {
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let (before, rest) = page.split_once(MARKS[0]).expect("where the table begins");
    let (there, after) = rest.split_once(MARKS[1]).expect("where the table ends");
    let made = table();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(PAGE, [before, MARKS[0], &made, MARKS[1], after].concat()).expect("written");
        return;
    }
    assert!(there == made, "the counters of docs/json.md are out of date: run with BLESS=1");
}
