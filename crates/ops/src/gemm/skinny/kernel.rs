//! Kernels for a matrix and a few vectors: dot products of lines that lie along k, and sums of scaled lines that lie across it.

use crate::gemm::finish::{Finish, finished};
use lanework::prelude::*;

/// Threads of a block.
pub(super) const THREADS: u32 = 256;
const WARPS: u32 = THREADS / 32;
/// Lines that a block of [`sums`] has, 4 per lane.
pub(super) const GROUP: u32 = 128;
/// Steps that a warp of [`sums`] loads at a time.
const STEPS: u32 = 8;

/// What of a kernel is constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// Vectors, 1 to 8.
    pub vectors: u32,
    /// Whether the elements of a line along k are adjacent, or those of a step.
    pub along_k: bool,
    /// Whether the matrix consists of aligned float4s, and the vectors along k.
    pub wide: bool,
    pub wide_vectors: bool,
    /// Lines of a warp, and warps that share the steps of their lines.
    pub lines: u32,
    pub share: u32,
    /// Pieces of 128 steps of a line that are on their way at a time.
    pub deep: u32,
    /// Blocks of a cluster that share the steps of their lines.
    pub splits: u32,
}

impl Form {
    /// Lines of a block.
    pub const fn lines_of_block(self) -> u32 {
        if self.along_k { WARPS / self.share * self.lines } else { GROUP }
    }
}

/// The sum of a value over the lanes of a warp, in every lane.
#[device]
fn over_lanes(value: f32) -> f32 {
    let mut sum = value;
    #[unroll]
    for i in 0..5u32 {
        sum += shfl_xor_sync(FULL_MASK, sum, 16 >> i);
    }
    sum
}

/// Four elements of a vector from step `at` on; 0 where `at` is not below `k`.
#[device]
fn of_vector(
    b: &[f32],
    place: u32,
    stride: u32,
    at: u32,
    k: u32,
    #[constant] wide: bool,
) -> [f32; 4] {
    let mut four = [0.0f32; 4];
    if wide {
        if at < k {
            four = b.load4(place + at);
        }
    } else {
        #[unroll]
        for e in 0..4u32 {
            // A load of the last step instead of a branch.
            let value = load_nc(&b[place + (at + e).min(k - 1) * stride]);
            four[e] = if at + e < k { value } else { 0.0 };
        }
    }
    four
}

/// Results of lines whose elements along k are adjacent: each warp multiplies some lines by all vectors, 128 steps at a time.
#[kernel(block = THREADS)]
pub(super) fn dots(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    bias: &[f32],
    scale: &[f32],
    extents: [u32; 4],
    strides_a: [u32; 3],
    strides_b: [u32; 3],
    strides_c: [u32; 3],
    alpha: f32,
    beta: f32,
    #[constant] finish: Finish,
    #[constant] form: Form,
) {
    let parts = shared::<f32>([WARPS, 32]);
    let [_, m, _, k] = extents;
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let blocks = (m - 1) / form.lines_of_block() + 1;
    let (batch, block) = (block_idx.x / blocks, block_idx.x % blocks);
    let first = block * form.lines_of_block() + warp / form.share * form.lines;
    let (from_a, from_b) = (batch * strides_a[0], batch * strides_b[0]);

    // Lines by vectors.
    let mut sums = [[0.0f32; 8]; 4];
    let apart = const { 128 * form.share };
    let begin = warp % form.share * 128;
    for p in (begin..k).step_by(const { 128 * form.share * form.deep }) {
        let at = p + 4 * lane;
        let mut of_lines = [[[0.0f32; 4]; 4]; 8];
        #[unroll]
        for d in 0..form.deep {
            #[unroll]
            for l in 0..form.lines {
                // Lines past the last one are read from it, and their results are not stored.
                let place = from_a + (first + l).min(m - 1) * strides_a[1];
                of_lines[d][l] = of_vector(&a, place, 1, at + d * apart, k, form.wide);
            }
        }
        #[unroll]
        for d in 0..form.deep {
            #[unroll]
            for j in 0..form.vectors {
                let (place, step) = (from_b + j * strides_b[2], at + d * apart);
                let four = of_vector(&b, place, strides_b[1], step, k, form.wide_vectors);
                #[unroll]
                for l in 0..form.lines {
                    #[unroll]
                    for e in 0..4u32 {
                        sums[l][j] = of_lines[d][l][e].mul_add(four[e], sums[l][j]);
                    }
                }
            }
        }
    }
    // Result `l * vectors + j` goes to the lane of this number.
    let mut mine = 0.0f32;
    #[unroll]
    for l in 0..form.lines {
        #[unroll]
        for j in 0..form.vectors {
            let sum = over_lanes(sums[l][j]);
            if lane == const { l * form.vectors + j } {
                mine = sum;
            }
        }
    }
    if form.share > 1 {
        parts[[warp, lane]] = mine;
        sync_threads();
        mine = 0.0;
        #[unroll]
        for part in 0..form.share {
            mine += parts[[warp / form.share * form.share + part, lane]];
        }
    }
    let (row, column) = (first + lane / form.vectors, lane % form.vectors);
    let leads = warp % form.share == 0 && lane < const { form.lines * form.vectors };
    if leads && row < m {
        let at = batch * strides_c[0] + row * strides_c[1] + column * strides_c[2];
        let mut before = 0.0f32;
        if finish.reads_c {
            before = c[at];
        }
        c[at] = finished(mine, before, (row, column), (alpha, beta), bias, (scale, scale), finish);
    }
}

/// Results of lines of which the elements of a step are adjacent: each warp adds up the steps that it has of 128 lines, 4 per lane.
#[device]
fn added(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    bias: &[f32],
    scale: &[f32],
    extents: [u32; 4],
    strides_a: [u32; 3],
    strides_b: [u32; 3],
    strides_c: [u32; 3],
    alpha: f32,
    beta: f32,
    #[constant] finish: Finish,
    #[constant] form: Form,
) {
    let parts = shared::<f32>([WARPS, form.vectors, GROUP]);
    let totals = shared::<f32>([form.vectors, GROUP]);
    let [_, m, _, k] = extents;
    let t = thread_idx.x;
    let (warp, lane) = (t / 32, t % 32);
    let groups = (m - 1) / GROUP + 1;
    let job = block_idx.x / form.splits;
    let (batch, group) = (job / groups, job % groups);
    let first = group * GROUP;
    let (from_a, from_b) = (batch * strides_a[0], batch * strides_b[0]);
    // Where this lane's lines are: four adjacent ones, or 32 apart.
    let (line, apart) = if form.wide { (first + 4 * lane, 1u32) } else { (first + lane, 32u32) };

    let mut sums = [[0.0f32; 4]; 8];
    let each = const { WARPS * form.splits * STEPS };
    let begin = (block_idx.x % form.splits * WARPS + warp) * STEPS;
    for p in (begin..k).step_by(each as usize) {
        let mut of_steps = [[0.0f32; 4]; 8];
        #[unroll]
        for s in 0..STEPS {
            if p + s < k {
                let place = from_a + (p + s) * strides_a[2];
                if form.wide {
                    if line < m {
                        of_steps[s] = a.load4(place + line);
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
        for j in 0..form.vectors {
            let place = from_b + j * strides_b[2];
            #[unroll]
            for h in 0..STEPS / 4 {
                let four = of_vector(&b, place, strides_b[1], p + 4 * h, k, form.wide_vectors);
                #[unroll]
                for s in 0..4u32 {
                    #[unroll]
                    for e in 0..4u32 {
                        sums[j][e] = of_steps[4 * h + s][e].mul_add(four[s], sums[j][e]);
                    }
                }
            }
        }
    }
    #[unroll]
    for j in 0..form.vectors {
        if form.wide {
            parts.store4((warp, j, 4 * lane), [sums[j][0], sums[j][1], sums[j][2], sums[j][3]]);
        } else {
            #[unroll]
            for e in 0..4u32 {
                parts[[warp, j, lane + 32 * e]] = sums[j][e];
            }
        }
    }
    sync_threads();
    for i in (t..const { form.vectors * GROUP }).step_by(THREADS) {
        let mut sum = 0.0f32;
        #[unroll]
        for part in 0..WARPS {
            sum += parts[[part, i / GROUP, i % GROUP]];
        }
        totals[[i / GROUP, i % GROUP]] = sum;
    }
    let mut rank = 0u32;
    if form.splits > 1 {
        rank = cluster_rank();
        cluster_sync();
    } else {
        sync_threads();
    }
    let lines = const { GROUP / form.splits };
    for i in (t..const { form.vectors * GROUP / form.splits }).step_by(THREADS) {
        // One result after the other of a row.
        let (within, column) = (rank * lines + i / form.vectors, i % form.vectors);
        let mut sum = 0.0f32;
        if form.splits > 1 {
            #[unroll]
            for part in 0..form.splits {
                sum += totals.of_block(part)[[column, within]];
            }
        } else {
            sum = totals[[column, within]];
        }
        let row = first + within;
        if row < m {
            let at = batch * strides_c[0] + row * strides_c[1] + column * strides_c[2];
            let mut before = 0.0f32;
            if finish.reads_c {
                before = c[at];
            }
            c[at] =
                finished(sum, before, (row, column), (alpha, beta), bias, (scale, scale), finish);
        }
    }
    if form.splits > 1 {
        cluster_sync(); // no block leaves while another one reads its sums
    }
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident of $form:ident: #[kernel($($attribute:tt)*)];)*) => {$(
        $(#[$doc])*
        #[kernel($($attribute)*)]
        pub(super) fn $name(
            a: &[f32],
            b: &[f32],
            c: &mut [f32],
            bias: &[f32],
            scale: &[f32],
            extents: [u32; 4],
            strides_a: [u32; 3],
            strides_b: [u32; 3],
            strides_c: [u32; 3],
            alpha: f32,
            beta: f32,
            #[constant] finish: Finish,
            #[constant] $form: Form,
        ) {
            added(
                &a, &b, c, &bias, &scale, extents, strides_a, strides_b, strides_c, alpha, beta, finish, $form,
            );
        }
    )*};
}

kernels! {
    /// A block per 128 lines.
    sums of form: #[kernel(block = THREADS)];
    /// A cluster per 128 lines.
    split_sums of form: #[kernel(block = THREADS, cluster = form.splits)];
}
