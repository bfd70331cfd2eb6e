//! Shapes of arrays, known while the kernel is staged.

use super::index::Extent;
use crate::builder::Builder;

#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a shape with {D} dimensions known while the kernel is staged",
    label = "not a shape known while staging",
    note = "shapes are made of literals, const generics and `#[constant]` parameters: \
            `256`, `[T, T + 1]`"
)]
/// A shape: one extent, or an array of one to three, outermost first.
pub trait IntoShape<const D: usize> {
    /// The extents; `None` when one is negative or too large.
    fn shape(self) -> Option<[u32; D]>;
}

impl<N: Extent> IntoShape<1> for N {
    fn shape(self) -> Option<[u32; 1]> {
        Some([u32::try_from(self.extent()?).ok()?])
    }
}

impl<N: Extent, const D: usize> IntoShape<D> for [N; D] {
    fn shape(self) -> Option<[u32; D]> {
        let mut shape = [0; D];
        for (extent, wanted) in shape.iter_mut().zip(self) {
            *extent = u32::try_from(wanted.extent()?).ok()?;
        }
        Some(shape)
    }
}

/// The extents of an array's shape; an error of the kernel where one is 0, negative or too large.
pub(super) fn checked_shape<const D: usize>(b: &mut Builder, shape: impl IntoShape<D>) -> [u32; D] {
    let dims = shape.shape().unwrap_or_else(|| {
        b.error("an extent of this array is negative or too large", "extents are 1 to 2^32 - 1");
        [1; D]
    });
    if dims.contains(&0) {
        b.error("an extent of this array is 0", "extents are 1 to 2^32 - 1");
        return [1; D];
    }
    dims
}
