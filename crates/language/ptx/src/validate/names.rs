//! Symbols: registers, variables, labels, functions, special registers.

use crate::ast::{Linkage, Variable};
use crate::types::{ScalarType, StateSpace};
use std::collections::HashMap;

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Symbol<'a> {
    Register(RegisterType),
    Variable(&'a Variable, VariableRole),
    Label,
    Function { defined: bool, linkage: Linkage },
}

/// The type of a register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RegisterType {
    pub(super) ty: ScalarType,
    /// 2 or 4 for vectors, else 1.
    pub(super) vector: u8,
}

/// Where a variable is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableRole {
    Module,
    Body,
    /// A parameter of an entry.
    EntryParameter,
    /// A parameter of a device function.
    Parameter,
    Return,
}

impl<'a> Symbol<'a> {
    /// The meaning of a declared variable. A variable in `.reg` space is a register.
    pub(super) fn from_variable(variable: &'a Variable, role: VariableRole) -> Symbol<'a> {
        match variable.space {
            StateSpace::Reg => {
                Symbol::Register(RegisterType { ty: variable.ty, vector: variable.vector })
            }
            _ => Symbol::Variable(variable, role),
        }
    }

    /// The symbol in words.
    pub(super) fn describe(self) -> String {
        match self {
            Symbol::Register(r) if r.vector > 1 => {
                format!("a .v{} .{} register", r.vector, r.ty.name())
            }
            Symbol::Register(r) => format!("a .{} register", r.ty.name()),
            Symbol::Variable(v, _) => format!("a variable in {}", v.space),
            Symbol::Label => "a label".to_owned(),
            Symbol::Function { .. } => "a function".to_owned(),
        }
    }
}

/// One level of names.
#[derive(Default)]
pub(super) struct Scope<'a> {
    pub(super) names: HashMap<&'a str, Symbol<'a>>,
    /// Register ranges `%r<n>`, by prefix.
    ranges: HashMap<&'a str, (RegisterType, u32)>,
}

impl<'a> Scope<'a> {
    /// Adds a name; `false` if it exists.
    pub(super) fn declare(&mut self, name: &'a str, meaning: Symbol<'a>) -> bool {
        self.look_up(name).is_none() & self.names.insert(name, meaning).is_none()
    }

    /// Adds `count` registers; `false` if the prefix exists.
    pub(super) fn declare_range(&mut self, prefix: &'a str, ty: RegisterType, count: u32) -> bool {
        self.ranges.insert(prefix, (ty, count)).is_none()
    }

    /// The meaning of `name` in this scope. `%r12` may be register 12 of `%r<n>` or register 2 of `%r1<n>`. An index
    /// has at most ten digits.
    pub(super) fn look_up(&self, name: &str) -> Option<Symbol<'a>> {
        if let Some(meaning) = self.names.get(name) {
            return Some(*meaning);
        }
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        (1..=digits.min(10)).find_map(|length| {
            let (prefix, number) = name.split_at(name.len() - length);
            let canonical = length == 1 || !number.starts_with('0');
            let (ty, count) = self.ranges.get(prefix).filter(|_| canonical)?;
            let number: u64 = number.parse().ok()?;
            (number < u64::from(*count)).then_some(Symbol::Register(*ty))
        })
    }
}
