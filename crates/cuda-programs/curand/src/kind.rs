//! Kinds of generators and orders of their results, by cuRAND's numbers.

/// `curandRngType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratorKind {
    Xorwow,
    Mrg32k3a,
    Mtgp32,
    Mt19937,
    Philox,
    Sobol { wide: bool, scrambled: bool },
}

impl GeneratorKind {
    /// The kind with a number; the defaults are XORWOW and Sobol32.
    pub fn of(number: i32) -> Option<GeneratorKind> {
        Some(match number {
            100 | 101 => GeneratorKind::Xorwow,
            121 => GeneratorKind::Mrg32k3a,
            141 => GeneratorKind::Mtgp32,
            142 => GeneratorKind::Mt19937,
            161 => GeneratorKind::Philox,
            200 | 201 => GeneratorKind::Sobol { wide: false, scrambled: false },
            202 => GeneratorKind::Sobol { wide: false, scrambled: true },
            203 => GeneratorKind::Sobol { wide: true, scrambled: false },
            204 => GeneratorKind::Sobol { wide: true, scrambled: true },
            _ => return None,
        })
    }

    /// Whether it is a quasirandom generator.
    pub fn is_quasi(self) -> bool {
        matches!(self, GeneratorKind::Sobol { .. })
    }

    /// Whether the kind supports an order of results, on the host or on a device.
    pub fn takes_order(self, order: i32, host: bool) -> bool {
        match order {
            100 => !self.is_quasi() && (!host || self != GeneratorKind::Mt19937),
            101 | 103 => !self.is_quasi(),
            102 => self == GeneratorKind::Xorwow,
            104 => !self.is_quasi() && !host,
            201 => self.is_quasi(),
            _ => false,
        }
    }
}

/// `CURAND_ORDERING_PSEUDO_LEGACY`.
pub const LEGACY: i32 = 103;
