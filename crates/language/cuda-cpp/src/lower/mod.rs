//! Converts the typed tree to SSA form.
//!
//! Scalars whose address is not taken are variables of the SSA builder. Everything else is in stack slots, which the
//! optimizer promotes. Objects of class type are returned through a pointer, and passed as pointers to copies.

mod assembly;
mod cleanups;
mod describe;
mod expressions;
mod intrinsics;
mod memory;
mod module;
pub mod names;
mod results;
mod scalars;
mod statements;

pub use module::{LoweringMode, lower};

use crate::analyze::Analyzer;
use crate::source::{SourceProblem, Span};
use crate::typed::*;
use crate::types::{TypeId, TypeKind, TypeTable};
use lanework_ssa as ssa;
use module::ModuleLowering;
use ssa::{BlockId, ValueId, ValueType};
use std::collections::HashMap;

/// Storage of a local variable.
#[derive(Clone, Copy)]
enum LocalPlace {
    Variable(ssa::VariableId),
    Memory(ValueId),
}

/// Where an object is stored: in a variable, or in memory.
#[derive(Clone, Copy)]
enum ObjectPlace {
    Variable(ssa::VariableId),
    Memory(ValueId),
    /// A scalar of a packed class, whose address has only this alignment.
    Packed(ValueId, u32),
    /// First bit and width within the unit in memory.
    Bits(ValueId, u8, u8),
}

/// The function that is being lowered.
struct FunctionLowering<'a, 'b> {
    module: &'a mut ModuleLowering<'b>,
    b: ssa::FunctionBuilder,
    body: std::rc::Rc<TypedBody>,
    locals: Vec<Option<LocalPlace>>,
    /// Targets of `break` and `continue`.
    breaks: Vec<BlockId>,
    continues: Vec<BlockId>,
    switches: Vec<SwitchCases>,
    labels: HashMap<u32, BlockId>,
    /// Address for a result of class type.
    target: Option<ValueId>,
    result: TypeId,
    /// The local variable that is stored at `target`.
    named_result: Option<LocalNumber>,
    is_kernel: bool,
    /// The address of the arguments after the named ones.
    variable_arguments: Option<ValueId>,
    /// Cleanups that are due, innermost last.
    due: Vec<Due>,
    /// Expressions at whose ends temporary objects are destroyed, innermost last.
    open: Vec<OpenExpression>,
    /// Nesting depth of branches within expressions.
    depth: u32,
    /// The block that leaves the function with an exception.
    leave: Option<BlockId>,
    /// For debugging: the local variables in stack slots.
    named: Vec<names::NamedSlot>,
    /// For debugging: the last lines of the blocks around the statement.
    block_ends: Vec<u32>,
}

/// A cleanup that is due.
struct Due {
    cleanup: Cleanup,
    pad: Option<BlockId>,
}

enum Cleanup {
    Statements(Vec<TypedStatement>),
    /// A temporary object; the variable tells whether it exists, if only one branch creates it.
    Temporary(ssa::SlotId, TypeId, Option<ssa::VariableId>),
    /// The handlers of a `try` block.
    Handlers,
}

/// An expression at whose end temporary objects are destroyed.
struct OpenExpression {
    start: Option<BlockId>,
    no: ValueId,
    depth: u32,
}

/// The labels of a `switch` statement.
#[derive(Default)]
struct SwitchCases {
    cases: Vec<(u64, u64, BlockId)>,
    default: Option<BlockId>,
}

/// The SSA type of a scalar.
fn scalar_type(types: &TypeTable, ty: TypeId) -> ValueType {
    match types.kind(ty) {
        TypeKind::Pointer(_)
        | TypeKind::Reference(_)
        | TypeKind::RvalueReference(_)
        | TypeKind::NullPointer
        | TypeKind::Function(_) => ValueType::POINTER,
        TypeKind::MemberPointer(_, member, _)
            if matches!(types.kind(*member), TypeKind::Function(_)) =>
        {
            ValueType::POINTER
        }
        _ if types.fundamental(ty) == types.fundamental(TypeId::BOOL) => ValueType::I1,
        _ if types.fundamental(ty) == types.fundamental(TypeId::FLOAT) => ValueType::F32,
        _ if types.is_float(ty) => ValueType::F64,
        _ => match types.bits(ty) {
            8 => ValueType::I8,
            16 => ValueType::I16,
            32 => ValueType::I32,
            _ => ValueType::I64,
        },
    }
}

impl FunctionLowering<'_, '_> {
    fn types(&self) -> &TypeTable {
        &self.module.analyzer.types
    }

    fn analyzer(&mut self) -> &mut Analyzer {
        self.module.analyzer
    }

    fn scalar_type(&self, ty: TypeId) -> ValueType {
        scalar_type(self.types(), ty)
    }

    fn is_aggregate(&self, ty: TypeId) -> bool {
        self.types().is_aggregate(ty)
    }

    fn unsupported(&mut self, span: Span, what: &str) {
        self.analyzer().parser.problems.push(SourceProblem::unsupported(span, what));
    }

    /// Sets the source position of the next instructions.
    fn at(&mut self, span: Span) {
        let position = self.module.position(span);
        if position.line > 0 {
            self.b.set_position(position);
        }
    }

    /// Allocates a stack slot for an object of a type; returns a generic pointer.
    fn slot(&mut self, ty: TypeId, align: u64) -> ValueId {
        self.numbered_slot(ty, align).1
    }

    /// The same, with the number of the slot.
    fn numbered_slot(&mut self, ty: TypeId, align: u64) -> (ssa::SlotId, ValueId) {
        let (size, own) = (self.types().size(ty), self.types().align(ty));
        let slot = self.b.create_slot(size.max(1), own.max(align).max(1) as u32);
        let address = self.b.slot_address(slot);
        (slot, self.b.generic(address))
    }
}
