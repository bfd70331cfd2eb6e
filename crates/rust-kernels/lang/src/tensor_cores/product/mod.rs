//! Matrix products: `wgmma` of a warpgroup, and `mma`, by which a warp multiplies two fragments and adds the product to a third, in
//! every combination of types and shapes from sm_70 to sm_90.

pub(crate) mod accumulator;
pub(crate) mod group;

use crate::emit::current::{here, with};
use crate::tensor_cores::element::{B1, E4m3, E5m2, F8, MatrixElement, S4, Tf32, U4};
use crate::tensor_cores::fragment::{FragmentA, FragmentB, FragmentC};
use half::{bf16, f16};

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
    /// /// For any 8-bit integers, clamps the sums to the range of `i32`.
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
    /// (`mma.sync` with `.xor.popc`); [`mma`](Self::mma) counts the bits set in both.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 32)]
    /// fn differing(a: &[u32], b: &[u32], c: &mut [i32]) {
    ///     let mut sum = FragmentC::<i32, 16, 8>::zero();
    ///     let left = FragmentA::<B1, 16, 256>::load(a.matrix(8), 0, 0);
    ///     // Columns of 256 bits, one after another.
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

/// A product of `M` x `K` elements of this type and `K` x `N` elements of `B`, summed in `D`.
#[diagnostic::on_unimplemented(
    message = "`mma` has no product of {M} x {K} `{Self}` and {K} x {N} `{B}` summed in `{D}`",
    label = "no such shape for these types",
    note = "f16, bf16: 16 x 8 x 8 and 16 x 8 x 16 (M x N x K), summed in f32, f16 also in f16",
    note = "Tf32: 16 x 8 x 4 and 16 x 8 x 8 in f32; E4m3, E5m2: 16 x 8 x 16 and 16 x 8 x 32 in f32 or f16",
    note = "f64: 8 x 8 x 4, 16 x 8 x 4, 16 x 8 x 8 and 16 x 8 x 16 in f64",
    note = "i8, u8: 8 x 8 x 16, 16 x 8 x 16 and 16 x 8 x 32 in i32; S4, U4: K twice as large; \
            B1: 8 x 8 x 128, 16 x 8 x 128 and 16 x 8 x 256 in i32"
)]
pub trait Product<B, D, const M: u32, const N: u32, const K: u32>: MatrixElement {}

/// A type that supports sums of products clamped to the range of i32.
#[diagnostic::on_unimplemented(
    message = "only sums of i8, u8, S4 and U4 saturate, not of `{Self}`"
)]
pub trait Saturates: MatrixElement {}

macro_rules! products {
    ($($a:ident * $b:ident in $d:ident: $($m:literal x $n:literal x $k:literal),*;)*) => {
        $($(
        #[diagnostic::do_not_recommend]
        impl Product<$b, $d, $m, $n, $k> for $a {}
    )*)*

        /// Every product of `mma`: the PTX names of the types of A, B and the sums, and M, N, K.
        pub const PRODUCTS: &[([&str; 3], [u32; 3])] = &[$($(
            ([<$a>::NAME, <$b>::NAME, <$d>::NAME], [$m, $n, $k]),
        )*)*];
    };
}

products! {
    f16 * f16 in f32: 16 x 8 x 8, 16 x 8 x 16;
    f16 * f16 in f16: 16 x 8 x 8, 16 x 8 x 16;
    bf16 * bf16 in f32: 16 x 8 x 8, 16 x 8 x 16;
    Tf32 * Tf32 in f32: 16 x 8 x 4, 16 x 8 x 8;
    f64 * f64 in f64: 8 x 8 x 4, 16 x 8 x 4, 16 x 8 x 8, 16 x 8 x 16;
    E4m3 * E4m3 in f32: 16 x 8 x 16, 16 x 8 x 32;
    E4m3 * E5m2 in f32: 16 x 8 x 16, 16 x 8 x 32;
    E5m2 * E4m3 in f32: 16 x 8 x 16, 16 x 8 x 32;
    E5m2 * E5m2 in f32: 16 x 8 x 16, 16 x 8 x 32;
    E4m3 * E4m3 in f16: 16 x 8 x 16, 16 x 8 x 32;
    E4m3 * E5m2 in f16: 16 x 8 x 16, 16 x 8 x 32;
    E5m2 * E4m3 in f16: 16 x 8 x 16, 16 x 8 x 32;
    E5m2 * E5m2 in f16: 16 x 8 x 16, 16 x 8 x 32;
    i8 * i8 in i32: 8 x 8 x 16, 16 x 8 x 16, 16 x 8 x 32;
    i8 * u8 in i32: 8 x 8 x 16, 16 x 8 x 16, 16 x 8 x 32;
    u8 * i8 in i32: 8 x 8 x 16, 16 x 8 x 16, 16 x 8 x 32;
    u8 * u8 in i32: 8 x 8 x 16, 16 x 8 x 16, 16 x 8 x 32;
    S4 * S4 in i32: 8 x 8 x 32, 16 x 8 x 32, 16 x 8 x 64;
    S4 * U4 in i32: 8 x 8 x 32, 16 x 8 x 32, 16 x 8 x 64;
    U4 * S4 in i32: 8 x 8 x 32, 16 x 8 x 32, 16 x 8 x 64;
    U4 * U4 in i32: 8 x 8 x 32, 16 x 8 x 32, 16 x 8 x 64;
    B1 * B1 in i32: 8 x 8 x 128, 16 x 8 x 128, 16 x 8 x 256;
}

impl Saturates for i8 {}
impl Saturates for u8 {}
impl Saturates for S4 {}
impl Saturates for U4 {}

/// A product of a warpgroup, of elements of this type and of `B`, summed in `D`.
#[diagnostic::on_unimplemented(
    message = "`wgmma` has no product of `{Self}` and `{B}` summed in `{D}`",
    label = "no such product",
    note = "f16, E4m3 and E5m2 are summed in f32 or f16, bf16 and Tf32 in f32, i8 and u8 in i32, B1 in i32; \
            E4m3 goes with E5m2, i8 with u8"
)]
pub trait GroupProduct<B, D>: MatrixElement {}

macro_rules! group_products {
    ($($a:ident * $b:ident in $($d:ident)*;)*) => {
        $($(
        #[diagnostic::do_not_recommend]
        impl GroupProduct<$b, $d> for $a {}
        )*)*

        /// Every product of `wgmma`: the PTX names of the types of A, B and the sums.
        pub const GROUP_PRODUCTS: &[[&str; 3]] = &[$($(
            [<$a>::NAME, <$b>::NAME, <$d>::NAME],
        )*)*];
    };
}

#[diagnostic::do_not_recommend]
impl GroupProduct<F8, f32> for F8 {}
#[diagnostic::do_not_recommend]
impl GroupProduct<F8, f16> for F8 {}

group_products! {
    f16 * f16 in f32 f16;
    bf16 * bf16 in f32;
    Tf32 * Tf32 in f32;
    E4m3 * E4m3 in f32 f16;
    E4m3 * E5m2 in f32 f16;
    E5m2 * E4m3 in f32 f16;
    E5m2 * E5m2 in f32 f16;
    i8 * i8 in i32;
    i8 * u8 in i32;
    u8 * i8 in i32;
    u8 * u8 in i32;
}
