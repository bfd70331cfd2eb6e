//! Reads the records of a tool about this process and its children while they run.

use crate::findings;
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
                    found.extend(reports.iter().map(findings::json));
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
