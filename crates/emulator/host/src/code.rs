//! The code that the interpreter runs: operations on 64-bit registers, which hold zero-extended values.

use crate::half::HalfOperation;
use lanework_ssa::{InstructionKind, SourcePosition, ValueType};
use std::collections::BTreeSet;

/// An operation. Fields are registers unless named otherwise; `d` is the destination.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Op {
    Move {
        d: u32,
        a: u32,
    },
    Add32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Sub32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Mul32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Add64 {
        d: u32,
        a: u32,
        b: u32,
    },
    Sub64 {
        d: u32,
        a: u32,
        b: u32,
    },
    Mul64 {
        d: u32,
        a: u32,
        b: u32,
    },
    And {
        d: u32,
        a: u32,
        b: u32,
    },
    Or {
        d: u32,
        a: u32,
        b: u32,
    },
    Xor {
        d: u32,
        a: u32,
        b: u32,
    },
    Shl32 {
        d: u32,
        a: u32,
        b: u32,
    },
    Shl64 {
        d: u32,
        a: u32,
        b: u32,
    },
    AddF32 {
        d: u32,
        a: u32,
        b: u32,
    },
    SubF32 {
        d: u32,
        a: u32,
        b: u32,
    },
    MulF32 {
        d: u32,
        a: u32,
        b: u32,
    },
    DivF32 {
        d: u32,
        a: u32,
        b: u32,
    },
    AddF64 {
        d: u32,
        a: u32,
        b: u32,
    },
    SubF64 {
        d: u32,
        a: u32,
        b: u32,
    },
    MulF64 {
        d: u32,
        a: u32,
        b: u32,
    },
    DivF64 {
        d: u32,
        a: u32,
        b: u32,
    },
    Equal {
        d: u32,
        a: u32,
        b: u32,
    },
    NotEqual {
        d: u32,
        a: u32,
        b: u32,
    },
    LessUnsigned {
        d: u32,
        a: u32,
        b: u32,
    },
    LessEqualUnsigned {
        d: u32,
        a: u32,
        b: u32,
    },
    /// `shift` moves the sign to bit 63.
    LessSigned {
        d: u32,
        a: u32,
        b: u32,
        shift: u32,
    },
    LessEqualSigned {
        d: u32,
        a: u32,
        b: u32,
        shift: u32,
    },
    LessF32 {
        d: u32,
        a: u32,
        b: u32,
    },
    LessEqualF32 {
        d: u32,
        a: u32,
        b: u32,
    },
    LessF64 {
        d: u32,
        a: u32,
        b: u32,
    },
    LessEqualF64 {
        d: u32,
        a: u32,
        b: u32,
    },
    /// Goes to `to` if the comparison holds.
    JumpEqual {
        a: u32,
        b: u32,
        to: u32,
    },
    JumpNotEqual {
        a: u32,
        b: u32,
        to: u32,
    },
    JumpLessUnsigned {
        a: u32,
        b: u32,
        to: u32,
    },
    JumpLessSigned {
        a: u32,
        b: u32,
        to: u32,
        shift: u32,
    },
    JumpLessEqualSigned {
        a: u32,
        b: u32,
        to: u32,
        shift: u32,
    },
    Select {
        d: u32,
        c: u32,
        a: u32,
        b: u32,
    },
    /// Sign-extends from `64 - shift` bits, then keeps the low `64 - mask` bits.
    SignExtend {
        d: u32,
        a: u32,
        shift: u32,
        mask: u32,
    },
    Truncate {
        d: u32,
        a: u32,
        mask: u32,
    },
    /// `shift` is 64 less the width of the operands.
    ShiftRightSigned {
        d: u32,
        a: u32,
        b: u32,
        shift: u32,
    },
    ShiftRightUnsigned {
        d: u32,
        a: u32,
        b: u32,
        shift: u32,
    },
    DivideSigned {
        d: u32,
        a: u32,
        b: u32,
        shift: u32,
    },
    RemainderSigned {
        d: u32,
        a: u32,
        b: u32,
        shift: u32,
    },
    DivideUnsigned {
        d: u32,
        a: u32,
        b: u32,
    },
    RemainderUnsigned {
        d: u32,
        a: u32,
        b: u32,
    },
    F32ToSigned32 {
        d: u32,
        a: u32,
    },
    F64ToSigned32 {
        d: u32,
        a: u32,
    },
    F64ToSigned64 {
        d: u32,
        a: u32,
    },
    UnsignedToF32 {
        d: u32,
        a: u32,
    },
    UnsignedToF64 {
        d: u32,
        a: u32,
    },
    Signed32ToF32 {
        d: u32,
        a: u32,
    },
    Signed32ToF64 {
        d: u32,
        a: u32,
    },
    Signed64ToF64 {
        d: u32,
        a: u32,
    },
    F32ToF64 {
        d: u32,
        a: u32,
    },
    F64ToF32 {
        d: u32,
        a: u32,
    },
    /// Loads `bytes` bytes at a register plus an offset.
    Load {
        d: u32,
        a: u32,
        offset: i32,
        bytes: u32,
    },
    Store {
        a: u32,
        offset: i32,
        value: u32,
        bytes: u32,
    },
    Load32 {
        d: u32,
        a: u32,
        offset: i32,
    },
    Load64 {
        d: u32,
        a: u32,
        offset: i32,
    },
    Store32 {
        a: u32,
        offset: i32,
        value: u32,
    },
    Store64 {
        a: u32,
        offset: i32,
        value: u32,
    },
    /// The address `offset` bytes into the frame.
    FrameAddress {
        d: u32,
        offset: u32,
    },
    /// Operation `index` of [`FunctionCode::others`].
    Other {
        d: u32,
        index: u32,
    },
    Copy {
        to: u32,
        from: u32,
        bytes: u32,
    },
    Fill {
        to: u32,
        byte: u32,
        bytes: u32,
    },
    Call {
        index: u32,
    },
    CallIndirect {
        pointer: u32,
        index: u32,
    },
    Jump {
        to: u32,
    },
    Branch {
        c: u32,
        to: u32,
    },
    Switch {
        a: u32,
        index: u32,
    },
    Return {
        index: u32,
    },
    Trap,
}

/// The kind of value in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterKind {
    /// At most 32 bits.
    Word32,
    Word64,
    F32,
    F64,
}

impl RegisterKind {
    /// The kind that holds values of a type.
    pub fn of(ty: ValueType) -> RegisterKind {
        match ty {
            ValueType::F32 => RegisterKind::F32,
            ValueType::F64 => RegisterKind::F64,
            _ if ty.bits() <= 32 => RegisterKind::Word32,
            _ => RegisterKind::Word64,
        }
    }
}

/// An operation without an [`Op`] of its own, which the constant folder evaluates.
#[derive(Clone, Debug)]
pub struct OtherOp {
    pub kind: InstructionKind,
    pub operands: Vec<u32>,
    pub from: ValueType,
    pub to: ValueType,
    /// The parsed text, if the operation is a PTX instruction on small floats.
    pub half: Option<HalfOperation>,
}

/// A call: its function, arguments and results.
#[derive(Clone, Debug)]
pub struct CallOp {
    pub function: u32,
    pub arguments: Vec<u32>,
    pub results: Vec<u32>,
}

/// A function of the program.
#[derive(Clone, Debug, Default)]
pub struct FunctionCode {
    pub name: String,
    pub ops: Vec<Op>,
    pub positions: Vec<SourcePosition>,
    /// The operations that are `volatile` accesses.
    pub volatile: BTreeSet<u32>,
    /// Number of registers of a frame: constants, then parameters, then the rest.
    pub registers: u32,
    /// By register.
    pub kinds: Vec<RegisterKind>,
    pub constants: Vec<u64>,
    /// The first parameter's register.
    pub parameters: u32,
    pub parameter_count: u32,
    /// Offset and size in bytes of each stack slot.
    pub slots: Vec<(u32, u64)>,
    /// The name in the source of each stack slot, if it has one.
    pub slot_names: Vec<Option<Box<str>>>,
    pub frame: u64,
    pub others: Vec<OtherOp>,
    pub calls: Vec<CallOp>,
    pub switches: Vec<(Vec<(u64, u32)>, u32)>,
    pub returns: Vec<Vec<u32>>,
    /// The number of the library function that replaces the code, if any.
    pub external: Option<usize>,
}

impl FunctionCode {
    /// The call at a position, if there is one.
    pub fn call_at(&self, at: usize) -> Option<&CallOp> {
        match *self.ops.get(at)? {
            Op::Call { index } | Op::CallIndirect { index, .. } => self.calls.get(index as usize),
            _ => None,
        }
    }
}
