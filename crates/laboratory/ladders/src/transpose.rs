//! Matrix transpose: `dst[x][y] = src[y][x]`, for any element type and any shape.
//!
//! A transpose only moves bytes, so a copy of the same bytes is the speed limit. The simple kernel is slower because
//! a warp reads along a row and writes along a column.

mod direct;
mod library;
mod matrices;
mod naive;
mod padded;
mod registers;
mod row_order;
mod swizzled;
mod tma;
mod unpadded;
mod vectorized;
mod windows;

pub use matrices::{Matrices, on_host};

use crate::Rung;
use crate::rung::ladder;
use lanework::{Device, Element};

ladder! {
    "transpose" in "transpose": "matrix transpose, bit-exact for any element type";
    pub fn rungs<E: Element>() -> [Rung<Matrices<E>>];
    "naive" naive B2;
    "row-order" row_order B6;
    "direct" direct B5;
    "unpadded" unpadded B4;
    "padded" padded B3;
    "vectorized" vectorized;
    "swizzled" swizzled;
    "registers" registers;
    "windows" windows;
    "tma" tma;
    "library" library;
}

/// Why a rung does not support matrices of this shape and element size on a device, if so.
pub fn refuses(
    rung: &str,
    device: &Device,
    bytes: usize,
    (rows, cols): (u32, u32),
) -> Option<String> {
    if rung == "tma" { tma::refuses(device, bytes, rows, cols) } else { None }
}

/// An unsigned integer type that represents all element types of its size.
pub trait Bits: Element {
    /// The ladder for this type. A method of each type, not a generic function, so that its kernels are
    /// compiled once, in this crate.
    fn rungs() -> Vec<Rung<Matrices<Self>>>;
}

macro_rules! bits {
    ($($bits:ty),*) => {$(
        impl Bits for $bits {
            fn rungs() -> Vec<Rung<Matrices<Self>>> {
                rungs()
            }
        }
    )*};
}

bits!(u8, u16, u32, u64);
