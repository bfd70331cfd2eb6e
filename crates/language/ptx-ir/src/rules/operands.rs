//! Operands of the instruction being lowered: destinations, sources and addresses.

use super::context::Cx;
use super::special::special_register;
use crate::indirect::function_address;
use crate::kernel::*;
use crate::literal::immediate_bits;
use crate::lower::state::{DEFINE_EXTERN, Symbol};
use crate::lower::unsupported::{LoweringResult, Unsupported};
use crate::opcode::Alu;
use crate::opcode::integer::{Integer, IntegerOp};
use crate::opcode::logic::LogicOp;
use crate::window::PARAMETER_WINDOW;
use lanework_ptx as syntax;
use lanework_ptx::{AddressBase, ScalarType};

impl Cx<'_, '_> {
    fn register(&mut self, name: &str) -> LoweringResult<Reg> {
        match self.lowering.lookup(name) {
            Some(Symbol::Register(r)) => Ok(r),
            Some(_) => Err(self.unknown(&format!("`{name}` is not a register"))),
            None => Err(self.undeclared(name)),
        }
    }

    /// An operand that is written with a result of `ty`: a register, checked for its width, or `_`.
    pub fn destination(
        &mut self,
        operand: &syntax::Operand,
        ty: ScalarType,
    ) -> LoweringResult<Option<Reg>> {
        match operand {
            syntax::Operand::Name(name) if name == "_" => Ok(None),
            syntax::Operand::Name(name) => {
                let register = self.register(name)?;
                self.check_width(register, ty)?;
                Ok(Some(register))
            }
            _ => Err(self.unknown("the destination is not a register")),
        }
    }

    /// Operand `i` as a destination of a result of `ty`.
    pub fn dst_of(&mut self, i: usize, ty: ScalarType) -> LoweringResult<Option<Reg>> {
        let operand = self.operand(i)?.clone();
        self.destination(&operand, ty)
    }

    pub(super) fn check_width(&self, register: Reg, ty: ScalarType) -> LoweringResult {
        let width = self.lowering.kernel.registers[register as usize].width;
        let predicate = ty == ScalarType::Pred;
        if (width == Width::Predicate) != predicate {
            let what = if predicate {
                "an operand is not a predicate"
            } else {
                "an operand is a predicate"
            };
            return Err(self.unknown(what));
        }
        Ok(())
    }

    /// Any operand as a source of type `ty`.
    pub fn source(&mut self, operand: &syntax::Operand, ty: ScalarType) -> LoweringResult<Operand> {
        match operand {
            syntax::Operand::Immediate(value) if ty == ScalarType::Pred => {
                Ok(Operand::Truth(immediate_bits(*value, ScalarType::B32) != 0))
            }
            syntax::Operand::Immediate(value) => Ok(Operand::Const(immediate_bits(*value, ty))),
            syntax::Operand::Name(name) => self.named(name, ty),
            syntax::Operand::Offset(name, offset) => self.moved(name, *offset, ty),
            syntax::Operand::Not(name) if ty == ScalarType::Pred => {
                let positive = self.named(name, ty)?;
                let opposite = self.lowering.new_register(Width::Predicate);
                let not = Alu::Logic(LogicOp::Not(Width::Predicate));
                self.alu(Some(opposite), &[positive], not)?;
                Ok(Operand::Reg(opposite))
            }
            _ => Err(self.unknown("an operand has a form that does not fit here")),
        }
    }

    fn named(&mut self, name: &str, ty: ScalarType) -> LoweringResult<Operand> {
        if let Some(value) = special_register(self.lowering, name) {
            if let Operand::Reg(register) = value {
                self.check_width(register, ty)?;
            }
            return Ok(value);
        }
        match self.lowering.lookup(name) {
            Some(Symbol::Register(r)) => {
                self.check_width(r, ty)?;
                Ok(Operand::Reg(r))
            }
            Some(Symbol::Variable(space, address)) => {
                let window = match space {
                    MemorySpace::Parameter => PARAMETER_WINDOW,
                    _ => 0,
                };
                Ok(move_address(address, window))
            }
            Some(Symbol::Label(_) | Symbol::Targets(_)) => {
                Err(self.unknown(&format!("`{name}` is a label")))
            }
            Some(Symbol::Quad(_)) => {
                Err(self.unknown(&format!("`{name}` is a register of 128 bits")))
            }
            Some(Symbol::Vector(_) | Symbol::Framed(..)) => {
                Err(self.unknown(&format!("`{name}` is a vector, and one element is expected")))
            }
            None => match function_address(self.lowering.module(), name) {
                Some(address) => Ok(Operand::Const(address)),
                None => Err(self.undeclared(name)),
            },
        }
    }

    /// The refusal of a name that stands for nothing here.
    fn undeclared(&self, name: &str) -> Unsupported {
        let mut variables = self.lowering.module().variables();
        if variables.any(|v| v.name == name && v.linkage == syntax::Linkage::Extern) {
            let what = format!("variable `{name}` is defined in another module");
            return Unsupported::new(what, DEFINE_EXTERN);
        }
        self.unknown(&format!("`{name}` is not declared"))
    }

    /// `name + offset` as a value: the address of a variable moved, or the sum of an integer register and
    /// the constant, as ptxas computes it (seen in its machine code: one integer addition in the width of
    /// the register, also where the instruction takes a float).
    fn moved(&mut self, name: &str, offset: i64, ty: ScalarType) -> LoweringResult<Operand> {
        if function_address(self.lowering.module(), name).is_some()
            && self.lowering.lookup(name).is_none()
        {
            return Err(self.unknown(&format!("`{name}` is a function, whose address cannot move")));
        }
        let value = self.named(name, ty)?;
        let Operand::Reg(register) = value else {
            return Ok(move_address(value, offset as u64));
        };
        // ptxas crashes on sums of predicates and of registers that are declared as floats.
        if ty == ScalarType::Pred || self.lowering.is_float(register) {
            return Err(self.unknown(&format!(
                "`{name} + {offset}` adds to a register that is not an integer"
            )));
        }
        // In the width of the register: what takes fewer bits takes the low ones.
        let width = self.lowering.kernel.registers[register as usize].width;
        let (integer, bits) = match (width, ty.size()) {
            (Width::Wide, _) => (Integer::U64, u64::MAX),
            (_, 1 | 2) => (Integer::U16, u64::from(u16::MAX)),
            _ => (Integer::U32, u64::from(u32::MAX)),
        };
        let sum = self.lowering.new_register(width);
        let by = Operand::Const(offset as u64 & bits);
        self.alu(Some(sum), &[value, by], Alu::Integer(IntegerOp::Add(integer)))?;
        Ok(Operand::Reg(sum))
    }

    /// Operand `i` as a source of type `ty`.
    pub fn src(&mut self, i: usize, ty: ScalarType) -> LoweringResult<Operand> {
        let operand = self.operand(i)?.clone();
        self.source(&operand, ty)
    }

    /// A predicate operand, with `true` when it is written `!p`.
    pub fn predicate(&mut self, i: usize) -> LoweringResult<(Operand, bool)> {
        match self.operand(i)?.clone() {
            syntax::Operand::Not(name) => Ok((self.named(&name, ScalarType::Pred)?, true)),
            operand => Ok((self.source(&operand, ScalarType::Pred)?, false)),
        }
    }

    /// An address operand: its base, byte offset, and the space of the variable it names.
    pub fn address(&mut self, i: usize) -> LoweringResult<(Operand, i64, Option<MemorySpace>)> {
        let syntax::Operand::Address(address) = self.operand(i)?.clone() else {
            return Err(self.unknown("an address in brackets is expected"));
        };
        if !address.extra.is_empty() {
            return Err(self.unknown("addresses with coordinates"));
        }
        self.address_of(&address)
    }

    /// What an address in brackets is made of, but for coordinates.
    pub fn address_of(
        &mut self,
        address: &lanework_ptx::Address,
    ) -> LoweringResult<(Operand, i64, Option<MemorySpace>)> {
        match &address.base {
            AddressBase::Absolute(value) => Ok((Operand::Const(*value), address.offset, None)),
            AddressBase::Name(name) => match self.lowering.lookup(name) {
                Some(Symbol::Variable(space, base)) => Ok((base, address.offset, Some(space))),
                Some(Symbol::Register(r)) => {
                    self.check_width(r, ScalarType::B32)?;
                    Ok((Operand::Reg(r), address.offset, None))
                }
                None => Err(self.undeclared(name)),
                _ => Err(self.unknown(&format!("`{name}` is not an address"))),
            },
        }
    }
}

/// A constant address moved by some bytes.
pub fn move_address(address: Operand, by: u64) -> Operand {
    match address {
        Operand::Const(at) => Operand::Const(at.wrapping_add(by)),
        Operand::DynamicShared(at) => Operand::DynamicShared(at.wrapping_add(by)),
        other => other,
    }
}
