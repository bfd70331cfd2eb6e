//! SGEMM rung: `tile-2d`.
//!
//! Idea: a thread computes 8 x 8 elements of C, so 8 multiply-adds use each number of A and of B in a register; a block computes
//! 128 x 128.
//! Predicts: 16 shared loads per 256 multiply-adds instead of 96, and half of `tile-1d`'s load
//! sectors.
//! Costs: 64 sums in registers; float4 (16-byte) loads of columns at a stride of 8 have bank conflicts.
//! 思路：一个线程计算 C 的 8 x 8 个元素，寄存器中 A 和 B 的每个数都供 8 次乘加使用；一个线程块计算 128 x 128。
//! 预测：每 256 次乘加只需 16 次共享内存加载（原来是 96 次），加载扇区数是 `tile-1d` 的一半。
//! 代价：寄存器中有 64 个累加和；以 8 列为步长的 float4（16 字节）加载有 bank 冲突。

use super::operands::{Operands, Shape, element, scaled};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the block's tile of C.
const T: u32 = 128;
/// Steps along k per load.
const K: u32 = 8;
/// Edge of the square of C that a thread computes.
const R: u32 = 8;
/// Threads per block.
const THREADS: u32 = (T / R) * (T / R);

#[kernel(block = THREADS)]
fn tile_2d(
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
    let (y, x) = (t / (T / R) * R, t % (T / R) * R); // this thread's square of the tile
    let mut sums = [[0.0f32; R as usize]; R as usize];

    for p in (0..k).step_by(K) {
        #[unroll]
        for s in 0..T * K / THREADS {
            let (line, step) = (t / K + s * (THREADS / K), t % K);
            a_tile[[line, step]] = element(&a, top + line, p + step, m, k, lda, edge);
            let (step, column) = (t / T + s * (THREADS / T), t % T);
            b_tile[[step, column]] = element(&b, p + step, left + column, k, n, ldb, edge);
        }
        sync_threads();
        #[unroll]
        for i in (0..K).step_by(4) {
            let mut lines = [[0.0f32; 4]; R as usize];
            #[unroll]
            for r in 0..R {
                lines[r] = a_tile.load4((y + r, i));
            }
            #[unroll]
            for s in 0..4 {
                let low = b_tile.load4((i + s, x));
                let high = b_tile.load4((i + s, x + 4));
                #[unroll]
                for r in 0..R {
                    #[unroll]
                    for q in 0..4 {
                        sums[r][q] = lines[r][s].mul_add(low[q], sums[r][q]);
                        sums[r][q + 4] = lines[r][s].mul_add(high[q], sums[r][q + 4]);
                    }
                }
            }
        }
        sync_threads();
    }

    #[unroll]
    for r in 0..R {
        #[unroll]
        for q in 0..R {
            let (row, col) = (top + y + r, left + x + q);
            if !edge || row < m && col < n {
                let at = row * ldc + col;
                c[at] = scaled(sums[r][q], alpha, beta, &c, at, reads_c);
            }
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (grid, reads_c, edge) = (x.tiles(T, T)?, x.reads_c(), !x.is_multiple_of_tile((T, T, K)));
    let Shape { m, n, k, lda, ldb, ldc } = x.shape;
    let launch =
        tile_2d(&x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c, edge);
    // SAFETY: each global access is guarded by the extents, or no tile reaches past them, and
    // `tiles` has checked that the buffers hold the shape. A thread's index is under THREADS, so
    // its tile indices are in range.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
