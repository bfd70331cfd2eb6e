//! The traces of a rung.

use lanework::Device;
use lanework::time::trace::KernelTrace;
use lanework::time::trace::sample::Effort;
use lanework_lab::Case;

/// Traces the kernels of a rung; none if it is skipped on this device.
///
/// # Errors
/// If a kernel cannot be launched or faults.
pub fn traces(
    case: &dyn Case,
    rung: &str,
    device: &Device,
    effort: Effort,
) -> lanework::Result<Vec<KernelTrace>> {
    if case.skips(rung, device).is_some() {
        return Ok(Vec::new());
    }
    let mut trial = case.trial(rung, device)?;
    let mut job = trial.job()?;
    job.time_traces(effort)
}
