//! Operators that change an object (assignment and increment), and the conditional operator.

use super::Analyzer;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};

impl Analyzer {
    /// `++` and `--` on any type.
    pub(super) fn increment_any(
        &mut self,
        operand: Typed,
        up: bool,
        postfix: bool,
        span: Span,
    ) -> Typed {
        if operand.ty == TypeId::ERROR {
            return self.bad(span);
        }
        if self.types.record_of(operand.ty).is_some() {
            let mut operands = vec![operand];
            if postfix {
                operands.push(self.constant(0, TypeId::INT, span));
            }
            let text = if up { "++" } else { "--" };
            return self.operator_call(text, operands, span).unwrap_or_else(|| self.bad(span));
        }
        if !self.check_assignable(&operand, span) {
            return self.bad(span);
        }
        if !self.types.is_arithmetic(operand.ty) && !self.types.is_pointer(operand.ty) {
            let shown = self.show(operand.ty);
            self.error(span, format!("{shown} cannot be incremented or decremented"));
            return self.bad(span);
        }
        self.increment(operand, if up { 1 } else { -1 }, postfix, span)
    }

    pub(in crate::analyze) fn increment(
        &mut self,
        operand: Typed,
        amount: i64,
        postfix: bool,
        span: Span,
    ) -> Typed {
        if self.types.record_of(operand.ty).is_some() {
            return self.operator_call("++", vec![operand], span).unwrap_or_else(|| self.bad(span));
        }
        let amount = match self.types.pointee(operand.ty) {
            Some(to) => amount.wrapping_mul(self.types.size(to) as i64),
            None => amount,
        };
        let ty = if postfix { self.types.bare(operand.ty) } else { operand.ty };
        self.mark_written(&operand);
        let kind = TypedKind::Increment(Box::new(operand), amount, postfix);
        Typed { kind, ty, lvalue: !postfix, expiring: false, span }
    }

    /// Reports an object that cannot be assigned to.
    fn check_assignable(&mut self, object: &Typed, span: Span) -> bool {
        if !object.lvalue {
            let problem = SourceProblem::error(span, "the left side cannot be assigned to");
            self.report(problem.label("not a variable"));
            return false;
        }
        if self.types.is_const(object.ty) {
            let problem = SourceProblem::error(span, "this is `const` and cannot be changed");
            let problem = match &object.kind {
                TypedKind::Local(local) => {
                    let found = self
                        .frame
                        .as_ref()
                        .and_then(|frame| frame.body.locals.get(local.0 as usize))
                        .cloned();
                    match found {
                        Some(found) => {
                            problem.note(found.span, format!("`{}` is declared here", found.name))
                        }
                        None => problem,
                    }
                }
                TypedKind::Dereference(_) => problem.label("the pointer's target is `const`"),
                _ => problem,
            };
            self.report(problem);
            return false;
        }
        if matches!(self.types.kind(object.ty), TypeKind::Array(..)) {
            let problem = SourceProblem::error(span, "an array cannot be assigned to");
            self.report(problem.help("assign its elements one by one"));
            return false;
        }
        true
    }

    /// `a = b` and `a op= b`.
    pub(super) fn assign(
        &mut self,
        operator: Option<BinaryOperator>,
        a: &Expression,
        b: &Expression,
        span: Span,
    ) -> Typed {
        let left = self.expression(a);
        if left.ty == TypeId::ERROR {
            self.expression(b);
            return self.bad(span);
        }
        if operator.is_none() && self.types.record_of(left.ty).is_some() {
            return self.assign_record(left, b, span);
        }
        if let Some(operator) = operator
            && (self.types.record_of(left.ty).is_some())
        {
            let right = self.expression(b);
            if right.ty == TypeId::ERROR {
                return self.bad(span);
            }
            let text = format!("{}=", operator.text());
            return match self.operator_call(&text, vec![left, right], span) {
                Some(call) => self.right_first(call),
                None => self.bad(span),
            };
        }
        if !self.check_assignable(&left, a.span) {
            self.expression(b);
            return self.bad(span);
        }
        let ty = left.ty;
        let Some(operator) = operator else {
            let bare = self.types.bare(ty);
            let Some(value) = self.initialize_from(bare, b, b.span) else { return self.bad(span) };
            self.mark_written(&left);
            let kind = TypedKind::Assign(Box::new(left), Box::new(value));
            return Typed { kind, ty, lvalue: true, expiring: false, span };
        };
        let right = self.expression(b);
        if right.ty == TypeId::ERROR {
            return self.bad(span);
        }
        let right = if self.types.record_of(right.ty).is_some() {
            match self.as_number(&right) {
                Some(right) => right,
                None => {
                    return self.no_operator(&format!("{}=", operator.text()), &left, &right, span);
                }
            }
        } else {
            self.operand(right)
        };
        self.compound(operator, left, right, span)
    }

    fn compound(
        &mut self,
        operator: BinaryOperator,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Typed {
        use BinaryOperator as B;
        let ty = left.ty;
        if let Some(to) = self.types.pointee(ty) {
            if !matches!(operator, B::Add | B::Subtract) || !self.types.is_integer(right.ty) {
                return self.no_operator(&format!("{}=", operator.text()), &left, &right, span);
            }
            let signed =
                if self.types.is_signed(right.ty) { TypeId::LONG } else { TypeId::UNSIGNED_LONG };
            let index = self.number_as(right, signed);
            let size = self.constant(self.types.size(to), signed, span);
            let offset = self.arithmetic(B::Multiply, index, size, signed, span);
            self.mark_written(&left);
            let kind = TypedKind::CompoundAssign(operator, Box::new(left), Box::new(offset), ty);
            return Typed { kind, ty, lvalue: true, expiring: false, span };
        }
        let fits = |this: &Self, ty: TypeId| {
            this.types.fundamental(ty).is_some() && !this.types.is_scoped(ty)
        };
        if !fits(self, ty) || !fits(self, right.ty) || self.types.is_enumeration(ty) {
            return self.no_operator(&format!("{}=", operator.text()), &left, &right, span);
        }
        let shift = matches!(operator, B::ShiftLeft | B::ShiftRight);
        let floats = self.types.is_float(ty) || self.types.is_float(right.ty);
        if floats && (shift || matches!(operator, B::Remainder | B::BitAnd | B::BitOr | B::BitXor))
        {
            return self.no_operator(&format!("{}=", operator.text()), &left, &right, span);
        }
        let (common, right) = if shift {
            let amount = self.types.promoted(right.ty);
            (self.types.promoted(ty), self.number_as(right, amount))
        } else {
            let common = self.types.common(ty, right.ty);
            (common, self.number_as(right, common))
        };
        self.mark_written(&left);
        let kind = TypedKind::CompoundAssign(operator, Box::new(left), Box::new(right), common);
        Typed { kind, ty, lvalue: true, expiring: false, span }
    }

    fn assign_record(&mut self, left: Typed, b: &Expression, span: Span) -> Typed {
        let listed = matches!(b.kind, ExpressionKind::List(_));
        let right = if listed {
            let ty = self.types.bare(left.ty);
            self.initialize_from(ty, b, b.span)
        } else {
            Some(self.expression(b))
        };
        match right {
            Some(right) => {
                let call = self.assign_typed(left, right, span);
                self.right_first(call)
            }
            None => self.bad(span),
        }
    }

    /// Evaluates the right operand of an assignment operator that a class defines before the left one, as C++17 says.
    fn right_first(&mut self, assignment: Typed) -> Typed {
        let Typed { kind, ty, lvalue, expiring, span } = assignment;
        let kind = match kind {
            TypedKind::Dereference(address) => {
                TypedKind::Dereference(Box::new(self.right_first(*address)))
            }
            TypedKind::Call(number, mut operands)
                if operands.len() == 2
                    && self.frame.is_some()
                    && !self.types.is_aggregate(operands[1].ty)
                    && operands.iter().all(has_effects) =>
            {
                let right = operands.remove(1);
                let local = self.add_local("right".to_owned(), right.ty, right.span);
                let place = self.local_place(local, right.span);
                operands.push(self.rvalue(place.clone()));
                let call = TypedKind::Call(number, operands);
                let call = Typed { kind: call, ty, lvalue, expiring, span };
                let first = TypedKind::Assign(Box::new(place.clone()), Box::new(right));
                let first = Typed { kind: first, ..place };
                TypedKind::Comma(Box::new(first), Box::new(call))
            }
            kind => kind,
        };
        Typed { kind, ty, lvalue, expiring, span }
    }

    /// Assigns a value to an object.
    pub(in crate::analyze) fn assign_typed(
        &mut self,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Typed {
        if right.ty == TypeId::ERROR || left.ty == TypeId::ERROR {
            return self.bad(span);
        }
        let ty = self.types.bare(left.ty);
        let record = self.types.record_of(ty);
        let implicit = record.is_some_and(|record| self.copies_implicitly(record, &right));
        if !implicit && record.is_some_and(|record| self.declares_assignment(record)) {
            let operands = vec![left.clone(), right.clone()];
            let found = self.trial(|this| this.operator_call("=", operands, span)).flatten();
            if let Some(found) = found {
                return found;
            }
        }
        if !self.check_assignable(&left, span) {
            return self.bad(span);
        }
        if let Some(record) = record
            && self.assigned_by_parts(ty)
        {
            let right = if self.types.bare(right.ty) == ty {
                right
            } else {
                match self.convert(right, ty, span) {
                    Some(right) => right,
                    None => return self.bad(span),
                }
            };
            let assigned = self.assign_by_supplied(left, right, record, span);
            return assigned.unwrap_or_else(|| self.bad(span));
        }
        // The compiler's own assignment copies the bytes, without a constructor.
        let same = record.is_some() && self.types.bare(right.ty) == ty;
        let value = if same { Some(self.rvalue(right)) } else { self.convert(right, ty, span) };
        let Some(value) = value else { return self.bad(span) };
        self.mark_written(&left);
        let kind = TypedKind::Assign(Box::new(left), Box::new(value));
        Typed { kind, ty, lvalue: true, expiring: false, span }
    }

    /// If the class of one object is a base of the other's class, returns both as objects of the base; else returns them unchanged.
    fn common_bases(&mut self, a: Typed, b: Typed) -> (Typed, Typed) {
        let records = self.types.record_of(a.ty).zip(self.types.record_of(b.ty));
        let Some((of_a, of_b)) = records.filter(|(of_a, of_b)| of_a != of_b) else {
            return (a, b);
        };
        if !a.lvalue || !b.lvalue {
            return (a, b);
        }
        if self.types.base_offset(of_a, of_b).is_some() {
            let base = self.as_base(a.clone(), of_b).unwrap_or(a);
            return (base, b);
        }
        if self.types.base_offset(of_b, of_a).is_some() {
            let base = self.as_base(b.clone(), of_a).unwrap_or(b);
            return (a, base);
        }
        (a, b)
    }

    pub(super) fn conditional(
        &mut self,
        condition: &Expression,
        yes: &Expression,
        no: &Expression,
        span: Span,
    ) -> Typed {
        let value = self.expression(condition);
        let condition = self.condition(value, condition.span);
        let (yes, no) = (self.expression(yes), self.expression(no));
        let Some(condition) = condition else { return self.bad(span) };
        if yes.ty == TypeId::ERROR || no.ty == TypeId::ERROR {
            return self.bad(span);
        }
        let (yes, no) = self.common_bases(yes, no);
        let constant = match condition.kind {
            TypedKind::Constant(bits) => Some(bits != 0),
            _ => None,
        };
        // If both sides are lvalues of the same type, the result is an lvalue.
        if yes.lvalue
            && no.lvalue
            && yes.ty == no.ty
            && !matches!(self.types.kind(yes.ty), TypeKind::Array(..))
        {
            if let Some(chosen) = constant {
                return if chosen { yes } else { no };
            }
            let ty = yes.ty;
            if self.types.is_aggregate(ty) {
                let (yes, no) = (self.address_of(yes), self.address_of(no));
                let pointer = yes.ty;
                let kind = TypedKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
                let address = Typed { kind, ty: pointer, lvalue: false, expiring: false, span };
                return self.dereference(address);
            }
            let kind = TypedKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
            return Typed { kind, ty, lvalue: true, expiring: false, span };
        }
        let Some(ty) = self.common_type(&yes, &no) else {
            let (a, b) = (self.show(yes.ty), self.show(no.ty));
            self.error(
                span,
                format!("the two values of `?:` have incompatible types: {a} and {b}"),
            );
            return self.bad(span);
        };
        if ty == TypeId::VOID {
            let kind = TypedKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
            return Typed { kind, ty, lvalue: false, expiring: false, span };
        }
        let (Some(yes), Some(no)) = (self.convert(yes, ty, span), self.convert(no, ty, span))
        else {
            return self.bad(span);
        };
        if let Some(chosen) = constant {
            return if chosen { yes } else { no };
        }
        let kind = TypedKind::Conditional(Box::new(condition), Box::new(yes), Box::new(no));
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    fn common_type(&mut self, yes: &Typed, no: &Typed) -> Option<TypeId> {
        let (a, b) = (self.types.decay(yes.ty), self.types.decay(no.ty));
        if a == b {
            return Some(a);
        }
        if self.types.fundamental(a).is_some_and(|kind| kind != BuiltinType::Void)
            && self.types.fundamental(b).is_some_and(|kind| kind != BuiltinType::Void)
            && !self.types.is_scoped(a)
            && !self.types.is_scoped(b)
        {
            return Some(self.types.common(a, b));
        }
        if self.types.record_of(a).is_some() || self.types.record_of(b).is_some() {
            let first = self.conversion(yes, b).is_some();
            let second = self.conversion(no, a).is_some();
            return match (first, second) {
                (true, false) => Some(b),
                (false, true) | (true, true) => Some(a),
                _ => None,
            };
        }
        if self.types.is_pointer(a)
            && (b == TypeId::NULL || matches!(no.kind, TypedKind::Constant(0)))
        {
            return Some(a);
        }
        if self.types.is_pointer(b)
            && (a == TypeId::NULL || matches!(yes.kind, TypedKind::Constant(0)))
        {
            return Some(b);
        }
        if self.types.is_pointer(a) && self.types.is_pointer(b) {
            let first = self.conversion(yes, b).is_some();
            return if first { Some(b) } else { self.conversion(no, a).map(|_| a) };
        }
        None
    }
}

/// Whether the order in which an operand and another one are evaluated may matter.
fn has_effects(operand: &Typed) -> bool {
    match &operand.kind {
        TypedKind::Constant(_)
        | TypedKind::Local(_)
        | TypedKind::Variable(_)
        | TypedKind::Function(_) => false,
        TypedKind::AddressOf(inner) | TypedKind::Field(inner, ..) | TypedKind::Convert(inner) => {
            has_effects(inner)
        }
        _ => true,
    }
}
