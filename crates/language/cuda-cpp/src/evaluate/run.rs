//! Evaluates expressions, calls and statements. `None` ends the evaluation: the expression is not constant.

use super::{CALLS, FUNCTION, Interpreter, arithmetic, compare, convert};
use crate::syntax::BinaryOperator;
use crate::typed::*;
use crate::types::TypeId;

/// Control flow after a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Next,
    Break,
    Continue,
    Return,
}

impl Interpreter<'_> {
    pub(super) fn spend(&mut self) -> Option<()> {
        self.analyzer.fuel = self.analyzer.fuel.checked_sub(1)?;
        Some(())
    }

    /// Evaluates an expression for its effects.
    pub(super) fn run(&mut self, value: &Typed) -> Option<()> {
        match &value.kind {
            TypedKind::Assign(object, new) if self.is_aggregate(object.ty) => {
                let size = self.analyzer.types.size(object.ty);
                let temporary = self.object(size)?;
                self.initialize(new, temporary)?;
                let bytes = self.read(temporary, size)?.to_vec();
                let place = self.place(object)?;
                self.write(place, &bytes)
            }
            TypedKind::InitializeAt(pointer, new) => {
                let place = self.scalar(pointer)?;
                self.initialize(new, place)
            }
            TypedKind::Call(function, arguments)
                if self.is_aggregate(value.ty) || value.ty == TypeId::VOID =>
            {
                let size = self.analyzer.types.size(value.ty);
                let place = self.object(size)?;
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.argument(argument)?);
                }
                self.call(*function, values, place).map(|_| ())
            }
            _ if self.is_aggregate(value.ty) => {
                let size = self.analyzer.types.size(value.ty);
                let place = self.object(size)?;
                if value.lvalue {
                    self.place(value).map(|_| ())
                } else {
                    self.initialize(value, place)
                }
            }
            _ if value.lvalue
                && !matches!(
                    value.kind,
                    TypedKind::Assign(..)
                        | TypedKind::CompoundAssign(..)
                        | TypedKind::Increment(..)
                ) =>
            {
                self.place(value).map(|_| ())
            }
            _ => self.scalar(value).map(|_| ()),
        }
    }

    /// The value of a scalar expression.
    pub(super) fn scalar(&mut self, value: &Typed) -> Option<u64> {
        self.spend()?;
        let ty = value.ty;
        match &value.kind {
            TypedKind::Constant(bits) => Some(*bits),
            TypedKind::Load(object) => self.value_at(object),
            TypedKind::AddressOf(object) => self.place(object),
            TypedKind::Unary(operator, a) => {
                let a = self.scalar(a)?;
                let types = &self.analyzer.types;
                Some(match operator {
                    NumberOperator::Not => u64::from(a == 0),
                    NumberOperator::Complement => types.normalize(ty, !a),
                    NumberOperator::Negate if ty == TypeId::FLOAT => a ^ 0x8000_0000,
                    NumberOperator::Negate if types.is_float(ty) => a ^ 1 << 63,
                    NumberOperator::Negate => types.normalize(ty, a.wrapping_neg()),
                })
            }
            TypedKind::Binary(operator, a, b) => {
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                arithmetic(&self.analyzer.types, *operator, a, b, ty)
            }
            TypedKind::Compare(operator, a, b) => {
                let operand = a.ty;
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                Some(u64::from(compare(&self.analyzer.types, *operator, a, b, operand)))
            }
            TypedKind::PointerAdd(pointer, index, size) => {
                let (pointer, index) = (self.scalar(pointer)?, self.scalar(index)?);
                let offset = (index as i64).checked_mul(*size)?;
                let sum = i64::from(pointer as u32).checked_add(offset)?;
                (0..=i64::from(u32::MAX)).contains(&sum).then_some(pointer >> 32 << 32 | sum as u64)
            }
            TypedKind::PointerDifference(a, b, size) => {
                let (a, b) = (self.scalar(a)?, self.scalar(b)?);
                (a >> 32 == b >> 32)
                    .then(|| ((a as i64).wrapping_sub(b as i64) / (*size).max(1) as i64) as u64)
            }
            TypedKind::Logical(and, a, b) => {
                let a = self.scalar(a)? != 0;
                if a != *and {
                    return Some(u64::from(a));
                }
                Some(u64::from(self.scalar(b)? != 0))
            }
            TypedKind::Conditional(condition, yes, no) => {
                let chosen = if self.scalar(condition)? != 0 { yes } else { no };
                if value.lvalue { self.value_at(chosen) } else { self.scalar(chosen) }
            }
            TypedKind::Comma(first, second) => {
                self.run(first)?;
                if value.lvalue { self.value_at(second) } else { self.scalar(second) }
            }
            TypedKind::Convert(inner) => {
                let from = inner.ty;
                let bits = self.scalar(inner)?;
                Some(convert(&self.analyzer.types, bits, from, ty))
            }
            TypedKind::Reinterpret(inner) => {
                let pointer =
                    self.analyzer.types.is_pointer(inner.ty) != self.analyzer.types.is_pointer(ty);
                let bits = self.scalar(inner)?;
                (!pointer || bits == 0).then(|| self.analyzer.types.normalize(ty, bits))
            }
            TypedKind::Assign(object, new) => {
                let new = self.scalar(new)?;
                self.assign_to(object, new)?;
                Some(new)
            }
            TypedKind::CompoundAssign(operator, object, right, common) => {
                let right = self.scalar(right)?;
                let old = self.value_at(object)?;
                let new = if self.analyzer.types.is_pointer(object.ty) {
                    let offset = if *operator == BinaryOperator::Subtract {
                        right.wrapping_neg()
                    } else {
                        right
                    };
                    let sum = i64::from(old as u32).checked_add(offset as i64)?;
                    (0..=i64::from(u32::MAX))
                        .contains(&sum)
                        .then_some(old >> 32 << 32 | sum as u64)?
                } else {
                    let types = &self.analyzer.types;
                    let wide = convert(types, old, object.ty, *common);
                    let result = arithmetic(types, *operator, wide, right, *common)?;
                    convert(types, result, *common, object.ty)
                };
                self.assign_to(object, new)?;
                Some(new)
            }
            TypedKind::Increment(object, amount, postfix) => {
                let old = self.value_at(object)?;
                let types = &self.analyzer.types;
                let new = if types.is_float(object.ty) {
                    let one = convert(types, *amount as u64, TypeId::LONG, object.ty);
                    arithmetic(types, BinaryOperator::Add, old, one, object.ty)?
                } else {
                    types.normalize(object.ty, old.wrapping_add(*amount as u64))
                };
                self.assign_to(object, new)?;
                Some(if *postfix { old } else { new })
            }
            TypedKind::Call(function, arguments) => {
                if let Some((kind, text)) =
                    self.analyzer.functions.get(function.0 as usize)?.intrinsic.clone()
                {
                    return self.intrinsic(&kind, &text, arguments, ty);
                }
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.argument(argument)?);
                }
                self.call(*function, values, 0)
            }
            TypedKind::CallIndirect(pointer, arguments) => {
                let pointer = self.scalar(pointer)?;
                if pointer & FUNCTION == 0 {
                    return None;
                }
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.argument(argument)?);
                }
                self.call(FunctionNumber(pointer as u32), values, 0)
            }
            TypedKind::InitializeAt(pointer, new) => {
                let place = self.scalar(pointer)?;
                self.initialize(new, place)?;
                Some(place)
            }
            _ if value.lvalue => self.value_at(value),
            _ => None,
        }
    }

    /// Evaluates the intrinsics that constant expressions use.
    fn intrinsic(
        &mut self,
        kind: &str,
        text: &str,
        arguments: &[Typed],
        ty: TypeId,
    ) -> Option<u64> {
        if kind != "op" {
            return None;
        }
        let mut values = Vec::new();
        for argument in arguments {
            values.push(self.scalar(argument)?);
        }
        let value = *values.first()?;
        let float = self.analyzer.types.is_float(ty);
        let as_float = |bits: u64| {
            if ty == TypeId::FLOAT {
                f64::from(f32::from_bits(bits as u32))
            } else {
                f64::from_bits(bits)
            }
        };
        let result = match text {
            "bits" => return Some(self.analyzer.types.normalize(ty, value)),
            "popc" => return Some(u64::from(value.count_ones())),
            "fabs" if float => as_float(value).abs(),
            "fmax" if float => as_float(value).max(as_float(*values.get(1)?)),
            "fmin" if float => as_float(value).min(as_float(*values.get(1)?)),
            "sqrt" if float => as_float(value).sqrt(),
            "floor" if float => as_float(value).floor(),
            "ceil" if float => as_float(value).ceil(),
            _ => return None,
        };
        Some(if ty == TypeId::FLOAT {
            u64::from((result as f32).to_bits())
        } else {
            result.to_bits()
        })
    }

    /// Calls a function. A returned object is initialized at `target`.
    pub(super) fn call(
        &mut self,
        function: FunctionNumber,
        values: Vec<u64>,
        target: u64,
    ) -> Option<u64> {
        if self.calls >= CALLS {
            return None;
        }
        self.analyzer.ready(function)?;
        let body = self.analyzer.functions.get(function.0 as usize)?.body.clone()?;
        let mut locals = Vec::with_capacity(body.locals.len());
        for local in &body.locals {
            let size = self.analyzer.types.size(local.ty).max(8);
            locals.push(self.object(size)?);
        }
        for (parameter, value) in body.parameters.iter().zip(values) {
            let local = body.locals.get(parameter.0 as usize)?;
            if self.is_aggregate(local.ty) {
                // The caller has already copied the argument.
                *locals.get_mut(parameter.0 as usize)? = value;
            } else {
                let place = *locals.get(parameter.0 as usize)?;
                self.write(place, &value.to_le_bytes())?;
            }
        }
        let outer = self.locals.replace(locals);
        let outer_target = std::mem::replace(&mut self.target, target);
        self.calls += 1;
        let after = self.statements(&body.statements);
        self.calls -= 1;
        self.locals = outer;
        self.target = outer_target;
        match after? {
            After::Return => Some(self.returned),
            After::Next => Some(0),
            _ => None,
        }
    }

    fn statements(&mut self, list: &[TypedStatement]) -> Option<After> {
        for statement in list {
            let after = self.statement(statement)?;
            if after != After::Next {
                return Some(after);
            }
        }
        Some(After::Next)
    }

    fn statement(&mut self, statement: &TypedStatement) -> Option<After> {
        self.spend()?;
        match &statement.kind {
            TypedStatementKind::Expression(value) => self.run(value)?,
            TypedStatementKind::Declare(local, value) => {
                if let Some(value) = value {
                    let place = *self.locals.as_ref()?.get(local.0 as usize)?;
                    self.initialize(value, place)?;
                }
            }
            TypedStatementKind::Block(list) => return self.statements(list),
            TypedStatementKind::If(condition, then, otherwise) => {
                if self.scalar(condition)? != 0 {
                    return self.statement(then);
                }
                if let Some(otherwise) = otherwise {
                    return self.statement(otherwise);
                }
            }
            TypedStatementKind::Loop { before, condition, step, body, body_first, .. } => {
                let mut first = *body_first;
                loop {
                    self.spend()?;
                    if let Some(before) = before {
                        self.statement(before)?;
                    }
                    if !std::mem::take(&mut first)
                        && let Some(condition) = condition
                        && self.scalar(condition)? == 0
                    {
                        break;
                    }
                    match self.statement(body)? {
                        After::Break => break,
                        After::Return => return Some(After::Return),
                        _ => {}
                    }
                    if let Some(step) = step {
                        self.run(step)?;
                    }
                }
            }
            TypedStatementKind::Switch(value, body) => {
                let bits = self.scalar(value)?;
                let TypedStatementKind::Block(list) = &body.kind else { return None };
                let list = match list.as_slice() {
                    [TypedStatement { kind: TypedStatementKind::Block(inner), .. }] => inner,
                    _ => list,
                };
                let fits = |statement: &TypedStatement| match statement.kind {
                    TypedStatementKind::Case(low, high) => {
                        low == bits || (low..=high).contains(&bits)
                    }
                    _ => false,
                };
                let start = list.iter().position(fits).or_else(|| {
                    list.iter()
                        .position(|statement| matches!(statement.kind, TypedStatementKind::Default))
                });
                if let Some(start) = start {
                    match self.statements(&list[start..])? {
                        After::Break | After::Next => {}
                        after => return Some(after),
                    }
                }
            }
            TypedStatementKind::Case(..)
            | TypedStatementKind::Default
            | TypedStatementKind::Guard(_)
            | TypedStatementKind::EndGuards(_) => {}
            TypedStatementKind::Break => return Some(After::Break),
            TypedStatementKind::Continue => return Some(After::Continue),
            TypedStatementKind::Return(value, _) => {
                if let Some(value) = value {
                    if self.is_aggregate(value.ty) {
                        let target = self.target;
                        self.initialize(value, target)?;
                    } else {
                        self.returned = self.scalar(value)?;
                    }
                }
                return Some(After::Return);
            }
            TypedStatementKind::Try(..)
            | TypedStatementKind::Raise
            | TypedStatementKind::Goto(..)
            | TypedStatementKind::Label(_)
            | TypedStatementKind::Asm(..) => return None,
        }
        Some(After::Next)
    }
}
