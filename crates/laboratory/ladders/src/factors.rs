//! The factors and the result of a product on a device, padded to whole tiles, so that the rungs show their ideas
//! without edge cases. Generic over the element type. B is stored by columns, so the multiplied elements are adjacent
//! in both factors.

use lanework::prelude::*;
use lanework::{Error, Result};

/// Rows and columns of C are padded to multiples of this.
const EDGE: usize = 256;
/// Rows along K are padded to multiples of this many bytes: the span of a 128-byte swizzle.
const ROW_BYTES: usize = 128;

/// A product on a device: factors of `T`, results of `O`. Padding is zero, except in C, whose padding is never read.
pub struct Factors<T: Element, O: Element> {
    /// Rows, columns and the summed extent of the problem itself.
    pub extents: (usize, usize, usize),
    /// The padded extents in device memory.
    pub padded: (usize, usize, usize),
    /// A by rows of `padded.2` elements.
    pub a: Buffer<T>,
    /// B by columns of `padded.2` elements.
    pub b: Buffer<T>,
    /// C by rows of `padded.1` elements.
    pub c: Buffer<O>,
}

impl<T: Element, O: Element> Factors<T, O> {
    /// Uploads `a` with m rows of k elements, and `b` with n columns of k elements.
    ///
    /// # Errors
    /// If an index would not fit 32 bits, or the device has too little memory.
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

    /// The extents, padded to whole tiles.
    pub fn padded((m, n, k): (usize, usize, usize)) -> (usize, usize, usize) {
        let depth = ROW_BYTES / size_of::<T>();
        (m.next_multiple_of(EDGE), n.next_multiple_of(EDGE), k.next_multiple_of(depth))
    }

    /// C without its padding.
    ///
    /// # Errors
    /// If the device fails.
    pub fn results(&self) -> Result<Vec<O>> {
        let (m, n, _) = self.extents;
        let mut rows = vec![O::ZERO; m * n];
        self.c.download_2d(&mut rows, n, self.padded.1)?;
        Ok(rows)
    }

    /// The padded extents as kernel arguments.
    pub(crate) fn sizes(&self) -> (u32, u32, u32) {
        (self.padded.0 as u32, self.padded.1 as u32, self.padded.2 as u32)
    }

    /// The tensor maps of A and B, with tiles of these lines and of 128 bytes along K, in the swizzle that `wgmma`
    /// reads.
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
