//! The sm_90a kernel's compile-time configuration and shared memory, its fragments, and its stores.
//!
//! A TMA box has rows of 64 bytes: eight elements along k or across it, whichever is adjacent in the factor. The 64-byte swizzle
//! permutes a row's 16-byte chunks by two bits of the row number. The order in which eight k are summed is free as long as A and B
//! agree: lane `q` of a group of four takes k of 0, 1, 4 and 5, and two more in the second half, so that the lanes of a load hit
//! different banks in both layouts.

use crate::gemm::finish::{Finish, finished};
use lanework::prelude::*;

/// Offset of this lane's element in a line, for both halves of eight k.
#[device]
pub fn begin(line: u32, #[constant] depth: u32, #[constant] along: bool) -> [u32; 2] {
    let q = thread_idx.x % 4;
    let mut places = [0u32; 2];
    #[unroll]
    for half in 0..2u32 {
        let pair = q / 2 * 2 + half; // k / 2
        places[half] = if along {
            line * WIDTH + (pair ^ (line / 2 % 4)) * 2 + q % 2
        } else {
            let k = pair * 2 + q % 2;
            (line / WIDTH * depth + k) * WIDTH + ((line % WIDTH / 2) ^ pair) * 2 + line % 2
        };
    }
    places
}

/// A warp's A fragment: the `i`-th group of 16 rows, and the `eight`-th group of eight k of a stage.
#[device]
pub fn fragment_a(
    x: Shared<f64, 1>,
    stage: u32,
    places: [u32; 2],
    #[constant] eight: u32,
    #[constant] i: u32,
    #[constant] config: DoubleConfig,
) -> [f64; 4] {
    let mut fragment = [0.0f64; 4];
    #[unroll]
    for e in 0..2u32 {
        let at = stage * const { config.tile.0 * config.depth() } + places[e];
        #[unroll]
        for low in 0..2u32 {
            let further = const {
                further(eight, 16 * i + 8 * low, config.tile.0, config.depth(), config.along.0)
            };
            fragment[2 * e + low] = x[at + further];
        }
    }
    fragment
}

/// All A fragments for the first eight k of a stage.
#[device]
pub fn fragments_a(
    x: Shared<f64, 1>,
    stage: u32,
    places: [u32; 2],
    #[constant] config: DoubleConfig,
) -> [[f64; 4]; 4] {
    // A warp uses as many of the four fragments as it has; the compiler removes the others.
    let mut fragments = [[0.0f64; 4]; 4];
    #[unroll]
    for i in 0..const { config.tall() } {
        fragments[i] = fragment_a(x, stage, places, 0u32, i, config);
    }
    fragments
}

/// All B fragments for eight k.
#[device]
pub fn fragments_b(
    x: Shared<f64, 1>,
    stage: u32,
    places: [u32; 2],
    #[constant] eight: u32,
    #[constant] config: DoubleConfig,
) -> [[f64; 2]; 4] {
    let mut fragments = [[0.0f64; 2]; 4];
    #[unroll]
    for e in 0..2u32 {
        let at = config.first_b() + stage * const { config.tile.1 * config.depth() } + places[e];
        #[unroll]
        for j in 0..4u32 {
            let further =
                const { further(eight, 8 * j, config.tile.1, config.depth(), config.along.1) };
            fragments[j][e] = x[at + further];
        }
    }
    fragments
}

/// Element offset of the position `down` lines (a multiple of eight) and `eight` times eight k further on.
const fn further(eight: u32, down: u32, lines: u32, depth: u32, along: bool) -> u32 {
    if along { (eight * lines + down) * WIDTH } else { down * depth + eight * WIDTH * WIDTH }
}

/// Threads of a block: two warpgroups that multiply and one that loads.
pub const THREADS: u32 = 384;

/// Warps that multiply.
pub const WARPS: u32 = 8;

/// Elements of a row in shared memory, and the k of an `mma`.
pub const WIDTH: u32 = 8;

/// Result columns of a warp.
pub const COLUMNS: u32 = 32;

/// Upper limit on the shared memory used by the stages.
const MOST_BYTES: u32 = 192 * 1024;

/// Compile-time configuration of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DoubleConfig {
    /// Rows and columns of a block's result tile.
    pub tile: (u32, u32),
    /// Whether A and B have adjacent elements along k.
    pub along: (bool, bool),
    /// Whether one access covers two adjacent results.
    pub paired: bool,
}

impl DoubleConfig {
    /// Warps per row of the tile.
    pub const fn across(self) -> u32 {
        self.tile.1 / COLUMNS
    }

    /// 16-row products per warp.
    pub const fn tall(self) -> u32 {
        self.tile.0 * self.across() / WARPS / 16
    }

    /// k per stage: more for half-width tiles, which do half the multiplications per k.
    pub const fn depth(self) -> u32 {
        if self.tile.1 > 64 { 32 } else { 16 }
    }

    /// Stages in the ring.
    pub const fn stages(self) -> u32 {
        MOST_BYTES / self.stage_bytes()
    }

    /// Elements before the stages of B.
    pub const fn first_b(self) -> u32 {
        self.stages() * self.tile.0 * self.depth()
    }

    /// Bytes of a stage.
    pub const fn stage_bytes(self) -> u32 {
        8 * self.depth() * (self.tile.0 + self.tile.1)
    }

    /// Dynamic shared memory of a block.
    pub const fn shared_bytes(self) -> u32 {
        self.stages() * self.stage_bytes()
    }
}

/// TMA boxes per stage; each has rows of `WIDTH` elements: all lines for eight k, or all k for eight lines.
pub const fn boxes(lines: u32, depth: u32, along: bool) -> u32 {
    if along { depth / WIDTH } else { lines / WIDTH }
}

/// Rows of a TMA box.
pub const fn height(lines: u32, depth: u32, along: bool) -> u32 {
    if along { lines } else { depth }
}

/// Stores this lane's two results of a row (one half of a fragment) at their position in the product; `step` is their memory
/// stride.
#[device]
#[allow(clippy::too_many_arguments)]
pub fn store<const M: u32>(
    c: &mut [f64],
    (at, step): (u64, u64),
    (y, x): (u32, u32),
    (m, n): (u32, u32),
    sums: FragmentC<f64, M, 8>,
    #[constant] half: u32,
    (alpha, beta): (f64, f64),
    bias: &[f64],
    scale_a: &[f32],
    scale_b: &[f32],
    #[constant] paired: bool,
    #[constant] finish: Finish,
) {
    let mut values = [0.0f64; 2];
    #[unroll]
    for e in 0..2u32 {
        if y < m && x + e < n {
            let mut before = 0.0f64;
            if finish.reads_c {
                before = c[at + e as u64 * step];
            }
            values[e] = finished(
                sums[2 * half + e],
                before,
                (y, x + e),
                (alpha, beta),
                bias,
                (scale_a, scale_b),
                finish,
            );
        }
    }
    if y < m && x < n {
        if paired && x + 1 < n {
            c.store2(at, values);
        } else {
            c[at] = values[0];
            if x + 1 < n {
                c[at + step] = values[1];
            }
        }
    }
}
