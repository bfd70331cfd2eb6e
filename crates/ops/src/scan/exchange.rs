//! Sums of tiles that blocks tell each other: a word in memory with a word that says that it is there.

use lanework::prelude::*;

/// Publishes the sum of a tile: each of its words with a word that says so.
#[device]
pub(super) fn publish<W: Element>(cells: &mut [u64], at: u64, value: W) {
    if size_of::<W>() == 8 {
        let (low, high) = ptx!("mov.b64 {{{}, {}}}, {};", out(u32), out(u32), in(value));
        store_relaxed(&mut cells[2 * at], 1u64 << 32 | low as u64, Scope::Device);
        store_relaxed(&mut cells[2 * at + 1], 1u64 << 32 | high as u64, Scope::Device);
    } else {
        let word = ptx!("mov.b32 {}, {};", out(u32), in(value));
        store_relaxed(&mut cells[at], 1u64 << 32 | word as u64, Scope::Device);
    }
}

/// The word that another block publishes here.
#[device]
fn word(cells: &mut [u64], at: u64) -> u32 {
    let mut word = load_relaxed(&cells[at], Scope::Device);
    while word >> 32 == 0 {
        word = load_relaxed(&cells[at], Scope::Device);
    }
    word as u32
}

/// The sum of a tile, once it is published.
#[device]
pub(super) fn published<W: Element>(cells: &mut [u64], at: u64) -> W {
    if size_of::<W>() == 8 {
        let (low, high) = (word(cells, 2 * at), word(cells, 2 * at + 1));
        ptx!("mov.b64 {}, {{{}, {}}};", out(W), in(low), in(high))
    } else {
        let word = word(cells, at);
        ptx!("mov.b32 {}, {};", out(W), in(word))
    }
}
