//! Ends of lifetimes: temporary objects at the end of the expression that creates them, and all objects that an
//! exception leaves behind.
//!
//! A stack lists the cleanups that are due. The landing pad of a cleanup is the block to which an exception jumps: it runs
//! the cleanup, then jumps to the pad of the next one.

use super::{Cleanup, Due, FunctionLowering, OpenExpression};
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use lanework_ssa as ssa;
use ssa::{BlockId, IntegerCondition, MemoryFlags, SlotId, ValueId, ValueType, VariableId};

impl FunctionLowering<'_, '_> {
    /// Lowers a full expression with `f`, then destroys its temporary objects.
    pub(super) fn full<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let no = self.b.bool(false);
        let first = self.due.len();
        let (start, depth) = (self.b.current_block(), self.depth);
        self.open.push(OpenExpression { start, no, depth });
        let result = f(self);
        self.open.pop();
        while self.due.len() > first {
            let Some(due) = self.due.pop() else { break };
            if let Cleanup::Temporary(slot, ty, exists) = due.cleanup {
                self.destroy_temporary(slot, ty, exists);
            }
            self.landing(due);
        }
        result
    }

    /// Lowers with `f` a part of the open expression that may not execute, such as one side of `?:`.
    pub(super) fn conditionally<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// A temporary object that `initialize` creates.
    pub(super) fn temporary(
        &mut self,
        ty: TypeId,
        initialize: impl FnOnce(&mut Self, ValueId),
    ) -> ValueId {
        let (size, align) = (self.types().size(ty), self.types().align(ty));
        let slot = self.b.create_slot(size.max(1), align.max(1) as u32);
        let address = self.b.slot_address(slot);
        let address = self.b.generic(address);
        initialize(self, address);
        self.destroy_later(slot, ty);
        address
    }

    fn destroy_later(&mut self, slot: SlotId, ty: TypeId) {
        if self.destructor(ty).is_none() {
            return;
        }
        let Some(open) = self.open.last() else { return };
        let (start, no) = (open.start, open.no);
        let mut exists = None;
        if self.depth > open.depth
            && let Some(start) = start
        {
            let variable = self.b.declare_variable(ValueType::I1);
            let yes = self.b.bool(true);
            let here = self.b.current_block();
            self.b.switch_to_block(start);
            self.b.define_variable(variable, no);
            if let Some(here) = here {
                self.b.switch_to_block(here);
            }
            self.b.define_variable(variable, yes);
            exists = Some(variable);
        }
        let cleanup = Cleanup::Temporary(slot, ty, exists);
        self.due.push(Due { cleanup, pad: None });
    }

    /// The destructor that objects of a type need, if any. For an array: its elements' destructor, their number and their size.
    fn destructor(&self, ty: TypeId) -> Option<(FunctionNumber, u64, u64)> {
        match self.types().kind(ty) {
            TypeKind::Array(element, Some(count)) => {
                let (function, inner, size) = self.destructor(*element)?;
                Some((function, inner * count, size))
            }
            TypeKind::Record(record) => {
                let function = self.module.analyzer.known_destructor(*record)?;
                Some((function, 1, self.types().size(ty)))
            }
            _ => None,
        }
    }

    fn destroy_temporary(&mut self, slot: SlotId, ty: TypeId, exists: Option<VariableId>) {
        let Some((function, count, size)) = self.destructor(ty) else { return };
        let id = self.module.function(function);
        let destroy = |this: &mut Self| {
            let address = this.b.slot_address(slot);
            let address = this.b.generic(address);
            for at in (0..count).rev() {
                let object = this.b.pointer_offset(address, (at * size) as i64);
                this.b.call(id, &[], &[object]);
            }
        };
        match exists {
            Some(variable) => {
                let exists = self.b.use_variable(variable);
                self.either(exists, destroy, |_| {});
            }
            None => destroy(self),
        }
    }

    /// The block that an exception jumps to.
    fn pad(&mut self) -> BlockId {
        let known = match self.due.last() {
            Some(due) => due.pad,
            None => self.leave,
        };
        if let Some(known) = known {
            return known;
        }
        let block = self.b.create_block();
        match self.due.last_mut() {
            Some(due) => due.pad = Some(block),
            None => self.leave = Some(block),
        }
        block
    }

    /// Writes the landing pad of a cleanup that was just removed from the stack.
    fn landing(&mut self, due: Due) {
        let Some(pad) = due.pad else { return };
        let open = self.b.current_block();
        self.b.seal_block(pad);
        self.b.switch_to_block(pad);
        let pending = self.pending();
        let held = pending.map(|place| {
            // Functions that the cleanup calls must not see the exception.
            let held = self.b.load(ValueType::I64, place, MemoryFlags::aligned(8));
            let none = self.b.constant(ValueType::I64, 0);
            self.b.store(place, none, MemoryFlags::aligned(8));
            held
        });
        match due.cleanup {
            Cleanup::Statements(list) => self.statements(&list),
            Cleanup::Temporary(slot, ty, exists) => self.destroy_temporary(slot, ty, exists),
            Cleanup::Handlers => {}
        }
        if let Some(held) = held
            && let Some(place) = self.pending()
        {
            self.b.store(place, held, MemoryFlags::aligned(8));
        }
        self.raise();
        if let Some(open) = open {
            self.b.switch_to_block(open);
        }
    }

    /// The address of the exception being thrown.
    fn pending(&mut self) -> Option<ValueId> {
        let variable = self.module.analyzer.pending_exception()?;
        Some(self.variable_address(variable, crate::source::Span::default()))
    }

    /// Jumps to the innermost cleanup or handler.
    pub(super) fn raise(&mut self) {
        let pad = self.pad();
        self.b.jump(pad, &[]);
    }

    /// After a call: jumps to the landing pad if the function has thrown. `None`: the function is unknown, as in a call through
    /// a pointer.
    pub(super) fn check_exception(&mut self, function: Option<FunctionNumber>) {
        let throwing = &self.module.throwing;
        let may = function.map_or(!throwing.is_empty(), |function| throwing.contains(&function));
        if !may {
            return;
        }
        let Some(place) = self.pending() else { return };
        let pending = self.b.load(ValueType::I64, place, MemoryFlags::aligned(8));
        let none = self.b.constant(ValueType::I64, 0);
        let thrown = self.b.compare_integers(IntegerCondition::NotEqual, pending, none);
        let (pad, next) = (self.pad(), self.b.create_block());
        self.b.branch(thrown, pad, next);
        self.b.seal_block(next);
        self.b.switch_to_block(next);
    }

    /// Adds statements that an exception runs.
    pub(super) fn guard(&mut self, statements: &[TypedStatement]) {
        let cleanup = Cleanup::Statements(statements.to_vec());
        self.due.push(Due { cleanup, pad: None });
    }

    /// Removes the last guards.
    pub(super) fn end_guards(&mut self, count: usize) {
        for _ in 0..count {
            match self.due.pop() {
                Some(due) => self.landing(due),
                None => break,
            }
        }
    }

    /// Lowers a `try` block and its handlers.
    pub(super) fn try_statement(&mut self, body: &TypedStatement, handlers: &[TypedStatement]) {
        self.due.push(Due { cleanup: Cleanup::Handlers, pad: None });
        self.statement(body);
        let Some(pad) = self.due.pop().and_then(|due| due.pad) else { return };
        let after = self.b.create_block();
        if !self.b.is_terminated() {
            self.b.jump(after, &[]);
        }
        self.b.seal_block(pad);
        self.b.switch_to_block(pad);
        self.statements(handlers);
        if !self.b.is_terminated() {
            self.b.jump(after, &[]);
        }
        self.b.seal_block(after);
        self.b.switch_to_block(after);
    }

    /// Returns to the caller, which continues with the exception.
    pub(super) fn leave_by_exception(&mut self) {
        if let Some(leave) = self.leave.take() {
            self.b.seal_block(leave);
            self.b.switch_to_block(leave);
            self.return_default();
        }
    }

    /// Calls a virtual function: loads its address from the virtual table of the first argument's object.
    pub(super) fn call_virtual(
        &mut self,
        place: u64,
        arguments: &[Typed],
        value: &Typed,
        to: Option<ValueId>,
    ) -> Option<ValueId> {
        let (object, rest) = arguments.split_first()?;
        let object = self.scalar(object);
        let object = self.b.generic(object);
        let flags = MemoryFlags::aligned(8);
        let table = self.b.load(ValueType::POINTER, object, flags);
        let entry = self.b.pointer_offset(table, place as i64);
        let function = self.b.load(ValueType::POINTER, entry, flags);
        let entry = self.b.pointer_offset(table, place as i64 + 8);
        let distance = self.b.load(ValueType::I64, entry, flags);
        let this = self.b.pointer_add(object, distance);
        self.call_address(function, Some(this), rest, value, to)
    }
}
