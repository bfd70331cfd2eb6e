//! Stores results in adjacent pairs.

use crate::gemm::finish::{Finish, finished};
use lanework::prelude::*;

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
