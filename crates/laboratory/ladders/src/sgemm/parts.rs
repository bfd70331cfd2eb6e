//! Shared by the rungs with split operands: a product of 128 x 128 results on tensor cores, whose factors are split
//! on their way to shared memory.

use super::operands::{Operands, Shape, element, load_float4};
use lanework::lang::tensor_cores::{MatrixElement, Product};
use lanework::prelude::*;
use lanework::{Element, Error, Prepared, Result};

/// Edge of a block's tile of results.
const TILE: u32 = 128;
/// Steps along k per load.
const DEPTH: u32 = 32;
/// Threads per block: 8 warps with 64 x 32 results each.
const THREADS: u32 = 256;
/// Below this number of steps a sum loses less precision than the split.
const SHORT: u32 = 512;

/// How to split factors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Split {
    /// Number of parts per element.
    pub parts: u32,
    /// The pairs of parts of A and B to multiply; small products first.
    pub pairs: &'static [(u32, u32)],
    /// Whether the tensor cores' sums are added to sums in registers after 64 steps.
    pub promoted: bool,
}

/// Writes a number as the sum of its parts, each as much of the remainder as `T` holds.
#[device]
fn take_apart<T: MatrixElement<Storage = T> + Element>(
    value: f32,
    #[constant] parts: u32,
) -> [T; 3] {
    let mut taken = [T::ZERO; 3];
    let mut rest = value;
    #[unroll]
    for part in 0..parts {
        taken[part] = rest as T;
        rest -= taken[part] as f32;
    }
    taken
}

#[kernel(block = THREADS)]
fn split_product<T>(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    m: u32,
    n: u32,
    k: u32,
    lda: u32,
    ldb: u32,
    ldc: u32,
    alpha: f32,
    beta: f32,
    #[constant] reads_c: bool,
    #[constant] wide: (bool, bool, bool),
    #[constant] split: Split,
) where
    T: Product<T, f32, 16, 8, 16> + MatrixElement<Storage = T> + Element,
{
    let a_tiles = SharedTiles::<T, TILE, DEPTH, Swizzle64>::dynamic(split.parts);
    let b_tiles = SharedTiles::<T, DEPTH, TILE>::dynamic(split.parts);
    let t = thread_idx.x;
    let warp = t / 32;
    let (top, left) = (block_idx.y * TILE, block_idx.x * TILE);
    let (down, across) = (warp / 4 * 64, warp % 4 * 32);
    let mut sums = [[FragmentC::<f32, 16, 8>::zero(); 4]; 4];
    let mut chain = [[FragmentC::<f32, 16, 8>::zero(); 4]; 4];
    for step in 0..k.div_ceil(DEPTH) {
        let at = step * DEPTH;
        #[unroll]
        for turn in 0..TILE * DEPTH / 4 / THREADS {
            let i = turn * THREADS + t;
            let (row, column) = (i / (DEPTH / 4), i % (DEPTH / 4) * 4);
            let from_a = load_float4(&a, top + row, at + column, m, k, lda, wide.0, true);
            let (b_row, b_column) = (i / (TILE / 4), i % (TILE / 4) * 4);
            let from_b = load_float4(&b, at + b_row, left + b_column, k, n, ldb, wide.1, true);
            #[unroll]
            for j in 0..4u32 {
                let of_a = take_apart::<T>(from_a[j], split.parts);
                let of_b = take_apart::<T>(from_b[j], split.parts);
                #[unroll]
                for part in 0..split.parts {
                    let (to_a, to_b) = (a_tiles[part], b_tiles[part]);
                    to_a[[row, column + j]] = of_a[part];
                    to_b[[b_row, b_column + j]] = of_b[part];
                }
            }
        }
        sync_threads();
        #[unroll]
        for (of_a, of_b) in split.pairs.iter().copied() {
            for inner in (0..DEPTH).step_by(16) {
                #[unroll]
                for pair in 0..2u32 {
                    let right =
                        FragmentB::<T, 16, 8>::load_pair(b_tiles[of_b], inner, across + 16 * pair);
                    #[unroll]
                    for i in 0..4u32 {
                        let left =
                            FragmentA::<T, 16, 16>::load(a_tiles[of_a], down + 16 * i, inner);
                        chain[i][2 * pair].mma(left, right[0]);
                        chain[i][2 * pair + 1].mma(left, right[1]);
                    }
                }
            }
        }
        if split.promoted && step % 2 == 1 {
            #[unroll]
            for i in 0..4 {
                #[unroll]
                for j in 0..4 {
                    #[unroll]
                    for e in 0..4u32 {
                        sums[i][j][e] = sums[i][j][e] + chain[i][j][e];
                        chain[i][j][e] = 0.0;
                    }
                }
            }
        }
        sync_threads();
    }
    #[unroll]
    for i in 0..4u32 {
        #[unroll]
        for j in 0..4u32 {
            #[unroll]
            for e in 0..4u32 {
                let (y, x) = chain[i][j].position(e);
                let (y, x) = (top + down + 16 * i + y, left + across + 8 * j + x);
                if y < m && x < n {
                    let value = alpha * (sums[i][j][e] + chain[i][j][e]);
                    if reads_c {
                        let before = element(&c, y, x, m, n, ldc, false);
                        c[y * ldc + x] = beta.mul_add(before, value);
                    } else {
                        c[y * ldc + x] = value;
                    }
                }
            }
        }
    }
}

/// The launch of a rung with parts of type `T`; the previous rung computes short sums.
pub(super) fn prepare<'a, T>(
    x: &'a mut Operands,
    device: &Device,
    split: Split,
) -> Result<Prepared<'a>>
where
    T: Product<T, f32, 16, 8, 16> + MatrixElement<Storage = T> + Element,
{
    if x.shape.k < SHORT {
        return super::fitted::prepare(x, device);
    }
    let capability = device.info().compute_capability;
    if capability < (8, 0) {
        return Err(Error::Launch {
            kernel: "sgemm".to_owned(),
            why: format!(
                "products of split operands need compute capability 8.0, this device has {}.{}",
                capability.0, capability.1
            ),
            help: "climb as far as `fitted`".to_owned(),
        });
    }
    let (grid, reads_c, wide) = (x.tiles(TILE, TILE)?, x.reads_c(), x.wide());
    let Shape { m, n, k, lda, ldb, ldc } = x.shape;
    let launch = split_product::<T>(
        &x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c, wide, split,
    );
    let shared = split.parts * 2 * TILE * DEPTH * 2;
    // SAFETY: the kernel checks global accesses against the extents, and `tiles` has checked the buffers against the
    // shape; float4 accesses occur only in rows of aligned float4s. 256 threads load 128 x 32 and 32 x 128 elements
    // of the tiles.
    unsafe { launch.grid(grid).block(THREADS).shared_bytes(shared).prepare_unchecked(device) }
}
