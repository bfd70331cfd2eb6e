//! Integer product rung: `bytes`.
//!
//! Idea: tensor cores multiply 8-bit integers with wrapping 32-bit sums. A 32-bit integer is four bytes, a0 + 2^8 a1 + 2^16 a2 +
//! 2^24 a3. Of the 16 byte products, only the 10 whose places (0 to 3) add up to less than 4 reach the low 32 bits; the others
//! are multiples of 2^32. The kernel keeps one sum per place and shifts the sums at the end; nothing is rounded.
//! 思路：张量核心做 8 位整数乘法，以会回绕的 32 位整数累加。一个 32 位整数是四个字节：a0 + 2^8 a1 + 2^16 a2 + 2^24 a3。
//! 16 个字节乘积中，只有位次（0 到 3）之和小于 4 的 10 个影响低 32 位，其余都是 2^32 的倍数。核函数按位次分别累加，最后移位相加；没有任何舍入。
//! Predicts: 10 tensor-core instructions (`mma`) for 16 x 8 x 32 multiply-adds, and less than a third of the warp
//! instructions of `pipelined`; 3 / 256 global loads per multiply-add; no bank conflicts when bytes are split
//! (`stmatrix`) or loaded (`ldmatrix`).
//! 预测：每 16 x 8 x 32 次乘加用 10 条张量核心指令（`mma`），warp 指令数不到 `pipelined` 的三分之一；每次乘加 3 / 256 次全局加载；拆分字节（`stmatrix`）和加载（`ldmatrix`）都没有 bank 冲突。
//! Costs: needs sm_90 (`stmatrix`); four sums per result, so a warp computes only 32 x 32 results;
//! products under 128 x 64 leave warps idle. On an H200 at 1024: 51.2 us, 3.1x `pipelined` (159.7
//! us).
//! 代价：需要 sm_90（`stmatrix`）；每个结果要四个累加和，所以一个 warp 只计算 32 x 32 个结果；小于 128 x 64 的矩阵会使 warp 空闲。
//! H200 上 1024 时为 51.2 us，速度是 `pipelined`（159.7 us）的 3.1 倍。

use super::Product;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Rows and columns of C per block, and steps per split.
const ROWS: u32 = 128;
const COLS: u32 = 64;
const STEPS: u32 = 32;
const THREADS: u32 = 256;
/// Bytes of a number: each byte has its own tile.
const PARTS: u32 = 4;
/// A by rows, and B by columns. Each has two tiles: one is filled while the other is multiplied.
type Left = SharedTiles<u8, ROWS, STEPS, Swizzle32>;
type Right = SharedTiles<u8, COLS, STEPS, Swizzle32>;

/// Gathers the first bytes of four words, the second bytes, and so on.
#[device]
fn by_place(words: [i32; 4]) -> [u32; 4] {
    let low = chosen(words[0] as u32, words[1] as u32, 0x5140);
    let more_low = chosen(words[2] as u32, words[3] as u32, 0x5140);
    let high = chosen(words[0] as u32, words[1] as u32, 0x7362);
    let more_high = chosen(words[2] as u32, words[3] as u32, 0x7362);
    [
        chosen(low, more_low, 0x5410),
        chosen(low, more_low, 0x7632),
        chosen(high, more_high, 0x5410),
        chosen(high, more_high, 0x7632),
    ]
}

/// The bytes of two words selected by the digits of `which`; the last digit selects the first byte.
#[device]
fn chosen(low: u32, high: u32, #[constant] which: u32) -> u32 {
    ptx!("prmt.b32 {}, {}, {}, {};", out(u32), in(low), in(high), in(which))
}

#[kernel(block = THREADS)]
fn bytes(a: &[i32], b: &[i32], c: &mut [i32], m: u32, n: u32, k: u32, #[constant] wide: bool) {
    let left = Left::dynamic(const { 2 * PARTS });
    let right = Right::dynamic(const { 2 * PARTS });
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let (top, first) = (block_idx.y * ROWS, block_idx.x * COLS);
    // A lane has four steps of a row of A and of a column of B; 8 lines by 16 steps form a matrix of `stmatrix`.
    let (line, step) = (lane / 4, lane % 4 * 4);
    let mut of_a = [[0i32; 4]; 4];
    let mut of_b = [[0i32; 4]; 2];
    let (down, across) = (warp / 2 * 32, warp % 2 * 32);
    let mut sums = [[[FragmentC::<i32, 16, 8>::zero(); 4]; 2]; 4];
    let mut stage = 0u32;
    for p in (0..k + STEPS).step_by(STEPS) {
        // Splits the numbers that the previous step loaded, while this half of the tiles has no readers.
        if p > 0 {
            #[unroll]
            for i in 0..4u32 {
                // The steps of a row are 32 bytes; a warp stores half of them per instruction.
                let (row, half) = (warp / 2 * 32 + i * 8, warp % 2 * 16);
                let tile = left[stage * PARTS + lane / 8];
                stmatrix(&mut tile[[row + lane % 8, half]], by_place(of_a[i]));
            }
            #[unroll]
            for i in 0..2u32 {
                let (column, half) = (warp / 2 * 16 + i * 8, warp % 2 * 16);
                let tile = right[stage * PARTS + lane / 8];
                stmatrix(&mut tile[[column + lane % 8, half]], by_place(of_b[i]));
            }
            sync_threads();
        }
        // The next steps load while these are multiplied.
        #[unroll]
        for i in 0..4u32 {
            let (row, at) = (top + warp / 2 * 32 + i * 8 + line, p + warp % 2 * 16 + step);
            if wide {
                of_a[i] = [0; 4];
                if row < m && at < k {
                    of_a[i] = a.load4(row * k + at);
                }
            } else {
                #[unroll]
                for e in 0..4u32 {
                    of_a[i][e] = if row < m && at + e < k { a[row * k + at + e] } else { 0 };
                }
            }
        }
        #[unroll]
        for i in 0..2u32 {
            let (column, at) = (first + warp / 2 * 16 + i * 8 + line, p + warp % 2 * 16 + step);
            #[unroll]
            for e in 0..4u32 {
                of_b[i][e] = if column < n && at + e < k { b[(at + e) * n + column] } else { 0 };
            }
        }
        if p > 0 {
            let mut columns = [[FragmentB::<u8, 32, 8>::zero(); 4]; 4];
            #[unroll]
            for part in 0..PARTS {
                #[unroll]
                for pair in 0..2u32 {
                    let tile = right[stage * PARTS + part].t();
                    let two = FragmentB::<u8, 32, 8>::load_pair(tile, 0, across + 16 * pair);
                    columns[part][2 * pair] = two[0];
                    columns[part][2 * pair + 1] = two[1];
                }
            }
            #[unroll]
            for of_left in 0..PARTS {
                let tile = left[stage * PARTS + of_left];
                let rows = [
                    FragmentA::<u8, 16, 32>::load(tile, down, 0),
                    FragmentA::<u8, 16, 32>::load(tile, down + 16, 0),
                ];
                #[unroll]
                for of_right in 0..PARTS - of_left {
                    #[unroll]
                    for i in 0..2 {
                        #[unroll]
                        for j in 0..4 {
                            sums[of_left + of_right][i][j].mma(rows[i], columns[of_right][j]);
                        }
                    }
                }
            }
            stage = 1 - stage;
        }
    }
    #[unroll]
    for i in 0..2u32 {
        #[unroll]
        for j in 0..4u32 {
            #[unroll]
            for e in 0..4u32 {
                let (y, x) = sums[0][i][j].position(e);
                let (y, x) = (top + down + 16 * i + y, first + across + 8 * j + x);
                if y < m && x < n {
                    let mut all = 0i32;
                    #[unroll]
                    for place in 0..PARTS {
                        all += sums[place][i][j][e] << (8 * place);
                    }
                    c[y * n + x] = all;
                }
            }
        }
    }
}

pub(super) fn prepare<'a>(p: &'a mut Product, device: &Device) -> Result<Prepared<'a>> {
    let grid = p.grid(ROWS, COLS)?;
    let launch = bytes(&p.a, &p.b, &mut p.c, p.m, p.n, p.k, p.k.is_multiple_of(4));
    let shared = 2 * PARTS * (Left::STRIDE + Right::STRIDE);
    // SAFETY: the kernel checks loads and stores against the extents; it loads four elements of A at once only if
    // rows are aligned.
    unsafe { launch.grid(grid).block(THREADS).shared_bytes(shared).prepare_unchecked(device) }
}
