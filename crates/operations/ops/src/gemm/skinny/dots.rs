//! The kernel for a matrix that is adjacent along k: dot products of its lines with the vectors.

use super::form::{Form, THREADS, WARPS, of_vector, over_lanes};
use crate::gemm::finish::{Finish, Sum, finished};
use lanework::prelude::*;

/// Each warp multiplies some lines by all vectors, 128 steps at a time.
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
    #[constant] form: Form,
) {
    let parts = shared::<S>([WARPS, 32]);
    let [_, m, _, k] = extents;
    let (warp, lane) = (thread_idx.x / 32, thread_idx.x % 32);
    let blocks = (m - 1) / form.lines_of_block() + 1;
    let (batch, block) = (block_idx.x / blocks, block_idx.x % blocks);
    let first = block * form.lines_of_block() + warp / form.share * form.lines;
    let (from_a, from_b) = (batch * strides_a[0], batch * strides_b[0]);

    // Lines by vectors.
    let mut sums = [[S::ZERO; 8]; 4];
    let apart = const { 128 * form.share };
    let begin = warp % form.share * 128;
    for p in (begin..k).step_by(const { 128 * form.share * form.deep }) {
        let at = p + 4 * lane;
        let mut of_lines = [[[S::ZERO; 4]; 4]; 8];
        #[unroll]
        for d in 0..form.deep {
            #[unroll]
            for l in 0..form.lines {
                // Lines past the last one re-read it; their results are not stored.
                let place = from_a + (first + l).min(m - 1) * strides_a[1];
                of_lines[d][l] = of_vector::<S>(&a, place, 1, at + d * apart, k, form.wide);
            }
        }
        #[unroll]
        for d in 0..form.deep {
            #[unroll]
            for j in 0..form.vectors {
                let (place, step) = (from_b + j * strides_b[2], at + d * apart);
                let four = of_vector::<S>(&b, place, strides_b[1], step, k, form.wide_vectors);
                #[unroll]
                for l in 0..form.lines {
                    #[unroll]
                    for e in 0..4u32 {
                        sums[l][j] = fma(of_lines[d][l][e], four[e], sums[l][j]);
                    }
                }
            }
        }
    }
    // Result `l * vectors + j` belongs to the lane of that index.
    let mut mine = S::ZERO;
    #[unroll]
    for l in 0..form.lines {
        #[unroll]
        for j in 0..form.vectors {
            let sum = over_lanes::<S>(sums[l][j]);
            if lane == const { l * form.vectors + j } {
                mine = sum;
            }
        }
    }
    if form.share > 1 {
        parts[[warp, lane]] = mine;
        sync_threads();
        mine = S::ZERO;
        #[unroll]
        for part in 0..form.share {
            mine += parts[[warp / form.share * form.share + part, lane]];
        }
    }
    let (row, column) = (first + lane / form.vectors, lane % form.vectors);
    let leads = warp % form.share == 0 && lane < const { form.lines * form.vectors };
    if leads && row < m {
        let at = batch * strides_c[0] + row * strides_c[1] + column * strides_c[2];
        let mut before = S::ZERO;
        if finish.reads_c {
            before = c[at];
        }
        c[at] = finished(mine, before, (row, column), (alpha, beta), bias, (scale, scale), finish);
    }
}
