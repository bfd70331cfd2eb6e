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

use crate::{Ladder, Rung};
use lanework::{Device, Element};

/// The rungs, in the order of the ladder.
pub fn rungs<E: Element>() -> Vec<Rung<Matrices<E>>> {
    vec![
        Rung::new("naive", "B2", include_str!("transpose/naive.rs"), naive::prepare),
        Rung::new("row-order", "B6", include_str!("transpose/row_order.rs"), row_order::prepare),
        Rung::new("direct", "B5", include_str!("transpose/direct.rs"), direct::prepare),
        Rung::new("unpadded", "B4", include_str!("transpose/unpadded.rs"), unpadded::prepare),
        Rung::new("padded", "B3", include_str!("transpose/padded.rs"), padded::prepare),
        Rung::new(
            "vectorized",
            "beyond",
            include_str!("transpose/vectorized.rs"),
            vectorized::prepare,
        ),
        Rung::new("swizzled", "beyond", include_str!("transpose/swizzled.rs"), swizzled::prepare),
        Rung::new(
            "registers",
            "beyond",
            include_str!("transpose/registers.rs"),
            registers::prepare,
        ),
        Rung::new("windows", "beyond", include_str!("transpose/windows.rs"), windows::prepare),
        Rung::new("tma", "beyond", include_str!("transpose/tma.rs"), tma::prepare),
        Rung::new("library", "beyond", include_str!("transpose/library.rs"), library::prepare),
    ]
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
    /// The ladder for this type. Here and not in a generic function, so that its kernels are
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

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "transpose",
        title: "matrix transpose, bit-exact for any element type",
        story: [include_str!("transpose/story.en.md"), include_str!("transpose/story.zh.md")],
        rungs: u32::rungs().iter().map(|rung| rung.info).collect(),
    }
}
