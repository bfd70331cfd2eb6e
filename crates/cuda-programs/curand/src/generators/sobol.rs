//! Sobol' sequences and their direction vectors.
//!
//! Scrambling follows Matousek ("On the L2-discrepancy for anchored boxes", 1998): each dimension's vectors are
//! multiplied by a random lower triangular matrix with a unit diagonal, and a random number is added by exclusive or.
//! NVIDIA uses the same method with unpublished random numbers; these come from SplitMix64 of the dimension.

use crate::distribution::{
    inverse_normal, uniform, uniform_double, uniform_double_at_end, uniform_of_wide,
};
use crate::generators::Sequence;
use crate::{Result, Status};
use std::sync::OnceLock;

/// A sequence of points.
pub struct Sobol {
    pub wide: bool,
    pub scrambled: bool,
    pub dimensions: usize,
    /// Number of points so far.
    pub point: u64,
}

impl Sobol {
    /// The coordinate of a point in a dimension, left-aligned in 64 bits.
    fn number(&self, dimension: usize, point: u64) -> u64 {
        let gray = point ^ (point >> 1);
        let ones = (0..64).filter(|bit| gray >> bit & 1 == 1);
        if self.wide {
            let vectors = &vectors64(self.scrambled)[64 * dimension..];
            let start = if self.scrambled { constants64()[dimension] } else { 0 };
            ones.fold(start, |sum, bit| sum ^ vectors[bit])
        } else {
            let vectors = &vectors32(self.scrambled)[32 * dimension..];
            let start = if self.scrambled { constants32()[dimension] } else { 0 };
            let sum = ones.filter(|bit| *bit < 32).fold(start, |sum, bit| sum ^ vectors[bit]);
            u64::from(sum) << 32
        }
    }

    fn fill<T>(&mut self, to: &mut [T], made: impl Fn(&Self, u64) -> T) -> Result {
        if !to.len().is_multiple_of(self.dimensions) {
            return Err(Status::LengthNotMultiple);
        }
        let points = to.len() / self.dimensions;
        for (dimension, to) in to.chunks_mut(points.max(1)).enumerate() {
            let mut number = self.number(dimension, self.point);
            for (at, to) in (self.point..).zip(to) {
                *to = made(self, number);
                // Consecutive Gray codes differ in the lowest bit that is 0.
                number ^= self.change(dimension, at.trailing_ones() as usize);
            }
        }
        self.point += points as u64;
        Ok(())
    }

    /// The difference to the next number, whose Gray code differs in this bit.
    fn change(&self, dimension: usize, bit: usize) -> u64 {
        match self.wide {
            true => vectors64(self.scrambled)[64 * dimension + bit.min(63)],
            false => u64::from(vectors32(self.scrambled)[32 * dimension + bit.min(31)]) << 32,
        }
    }

    fn double(&self, number: u64) -> f64 {
        match self.wide {
            true => uniform_of_wide(number),
            false => uniform_double((number >> 32) as u32),
        }
    }
}

impl Sequence for Sobol {
    fn bits(&mut self, to: &mut [u32]) -> Result {
        match self.wide {
            true => Err(Status::TypeError),
            false => self.fill(to, |_, number| (number >> 32) as u32),
        }
    }

    fn wide_bits(&mut self, to: &mut [u64]) -> Result {
        match self.wide {
            true => self.fill(to, |_, number| number),
            false => Err(Status::TypeError),
        }
    }

    fn uniform(&mut self, to: &mut [f32]) -> Result {
        self.fill(to, |_, number| uniform((number >> 32) as u32))
    }

    fn uniform_double(&mut self, to: &mut [f64]) -> Result {
        match self.wide {
            true => self.fill(to, |_, number| uniform_of_wide(number)),
            false => self.fill(to, |_, number| uniform_double_at_end((number >> 32) as u32)),
        }
    }

    fn normal(&mut self, to: &mut [f32]) -> Result {
        self.fill(to, |_, number| inverse_normal(uniform_double((number >> 32) as u32)) as f32)
    }

    fn normal_double(&mut self, to: &mut [f64]) -> Result {
        self.fill(to, |this, number| inverse_normal(this.double(number)))
    }
}

/// Number of dimensions.
pub const DIMENSIONS: usize = 20_000;

/// Reads the packed numbers; `scripts/sobol.py` describes the format.
struct Bits(usize);

impl Bits {
    fn take(&mut self, width: usize) -> u64 {
        static PACKED: &[u8] = include_bytes!("../../data/joe-kuo-6.bin");
        let mut value = 0;
        for bit in 0..width {
            let at = self.0 + bit;
            value |= u64::from(PACKED[at / 8] >> (at % 8) & 1) << bit;
        }
        self.0 += width;
        value
    }
}

/// The vectors of all dimensions, `width` each. The highest bit represents one half.
fn all(width: usize) -> Vec<u64> {
    let top = width - 1;
    let mut vectors: Vec<u64> = (0..width).map(|bit| 1 << (top - bit)).collect();
    let mut bits = Bits(0);
    for _ in 1..DIMENSIONS {
        let degree = bits.take(5) as usize;
        let inner = bits.take(degree - 1);
        let start = vectors.len();
        vectors.push(1 << top);
        for index in 1..degree {
            vectors.push((bits.take(index) << 1 | 1) << (top - index));
        }
        for index in degree..width {
            let back = |steps: usize| vectors[start + index - steps];
            let mut vector = back(degree) ^ (back(degree) >> degree);
            for steps in (1..degree).filter(|steps| inner >> (degree - 1 - steps) & 1 == 1) {
                vector ^= back(steps);
            }
            vectors.push(vector);
        }
    }
    vectors
}

/// The random number at an index, by SplitMix64 (Steele, Lea and Flood 2014).
fn random(place: u64) -> u64 {
    let mut word = place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The vectors, each multiplied by its dimension's triangular matrix.
fn scrambled(plain: &[u64], width: usize) -> Vec<u64> {
    let scramble = |dimension: usize, vectors: &[u64]| -> Vec<u64> {
        // Row `bit` of the matrix, from the highest bit: that bit, and random bits above it.
        let rows: Vec<u64> = (0..width)
            .map(|bit| {
                let own = 1u64 << (width - 1 - bit);
                let above = (!0u64 >> (64 - width)) & !(own | (own - 1));
                own | (random((dimension * 64 + bit) as u64) & above)
            })
            .collect();
        let product = |vector: &u64| {
            rows.iter().fold(0, |made, row| made << 1 | u64::from((row & vector).count_ones() & 1))
        };
        vectors.iter().map(product).collect()
    };
    plain.chunks(width).enumerate().flat_map(|(at, vectors)| scramble(at, vectors)).collect()
}

/// 64-bit vectors, one dimension after another.
pub fn vectors64(scramble: bool) -> &'static [u64] {
    static PLAIN: OnceLock<Vec<u64>> = OnceLock::new();
    static SCRAMBLED: OnceLock<Vec<u64>> = OnceLock::new();
    let plain = PLAIN.get_or_init(|| all(64));
    if scramble { SCRAMBLED.get_or_init(|| scrambled(plain, 64)) } else { plain }
}

/// 32-bit vectors, one dimension after another.
pub fn vectors32(scramble: bool) -> &'static [u32] {
    static PLAIN: OnceLock<Vec<u32>> = OnceLock::new();
    static SCRAMBLED: OnceLock<Vec<u32>> = OnceLock::new();
    let narrow = |vectors: Vec<u64>| vectors.into_iter().map(|vector| vector as u32).collect();
    match scramble {
        false => PLAIN.get_or_init(|| narrow(all(32))),
        true => SCRAMBLED.get_or_init(|| narrow(scrambled(&all(32), 32))),
    }
}

/// Scramble constants of 64-bit sequences, by dimension.
pub fn constants64() -> &'static [u64] {
    static CONSTANTS: OnceLock<Vec<u64>> = OnceLock::new();
    CONSTANTS.get_or_init(|| (0..DIMENSIONS as u64).map(|at| random(!at)).collect())
}

/// Scramble constants of 32-bit sequences, by dimension.
pub fn constants32() -> &'static [u32] {
    static CONSTANTS: OnceLock<Vec<u32>> = OnceLock::new();
    CONSTANTS.get_or_init(|| constants64().iter().map(|word| (word >> 32) as u32).collect())
}

#[cfg(test)]
mod tests {
    use super::{DIMENSIONS, Sobol, vectors32, vectors64};
    use crate::generators::Sequence;

    #[test]
    fn the_first_points_match_the_literature() {
        let mut sobol = Sobol { wide: false, scrambled: false, dimensions: 3, point: 0 };
        let mut numbers = [0; 12];
        sobol.bits(&mut numbers).unwrap();
        let quarters = numbers.map(|number| number >> 30);
        assert_eq!(quarters, [0, 2, 3, 1, 0, 2, 1, 3, 0, 2, 1, 3]);
    }

    #[test]
    fn every_dimension_fills_each_interval_once() {
        for (wide, scrambled) in [(false, false), (false, true), (true, true)] {
            let mut sobol = Sobol { wide, scrambled, dimensions: 50, point: 0 };
            let mut numbers = vec![0.0; 50 * 256];
            sobol.uniform_double(&mut numbers).unwrap();
            for dimension in numbers.chunks(256) {
                let mut seen = [0; 256];
                dimension.iter().for_each(|number| seen[(number * 256.0).ceil() as usize - 1] += 1);
                assert_eq!(seen, [1; 256]);
            }
        }
    }

    #[test]
    fn sobol_pieces_equal_the_whole_sequence() {
        for wide in [false, true] {
            let of = |point| Sobol { wide, scrambled: true, dimensions: 1, point };
            let (mut whole, mut part) = ([0.0; 100], [0.0; 40]);
            of(0).normal_double(&mut whole).unwrap();
            of(60).normal_double(&mut part).unwrap();
            assert_eq!(part, whole[60..]);
        }
    }

    #[test]
    fn vectors_match_joe_and_kuo() {
        let vectors = vectors32(false);
        assert_eq!(vectors.len(), 32 * DIMENSIONS);
        assert_eq!(vectors[..3], [1 << 31, 1 << 30, 1 << 29]);
        // From Joe and Kuo's table: dimension 4 has 1, 3 and 1, and x^3 + x + 1.
        assert_eq!(vectors[96..100], [0x8000_0000, 0xc000_0000, 0x2000_0000, 0x5000_0000]);
        // The upper half of each 64-bit vector is the 32-bit vector.
        let wide = vectors64(false);
        for dimension in [0, 1, 700, DIMENSIONS - 1] {
            for bit in 0..32 {
                assert_eq!(
                    (wide[dimension * 64 + bit] >> 32) as u32,
                    vectors[dimension * 32 + bit]
                );
            }
        }
    }

    #[test]
    fn scrambling_keeps_each_vectors_first_bit() {
        for (plain, scrambled) in vectors32(false).iter().zip(vectors32(true)) {
            assert_eq!(plain.leading_zeros(), scrambled.leading_zeros());
        }
        assert_ne!(vectors64(false), vectors64(true));
    }
}
