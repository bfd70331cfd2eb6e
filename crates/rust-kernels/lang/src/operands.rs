//! Values as operands: literals, registers, special registers and addresses of arrays.

use crate::builder::Builder;
use crate::frames::Line;
use crate::value::{Class, Register, Value, literal};
use lanework_ptx::{Instruction, Operand, ScalarType};

impl Builder {
    /// The value as an operand of an instruction of type `ty`.
    pub fn operand(&mut self, value: Value, ty: ScalarType) -> Operand {
        match value {
            Value::Register(register) => Operand::Name(register.name()),
            Value::Special(name) => Operand::Name(self.special(name).name()),
            Value::Constant(bits) => match Class::of(ty) {
                class @ (Class::Half | Class::Predicate) => {
                    let literal = literal(bits, ScalarType::B32);
                    let key = (format!("constant.{}", class.prefix()), vec![(value, 0)]);
                    let name = format!("mov.{}", class.bits_type().name());
                    match self.pure_operands(key, &name, ty, vec![literal.into()]) {
                        Value::Register(register) => Operand::Name(register.name()),
                        _ => unreachable!("a computation yields a register"),
                    }
                }
                _ => Operand::Immediate(literal(bits, ty)),
            },
        }
    }

    /// The value as an operand of an untyped (`.b32`, `.b64`) instruction.
    pub fn bit_operand(&mut self, value: Value, ty: ScalarType) -> Operand {
        match value {
            Value::Constant(bits) => Operand::integer(bits),
            other => self.operand(other, ty),
        }
    }

    /// The register that holds a special register's value, read at the kernel's top.
    fn special(&mut self, name: &'static str) -> Register {
        if let Some(register) = self.specials.get(name) {
            return *register;
        }
        let register = self.register(ScalarType::U32, false);
        self.specials.insert(name, register);
        let operands = vec![Operand::Name(register.name()), Operand::from(name)];
        self.at_top("mov.u32", register, operands);
        register
    }

    /// The register with the address of an array in shared memory, set at the kernel's top.
    pub fn symbol_address(&mut self, symbol: usize) -> Value {
        if let Some(register) = self.symbol_addresses.get(&symbol) {
            return Value::Register(*register);
        }
        let register = self.register(ScalarType::U32, false);
        self.symbol_addresses.insert(symbol, register);
        let operands =
            vec![Operand::Name(register.name()), Operand::Name(self.symbols[symbol].clone())];
        self.at_top("mov.u32", register, operands);
        Value::Register(register)
    }

    /// Appends a pure instruction to the kernel's prologue, before everything else.
    pub fn at_top(&mut self, name: &str, dest: Register, operands: Vec<Operand>) {
        let instruction = self.located(Instruction::new(name, operands));
        self.prologue.push(Line::Op { instruction, dest: Some(dest), pure: true });
    }
}
