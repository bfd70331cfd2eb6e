//! SGEMM rung: `vectorized`.
//!
//! Idea: global memory is accessed 16 bytes at a time. A is transposed when it is stored to shared memory, so the 8 numbers of A
//! for a step also take two loads.
//! Predicts: a quarter of `tile-2d`'s global requests and store sectors; the same load sectors; fewer
//! instructions.
//! Costs: rows must consist of aligned float4s; the transposing stores have bank conflicts.
//! 思路：全局内存每次访问 16 字节。A 在写入共享内存时转置，所以每一步要用的 A 的 8 个数也只需两次加载。
//! 预测：全局请求和存储扇区降到 `tile-2d` 的四分之一；加载扇区数相同；指令更少。
//! 代价：每行必须由对齐的 float4 组成；转置写入有 bank 冲突。

use super::operands::{Operands, Shape, load_float4, store_float4};
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Edge of the block's tile of C.
const T: u32 = 128;
/// Steps along k per load.
const K: u32 = 8;
/// Edge of the square of C that a thread computes.
const R: u32 = 8;
/// Threads per block; also the float4s of a tile of A or B.
const THREADS: u32 = (T / R) * (T / R);

#[kernel(block = THREADS)]
fn vectorized(
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
    #[constant] wide: (bool, bool, bool),
) {
    let a_tile = shared::<f32>([K, T]);
    let b_tile = shared::<f32>([K, T]);
    let t = thread_idx.x;
    let (top, left) = (block_idx.y * T, block_idx.x * T);
    let (y, x) = (t / (T / R) * R, t % (T / R) * R); // this thread's square of the tile
    let (line, step) = (t / (K / 4), t % (K / 4) * 4); // the float4 of A that it loads
    let (b_step, column) = (t / (T / 4), t % (T / 4) * 4); // and that of B
    let mut sums = [[0.0f32; R as usize]; R as usize];

    for p in (0..k).step_by(K) {
        let from_a = load_float4(&a, top + line, p + step, m, k, lda, wide.0, edge);
        #[unroll]
        for s in 0..4 {
            a_tile[[step + s, line]] = from_a[s];
        }
        let from_b = load_float4(&b, p + b_step, left + column, k, n, ldb, wide.1, edge);
        b_tile.store4((b_step, column), from_b);
        sync_threads();
        #[unroll]
        for i in 0..K {
            let lines = [a_tile.load4((i, y)), a_tile.load4((i, y + 4))];
            let columns = [b_tile.load4((i, x)), b_tile.load4((i, x + 4))];
            #[unroll]
            for r in 0..R {
                #[unroll]
                for q in 0..R {
                    sums[r][q] = lines[r / 4][r % 4].mul_add(columns[q / 4][q % 4], sums[r][q]);
                }
            }
        }
        sync_threads();
    }

    #[unroll]
    for r in 0..R {
        #[unroll]
        for h in [0, 4] {
            let sums = [sums[r][h], sums[r][h + 1], sums[r][h + 2], sums[r][h + 3]];
            let (row, col) = (top + y + r, left + x + h);
            store_float4(c, row, col, m, n, ldc, &sums, alpha, beta, reads_c, wide.2, edge);
        }
    }
}

pub(super) fn prepare<'a>(x: &'a mut Operands, device: &Device) -> Result<Prepared<'a>> {
    let (grid, reads_c, edge) = (x.tiles(T, T)?, x.reads_c(), !x.is_multiple_of_tile((T, T, K)));
    let (Shape { m, n, k, lda, ldb, ldc }, wide) = (x.shape, x.wide());
    let launch = vectorized(
        &x.a, &x.b, &mut x.c, m, n, k, lda, ldb, ldc, x.alpha, x.beta, reads_c, edge, wide,
    );
    // SAFETY: each global access is guarded by the extents, or no tile reaches past them, and
    // `tiles` has checked that the buffers hold the shape; float4 accesses are used only where rows
    // consist of aligned ones. A thread's index is under THREADS, so its tile indices are in range.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
