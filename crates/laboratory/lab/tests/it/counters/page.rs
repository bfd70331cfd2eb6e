//! `docs/json.md` lists the counters of the emulator's table.

use lanework::Counters;
use std::fmt::Write;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/json.md");
/// Lines of the page before and after the table.
const MARKS: [&str; 2] = [
    "<!-- made from the table of counters: LANEWORK_BLESS=1 cargo test -p lanework-lab --test it counters::page -->\n",
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
    let (_, after) = rest.split_once(MARKS[1]).expect("where the table ends");
    lanework_testing::expect_file(PAGE, &[before, MARKS[0], &table(), MARKS[1], after].concat());
}
