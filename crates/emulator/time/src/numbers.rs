//! Sets and maps of sector numbers. A trace has millions of sectors, and the standard library's hash would take most of the
//! time of a prediction.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A set of numbers.
pub type NumberSet = HashSet<u64, BuildHasherDefault<NumberHasher>>;

/// A map from numbers.
pub type NumberMap<V> = HashMap<u64, V, BuildHasherDefault<NumberHasher>>;

/// A multiplicative hash. It resists no attacker: all numbers are of the user's own trace.
#[derive(Clone, Copy, Default)]
pub struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        // The table uses the highest and the lowest bits.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_numbers_have_different_high_and_low_bits() {
        let hash = |number: u64| {
            let mut hasher = NumberHasher::default();
            hasher.write_u64(number);
            hasher.finish()
        };
        let low: HashSet<u64> = (0..1024).map(|number| hash(number) & 0xfff).collect();
        let high: HashSet<u64> = (0..1024).map(|number| hash(number) >> 57).collect();
        assert!(low.len() > 800 && high.len() > 120, "{} {}", low.len(), high.len());
    }
}
