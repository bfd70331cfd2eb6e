//! Results of parts of the steps along k, added up in their order.

use crate::gemm::finish::{Finish, finished};
use lanework::prelude::*;

/// Threads of a block.
pub(super) const THREADS: u32 = 256;

/// The results of `parts` parts, each of `[batches, m, n]` elements without gaps, `extents` of them.
#[kernel(block = THREADS)]
pub(super) fn added(
    from: &[f32],
    c: &mut [f32],
    bias: &[f32],
    scale: &[f32],
    extents: [u32; 4],
    strides_c: [u32; 3],
    parts: [u32; 2],
    alpha: f32,
    beta: f32,
    #[constant] finish: Finish,
) {
    let [batches, m, n, _] = extents;
    let [count, stride] = parts;
    let i = block_idx.x * THREADS + thread_idx.x;
    if i < batches * m * n {
        let mut sum = 0.0f32;
        let mut part = 0u32;
        while part + 4 <= count {
            let at = part * stride + i;
            let four = [from[at], from[at + stride], from[at + 2 * stride], from[at + 3 * stride]];
            sum = sum + four[0] + four[1] + four[2] + four[3];
            part += 4;
        }
        while part < count {
            sum += from[part * stride + i];
            part += 1;
        }
        let (row, column) = (i / n % m, i % n);
        let at = i / n / m * strides_c[0] + row * strides_c[1] + column * strides_c[2];
        let mut before = 0.0f32;
        if finish.reads_c {
            before = c[at];
        }
        c[at] = finished(sum, before, (row, column), (alpha, beta), bias, (scale, scale), finish);
    }
}
