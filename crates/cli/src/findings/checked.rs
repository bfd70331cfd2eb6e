//! The outcome of a check: its findings, how they are shown, and what they amount to.

use crate::findings::sarif::sarif;
use crate::findings::{Finding, describe, fold, json};
use crate::program::Ended;
use lanework::emulator::Fault;
use lanework::report::verdict;
use lanework::tool::{Findings, Record};
use lanework::{Device, Error, Report};
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, print_json, write};
use lanework_terminal::stopped::ErrorJson;
use std::path::Path;

/// The outcome of a check.
#[derive(Default)]
pub struct Checked {
    /// The kernels, as the user names them.
    names: Vec<String>,
    findings: Vec<Finding>,
    /// Kernels that could not be checked to their end, and why.
    stopped: Vec<String>,
    /// The first of these reasons.
    error: Option<ErrorJson>,
}

impl Checked {
    /// The outcome of the launches of a program.
    pub fn of(program: &Ended) -> Checked {
        let mut checked = Checked { names: program.kernels(), ..Checked::default() };
        for process in &program.processes {
            for record in process {
                let Record::Findings(one) = record else { continue };
                let Findings { kernel, module, found, stopped } = &**one;
                let text = Ended::module(process, *module).map(|text| ("PTX", text));
                checked.found(kernel, found, text);
                stopped.iter().for_each(|fault| checked.stopped_by(kernel, fault));
            }
        }
        checked
    }

    fn found(&mut self, name: &str, reports: &[Report], text: Option<(&str, &str)>) {
        let found = reports.iter().map(|report| Finding::new(report.clone(), name, text));
        self.findings.extend(found);
    }

    fn stopped_by(&mut self, name: &str, fault: &Fault) {
        let said = format!("{name}: {fault}");
        if !self.stopped.contains(&said) {
            self.stopped.push(said);
        }
        self.error.get_or_insert_with(|| ErrorJson::of_fault(fault));
    }

    /// Adds the outcome of one kernel; `text` is the name and the text of its PTX file.
    ///
    /// # Errors
    /// Errors that are neither a finding nor a fault of the kernel.
    pub fn add(
        &mut self,
        name: &str,
        result: Result<(), Error>,
        text: Option<(&str, &str)>,
    ) -> Outcome {
        self.names.push(name.to_owned());
        match result {
            Ok(()) => {}
            Err(Error::Sanitizer(reports)) => {
                self.found(name, &reports, text);
                reports.stopped.iter().for_each(|fault| self.stopped_by(name, fault));
            }
            Err(error) if error.is_kernel_fault() => {
                self.stopped.push(format!("{name}: {error}"));
                self.error.get_or_insert_with(|| ErrorJson::of(&error));
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    /// Adds the memory that is still allocated at the end.
    pub fn leaks(&mut self, device: &Device) {
        let leaks = device.leaks().into_iter();
        self.findings.extend(leaks.map(|report: Report| Finding::new(report, "", None)));
    }

    /// Shows the findings, and writes them to a file as SARIF.
    ///
    /// # Errors
    /// If there are any.
    pub fn show(self, file: Option<&Path>, as_json: bool, program: Option<&Ended>) -> Outcome {
        let findings = fold(self.findings);
        if let Some(path) = file {
            let text = serde_json::to_string_pretty(&sarif(&findings)).map_err(|error| {
                Failure::Check(format!("the findings cannot be written as JSON: {error}"))
            })?;
            write(path, &(text + "\n"))?;
        }
        if as_json {
            let error = self.error.as_ref();
            let found = json(&findings, &self.names, &self.stopped, error);
            print_json(&found.of(program.map(Ended::json)))?;
        } else {
            for finding in &findings {
                print(&describe(finding))?;
            }
        }
        let told = verdict(&self.names, findings.iter().map(|finding| &finding.report));
        let mut summary = told.errors;
        for stopped in &self.stopped {
            let between = if summary.is_empty() { "" } else { "\n" };
            summary.push_str(&format!("{between}check incomplete: {stopped}"));
        }
        if !summary.is_empty() {
            return Err(Failure::Check(summary));
        }
        match (as_json || self.names.is_empty(), told.warnings.is_empty()) {
            (true, _) => Ok(()),
            (false, true) => print(&format!("{}: nothing to report\n", told.kernels)),
            (false, false) => print(&format!("{}\n", told.warnings)),
        }
    }
}
