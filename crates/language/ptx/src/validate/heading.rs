//! Checks of the whole module: version and target exist and support what the module uses; addresses have 64 bits.
//!
//! A module for 32-bit addresses, which ptxas no longer compiles, gets one error instead of one per access. Such a
//! module declares no 64-bit integer and accesses global or generic memory through a 32-bit register.

use crate::ast::*;
use crate::instructions::{Modifier, Opcode};
use crate::requirements;
use crate::types::ScalarType;
use crate::types::StateSpace;
use crate::validate::Checker;
use crate::validate::operand::address::{is_bits, is_integer};
use std::collections::HashSet;

/// The newest PTX version whose forms the instruction table has.
const NEWEST: Version = Version { major: 9, minor: 4 };
/// The options of `.target`.
const OPTIONS: [&str; 5] =
    ["debug", "texmode_unified", "texmode_independent", "map_f64_to_f32", "debug_only"];

impl Checker<'_> {
    /// `.version` and `.target`.
    pub(super) fn heading(&mut self) {
        let (version, target) = (self.module.version, &self.module.target);
        // Later versions of the same major version add forms; known forms keep their meaning.
        if version.major > NEWEST.major {
            let message = format!("PTX {version} is not known; the newest known is {NEWEST}");
            self.report(0, message, Some("correct `.version`"));
        }
        match requirements::first_version(target) {
            None => {
                let message = format!("there is no target `{target}`");
                self.report(0, message, Some("name an architecture, such as sm_80 or sm_90a"));
            }
            Some(first) if first > version => {
                let message =
                    format!("PTX {version} does not know {target}, which came with {first}");
                self.report(0, message, Some("raise `.version`, or lower `.target`"));
            }
            Some(_) => {}
        }
        let debug = target.options.iter().any(|option| option == "debug");
        let sections =
            |item: &Item| matches!(item, Item::Directive(d) if d.starts_with(".section"));
        if debug && !self.module.items.iter().any(sections) {
            let message = "`.target` has `debug`, but the module has no debug sections".to_owned();
            self.report(0, message, Some("remove `debug`, or compile with -g"));
        }
        for option in &target.options {
            if !OPTIONS.contains(&option.as_str()) {
                let message = format!("`.target` has no option `{option}`");
                self.report(0, message, Some("remove it"));
            }
        }
    }

    /// Checks that version and target support an instruction.
    pub(super) fn requirement(&mut self, instruction: &Instruction) {
        let (version, target) = (self.module.version, &self.module.target);
        if let Some(lack) = requirements::unmet_requirement(instruction, version, target) {
            let message = format!("`{}` needs {lack}", instruction.name());
            let help = "raise `.version` and `.target`, or use another instruction";
            self.report(instruction.text_line, message, Some(help));
        }
        let (modifiers, at) = (&instruction.modifiers, (version.major, version.minor));
        let removals = instruction.opcode.removals().iter();
        for removal in removals.filter(|r| r.applies(modifiers, at, target.architecture)) {
            let message = format!("`{}`{removal}", instruction.name());
            self.report(instruction.text_line, message, Some(removal.help));
        }
    }
}

/// The 32-bit registers, and the first address held in one of them.
#[derive(Default)]
struct AddressWidthSearch<'a> {
    narrow: HashSet<&'a str>,
    wide: bool,
    /// Line of the first instruction whose address is in a narrow register.
    found: Option<u32>,
}

impl Checker<'_> {
    /// Whether the module is for 32-bit addresses. Reports that if so.
    pub(super) fn narrow_addresses(&mut self) -> bool {
        let mut search = AddressWidthSearch::default();
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
        self.report(line, message, Some("compile for 64-bit addresses (nvcc -m64)"));
        true
    }
}

impl<'a> AddressWidthSearch<'a> {
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
        let elsewhere = |modifier: &Modifier| {
            modifier.state_space().is_some_and(|space| space != StateSpace::Global)
        };
        matches!(
            instruction.opcode,
            Opcode::Ld | Opcode::Ldu | Opcode::St | Opcode::Atom | Opcode::Red
        ) && !instruction.modifiers.iter().any(elsewhere)
            && instruction.operands.iter().any(|operand| match operand {
                Operand::Address(Address { base: AddressBase::Name(name), .. }) => {
                    self.is_narrow(name)
                }
                _ => false,
            })
    }

    /// Whether a name is one of the narrow registers: declared singly, or in a range `%r<10>`.
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
