//! The kernels for a matrix with adjacent lines: sums of scaled columns, by a block or by the blocks of a cluster.

use super::form::{Form, GROUP, THREADS, WARPS, four, of_vector};
use crate::gemm::finish::{Finish, Sum, finished};
use lanework::prelude::*;

/// Steps that a warp of [`sums`] loads at a time.
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
    #[constant] form: Form,
) {
    let parts = shared::<S>([WARPS, form.vectors, GROUP]);
    let totals = shared::<S>([form.vectors, GROUP]);
    let [_, m, _, k] = extents;
    let t = thread_idx.x;
    let (warp, lane) = (t / 32, t % 32);
    let groups = (m - 1) / GROUP + 1;
    let job = block_idx.x / form.splits;
    let (batch, group) = (job / groups, job % groups);
    let first = group * GROUP;
    let (from_a, from_b) = (batch * strides_a[0], batch * strides_b[0]);
    // This lane's lines: four adjacent ones, or 32 apart.
    let (line, apart) = if form.wide { (first + 4 * lane, 1u32) } else { (first + lane, 32u32) };

    let mut sums = [[S::ZERO; 4]; 8];
    let each = const { WARPS * form.splits * STEPS };
    let begin = (block_idx.x % form.splits * WARPS + warp) * STEPS;
    for p in (begin..k).step_by(each as usize) {
        let mut of_steps = [[S::ZERO; 4]; 8];
        #[unroll]
        for s in 0..STEPS {
            if p + s < k {
                let place = from_a + (p + s) * strides_a[2];
                if form.wide {
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
        for j in 0..form.vectors {
            let place = from_b + j * strides_b[2];
            #[unroll]
            for h in 0..STEPS / 4 {
                let factors =
                    of_vector::<S>(&b, place, strides_b[1], p + 4 * h, k, form.wide_vectors);
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
    for j in 0..form.vectors {
        if form.wide {
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
    for i in (t..const { form.vectors * GROUP }).step_by(THREADS) {
        let mut sum = S::ZERO;
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
        // Results of a row in sequence.
        let (within, column) = (rank * lines + i / form.vectors, i % form.vectors);
        let mut sum = S::ZERO;
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
            let mut before = S::ZERO;
            if finish.reads_c {
                before = c[at];
            }
            c[at] =
                finished(sum, before, (row, column), (alpha, beta), bias, (scale, scale), finish);
        }
    }
    if form.splits > 1 {
        cluster_sync(); // no block exits while another reads its sums
    }
}

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident of $form:ident: #[kernel($($attribute:tt)*)];)*) => {$(
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
            #[constant] $form: Form,
        ) {
            added::<S>(
                &a, &b, c, &bias, &scale, extents, strides_a, strides_b, strides_c, alpha, beta, finish, $form,
            );
        }
    )*};
}

kernels! {
    /// One block per 128 lines.
    sums of form: #[kernel(block = THREADS)];
    /// One cluster per 128 lines.
    split_sums of form: #[kernel(block = THREADS, cluster = form.splits)];
}
