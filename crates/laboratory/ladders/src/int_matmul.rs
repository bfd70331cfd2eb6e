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

use crate::{Ladder, Rung};

/// The rungs, in the order of the ladder.
pub fn rungs() -> Vec<Rung<Product>> {
    vec![
        Rung::new("naive", "E1", include_str!("int_matmul/naive.rs"), naive::prepare),
        Rung::new(
            "register-tile",
            "E2",
            include_str!("int_matmul/register_tile.rs"),
            register_tile::prepare,
        ),
        Rung::new(
            "shared-tile",
            "E3",
            include_str!("int_matmul/shared_tile.rs"),
            shared_tile::prepare,
        ),
        Rung::new(
            "pipelined",
            "beyond",
            include_str!("int_matmul/pipelined.rs"),
            pipelined::prepare,
        ),
        Rung::new("bytes", "beyond", include_str!("int_matmul/bytes.rs"), bytes::prepare),
    ]
}

/// The ladder's description, for listings.
pub fn ladder() -> Ladder {
    Ladder {
        name: "int-matmul",
        title: "integer matrix product, tile by tile, exact",
        story: [include_str!("int_matmul/story.en.md"), include_str!("int_matmul/story.zh.md")],
        rungs: rungs().iter().map(|rung| rung.info).collect(),
    }
}
