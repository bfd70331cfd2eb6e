//! Tools over a program's own launches: `LANEWORK_TOOL=check` or `profile`, or the command `lanework exec`.
//!
//! A program that launches through this library needs no change. With a tool, every device is the emulator, including
//! the device that [`crate::Device::cuda`] returns, and every launch is checked, counted or traced as it runs. Without
//! the command, a process prints the report when it ends, and exits with code 1 if there are findings. Under the
//! command, each process writes records to a folder as they happen ([`Record`]), which the command reads and merges, so
//! the records of a killed process are not lost.
//!
//! | variable | is |
//! | --- | --- |
//! | `LANEWORK_TOOL` | `check`, `profile`; with a folder also `trace`, `inspect`, `look`, `predict`, `save` |
//! | `LANEWORK_TOOL_FOLDER` | folder for records, instead of a report at the end |
//! | `LANEWORK_TOOL_LEAKS` | 1: memory that is still allocated at the end is a finding |
//! | `LANEWORK_TOOL_PROXY_FENCES` | 1: a copy into shared memory that threads have read without a proxy fence is a warning |
//! | `LANEWORK_TOOL_PREDICT` | for `predict`: the GPU, the protocol, and a folder for traces or nothing, separated by tabs |
//! | `LANEWORK_TOOL_SAVE` | for `save`: the first launch whose memory is saved, from 1; then `optimized` for Rust kernels without names |
//! | `LANEWORK_TOOL_LOOK` | for `look`: kernel, launch, line (0 for the costliest), block and warp, separated by tabs |
//!
//! This file passes the accesses of checked launches to the driver, which compares the launches of different streams.

mod codec;
mod files;
mod launching;
mod memory_names;
mod own_report;
mod record;
mod saved;
mod session;

#[doc(hidden)]
pub use files::{Reader, read};
#[doc(hidden)]
pub(crate) use launching::Launching;
#[doc(hidden)]
pub use launching::set_machine;
#[doc(hidden)]
pub use memory_names::{MemoryOrigin, describe_memory};
#[doc(hidden)]
pub use own_report::{Profiles, names};
#[doc(hidden)]
pub use record::{
    Activity, Findings, Launched, Picture, Predicted, Process, Profiled, Record, Saved,
};
pub(crate) use session::Session;
#[doc(hidden)]
pub use session::learn_registers;

use crate::Device;
use crate::device::Engine;
use lanework_emulator::sanitize::footprint::LaunchShadow;
use lanework_emulator::sanitize::{Checked, Report, readable_name};
use lanework_emulator::{Emulator, Fault, LaunchConfig, Program};
use session::Tool;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering;

thread_local! {
    /// The access shadows of this thread's launches, while [`collect`] runs. Never dropped, so that launches are possible while
    /// the thread or the process exits.
    static COLLECTED: ManuallyDrop<RefCell<Option<Vec<LaunchShadow>>>> =
        const { ManuallyDrop::new(RefCell::new(None)) };
}

/// Checks a launch, and keeps its shadow while [`collect`] runs.
pub(crate) fn check(
    emulator: &Emulator,
    program: &Program,
    config: &LaunchConfig<'_>,
    arguments: &[&[u8]],
) -> Result<Checked, Fault> {
    let checks = emulator.checks().unwrap_or_default();
    let collects = COLLECTED.with(|all| all.borrow().is_some());
    let checks = if collects { checks.with_shadow() } else { checks };
    let _running = own_report::Running::begin();
    let mut checked = emulator.check_for(program, config, arguments, checks)?;
    if let Some(shadow) = &mut checked.shadow {
        shadow.printed = !checked.outcome.printed.is_empty();
    }
    COLLECTED.with(|all| {
        all.borrow_mut().iter_mut().for_each(|all| all.extend(checked.shadow.take()));
    });
    memory_names::name_parameters(&mut checked.reports, program, config.entry, arguments);
    Ok(checked)
}

/// Calls `run`, and returns the shadows of the checked launches that this thread made in it, except those in a nested
/// `collect`.
pub fn collect<R>(run: impl FnOnce() -> R) -> (R, Vec<LaunchShadow>) {
    let outer = COLLECTED.with(|all| all.replace(Some(Vec::new())));
    let result = run();
    (result, COLLECTED.with(|all| all.replace(outer)).unwrap_or_default())
}

/// Passes the shadows of a nested [`collect`] on to the enclosing one.
#[doc(hidden)]
pub fn hand_on(shadows: Vec<LaunchShadow>) {
    COLLECTED.with(|all| {
        if let Some(all) = all.borrow_mut().as_mut() {
            all.extend(shadows);
        }
    });
}

/// Whether the tool of this process checks launches on a device.
pub fn checks(device: &Device) -> bool {
    device.is_sanitized() && Session::active().is_some_and(|one| matches!(one.tool, Tool::Check))
}

/// Records findings between several launches as findings of `kernel`; an empty name means no kernel.
#[doc(hidden)]
pub fn keep_findings(kernel: &str, found: &[Report]) {
    if let Some(session) = Session::active() {
        session.findings(kernel, None, found, None);
    }
}

/// Whether the process has a finding, or some work could not be checked.
#[doc(hidden)]
pub fn has_findings() -> bool {
    Session::active().is_some_and(|session| session.has_findings.load(Ordering::Relaxed))
}

/// Records that the tool could not check some work of the program.
#[doc(hidden)]
pub fn unchecked(why: &str) {
    if let Some(session) = Session::active() {
        session.unchecked(why.to_owned());
    }
}

/// Records a note for the tool's report.
#[doc(hidden)]
pub fn note(text: String) {
    if let Some(session) = Session::active() {
        session.note(text);
    }
}

/// Address and size in bytes of the allocations that a device freed since the last call. The first call returns
/// nothing.
#[doc(hidden)]
pub fn take_ended(device: &Device) -> Vec<(u64, u64)> {
    match &device.0.engine {
        Engine::Emulator(emulator) => emulator.memory().take_ended(),
        Engine::Gpu(_) => Vec::new(),
    }
}

/// Name, start address and size in bytes of the allocation that contains an address.
#[doc(hidden)]
pub fn allocation(device: &Device, address: u64) -> Option<(String, u64, u64)> {
    match &device.0.engine {
        Engine::Emulator(emulator) => {
            let (known, start, bytes) = {
                let memory = emulator.memory();
                let (start, found) = memory.find(address)?;
                (found.name.clone(), start, found.bytes)
            };
            let name = memory_names::name_in_source(start, &known);
            Some((name.unwrap_or_else(|| readable_name(&known).into_owned()), start, bytes))
        }
        Engine::Gpu(_) => None,
    }
}
