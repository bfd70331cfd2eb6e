//! Vector registers (`.reg .v4 .f32 v`; PTX manual, "Vectors"): scalar registers `v.x` to `v.w`, which are
//! also `v.r`, `v.g`, `v.b` and `v.a`. Where an instruction names a whole vector, its elements stand.

use super::state::{Lowering, Symbol};
use crate::kernel::Width;
use lanework_ptx::{Instruction, Operand};
use std::borrow::Cow;

/// The two names of each element.
const ELEMENTS: [[&str; 2]; 4] = [["x", "r"], ["y", "g"], ["z", "b"], ["w", "a"]];

impl Lowering<'_> {
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
                    let elements = &ELEMENTS[..usize::from(count).min(ELEMENTS.len())];
                    let named = |[first, _]: &[&str; 2]| format!("{name}.{first}").into();
                    *operand = Operand::Vector(elements.iter().map(named).collect());
                }
            }
            Operand::Address(address) => {
                address.extra.iter_mut().for_each(|operand| self.expand(operand));
            }
            _ => {}
        }
    }
}
