//! Vector registers (`.reg .v4 .f32 v`; PTX manual, "Vectors"): scalar registers `v.x` to `v.w`, which are
//! also `v.r`, `v.g`, `v.b` and `v.a`. Where an instruction names a whole vector, its elements stand.

use super::state::{Lowering, Symbol, width_of};
use super::unsupported::LoweringResult;
use crate::kernel::{Reg, Width};
use lanework_ptx::{Instruction, Operand, Variable};
use std::borrow::Cow;
use std::collections::HashMap;

/// The two names of each element.
const ELEMENTS: [[&str; 2]; 4] = [["x", "r"], ["y", "g"], ["z", "b"], ["w", "a"]];

/// The elements of a vector register, by name.
pub fn element_names(name: &str, count: u8) -> Vec<Operand> {
    let elements = &ELEMENTS[..usize::from(count).min(ELEMENTS.len())];
    elements.iter().map(|[first, _]| format!("{name}.{first}").into()).collect()
}

impl Lowering<'_> {
    /// Declares a parameter that is a vector register in a function's scope; gives its elements.
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
    pub(super) fn bind_vector(&mut self, name: &str, count: u8, width: Width) {
        self.has_vectors = true;
        self.bind(name, Symbol::Vector(count));
        for [first, second] in &ELEMENTS[..usize::from(count).min(ELEMENTS.len())] {
            let element = Symbol::Register(self.new_register(width));
            self.bind(&format!("{name}.{second}"), element.clone());
            self.bind(&format!("{name}.{first}"), element);
        }
    }

    /// Declares a register of 128 bits.
    pub(super) fn bind_quad(&mut self, name: &str) {
        let halves = [(); 2].map(|()| self.new_register(Width::Wide));
        self.bind(name, Symbol::Quad(halves));
    }

    /// The instruction, with the elements in place of vector registers.
    pub(super) fn with_elements<'i>(
        &mut self,
        instruction: &'i Instruction,
    ) -> Cow<'i, Instruction> {
        if !self.has_vectors || instruction.opcode == "call" {
            return Cow::Borrowed(instruction);
        }
        let mut instruction = instruction.clone();
        instruction.operands.iter_mut().for_each(|operand| self.expand(operand));
        Cow::Owned(instruction)
    }

    fn expand(&mut self, operand: &mut Operand) {
        match operand {
            Operand::Name(name) => {
                if let Some(Symbol::Vector(count)) = self.lookup(name) {
                    *operand = Operand::Vector(element_names(name, count));
                }
            }
            Operand::Address(address) => {
                address.extra.iter_mut().for_each(|operand| self.expand(operand));
            }
            _ => {}
        }
    }
}
