//! Philox4x32-10: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011: ten rounds of multiplications mix
//! a 128-bit counter with a 64-bit key, and each counter gives four numbers.
//!
//! As in cuRAND's guide and headers: the seed is the key; 65536 generators take turns in runs of four numbers, with their index in the
//! counter's upper half. A double uses two numbers, so four doubles use two counters of one generator.

use crate::distribution::{box_muller, uniform, uniform_of_two};
use crate::sequence::Sequence;
use crate::status::Result;

/// Numbers per round of all generators.
const ROUND: u64 = 4 * 65_536;

/// The four numbers of a counter.
fn block(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let product = |a: u32, b: u32| {
        let product = u64::from(a) * u64::from(b);
        ((product >> 32) as u32, product as u32)
    };
    let ([mut a, mut b, mut c, mut d], [mut k, mut l]) = (counter, key);
    for _ in 0..10 {
        let (high0, low0) = product(0xd251_1f53, a);
        let (high1, low1) = product(0xcd9e_8d57, c);
        (a, b, c, d) = (high1 ^ b ^ k, low1, high0 ^ d ^ l, low0);
        (k, l) = (k.wrapping_add(0x9e37_79b9), l.wrapping_add(0xbb67_ae85));
    }
    [a, b, c, d]
}

/// The sequence of a seed.
pub struct Philox {
    key: [u32; 2],
    /// The common counter of this round, and the index of the next number in the round.
    counter: u64,
    place: u64,
    /// Counters used per generator in this round.
    taken: u64,
    /// The last block, with its generator and counter.
    last: ((u64, u64), [u32; 4]),
}

impl Philox {
    /// The sequence from number `offset`.
    pub fn new(seed: u64, offset: u64) -> Philox {
        let key = [seed as u32, (seed >> 32) as u32];
        let (counter, place) = (offset / ROUND, offset % ROUND);
        Philox { key, counter, place, taken: 1, last: ((u64::MAX, 0), [0; 4]) }
    }

    /// The number at an index of the block of a generator and a counter.
    fn number(&mut self, generator: u64, counter: u64, place: u64) -> u32 {
        if self.last.0 != (generator, counter) {
            let words = [counter as u32, (counter >> 32) as u32, generator as u32, 0];
            self.last = ((generator, counter), block(words, self.key));
        }
        self.last.1[place as usize]
    }

    /// Makes one item, which uses this many counters: calls `made` with the generator, its counter and the index
    /// within four numbers, then advances.
    fn item<T>(&mut self, counters: u64, made: impl FnOnce(&mut Self, u64, u64, u64) -> T) -> T {
        self.taken = self.taken.max(counters);
        let value = made(self, self.place / 4, self.counter, self.place % 4);
        self.place += 1;
        if self.place == ROUND {
            (self.place, self.counter, self.taken) = (0, self.counter + self.taken, 1);
        }
        value
    }
}

impl Sequence for Philox {
    fn bits(&mut self, to: &mut [u32]) -> Result {
        to.iter_mut().for_each(|to| *to = self.item(1, Self::number));
        Ok(())
    }

    fn uniform(&mut self, to: &mut [f32]) -> Result {
        to.iter_mut().for_each(|to| *to = uniform(self.item(1, Self::number)));
        Ok(())
    }

    fn uniform_double(&mut self, to: &mut [f64]) -> Result {
        for to in to {
            *to = self.item(2, |this, generator, counter, place| {
                let (counter, place) = (counter + place / 2, place % 2 * 2);
                let low = this.number(generator, counter, place);
                uniform_of_two(low, this.number(generator, counter, place + 1))
            });
        }
        Ok(())
    }

    fn normal(&mut self, to: &mut [f32]) -> Result {
        for to in to {
            *to = self.item(1, |this, generator, counter, place| {
                let first = place & 2;
                let u = uniform(this.number(generator, counter, first));
                let v = uniform(this.number(generator, counter, first + 1));
                of_pair(u.into(), v.into(), place) as f32
            });
        }
        Ok(())
    }

    fn normal_double(&mut self, to: &mut [f64]) -> Result {
        for to in to {
            *to = self.item(2, |this, generator, counter, place| {
                let counter = counter + place / 2;
                let [a, b, c, d] = [0, 1, 2, 3].map(|at| this.number(generator, counter, at));
                of_pair(uniform_of_two(a, b), uniform_of_two(c, d), place)
            });
        }
        Ok(())
    }
}

/// The first or second of the two normal numbers of a pair, by the parity of its index.
fn of_pair(u: f64, v: f64, place: u64) -> f64 {
    let (sine, cosine) = box_muller(u, v);
    if place.is_multiple_of(2) { sine } else { cosine }
}

#[cfg(test)]
mod tests {
    use super::{Philox, block};
    use crate::sequence::Sequence;

    #[test]
    fn known_answers_of_random123() {
        // From the authors' file of known answers (kat_vectors): philox4x32 with 10 rounds.
        let ones = u32::MAX;
        assert_eq!(block([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(
            block([ones; 4], [ones; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            block([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn an_offset_skips_numbers() {
        let (mut whole, mut part) = (vec![0; 300_000], [0; 64]);
        Philox::new(7, 0).bits(&mut whole).unwrap();
        for offset in [1, 6, 262_140] {
            Philox::new(7, offset).bits(&mut part).unwrap();
            assert_eq!(part[..], whole[offset as usize..][..64], "{offset}");
        }
    }

    #[test]
    fn pieces_give_the_whole() {
        let (mut whole, mut first, mut second) = ([0.0; 8], [0.0; 3], [0.0; 5]);
        Philox::new(7, 0).normal(&mut whole).unwrap();
        let mut pieces = Philox::new(7, 0);
        pieces.normal(&mut first).unwrap();
        pieces.normal(&mut second).unwrap();
        assert_eq!([&first[..], &second[..]].concat(), whole);
    }
}
