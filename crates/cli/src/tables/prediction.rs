//! Predicted times as text.

use lanework::report::Sources;
use lanework::time::predict::{LineLoss, Prediction};
use lanework_terminal::output::duration;
use lanework_terminal::table::{Column, Table, listed, prose, shown};
use serde_json::Value;

/// Lines of a kernel that are listed.
const LISTED: usize = 8;

/// One line: the kernel, its predicted time with the interval, and the limit.
pub fn line(kernel: &str, found: &Value) -> String {
    let ns = |value: &Value| duration(value.as_f64().unwrap_or_default());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    format!(
        "{kernel}: predicted {} ({} to {}) on {}, limited by {}\n",
        ns(&found["predicted_ns"]),
        ns(&found["interval_ns"][0]),
        ns(&found["interval_ns"][1]),
        text(&found["gpu"]),
        text(&found["limiter"]),
    )
}

/// A prediction with the lines that lose most.
pub fn describe(name: &str, found: &Prediction, sources: &Sources) -> String {
    let mut text = line(name, &found.value());
    text.push_str(&listed(
        "  ",
        &format!(
            "{} of {} blocks traced; {} resident blocks per multiprocessor, limited by {}; {:.1} waves",
            found.traced, found.blocks, found.resident.0, found.resident.1, found.waves,
        ),
    ));
    for note in &found.notes {
        text.push_str(&listed("  ", &format!("wider interval: {note}")));
    }
    let all: f64 = found.lines.iter().map(LineLoss::cycles).sum();
    let mut table = Table::new([
        Column::name("line"),
        Column::number("warp cycles").short("cycles").rank(0),
        Column::label("lost to").rank(1),
        Column::text("source").rank(2),
    ]);
    for line in found.lines.iter().take(LISTED) {
        let file = line.file.as_deref();
        let place = match file.and_then(|file| file.rsplit('/').next()) {
            Some(file) => format!("{file}:{}", line.line),
            None => format!("ptx:{}", line.line),
        };
        table.row([
            place,
            format!("{:.1} %", 100.0 * line.cycles() / all.max(1.0)),
            line.reason().name().to_owned(),
            sources.line(file, line.line),
        ]);
    }
    text + &shown(&table) + &prose("Predicted, not measured. Reasons have Nsight Compute's names.")
}
