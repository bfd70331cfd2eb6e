//! `mma`: a warp multiplies two fragments and adds the product to a third.

use super::element::{B1, MatrixElement};
use super::fragment::{FragmentA, FragmentB, FragmentC};
use super::products::{Product, Saturates};
use crate::current::{here, with};

impl<D: MatrixElement, const M: u32, const N: u32> FragmentC<D, M, N> {
    /// `self += a * b` (`mma.sync`); every lane of the warp takes part.
    ///
    /// ```
    /// # use half::{bf16, f16};
    /// # use lanework::prelude::*;
    /// #[kernel(block = 32)]
    /// fn example(a: &[bf16], b: &[bf16], c: &mut [f32]) {
    ///     let mut sum = FragmentC::<f32, 16, 8>::zero();
    ///     for k in (0..64u32).step_by(16) {
    ///         let left = FragmentA::<bf16, 16, 16>::load(a.matrix(64), 0, k);
    ///         let right = FragmentB::<bf16, 16, 8>::load(b.matrix(8), k, 0);
    ///         sum.mma(left, right);
    ///     }
    ///     sum.store(c.matrix(8), 0, 0);
    /// }
    /// # let device = Device::emulator();
    /// # let a = device.upload(&[bf16::from_f32(2.0); 16 * 64])?;
    /// # let b = device.upload(&[bf16::from_f32(0.5); 64 * 8])?;
    /// # let mut c = device.zeros::<f32>(16 * 8)?;
    /// # example(&a, &b, &mut c).grid(1).block(32).launch(&device)?;
    /// assert_eq!(c.download()?, [64.0; 128]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn mma<T, U, const K: u32>(self, a: FragmentA<T, M, K>, b: FragmentB<U, K, N>)
    where
        T: Product<U, D, M, N, K>,
        U: MatrixElement,
    {
        here();
        self.multiply(a, b, "", "");
    }

    /// `self += a * b`, clamped to the range of i32 (`mma.sync` with `.satfinite`).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// use lanework::lang::tensor_cores::{Product, Saturates};
    ///
    /// /// For any integers of 8 bits: sums are clamped to the range of `i32`.
    /// #[kernel(block = 32)]
    /// fn clamped<T: Product<T, i32, 16, 8, 32> + Saturates>(a: &[T::Storage], b: &[T::Storage], c: &mut [i32]) {
    ///     let mut sum = FragmentC::<i32, 16, 8>::fill(i32::MAX - 10);
    ///     let left = FragmentA::<T, 16, 32>::load(a.matrix(32), 0, 0);
    ///     sum.mma_saturating(left, FragmentB::<T, 32, 8>::load(b.matrix(8), 0, 0));
    ///     sum.store(c.matrix(8), 0, 0);
    /// }
    /// # let device = Device::emulator();
    /// # let a = device.upload(&[1u8; 16 * 32])?;
    /// # let b = device.upload(&[1u8; 32 * 8])?;
    /// # let mut c = device.zeros::<i32>(16 * 8)?;
    /// # clamped::<u8>(&a, &b, &mut c).grid(1).block(32).launch(&device)?;
    /// assert_eq!(c.download()?, [i32::MAX; 128]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn mma_saturating<T, U, const K: u32>(self, a: FragmentA<T, M, K>, b: FragmentB<U, K, N>)
    where
        T: Product<U, D, M, N, K> + Saturates,
        U: MatrixElement,
    {
        here();
        self.multiply(a, b, ".satfinite", "");
    }

    fn multiply<T: MatrixElement, U: MatrixElement, const K: u32>(
        self,
        a: FragmentA<T, M, K>,
        b: FragmentB<U, K, N>,
        clamp: &str,
        bits: &str,
    ) {
        let bits = match (bits, T::UNIT) {
            ("", 32) => ".and.popc",
            (bits, _) => bits,
        };
        let name = format!(
            "mma.sync.aligned.m{M}n{N}k{K}.row.col{clamp}.{0}.{1}.{2}.{0}{bits}",
            D::NAME,
            T::NAME,
            U::NAME,
        );
        with(|builder| {
            self.check_variable(builder, "`mma`");
            let operands = vec![self.operand(), a.operand(), b.operand(), self.operand()];
            builder.emit(&name, operands);
            self.written(builder);
        });
    }
}

impl<const M: u32, const N: u32> FragmentC<i32, M, N> {
    /// Adds to each element the number of bits in which a row of `a` and a column of `b` differ
    /// (`mma.sync` with `.xor.popc`); [`mma`](Self::mma) counts the bits that both have.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 32)]
    /// fn differing(a: &[u32], b: &[u32], c: &mut [i32]) {
    ///     let mut sum = FragmentC::<i32, 16, 8>::zero();
    ///     let left = FragmentA::<B1, 16, 256>::load(a.matrix(8), 0, 0);
    ///     // Columns of 256 bits, one after the other.
    ///     sum.mma_xor(left, FragmentB::<B1, 256, 8>::load(b.matrix(8).t(), 0, 0));
    ///     sum.store(c.matrix(8), 0, 0);
    /// }
    /// # let device = Device::emulator();
    /// # let a = device.upload(&[0b1100u32; 16 * 8])?;
    /// # let b = device.upload(&[0b0110u32; 8 * 8])?;
    /// # let mut c = device.zeros::<i32>(16 * 8)?;
    /// # differing(&a, &b, &mut c).grid(1).block(32).launch(&device)?;
    /// assert_eq!(c.download()?, [2 * 8; 128]); // two bits of each of eight words
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn mma_xor<const K: u32>(self, a: FragmentA<B1, M, K>, b: FragmentB<B1, K, N>)
    where
        B1: Product<B1, i32, M, N, K>,
    {
        here();
        self.multiply(a, b, "", ".xor.popc");
    }
}
