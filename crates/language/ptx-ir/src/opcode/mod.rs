//! Opcodes as data: operation, types, rounding and modifiers. An opcode names no handler and no mnemonic: the engine's table
//! (`instructions::alu` of the engine) assigns handlers, and passes ask for facts here.

pub mod asynchrony;
pub mod contraction;
pub mod convert;
pub mod float;
pub mod integer;
pub mod logic;
pub mod matrix;
pub mod memory;
pub mod sync;
pub mod tensor_memory;
pub mod texture;

use crate::opcode::convert::{ConvertOp, SmallFloatOp};
use crate::opcode::float::{DirectedOp, DoubleOp, HalfOp, SingleOp};
use crate::opcode::integer::{AddressOp, CarryOp, IntegerOp, ProductOp};
use crate::opcode::logic::{CompareOp, LogicOp, MoveOp, VideoOp};
use crate::types::{NanUse, UniformityClass, Width};

/// An ALU instruction: each lane's result is a function of that lane's operands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alu {
    /// Arithmetic on addresses.
    Address(AddressOp),
    /// An f32, with every NaN replaced by the one that a GPU's arithmetic makes.
    CanonicalNan,
    /// Sums and differences over the carry flag.
    Carry(CarryOp),
    /// Comparisons and selections.
    Compare(CompareOp),
    /// Conversions.
    Convert(ConvertOp),
    /// Arithmetic of f32 and f64 in a rounding direction.
    Directed(DirectedOp),
    /// Arithmetic of f64.
    Double(DoubleOp),
    /// Conversions from and to floats of 8 bits.
    SmallFloat(SmallFloatOp),
    /// Arithmetic of 16-bit floats.
    Half(HalfOp),
    /// Integer arithmetic except products.
    Integer(IntegerOp),
    /// Bit operations.
    Logic(LogicOp),
    /// Copies, and splitting and joining of registers.
    Move(MoveOp),
    /// The arrivals that an mbarrier's state waits for.
    PendingCount,
    /// Products of integers.
    Product(ProductOp),
    /// Arithmetic of f32.
    Single(SingleOp),
    /// Steps of video instructions.
    Video(VideoOp),
}

impl Alu {
    /// Copies a register.
    pub const fn copy(width: Width) -> Alu {
        Alu::Move(MoveOp::Copy(width))
    }

    /// Whether the result is affine for operands of these classes (none of them varying).
    pub fn keeps_affine(self, operands: &[UniformityClass]) -> bool {
        match self {
            Alu::Address(op) => op.keeps_affine(),
            Alu::Convert(op) => op.keeps_affine(),
            Alu::Integer(op) => op.keeps_affine(),
            Alu::Logic(op) => op.keeps_affine(operands),
            Alu::Move(op) => op.keeps_affine(),
            Alu::Product(op) => op.keeps_affine(operands),
            _ => false,
        }
    }

    /// How it treats the NaN of f32 arithmetic.
    pub fn nan_use(self) -> NanUse {
        match self {
            Alu::Compare(op) => op.nan_use(),
            Alu::Convert(op) => op.nan_use(),
            Alu::Move(op) => op.nan_use(),
            Alu::Single(op) => op.nan_use(),
            Alu::Directed(op) => op.nan_use(),
            _ => NanUse::Observes,
        }
    }
}
