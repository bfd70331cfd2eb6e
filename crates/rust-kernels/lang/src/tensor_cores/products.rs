//! The products that `mma` has: every combination of types and shapes from sm_70 to sm_90.

use super::element::{B1, E4m3, E5m2, MatrixElement, S4, Tf32, U4};
use half::{bf16, f16};

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

/// A type whose sums of products can be clamped to the range of i32.
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

        /// Every product of `mma`: the types of A, B and the sums as PTX names them, and M, N, K.
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

        /// Every product of `wgmma`: the types of A, B and the sums as PTX names them.
        pub const GROUP_PRODUCTS: &[[&str; 3]] = &[$($(
            [<$a>::NAME, <$b>::NAME, <$d>::NAME],
        )*)*];
    };
}

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
