//! Value numbering over structured scopes.
//!
//! Scoped hash tables after Briggs, Cooper and Simpson, "Value numbering" (Software: Practice and
//! Experience, 1997): a pure computation is emitted once within the structured scope that encloses
//! it, which dominates every use. Computations in the branches of an `if` are not shared with each
//! other or hoisted.
//!
//! Mutable variables carry a version, as in SSA renaming: every assignment increments it, and the
//! head of a loop increments the versions of all variables, because the loop's body may assign
//! them.

use crate::emit::builder::Builder;
use crate::emit::frames::{Computation, Scope};
use crate::emit::value::{Class, Register, Value};
use std::collections::HashMap;

impl Builder {
    /// The key of a computation.
    pub fn computation(&self, name: &str, inputs: impl Iterator<Item = Value>) -> Computation {
        let version = |value: &Value| match value {
            Value::Register(r) if r.mutable => {
                self.versions.get(r).copied().unwrap_or(0).max(self.loop_version())
            }
            _ => 0,
        };
        (name.to_owned(), inputs.map(|value| (value, version(&value))).collect())
    }

    /// The version that the start of the innermost loop gave every variable.
    fn loop_version(&self) -> u64 {
        self.versions.get(&LOOP_MARK).copied().unwrap_or(0)
    }

    /// The value of a computation that an enclosing scope has emitted.
    pub fn known(&self, key: &Computation) -> Option<Value> {
        self.scopes.iter().rev().find_map(|scope| scope.get(key)).copied()
    }

    /// Remembers a computation for the rest of this scope.
    pub fn remember(&mut self, key: Computation, value: Value) {
        if !self.dead {
            self.scopes.last_mut().expect("the outermost scope is never closed").insert(key, value);
        }
    }

    /// Opens a scope. Its value numbers are forgotten at its end.
    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Closes a scope and returns what was computed in it.
    pub fn leave(&mut self) -> Scope {
        self.scopes.pop().expect("entered before")
    }

    /// Keeps the value numbers of a closed scope that always runs.
    pub fn keep(&mut self, scope: Scope) {
        self.scopes.last_mut().expect("the outermost scope is never closed").extend(scope);
    }

    /// Closes a scope that ends at `label`. Jumps to the label skip computations, so their value
    /// numbers are forgotten.
    pub fn leave_at(&mut self, label: &str) {
        let scope = self.leave();
        if !self.used_labels.contains(label) {
            self.keep(scope);
        }
        self.place(label);
    }

    /// Notes that `register` has been assigned.
    pub fn assigned(&mut self, register: Register) {
        self.version += 1;
        self.versions.insert(register, self.version);
    }

    /// The version of a variable: it differs after an assignment.
    pub fn writes(&self, register: Register) -> u64 {
        self.versions.get(&register).copied().unwrap_or(0)
    }

    /// Notes that any variable may have been assigned, as at the head of a loop.
    pub fn forget_variables(&mut self) {
        self.assigned(LOOP_MARK);
    }

    /// Remembers that `sum` is `base + constant` in wrapping 32- or 64-bit arithmetic.
    pub fn note_sum(&mut self, sum: Value, base: Value, constant: i64) {
        if let Value::Register(register) = sum
            && !matches!(base, Value::Register(r) if r.mutable)
        {
            self.constant_sums.insert(register, (base, constant));
        }
    }

    /// Splits a value into a base and a constant added to it.
    pub fn split_sum(&self, value: Value) -> (Value, i64) {
        let mut split = (value, 0i64);
        while let Value::Register(register) = split.0
            && let Some((base, constant)) = self.constant_sums.get(&register)
        {
            split = (*base, split.1.wrapping_add(*constant));
        }
        split
    }
}

/// A pseudo register whose version counts the innermost loop.
const LOOP_MARK: Register = Register { class: Class::Predicate, index: u32::MAX, mutable: true };
