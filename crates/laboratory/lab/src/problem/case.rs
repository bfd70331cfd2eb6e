//! The interface between ladders and the laboratory: a case is a problem with its inputs on the host, a trial
//! is the case on a device, ready for one rung.
//!
//! Both are used through `dyn`, so that the climb, the sweep and the run are compiled once, not once
//! per family and element type.

use crate::host::array::Array;
use crate::record::HostRecord;
use lanework::{Device, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};

/// One problem with its inputs, on the host.
pub trait Case {
    /// The extents of the problem, by name: `rows` and `cols`, or `m`, `n` and `k`.
    fn extents(&self) -> Vec<(&'static str, u64)>;

    /// What else was chosen and applies: the edge of the block, leading dimensions.
    fn settings(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Rust's name of the element type.
    fn element(&self) -> &'static str;

    /// The least work of any solution.
    fn work(&self) -> Work;

    /// Small cases of odd extents with inputs of their own, on which a rung is verified first.
    fn edge_cases(&self) -> Vec<Box<dyn Case>>;

    /// Whether `device` can hold and run this case.
    ///
    /// # Errors
    /// What does not fit, and what would.
    fn check_fits(&self, device: &Device) -> Result<()>;

    /// Why the rung called `rung` does not take part on `device`, if so: a library that is not there.
    fn skips(&self, _rung: &str, _device: &Device) -> Option<String> {
        None
    }

    /// The problem on `device` for the rung called `rung`, its output poisoned.
    ///
    /// # Errors
    /// When it does not fit the device.
    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>>;

    /// The host's own solution, timed; `None` where no experiment has one.
    fn host(&self) -> Option<HostRecord> {
        None
    }

    /// The analytical model of this problem, as lines of text.
    fn analysis(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A case on a device.
pub trait Trial {
    /// Overwrites the output, so that no result of an earlier run remains.
    ///
    /// # Errors
    /// When the device fails.
    fn poison(&mut self) -> Result<()>;

    /// The rung, compiled for this problem; each launch solves it once.
    ///
    /// # Errors
    /// When the rung is not possible with this problem.
    fn job(&mut self) -> Result<Job<'_>>;

    /// Compares the output with the host's.
    ///
    /// # Errors
    /// Whether it is wrong or of lower precision than promised, and how that shows.
    fn check(&mut self) -> Result<Accuracy, Rejection>;

    /// Further figures of the last run, by name: `cycles` counted in the kernel, `host_ns` spent on
    /// the host afterwards.
    fn figures(&self) -> Vec<(&'static str, f64)> {
        Vec::new()
    }

    /// The output, to be written to a file.
    ///
    /// # Errors
    /// When the device fails.
    fn output(&self) -> Result<Array>;
}

/// Runs the rung once and compares the result with the host's.
///
/// # Errors
/// When the case does not fit the device or the rung cannot run. The inner error says what differs.
pub fn run_rung(
    rung: &str,
    case: &dyn Case,
    device: &Device,
) -> Result<Result<(Array, Accuracy), Rejection>> {
    case.check_fits(device)?;
    let mut trial = case.trial(rung, device)?;
    trial.job()?.launch()?;
    device.synchronize()?;
    let accuracy = match trial.check() {
        Ok(accuracy) => accuracy,
        Err(why) => return Ok(Err(why)),
    };
    Ok(Ok((trial.output()?, accuracy)))
}
