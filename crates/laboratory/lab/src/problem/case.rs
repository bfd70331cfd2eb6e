//! The interface between ladders and the laboratory: a case is a problem with its inputs on the host, a trial is the case
//! on a device, ready for one rung.
//! A problem is checked against the device before anything is allocated.
//!
//! Both are used through `dyn`: climbs, sweeps and runs are compiled once, not once per family and element type.

use crate::record::HostRecord;
use lanework::{Device, Error, Job, Result};
use lanework_bench::{Accuracy, Rejection, Work};
use lanework_verify::host::array::Array;

/// One problem with its inputs, on the host.
pub trait Case {
    /// The extents of the problem, by name: `rows` and `cols`, or `m`, `n` and `k`.
    fn extents(&self) -> Vec<(&'static str, u64)>;

    /// Other settings that apply: the edge of the block, leading dimensions.
    fn settings(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// Rust's name of the element type.
    fn element(&self) -> &'static str;

    /// The least work of any solution.
    fn work(&self) -> Work;

    /// Small cases of odd extents with their own inputs; rungs are verified on them first.
    fn edge_cases(&self) -> Vec<Box<dyn Case>>;

    /// Whether `device` can hold and run this case.
    ///
    /// # Errors
    /// If it does not fit; the error says what would.
    fn check_fits(&self, device: &Device) -> Result<()>;

    /// Why the rung called `rung` is skipped on `device`, such as a missing library; `None` if it runs.
    fn skips(&self, _rung: &str, _device: &Device) -> Option<String> {
        None
    }

    /// The problem on `device` for the rung called `rung`, with a poisoned output.
    ///
    /// # Errors
    /// If it does not fit the device.
    fn trial<'a>(&'a self, rung: &str, device: &Device) -> Result<Box<dyn Trial + 'a>>;

    /// The host's timed solution; `None` if no experiment has one.
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
    /// If the rung cannot solve this problem.
    fn job(&mut self) -> Result<Job<'_>>;

    /// Compares the output with the host's.
    ///
    /// # Errors
    /// If it is wrong or of lower precision than promised; the error says how.
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
/// If the case does not fit the device or the rung cannot run. The inner error says what differs.
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

/// Checks that `device` has `needed` bytes free for `what`, a problem of `ladder`.
///
/// # Errors
/// If it does not fit; the error states the required and the free memory.
pub(crate) fn check_memory(device: &Device, ladder: &str, what: &str, needed: u64) -> Result<()> {
    let (free, _) = device.memory()?;
    if needed <= free {
        return Ok(());
    }
    Err(Error::Launch {
        kernel: ladder.to_owned(),
        why: format!(
            "{what} need {:.1} GB, {} has {:.1} GB free",
            needed as f64 / 1e9,
            device.info().name,
            free as f64 / 1e9
        ),
        help: "use a smaller problem or a device with more memory".to_owned(),
    })
}

/// Why a kernel for this compute capability cannot run on `device`, if so. With `its_own`, only GPUs of the same
/// major number can run it (sm_90a); else it needs at least this capability.
pub(crate) fn lacks(device: &Device, least: (u32, u32), its_own: bool) -> Option<String> {
    let has = device.info().compute_capability;
    let suffix = if its_own { "a" } else { "" };
    let (needed, arch) =
        (format!("sm_{}{}{suffix}", least.0, least.1), format!("{}{}", has.0, has.1));
    (has < least || its_own && has.0 != least.0)
        .then(|| format!("it needs {needed}, this GPU is sm_{arch}"))
}

/// The most elements of a matrix: more than any memory holds, and few enough to count bytes and operations of
/// products in 64 bits.
const MOST_NUMBERS: u128 = 1 << 40;

/// Checks that the elements of matrices of these rows and columns (or leading dimensions) can be counted.
///
/// # Errors
/// If one of them is too large.
pub(crate) fn check_countable(ladder: &str, matrices: &[(u32, u32)]) -> Result<()> {
    let too_many =
        |&&(rows, cols): &&(u32, u32)| u128::from(rows) * u128::from(cols) > MOST_NUMBERS;
    let Some((rows, cols)) = matrices.iter().find(too_many) else { return Ok(()) };
    Err(Error::Launch {
        kernel: ladder.to_owned(),
        why: format!("a matrix of {rows}x{cols} is larger than any memory"),
        help: "use a smaller problem".to_owned(),
    })
}
