//! Integer product rung: `register-tile`.
//!
//! Idea: one thread computes a tile of T x T elements of C in registers, directly from global
//! memory.
//! 思路：一个线程在寄存器中计算 C 的 T x T 个元素的 tile，直接从全局内存加载。
//! Predicts: 2 / T loads per multiply-add; registers grow as T * T, and above 255 they spill to
//! local memory.
//! 预测：每次乘加 2 / T 次加载；寄存器数按 T * T 增长，超过 255 个就溢出到局部内存。
//! Costs: fewer threads, whose accesses have a stride of T elements, so sectors per request grow
//! with T.
//! 代价：线程变少，相邻线程的访问步长为 T 个元素，所以每个请求的扇区数随 T 增长。

use super::Product;
use lanework::prelude::*;
use lanework::{Error, Launch, Prepared, Result};

/// Edge of the square block.
const BLOCK: u32 = 16;

/// Rows and columns past the edge are clamped to the last ones, so that no load needs a branch;
/// they are not stored.
#[kernel]
fn register_tile<const T: usize>(a: &[i32], b: &[i32], c: &mut [i32], m: u32, n: u32, k: u32) {
    let t = T as u32;
    let x = (block_idx.x * block_dim.x + thread_idx.x) * t;
    let y = (block_idx.y * block_dim.y + thread_idx.y) * t;
    if x < n && y < m {
        let mut rows = [0u32; T];
        let mut cols = [0u32; T];
        #[unroll]
        for i in 0..T {
            rows[i] = (y + i as u32).min(m - 1) * k;
            cols[i] = (x + i as u32).min(n - 1);
        }
        let mut sums = [[0i32; T]; T];
        for p in 0..k {
            let mut left = [0i32; T];
            #[unroll]
            for i in 0..T {
                left[i] = a[rows[i] + p];
            }
            #[unroll]
            for j in 0..T {
                let right = b[p * n + cols[j]];
                #[unroll]
                for i in 0..T {
                    sums[i][j] += left[i] * right;
                }
            }
        }
        #[unroll]
        for i in 0..T {
            #[unroll]
            for j in 0..T {
                let (row, col) = (y + i as u32, x + j as u32);
                if row < m && col < n {
                    c[row * n + col] = sums[i][j];
                }
            }
        }
    }
}

pub(super) fn prepare<'a>(p: &'a mut Product, device: &Device) -> Result<Prepared<'a>> {
    let edge = BLOCK * p.tile;
    let grid = p.grid(edge, edge)?;
    let launch = launch(p)?;
    // SAFETY: loads are of rows under m, columns under n and p < k; stores are guarded by m and n.
    unsafe { launch.grid(grid).block((BLOCK, BLOCK)).prepare_unchecked(device) }
}

/// The kernel of the tile.
///
/// # Errors
/// If no kernel has this tile.
fn launch(p: &mut Product) -> Result<Launch<'_>> {
    let (a, b, c, m, n, k) = (&p.a, &p.b, &mut p.c, p.m, p.n, p.k);
    Ok(match p.tile {
        1 => register_tile::<1>(a, b, c, m, n, k),
        2 => register_tile::<2>(a, b, c, m, n, k),
        4 => register_tile::<4>(a, b, c, m, n, k),
        8 => register_tile::<8>(a, b, c, m, n, k),
        16 => register_tile::<16>(a, b, c, m, n, k),
        32 => register_tile::<32>(a, b, c, m, n, k),
        64 => register_tile::<64>(a, b, c, m, n, k),
        tile => {
            return Err(Error::Launch {
                kernel: "register-tile".to_owned(),
                why: format!("there is no kernel for a tile of {tile}x{tile}"),
                help: "use a tile of 1, 2, 4, 8, 16, 32 or 64".to_owned(),
            });
        }
    })
}
