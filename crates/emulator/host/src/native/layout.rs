//! Conventions that machine code, its translator and its helpers share: signatures, addresses and words in memory.

use crate::code::RegisterKind;
use cranelift_codegen::ir::{AbiParam, MemFlagsData, Signature, Type, types};
use cranelift_codegen::isa::CallConv;

/// Calling convention of machine code and its helpers.
pub const CONVENTION: CallConv = CallConv::SystemV;

/// Flags for accesses to memory that the code has checked or that the context owns. Such accesses are plain moves.
pub const PLAIN: MemFlagsData = MemFlagsData::trusted();

/// Addresses that machine code contains.
#[derive(Clone, Debug)]
pub struct CodeLayout {
    pub context: u64,
    pub shared: u64,
    pub table: u64,
    pub functions: u64,
    pub results: u64,
    /// Upper limit of the top of the active calls: at this address no further call is allowed.
    pub deepest: u64,
    pub stack_low: u64,
    /// The arena's first byte and its size.
    pub arena: (u64, u64),
    pub shadow: u64,
    /// The table of recently used ranges outside the arena, if machine code should look there.
    pub recent: Option<u64>,
    pub helpers: Helpers,
}

/// Where machine code starts in a function.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// At the function's start, with its arguments.
    Call,
    /// At a position in a loop, with the addresses of all registers and of the frame.
    Loop(usize),
}

/// The signature of a function with `arity` parameters.
pub fn call_signature(arity: usize) -> Signature {
    let mut signature = Signature::new(CONVENTION);
    signature.params.extend(vec![AbiParam::new(types::I64); arity + 1]);
    signature.returns.extend([AbiParam::new(types::I64); 2]);
    signature
}

/// The Cranelift type of a register kind.
pub fn type_of(kind: RegisterKind) -> Type {
    match kind {
        RegisterKind::Word32 => types::I32,
        RegisterKind::Word64 => types::I64,
        RegisterKind::F32 => types::F32,
        RegisterKind::F64 => types::F64,
    }
}

/// A function's entry in the table for calls from machine code.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct TableEntry {
    /// The address; 0 before it is compiled.
    pub code: u64,
    /// The number of its parameters, to check indirect calls.
    pub parameters: u64,
}

/// Words that machine code reads and writes directly.
#[repr(C)]
#[derive(Debug, Default)]
pub struct Shared {
    /// The program's stack pointer; outside machine code it is in [`Process::stack`].
    pub stack: u64,
    /// The lowest machine stack pointer with which a function may start.
    pub lowest: u64,
}

/// The results of machine code: a status, nonzero if the program stops, and the first result.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HelperResult {
    pub status: u64,
    pub value: u64,
}

/// A fault that machine code itself detects.
#[derive(Clone, Copy, Debug)]
pub enum CodeFault {
    DivisionByZero,
    Trap,
    DeepRecursion,
    LargeFrame,
}

/// The addresses of the helpers.
#[derive(Clone, Copy, Debug)]
pub struct Helpers {
    pub load: u64,
    pub store: u64,
    pub copy: u64,
    pub fill: u64,
    pub open_slot: u64,
    pub close_frame: u64,
    pub other: u64,
    pub call: u64,
    pub call_indirect: u64,
    pub fault: u64,
    pub random: u64,
}
