//! Kernels that do one thing as fast as a GPU can. They measure the ceilings of other kernels: the practical
//! throughput of memory, the L2 cache, the FP32 lanes and the tensor cores.
//!
//! Each has a predictable result, so a ceiling is never the speed of a wrong computation.

use half::bf16;
use lanework::prelude::*;
use lanework::{Prepared, Result};

/// Threads per block, except in the tensor-core kernels.
pub const THREADS: u32 = 256;
/// Blocks per multiprocessor of the kernels whose grid does not depend on their data.
const WAVES: u32 = 8;
/// Independent chains of multiply-adds per thread: enough to hide the latency of one.
pub const CHAINS: u32 = 8;

/// One 16-byte vector per thread.
#[kernel]
fn copy(from: &[f32], to: &mut [f32]) {
    let i = (block_idx.x * block_dim.x + thread_idx.x) * 4;
    to.store_vec(i, from.load_vec::<4>(i));
}

/// Sums, modulo 2^32, the numbers that each thread reads: `rounds` times all numbers, each time from a different
/// start, so that a multiprocessor does not find its earlier reads in its L1 cache.
#[kernel]
fn read(from: &[u32], sums: &mut [u32], rounds: u32) {
    let me = block_idx.x * block_dim.x + thread_idx.x;
    let (all, vectors) = (grid_dim.x * block_dim.x, from.len() as u32 / 4);
    let mut sum = 0u32;
    for round in 0..rounds {
        let start = round * 7919 * block_dim.x % vectors;
        for at in (me..vectors).step_by(all * 4) {
            #[unroll]
            for j in 0..4u32 {
                let vector = at + j * all;
                if vector < vectors {
                    let later = vector + start;
                    let place = if later >= vectors { later - vectors } else { later };
                    let four = from.load_vec::<4>(place * 4);
                    sum += four[0] + four[1] + four[2] + four[3];
                }
            }
        }
    }
    sums[me] = sum;
}

/// `steps` rounds of one multiply-add in each of eight independent chains.
#[kernel]
fn multiply_add(out: &mut [f32], steps: u32, factor: f32, add: f32) {
    let me = block_idx.x * block_dim.x + thread_idx.x;
    let mut chains = [0.0f32; 8];
    #[unroll]
    for j in 0..8u32 {
        chains[j] = (me % 64 + j) as f32;
    }
    for _ in 0..steps {
        #[unroll]
        for j in 0..8 {
            chains[j] = chains[j].mul_add(factor, add);
        }
    }
    let mut sum = 0.0f32;
    #[unroll]
    for j in 0..8 {
        sum += chains[j];
    }
    out[me] = sum;
}

/// `steps` times the product of 64 x 16 and 16 x 32 elements by `mma`, in each of four warps, from registers.
#[kernel(block = 128)]
fn by_mma(a: &[bf16], b: &[bf16], c: &mut [f32], steps: u32) {
    let mut sums = [[FragmentC::<f32, 16, 8>::zero(); 4]; 4];
    let left = [
        FragmentA::<bf16, 16, 16>::load(a.matrix(16), 0, 0),
        FragmentA::<bf16, 16, 16>::load(a.matrix(16), 16, 0),
        FragmentA::<bf16, 16, 16>::load(a.matrix(16), 32, 0),
        FragmentA::<bf16, 16, 16>::load(a.matrix(16), 48, 0),
    ];
    let right = [
        FragmentB::<bf16, 16, 8>::load(b.matrix(32), 0, 0),
        FragmentB::<bf16, 16, 8>::load(b.matrix(32), 0, 8),
        FragmentB::<bf16, 16, 8>::load(b.matrix(32), 0, 16),
        FragmentB::<bf16, 16, 8>::load(b.matrix(32), 0, 24),
    ];
    for _ in 0..steps {
        #[unroll]
        for i in 0..4 {
            #[unroll]
            for j in 0..4 {
                sums[i][j].mma(left[i], right[j]);
            }
        }
    }
    let row = (block_idx.x * 4 + thread_idx.x / 32) * 64;
    #[unroll]
    for i in 0..4u32 {
        #[unroll]
        for j in 0..4u32 {
            sums[i][j].store(c.matrix(32), row + i * 16, j * 8);
        }
    }
}

/// `steps` times the product of 128 x 64 and 64 x 256 elements by `wgmma`, in two warpgroups, from shared memory.
#[kernel(block = 256)]
fn by_wgmma(a: &[bf16], b: &[bf16], c: &mut [f32], steps: u32) {
    let left = SharedTiles::<bf16, 128, 64>::dynamic(1);
    let right = SharedTiles::<bf16, 256, 64>::dynamic(1);
    let pipe = CopyPipeline::<1>::new();
    pipe.copy_tile(left[0], a.matrix(64), (0, 0), (thread_idx.x, 256));
    pipe.copy_tile(right[0], b.matrix(64), (0, 0), (thread_idx.x, 256));
    pipe.commit();
    pipe.wait();
    fence_proxy_async_shared();
    sync_threads();
    let group = thread_idx.x / 128;
    let mut sums = Accumulator::<f32, 256>::zero();
    for _ in 0..steps {
        sums.multiply(left[0].rows::<64>(group * 64), right[0].t());
        sums.wait(1);
    }
    sums.finish().store(c.matrix(256), block_idx.x * 128 + group * 64, 0);
}

/// Number of blocks of a kernel whose grid does not depend on its data.
pub fn blocks(multiprocessors: u32) -> u32 {
    multiprocessors.max(1) * WAVES
}

/// Prepares a copy of all elements; their number is a multiple of 4 [`THREADS`].
///
/// # Errors
/// If the device cannot run it.
///
/// # Panics
/// If the buffers do not hold whole blocks of the kernel.
pub fn prepare_copy<'a>(
    from: &'a Buffer<f32>,
    to: &'a mut Buffer<f32>,
    device: &Device,
) -> Result<Prepared<'a>> {
    assert!(from.len() == to.len() && from.len().is_multiple_of(4 * THREADS as usize));
    let blocks = (from.len() / (4 * THREADS as usize)) as u32;
    // SAFETY: the grid has one thread per four elements of both buffers, so every vector is in bounds.
    unsafe { copy(from, to).grid(blocks).block(THREADS).prepare_unchecked(device) }
}

/// Prepares `rounds` reads of all numbers; [`blocks`] times [`THREADS`] threads store one sum each.
///
/// # Errors
/// If the device cannot run it.
///
/// # Panics
/// If the buffers do not hold whole blocks of the kernel.
pub fn prepare_read<'a>(
    from: &'a Buffer<u32>,
    sums: &'a mut Buffer<u32>,
    rounds: u32,
    device: &Device,
) -> Result<Prepared<'a>> {
    let blocks = sums.len() as u32 / THREADS;
    assert!(from.len().is_multiple_of(4) && sums.len().is_multiple_of(THREADS as usize));
    // SAFETY: the kernel wraps vector indices at the length, and `sums` has an element per thread.
    unsafe { read(from, sums, rounds).grid(blocks).block(THREADS).prepare_unchecked(device) }
}

/// Prepares `steps` multiply-adds in each of [`CHAINS`] chains per thread; each thread stores one result.
///
/// # Errors
/// If the device cannot run it.
///
/// # Panics
/// If the buffers do not hold whole blocks of the kernel.
pub fn prepare_multiply_add<'a>(
    out: &'a mut Buffer<f32>,
    steps: u32,
    (factor, add): (f32, f32),
    device: &Device,
) -> Result<Prepared<'a>> {
    let blocks = out.len() as u32 / THREADS;
    assert!(out.len().is_multiple_of(THREADS as usize));
    let launch = multiply_add(out, steps, factor, add);
    // SAFETY: the result buffer has an element per thread.
    unsafe { launch.grid(blocks).block(THREADS).prepare_unchecked(device) }
}

/// Prepares `steps` products of 64 x 16 and 16 x 32 elements in each warp of `c.len() / 8192` blocks.
///
/// # Errors
/// If the device cannot run it.
///
/// # Panics
/// If the buffers do not hold whole blocks of the kernel.
pub fn prepare_mma<'a>(
    a: &'a Buffer<bf16>,
    b: &'a Buffer<bf16>,
    c: &'a mut Buffer<f32>,
    steps: u32,
    device: &Device,
) -> Result<Prepared<'a>> {
    assert!(a.len() >= 64 * 16 && b.len() >= 16 * 32 && c.len().is_multiple_of(8192));
    let blocks = (c.len() / 8192) as u32;
    // SAFETY: each block stores four products of 64 x 32 results, and `c` has 8192 elements per block.
    unsafe { by_mma(a, b, c, steps).grid(blocks).block(128).prepare_unchecked(device) }
}

/// Prepares `steps` products of 128 x 64 elements and the transpose of 256 x 64 in each of `c.len() / 32768` blocks
/// (sm_90a).
///
/// # Errors
/// If the device cannot run it.
///
/// # Panics
/// If the buffers do not hold whole blocks of the kernel.
pub fn prepare_wgmma<'a>(
    a: &'a Buffer<bf16>,
    b: &'a Buffer<bf16>,
    c: &'a mut Buffer<f32>,
    steps: u32,
    device: &Device,
) -> Result<Prepared<'a>> {
    assert!(a.len() >= 128 * 64 && b.len() >= 256 * 64 && c.len().is_multiple_of(32768));
    let blocks = (c.len() / 32768) as u32;
    let shared = SharedTiles::<bf16, 128, 64>::STRIDE + SharedTiles::<bf16, 256, 64>::STRIDE;
    let launch = by_wgmma(a, b, c, steps).grid(blocks).block(256).shared_bytes(shared);
    // SAFETY: each block stores 128 x 256 results, and `c` has 32768 elements per block.
    unsafe { launch.prepare_unchecked(device) }
}
