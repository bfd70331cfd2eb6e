//! Runs launches on the emulator, under the process's tool if it has one, and handles findings, errors and `printf`
//! output.

use crate::device::Device;
use crate::error::{IndexFault, Reports};
use crate::tool::{Launching, Session};
use crate::{Error, Result};
use lanework_emulator::sanitize::{Checked, Report};
use lanework_emulator::{Fault, Outcome};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Runs a kernel on the emulator, under the process's tool if it has one.
pub(crate) fn run(launching: Launching<'_>) -> Result<Outcome, Fault> {
    let Launching { emulator, program, config, arguments, .. } = launching;
    match Session::active() {
        Some(session) => session.run(launching),
        None => emulator.run(program, config, arguments),
    }
}

/// The result of a sanitized launch of a kernel and, if it was text, its module. If a tool checks a launch, the tool
/// keeps the findings, and the program gets the error that it would get without the tool.
///
/// # Errors
/// [`Error::Sanitizer`] with the findings; else the fault that ended the launch.
pub(crate) fn sanitized(
    checked: Checked,
    index: Option<IndexFault>,
    device: &Device,
    (kernel, module): (&str, Option<u64>),
) -> Result<()> {
    let first = index.clone().map(Report::from);
    let reports: Vec<Report> = first.into_iter().chain(checked.reports).collect();
    if let Some(session) = Session::active() {
        session.findings(kernel, module, &reports, checked.fault.as_ref());
        if device.0.imposed {
            return match (index, checked.fault) {
                (Some(fault), _) => Err(Error::Index(Box::new(fault))),
                (None, Some(fault)) => Err(fault.into()),
                (None, None) => Ok(()),
            };
        }
    }
    match (reports.is_empty(), checked.fault) {
        (false, fault) => {
            Err(Error::Sanitizer(Reports { found: reports, stopped: fault.map(Box::new) }))
        }
        (true, Some(fault)) => Err(fault.into()),
        (true, None) => Ok(()),
    }
}

/// The error of an invalid launch.
pub(crate) fn invalid(kernel: &str, why: &str, help: &str) -> Error {
    Error::Launch { kernel: kernel.to_owned(), why: why.to_owned(), help: help.to_owned() }
}

/// Whether `printf` output goes to standard error.
static ON_STDERR: AtomicBool = AtomicBool::new(false);

/// Redirects the `printf` output of kernels on the emulator to standard error, so that standard
/// output holds only the program's own output, such as JSON.
///
/// ```
/// lanework::print_on_stderr();
/// ```
pub fn print_on_stderr() {
    ON_STDERR.store(true, Relaxed);
}

/// Writes a kernel's output to its destination.
pub(crate) fn pass_on(text: &str) {
    match ON_STDERR.load(Relaxed) {
        true => eprint!("{text}"),
        false => print!("{text}"),
    }
}
