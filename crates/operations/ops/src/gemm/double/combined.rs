//! Reduces the tiles whose k steps were divided among several blocks, in the order of the parts.

use super::super::finish::{Finish, finished};
use super::form::Form;
use super::units::corner;
use lanework::prelude::*;

/// Threads of a block.
pub const THREADS: u32 = 256;

/// Reduces the tiles from `first` on, one per `block_idx.y`; `from` holds `parts` consecutive parts of each.
#[kernel(block = THREADS)]
#[allow(clippy::too_many_arguments)]
pub fn combined(
    from: &[f64],
    c: &mut [f64],
    bias: &[f64],
    scale_a: &[f32],
    scale_b: &[f32],
    extents: [u32; 2],
    first: u32,
    parts: u32,
    strides_c: [u64; 3],
    alpha: f64,
    beta: f64,
    #[constant] form: Form,
    #[constant] finish: Finish,
) {
    let (rows, columns) = const { form.tile };
    let [m, n] = extents;
    let (down, across) = (m.div_ceil(rows), n.div_ceil(columns));
    let tile = first + block_idx.y;
    let batch = tile / (down * across);
    let (top, left) = corner(tile % (down * across), down, across);
    let i = block_idx.x * THREADS + thread_idx.x;
    let (y, x) = (top * rows + i / columns, left * columns + i % columns);
    if y < m && x < n {
        let area = const { form.tile.0 * form.tile.1 };
        let at = block_idx.y as u64 * parts as u64 * area as u64 + i as u64;
        let mut sum = 0.0f64;
        for part in 0..parts {
            sum = sum + from[at + part as u64 * area as u64];
        }
        let place = batch as u64 * strides_c[0] + y as u64 * strides_c[1] + x as u64 * strides_c[2];
        let mut before = 0.0f64;
        if finish.reads_c {
            before = c[place];
        }
        c[place] = finished(sum, before, (y, x), (alpha, beta), bias, (scale_a, scale_b), finish);
    }
}
