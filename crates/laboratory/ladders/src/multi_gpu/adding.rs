//! The kernels that the rungs share: a sum of two vectors in any memory, and a copy.
//!
//! A thread has four 16-byte loads of each vector in flight, because a load from another device takes several times
//! as long as one from the device's own memory.

use lanework::prelude::*;
use lanework::{Prepared, Result, View, ViewMut};

/// Threads of a block.
const THREADS: u32 = 256;
/// Groups of four elements that a thread adds.
const EACH: u32 = 4;

#[kernel]
fn sum_of(a: &[f32], b: &[f32], y: &mut [f32]) {
    let length = y.len() as u32;
    let step = 4 * block_dim.x;
    let first = block_idx.x * (EACH * step) + 4 * thread_idx.x;
    if first + (EACH - 1) * step + 3 < length {
        let mut left = [0.0f32; 16];
        let mut right = [0.0f32; 16];
        #[unroll]
        for j in 0..EACH {
            let (l, r) = (a.load_vec::<4>(first + j * step), b.load_vec::<4>(first + j * step));
            #[unroll]
            for i in 0..4 {
                left[4 * j + i] = l[i];
                right[4 * j + i] = r[i];
            }
        }
        #[unroll]
        for j in 0..EACH {
            let mut sums = [0.0f32; 4];
            #[unroll]
            for i in 0..4 {
                sums[i] = left[4 * j + i] + right[4 * j + i];
            }
            y.store_vec(first + j * step, sums);
        }
    } else {
        #[unroll]
        for j in 0..EACH {
            #[unroll]
            for i in 0..4 {
                let at = first + j * step + i;
                if at < length {
                    y[at] = a[at] + b[at];
                }
            }
        }
    }
}

#[kernel]
fn sum_to_both(a: &[f32], b: &[f32], y: &mut [f32], z: &mut [f32]) {
    let length = y.len() as u32;
    let step = 4 * block_dim.x;
    let first = block_idx.x * (EACH * step) + 4 * thread_idx.x;
    if first + (EACH - 1) * step + 3 < length {
        let mut left = [0.0f32; 16];
        let mut right = [0.0f32; 16];
        #[unroll]
        for j in 0..EACH {
            let (l, r) = (a.load_vec::<4>(first + j * step), b.load_vec::<4>(first + j * step));
            #[unroll]
            for i in 0..4 {
                left[4 * j + i] = l[i];
                right[4 * j + i] = r[i];
            }
        }
        #[unroll]
        for j in 0..EACH {
            let mut sums = [0.0f32; 4];
            #[unroll]
            for i in 0..4 {
                sums[i] = left[4 * j + i] + right[4 * j + i];
            }
            y.store_vec(first + j * step, sums);
            z.store_vec(first + j * step, sums);
        }
    } else {
        #[unroll]
        for j in 0..EACH {
            #[unroll]
            for i in 0..4 {
                let at = first + j * step + i;
                if at < length {
                    let sum = a[at] + b[at];
                    y[at] = sum;
                    z[at] = sum;
                }
            }
        }
    }
}

#[kernel]
fn copy_of(x: &[f32], y: &mut [f32]) {
    let length = y.len() as u32;
    let step = 4 * block_dim.x;
    let first = block_idx.x * (EACH * step) + 4 * thread_idx.x;
    if first + (EACH - 1) * step + 3 < length {
        let mut values = [0.0f32; 16];
        #[unroll]
        for j in 0..EACH {
            let v = x.load_vec::<4>(first + j * step);
            #[unroll]
            for i in 0..4 {
                values[4 * j + i] = v[i];
            }
        }
        #[unroll]
        for j in 0..EACH {
            let mut four = [0.0f32; 4];
            #[unroll]
            for i in 0..4 {
                four[i] = values[4 * j + i];
            }
            y.store_vec(first + j * step, four);
        }
    } else {
        #[unroll]
        for j in 0..EACH {
            #[unroll]
            for i in 0..4 {
                let at = first + j * step + i;
                if at < length {
                    y[at] = x[at];
                }
            }
        }
    }
}

/// Blocks for a vector of this length.
fn blocks(length: usize) -> u32 {
    (length as u32).div_ceil(4 * EACH * THREADS).max(1)
}

/// `y = a + b`; `y` may alias `a` or `b`.
pub(super) fn add<'a>(
    device: &Device,
    a: View<'a, f32>,
    b: View<'a, f32>,
    y: ViewMut<'a, f32>,
) -> Result<Prepared<'a>> {
    let grid = blocks(y.len());
    // SAFETY: the kernel checks indices against the length of y, which all three share; offsets stay under 2^32
    // because lengths are at most 2^31; parts begin at multiples of four elements, so wide accesses are aligned; each
    // thread reads before it writes.
    unsafe { sum_of(a, b, y).grid(grid).block(THREADS).prepare_unchecked(device) }
}

/// `y = z = a + b`.
pub(super) fn add_to_both<'a>(
    device: &Device,
    (a, b): (View<'a, f32>, View<'a, f32>),
    y: ViewMut<'a, f32>,
    z: ViewMut<'a, f32>,
) -> Result<Prepared<'a>> {
    let grid = blocks(y.len());
    // SAFETY: as in `add`, with `z` as long as `y`.
    unsafe { sum_to_both(a, b, y, z).grid(grid).block(THREADS).prepare_unchecked(device) }
}

/// `y = x`.
pub(super) fn copy<'a>(
    device: &Device,
    x: View<'a, f32>,
    y: ViewMut<'a, f32>,
) -> Result<Prepared<'a>> {
    let grid = blocks(y.len());
    // SAFETY: as in `add`, with one source.
    unsafe { copy_of(x, y).grid(grid).block(THREADS).prepare_unchecked(device) }
}
