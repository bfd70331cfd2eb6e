//! The accesses of checked launches, for the driver, which compares the launches of different streams.

use super::own_report;
use super::session::{Session, Tool};
use crate::Device;
use crate::device::Engine;
use lanework_emulator::sanitize::footprint::LaunchShadow;
use lanework_emulator::sanitize::{Checked, Report};
use lanework_emulator::{Emulator, Fault, LaunchConfig, Program};
use std::cell::RefCell;

thread_local! {
    /// The shadows of this thread's launches, while [`collect`] runs.
    static COLLECTED: RefCell<Option<Vec<LaunchShadow>>> = const { RefCell::new(None) };
}

/// Checks a launch, and keeps its shadow while [`collect`] runs.
pub(crate) fn check(
    emulator: &Emulator,
    program: &Program,
    config: &LaunchConfig<'_>,
    arguments: &[&[u8]],
) -> Result<Checked, Fault> {
    let checks = emulator.checks().unwrap_or_default();
    let collects = COLLECTED.with_borrow(Option::is_some);
    let checks = if collects { checks.with_shadow() } else { checks };
    let _running = own_report::Running::begin();
    let mut checked = emulator.check_for(program, config, arguments, checks)?;
    COLLECTED.with_borrow_mut(|all| {
        all.iter_mut().for_each(|all| all.extend(checked.shadow.take()));
    });
    Ok(checked)
}

/// Calls `run`, and returns the shadows of the checked launches that this thread made in it, except those in a nested `collect`.
pub fn collect<R>(run: impl FnOnce() -> R) -> (R, Vec<LaunchShadow>) {
    let outer = COLLECTED.replace(Some(Vec::new()));
    let result = run();
    (result, COLLECTED.replace(outer).unwrap_or_default())
}

/// Hands shadows of a nested [`collect`] to the enclosing one.
pub fn hand_on(shadows: Vec<LaunchShadow>) {
    COLLECTED.with_borrow_mut(|all| {
        if let Some(all) = all {
            all.extend(shadows);
        }
    });
}

/// Whether the tool of this process checks launches on a device.
pub fn checks(device: &Device) -> bool {
    device.is_sanitized() && Session::active().is_some_and(|one| matches!(one.tool, Tool::Check))
}

/// Keeps findings of several launches together as the tool's findings of `kernel`; an empty name means no kernel.
pub fn keep_findings(kernel: &str, found: &[Report]) {
    if let Some(session) = Session::active() {
        session.findings(kernel, None, found, None);
    }
}

/// Keeps that the tool could not check something that the program runs.
pub fn unchecked(why: &str) {
    if let Some(session) = Session::active() {
        session.unchecked(why.to_owned());
    }
}

/// Address and bytes of the allocations that were freed on a device since the last call; the first call returns nothing.
pub fn take_ended(device: &Device) -> Vec<(u64, u64)> {
    match &device.0.engine {
        Engine::Emulator(emulator) => emulator.memory().take_ended(),
        Engine::Gpu(_) => Vec::new(),
    }
}

/// The name, the first address and the bytes of the allocation at an address.
pub fn allocation(device: &Device, address: u64) -> Option<(String, u64, u64)> {
    match &device.0.engine {
        Engine::Emulator(emulator) => {
            let memory = emulator.memory();
            let (start, found) = memory.find(address)?;
            Some((found.name.clone(), start, found.bytes))
        }
        Engine::Gpu(_) => None,
    }
}
