//! Operators that compute a value, on numbers, pointers and classes, and their constant folding.

use super::Analyzer;
use crate::lex::known;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};

impl Analyzer {
    fn is_overloadable(&self, value: &Typed) -> bool {
        matches!(self.types.kind(value.ty), TypeKind::Record(_) | TypeKind::Enumeration(_))
    }

    pub(super) fn unary(
        &mut self,
        operator: UnaryOperator,
        operand: &Expression,
        span: Span,
    ) -> Typed {
        if operator == UnaryOperator::AddressOf
            && let Some(pointer) = self.member_address(operand, span)
        {
            return pointer;
        }
        let operand = self.expression(operand);
        self.unary_typed(operator, operand, span)
    }

    pub(in crate::analyze) fn unary_typed(
        &mut self,
        operator: UnaryOperator,
        operand: Typed,
        span: Span,
    ) -> Typed {
        use UnaryOperator as U;
        if operand.ty == TypeId::ERROR {
            return self.bad(span);
        }
        if self.types.record_of(operand.ty).is_some() && operator != U::AddressOf {
            let text = match operator {
                U::Plus => "+",
                U::Minus => "-",
                U::Not => "!",
                U::Complement => "~",
                U::Dereference => "*",
                U::Increment => "++",
                U::Decrement => "--",
                U::AddressOf => "&",
            };
            let found =
                self.trial(|this| this.operator_call(text, vec![operand.clone()], span)).flatten();
            if let Some(found) = found {
                return found;
            }
            if operator == U::Not
                && let Some(condition) = self.condition(operand.clone(), span)
            {
                return self.negated(condition, span);
            }
            if operator == U::Plus
                && let Some(number) = self.lambda_function(&operand, None)
                && let Some(function) = self.function_object(number, span)
            {
                return self.decayed(function);
            }
            if let Some(number) = self.as_number(&operand) {
                return self.unary_typed(operator, number, span);
            }
            let shown = self.show(operand.ty);
            self.error(span, format!("operator `{text}` is not defined for {shown}"));
            return self.bad(span);
        }
        match operator {
            U::AddressOf => {
                if !operand.lvalue && !matches!(operand.kind, TypedKind::Constant(_)) {
                    self.error(span, "the address of a temporary value cannot be taken");
                    return self.bad(span);
                }
                if let TypedKind::Field(_, _, Some(_)) = operand.kind {
                    self.error(span, "the address of a bit field cannot be taken");
                    return self.bad(span);
                }
                let address = self.address_of(operand);
                Typed { span, ..address }
            }
            U::Dereference => {
                let pointer = self.decayed(operand);
                match self.types.pointee(pointer.ty) {
                    Some(to) if self.types.bare(to) != TypeId::VOID => {
                        let object = self.dereference(pointer);
                        Typed { span, ..object }
                    }
                    Some(_) => {
                        self.error(span, "a `void*` cannot be dereferenced; cast it first");
                        self.bad(span)
                    }
                    None => {
                        let shown = self.show(pointer.ty);
                        let problem =
                            SourceProblem::error(span, format!("{shown} cannot be dereferenced"));
                        self.report(problem.label("not a pointer"));
                        self.bad(span)
                    }
                }
            }
            U::Increment => self.increment_any(operand, true, false, span),
            U::Decrement => self.increment_any(operand, false, false, span),
            U::Not => match self.condition(operand, span) {
                Some(condition) => self.negated(condition, span),
                None => self.bad(span),
            },
            U::Plus | U::Minus | U::Complement => {
                let value = self.operand(operand);
                if operator == U::Plus && self.types.is_pointer(value.ty) {
                    return value;
                }
                let fits = self.types.fundamental(value.ty).is_some()
                    && !self.types.is_scoped(value.ty)
                    && (operator != U::Complement || !self.types.is_float(value.ty));
                if !fits {
                    let shown = self.show(value.ty);
                    self.error(span, format!("this operator is not defined for {shown}"));
                    return self.bad(span);
                }
                let ty = self.types.promoted(value.ty);
                let value = self.number_as(value, ty);
                let operator = match operator {
                    U::Plus => return value,
                    U::Minus => NumberOperator::Negate,
                    _ => NumberOperator::Complement,
                };
                self.fold_unary(operator, value, ty, span)
            }
        }
    }

    fn fold_unary(
        &mut self,
        operator: NumberOperator,
        value: Typed,
        ty: TypeId,
        span: Span,
    ) -> Typed {
        if let TypedKind::Constant(bits) = value.kind {
            let bits = match operator {
                NumberOperator::Negate if ty == TypeId::FLOAT => bits ^ 0x8000_0000,
                NumberOperator::Negate if self.types.is_float(ty) => bits ^ (1 << 63),
                NumberOperator::Negate => bits.wrapping_neg(),
                NumberOperator::Complement => !bits,
                NumberOperator::Not => u64::from(bits == 0),
            };
            return self.constant(bits, ty, span);
        }
        let kind = TypedKind::Unary(operator, Box::new(value));
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    fn negated(&mut self, condition: Typed, span: Span) -> Typed {
        self.fold_unary(NumberOperator::Not, condition, TypeId::BOOL, span)
    }

    pub(super) fn binary(
        &mut self,
        operator: BinaryOperator,
        a: &Expression,
        b: &Expression,
        span: Span,
    ) -> Typed {
        if operator == BinaryOperator::Comma {
            let (a, b) = (self.expression(a), self.expression(b));
            return self.comma(a, b, span);
        }
        let (left, right) = (self.expression(a), self.expression(b));
        self.binary_typed(operator, left, right, span)
    }

    fn comma(&mut self, a: Typed, b: Typed, span: Span) -> Typed {
        if b.ty == TypeId::ERROR || a.ty == TypeId::ERROR {
            return self.bad(span);
        }
        if self.is_overloadable(&a) || self.is_overloadable(&b) {
            let operands = vec![a.clone(), b.clone()];
            if let Some(Some(found)) = self.trial(|this| this.operator_call(",", operands, span)) {
                return found;
            }
        }
        let (ty, lvalue) = (b.ty, b.lvalue);
        let kind = TypedKind::Comma(Box::new(a), Box::new(b));
        Typed { kind, ty, lvalue, expiring: false, span }
    }

    pub(in crate::analyze) fn binary_typed(
        &mut self,
        operator: BinaryOperator,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Typed {
        use BinaryOperator as B;
        if left.ty == TypeId::ERROR || right.ty == TypeId::ERROR {
            return self.bad(span);
        }
        if self.is_overloadable(&left) || self.is_overloadable(&right) {
            let operands = vec![left.clone(), right.clone()];
            let found =
                self.trial(|this| this.operator_call(operator.text(), operands, span)).flatten();
            if let Some(found) = found {
                return found;
            }
            let class =
                self.types.record_of(left.ty).is_some() || self.types.record_of(right.ty).is_some();
            if class && !matches!(operator, B::LogicalAnd | B::LogicalOr) {
                let number = |this: &mut Self, value: &Typed| {
                    if this.types.record_of(value.ty).is_some() {
                        this.as_number(value)
                    } else {
                        Some(value.clone())
                    }
                };
                if let (Some(left), Some(right)) = (number(self, &left), number(self, &right)) {
                    return self.binary_typed(operator, left, right, span);
                }
                return self.no_operator(operator.text(), &left, &right, span);
            }
        }
        if matches!(operator, B::LogicalAnd | B::LogicalOr) {
            let (Some(a), Some(b)) = (self.condition(left, span), self.condition(right, span))
            else {
                return self.bad(span);
            };
            let and = operator == B::LogicalAnd;
            if let TypedKind::Constant(bits) = a.kind {
                if (bits != 0) != and {
                    return self.constant(u64::from(!and), TypeId::BOOL, span);
                }
                return b;
            }
            let kind = TypedKind::Logical(and, Box::new(a), Box::new(b));
            return Typed { kind, ty: TypeId::BOOL, lvalue: false, expiring: false, span };
        }
        let (left, right) = (self.operand(left), self.operand(right));
        let pointers = (self.types.is_pointer(left.ty), self.types.is_pointer(right.ty));
        let members = (self.member_type(left.ty), self.member_type(right.ty));
        let null = members == (None, None) && (left.ty == TypeId::NULL || right.ty == TypeId::NULL);
        if pointers.0 || pointers.1 || null {
            return self.pointer_operator(operator, left, right, span);
        }
        if let ((Some(_), _) | (_, Some(_)), B::Equal | B::NotEqual) = (members, operator) {
            let ty = if members.0.is_some() { left.ty } else { right.ty };
            let left = self.convert(left, ty, span);
            let right = self.convert(right, ty, span);
            return match (left, right) {
                (Some(left), Some(right)) => self.compare(operator, left, right, span),
                _ => self.bad(span),
            };
        }
        let fits = |this: &Self, value: &Typed| {
            this.types.fundamental(value.ty).is_some_and(|kind| kind != BuiltinType::Void)
                && (!this.types.is_scoped(value.ty) || operator.compares())
        };
        let scoped = self.types.is_scoped(left.ty) || self.types.is_scoped(right.ty);
        if !fits(self, &left) || !fits(self, &right) || scoped && left.ty != right.ty {
            return self.no_operator(operator.text(), &left, &right, span);
        }
        let floats = self.types.is_float(left.ty) || self.types.is_float(right.ty);
        if floats
            && matches!(
                operator,
                B::Remainder | B::BitAnd | B::BitOr | B::BitXor | B::ShiftLeft | B::ShiftRight
            )
        {
            let (a, b) = (self.show(left.ty), self.show(right.ty));
            let message = format!("operator `{}` is not defined for {a} and {b}", operator.text());
            let problem = SourceProblem::error(span, message);
            self.report(if operator == B::Remainder {
                problem.help("use `fmodf` for `float` and `fmod` for `double`")
            } else {
                problem.help("convert the operands to integers first")
            });
            return self.bad(span);
        }
        if matches!(operator, B::ShiftLeft | B::ShiftRight) {
            let (ty, amount) = (self.types.promoted(left.ty), self.types.promoted(right.ty));
            let (left, right) = (self.number_as(left, ty), self.number_as(right, amount));
            return self.arithmetic(operator, left, right, ty, span);
        }
        let common = self.types.common(left.ty, right.ty);
        let (left, right) = (self.number_as(left, common), self.number_as(right, common));
        if operator.compares() {
            return self.compare(operator, left, right, span);
        }
        self.arithmetic(operator, left, right, common, span)
    }

    pub(super) fn no_operator(
        &mut self,
        text: &str,
        left: &Typed,
        right: &Typed,
        span: Span,
    ) -> Typed {
        let (a, b) = (self.show(left.ty), self.show(right.ty));
        let problem =
            SourceProblem::error(span, format!("operator `{text}` is not defined for {a} and {b}"));
        self.report(problem);
        self.bad(span)
    }

    fn compare(
        &mut self,
        operator: BinaryOperator,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Typed {
        if let (TypedKind::Constant(a), TypedKind::Constant(b)) = (&left.kind, &right.kind) {
            let value = crate::evaluate::compare(&self.types, operator, *a, *b, left.ty);
            return self.constant(u64::from(value), TypeId::BOOL, span);
        }
        let kind = TypedKind::Compare(operator, Box::new(left), Box::new(right));
        Typed { kind, ty: TypeId::BOOL, lvalue: false, expiring: false, span }
    }

    /// Arithmetic on operands that are already converted; folds constants.
    pub(super) fn arithmetic(
        &mut self,
        operator: BinaryOperator,
        left: Typed,
        right: Typed,
        ty: TypeId,
        span: Span,
    ) -> Typed {
        if let TypedKind::Constant(0) = right.kind
            && self.types.is_integer(ty)
            && matches!(operator, BinaryOperator::Divide | BinaryOperator::Remainder)
        {
            self.warn(span, "division by zero");
        }
        if let (TypedKind::Constant(a), TypedKind::Constant(b)) = (&left.kind, &right.kind)
            && let Some(bits) = crate::evaluate::arithmetic(&self.types, operator, *a, *b, ty)
            // A GPU computes another NaN than this machine.
            && (self.host || ty != TypeId::FLOAT || !f32::from_bits(bits as u32).is_nan())
        {
            return self.constant(bits, ty, span);
        }
        let kind = TypedKind::Binary(operator, Box::new(left), Box::new(right));
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    fn pointer_operator(
        &mut self,
        operator: BinaryOperator,
        left: Typed,
        right: Typed,
        span: Span,
    ) -> Typed {
        use BinaryOperator as B;
        let integer = |this: &Self, value: &Typed| {
            this.types.is_integer(value.ty)
                || this.types.is_enumeration(value.ty) && !this.types.is_scoped(value.ty)
        };
        if operator.compares() {
            let ty = if self.types.is_pointer(left.ty) { left.ty } else { right.ty };
            let zero = |value: &Typed| matches!(value.kind, TypedKind::Constant(0));
            let same = |this: &mut Self| {
                let a = this.types.pointee(left.ty).map(|ty| this.types.bare(ty));
                let b = this.types.pointee(right.ty).map(|ty| this.types.bare(ty));
                a == b || a == Some(TypeId::VOID) || b == Some(TypeId::VOID)
            };
            let related = match (self.types.is_pointer(left.ty), self.types.is_pointer(right.ty)) {
                (true, true) => same(self) || self.related_pointers(left.ty, right.ty),
                (true, false) => zero(&right) || right.ty == TypeId::NULL,
                (false, true) => zero(&left) || left.ty == TypeId::NULL,
                _ => true,
            };
            if !related {
                return self.no_operator(operator.text(), &left, &right, span);
            }
            let (left, right) = (Typed { ty, ..left }, Typed { ty, ..right });
            return self.compare(operator, left, right, span);
        }
        let step = |this: &Self, ty: TypeId| this.types.pointee(ty).map(|to| this.types.size(to));
        match operator {
            B::Add | B::Subtract if self.types.is_pointer(left.ty) && integer(self, &right) => {
                let size = step(self, left.ty).unwrap_or(1) as i64;
                let size = if operator == B::Subtract { size.wrapping_neg() } else { size };
                self.pointer_sum(left, right, size, span)
            }
            B::Add if integer(self, &left) && self.types.is_pointer(right.ty) => {
                let size = step(self, right.ty).unwrap_or(1) as i64;
                self.pointer_sum(right, left, size, span)
            }
            B::Subtract if self.types.is_pointer(left.ty) && self.types.is_pointer(right.ty) => {
                let size = step(self, left.ty).unwrap_or(1).max(1);
                let kind = TypedKind::PointerDifference(Box::new(left), Box::new(right), size);
                Typed { kind, ty: TypeId::LONG, lvalue: false, expiring: false, span }
            }
            _ => self.no_operator(operator.text(), &left, &right, span),
        }
    }

    fn related_pointers(&self, a: TypeId, b: TypeId) -> bool {
        let record = |ty| self.types.pointee(ty).and_then(|to| self.types.record_of(to));
        match (record(a), record(b)) {
            (Some(a), Some(b)) => {
                self.types.base_offset(a, b).is_some() || self.types.base_offset(b, a).is_some()
            }
            _ => false,
        }
    }

    fn pointer_sum(&mut self, pointer: Typed, index: Typed, size: i64, span: Span) -> Typed {
        let index_type =
            if self.types.is_signed(index.ty) { TypeId::LONG } else { TypeId::UNSIGNED_LONG };
        let index = self.number_as(index, index_type);
        let ty = pointer.ty;
        let kind = TypedKind::PointerAdd(Box::new(pointer), Box::new(index), size);
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    /// `(pack op ...)`.
    pub(super) fn fold(
        &mut self,
        operator: BinaryOperator,
        left: Option<&Expression>,
        right: Option<&Expression>,
        span: Span,
    ) -> Typed {
        let has_pack = |this: &Self, value: &Expression| {
            let mut found = false;
            visit::names_to_expand(value, &mut |name| {
                found |= this.pack_length(name).is_some();
            });
            found
        };
        // Find the side with the pack, and the order: `(... op pack)` and `(init op ... op pack)` go left to right.
        let (pack, init, from_left) = match (left, right) {
            (Some(pack), None) => (pack, None, false),
            (None, Some(pack)) => (pack, None, true),
            (Some(a), Some(b)) if has_pack(self, b) => (b, Some(a), true),
            (Some(a), Some(b)) => (a, Some(b), false),
            (None, None) => return self.bad(span),
        };
        let mut values = self.expand_pattern(pack, |this| this.expression(pack));
        if let Some(init) = init {
            let init = self.expression(init);
            if from_left { values.insert(0, init) } else { values.push(init) }
        }
        if !from_left {
            values.reverse();
        }
        let mut values = values.into_iter();
        let Some(mut result) = values.next() else {
            return match operator {
                BinaryOperator::LogicalAnd => self.constant(1, TypeId::BOOL, span),
                BinaryOperator::LogicalOr => self.constant(0, TypeId::BOOL, span),
                BinaryOperator::Comma => self.constant(0, TypeId::VOID, span),
                _ => {
                    self.error(span, "this fold expression over an empty pack has no value");
                    self.bad(span)
                }
            };
        };
        for value in values {
            let (a, b) = if from_left { (result, value) } else { (value, result) };
            result = if operator == BinaryOperator::Comma {
                self.comma(a, b, span)
            } else {
                self.binary_typed(operator, a, b, span)
            };
        }
        let _ = known::EMPTY;
        result
    }
}
