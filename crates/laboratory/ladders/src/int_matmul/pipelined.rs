//! Integer product rung: `pipelined`.
//!
//! Idea: the tiles of the two previous rungs combined: a block of 256 threads computes 128 x 128 elements of C, and
//! each thread 8 x 8 of them in registers, fed from shared memory while asynchronous copies fetch the next 16 columns
//! of A and rows of B. The tile size is fixed.
//! 思路：两种 tile 结合使用：256 个线程的线程块计算 C 的 128 x 128 个元素，每个线程在寄存器中计算其中 8 x 8 个，数据来自共享内存，同时由异步拷贝取来 A 接下来的 16 列和 B 接下来的 16 行。tile 大小固定。
//! Predicts: 1 / 64 global loads and 1 / 4 shared loads per multiply-add; no spills, no bank conflicts.
//! 预测：每次乘加 1 / 64 次全局加载、1 / 4 次共享内存加载；没有溢出，没有 bank 冲突。
//! Costs: products under 128 x 128 leave threads idle; the integer units multiply at half the rate of FP32.
//! 代价：小于 128 x 128 的矩阵会使线程空闲；整数单元做乘法的速率是 FP32 的一半。

use super::Product;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Rows and columns of C per block, and steps per load.
const EDGE: u32 = 128;
const STEPS: u32 = 16;
const THREADS: u32 = 256;
/// Elements per step in shared memory: 4 more for A, so that lanes that store a column use different banks.
const WIDTH: u32 = EDGE + 4;

#[kernel(block = THREADS, min_blocks = 2)]
fn pipelined(a: &[i32], b: &[i32], c: &mut [i32], m: u32, n: u32, k: u32) {
    let left = shared::<i32>([2, STEPS, WIDTH]);
    let right = shared::<i32>([2, STEPS, EDGE]);
    let t = thread_idx.x;
    let (warp, lane) = (t / 32, t % 32);
    let (top, first) = (block_idx.y * EDGE, block_idx.x * EDGE);
    let y = warp / 4 * 64 + lane / 4 * 4;
    let x = warp % 4 * 32 + lane % 4 * 4;
    // Starts to copy the steps from `p` on; elements outside the matrix become zero.
    let fetch = |stage: u32, p: u32| {
        #[unroll]
        for i in 0..EDGE * STEPS / THREADS {
            // 8 adjacent lanes copy 8 steps of a row of A; adjacent lanes copy adjacent columns of B.
            let (row, step) = (t / 8 + i / 2 * 32, t % 8 + i % 2 * 8);
            let have = if top + row < m && p + step < k { 4u32 } else { 0 };
            let from = (top + row).min(m - 1) * k + (p + step).min(k - 1);
            cp_async_filled::<4, _>(&mut left[[stage, step, row]], &a[from], have);
            let (step, column) = (t / EDGE + 2 * i, t % EDGE);
            let have = if p + step < k && first + column < n { 4u32 } else { 0 };
            let from = (p + step).min(k - 1) * n + (first + column).min(n - 1);
            cp_async_filled::<4, _>(&mut right[[stage, step, column]], &b[from], have);
        }
        cp_async_commit();
    };
    let mut sums = [[0i32; 8]; 8];
    let mut stage = 0u32;
    fetch(stage, 0);
    for p in (0..k).step_by(STEPS) {
        cp_async_wait(0);
        sync_threads(); // all threads see these steps, and no thread still reads the others
        fetch(1 - stage, p + STEPS);
        #[unroll]
        for i in 0..STEPS {
            let rows = [left.load4((stage, i, y)), left.load4((stage, i, y + 32))];
            let columns = [right.load4((stage, i, x)), right.load4((stage, i, x + 16))];
            #[unroll]
            for r in 0..8u32 {
                #[unroll]
                for q in 0..8u32 {
                    sums[r][q] += rows[r / 4][r % 4] * columns[q / 4][q % 4];
                }
            }
        }
        stage = 1 - stage;
    }
    #[unroll]
    for r in 0..8u32 {
        #[unroll]
        for q in 0..8u32 {
            let (row, column) = (top + y + r / 4 * 32 + r % 4, first + x + q / 4 * 16 + q % 4);
            if row < m && column < n {
                c[row * n + column] = sums[r][q];
            }
        }
    }
}

pub(super) fn prepare<'a>(p: &'a mut Product, device: &Device) -> Result<Prepared<'a>> {
    let grid = p.grid(EDGE, EDGE)?;
    let launch = pipelined(&p.a, &p.b, &mut p.c, p.m, p.n, p.k);
    // SAFETY: copies clamp rows, columns and steps to the last ones, and read nothing if `have` is 0; the kernel
    // checks stores against m and n.
    unsafe { launch.grid(grid).block(THREADS).prepare_unchecked(device) }
}
