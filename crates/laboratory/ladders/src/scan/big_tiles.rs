//! Scan rung: `big-tiles`.
//!
//! Idea: each thread loads four 16-byte vectors before it uses the first, and keeps them in registers. Adjacent lanes hold
//! adjacent vectors, so accesses are coalesced. The kernel adds within each vector, then across lanes, then from one vector
//! to the next.
//! 思路：每个线程先发出 4 次 16 字节的加载，再使用第一个向量，四个向量都留在寄存器中。相邻 lane 读取相邻的向量，所以访问是合并的。求和依次在向量内部、lane 之间、向量之间进行。
//! Predicts: 16 sectors per request and a quarter of the requests; an eighth of the tiles, and so an eighth of the atomics and
//! look-backs.
//! 预测：每个请求 16 个扇区，请求数降到四分之一；tile 数降到八分之一，原子操作和回看也随之降到八分之一。
//! Costs: registers for the loaded vectors; the last tile is loaded number by number.
//! 代价：加载的向量要占寄存器；最后一个 tile 逐个数加载。

use super::Sums;
use super::look_back::{publish, sum_before};
use super::tile::leave_zeros;
use lanework::prelude::*;
use lanework::{Prepared, Result};

const THREADS: u32 = 512;
const VECTORS: usize = 4;
const TILE: u32 = THREADS * 4 * VECTORS as u32;

#[kernel(block = THREADS, min_blocks = 2)]
fn big_tiles(x: &[f32], y: &mut [f32], cells: &mut [u64], tickets: &mut [u32]) {
    let of_warps = shared::<f32>(16);
    let carried = shared::<f32>(1);
    let taken = shared::<u32>(1);
    let (n, t, lane, warp) = (x.len() as u32, thread_idx.x, thread_idx.x % 32, thread_idx.x / 32);
    if t == 0 {
        taken[0] = atomic_add(&mut tickets[0], 1);
    }
    sync_threads();
    let tile = taken[0];
    let first = tile * TILE + warp * const { 128 * VECTORS as u32 } + 4 * lane;
    let whole = (tile + 1) as u64 * TILE as u64 <= n as u64;

    let mut values = [[0.0f32; 4]; VECTORS];
    #[unroll]
    for k in 0..VECTORS {
        let at = first + const { 128 * k as u32 };
        if whole {
            values[k] = x.load_vec_nc::<4>(at);
        } else {
            #[unroll]
            for j in 0..4u32 {
                if at + j < n {
                    values[k][j] = load_nc(&x[at + j]);
                }
            }
        }
    }

    let mut carry = 0.0f32;
    let mut lefts = [0.0f32; VECTORS];
    #[unroll]
    for k in 0..VECTORS {
        #[unroll]
        for j in 1..4 {
            values[k][j] += values[k][j - 1];
        }
        let mut sum = values[k][3];
        #[unroll]
        for delta in [1u32, 2, 4, 8, 16] {
            let left = shfl_up_sync(FULL_MASK, sum, delta);
            sum = select(lane >= delta, left + sum, sum);
        }
        let left = shfl_up_sync(FULL_MASK, sum, 1);
        lefts[k] = carry + select(lane > 0, left, 0.0);
        carry += shfl_sync(FULL_MASK, sum, 31);
    }
    if lane == 0 {
        of_warps[warp] = carry;
    }
    sync_threads();
    let mut before = 0.0f32;
    let mut total = 0.0f32;
    #[unroll]
    for w in 0..16u32 {
        let of_warp = of_warps[w];
        before = select(w < warp, before + of_warp, before);
        total += of_warp;
    }
    if t < 32 {
        if t == 0 {
            publish(cells, tile, 1, total);
        }
        let of_tiles = sum_before(cells, tile);
        if t == 0 {
            publish(cells, tile, 2, of_tiles + total);
            carried[0] = of_tiles;
        }
    }
    sync_threads();
    before += carried[0];

    #[unroll]
    for k in 0..VECTORS {
        let at = first + const { 128 * k as u32 };
        let mut sums = [0.0f32; 4];
        #[unroll]
        for j in 0..4 {
            sums[j] = before + lefts[k] + values[k][j];
        }
        if whole {
            y.store_vec(at, sums);
        } else {
            #[unroll]
            for j in 0..4 {
                if at + (j as u32) < n {
                    y[at + j as u32] = sums[j];
                }
            }
        }
    }
    leave_zeros(cells, tickets);
}

pub(super) fn prepare<'a>(s: &'a mut Sums, device: &Device) -> Result<Prepared<'a>> {
    let tiles = (s.x.len() as u32).div_ceil(TILE).max(1);
    s.make_room(device, tiles)?;
    let launch = big_tiles(&s.x, &mut s.y, &mut s.cells, &mut s.tickets);
    // SAFETY: the kernel checks single indices against the shared length, and loads vectors only in whole tiles;
    // there are as many tickets as blocks, tiles and cells, and a block reads only cells before its own.
    unsafe { launch.grid(tiles).block(THREADS).prepare_unchecked(device) }
}
