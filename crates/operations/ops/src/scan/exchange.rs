//! Tile sums exchanged between blocks: each word is stored together with a flag word. [`published`] waits for a sum; [`look`] reads
//! without waiting, and [`sum_of`] waits later if necessary.

use lanework::prelude::*;

/// Publishes the sum of a tile, each word with its flag.
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

/// Waits for the word that another block publishes here.
#[device]
fn word(cells: &mut [u64], at: u64) -> u32 {
    let mut word = load_relaxed(&cells[at], Scope::Device);
    while word >> 32 == 0 {
        word = load_relaxed(&cells[at], Scope::Device);
    }
    word as u32
}

/// Waits for the sum of a tile.
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

/// The current words of a cell; they hold a sum if the upper half of each is 1.
#[device]
pub(super) fn look<W: Element>(cells: &mut [u64], at: u64) -> (u64, u64) {
    if size_of::<W>() == 8 {
        (
            load_relaxed(&cells[2 * at], Scope::Device),
            load_relaxed(&cells[2 * at + 1], Scope::Device),
        )
    } else {
        let word = load_relaxed(&cells[at], Scope::Device);
        (word, word)
    }
}

/// Waits for the sum in a cell; `words` are an earlier read of it.
#[device]
pub(super) fn sum_of<W: Element>(cells: &mut [u64], at: u64, words: (u64, u64)) -> W {
    let mut now = words;
    while now.0 & now.1 & (1 << 32) == 0 {
        now = look::<W>(cells, at);
    }
    let (low, high) = (now.0 as u32, now.1 as u32);
    if size_of::<W>() == 8 {
        ptx!("mov.b64 {}, {{{}, {}}};", out(W), in(low), in(high))
    } else {
        ptx!("mov.b32 {}, {};", out(W), in(low))
    }
}

/// The last block to finish resets cells and tickets to zero.
#[device]
pub(super) fn leave_zeros(cells: &mut [u64], tickets: &mut [u32], #[constant] threads: u32) {
    let t = thread_idx.x;
    for cell in (t as u64..cells.len() as u64).step_by(threads) {
        cells[cell] = 0;
    }
    if t < 2 {
        tickets[t] = 0;
    }
}
