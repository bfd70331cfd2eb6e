//! MRG32k3a: L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators", Operations Research
//! 47 (1999), figure 1.
//!
//! As in cuRAND's guide and headers: 81920 generators take turns (4096 in the legacy order), each 2^76 numbers ahead of the previous one;
//! the seed multiplies the start, 12345 six times.

use crate::sequence::{Lane, Lanes};

const MODULI: [u64; 2] = [4_294_967_087, 4_294_944_443];
/// The recurrences as matrices: each maps three values to the next three.
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

/// One generator.
#[derive(Clone)]
pub struct Mrg32k3a([[u64; 3]; 2]);

impl Mrg32k3a {
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

#[cfg(test)]
mod tests {
    use super::{MODULI, Mrg32k3a, power, sequence};
    use crate::sequence::Lane;
    use crate::sequence::Sequence;

    #[test]
    fn the_papers_start_gives_its_numbers() {
        // Uniform numbers that L'Ecuyer's package RngStreams prints for its default seed, 12345.
        let mut lane = Mrg32k3a::seeded(0);
        let got: Vec<f64> = (0..3).map(|_| lane.number() as f64 / (MODULI[0] + 1) as f64).collect();
        for (got, wanted) in got.iter().zip([0.127_011_122, 0.318_527_565, 0.309_186_016]) {
            assert!((got - wanted).abs() < 1e-9, "{got}");
        }
    }

    #[test]
    fn streams_are_spaced_as_in_the_paper() {
        // First rows of RngStreams' A1p76 and A2p76 (L'Ecuyer, Simard, Chen, Kelton 2002).
        assert_eq!(power(0, 1, 76)[0], [82_758_667, 1_871_391_091, 4_127_413_238]);
        assert_eq!(power(1, 1, 76)[0], [1_511_326_704, 3_759_209_742, 1_610_795_712]);
    }

    #[test]
    fn an_offset_skips_numbers() {
        let mut whole = vec![0; 9000];
        sequence(7, 0, true).bits(&mut whole).unwrap();
        for offset in [1, 4095, 4096, 8195] {
            let mut part = [0; 40];
            sequence(7, offset, true).bits(&mut part).unwrap();
            assert_eq!(part[..], whole[offset as usize..][..40], "{offset}");
        }
        let mut lane = Mrg32k3a::seeded(1);
        assert!((0..1000).all(|_| (0.0..=1.0).contains(&lane.uniform_double())));
    }
}
