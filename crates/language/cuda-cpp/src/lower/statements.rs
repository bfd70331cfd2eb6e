//! Lowers statements.

use super::{FunctionLowering, LocalPlace, SwitchCases};
use crate::typed::*;
use lanework_ssa as ssa;
use ssa::{BlockId, IntegerCondition, UnrollHint, ValueConversion, ValueType};

impl FunctionLowering<'_, '_> {
    pub(super) fn statements(&mut self, list: &[TypedStatement]) {
        for statement in list {
            self.statement(statement);
        }
    }

    pub(super) fn statement(&mut self, statement: &TypedStatement) {
        self.at(statement.span);
        match &statement.kind {
            TypedStatementKind::Expression(value) => self.effect(value),
            TypedStatementKind::Declare(local, value) => self.declare(*local, value.as_ref()),
            TypedStatementKind::Block(list) => {
                let end = self.module.last_line(statement.span);
                self.block_ends.push(end);
                self.statements(list);
                self.block_ends.pop();
            }
            TypedStatementKind::If(condition, then, otherwise) => {
                let (yes, no, after) =
                    (self.b.create_block(), self.b.create_block(), self.b.create_block());
                self.condition(condition, yes, no);
                self.b.seal_block(yes);
                self.b.seal_block(no);
                self.b.switch_to_block(yes);
                self.statement(then);
                if !self.b.is_terminated() {
                    self.b.jump(after, &[]);
                }
                self.b.switch_to_block(no);
                if let Some(otherwise) = otherwise {
                    self.statement(otherwise);
                }
                if !self.b.is_terminated() {
                    self.b.jump(after, &[]);
                }
                self.b.seal_block(after);
                self.b.switch_to_block(after);
            }
            TypedStatementKind::Loop { before, condition, step, body, body_first, unroll } => {
                self.loop_statement(
                    before.as_deref(),
                    condition.as_ref(),
                    step.as_ref(),
                    body,
                    *body_first,
                    *unroll,
                );
            }
            TypedStatementKind::Switch(value, body) => self.switch(value, body),
            TypedStatementKind::Case(low, high) => {
                let block = self.b.create_block();
                self.fall_into(block);
                if let Some(switch) = self.switches.last_mut() {
                    switch.cases.push((*low, *high, block));
                }
            }
            TypedStatementKind::Default => {
                let block = self.b.create_block();
                self.fall_into(block);
                if let Some(switch) = self.switches.last_mut() {
                    switch.default = Some(block);
                }
            }
            TypedStatementKind::Break => {
                if let Some(&block) = self.breaks.last() {
                    self.b.jump(block, &[]);
                }
            }
            TypedStatementKind::Continue => {
                if let Some(&block) = self.continues.last() {
                    self.b.jump(block, &[]);
                }
            }
            TypedStatementKind::Return(value, cleanups) => {
                self.return_statement(value.as_ref(), cleanups)
            }
            TypedStatementKind::Goto(label, open) => self.goto(*label, open),
            TypedStatementKind::Label(label) => {
                let block = self.label(*label);
                self.fall_into(block);
            }
            TypedStatementKind::Guard(list) => self.guard(list),
            TypedStatementKind::EndGuards(count) => self.end_guards(*count),
            TypedStatementKind::Try(body, handlers) => self.try_statement(body, handlers),
            TypedStatementKind::Raise => self.raise(),
            TypedStatementKind::Asm(asm, outputs, inputs) => {
                self.asm(asm, outputs, inputs, statement.span)
            }
        }
    }

    /// Continues in a block to which the current block falls through.
    fn fall_into(&mut self, block: BlockId) {
        if !self.b.is_terminated() {
            self.b.jump(block, &[]);
        }
        self.b.switch_to_block(block);
    }

    /// Destroys the objects of the blocks that the jump leaves, and jumps.
    fn goto(&mut self, label: u32, open: &[(u32, TypedStatement)]) {
        let body = self.body.clone();
        let kept = body.labels.get(&label).map_or(&[][..], Vec::as_slice);
        let common = open.iter().zip(kept).take_while(|((a, _), b)| a == *b).count();
        for (_, cleanup) in open[common..].iter().rev() {
            self.statement(cleanup);
        }
        let block = self.label(label);
        if !self.b.is_terminated() {
            self.b.jump(block, &[]);
        }
    }

    fn label(&mut self, label: u32) -> BlockId {
        if let Some(&known) = self.labels.get(&label) {
            return known;
        }
        let block = self.b.create_block();
        self.labels.insert(label, block);
        block
    }

    fn declare(&mut self, local: LocalNumber, value: Option<&Typed>) {
        let place = self.local_place(local);
        let ty = self.body.locals[local.0 as usize].ty;
        match (place, value) {
            (LocalPlace::Memory(address), Some(value)) => {
                if self.is_aggregate(ty) {
                    self.initialize(value, address);
                } else {
                    let scalar = self.scalar(value);
                    self.store(address, ty, scalar);
                }
            }
            (LocalPlace::Variable(variable), Some(value)) => {
                let scalar = self.scalar(value);
                self.b.define_variable(variable, scalar);
            }
            // Forget the value of an earlier iteration.
            (LocalPlace::Variable(variable), None) => {
                let kind = self.scalar_type(ty);
                let value = self.b.undefined(kind);
                self.b.define_variable(variable, value);
            }
            (LocalPlace::Memory(_), None) => {}
        }
    }

    /// Branches on a condition. `&&` and `||` become separate branches.
    fn condition(&mut self, condition: &Typed, yes: BlockId, no: BlockId) {
        match &condition.kind {
            TypedKind::Logical(and, a, b) => {
                let middle = self.b.create_block();
                if *and {
                    self.condition(a, middle, no);
                } else {
                    self.condition(a, yes, middle);
                }
                self.b.seal_block(middle);
                self.b.switch_to_block(middle);
                self.condition(b, yes, no);
            }
            TypedKind::Unary(NumberOperator::Not, inner) => self.condition(inner, no, yes),
            _ => {
                let value = self.scalar(condition);
                self.b.branch(value, yes, no);
            }
        }
    }

    fn loop_statement(
        &mut self,
        before: Option<&TypedStatement>,
        condition: Option<&Typed>,
        step: Option<&Typed>,
        body: &TypedStatement,
        body_first: bool,
        unroll: UnrollCount,
    ) {
        let (header, inside, next, after) = (
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
            self.b.create_block(),
        );
        let hint = match unroll {
            UnrollCount::Automatic => UnrollHint::Automatic,
            UnrollCount::Full => UnrollHint::Full,
            UnrollCount::By(count) => UnrollHint::Count(count.max(1)),
        };
        self.breaks.push(after);
        self.continues.push(next);
        let first = if body_first { inside } else { header };
        self.b.jump(first, &[]);
        if !body_first {
            self.b.set_unroll(header, hint);
            self.b.switch_to_block(header);
            self.test(before, condition, inside, after);
            self.b.seal_block(inside);
        } else {
            self.b.set_unroll(inside, hint);
        }
        self.b.switch_to_block(inside);
        self.statement(body);
        if !self.b.is_terminated() {
            self.b.jump(next, &[]);
        }
        self.b.seal_block(next);
        self.b.switch_to_block(next);
        if let Some(step) = step {
            self.effect(step);
        }
        if body_first {
            self.test(before, condition, inside, after);
            self.b.seal_block(inside);
            self.b.seal_block(header);
        } else {
            self.b.jump(header, &[]);
            self.b.seal_block(header);
        }
        self.b.seal_block(after);
        self.breaks.pop();
        self.continues.pop();
        self.b.switch_to_block(after);
    }

    fn test(
        &mut self,
        before: Option<&TypedStatement>,
        condition: Option<&Typed>,
        yes: BlockId,
        no: BlockId,
    ) {
        if let Some(before) = before {
            self.statement(before);
        }
        match condition {
            Some(condition) => {
                self.at(condition.span);
                self.condition(condition, yes, no);
            }
            None => self.b.jump(yes, &[]),
        }
    }

    fn switch(&mut self, value: &Typed, body: &TypedStatement) {
        let ty = value.ty;
        let value = self.scalar(value);
        let (dispatch, after) = (self.b.create_block(), self.b.create_block());
        self.b.jump(dispatch, &[]);
        self.b.seal_block(dispatch);
        self.switches.push(SwitchCases::default());
        self.breaks.push(after);
        // Statements before the first label are unreachable.
        self.statement(body);
        if !self.b.is_terminated() {
            self.b.jump(after, &[]);
        }
        self.breaks.pop();
        let switch = self.switches.pop().unwrap_or_default();
        self.b.switch_to_block(dispatch);
        let bits = self.b.value_type(value).bits();
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let default = switch.default.unwrap_or(after);
        let mut cases = Vec::new();
        for &(low, high, block) in &switch.cases {
            if high.wrapping_sub(low) < 64 {
                cases.extend(
                    (0..=high.wrapping_sub(low)).map(|at| (low.wrapping_add(at) & mask, block)),
                );
                continue;
            }
            // A wide range becomes a comparison.
            let next = self.b.create_block();
            let kind = self.b.value_type(value);
            let base = self.b.constant(kind, low);
            let limit = self.b.constant(kind, high.wrapping_sub(low));
            let distance = self.b.integer(ssa::IntegerBinary::Subtract, value, base);
            let inside =
                self.b.compare_integers(IntegerCondition::LessOrEqualUnsigned, distance, limit);
            self.b.branch(inside, block, next);
            self.b.seal_block(next);
            self.b.switch_to_block(next);
        }
        let _ = ty;
        self.b.switch(value, &cases, default);
        for (_, _, block) in switch.cases {
            self.b.seal_block(block);
        }
        if let Some(block) = switch.default {
            self.b.seal_block(block);
        }
        self.b.seal_block(after);
        self.b.switch_to_block(after);
    }

    fn return_statement(&mut self, value: Option<&Typed>, cleanups: &[TypedStatement]) {
        let Some(value) = value else {
            self.statements(cleanups);
            if self.is_kernel {
                self.b.return_values(&[])
            } else {
                self.return_default()
            }
            return;
        };
        if let Some(target) = self.target {
            if self.named_result.is_none() {
                self.initialize(value, target);
            }
            self.return_cleanups(cleanups);
            self.b.return_values(&[]);
            return;
        }
        let scalar = self.scalar(value);
        self.statements(cleanups);
        let wanted = self.scalar_type(self.result);
        let scalar = if self.b.value_type(scalar) == wanted {
            scalar
        } else if wanted == ValueType::POINTER {
            self.b.generic(scalar)
        } else {
            self.b.convert(ValueConversion::Reinterpret, scalar, wanted)
        };
        self.b.return_values(&[scalar]);
    }
}
