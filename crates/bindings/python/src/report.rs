//! Results of a tool and of a launch: the records about this process and its children, read while they run; findings as
//! JSON; and drawings of a warp's accesses at the most expensive lines, with remarks on element sizes.

use crate::memory::{Array, Copies, Regions};
use lanework_report::ProfileRecord;
use lanework_runtime::emulator::{Blocks, Keep, Space, TraceConfig, TracedAccess};
use lanework_runtime::report::pictures::{Picture, svg};
use lanework_runtime::report::{Sources, choose, first_of_each};
use lanework_runtime::tool::{Findings, Reader, Record};
use lanework_runtime::{PtxArg, PtxModule, PtxShape, Report, Result};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Mutex;

/// The records of a folder.
#[pyclass(frozen)]
pub struct Records(Mutex<Reader>);

#[pymethods]
impl Records {
    #[new]
    fn new(folder: PathBuf) -> Records {
        Records(Mutex::new(Reader::new(&folder)))
    }

    /// Returns the records since the last call as JSON: launched kernels, findings, faults and notes.
    fn news(&self, py: Python<'_>) -> PyResult<String> {
        let records = py
            .detach(|| self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).news())
            .map_err(PyOSError::new_err)?;
        let mut kernels: Vec<String> = Vec::new();
        let (mut found, mut stopped, mut notes) = (Vec::<Value>::new(), Vec::new(), Vec::new());
        let mut launches = 0;
        for record in records {
            match record {
                Record::Launch(launch) => {
                    launches += 1;
                    if !kernels.contains(&launch.kernel) {
                        kernels.push(launch.kernel);
                    }
                }
                Record::Findings(one) => {
                    let Findings { kernel, found: reports, stopped: fault, .. } = *one;
                    found.extend(reports.iter().map(findings_json));
                    stopped.extend(fault.map(|fault| format!("{kernel}: {fault}")));
                }
                Record::Note(note) => notes.push(note),
                _ => {}
            }
        }
        let news = json!({
            "launches": launches, "kernels": kernels, "findings": found, "stopped": stopped, "notes": notes,
        });
        Ok(news.to_string())
    }
}

/// Converts a finding to JSON, with its text as a terminal shows it.
pub fn findings_json(report: &Report) -> Value {
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

/// Maximum number of drawn lines.
const DRAWN: usize = 4;
/// Maximum number of records of a trace.
const MOST: usize = 1 << 18;

/// Drawings of the first block's accesses, and notes on them.
#[derive(Default)]
pub struct Drawings {
    pub drawings: Vec<String>,
    pub notes: Vec<String>,
}

/// Draws the accesses of the first block, which runs again on the arrays as they were before the launch.
///
/// # Errors
/// If the launch fails.
pub fn draw(
    module: &PtxModule,
    entry: &str,
    shape: PtxShape,
    arguments: &[PtxArg<'_>],
    record: &ProfileRecord,
    memory: (&Regions, &Copies, &[&Array]),
    text: &str,
) -> Result<Drawings> {
    let mut lines: Vec<_> = record.lines.iter().collect();
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    let choices = lines.iter().filter_map(|line| choose(record, Some(line.line)).ok());
    let mut choices: Vec<_> = choices.collect();
    choices.dedup();
    choices.truncate(DRAWN);
    let instructions: Vec<u32> =
        choices.iter().flat_map(|choice| choice.instructions.clone()).collect();
    let wanted =
        TraceConfig { steps: true, accesses: Keep::Of(instructions), most: MOST, only: Some(0..1) };
    let blocks = match shape.cooperative || module.blocks_may_wait(entry) {
        true => Blocks::All,
        false => Blocks::Range { first: 0, count: 1 },
    };
    let trace = module.trace(entry, shape, arguments, blocks, wanted)?;
    let touches = first_of_each(&trace.touches, 0);
    let sources = Sources::default();
    sources.insert_ptx(text);
    let mut seen = Drawings { notes: sizes(&touches, memory), ..Drawings::default() };
    for choice in choices {
        let of_line =
            |touch: &&TracedAccess| choice.instructions.contains(&touch.place.instruction);
        let touches: Vec<TracedAccess> = touches.iter().filter(of_line).cloned().collect();
        if touches.is_empty() {
            continue;
        }
        let place = match choice.file.as_deref() {
            Some(file) => format!("{file}:{}", choice.line),
            None => format!("PTX line {}", choice.line),
        };
        let source = sources.line(choice.file.as_deref(), choice.line);
        seen.drawings.push(svg(&Picture {
            title: format!("{entry}, block 0, warp 0"),
            code: format!("{place}  {source}"),
            touches,
            warp: 0,
            instructions: choice.instructions,
            steps: trace.steps.clone(),
        }));
    }
    Ok(seen)
}

/// Notes arrays whose elements are wider than the kernel's accesses, often a sign of a wrong element type.
fn sizes(
    touches: &[TracedAccess],
    (regions, copies, arrays): (&Regions, &Copies, &[&Array]),
) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for touch in touches.iter().filter(|touch| touch.space == Space::Global && touch.mask != 0) {
        let address = touch.addresses[touch.mask.trailing_zeros() as usize];
        let Some(index) = regions.array_at(copies, arrays, address) else { continue };
        let array = arrays[index];
        if array.item > 1 && array.item <= 16 && (touch.bytes as usize) < array.item {
            let note = format!(
                "{} has elements of {} bytes, and the kernel accesses {} bytes of it at a time: is its dtype the kernel's?",
                array.name, array.item, touch.bytes
            );
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}
