//! Checks of an instruction: names are declared, a form has its modifiers, and operands fit the form.

use crate::ast::*;
use crate::instructions::notation::{FormMatch, Mismatch, OperandKind, OperandSpec};
use crate::instructions::{Modifier, NamedSpecial, Opcode};
use crate::types::ScalarType;
use crate::validate::Checker;
use crate::validate::names::Symbol;

impl<'a> Checker<'a> {
    pub(super) fn instruction(&mut self, instruction: &'a Instruction) {
        if let Some(guard) = &instruction.guard {
            self.guard(guard, instruction.text_line);
        }
        let declared = self.names_of(instruction);
        self.requirement(instruction);
        if !declared {
            return;
        }
        if instruction.opcode == Opcode::Unknown {
            let message = format!("`{}` is not an instruction of PTX", instruction.word(0));
            return self.report(instruction.text_line, message, Some("correct its name"));
        }
        if let Err((message, help)) = self.fits(instruction) {
            self.report(instruction.text_line, message, Some(&help));
        } else if instruction.opcode == Opcode::Call {
            self.call(instruction);
        } else {
            self.pair(instruction);
        }
    }

    /// Checks that a function uses tensor memory either as one block or as a pair of blocks, not both.
    fn pair(&mut self, instruction: &'a Instruction) {
        let is_group = |m: &Modifier| matches!(m, Modifier::CtaGroup1 | Modifier::CtaGroup2);
        let Some(group) = instruction.modifiers.iter().copied().find(is_group) else { return };
        let first = *self.pairs.get_or_insert(group);
        if instruction.opcode == Opcode::Tcgen05 && first != group {
            let message = format!("`.{group}` in a function that already uses `.{first}`");
            let help = "use the same `.cta_group` in all instructions on tensor memory";
            self.report(instruction.text_line, message, Some(help));
        }
    }

    fn guard(&mut self, guard: &Guard, line: u32) {
        let name = &guard.register;
        let found = match self.resolve(name) {
            Some(Symbol::Register(r)) if r.ty == ScalarType::Pred => return,
            Some(meaning) => meaning.describe(),
            None if NamedSpecial::from_name(name).is_none() => {
                self.is_declared(name, line);
                return;
            }
            None => "a special register".to_owned(),
        };
        let message = format!("the guard `{name}` is {found}; expected a .pred register");
        self.report(line, message, Some("guard with the result of a `setp`"));
    }

    /// Whether every name of an instruction is declared. Reports undeclared names.
    fn names_of(&mut self, instruction: &Instruction) -> bool {
        let line = instruction.text_line;
        let branches = instruction.opcode == Opcode::Bra;
        let mut fine = true;
        for operand in &instruction.operands {
            fine &= match operand {
                Operand::Name(name) if branches => {
                    let label = self.resolve(name) == Some(Symbol::Label);
                    if !label {
                        let message = format!("there is no label `{name}` to branch to");
                        let help = format!("add `{name}:` before the target instruction");
                        self.report(line, message, Some(&help));
                    }
                    label
                }
                _ if branches => {
                    self.report(line, "the target of a branch is not a label".to_owned(), None);
                    false
                }
                operand => self.names_in(operand, line),
            };
        }
        fine
    }

    fn names_in(&mut self, operand: &Operand, line: u32) -> bool {
        match operand {
            Operand::Name(name) | Operand::Not(name) | Operand::Offset(name, _) => {
                self.is_declared(name, line)
            }
            Operand::Immediate(_) => true,
            Operand::Vector(list) | Operand::Arguments(list) => {
                list.iter().filter(|operand| !self.names_in(operand, line)).count() == 0
            }
            Operand::Pair(a, b) => {
                let first = self.names_in(a, line);
                self.names_in(b, line) && first
            }
            Operand::Address(address) => {
                let base = match &address.base {
                    AddressBase::Name(name) => self.is_declared(name, line),
                    AddressBase::Absolute(_) => true,
                };
                address
                    .extra
                    .iter()
                    .fold(base, |fine, operand| self.names_in(operand, line) && fine)
            }
        }
    }

    fn is_declared(&mut self, name: &str, line: u32) -> bool {
        let (base, field) = name.split_once('.').unwrap_or((name, ""));
        if let Some(special) = NamedSpecial::from_name(base) {
            let fits = matches!(field, "" | "x" | "y" | "z" | "w")
                && (special.elements() > 1 || field.is_empty());
            if !fits {
                let message = format!("the special register `{base}` has no `.{field}`");
                self.report(line, message, None);
            }
            return fits;
        }
        // A vector's element, `%v.x`, or a part of a register, `%r.b0`.
        if name == "_" || self.resolve(name).is_some() {
            return true;
        }
        if let (Some(meaning), false) = (self.resolve(base), field.is_empty()) {
            let vector = matches!(meaning, Symbol::Register(r) if r.vector > 1);
            let fits = is_selector(field)
                || vector && matches!(field, "x" | "y" | "z" | "w" | "r" | "g" | "b" | "a");
            if !fits {
                let message = format!("`{base}` is {} and has no `.{field}`", meaning.describe());
                self.report(line, message, None);
            }
            return fits;
        }
        let (what, help) = if name.starts_with('%') {
            (
                "register",
                "declare it with `.reg`, or check the count in `%r<n>`, which ends at %r(n-1)",
            )
        } else {
            ("name", "declare it with `.reg`, as a variable, or with `.extern`")
        };
        self.report(line, format!("the {what} `{name}` is not declared"), Some(help));
        false
    }

    /// Whether one of the forms fits. If not, the problem with the nearest form, and the remedy.
    fn fits(&self, instruction: &Instruction) -> Result<(), (String, String)> {
        let mut nearest: Option<(usize, String)> = None;
        for form in instruction.opcode.forms() {
            let (rank, why) = match form.matches(&instruction.modifiers) {
                Ok(found) => match self.operands(instruction, &found) {
                    Ok(()) => return Ok(()),
                    Err((place, why)) => (1000 + place, why),
                },
                Err(Mismatch::Extra(index)) => {
                    (index, format!("`.{}` is not valid here", instruction.word(1 + index)))
                }
                Err(Mismatch::Missing(names)) => (
                    instruction.modifiers.len(),
                    format!("expected `.{names}` among its modifiers"),
                ),
            };
            if nearest.as_ref().is_none_or(|(best, _)| rank > *best) {
                nearest = Some((rank, why));
            }
        }
        let why = nearest.map_or_else(String::new, |(_, why)| why);
        let help = "ptxas rejects it; the PTX manual lists the forms of each instruction";
        Err((format!("`{}`: {why}", instruction.name()), help.to_owned()))
    }

    /// Whether the operands fit a form. If not, the index of the first unfit operand, and the reason.
    fn operands(
        &self,
        instruction: &Instruction,
        found: &FormMatch,
    ) -> Result<(), (usize, String)> {
        let (given, specs) = (&instruction.operands, &found.operands);
        let rest = specs.iter().any(|spec| spec.kind == OperandKind::Rest);
        let least = specs.iter().filter(|spec| !spec.optional).count();
        let mut memory = 0;
        // Optional operands come last, except those that a modifier adds.
        let skipped = specs.len().saturating_sub(given.len());
        let mut left = skipped.min(specs.len() - least);
        let mut places = given.iter().enumerate();
        let kept: Vec<&OperandSpec> = specs
            .iter()
            .rev()
            .filter(|spec| {
                let drop = spec.optional && left > 0;
                left -= usize::from(drop);
                !drop
            })
            .collect();
        if !rest && given.len() != kept.len() {
            let (few, many) = (least, specs.len());
            let wanted = if few == many { few.to_string() } else { format!("{few} to {many}") };
            let message = format!("it has {} operands; expected {wanted}", given.len());
            return Err((0, message));
        }
        for spec in kept.into_iter().rev() {
            if spec.kind == OperandKind::Rest {
                break;
            }
            let Some((place, operand)) = places.next() else { break };
            let space = found.spaces.get(memory).copied();
            memory += usize::from(spec.kind == OperandKind::Memory);
            self.operand(operand, spec, found, space)
                .map_err(|why| (1 + place, format!("operand {}, {why}", place + 1)))?;
        }
        Ok(())
    }

    /// Checks a call of a function by name: the number of operands and their types.
    fn call(&mut self, instruction: &Instruction) {
        let mut lists = Vec::new();
        let mut callee = None;
        for operand in &instruction.operands {
            match operand {
                Operand::Arguments(list) => lists.push((callee.is_some(), list)),
                Operand::Name(name) => callee = callee.or(Some(name)),
                _ => {}
            }
        }
        let function = callee.and_then(|name| self.functions.get(name.as_str()).copied());
        let (Some(function), Some(name)) = (function, callee) else { return };
        for (arguments, formals) in [(false, &function.returns), (true, &function.params)] {
            let list = lists.iter().find(|(after, _)| *after == arguments);
            let given = list.map_or(&[][..], |(_, list)| list.as_slice());
            let what = if arguments { "argument" } else { "result" };
            if given.len() != formals.len() {
                let message = format!(
                    "the call of `{name}` has {} {what}s; expected {}",
                    given.len(),
                    formals.len()
                );
                return self.report(
                    instruction.text_line,
                    message,
                    Some("pass the parameters that it declares"),
                );
            }
            for (index, (actual, formal)) in given.iter().zip(formals).enumerate() {
                if let Err(why) = self.argument(actual, formal) {
                    let message = format!("the call of `{name}`: {what} {}, {why}", index + 1);
                    self.report(
                        instruction.text_line,
                        message,
                        Some("pass the parameters that it declares"),
                    );
                }
            }
        }
    }
}

/// Whether a field selects bytes or halves of a video operand: `b2`, `h10`, `b7610`.
fn is_selector(field: &str) -> bool {
    let (kind, parts) = field.split_at(field.len().min(1));
    let most = match kind {
        "b" => 7,
        "h" => 3,
        _ => return false,
    };
    let digits = parts.bytes().all(|byte| (b'0'..=b'0' + most).contains(&byte));
    matches!((kind, parts.len()), ("b" | "h", 1) | ("h", 2) | ("b", 4)) && digits
}
