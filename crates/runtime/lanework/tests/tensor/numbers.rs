//! Matrix elements as bits, drawn from distributions that cover the corner cases of the arithmetic.

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    F32,
    F64,
    S8,
    U8,
    S4,
    U4,
    B1,
    S32,
}

impl Number {
    pub fn name(self) -> &'static str {
        match self {
            Number::F16 => "f16",
            Number::Bf16 => "bf16",
            Number::Tf32 => "tf32",
            Number::E4m3 => "e4m3",
            Number::E5m2 => "e5m2",
            Number::F32 => "f32",
            Number::F64 => "f64",
            Number::S8 => "s8",
            Number::U8 => "u8",
            Number::S4 => "s4",
            Number::U4 => "u4",
            Number::B1 => "b1",
            Number::S32 => "s32",
        }
    }

    /// Bits of an element in a register or in memory.
    pub fn bits(self) -> usize {
        match self {
            Number::B1 => 1,
            Number::S4 | Number::U4 => 4,
            Number::E4m3 | Number::E5m2 | Number::S8 | Number::U8 => 8,
            Number::F16 | Number::Bf16 => 16,
            Number::Tf32 | Number::F32 | Number::S32 => 32,
            Number::F64 => 64,
        }
    }

    /// Bits of the exponent and of the mantissa.
    fn float(self) -> Option<(u32, u32)> {
        Some(match self {
            Number::F16 => (5, 10),
            Number::Bf16 => (8, 7),
            Number::Tf32 | Number::F32 => (8, 23),
            Number::E4m3 => (4, 3),
            Number::E5m2 => (5, 2),
            Number::F64 => (11, 52),
            _ => return None,
        })
    }
}

/// Distributions of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// Magnitudes near 1.
    Near,
    /// Any finite number.
    Wide,
    /// Powers of two, the values just below them, and many zeros, so that sums cancel.
    Powers,
    /// Subnormal and the smallest normal numbers.
    Tiny,
    /// The largest finite numbers.
    Huge,
    /// Near 1, with a few zeros, infinities and NaNs.
    Special,
}

pub const DRAWS: [Draw; 6] =
    [Draw::Near, Draw::Wide, Draw::Powers, Draw::Tiny, Draw::Huge, Draw::Special];

/// A sequence of pseudorandom numbers.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    pub fn word(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.word() >> 16) % n
    }

    /// The bits of one element.
    pub fn element(&mut self, number: Number, draw: Draw) -> u64 {
        let Some((exponent_bits, mantissa_bits)) = number.float() else {
            let word = self.word();
            return if number.bits() == 64 { word } else { word & ((1 << number.bits()) - 1) };
        };
        let top = (1u64 << exponent_bits) - 1;
        let bias = top >> 1;
        let mut mantissa = self.word() & ((1 << mantissa_bits) - 1);
        let sign = self.below(2);
        let spread = (bias - 1).min(if mantissa_bits == 23 { 40 } else { 13 });
        let exponent = match draw {
            Draw::Near => bias - 3.min(bias - 1) + self.below(6),
            Draw::Wide => self.below(top),
            Draw::Powers => {
                let full = (1 << mantissa_bits) - 1;
                mantissa = [0, 0, full, 1][self.below(4) as usize];
                match self.below(4) {
                    0 => return sign << (exponent_bits + mantissa_bits),
                    _ => bias - spread + self.below(2 * spread + 1),
                }
            }
            Draw::Tiny => [0, 0, 1, 2][self.below(4) as usize],
            Draw::Huge => top - 1 - self.below(3),
            Draw::Special => match self.below(40) {
                0 => {
                    mantissa = 0;
                    top
                }
                1 if self.below(4) == 0 => top,
                2 | 3 => {
                    mantissa = 0;
                    0
                }
                _ => bias - 2 + self.below(4),
            },
        };
        sign << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa
    }

    /// The bits of an f32 close to a rounding boundary of a narrower type, or a special value.
    pub fn halfway(&mut self) -> u32 {
        if self.below(16) == 0 {
            let draw = DRAWS[self.below(6) as usize];
            return self.element(Number::F32, draw) as u32;
        }
        let kept = [2, 3, 7, 10, 1, 0, 9][self.below(7) as usize];
        let rest = 23 - kept;
        let top = (self.word() & ((1 << kept) - 1)) << rest;
        let half = 1 << (rest - 1);
        let tail = [0, 1, half - 1, half, half + 1, (1 << rest) - 1][self.below(6) as usize];
        let exponent = match self.below(8) {
            0 => self.below(255),
            1 => 1,
            _ => 127 - 28 + self.below(50),
        };
        (self.below(2) << 31 | exponent << 23 | top | tail) as u32
    }

    /// Elements packed into words, lowest bits first.
    pub fn words(&mut self, number: Number, draw: Draw, words: usize) -> Vec<u32> {
        let mut out = Vec::with_capacity(words);
        if number.bits() == 64 {
            while out.len() < words {
                let bits = self.element(number, draw);
                out.extend([bits as u32, (bits >> 32) as u32]);
            }
            return out;
        }
        for _ in 0..words {
            let mut word = 0;
            for at in (0..32).step_by(number.bits()) {
                word |= (self.element(number, draw) as u32) << at;
            }
            out.push(word);
        }
        out
    }
}
