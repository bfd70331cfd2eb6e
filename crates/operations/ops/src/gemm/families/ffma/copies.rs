//! Loads factor tiles into shared memory, one row per k step: by TMA (A also in its own row layout), or word by word if elements
//! along k are adjacent or TMA's alignment is not met.

use super::config::{FfmaConfig, Load};
use lanework::lang::Filling;
use lanework::prelude::*;

/// Memory position of a factor, seen as lines (rows of A, columns of B) by k steps.
///
/// Offsets of this thread's words before the first step: one per copied line, or one for all if lines are adjacent.
#[device]
pub(super) fn places(
    first: u32,
    lines: u32,
    base: u32,
    stride: u32,
    #[constant] load: Load,
    #[constant] extent: u32,
    #[constant] config: FfmaConfig,
) -> [u32; 16] {
    let t = thread_idx.x;
    let mut places = [0u32; 16];
    if load == Load::Words {
        #[unroll]
        for l in 0..extent * 8 / config.threads() {
            // Lines past the last one re-read it; their products are not stored.
            let line = (first + t / 8 + l * (config.threads() / 8)).min(lines - 1);
            places[l] = base + line * stride + t % 8;
        }
    }
    if load == Load::Lines {
        #[unroll]
        for l in 0..extent.div_ceil(config.threads()) {
            let line = (first + t % extent + l * config.threads()).min(lines - 1);
            places[l] = base + t / extent * stride + line;
        }
    }
    places
}

/// Starts copying a factor tile from step `p` on into a stage: 8 adjacent lanes copy 8 steps of a line (a full sector, 8 different
/// banks), or adjacent lanes copy adjacent lines. Steps past the last one are zero-filled.
#[device]
pub(super) fn copy(
    x: &[f32],
    tiles: Shared<f32, 3>,
    stage: u32,
    p: u32,
    k: u32,
    stride: u32,
    places: &[u32; 16],
    #[constant] load: Load,
    #[constant] extent: u32,
    #[constant] config: FfmaConfig,
) {
    let t = thread_idx.x;
    if load == Load::Words {
        let (line, step) = (t / 8, t % 8);
        #[unroll]
        for s in (0..config.depth).step_by(8) {
            let have = if p + step + s < k { 4u32 } else { 0 };
            #[unroll]
            for l in 0..extent * 8 / config.threads() {
                let to = &mut tiles[[stage, step + s, line + l * (config.threads() / 8)]];
                cp_async_filled::<4, _>(to, (&x[places[l] + p]).add(s), have);
            }
        }
    }
    if load == Load::Lines {
        let (line, step) = (t % extent, t / extent);
        // Steps copied per iteration by all threads, at least one step of part of the lines.
        let each = const { (config.threads() / extent).max(1) };
        #[unroll]
        for s in (0..config.depth).step_by(each as usize) {
            let have = if p + step + s < k { 4u32 } else { 0 };
            #[unroll]
            for l in 0..extent.div_ceil(config.threads()) {
                let to = &mut tiles[[stage, step + s, line + l * config.threads()]];
                cp_async_filled::<4, _>(to, &x[places[l] + (p + s) * stride], have);
            }
        }
    }
}

/// One thread announces the bytes that TMA brings to a stage, and issues the copies.
#[device]
pub(super) fn fetch(
    a: &TensorMap<f32, 3>,
    b: &TensorMap<f32, 3>,
    tiles_a: Shared<f32, 3>,
    tiles_b: Shared<f32, 3>,
    slot: Filling,
    p: u32,
    at: [u32; 4],
    #[constant] config: FfmaConfig,
) {
    let [batch_a, top, batch_b, left] = at;
    slot.arrive_expect(config.fetched());
    if config.by_rows() {
        let rows = tiles_a.region(0u32, [config.stages, config.rows, config.depth]);
        a.load(rows.swizzled(Swizzle::B64).slab(slot.index), (batch_a, top, p), slot);
    }
    if config.loads.0 == Load::Map {
        a.load(tiles_a.slab(slot.index), (batch_a, p, top), slot);
    }
    if config.loads.1 == Load::Map {
        b.load(tiles_b.slab(slot.index), (batch_b, p, left), slot);
    }
}
