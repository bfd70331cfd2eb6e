//! The factors and the result of a product on a device, padded to whole tiles, so that the rungs show their ideas without edges: of any
//! type of elements. B is given by its columns, so that the elements that are multiplied are adjacent in both.

use lanework::prelude::*;
use lanework::{Error, Result};

/// Rows and columns of C that extents on the device are multiples of.
const EDGE: usize = 256;
/// Bytes of a row that extents along K are multiples of: what a swizzle of 128 bytes permutes.
const ROW_BYTES: usize = 128;

/// A product to compute, on a device: factors of `T`, results of `O`. Padding is zero, but for C's, which is never read.
pub struct Factors<T: Element, O: Element> {
    /// Rows, columns and the extent that is summed over, of the problem itself.
    pub extents: (usize, usize, usize),
    /// The same as they lie on the device.
    pub padded: (usize, usize, usize),
    /// A by rows of `padded.2` elements.
    pub a: Buffer<T>,
    /// B by columns of `padded.2` elements.
    pub b: Buffer<T>,
    /// C by rows of `padded.1` elements.
    pub c: Buffer<O>,
}

impl<T: Element, O: Element> Factors<T, O> {
    /// Lays `a` of m rows of k elements, and `b` of n columns of k elements, on a device.
    ///
    /// # Errors
    /// When an index would not fit 32 bits, or the device has no memory for them.
    pub fn new(
        device: &Device,
        extents: (usize, usize, usize),
        a: &[T],
        b: &[T],
    ) -> Result<Factors<T, O>> {
        let (m, n, k) = extents;
        let padded = Self::padded(extents);
        let largest = (padded.0 * padded.2).max(padded.1 * padded.2).max(padded.0 * padded.1);
        if u32::try_from(largest).is_err() {
            return Err(Error::Request {
                why: format!("a matrix of {largest} elements needs indices above 32 bits"),
                help: "compute the product in parts of under 2^32 elements".to_owned(),
            });
        }
        let laid = |lines: usize, whole: usize, from: &[T]| -> Vec<T> {
            let mut to = vec![T::ZERO; whole * padded.2];
            for line in 0..lines {
                to[line * padded.2..][..k].copy_from_slice(&from[line * k..][..k]);
            }
            to
        };
        let mut on_a = device.uninit_named(padded.0 * padded.2, "a")?;
        on_a.upload(&laid(m, padded.0, a))?;
        let mut on_b = device.uninit_named(padded.1 * padded.2, "b")?;
        on_b.upload(&laid(n, padded.1, b))?;
        let c = device.uninit_named(padded.0 * padded.1, "c")?;
        Ok(Factors { extents, padded, a: on_a, b: on_b, c })
    }

    /// Extents in whole tiles.
    pub fn padded((m, n, k): (usize, usize, usize)) -> (usize, usize, usize) {
        let depth = ROW_BYTES / size_of::<T>();
        (m.next_multiple_of(EDGE), n.next_multiple_of(EDGE), k.next_multiple_of(depth))
    }

    /// C without its padding.
    ///
    /// # Errors
    /// When the device fails.
    pub fn results(&self) -> Result<Vec<O>> {
        let (m, n, _) = self.extents;
        let mut rows = vec![O::ZERO; m * n];
        self.c.download_2d(&mut rows, n, self.padded.1)?;
        Ok(rows)
    }

    /// Padded extents as kernels take them.
    pub(crate) fn sizes(&self) -> (u32, u32, u32) {
        (self.padded.0 as u32, self.padded.1 as u32, self.padded.2 as u32)
    }

    /// The maps of A and of B, by tiles of these lines and of 128 bytes along K, with the swizzle that `wgmma` reads.
    pub(crate) fn maps(
        &self,
        (rows, columns): (u32, u32),
    ) -> Result<(TensorMap<'_, T, 2>, TensorMap<'_, T, 2>)> {
        let (m, n, k) = self.padded;
        let depth = (ROW_BYTES / size_of::<T>()) as u32;
        let a = Tiles::new([m, k], [rows, depth]).swizzle(Swizzle::B128);
        let b = Tiles::new([n, k], [columns, depth]).swizzle(Swizzle::B128);
        Ok((TensorMap::new(&self.a, &a)?, TensorMap::new(&self.b, &b)?))
    }
}
