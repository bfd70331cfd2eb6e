//! Integer product rung: `shared-tile`.
//!
//! Idea: a block of T x T threads loads a tile of A and one of B into shared memory and reuses
//! them.
//! 思路：T x T 个线程的线程块把 A 和 B 各一个 tile 加载到共享内存，重复使用。
//! Predicts: 2 / T global loads per multiply-add and no spills; small tiles do not fill a warp.
//! 预测：每次乘加 2 / T 次全局加载，没有溢出；小 tile 凑不满一个 warp。
//! Costs: two barriers per step, and two shared loads per multiply-add.
//! 代价：每一步两次屏障，每次乘加两次共享内存加载。

use super::Product;
use lanework::prelude::*;
use lanework::{Prepared, Result};

#[kernel]
fn shared_tile(a: &[i32], b: &[i32], c: &mut [i32], m: u32, n: u32, k: u32, #[constant] t: u32) {
    let left = shared::<i32>([t, t]);
    let right = shared::<i32>([t, t]);
    let (tx, ty) = (thread_idx.x, thread_idx.y);
    let (x, y) = (block_idx.x * t + tx, block_idx.y * t + ty);
    let mut sum = 0;
    for step in 0..(k + t - 1) / t {
        let (p, q) = (step * t + tx, step * t + ty);
        left[[ty, tx]] = if y < m && p < k { a[y * k + p] } else { 0 };
        right[[ty, tx]] = if q < k && x < n { b[q * n + x] } else { 0 };
        sync_threads();
        #[unroll]
        for i in 0..t {
            sum += left[[ty, i]] * right[[i, tx]];
        }
        sync_threads();
    }
    if x < n && y < m {
        c[y * n + x] = sum;
    }
}

pub(super) fn prepare<'a>(p: &'a mut Product, device: &Device) -> Result<Prepared<'a>> {
    let grid = p.grid(p.tile, p.tile)?;
    let launch = shared_tile(&p.a, &p.b, &mut p.c, p.m, p.n, p.k, p.tile);
    // SAFETY: every access to global memory is guarded by the extents of its matrix, and the block
    // is t x t, so both thread indices are under t.
    unsafe { launch.grid(grid).block((p.tile, p.tile)).prepare_unchecked(device) }
}
