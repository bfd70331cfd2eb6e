//! Checks that a problem fits a device, before anything is allocated.

use lanework::{Device, Error, Result};

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
