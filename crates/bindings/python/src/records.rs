//! Records and findings of a tool: reads the records about this process and its children while they run, and findings as JSON.

use lanework_runtime::Report;
use lanework_runtime::tool::{Findings, Reader, Record};
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

    /// The records since the last call, in JSON: kernels that were launched, findings, faults, notes.
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

/// A finding, with its text as a terminal shows it.
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
