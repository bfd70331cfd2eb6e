//! Transposes, permutations and copies, which look at the size of elements alone.

use crate::array::{Array, ArrayMut, of_axes, refused};
use lanework_ops::{permute as by_axes, transpose_in_place as in_place};
use lanework_runtime::{Result, Storable};

/// Queues the array whose axis `i` is axis `axes[i]` of `x` into `out`, as `numpy.transpose` counts axes; in their own order it is a copy
/// from any strides to any strides.
///
/// # Errors
/// [`lanework_runtime::Error::Request`] where types, shapes or axes do not go together; the device's errors.
///
/// ```
/// use lanework::Device;
/// use lanework_arrays::{Array, ArrayMut, ElementType, permute};
///
/// let device = Device::best();
/// let x = device.upload(&[1u8, 2, 3, 4, 5, 6])?;
/// let mut y = device.zeros::<u8>(6)?;
/// let input = Array::new(x.view(..), ElementType::U8, &[1, 2, 3], None)?;
/// permute(input, &[2, 0, 1], ArrayMut::new(y.view_mut(..), ElementType::U8, &[3, 1, 2], None)?)?;
/// assert_eq!(y.download()?, [1, 4, 2, 5, 3, 6]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn permute(x: Array<'_>, axes: &[usize], out: ArrayMut<'_>) -> Result<()> {
    if x.element().bytes() != out.element().bytes() {
        return refused(
            format!("{} moved into {}", x.element().name(), out.element().name()),
            "elements move bit for bit: give an output of the input's type",
        );
    }
    let bytes = x.element().bytes();
    of_axes!(x.shape().len(), R => match bytes {
        1 => moved::<u8, R>(x, axes, out),
        2 => moved::<u16, R>(x, axes, out),
        4 => moved::<u32, R>(x, axes, out),
        _ => moved::<u64, R>(x, axes, out),
    })
}

fn moved<T: Storable, const R: usize>(
    x: Array<'_>,
    axes: &[usize],
    out: ArrayMut<'_>,
) -> Result<()> {
    let Ok(axes) = <[usize; R]>::try_from(axes) else {
        return refused(
            format!("an order of {} axes, {axes:?}, for an array of {R}", axes.len()),
            "name each axis once, by its number from 0 on",
        );
    };
    by_axes(x.tensor::<T, R>("an input")?, axes)?.run(out.tensor::<T, R>("an output")?)
}

/// Queues the transpose of a matrix, or of each matrix of an array: the last two axes are exchanged.
///
/// # Errors
/// As [`permute`].
pub fn transpose(x: Array<'_>, out: ArrayMut<'_>) -> Result<()> {
    let mut axes: Vec<usize> = (0..x.shape().len()).collect();
    let [.., rows, columns] = axes.as_mut_slice() else {
        return refused(
            format!("the transpose of an array of shape {:?}", x.shape()),
            "a transpose has two axes or more",
        );
    };
    std::mem::swap(rows, columns);
    permute(x, &axes, out)
}

/// Queues the transpose of a square matrix, or of each square matrix of an array, in its own memory.
///
/// # Errors
/// As [`permute`], and where the matrices are not square.
pub fn transpose_in_place(x: ArrayMut<'_>) -> Result<()> {
    fn turned<T: Storable>(x: ArrayMut<'_>) -> Result<()> {
        match x.shape().len() {
            2 => in_place(x.tensor::<T, 2>("a matrix")?).run(),
            3 => in_place(x.tensor::<T, 3>("a batch of matrices")?).run(),
            _ => refused(
                format!("the transpose in place of an array of shape {:?}", x.shape()),
                "give a matrix, or a batch of them as three axes",
            ),
        }
    }
    match x.element().bytes() {
        1 => turned::<u8>(x),
        2 => turned::<u16>(x),
        4 => turned::<u32>(x),
        _ => turned::<u64>(x),
    }
}
