//! Elements of arrays: `array[3]`, and `array[%r1]`, which becomes instructions that compute the address.

use super::lexer::TokenKind;
use super::{Indexed, Parsed, Parser};
use crate::ast::*;
use crate::instructions::{Modifier, Opcode};
use crate::types::ScalarType;

/// The registers of addresses, two for each element.
const REGISTERS: &str = "%__element";

impl Parser<'_> {
    /// `array[3]`, starting at the open bracket: an element, or its address if the instruction does not access memory.
    /// As in ptxas, the index counts elements of the scalar type, even for vectors.
    pub(super) fn element(&mut self, name: String) -> Parsed<Operand> {
        let Some(bytes) = self.arrays.get(name.as_str()).copied() else {
            let message = format!("`{name}` is indexed, but not declared above as an array");
            return Err(self.report(message, Some("write the byte offset: `[name+4]`")));
        };
        self.advance();
        if self.kind() == TokenKind::Word {
            return self.variable_element(name, bytes);
        }
        let token = self.token();
        let index = self.integer::<i64>("the index of an element")?;
        self.expect(b']', "after the index")?;
        match index.checked_mul(i64::from(bytes)) {
            Some(offset) if self.accesses => Ok(Operand::address(name, offset)),
            Some(0) => Ok(Operand::Name(name)),
            Some(offset) => Ok(Operand::Offset(name, offset)),
            None => Err(self.report_at(token, "the index is too large", None)),
        }
    }

    /// `array[%r1]` or `array[%r1+2]`, starting at the register. Only loads, stores and atomics have it.
    fn variable_element(&mut self, array: String, bytes: u32) -> Parsed<Operand> {
        if !self.accesses {
            let help = "add the index times the element's size to the address of the array";
            return Err(self.report("an address is indexed by constants only", Some(help)));
        }
        let token = self.token();
        let register = self.word("a register")?.to_owned();
        let Some(size) = self.size_of_register(&register) else {
            let message = format!("`{register}` is not a register that is declared above");
            return Err(self.report_at(token, message, Some("declare it with `.reg`")));
        };
        if size < 4 {
            let help = "convert it by `cvt.u32` first";
            return Err(self.report_at(token, "an index has 32 or 64 bits", Some(help)));
        }
        let index = self.offset()?;
        self.expect(b']', "after the index")?;
        let Some(offset) = index.checked_mul(i64::from(bytes)) else {
            return Err(self.report_at(token, "the index is too large", None));
        };
        self.indexed.push(Indexed { array, register, wide: size == 8, bytes });
        let address = format!("{REGISTERS}{}", 2 * self.indexed.len() - 1);
        Ok(Operand::address(address, offset))
    }

    /// Bytes of a register, if it is declared in a block around the current position.
    fn size_of_register(&self, register: &str) -> Option<u32> {
        let is = |name: &str, count: Option<u32>| match count {
            None => name == register,
            Some(count) => register
                .strip_prefix(name)
                .and_then(|number| number.parse::<u32>().ok())
                .is_some_and(|number| number < count),
        };
        self.registers.iter().rev().find(|(name, count, _)| is(name, *count)).map(|known| known.2)
    }

    /// An instruction after those that compute the addresses of its elements, in a block of its own.
    pub(super) fn with_elements(&mut self, instruction: Instruction) -> Statement {
        let indexed = std::mem::take(&mut self.indexed);
        if indexed.is_empty() {
            return Statement::Instruction(instruction);
        }
        let names = vec![(REGISTERS.to_owned(), Some(2 * indexed.len() as u32))];
        let registers = Registers { vector: 1, ty: ScalarType::B64, names };
        let mut block = vec![Statement::Registers(registers)];
        for (at, element) in indexed.into_iter().enumerate() {
            let [scaled, address] = [2 * at, 2 * at + 1].map(|n| format!("{REGISTERS}{n}"));
            let size = Operand::integer(i64::from(element.bytes));
            let words: &[&str] = if element.wide { &["lo", "u64"] } else { &["wide", "u32"] };
            let steps = [
                (Opcode::Mul, words, vec![scaled.as_str().into(), element.register.into(), size]),
                (Opcode::Mov, &["u64"], vec![address.as_str().into(), element.array.into()]),
                (
                    Opcode::Add,
                    &["u64"],
                    vec![address.as_str().into(), address.as_str().into(), scaled.as_str().into()],
                ),
            ];
            block.extend(steps.map(|(opcode, words, operands)| {
                Statement::Instruction(Instruction {
                    guard: None,
                    opcode,
                    modifiers: words.iter().map(|word| Modifier::from_word(word)).collect(),
                    unknown_name: None,
                    operands,
                    location: instruction.location.clone(),
                    text_line: instruction.text_line,
                })
            }));
        }
        block.push(Statement::Instruction(instruction));
        Statement::Block(block)
    }
}
