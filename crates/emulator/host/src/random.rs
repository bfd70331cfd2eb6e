//! glibc's `rand`: the additive feedback generator of its `random(3)` with 31 words (TYPE_3).

/// Degree and separation of the trinomial x^31 + x^3 + 1.
const DEGREE: usize = 31;
const SEPARATION: usize = 3;

/// The state of `rand`.
#[derive(Clone, Debug)]
pub struct GlibcRandom {
    state: [u32; DEGREE],
    at: usize,
}

impl GlibcRandom {
    /// The generator after `srand(seed)`.
    pub fn new(seed: u32) -> GlibcRandom {
        let mut state = [0u32; DEGREE];
        let mut word = i64::from(seed.max(1) as i32);
        for place in &mut state {
            *place = word as u32;
            // Park and Miller's minimal generator, modulo 2^31 - 1.
            word = 16807 * word % 2_147_483_647;
            if word < 0 {
                word += 2_147_483_647;
            }
        }
        let mut random = GlibcRandom { state, at: 0 };
        for _ in 0..10 * DEGREE {
            random.next();
        }
        random
    }

    /// The next number, of 31 bits.
    pub fn next(&mut self) -> u32 {
        let front = (self.at + SEPARATION) % DEGREE;
        let sum = self.state[front].wrapping_add(self.state[self.at]);
        self.state[front] = sum;
        self.at = (self.at + 1) % DEGREE;
        sum >> 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_glibc() {
        let mut first = GlibcRandom::new(1);
        let numbers: Vec<u32> = (0..4).map(|_| first.next()).collect();
        assert_eq!(numbers, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915]);
        assert_eq!(GlibcRandom::new(0).next(), 1_804_289_383);
        assert_eq!(GlibcRandom::new(42).next(), 71_876_166);
    }
}
