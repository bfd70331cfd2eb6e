//! MT19937: Matsumoto and Nishimura, "Mersenne Twister", ACM Transactions on Modeling and Computer Simulation 8 (1998), with the seeding of
//! 2002 (`init_genrand`).
//!
//! This is one generator in its own order. NVIDIA's library interleaves 8192 generators that are far apart, the first
//! of which is this one: its first number is the same, but the order of the others differs.

use crate::sequence::{Lane, Lanes};

const WORDS: usize = 624;

/// The generator.
pub struct Mt19937 {
    state: [u32; WORDS],
    at: usize,
}

impl Mt19937 {
    fn seeded(seed: u32) -> Mt19937 {
        let mut state = [seed; WORDS];
        for index in 1..WORDS {
            let before = state[index - 1];
            state[index] =
                (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(index as u32);
        }
        Mt19937 { state, at: WORDS }
    }

    fn refill(&mut self) {
        for index in 0..WORDS {
            let joined =
                (self.state[index] & 0x8000_0000) | (self.state[(index + 1) % WORDS] & 0x7fff_ffff);
            let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[index] = self.state[(index + 397) % WORDS] ^ (joined >> 1) ^ twist;
        }
        self.at = 0;
    }
}

impl Lane for Mt19937 {
    const INVERTS: bool = true;

    fn bits(&mut self) -> u32 {
        if self.at == WORDS {
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

/// The sequence of a seed; only the seed's low 32 bits matter.
pub fn sequence(seed: u64) -> Lanes<Mt19937> {
    Lanes::new(vec![Mt19937::seeded(seed as u32)], 0)
}

#[cfg(test)]
mod tests {
    use super::Mt19937;
    use crate::sequence::Lane;

    #[test]
    fn the_numbers_match_the_cpp_standard() {
        // From the C++ standard ([rand.predef]): the 10000th number of seed 5489.
        let mut generator = Mt19937::seeded(5489);
        assert_eq!(generator.bits(), 3_499_211_612);
        assert_eq!((0..9999).map(|_| generator.bits()).last(), Some(4_123_659_995));
    }
}
