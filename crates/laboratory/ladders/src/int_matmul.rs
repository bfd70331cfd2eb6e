//! Integer matrix product, `C = A B` of wrapping i32, with a tile of `T` x `T` elements per thread or per block: the
//! best tile size, and why larger tiles lose.
//!
//! A whole row or column of C needs each element of A and B. A tile reads it once for `T` elements of C; but a tile
//! in registers takes `T * T` of them, and a tile in shared memory `T * T` threads. The last rungs have a fixed tile:
//! on the integer units, and on tensor cores.

mod bytes;
mod naive;
mod pipelined;
mod product;
mod register_tile;
mod shared_tile;

pub use product::{Product, TILES, on_host};

use crate::Rung;
use crate::rung::ladder;

ladder! {
    "int-matmul" in "int_matmul": "integer matrix product, tile by tile, exact";
    pub fn rungs() -> [Rung<Product>];
    "naive" naive E1;
    "register-tile" register_tile E2;
    "shared-tile" shared_tile E3;
    "pipelined" pipelined;
    "bytes" bytes;
}
