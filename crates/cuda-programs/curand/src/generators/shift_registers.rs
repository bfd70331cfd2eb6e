//! Shift registers over GF(2): XORWOW, MT19937 and MTGP32.
//!
//! XORWOW (Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003, section 3.1) adds a Weyl sequence to the
//! output of a 160-bit shift register. Square matrices over GF(2), stored as columns, skip it ahead. As in cuRAND's guide
//! and headers: 4096 generators take turns, each 2^67 numbers ahead of the previous one, and the seed is mixed into
//! Marsaglia's start. The fast lower-quality order (`CURAND_ORDERING_PSEUDO_SEEDED`) is the same here.
//!
//! MT19937 (Matsumoto and Nishimura, "Mersenne Twister", ACM Transactions on Modeling and Computer
//! Simulation 8, 1998) has the seeding of 2002 (`init_genrand`). Here, one generator makes all
//! numbers. NVIDIA's library interleaves 8192 generators that are far apart, and its first one is
//! the one here: the first number is the same, but the order of the others differs.
//!
//! MTGP32 (Saito and Matsumoto, "Variants of Mersenne Twister suitable for graphic processors", ACM Transactions on
//! Mathematical Software 39, 2013) has Mersenne exponent 11213 and parameters of the authors' dynamic creator. As in
//! NVIDIA's host generators: the generators of the first 192 parameter sets (64 in the legacy order) take turns in runs of
//! 256 numbers. Each generator's seed is one more than the previous generator's.

use crate::distribution::{uniform_double_at_end, uniform_of_two};
use crate::generators::{Lane, Lanes};
use std::sync::OnceLock;

/// Number of XORWOW generators.
const LANES: u64 = 4096;

/// The step of the Weyl sequence.
const STEP: u32 = 362_437;

/// An XORWOW generator.
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
    /// The sequence of a seed from number `offset`.
    pub fn sequence(seed: u64, offset: u64) -> Lanes<Xorwow> {
        // After 2^67 steps, the Weyl sequence has the same value modulo 2^32.
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

/// 32-bit words of a vector, the state of XORWOW.
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

    /// Squares the matrix `doublings` times, to its power 2^`doublings`.
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

/// Words of an MT19937 state.
const MT19937_WORDS: usize = 624;

/// An MT19937 generator.
pub struct Mt19937 {
    state: [u32; MT19937_WORDS],
    at: usize,
}

impl Mt19937 {
    /// The sequence of a seed; only the seed's low 32 bits matter.
    pub fn sequence(seed: u64) -> Lanes<Mt19937> {
        Lanes::new(vec![Mt19937::seeded(seed as u32)], 0)
    }

    fn seeded(seed: u32) -> Mt19937 {
        let mut state = [seed; MT19937_WORDS];
        for index in 1..MT19937_WORDS {
            let before = state[index - 1];
            state[index] =
                (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(index as u32);
        }
        Mt19937 { state, at: MT19937_WORDS }
    }

    fn refill(&mut self) {
        for index in 0..MT19937_WORDS {
            let joined = (self.state[index] & 0x8000_0000)
                | (self.state[(index + 1) % MT19937_WORDS] & 0x7fff_ffff);
            let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[index] = self.state[(index + 397) % MT19937_WORDS] ^ (joined >> 1) ^ twist;
        }
        self.at = 0;
    }
}

impl Lane for Mt19937 {
    const INVERTS: bool = true;

    fn bits(&mut self) -> u32 {
        if self.at == MT19937_WORDS {
            self.refill();
        }
        let mut word = self.state[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }
}

/// Words of an MTGP32 state.
const MTGP32_WORDS: usize = 11_213 / 32 + 1;
/// The significant bits of the oldest word of an MTGP32 state.
const MASK: u32 = 0xfff8_0000;
/// Numbers per turn of an MTGP32 generator.
const RUN: usize = 256;

/// An MTGP32 generator. Its tables are linear, so four entries determine each table.
pub struct Mtgp32 {
    state: [u32; MTGP32_WORDS],
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

    fn seeded(parameters: &[u8], seed: u32) -> Mtgp32 {
        let word = |at: usize| {
            u32::from_le_bytes(parameters[4 * at..4 * at + 4].try_into().expect("four bytes"))
        };
        let table = [word(3), word(4), word(5), word(6)];
        let tempering = [word(7), word(8), word(9), word(10)];
        let hidden = table[2] ^ (table[3] << 16);
        let folded = hidden.wrapping_add(hidden >> 16);
        let filler = folded.wrapping_add(folded >> 8) & 0xff;
        let mut state = [filler * 0x0101_0101; MTGP32_WORDS];
        (state[0], state[1]) = (seed, hidden);
        for index in 1..MTGP32_WORDS {
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
        let word = |ahead: usize| self.state[(self.at + ahead) % MTGP32_WORDS];
        let mut mixed = (word(0) & MASK) ^ word(1);
        mixed ^= mixed << self.shifts[0];
        mixed ^= word(self.place) >> self.shifts[1];
        let made = mixed ^ look_up(&self.table, mixed);
        let mut temper = word(self.place - 1);
        temper ^= temper >> 16;
        temper ^= temper >> 8;
        self.state[self.at] = made;
        self.at = (self.at + 1) % MTGP32_WORDS;
        made ^ look_up(&self.tempering, temper)
    }

    fn uniform_double(&mut self) -> f64 {
        uniform_double_at_end(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::{Mt19937, Xorwow};
    use crate::generators::{Lane, Sequence};

    #[test]
    fn xorwow_matches_the_papers_numbers() {
        // Marsaglia's start, whose steps are easy to do by hand.
        let mut lane = Xorwow {
            register: [123_456_789, 362_436_069, 521_288_629, 88_675_123, 5_783_321],
            weyl: 6_615_241,
        };
        let got: Vec<u32> = (0..3).map(|_| lane.bits()).collect();
        assert_eq!(got, [246_875_399, 3_690_007_200, 1_264_581_005]);
    }

    #[test]
    fn an_offset_skips_numbers_of_xorwow() {
        let mut whole = vec![0; 9000];
        Xorwow::sequence(7, 0).bits(&mut whole).unwrap();
        for offset in [1, 4095, 4096, 8195] {
            let mut part = [0; 40];
            Xorwow::sequence(7, offset).bits(&mut part).unwrap();
            assert_eq!(part[..], whole[offset as usize..][..40], "{offset}");
        }
        let mut far = Xorwow::sequence(7, 4096 << 40);
        assert_ne!(far.bits(&mut whole), Err(crate::Status::Internal));
    }

    #[test]
    fn mt19937_matches_the_cpp_standard() {
        // From the C++ standard ([rand.predef]): the 10000th number of seed 5489.
        let mut generator = Mt19937::seeded(5489);
        assert_eq!(generator.bits(), 3_499_211_612);
        assert_eq!((0..9999).map(|_| generator.bits()).last(), Some(4_123_659_995));
    }
}
