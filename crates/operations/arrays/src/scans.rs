//! Scans by name.

use crate::array::{Array, ArrayMut, refused};
use crate::dispatch::{of_axes, of_type};
use half::{bf16, f16};
use lanework_ops::scan::{self, Scannable};
use lanework_runtime::Result;

/// The operation of a scan, numbered as `lanework_scan_kind` in the C header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Scan {
    /// The sum.
    #[default]
    Sum = 0,
    /// The smallest, passing NaNs over.
    Min = 1,
    /// The largest, passing NaNs over.
    Max = 2,
}

/// Queues the running sums (or extremes) of an array in the order of its rows, or of each row (`last_axis`), into `out`, which has its shape
/// and type; with `exclusive`, of the elements before each.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] where types or shapes do not go together; the device's errors.
///
/// ```
/// use lanework::Device;
/// use lanework_arrays::{Array, ArrayMut, ElementType, Scan, scan};
///
/// let device = Device::best();
/// let x = device.upload(&[3u32, 1, 4])?;
/// let mut y = device.zeros::<u32>(3)?;
/// let input = Array::new(x.view(..).cast(), ElementType::U32, &[3], None)?;
/// let output = ArrayMut::new(y.view_mut(..).cast(), ElementType::U32, &[3], None)?;
/// scan(Scan::Sum, input, true, false, output)?;
/// assert_eq!(y.download()?, [0, 3, 4]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn scan(
    kind: Scan,
    x: Array<'_>,
    exclusive: bool,
    last_axis: bool,
    out: ArrayMut<'_>,
) -> Result<()> {
    if (x.element(), x.shape()) != (out.element(), out.shape()) {
        return refused(
            format!(
                "a scan of {} {:?} into {} {:?}",
                x.element().name(),
                x.shape(),
                out.element().name(),
                out.shape()
            ),
            "give an output of the input's type and shape",
        );
    }
    of_type!(x.element(), "a scan", T in [I32 i32, U32 u32, I64 i64, U64 u64, F16 f16, Bf16 bf16, F32 f32, F64 f64]
        => of_axes!(x.shape().len(), R => run::<T, R>(kind, x, exclusive, last_axis, out)))
}

fn run<T: Scannable, const R: usize>(
    kind: Scan,
    x: Array<'_>,
    exclusive: bool,
    last_axis: bool,
    out: ArrayMut<'_>,
) -> Result<()> {
    let x = x.tensor::<T, R>("an input")?;
    let scan = if exclusive { scan::exclusive(x) } else { scan::inclusive(x) };
    let scan = if last_axis { scan.last_axis() } else { scan };
    let scan = match kind {
        Scan::Sum => scan,
        Scan::Min => scan.min(),
        Scan::Max => scan.max(),
    };
    scan.run(out.tensor("an output")?)
}
