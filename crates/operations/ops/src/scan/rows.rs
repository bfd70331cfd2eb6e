//! Short rows: one warp, or part of a warp, scans a row piece by piece.

use super::config::{ROW_THREADS, ScanConfig, combine, identity};
use crate::vectors::{Widened, load, store};
use lanework::prelude::*;

/// Scans rows of `n` elements with `config.lanes` lanes each. `x_row` and `y_row` are row strides, `x_step` and `y_step` element
/// strides.
#[kernel(block = ROW_THREADS)]
pub(super) fn rows<E: Widened, const V: usize>(
    x: &[E],
    y: &mut [E],
    rows: u64,
    n: u64,
    (x_row, y_row): (u64, u64),
    (x_step, y_step): (u64, u64),
    #[constant] config: ScanConfig,
) {
    let lanes = config.lanes;
    let identity = const { identity::<E>(config) };
    let (group, lane) = (thread_idx.x / lanes, thread_idx.x % lanes);
    let row = block_idx.x as u64 * const { ROW_THREADS / config.lanes } as u64 + group as u64;
    // Lanes without a row still participate in their warp's exchange.
    let end = select(row < rows, n, 0);
    let mut base = identity;
    for first in (0..n).step_by(const { config.lanes as usize * V }) {
        let mine = first + lane as u64 * V as u64;
        let whole = config.wide && mine + V as u64 <= end;
        let mut values = [E::Wide::ZERO; V];
        if whole {
            values = load::<E, V>(x, row * x_row + mine);
        } else {
            #[unroll]
            for j in 0..V {
                values[j] = identity;
                if mine + (j as u64) < end {
                    values[j] = load_nc(&x[row * x_row + (mine + j as u64) * x_step]) as E::Wide;
                }
            }
        }
        #[unroll]
        for j in 1..V {
            values[j] = combine::<E::Wide>(values[j - 1], values[j], config);
        }
        let mut sum = values[V - 1];
        #[unroll]
        for delta in [1u32, 2, 4, 8, 16] {
            if delta < lanes {
                let left = shfl_up_sync(FULL_MASK, sum, delta);
                sum = select(lane >= delta, combine::<E::Wide>(left, sum, config), sum);
            }
        }
        let mut left = base;
        if lanes > 1 {
            let beside = shfl_up_sync(FULL_MASK, sum, 1);
            left = combine::<E::Wide>(base, select(lane > 0, beside, identity), config);
        }
        let all = shfl_sync(FULL_MASK, sum, thread_idx.x % 32 / lanes * lanes + lanes - 1);
        base = combine::<E::Wide>(base, all, config);
        let mut results = [left; V];
        #[unroll]
        for j in 0..V {
            if config.exclusive {
                if j > 0 {
                    results[j] = combine::<E::Wide>(left, values[j - 1], config);
                }
            } else {
                results[j] = combine::<E::Wide>(left, values[j], config);
            }
        }
        if whole {
            store::<E, V>(y, row * y_row + mine, results);
        } else {
            #[unroll]
            for j in 0..V {
                if mine + (j as u64) < end {
                    y[row * y_row + (mine + j as u64) * y_step] = results[j] as E;
                }
            }
        }
    }
}
