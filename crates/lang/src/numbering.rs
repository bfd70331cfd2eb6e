//! Value numbering: a pure computation is done once within the structured scope that encloses it.
//!
//! Mutable variables carry a version that every assignment raises; the head of a loop raises that
//! of all of them, because the loop's end may have assigned them.

use crate::builder::{Builder, Computation, Scope};
use crate::value::{Class, Register, Value};
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

    /// The version that the innermost loop's start gave every variable.
    fn loop_version(&self) -> u64 {
        self.versions.get(&LOOP_MARK).copied().unwrap_or(0)
    }

    /// The value of a computation done in an enclosing scope.
    pub fn known(&self, key: &Computation) -> Option<Value> {
        self.scopes.iter().rev().find_map(|scope| scope.get(key)).copied()
    }

    /// Remembers a computation for the rest of this scope.
    pub fn remember(&mut self, key: Computation, value: Value) {
        if !self.dead {
            self.scopes.last_mut().expect("the outermost scope stays").insert(key, value);
        }
    }

    /// Opens a scope whose computations are forgotten at its end.
    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Closes a scope and returns what was computed in it.
    pub fn leave(&mut self) -> Scope {
        self.scopes.pop().expect("entered before")
    }

    /// Keeps what a closed scope computed, because it always runs.
    pub fn keep(&mut self, scope: Scope) {
        self.scopes.last_mut().expect("the outermost scope stays").extend(scope);
    }

    /// Closes a scope that ends at `label`: where jumps arrive, what they skipped is not known.
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

/// Not a register: its version is that of the innermost loop.
const LOOP_MARK: Register = Register { class: Class::Predicate, index: u32::MAX, mutable: true };
