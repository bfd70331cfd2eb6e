//! Stores the results of a warpgroup of the Hopper kernel: rounded by TMA, or f32, with the log-sum-exp.

use super::elements::Half;
use super::problem::{Options, Work};
use lanework::prelude::*;

/// Normalizes and stores a warpgroup's results from row `row` on; rounded results go through the shared tile `to`.
#[device]
pub(super) fn store<T: Half, const HEAD: u32>(
    results: FragmentC<f32, 64, HEAD>,
    most: [f32; 2],
    total: [f32; 2],
    to: SharedTile<T, 64, HEAD>,
    own: NamedBarrier,
    out: &TensorMapMut<T, 4>,
    wide: &mut [f32],
    log_sums: &mut [f32],
    work: Work,
    batch: u32,
    head: u32,
    row: u32,
    scale: f32,
    #[constant] options: Options,
) {
    let (mut results, mut total) = (results, total);
    let mut inverse = [0.0f32; 2];
    #[unroll]
    for line in 0..2 {
        #[unroll]
        for bits in [1u32, 2] {
            total[line] += shfl_xor_sync(FULL_MASK, total[line], bits);
        }
        inverse[line] = select(total[line] == 0.0, 0.0, fast::recip(total[line]));
    }
    if options.split {
        // The parts of a row are consecutive.
        let column = 2 * (thread_idx.x % 4);
        let pair = batch / work.parts * work.heads + head;
        #[unroll]
        for line in 0..2u32 {
            let row = row + thread_idx.x % 128 / 32 * 16 + thread_idx.x % 32 / 4 + 8 * line;
            if row < work.rows {
                let of_row = pair as u64 * work.rows as u64 + row as u64;
                let place = of_row * work.parts as u64 + (batch % work.parts) as u64;
                let first = place * HEAD as u64 + column as u64;
                #[unroll]
                for j in 0..HEAD / 8 {
                    let pair = [results[4 * j + 2 * line], results[4 * j + 2 * line + 1]];
                    wide.store2(first + (8 * j) as u64, pair);
                }
                if column == 0 {
                    log_sums.store2(2 * place, [most[line], total[line]]);
                }
            }
        }
    } else {
        #[unroll]
        for j in 0..FragmentC::<f32, 64, HEAD>::ELEMENTS {
            results[j] *= inverse[FragmentC::<f32, 64, HEAD>::row_of(j)];
        }
    }
    if !options.wide && !options.split {
        results.to::<T>().store_matrix(to, 0, 0);
        fence_proxy_async_shared();
        own.sync();
        if thread_idx.x % 128 == 0 {
            if row < work.rows {
                #[unroll]
                for panel in 0..HEAD / 64 {
                    out.store(to.panel::<64>(panel), (batch, head, row, 64 * panel));
                }
            }
            bulk_commit();
        }
    }
    if (options.wide || options.log_sums) && !options.split {
        let column = 2 * (thread_idx.x % 4);
        #[unroll]
        for line in 0..2u32 {
            let row = row + thread_idx.x % 128 / 32 * 16 + thread_idx.x % 32 / 4 + 8 * line;
            if row < work.rows {
                if options.wide {
                    let first = work.out.at(batch, head, row) + column as u64;
                    #[unroll]
                    for j in 0..HEAD / 8 {
                        let pair = [results[4 * j + 2 * line], results[4 * j + 2 * line + 1]];
                        wide.store2(first + (8 * j) as u64, pair);
                    }
                }
                if options.log_sums && column == 0 {
                    let log = most[line] * (scale * std::f32::consts::LN_2) + total[line].ln();
                    log_sums[work.log_sums.at(batch, head, row)] = log;
                }
            }
        }
    }
}
