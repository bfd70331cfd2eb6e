//! Matrix product rung: `blocked`.
//!
//! Idea: 16 x 16 threads compute a tile of C from tiles of A and B in shared memory, where 16 threads read each
//! number.
//! Predicts: 1/8 of `pitched`'s load sectors if tiles fit the matrices exactly: each thread loads one element of A and
//! one of B for every 16 steps.
//! Costs: two barriers per tile, and an edge test for every global access.
//! 思路：16 x 16 个线程用共享内存中 A、B 的 tile 计算 C 的一个 tile，其中每个数供 16 个线程读取。
//! 预测：tile 恰好铺满矩阵时，加载扇区数降到 `pitched` 的八分之一：每 16 步，每个线程只加载 A 和 B 各一个元素。
//! 代价：每个 tile 两次屏障，每次全局访问都要判断边界。

use super::Matrices;
use super::matrices::TILE;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel(block = (TILE, TILE))]
fn blocked(a: &[f32], b: &[f32], c: &mut [f32], m: u32, n: u32, k: u32) {
    let a_tile = shared::<f32>([TILE, TILE]);
    let b_tile = shared::<f32>([TILE, TILE]);
    let (x, y) = (thread_idx.x, thread_idx.y);
    let (row, col) = (block_idx.y * TILE + y, block_idx.x * TILE + x);
    let (mut sum, mut rest) = (0.0f32, 0.0f32);
    for p in (0..k).step_by(TILE) {
        a_tile[[y, x]] = if row < m && p + x < k { a[row * k + p + x] } else { 0.0 };
        b_tile[[y, x]] = if p + y < k && col < n { b[(p + y) * n + col] } else { 0.0 };
        sync_threads();
        #[unroll]
        for i in 0..TILE {
            let term = a_tile[[y, i]].mul_add(b_tile[[i, x]], rest);
            let next = sum + term;
            rest = term - (next - sum);
            sum = next;
        }
        sync_threads();
    }
    if row < m && col < n {
        c[row * n + col] = sum;
    }
}

pub(super) fn prepare<'a>(x: &'a mut Matrices, device: &Device) -> Result<Prepared<'a>> {
    let (grid, e) = (x.tiles(device, TILE)?, x.extents);
    let launch = blocked(&x.a.buffer, &x.b.buffer, &mut x.c.buffer, e.m, e.n, e.k);
    // SAFETY: each global access is guarded by the extents of its packed matrix, and the block is
    // TILE x TILE, so both thread indices are under TILE.
    unsafe { launch.grid(grid).block((TILE, TILE)).prepare_unchecked(device) }
}
