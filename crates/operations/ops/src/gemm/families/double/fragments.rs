//! Loads factor fragments from a stage in TMA's shared-memory layout.
//!
//! A TMA box has rows of 64 bytes: eight elements along k or across it, whichever is adjacent in the factor. The 64-byte swizzle
//! permutes a row's 16-byte chunks by two bits of the row number. The order in which eight k are summed is free as long as A and B
//! agree: lane `q` of a group of four takes k of 0, 1, 4 and 5, and two more in the second half, so that the lanes of a load hit
//! different banks in both layouts.

use super::config::{DoubleConfig, WIDTH};
use lanework::prelude::*;

/// Offset of this lane's element in a line, for both halves of eight k.
#[device]
pub fn begin(line: u32, #[constant] depth: u32, #[constant] along: bool) -> [u32; 2] {
    let q = thread_idx.x % 4;
    let mut places = [0u32; 2];
    #[unroll]
    for half in 0..2u32 {
        let pair = q / 2 * 2 + half; // k / 2
        places[half] = if along {
            line * WIDTH + (pair ^ (line / 2 % 4)) * 2 + q % 2
        } else {
            let k = pair * 2 + q % 2;
            (line / WIDTH * depth + k) * WIDTH + ((line % WIDTH / 2) ^ pair) * 2 + line % 2
        };
    }
    places
}

/// A warp's A fragment: rows of the `i`-th 16, k of the `eight`-th eight of a stage.
#[device]
pub fn fragment_a(
    x: Shared<f64, 1>,
    stage: u32,
    places: [u32; 2],
    #[constant] eight: u32,
    #[constant] i: u32,
    #[constant] config: DoubleConfig,
) -> [f64; 4] {
    let mut fragment = [0.0f64; 4];
    #[unroll]
    for e in 0..2u32 {
        let at = stage * const { config.tile.0 * config.depth() } + places[e];
        #[unroll]
        for low in 0..2u32 {
            let further = const {
                further(eight, 16 * i + 8 * low, config.tile.0, config.depth(), config.along.0)
            };
            fragment[2 * e + low] = x[at + further];
        }
    }
    fragment
}

/// All A fragments for the first eight k of a stage.
#[device]
pub fn fragments_a(
    x: Shared<f64, 1>,
    stage: u32,
    places: [u32; 2],
    #[constant] config: DoubleConfig,
) -> [[f64; 4]; 4] {
    // A warp uses as many of the four fragments as it has; the compiler removes the others.
    let mut fragments = [[0.0f64; 4]; 4];
    #[unroll]
    for i in 0..const { config.tall() } {
        fragments[i] = fragment_a(x, stage, places, 0u32, i, config);
    }
    fragments
}

/// All B fragments for eight k.
#[device]
pub fn fragments_b(
    x: Shared<f64, 1>,
    stage: u32,
    places: [u32; 2],
    #[constant] eight: u32,
    #[constant] config: DoubleConfig,
) -> [[f64; 2]; 4] {
    let mut fragments = [[0.0f64; 2]; 4];
    #[unroll]
    for e in 0..2u32 {
        let at = config.first_b() + stage * const { config.tile.1 * config.depth() } + places[e];
        #[unroll]
        for j in 0..4u32 {
            let further =
                const { further(eight, 8 * j, config.tile.1, config.depth(), config.along.1) };
            fragments[j][e] = x[at + further];
        }
    }
    fragments
}

/// Element offset for `down` lines (a multiple of eight) and `eight` times eight k.
const fn further(eight: u32, down: u32, lines: u32, depth: u32, along: bool) -> u32 {
    if along { (eight * lines + down) * WIDTH } else { down * depth + eight * WIDTH * WIDTH }
}
