//! The check that a problem fits a device's memory, before anything is allocated.

use lanework::{Device, Error, Result};

/// Checks that `device` has `needed` bytes free for `what`, a problem of `ladder`.
///
/// # Errors
/// How much is needed and how much there is.
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
