//! The product as a problem: its matrices on a device, padded to whole tiles, so that the rungs show their ideas without edges.

use half::bf16;
use lanework::prelude::*;
use lanework::{Error, Result};

/// Rows and columns of C, and steps along K, that extents on the device are multiples of.
const WHOLE: (usize, usize) = (256, 64);

/// A product to compute, on a device. Padding is zero, but for C's, which is never read.
pub struct Operands {
    /// Rows, columns and the extent that is summed over, of the problem itself.
    pub extents: (usize, usize, usize),
    /// The same as they lie on the device.
    pub padded: (usize, usize, usize),
    /// A by rows of `padded.2` elements.
    pub a: Buffer<bf16>,
    /// B by columns of `padded.2` elements.
    pub b: Buffer<bf16>,
    /// C by rows of `padded.1` elements.
    pub c: Buffer<f32>,
}

impl Operands {
    /// Lays `a` of m rows of k elements, and `b` of n columns of k elements, on a device.
    ///
    /// # Errors
    /// When an index would not fit 32 bits, or the device has no memory for them.
    pub fn new(
        device: &Device,
        extents: (usize, usize, usize),
        a: &[bf16],
        b: &[bf16],
    ) -> Result<Operands> {
        let (m, n, k) = extents;
        let padded = Operands::padded(extents);
        let largest = (padded.0 * padded.2).max(padded.1 * padded.2).max(padded.0 * padded.1);
        if u32::try_from(largest).is_err() {
            return Err(Error::Request {
                why: format!("a matrix of {largest} elements needs indices above 32 bits"),
                help: "compute the product in parts of under 2^32 elements".to_owned(),
            });
        }
        let laid = |lines: usize, whole: usize, from: &[bf16]| -> Vec<bf16> {
            let mut to = vec![bf16::ZERO; whole * padded.2];
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
        Ok(Operands { extents, padded, a: on_a, b: on_b, c })
    }

    /// Extents in whole tiles.
    pub fn padded((m, n, k): (usize, usize, usize)) -> (usize, usize, usize) {
        let (edge, depth) = WHOLE;
        (m.next_multiple_of(edge), n.next_multiple_of(edge), k.next_multiple_of(depth))
    }

    /// Padded extents as kernels take them.
    pub(super) fn sizes(&self) -> (u32, u32, u32) {
        (self.padded.0 as u32, self.padded.1 as u32, self.padded.2 as u32)
    }

    /// The maps of A and of B, by tiles of these lines and of 64 steps along K, with the swizzle that `wgmma` reads.
    pub(super) fn maps(
        &self,
        (rows, columns): (u32, u32),
    ) -> Result<(TensorMap<'_, bf16, 2>, TensorMap<'_, bf16, 2>)> {
        let (m, n, k) = self.padded;
        let a = Tiles::new([m, k], [rows, 64]).swizzle(Swizzle::B128);
        let b = Tiles::new([n, k], [columns, 64]).swizzle(Swizzle::B128);
        Ok((TensorMap::new(&self.a, &a)?, TensorMap::new(&self.b, &b)?))
    }
}
