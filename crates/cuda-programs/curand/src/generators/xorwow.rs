//! XORWOW: Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003), section 3.1: a shift register of 160 bits,
//! whose output is added to a Weyl sequence. Square matrices over GF(2), stored as columns, skip it ahead.
//!
//! As in cuRAND's guide and headers: 4096 generators take turns, each 2^67 numbers ahead of the previous one, and the seed is mixed into
//! Marsaglia's start. The fast lower-quality order (`CURAND_ORDERING_PSEUDO_SEEDED`) is the same here.

use crate::distribution::uniform_of_two;
use crate::sequence::{Lane, Lanes};
use std::sync::OnceLock;

/// Number of generators.
const LANES: u64 = 4096;

/// The step of the Weyl sequence.
const STEP: u32 = 362_437;

/// One generator.
#[derive(Clone)]
pub struct Xorwow {
    register: Vector,
    weyl: u32,
}

fn shifted([a, b, c, d, e]: Vector) -> Vector {
    let mixed = a ^ (a >> 2);
    [b, c, d, e, e ^ (e << 4) ^ mixed ^ (mixed << 1)]
}

impl Xorwow {
    fn seeded(seed: u64) -> Xorwow {
        let low = (seed as u32 ^ 0xaad2_6b49).wrapping_mul(1_099_087_573);
        let high = ((seed >> 32) as u32 ^ 0xf7dc_efdd).wrapping_mul(2_591_861_531);
        let register = [
            123_456_789u32.wrapping_add(low),
            362_436_069 ^ low,
            521_288_629u32.wrapping_add(high),
            88_675_123 ^ high,
            5_783_321u32.wrapping_add(low),
        ];
        Xorwow { register, weyl: 6_615_241u32.wrapping_add(high).wrapping_add(low) }
    }
}

impl Lane for Xorwow {
    fn bits(&mut self) -> u32 {
        self.register = shifted(self.register);
        self.weyl = self.weyl.wrapping_add(STEP);
        self.register[4].wrapping_add(self.weyl)
    }

    fn uniform_double(&mut self) -> f64 {
        let low = self.bits();
        uniform_of_two(low, self.bits())
    }
}

/// The sequence of a seed from number `offset`.
pub fn sequence(seed: u64, offset: u64) -> Lanes<Xorwow> {
    // 2^67 steps of the Weyl sequence change nothing modulo 2^32.
    static APART: OnceLock<Matrix> = OnceLock::new();
    let apart = APART.get_or_init(|| Matrix::of(shifted).doubled(67));
    let (passed, turn) = (offset / LANES, (offset % LANES) as usize);
    let mut first = Xorwow::seeded(seed);
    if passed != 0 {
        first.register = Matrix::of(shifted).power(passed).apply(&first.register);
        first.weyl = first.weyl.wrapping_add(STEP.wrapping_mul(passed as u32));
    }
    let following =
        |lane: &Xorwow| Some(Xorwow { register: apart.apply(&lane.register), weyl: lane.weyl });
    let mut lanes: Vec<Xorwow> =
        std::iter::successors(Some(first), following).take(LANES as usize).collect();
    for lane in &mut lanes[..turn] {
        lane.bits();
    }
    Lanes::new(lanes, turn)
}

/// 32-bit words of a vector.
pub const WORDS: usize = 5;

const BITS: usize = 32 * WORDS;

/// A vector of 160 bits.
pub type Vector = [u32; WORDS];

/// A matrix of 160 by 160 bits.
#[derive(Clone)]
pub struct Matrix(Vec<Vector>);

impl Matrix {
    /// The matrix of a linear function.
    pub fn of(function: impl Fn(Vector) -> Vector) -> Matrix {
        let unit = |bit: usize| {
            let mut vector = [0; WORDS];
            vector[bit / 32] = 1 << (bit % 32);
            vector
        };
        Matrix((0..BITS).map(|bit| function(unit(bit))).collect())
    }

    /// The product with a vector.
    pub fn apply(&self, to: &Vector) -> Vector {
        let mut sum = [0; WORDS];
        for (columns, word) in self.0.chunks(32).zip(to) {
            for (bit, column) in columns.iter().enumerate() {
                let mask = (word >> bit & 1).wrapping_neg();
                for (sum, part) in sum.iter_mut().zip(column) {
                    *sum ^= part & mask;
                }
            }
        }
        sum
    }

    /// The product that applies `first`, then this.
    fn after(&self, first: &Matrix) -> Matrix {
        Matrix(first.0.iter().map(|column| self.apply(column)).collect())
    }

    /// The matrix squared `doublings` times: its power 2^`doublings`.
    pub fn doubled(mut self, doublings: u32) -> Matrix {
        for _ in 0..doublings {
            self = self.after(&self);
        }
        self
    }

    /// A power, by repeated squaring.
    pub fn power(mut self, mut exponent: u64) -> Matrix {
        let mut product = Matrix::of(|vector| vector);
        while exponent != 0 {
            if exponent & 1 == 1 {
                product = self.after(&product);
            }
            exponent >>= 1;
            if exponent != 0 {
                self = self.after(&self);
            }
        }
        product
    }
}

#[cfg(test)]
mod tests {
    use super::{Xorwow, sequence};
    use crate::sequence::{Lane, Sequence};

    #[test]
    fn the_generator_matches_the_papers_numbers() {
        // Marsaglia's start, whose steps are easy to do by hand.
        let mut lane = Xorwow {
            register: [123_456_789, 362_436_069, 521_288_629, 88_675_123, 5_783_321],
            weyl: 6_615_241,
        };
        let got: Vec<u32> = (0..3).map(|_| lane.bits()).collect();
        assert_eq!(got, [246_875_399, 3_690_007_200, 1_264_581_005]);
    }

    #[test]
    fn an_offset_skips_numbers() {
        let mut whole = vec![0; 9000];
        sequence(7, 0).bits(&mut whole).unwrap();
        for offset in [1, 4095, 4096, 8195] {
            let mut part = [0; 40];
            sequence(7, offset).bits(&mut part).unwrap();
            assert_eq!(part[..], whole[offset as usize..][..40], "{offset}");
        }
        let mut far = sequence(7, 4096 << 40);
        assert_ne!(far.bits(&mut whole), Err(crate::status::Status::Internal));
    }
}
