//! Bounds checks: one comparison and one branch inline. The code that reports a failure is out of line, at the
//! kernel's end.

use crate::emit::builder::Builder;
use crate::emit::frames::{Failure, Flight, Line};
use crate::emit::value::{Index, Register, Value};
use crate::scalar::compare::{Relation, relate};
use lanework_abi::{CheckSite, IndexKind};
use lanework_ptx::{Guard, Instruction, Operand, ScalarType, Statement};

/// The name of the parameter that holds the fault record's address.
pub(crate) const FAULT_PARAMETER: &str = "fault_record";

impl Builder {
    /// Checks that `index` is below `length` (a `u64`) unless the kernel is staged unchecked.
    pub fn check(&mut self, index: Index, length: Value, array: &str, what: IndexKind) {
        if let (Some(known), Value::Constant(length)) = (index.known(), length) {
            if known < 0 || known >= i128::from(length) {
                self.error(
                    format!("index {known} is out of range: `{array}` has {length} elements here"),
                    "the index and the extent are both known while staging; correct one of them",
                );
            }
            return;
        }
        if !self.checked || self.dead {
            return;
        }
        let key = self.computation("check", [index.value, length].into_iter());
        if self.known(&key).is_some() {
            return;
        }
        let outside = match length {
            // With a small extent the comparison is 32-bit and unsigned: a negative index compares
            // as a large one.
            Value::Constant(extent) if extent <= 1 << 31 && index.ty.size() < 8 => {
                relate(self, Relation::Ge, ScalarType::U32, index.value, Value::Constant(extent))
            }
            _ => {
                let wide = index.widened(self);
                relate(self, Relation::Ge, ScalarType::U64, wide, length)
            }
        };
        let (file, line, column) = self.source();
        let array = array.to_owned();
        self.sites.push(CheckSite { file, line, column, array, what });
        let label = self.label("out_of_range");
        if let Value::Register(predicate) = outside {
            self.jump_if(predicate, false, &label);
        }
        self.failures.push(Failure { label, site: self.sites.len(), index, length });
        self.remember(key, Value::Constant(0));
    }

    /// The end of a waiting loop: jumps to `head` if `predicate` is set (or clear, if `negated`).
    ///
    /// In a checked kernel, a thread whose check fails exits without the arrival that other threads wait for, so
    /// waits also end once the fault record has been taken.
    pub fn wait_while(&mut self, predicate: Register, negated: bool, head: &str) {
        if !self.checked {
            self.jump_if(predicate, negated, head);
            return;
        }
        let done = self.label("waited");
        self.jump_if(predicate, !negated, &done);
        let record = self.register(ScalarType::U64, false);
        let name = |r: Register| Operand::Name(r.name());
        self.emit("ld.param.u64", vec![name(record), Operand::address(FAULT_PARAMETER, 0)]);
        self.emit("cvta.to.global.u64", vec![name(record), name(record)]);
        let taken = self.register(ScalarType::U32, false);
        self.emit("ld.volatile.global.u32", vec![name(taken), Operand::address(record.name(), 0)]);
        let free = self.register(ScalarType::Pred, false);
        self.emit("setp.eq.u32", vec![name(free), name(taken), Operand::integer(0)]);
        self.jump_if(free, false, head);
        self.emit("exit", vec![]);
        self.dead = true;
        self.place(&done);
    }

    /// Appends the out-of-line code of all checks.
    pub fn finish_checks(&mut self) {
        if self.failures.is_empty() {
            return;
        }
        // The code below ends the thread.
        self.flight = Flight::default();
        // Values computed after a check are not known on its failure path.
        self.scopes = vec![std::collections::HashMap::new()];
        let (site, index, length, record) = (
            self.register(ScalarType::U32, true),
            self.register(ScalarType::U64, true),
            self.register(ScalarType::U64, true),
            self.register(ScalarType::U64, false),
        );
        let report = self.label("report");
        for failure in std::mem::take(&mut self.failures) {
            self.enter();
            self.dead = false;
            self.place(&failure.label);
            let wide = failure.index.widened(self);
            self.assign(site, Value::Constant(failure.site as u64), ScalarType::U32);
            self.assign(index, wide, ScalarType::U64);
            self.assign(length, failure.length, ScalarType::U64);
            self.jump(&report);
            self.leave();
        }
        self.place(&report);
        let name = |r: Register| Operand::Name(r.name());
        let parameter = Operand::address(FAULT_PARAMETER, 0);
        self.emit("ld.param.u64", vec![name(record), parameter]);
        self.emit("cvta.to.global.u64", vec![name(record), name(record)]);
        let first = self.register(ScalarType::U32, false);
        let at = |offset| Operand::address(record.name(), offset);
        let (zero, one) = (Operand::integer(0), Operand::integer(1));
        self.emit("atom.global.cas.b32", vec![name(first), at(0), zero.clone(), one]);
        let late = self.register(ScalarType::Pred, false);
        self.emit("setp.ne.u32", vec![name(late), name(first), zero]);
        let mut exit = Instruction::new("exit", vec![]);
        exit.guard = Some(Guard { register: late.name(), negated: false });
        self.push(Line::Statement(Statement::Instruction(exit)));
        self.emit("st.global.u32", vec![at(4), name(site)]);
        self.emit("st.global.u64", vec![at(8), name(index)]);
        self.emit("st.global.u64", vec![at(16), name(length)]);
        let position = ["%ctaid.x", "%ctaid.y", "%ctaid.z", "%tid.x", "%tid.y", "%tid.z"];
        for (word, special) in position.into_iter().enumerate() {
            let value = self.register(ScalarType::U32, false);
            self.emit("mov.u32", vec![name(value), Operand::from(special)]);
            self.emit("st.global.u32", vec![at(24 + 4 * word as i64), name(value)]);
        }
        self.emit("exit", vec![]);
        self.dead = true;
    }
}
