//! LSU access classes: how the load/store unit treats an access, as far as its cost depends on it.
//!
//! What ptxas makes of an instruction decides the class: atomics that memory itself has, loops of
//! compare-and-swap, loads that are vectorised, rows of matrices.

use crate::opcode::atomic::AtomicOp;

/// How shared memory serves an access.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AccessClass {
    /// A load.
    #[default]
    Load,
    /// A store.
    Store,
    /// Rows of 16 bytes of a matrix.
    Rows,
    /// An atomic that the memory itself has: those on 32-bit integers, and exchanges.
    Atomic,
    /// Compare-and-swap, which takes each pass twice.
    CompareAndSwap,
    /// Any other atomic: a loop of a load and a compare-and-swap.
    Loop,
    /// A compare-and-swap of 16 bits: a load of the word around them, and a compare-and-swap of it.
    SwapOfHalf,
    /// Any other atomic on 16 bits: the same, until each lane has won.
    LoopOfHalf,
    /// An atomic on 32-bit integers of which one lane does what all of them ask for.
    OneLane,
    /// The same where all lanes are active; else all of them.
    OneOfAll,
    /// An addition of 1 whose result nobody wants: lanes of one word share a pass.
    Increment,
    /// The first of the atomics on a vector of so many elements, counted for all of them.
    First(u8),
    /// What another one is counted for.
    Rest,
    /// A load by a generic address.
    Generic,
    /// The first of loads that are joined into one of so many bytes; the others are [`AccessClass::Rest`].
    Vectorized(u8),
    /// An asynchronous copy's write.
    Copy,
}

impl AccessClass {
    /// How an atomic on so many bytes is served.
    pub fn of_atomic(op: AtomicOp, bytes: u32) -> AccessClass {
        match op {
            AtomicOp::CompareAndSwap(_) if bytes == 2 => AccessClass::SwapOfHalf,
            AtomicOp::CompareAndSwap(_) => AccessClass::CompareAndSwap,
            _ if bytes == 2 => AccessClass::LoopOfHalf,
            AtomicOp::Exchange => AccessClass::Atomic,
            _ if bytes == 4 && !op.is_float() => AccessClass::Atomic,
            _ => AccessClass::Loop,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opcode::atomic::AtomicKind::{self, Add, CompareAndSwap, Exchange, Max};
    use lanework_ptx::ScalarType::{self, B64, Bf16x2, F32, U32, U64};

    fn class(kind: AtomicKind, ty: ScalarType) -> AccessClass {
        let op = AtomicOp::new(kind, ty, true).expect("PTX has it");
        AccessClass::of_atomic(op, ty.size())
    }

    #[test]
    fn an_atomic_is_served_by_its_operation_and_type() {
        assert_eq!(class(Add, U32), AccessClass::Atomic);
        assert_eq!(class(Add, F32), AccessClass::Loop);
        assert_eq!(class(CompareAndSwap, B64), AccessClass::CompareAndSwap);
        assert_eq!(class(Exchange, B64), AccessClass::Atomic);
        assert_eq!(class(Add, Bf16x2), AccessClass::Loop);
        assert_eq!(class(Max, U64), AccessClass::Loop);
    }
}
