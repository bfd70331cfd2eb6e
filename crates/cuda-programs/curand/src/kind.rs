//! Kinds of generators and orders of their results, as cuRAND numbers them.

/// `curandRngType_t`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Xorwow,
    Mrg32k3a,
    Mtgp32,
    Mt19937,
    Philox,
    Sobol { wide: bool, scrambled: bool },
}

impl Kind {
    /// The kind of a number; the default ones are XORWOW and Sobol32.
    pub fn of(number: i32) -> Option<Kind> {
        Some(match number {
            100 | 101 => Kind::Xorwow,
            121 => Kind::Mrg32k3a,
            141 => Kind::Mtgp32,
            142 => Kind::Mt19937,
            161 => Kind::Philox,
            200 | 201 => Kind::Sobol { wide: false, scrambled: false },
            202 => Kind::Sobol { wide: false, scrambled: true },
            203 => Kind::Sobol { wide: true, scrambled: false },
            204 => Kind::Sobol { wide: true, scrambled: true },
            _ => return None,
        })
    }

    /// Whether it is a quasirandom generator.
    pub fn is_quasi(self) -> bool {
        matches!(self, Kind::Sobol { .. })
    }

    /// Whether an order of results is one of this kind, on the host or on a device.
    pub fn takes_order(self, order: i32, host: bool) -> bool {
        match order {
            100 => !self.is_quasi() && (!host || self != Kind::Mt19937),
            101 | 103 => !self.is_quasi(),
            102 => self == Kind::Xorwow,
            104 => !self.is_quasi() && !host,
            201 => self.is_quasi(),
            _ => false,
        }
    }
}

/// `CURAND_ORDERING_PSEUDO_LEGACY`.
pub const LEGACY: i32 = 103;
