//! One rung on one case, for its result.

use crate::array::Array;
use crate::case::Case;
use lanework::{Device, Result};
use lanework_bench::{Accuracy, Rejection};

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
