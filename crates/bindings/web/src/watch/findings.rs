//! Findings of checks and faults as JSON, with their lines in the source.

use crate::compiled::NAME;
use lanework_emulator::sanitize::{Report, readable_name};
use lanework_emulator::{Fault, SourceLocation};
use serde_json::{Value, json};

/// The first source line among a place and the calls around it. A place in a built-in header has no source line.
fn line_of(location: Option<&SourceLocation>, callers: &[SourceLocation]) -> (u32, u32) {
    let places = location.into_iter().chain(callers);
    places.filter(|at| at.file == NAME).map(|at| (at.line, at.column)).next().unwrap_or((0, 0))
}

/// A finding as JSON.
pub fn report_json(report: &Report) -> Value {
    let info = report.kind.info();
    let (line, column) = line_of(report.location.as_ref(), &report.callers);
    let other = report.other.as_ref().map(|other| {
        let (line, column) = line_of(other.location.as_ref(), &other.callers);
        json!({
            "line": line,
            "column": column,
            "instruction": other.instruction,
            "block": other.block,
            "thread": other.thread,
        })
    });
    json!({
        "kind": report.kind.name(),
        "level": info.level.name(),
        "what": info.what,
        "message": report.message,
        "help": if report.help.is_empty() { info.help } else { &report.help },
        "line": line,
        "column": column,
        "kernel": readable_name(&report.kernel),
        "block": report.block,
        "thread": report.thread,
        "instruction": report.instruction,
        "count": report.count,
        "allocation": report.allocation.as_ref().map(|near| near.name.clone()),
        "allocated": report.allocated,
        "other": other,
    })
}

/// A fault as JSON.
pub fn fault_json(fault: &Fault) -> Value {
    let (line, column) = line_of(fault.location.as_ref(), &fault.callers);
    json!({
        "message": fault.message,
        "help": fault.help,
        "line": line,
        "column": column,
        "kernel": readable_name(&fault.kernel),
        "block": fault.block,
        "thread": fault.thread,
        "instruction": fault.instruction,
        "limit": matches!(
            fault.kind,
            lanework_emulator::FaultKind::InstructionLimit | lanework_emulator::FaultKind::TimeLimit
        ),
    })
}
