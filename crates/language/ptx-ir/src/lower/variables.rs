//! Vector registers, and implicit accesses to variables in memory.
//!
//! Vector registers (`.reg .v4 .f32 v`; PTX manual, "Vectors") are scalar registers `v.x` to `v.w`, also named `v.r`, `v.g`, `v.b`
//! and `v.a`. An instruction that names a whole vector gets its elements instead. The loads, stores and copies here have no PTX
//! instruction: they pass parameters and results of calls and fill stack frames.

use crate::error::LoweringResult;
use crate::kernel::*;
use crate::lower::state::{Lowering, Symbol, width_of};
use lanework_ptx as syntax;
use lanework_ptx::{Instruction, ScalarType, Variable};
use std::borrow::Cow;
use std::collections::HashMap;

/// The two names of each element.
const ELEMENTS: [[&str; 2]; 4] = [["x", "r"], ["y", "g"], ["z", "b"], ["w", "a"]];

/// The elements of a vector register, by name.
pub fn element_names(name: &str, count: u8) -> Vec<syntax::Operand> {
    let elements = &ELEMENTS[..usize::from(count).min(ELEMENTS.len())];
    elements.iter().map(|[first, _]| format!("{name}.{first}").into()).collect()
}

impl Lowering<'_> {
    /// Declares a vector-register parameter in a function's scope; returns its elements.
    ///
    /// # Errors
    /// When no register has its type.
    pub fn vector_formal(
        &mut self,
        formal: &Variable,
        scope: &mut HashMap<String, Symbol>,
    ) -> LoweringResult<Vec<Reg>> {
        self.has_vectors = true;
        scope.insert(formal.name.clone(), Symbol::Vector(formal.vector));
        let width = width_of(formal.ty)?;
        let mut registers = Vec::new();
        for names in &ELEMENTS[..usize::from(formal.vector).min(ELEMENTS.len())] {
            let register = self.new_register(width);
            for name in names {
                scope.insert(format!("{}.{name}", formal.name), Symbol::Register(register));
            }
            registers.push(register);
        }
        Ok(registers)
    }

    /// Declares a vector register of `count` elements, 2 or 4.
    pub fn bind_vector(&mut self, name: &str, count: u8, width: Width) {
        self.has_vectors = true;
        self.bind(name, Symbol::Vector(count));
        for [first, second] in &ELEMENTS[..usize::from(count).min(ELEMENTS.len())] {
            let element = Symbol::Register(self.new_register(width));
            self.bind(&format!("{name}.{second}"), element.clone());
            self.bind(&format!("{name}.{first}"), element);
        }
    }

    /// Declares a register of 128 bits.
    pub fn bind_quad(&mut self, name: &str) {
        let halves = [(); 2].map(|()| self.new_register(Width::Wide));
        self.bind(name, Symbol::Quad(halves));
    }

    /// The instruction, with the elements in place of vector registers.
    pub fn with_elements<'i>(&mut self, instruction: &'i Instruction) -> Cow<'i, Instruction> {
        if !self.has_vectors || instruction.opcode == syntax::Opcode::Call {
            return Cow::Borrowed(instruction);
        }
        let mut instruction = instruction.clone();
        instruction.operands.iter_mut().for_each(|operand| self.expand(operand));
        Cow::Owned(instruction)
    }

    fn expand(&mut self, operand: &mut syntax::Operand) {
        match operand {
            syntax::Operand::Name(name) => {
                if let Some(Symbol::Vector(count)) = self.lookup(name) {
                    *operand = syntax::Operand::Vector(element_names(name, count));
                }
            }
            syntax::Operand::Address(address) => {
                address.extra.iter_mut().for_each(|operand| self.expand(operand));
            }
            _ => {}
        }
    }
}

/// A load or store of local memory.
pub fn local(kind: MemoryKind, ty: ScalarType, offset: i64) -> MemoryOp {
    MemoryOp { offset, ..memory(kind, MemorySpace::Local, ty) }
}

/// Loads from local memory.
pub fn load(lowering: &mut Lowering<'_>, ty: ScalarType, to: Reg, base: Operand, offset: i64) {
    let op = Opcode::Memory(local(MemoryKind::Load, ty, offset));
    lowering.emit(op, vec![Some(to)], vec![base], None);
}

/// Stores to local memory.
pub fn store(
    lowering: &mut Lowering<'_>,
    ty: ScalarType,
    base: Operand,
    offset: i64,
    value: Operand,
) {
    let op = Opcode::Memory(local(MemoryKind::Store, ty, offset));
    lowering.emit(op, Vec::new(), vec![base, value], None);
}

/// Copies a variable's bytes from one place to another: space, base and offset.
pub fn copy_memory(
    lowering: &mut Lowering<'_>,
    to: (MemorySpace, Operand, i64),
    from: (MemorySpace, Operand, i64),
    variable: &syntax::Variable,
) {
    use ScalarType::{B8, B16, B32, B64};
    let (bytes, align) = (variable.size() as i64, i64::from(variable.alignment()));
    let mut at = 0;
    while at < bytes {
        let fits = |ty: &ScalarType| {
            let size = i64::from(ty.size());
            size <= align && at % size == 0 && at + size <= bytes
        };
        let ty = [B64, B32, B16, B8].into_iter().find(fits).unwrap_or(B8);
        let width = if ty == B64 { Width::Wide } else { Width::Word };
        let value = lowering.new_register(width);
        let (space, base, offset) = from;
        let load = MemoryOp { offset: offset + at, ..memory(MemoryKind::Load, space, ty) };
        lowering.emit(Opcode::Memory(load), vec![Some(value)], vec![base], None);
        let (space, base, offset) = to;
        let store = MemoryOp { offset: offset + at, ..memory(MemoryKind::Store, space, ty) };
        let src = vec![base, Operand::Reg(value)];
        lowering.emit(Opcode::Memory(store), Vec::new(), src, None);
        at += i64::from(ty.size());
    }
}

/// A load or store of one value.
pub fn memory(kind: MemoryKind, space: MemorySpace, ty: ScalarType) -> MemoryOp {
    let (order, part) = (MemoryOrder::default(), AccessPart::Whole);
    MemoryOp { kind, space, ty, count: 1, offset: 0, volatile: false, order, part }
}
