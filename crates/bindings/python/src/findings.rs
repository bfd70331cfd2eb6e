//! Findings as JSON.

use lanework_runtime::Report;
use serde_json::{Value, json};

/// A finding, with its text as a terminal shows it.
pub fn json(report: &Report) -> Value {
    let info = report.kind.info();
    let place = report.location.as_ref();
    json!({
        "kind": info.name,
        "level": info.level.name(),
        "message": report.message,
        "file": place.map(|at| at.file.as_str()),
        "line": report.line(),
        "column": place.map_or(0, |at| at.column),
        "kernel": report.kernel,
        "block": report.block,
        "thread": report.thread,
        "instruction": report.instruction,
        "address": report.address,
        "size": report.size,
        "allocation": report.allocation.as_ref().map(|near| json!({
            "name": near.name, "bytes": near.bytes, "offset": near.offset, "distance": near.distance,
        })),
        "other": report.other.as_ref().map(|other| json!({
            "file": other.location.as_ref().map(|at| at.file.as_str()),
            "line": other.location.as_ref().map_or(other.text_line, |at| at.line),
            "instruction": other.instruction,
            "block": other.block,
            "thread": other.thread,
        })),
        "help": report.help,
        "count": report.count,
        "text": report.to_string(),
    })
}
