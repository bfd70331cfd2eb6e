//! The emulator's counters, against an H200's for the same launches, and in `docs/json.md`.

use lanework::{Counters, Device};
use lanework_lab::{Deviation, Hardware, launch_corpus};
use std::fmt::Write;

#[test]
fn counters_equal_the_hardwares_except_where_explained() {
    let hardware = Hardware::recorded();
    let mut deviations: Vec<Deviation> = Vec::new();
    let (mut counted, mut uncounted) = (0, Vec::new());
    launch_corpus(&Device::emulator(), None, &|_| true, &mut |launched| {
        let counters = launched.profile.expect("the emulator counts").counters;
        deviations.extend(hardware.compare(&launched.name, &counters));
        match hardware.launches.contains_key(&launched.name) {
            true => counted += 1,
            false => uncounted.push(launched.name),
        }
        Ok(())
    })
    .expect("every launch runs");
    assert_eq!(counted, hardware.launches.len(), "a launch on record is not in the corpus");
    // New and changed rungs wait for a GPU; probes and sweeps do not change.
    let probes =
        uncounted.iter().any(|name| name.starts_with("probe/") || name.starts_with("sweep/"));
    assert!(!probes && 50 * uncounted.len() < counted, "not counted by the GPU: {uncounted:?}");
    let far: Vec<&Deviation> = deviations.iter().filter(|one| !one.within_a_hundredth()).collect();
    for one in &far {
        assert!(one.explanation().is_some(), "unexplained: {one:?}");
    }
    let within = 1.0 - far.len() as f64 / deviations.len() as f64;
    assert!(within >= 0.95, "only {:.1} % within 1 %", 100.0 * within);
    assert!(deviations.len() > 3000, "{} counters", deviations.len());
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/json.md");

/// Lines of the page before and after the table.
const MARKS: [&str; 2] = [
    "<!-- made from the table of counters: LANEWORK_BLESS=1 cargo test -p lanework-lab --test it the_page_lists -->\n",
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
