//! Arithmetic on addresses (PTX manual: `cvta`, `isspacep`, `mapa`, `getctarank`).

/// A function of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressOp {
    /// An address moved by some bytes, into a window or within one.
    Offset {
        /// Of 64 bits.
        wide: bool,
    },
    /// Whether a generic address is in global memory.
    IsGlobal,
    /// Whether it is in the shared memory of any block of the cluster.
    IsShared,
    /// Whether it is in the shared memory of the block whose rank is `b`.
    IsOwnShared,
    /// Whether it is in local memory.
    IsLocal,
    /// Whether it is a kernel parameter's.
    IsParameter,
    /// The same place in the shared memory of the block whose rank is `b`.
    MapShared {
        /// Of 64 bits.
        wide: bool,
        /// A generic address, of 64 bits; else one in shared memory.
        generic: bool,
    },
    /// The rank of the block whose shared memory an address is in; `b` is the own block's.
    RankOf {
        /// Of 64 bits.
        wide: bool,
    },
}

impl AddressOp {
    /// Whether operands in affine form, none of them varying, give an affine result.
    pub fn keeps_affine(self) -> bool {
        matches!(self, AddressOp::Offset { .. })
    }
}
