//! Modules for 32-bit addresses, which ptxas no longer compiles: one problem instead of one for each
//! access. Such a module declares no 64-bit integer at all, and accesses global or generic memory
//! through a 32-bit register.

use super::Checker;
use super::operand::types::{is_bits, is_integer};
use crate::ast::*;
use crate::types::ScalarType;
use std::collections::HashSet;

/// The 32-bit registers, and the first address in one.
#[derive(Default)]
struct Search<'a> {
    narrow: HashSet<&'a str>,
    wide: bool,
    /// Line of the first instruction whose address is in a narrow register.
    found: Option<u32>,
}

impl Checker<'_> {
    /// Whether the module is for 32-bit addresses; this is then reported.
    pub(super) fn narrow_addresses(&mut self) -> bool {
        let mut search = Search::default();
        for function in self.module.functions() {
            search.wide |= function.params.iter().any(|param| is_wide(param.ty));
            search.declarations(function.body.as_deref().unwrap_or_default());
        }
        if search.wide || search.narrow.is_empty() {
            return false;
        }
        for function in self.module.functions() {
            search.accesses(function.body.as_deref().unwrap_or_default());
        }
        let Some(line) = search.found else { return false };
        let message = "only 64-bit addresses are supported".to_owned();
        self.complain(line, message, Some("compile for 64-bit addresses (nvcc -m64)"));
        true
    }
}

impl<'a> Search<'a> {
    fn declarations(&mut self, statements: &'a [Statement]) {
        for statement in statements {
            match statement {
                Statement::Registers(registers) if is_wide(registers.ty) => self.wide = true,
                Statement::Registers(registers) if is_narrow(registers.ty) => {
                    self.narrow.extend(registers.names.iter().map(|(name, _)| name.as_str()));
                }
                Statement::Variable(variable) => self.wide |= is_wide(variable.ty),
                Statement::Block(inner) => self.declarations(inner),
                _ => {}
            }
        }
    }

    fn accesses(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                _ if self.found.is_some() => return,
                Statement::Instruction(instruction) if self.is_access(instruction) => {
                    self.found = Some(instruction.text_line);
                }
                Statement::Block(inner) => self.accesses(inner),
                _ => {}
            }
        }
    }

    fn is_access(&self, instruction: &Instruction) -> bool {
        const SPACES: [&str; 4] = ["shared", "local", "const", "param"];
        let elsewhere = |word: &String| SPACES.iter().any(|space| word.starts_with(space));
        matches!(instruction.opcode.as_str(), "ld" | "ldu" | "st" | "atom" | "red")
            && !instruction.modifiers.iter().any(elsewhere)
            && instruction.operands.iter().any(|operand| match operand {
                Operand::Address(Address { base: AddressBase::Name(name), .. }) => {
                    self.is_narrow(name)
                }
                _ => false,
            })
    }

    /// Whether a name is one of the narrow registers, by itself or of a range `%r<10>`.
    fn is_narrow(&self, name: &str) -> bool {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        self.narrow.contains(name) || self.narrow.contains(stem)
    }
}

fn is_wide(ty: ScalarType) -> bool {
    ty.size() == 8 && (is_bits(ty) || is_integer(ty))
}

fn is_narrow(ty: ScalarType) -> bool {
    ty.size() == 4 && (is_bits(ty) || is_integer(ty))
}
