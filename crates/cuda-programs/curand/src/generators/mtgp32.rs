//! MTGP32: Saito and Matsumoto, "Variants of Mersenne Twister suitable for graphic processors", ACM Transactions on Mathematical Software
//! 39 (2013), with Mersenne exponent 11213 and parameters of their dynamic creator.
//!
//! As in NVIDIA's host generators: the generators of the first 192 parameter sets (64 in the legacy order) take turns
//! in runs of 256 numbers. Each generator's seed is one more than the previous generator's.

use crate::distribution::uniform_double_at_end;
use crate::sequence::{Lane, Lanes};

/// Words of a state.
const WORDS: usize = 11_213 / 32 + 1;
/// The significant bits of the oldest word.
const MASK: u32 = 0xfff8_0000;
/// Numbers per turn.
const RUN: usize = 256;

/// One generator. Its tables are linear, so four entries determine each table.
pub struct Mtgp32 {
    state: [u32; WORDS],
    at: usize,
    place: usize,
    shifts: [u32; 2],
    table: [u32; 4],
    tempering: [u32; 4],
}

fn look_up(table: &[u32; 4], index: u32) -> u32 {
    (0..4).filter(|bit| index >> bit & 1 == 1).fold(0, |sum, bit| sum ^ table[bit])
}

impl Mtgp32 {
    fn seeded(parameters: &[u8], seed: u32) -> Mtgp32 {
        let word = |at: usize| {
            u32::from_le_bytes(parameters[4 * at..4 * at + 4].try_into().expect("four bytes"))
        };
        let table = [word(3), word(4), word(5), word(6)];
        let tempering = [word(7), word(8), word(9), word(10)];
        let hidden = table[2] ^ (table[3] << 16);
        let folded = hidden.wrapping_add(hidden >> 16);
        let filler = folded.wrapping_add(folded >> 8) & 0xff;
        let mut state = [filler * 0x0101_0101; WORDS];
        (state[0], state[1]) = (seed, hidden);
        for index in 1..WORDS {
            let before = state[index - 1];
            state[index] ^=
                (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(index as u32);
        }
        let shifts = [word(1), word(2)];
        Mtgp32 { state, at: 0, place: word(0) as usize, shifts, table, tempering }
    }
}

impl Lane for Mtgp32 {
    const INVERTS: bool = true;

    fn bits(&mut self) -> u32 {
        let word = |ahead: usize| self.state[(self.at + ahead) % WORDS];
        let mut mixed = (word(0) & MASK) ^ word(1);
        mixed ^= mixed << self.shifts[0];
        mixed ^= word(self.place) >> self.shifts[1];
        let made = mixed ^ look_up(&self.table, mixed);
        let mut temper = word(self.place - 1);
        temper ^= temper >> 16;
        temper ^= temper >> 8;
        self.state[self.at] = made;
        self.at = (self.at + 1) % WORDS;
        made ^ look_up(&self.tempering, temper)
    }

    fn uniform_double(&mut self) -> f64 {
        uniform_double_at_end(self.bits())
    }
}

/// The sequence of a seed, in the default or the legacy order.
pub fn sequence(seed: u64, legacy: bool) -> Lanes<Mtgp32> {
    static PARAMETERS: &[u8] = include_bytes!("../../data/mtgp32-11213.bin");
    let seed = (seed ^ (seed >> 32)) as u32;
    let count = if legacy { 64 } else { 192 };
    let lanes = PARAMETERS
        .chunks_exact(44)
        .zip(1..)
        .take(count)
        .map(|(set, number)| Mtgp32::seeded(set, seed.wrapping_add(number)));
    Lanes::in_runs(lanes.collect(), RUN)
}
