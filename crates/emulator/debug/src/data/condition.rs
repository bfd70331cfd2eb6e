//! Conditions of breakpoints. A condition may name variables that have no value yet; it is then false.

use crate::data::evaluate::{Evaluator, Machine};
use crate::data::parse::Expression;
use crate::data::scope::Named;
use lanework_engine::event::Space;
use lanework_ptx_ir::kernel::Reg;
use std::cell::Cell;

/// A machine that notes whether something could not be read.
struct NotingMachine<'m> {
    machine: &'m dyn Machine,
    failed: Cell<bool>,
}

impl Machine for NotingMachine<'_> {
    fn register(&self, register: Reg, lane: u32) -> Option<u64> {
        let found = self.machine.register(register, lane);
        self.failed.set(self.failed.get() || found.is_none());
        found
    }

    fn read(&self, space: Space, lane: u32, address: u64, bytes: &mut [u8]) -> bool {
        let read = self.machine.read(space, lane, address, bytes);
        self.failed.set(self.failed.get() || !read);
        read
    }
}

impl Evaluator<'_> {
    /// Whether a condition is true. A condition whose variables have no value yet is false: a pointer that is not set, or a
    /// variable without a place.
    ///
    /// # Errors
    /// If the condition names something unknown, or its types do not match.
    pub fn holds_now(&self, condition: &Expression) -> Result<bool, String> {
        let noting = NotingMachine { machine: self.machine, failed: Cell::new(false) };
        let evaluator = Evaluator { scope: self.scope, machine: &noting, at: self.at };
        match evaluator.holds(condition) {
            Err(_) if noting.failed.get() || self.is_lost(condition) => Ok(false),
            result => result,
        }
    }

    /// Whether an expression names a variable that has no place at this instruction, or that another part of the kernel
    /// declares.
    fn is_lost(&self, expression: &Expression) -> bool {
        use Expression as E;
        match expression {
            E::Name(name) => match self.find(name) {
                Some(found) => matches!(found, Named::Lost),
                None => self.builtin(name).is_none() && self.scope.declares(name),
            },
            E::Literal(_) | E::Register(_) => false,
            E::Index(a, b) | E::Binary(_, a, b) => self.is_lost(a) || self.is_lost(b),
            E::Range(a, b, c) => self.is_lost(a) || self.is_lost(b) || self.is_lost(c),
            E::Conditional(a, b, c) => self.is_lost(a) || self.is_lost(b) || self.is_lost(c),
            E::Size(a) => self.is_lost(a),
            E::Member(a, _)
            | E::Dereference(a)
            | E::Address(a)
            | E::Unary(_, a)
            | E::Cast(a, _) => self.is_lost(a),
        }
    }
}
