//! Generators by integer multiplication: MRG32k3a and Philox4x32-10.
//!
//! MRG32k3a (L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
//! Operations Research 47, 1999, figure 1) combines two linear recurrences. As in cuRAND's guide and headers: 81920
//! generators take turns (4096 in the legacy order), each 2^76 numbers ahead of the previous one; the seed multiplies the
//! start, 12345 six times.
//!
//! Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011) mixes a 128-bit
//! counter with a 64-bit key in ten rounds of multiplications, and each counter gives four numbers. As in cuRAND's guide
//! and headers: the seed is the key; 65536 generators take turns in runs of four numbers, with their index in the counter's
//! upper half. A double uses two numbers, so four doubles use two counters of one generator.

use crate::Result;
use crate::distribution::{box_muller, uniform, uniform_of_two};
use crate::generators::{Lane, Lanes, Sequence};

/// The moduli of the two recurrences of MRG32k3a.
const MODULI: [u64; 2] = [4_294_967_087, 4_294_944_443];
/// These recurrences as matrices: each maps three values to the next three.
const STEPS: [Matrix; 2] = [
    [[0, 1, 0], [0, 0, 1], [MODULI[0] - 810_728, 1_403_580, 0]],
    [[0, 1, 0], [0, 0, 1], [MODULI[1] - 1_370_589, 0, 527_612]],
];
/// Factor from the output to 32 bits, as in cuRAND.
const TO_BITS: f64 = 1.000_000_048_662;
/// Factor from the output to at most 1.
const TO_ONE: f64 = 2.328_306_549_837_829e-10;

type Matrix = [[u64; 3]; 3];

fn apply(matrix: &Matrix, to: &[u64; 3], modulus: u64) -> [u64; 3] {
    matrix.map(|row| row.iter().zip(to).fold(0, |sum, (a, b)| (sum + a * b % modulus) % modulus))
}

/// The product that applies `first`, then `second`.
fn after(second: &Matrix, first: &Matrix, modulus: u64) -> Matrix {
    let mut product = [[0; 3]; 3];
    for column in 0..3 {
        let made = apply(second, &first.map(|row| row[column]), modulus);
        (0..3).for_each(|row| product[row][column] = made[row]);
    }
    product
}

/// A power of a step: the exponent is `exponent` times 2^`doublings`.
fn power(which: usize, mut exponent: u64, doublings: u32) -> Matrix {
    let modulus = MODULI[which];
    let mut square = STEPS[which];
    for _ in 0..doublings {
        square = after(&square, &square, modulus);
    }
    let mut product = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    while exponent != 0 {
        if exponent & 1 == 1 {
            product = after(&square, &product, modulus);
        }
        square = after(&square, &square, modulus);
        exponent >>= 1;
    }
    product
}

/// An MRG32k3a generator.
#[derive(Clone)]
pub struct Mrg32k3a([[u64; 3]; 2]);

impl Mrg32k3a {
    /// The sequence of a seed from number `offset`, in the default or the legacy order.
    pub fn sequence(seed: u64, offset: u64, legacy: bool) -> Lanes<Mrg32k3a> {
        let count: u64 = if legacy { 4096 } else { 81_920 };
        let (passed, turn) = (offset / count, (offset % count) as usize);
        let apart = [power(0, 1, 76), power(1, 1, 76)];
        let first = Mrg32k3a::seeded(seed).ahead(&[power(0, passed, 0), power(1, passed, 0)]);
        let mut lanes: Vec<Mrg32k3a> =
            std::iter::successors(Some(first), |lane| Some(lane.ahead(&apart)))
                .take(count as usize)
                .collect();
        for lane in &mut lanes[..turn] {
            lane.number();
        }
        Lanes::new(lanes, turn)
    }

    fn seeded(seed: u64) -> Mrg32k3a {
        let mut start = Mrg32k3a([[12_345; 3]; 2]);
        if seed != 0 {
            let low = u64::from(seed as u32 ^ 0x5555_5555);
            let high = u64::from((seed >> 32) as u32 ^ 0xaaaa_aaaa);
            let factors = [[low, high, low], [high, low, high]];
            for which in 0..2 {
                start.0[which] = factors[which].map(|factor| factor * 12_345 % MODULI[which]);
            }
        }
        start
    }

    fn ahead(&self, matrices: &[Matrix; 2]) -> Mrg32k3a {
        Mrg32k3a([0, 1].map(|which| apply(&matrices[which], &self.0[which], MODULI[which])))
    }

    /// The next number, from 1 to the first modulus.
    fn number(&mut self) -> u64 {
        for which in 0..2 {
            let next = apply(&STEPS[which], &self.0[which], MODULI[which])[2];
            let [_, b, c] = self.0[which];
            self.0[which] = [b, c, next];
        }
        let [p, q] = [self.0[0][2], self.0[1][2]];
        if p > q { p - q } else { p + MODULI[0] - q }
    }
}

impl Lane for Mrg32k3a {
    fn bits(&mut self) -> u32 {
        (self.number() as f64 * TO_BITS) as u32
    }

    fn uniform(&mut self) -> f32 {
        self.uniform_double() as f32
    }

    fn uniform_double(&mut self) -> f64 {
        self.number() as f64 * TO_ONE
    }
}

/// Numbers per round of all Philox generators.
const ROUND: u64 = 4 * 65_536;

/// The four numbers of a counter of Philox.
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

/// The Philox sequence of a seed.
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

/// The first normal number of a pair for an even index, or the second for an odd index.
fn of_pair(u: f64, v: f64, place: u64) -> f64 {
    let (sine, cosine) = box_muller(u, v);
    if place.is_multiple_of(2) { sine } else { cosine }
}

#[cfg(test)]
mod tests {
    use super::{MODULI, Mrg32k3a, Philox, block, power};
    use crate::generators::{Lane, Sequence};

    #[test]
    fn mrg32k3a_matches_the_authors_package() {
        // Uniform numbers that L'Ecuyer's package RngStreams prints for its default seed, 12345.
        let mut lane = Mrg32k3a::seeded(0);
        let got: Vec<f64> = (0..3).map(|_| lane.number() as f64 / (MODULI[0] + 1) as f64).collect();
        for (got, wanted) in got.iter().zip([0.127_011_122, 0.318_527_565, 0.309_186_016]) {
            assert!((got - wanted).abs() < 1e-9, "{got}");
        }
    }

    #[test]
    fn streams_of_mrg32k3a_are_spaced_as_in_the_paper() {
        // First rows of RngStreams' A1p76 and A2p76 (L'Ecuyer, Simard, Chen, Kelton 2002).
        assert_eq!(power(0, 1, 76)[0], [82_758_667, 1_871_391_091, 4_127_413_238]);
        assert_eq!(power(1, 1, 76)[0], [1_511_326_704, 3_759_209_742, 1_610_795_712]);
    }

    #[test]
    fn an_offset_skips_numbers_of_mrg32k3a() {
        let mut whole = vec![0; 9000];
        Mrg32k3a::sequence(7, 0, true).bits(&mut whole).unwrap();
        for offset in [1, 4095, 4096, 8195] {
            let mut part = [0; 40];
            Mrg32k3a::sequence(7, offset, true).bits(&mut part).unwrap();
            assert_eq!(part[..], whole[offset as usize..][..40], "{offset}");
        }
        let mut lane = Mrg32k3a::seeded(1);
        assert!((0..1000).all(|_| (0.0..=1.0).contains(&lane.uniform_double())));
    }

    #[test]
    fn philox_gives_the_known_answers_of_random123() {
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
    fn an_offset_skips_numbers_of_philox() {
        let (mut whole, mut part) = (vec![0; 300_000], [0; 64]);
        Philox::new(7, 0).bits(&mut whole).unwrap();
        for offset in [1, 6, 262_140] {
            Philox::new(7, offset).bits(&mut part).unwrap();
            assert_eq!(part[..], whole[offset as usize..][..64], "{offset}");
        }
    }

    #[test]
    fn philox_pieces_equal_the_whole_sequence() {
        let (mut whole, mut first, mut second) = ([0.0; 8], [0.0; 3], [0.0; 5]);
        Philox::new(7, 0).normal(&mut whole).unwrap();
        let mut pieces = Philox::new(7, 0);
        pieces.normal(&mut first).unwrap();
        pieces.normal(&mut second).unwrap();
        assert_eq!([&first[..], &second[..]].concat(), whole);
    }
}
