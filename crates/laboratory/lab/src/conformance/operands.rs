//! Test operands: all combinations of special values first, then random ones (xorshift64*, Vigna 2016; the seed is
//! the FNV-1a hash of the form). The n-th operands of a form depend only on the form and n, so vectors of different
//! lengths agree.

use lanework::ptx::ScalarType;

/// Type and value range of an operand or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A predicate.
    Pred,
    /// 16 bits.
    B16,
    /// 32 bits.
    B32,
    /// 64 bits.
    B64,
    /// A half.
    F16,
    /// A bfloat16.
    Bf16,
    /// Two halves.
    F16x2,
    /// Two bfloat16.
    Bf16x2,
    /// A float.
    F32,
    /// A double.
    F64,
    /// 32 bits, mostly a bit position or a shift amount.
    Amount,
    /// 32 bits, mostly a small number of either sign.
    Offset,
    /// 32 bits, mostly a lane.
    Lane,
    /// The last operand of `shfl`.
    Clamp,
}

const NAMES: &[(&str, OperandKind)] = &[
    ("pred", OperandKind::Pred),
    ("b16", OperandKind::B16),
    ("b32", OperandKind::B32),
    ("b64", OperandKind::B64),
    ("f16", OperandKind::F16),
    ("bf16", OperandKind::Bf16),
    ("f16x2", OperandKind::F16x2),
    ("bf16x2", OperandKind::Bf16x2),
    ("f32", OperandKind::F32),
    ("f64", OperandKind::F64),
    ("amount", OperandKind::Amount),
    ("offset", OperandKind::Offset),
    ("lane", OperandKind::Lane),
    ("clamp", OperandKind::Clamp),
];

impl OperandKind {
    /// The kind that the catalog calls `name`; 32 bits for unknown names, which a test rules out.
    pub fn from_name(name: &str) -> OperandKind {
        NAMES.iter().find(|(n, _)| *n == name).map_or(OperandKind::B32, |(_, kind)| *kind)
    }

    /// The kind of a register type; integers narrower than 16 bits are in 32-bit registers.
    pub fn from_type(ty: ScalarType) -> OperandKind {
        use ScalarType::*;
        match ty {
            Pred => OperandKind::Pred,
            B16 | U16 | S16 => OperandKind::B16,
            B64 | U64 | S64 => OperandKind::B64,
            F16 => OperandKind::F16,
            Bf16 => OperandKind::Bf16,
            F16x2 => OperandKind::F16x2,
            Bf16x2 => OperandKind::Bf16x2,
            F32 => OperandKind::F32,
            F64 => OperandKind::F64,
            _ => OperandKind::B32,
        }
    }

    /// Bytes of a value; a predicate takes one.
    pub fn bytes(self) -> usize {
        match self {
            OperandKind::Pred => 1,
            OperandKind::B16 | OperandKind::F16 | OperandKind::Bf16 => 2,
            OperandKind::B64 | OperandKind::F64 => 8,
            _ => 4,
        }
    }

    /// Values worth trying before random ones.
    fn special(self) -> &'static [u64] {
        match self {
            OperandKind::Pred => &[0, 1],
            OperandKind::B16 => {
                &[0, 1, 0xffff, 0x7fff, 0x8000, 2, 0xff, 0x80, 3, 0x5555, 0x100, 0xfffe, 15, 16]
            }
            OperandKind::B32 => &[
                0,
                1,
                0xffff_ffff,
                0x7fff_ffff,
                0x8000_0000,
                2,
                0xff,
                0x80,
                0xffff,
                0x8000,
                0x5555_5555,
                31,
                32,
                0xffff_fffe,
                0x8000_0001,
                0x0100_0000,
            ],
            OperandKind::B64 => &[
                0,
                1,
                u64::MAX,
                i64::MAX as u64,
                1 << 63,
                0xffff_ffff,
                0x8000_0000,
                0x1_0000_0000,
                2,
                u64::MAX - 1,
                0x7fff_ffff,
                0xff,
                0xffff_ffff_8000_0000,
                0x5555_5555_5555_5555,
                (1 << 53) + 1,
                (1 << 63) + 0x401,
            ],
            OperandKind::F16 | OperandKind::F16x2 => &[
                0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0001, 0x7bff, 0x0400, 0x83ff,
                0x3c01, 0xfd01, 0x3800, 0x7d55, 0x4248,
            ],
            OperandKind::Bf16 | OperandKind::Bf16x2 => &[
                0, 0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x0001, 0x7f7f, 0x0080, 0x807f,
                0x3f81, 0xff81, 0x3f00, 0x7fd5, 0x4049,
            ],
            OperandKind::F32 => &[
                0,
                0x8000_0000,
                0x3f80_0000,
                0xbf80_0000,
                0x7f80_0000,
                0xff80_0000,
                0x7fc0_0000,
                0x0000_0001,
                0x7f7f_ffff,
                0x0080_0000,
                0x807f_ffff,
                0x3f80_0001,
                0xff80_0001,
                0x3f00_0000,
                0x7fd5_5555,
                0x4049_0fdb,
            ],
            OperandKind::F64 => &[
                0,
                1 << 63,
                0x3ff0_0000_0000_0000,
                0xbff0_0000_0000_0000,
                0x7ff0_0000_0000_0000,
                0xfff0_0000_0000_0000,
                0x7ff8_0000_0000_0000,
                1,
                0x7fef_ffff_ffff_ffff,
                0x0010_0000_0000_0000,
                0x800f_ffff_ffff_ffff,
                0x3ff0_0000_0000_0001,
                0xfff0_0000_0000_0001,
                0x3fe0_0000_0000_0000,
                0x7ffa_aaaa_aaaa_aaaa,
                0x4009_21fb_5444_2d18,
            ],
            OperandKind::Amount => {
                &[0, 1, 8, 16, 31, 32, 33, 63, 64, 65, 127, 255, 256, 0xffff_ffff, 7, 24]
            }
            OperandKind::Offset => &[0, 1, 0xffff_ffff, 2, 0xffff_fffe, 32, 31, 5],
            OperandKind::Lane => &[0, 1, 31, 16, 32, 15, 2, 63],
            OperandKind::Clamp => &[0x1f, 0, 0x1c1f, 0x1800, 0x1f1f, 0x100f, 0x1e1f, 3],
        }
    }

    /// A random value: any bits, or a number of ordinary size, or a special one.
    fn random(self, random: &mut Random) -> u64 {
        let special = self.special();
        let draw = random.next();
        let pick = special[(draw >> 8) as usize % special.len()];
        let bits = random.next();
        match self {
            OperandKind::Pred => bits & 1,
            OperandKind::F16x2 => {
                OperandKind::F16.random(random) << 16 | OperandKind::F16.random(random)
            }
            OperandKind::Bf16x2 => {
                OperandKind::Bf16.random(random) << 16 | OperandKind::Bf16.random(random)
            }
            OperandKind::Amount => {
                if draw & 3 == 0 {
                    bits & 0xffff_ffff
                } else {
                    bits % 72
                }
            }
            OperandKind::Offset => {
                if draw & 3 == 0 {
                    bits & 0xffff_ffff
                } else {
                    (bits % 17).wrapping_sub(8) & 0xffff_ffff
                }
            }
            OperandKind::Lane => {
                if draw & 7 == 0 {
                    bits & 0xffff_ffff
                } else {
                    bits % 32
                }
            }
            OperandKind::Clamp => {
                if draw & 7 == 0 {
                    bits & 0xffff_ffff
                } else {
                    pick
                }
            }
            _ if draw & 7 == 0 => pick,
            _ if draw & 1 == 0 => bits & self.mask(),
            OperandKind::B16 => bits % 64,
            OperandKind::B32 => (bits as u32 as u64) >> (bits >> 59),
            OperandKind::B64 => random.next() >> (bits >> 58),
            OperandKind::F16 => bits & 0x83ff | (11 + (bits >> 32) % 9) << 10,
            OperandKind::Bf16 => bits & 0x807f | (120 + (bits >> 32) % 16) << 7,
            OperandKind::F32 => bits & 0x807f_ffff | (118 + (bits >> 32) % 46) << 23,
            OperandKind::F64 => bits & 0x800f_ffff_ffff_ffff | (1013 + random.next() % 78) << 52,
        }
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - 8 * self.bytes())
    }
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
}

/// FNV-1a: the seed of a form.
pub fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// Number of special values per operand that are combined with all special values of the others.
fn crossed(operands: usize) -> usize {
    match operands {
        0 | 1 => 16,
        2 => 16,
        3 => 6,
        _ => 4,
    }
}

/// The `n`-th operands of the form with this seed.
pub fn tuple(kinds: &[OperandKind], seed: u64, n: usize) -> [u64; 4] {
    let mut values = [0; 4];
    let per = crossed(kinds.len());
    let products = per.pow(kinds.len() as u32);
    let mut random = Random((seed ^ (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)) | 1);
    random.next();
    let mut rest = n;
    for (value, kind) in values.iter_mut().zip(kinds) {
        let special = kind.special();
        *value = if n < products {
            let pick = special[rest % per % special.len()];
            rest /= per;
            match kind {
                // The other half is another special value.
                OperandKind::F16x2 | OperandKind::Bf16x2 => {
                    pick << 16 | special[random.next() as usize % special.len()]
                }
                _ => pick,
            }
        } else {
            kind.random(&mut random)
        };
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::catalog::{CHAPTERS, RowKinds};

    #[test]
    fn every_kind_in_the_catalog_has_a_name() {
        for row in CHAPTERS.iter().flat_map(|chapter| chapter.rows) {
            let RowKinds::Named(results, operands) = row.kinds else { continue };
            for word in results.split_whitespace().chain(operands.split_whitespace()) {
                assert!(NAMES.iter().any(|(name, _)| *name == word), "{}: {word}", row.names);
            }
        }
    }

    #[test]
    fn values_fit_their_kinds() {
        for (_, kind) in NAMES {
            for n in 0..2000 {
                let [a, b, ..] = tuple(&[*kind, *kind], 7, n);
                let mask = if *kind == OperandKind::Pred { 1 } else { kind.mask() };
                assert_eq!((a & !mask, b & !mask), (0, 0), "{kind:?}");
            }
        }
    }
}
