//! The skinny kernels: [`dots`] for a matrix that is adjacent along k (dot products of its lines with the vectors), [`sums`] and
//! [`split_sums`] for a matrix with adjacent lines (sums of scaled columns, by a block or by the blocks of a cluster).

use crate::gemm::finish::{Finish, Sum, finished};
use lanework::prelude::*;

/// Each warp multiplies some lines by all vectors, 128 steps per iteration.
#[kernel(block = THREADS)]
pub(super) fn dots<S: Sum + Float>(
    a: &[S],
    b: &[S],
    c: &mut [S],
    bias: &[S],
    scale: &[f32],
    extents: [u32; 4],
    strides_a: [u32; 3],
    strides_b: [u32; 3],
    strides_c: [u32; 3],
    alpha: S,
    beta: S,
    #[constant] finish: Finish,
    #[constant] config: SkinnyConfig,
) {
    let parts = shared::<S>([WARPS, 32]);
    let [_, m, _, k] = extents;
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let blocks = (m - 1) / config.lines_of_block() + 1;
    let (batch, block) = (block_idx.x / blocks, block_idx.x % blocks);
    let first = block * config.lines_of_block() + warp / config.share * config.lines;
    let (from_a, from_b) = (batch * strides_a[0], batch * strides_b[0]);

    // Lines by vectors.
    let mut sums = [[S::ZERO; 8]; 4];
    let apart = const { 128 * config.share };
    let begin = warp % config.share * 128;
    for p in (begin..k).step_by(const { 128 * config.share * config.deep }) {
        let at = p + 4 * lane;
        let mut of_lines = [[[S::ZERO; 4]; 4]; 8];
        #[unroll]
        for d in 0..config.deep {
            #[unroll]
            for l in 0..config.lines {
                // Lines past the end read the last line again; their results are not stored.
                let place = from_a + (first + l).min(m - 1) * strides_a[1];
                of_lines[d][l] = of_vector::<S>(&a, place, 1, at + d * apart, k, config.wide);
            }
        }
        #[unroll]
        for d in 0..config.deep {
            #[unroll]
            for j in 0..config.vectors {
                let (place, step) = (from_b + j * strides_b[2], at + d * apart);
                let four = of_vector::<S>(&b, place, strides_b[1], step, k, config.wide_vectors);
                #[unroll]
                for l in 0..config.lines {
                    #[unroll]
                    for e in 0..4u32 {
                        sums[l][j] = fma(of_lines[d][l][e], four[e], sums[l][j]);
                    }
                }
            }
        }
    }
    // Lane `l * vectors + j` keeps that result.
    let mut mine = S::ZERO;
    #[unroll]
    for l in 0..config.lines {
        #[unroll]
        for j in 0..config.vectors {
            let sum = over_lanes::<S>(sums[l][j]);
            if lane == const { l * config.vectors + j } {
                mine = sum;
            }
        }
    }
    if config.share > 1 {
        parts[[warp, lane]] = mine;
        sync_threads();
        mine = S::ZERO;
        #[unroll]
        for part in 0..config.share {
            mine += parts[[warp / config.share * config.share + part, lane]];
        }
    }
    let (row, column) = (first + lane / config.vectors, lane % config.vectors);
    let leads = warp % config.share == 0 && lane < const { config.lines * config.vectors };
    if leads && row < m {
        let at = batch * strides_c[0] + row * strides_c[1] + column * strides_c[2];
        let mut before = S::ZERO;
        if finish.reads_c {
            before = c[at];
        }
        c[at] = finished(mine, before, (row, column), (alpha, beta), bias, (scale, scale), finish);
    }
}

/// Number of steps that a warp of [`sums`] loads together.
const STEPS: u32 = 8;

/// Each warp adds its k steps of 128 lines, 4 per lane.
#[device]
fn added<S: Sum + Float>(
    a: &[S],
    b: &[S],
    c: &mut [S],
    bias: &[S],
    scale: &[f32],
    extents: [u32; 4],
    strides_a: [u32; 3],
    strides_b: [u32; 3],
    strides_c: [u32; 3],
    alpha: S,
    beta: S,
    #[constant] finish: Finish,
    #[constant] config: SkinnyConfig,
) {
    let parts = shared::<S>([WARPS, config.vectors, GROUP]);
    let totals = shared::<S>([config.vectors, GROUP]);
    let [_, m, _, k] = extents;
    let t = thread_idx.x;
    let (warp, lane) = (t / 32, t % 32);
    let groups = (m - 1) / GROUP + 1;
    let job = block_idx.x / config.splits;
    let (batch, group) = (job / groups, job % groups);
    let first = group * GROUP;
    let (from_a, from_b) = (batch * strides_a[0], batch * strides_b[0]);
    // This lane's lines: four adjacent ones, or 32 apart.
    let (line, apart) = if config.wide { (first + 4 * lane, 1u32) } else { (first + lane, 32u32) };

    let mut sums = [[S::ZERO; 4]; 8];
    let each = const { WARPS * config.splits * STEPS };
    let begin = (block_idx.x % config.splits * WARPS + warp) * STEPS;
    for p in (begin..k).step_by(each as usize) {
        let mut of_steps = [[S::ZERO; 4]; 8];
        #[unroll]
        for s in 0..STEPS {
            if p + s < k {
                let place = from_a + (p + s) * strides_a[2];
                if config.wide {
                    if line < m {
                        of_steps[s] = four::<S>(a, place + line);
                    }
                } else {
                    #[unroll]
                    for e in 0..4u32 {
                        let at = (line + e * apart).min(m - 1);
                        of_steps[s][e] = load_nc(&a[place + at]);
                    }
                }
            }
        }
        #[unroll]
        for j in 0..config.vectors {
            let place = from_b + j * strides_b[2];
            #[unroll]
            for h in 0..STEPS / 4 {
                let factors =
                    of_vector::<S>(&b, place, strides_b[1], p + 4 * h, k, config.wide_vectors);
                #[unroll]
                for s in 0..4u32 {
                    #[unroll]
                    for e in 0..4u32 {
                        sums[j][e] = fma(of_steps[4 * h + s][e], factors[s], sums[j][e]);
                    }
                }
            }
        }
    }
    #[unroll]
    for j in 0..config.vectors {
        if config.wide {
            if size_of::<S>() == 4 {
                parts.store4((warp, j, 4 * lane), [sums[j][0], sums[j][1], sums[j][2], sums[j][3]]);
            } else {
                parts.store_vec((warp, j, 4 * lane), [sums[j][0], sums[j][1]]);
                parts.store_vec((warp, j, 4 * lane + 2), [sums[j][2], sums[j][3]]);
            }
        } else {
            #[unroll]
            for e in 0..4u32 {
                parts[[warp, j, lane + 32 * e]] = sums[j][e];
            }
        }
    }
    sync_threads();
    for i in (t..const { config.vectors * GROUP }).step_by(THREADS) {
        let mut sum = S::ZERO;
        #[unroll]
        for part in 0..WARPS {
            sum += parts[[part, i / GROUP, i % GROUP]];
        }
        totals[[i / GROUP, i % GROUP]] = sum;
    }
    let mut rank = 0u32;
    if config.splits > 1 {
        rank = cluster_rank();
        cluster_sync();
    } else {
        sync_threads();
    }
    let lines = const { GROUP / config.splits };
    for i in (t..const { config.vectors * GROUP / config.splits }).step_by(THREADS) {
        // Results of a row in sequence.
        let (within, column) = (rank * lines + i / config.vectors, i % config.vectors);
        let mut sum = S::ZERO;
        if config.splits > 1 {
            #[unroll]
            for part in 0..config.splits {
                sum += totals.of_block(part)[[column, within]];
            }
        } else {
            sum = totals[[column, within]];
        }
        let row = first + within;
        if row < m {
            let at = batch * strides_c[0] + row * strides_c[1] + column * strides_c[2];
            let mut before = S::ZERO;
            if finish.reads_c {
                before = c[at];
            }
            c[at] =
                finished(sum, before, (row, column), (alpha, beta), bias, (scale, scale), finish);
        }
    }
    if config.splits > 1 {
        cluster_sync(); // no block exits while another reads its sums
    }
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident of $config:ident: #[kernel($($attribute:tt)*)];)*) => {$(
        $(#[$doc])*
        #[kernel($($attribute)*)]
        pub(super) fn $name<S: Sum + Float>(
            a: &[S],
            b: &[S],
            c: &mut [S],
            bias: &[S],
            scale: &[f32],
            extents: [u32; 4],
            strides_a: [u32; 3],
            strides_b: [u32; 3],
            strides_c: [u32; 3],
            alpha: S,
            beta: S,
            #[constant] finish: Finish,
            #[constant] $config: SkinnyConfig,
        ) {
            added::<S>(
                &a, &b, c, &bias, &scale, extents, strides_a, strides_b, strides_c, alpha, beta, finish, $config,
            );
        }
    )*};
}

kernels! {
    /// One block per 128 lines.
    sums of config: #[kernel(block = THREADS)];
    /// One cluster per 128 lines.
    split_sums of config: #[kernel(block = THREADS, cluster = config.splits)];
}

/// Threads of a block.
pub(super) const THREADS: u32 = 256;

pub(super) const WARPS: u32 = THREADS / 32;

/// Lines per block of `sums`, 4 per lane.
pub(super) const GROUP: u32 = 128;

/// Compile-time configuration of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SkinnyConfig {
    /// Vectors, 1 to 8.
    pub vectors: u32,
    /// Whether elements along k are adjacent; otherwise the elements of a step are.
    pub along_k: bool,
    /// Whether the matrix, and vectors along k, consist of aligned groups of four elements.
    pub wide: bool,
    pub wide_vectors: bool,
    /// Lines per warp, and warps that share their k steps.
    pub lines: u32,
    pub share: u32,
    /// 128-step pieces of a line in flight.
    pub deep: u32,
    /// Blocks of a cluster that share the k steps.
    pub splits: u32,
}

impl SkinnyConfig {
    /// Lines of a block.
    pub const fn lines_of_block(self) -> u32 {
        if self.along_k { WARPS / self.share * self.lines } else { GROUP }
    }
}

/// The sum over the lanes of a warp, in every lane.
#[device]
pub(super) fn over_lanes<S: Float>(value: S) -> S {
    let mut sum = value;
    #[unroll]
    for i in 0..5u32 {
        sum += shfl_xor_sync(FULL_MASK, sum, 16 >> i);
    }
    sum
}

/// Four adjacent elements, in accesses of at most 16 bytes.
#[device]
pub(super) fn four<S: Float>(x: &[S], at: u32) -> [S; 4] {
    let mut values = [S::ZERO; 4];
    #[unroll]
    for half in 0..2u32 {
        if size_of::<S>() == 8 {
            let two = x.load_vec::<2>(at + 2 * half);
            values[2 * half] = two[0];
            values[2 * half + 1] = two[1];
        }
    }
    if size_of::<S>() == 4 {
        values = x.load4(at);
    }
    values
}

/// Four elements of a vector from step `at` on, zero-filled from `k` on.
#[device]
pub(super) fn of_vector<S: Float>(
    b: &[S],
    place: u32,
    stride: u32,
    at: u32,
    k: u32,
    #[constant] wide: bool,
) -> [S; 4] {
    let mut values = [S::ZERO; 4];
    if wide {
        if at < k {
            values = four::<S>(b, place + at);
        }
    } else {
        #[unroll]
        for e in 0..4u32 {
            // Past the end, load the last step instead of branching.
            let value = load_nc(&b[place + (at + e).min(k - 1) * stride]);
            values[e] = if at + e < k { value } else { S::ZERO };
        }
    }
    values
}
