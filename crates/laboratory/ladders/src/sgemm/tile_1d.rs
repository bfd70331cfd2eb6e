//! SGEMM rung: `tile-1d`.
//!
//! Idea: a thread computes 8 elements of one column, so 8 multiply-adds use each number of B in a
//! register.
//! Predicts: 12 shared loads per 32 multiply-adds instead of 40, and half of `shared`'s load
//! sectors.
//! Costs: 8 sums in registers; only one multiply-add uses each number of A.
//! 思路：一个线程计算同一列的 8 个元素，寄存器中 B 的每个数供 8 次乘加使用。
//! 预测：每 32 次乘加只需 12 次共享内存加载（原来是 40 次），加载扇区数是 `shared` 的一半。
//! 代价：寄存器中有 8 个累加和；A 的每个数仍只用于一次乘加。

use super::operands::{Operands, Shape, element, scaled};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the block's tile of C.
const T: u32 = 64;
/// Steps along k per load.
const K: u32 = 8;
/// Rows of C that a thread computes.
const ROWS: u32 = 8;
/// Threads per block; also the elements of a tile of A or B.
const THREADS: u32 = T * T / ROWS;

#[kernel(block = THREADS)]
fn tile_1d(
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
    #[constant] edge: bool,
) {
    let a_tile = shared::<f32>([T, K]);
    let b_tile = shared::<f32>([K, T]);
    let t = thread_idx.x;
    let (top, left) = (block_idx.y * T, block_idx.x * T);
    let (first, x) = (t / T * ROWS, t % T); // this thread's rows and column of the tile
    let mut sums = [0.0f32; ROWS as usize];

    for p in (0..k).step_by(K) {
        a_tile[[t / K, t % K]] = element(&a, top + t / K, p + t % K, m, k, lda, edge);
        b_tile[[t / T, t % T]] = element(&b, p + t / T, left + t % T, k, n, ldb, edge);
        sync_threads();
        #[unroll]
        for i in (0..K).step_by(4) {
            let column =
                [b_tile[[i, x]], b_tile[[i + 1, x]], b_tile[[i + 2, x]], b_tile[[i + 3, x]]];
            #[unroll]
            for r in 0..ROWS {
                let line = a_tile.load4((first + r, i));
                #[unroll]
                for s in 0..4 {
                    sums[r] = line[s].mul_add(column[s], sums[r]);
                }
            }
        }
        sync_threads();
    }

    #[unroll]
    for r in 0..ROWS {
        let (row, col) = (top + first + r, left + x);
        if !edge || row < m && col < n {
            let at = row * ldc + col;
            c[at] = scaled(sums[r], alpha, beta, &c, at, reads_c);
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (grid, reads_c, edge) = (x.tiles(T, T)?, x.reads_c(), !x.is_multiple_of_tile((T, T, K)));
    let Shape { m, n, k, lda, ldb, ldc } = x.shape;
    let launch =
        tile_1d(&x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c, edge);
    // SAFETY: each global access is guarded by the extents, or no tile reaches past them, and
    // `tiles` has checked that the buffers hold the shape. A thread's index is under THREADS, so
    // its tile indices are in range.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
