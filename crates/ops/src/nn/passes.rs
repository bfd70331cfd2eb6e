//! Rows that fit nowhere, or whose elements lie apart: a block for each, in several passes over memory; the largest number and the sum
//! of the exponentials in one of them (online softmax, Milakov and Gimelshein 2018).

use super::kernels::{How, Kind, result};
use super::statistics::{exponential, factors, of_lanes};
use crate::vectors::Widened;
use lanework::prelude::*;

/// Threads of a block.
pub(super) const THREADS: u32 = 1024;

/// The sum, or the largest, of the values of a block's threads, in each of them. Every call has a `part` of `space` for itself, until there
/// was another call.
#[device]
fn of_block(
    value: f32,
    space: Shared<f32, 2>,
    #[constant] part: u32,
    #[constant] most: bool,
) -> f32 {
    let warps = const { THREADS / 32 };
    let (lane, warp) = (thread_idx.x % 32, thread_idx.x / 32);
    let mine = of_lanes(value, 32, most, false);
    if lane == 0 {
        space[[part, warp]] = mine;
    }
    sync_threads();
    // As many warps as lanes.
    of_lanes(space[[part, lane % warps]], 32, most, false)
}

/// Rows of `n` numbers, a block for each.
#[kernel(block = THREADS)]
pub(super) fn passes<E: Widened<Wide = f32>>(
    x: &[E],
    y: &mut [E],
    gamma: &[E],
    beta: &[E],
    n: u64,
    (x_row, y_row): (u64, u64),
    (x_step, y_step): (u64, u64),
    eps: f32,
    #[constant] how: How,
) {
    let space = shared::<f32>([2, 32]);
    let (row, me) = (block_idx.x as u64, thread_idx.x as u64);
    let (from, to) = (row * x_row, row * y_row);
    let mut first = 0.0f32;
    let mut second = 0.0f32;
    if how.kind == Kind::Softmax {
        first = f32::MIN;
        for i in (me..n).step_by(THREADS) {
            let x = x[from + i * x_step] as f32;
            let most = first.max(x);
            second = second * exponential(first - most) + exponential(x - most);
            first = most;
        }
        let most = of_block(first, space, 0, true);
        second = of_block(second * exponential(first - most), space, 1, false);
        first = most;
    }
    if how.kind == Kind::LayerNorm {
        for i in (me..n).step_by(THREADS) {
            first += x[from + i * x_step] as f32;
        }
        first = of_block(first, space, 0, false) / n as f32;
    }
    if how.kind != Kind::Softmax {
        for i in (me..n).step_by(THREADS) {
            let difference = x[from + i * x_step] as f32 - first;
            second += difference * difference;
        }
        second = of_block(second, space, 1, false);
    }
    let (shift, scale) = factors((first, second), 1.0 / n as f32, eps, how);
    for i in (me..n).step_by(THREADS) {
        let mut number = x[from + i * x_step] as f32;
        if how.kind == Kind::Softmax {
            number = exponential(number - first);
        }
        let mut of_place = (1.0f32, 0.0f32);
        if how.gamma {
            of_place.0 = load_nc(&gamma[i]) as f32;
        }
        if how.beta {
            of_place.1 = load_nc(&beta[i]) as f32;
        }
        y[to + i * y_step] = result(number, (shift, scale), of_place, how) as E;
    }
}
