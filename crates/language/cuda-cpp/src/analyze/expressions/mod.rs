//! Analysis of expressions.

mod assignments;
mod calls;
mod casts;
mod formats;
mod function_names;
mod invoke;
mod member_pointers;
mod names;
mod operators;

use super::Analyzer;
use super::scopes::Binding;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// Analyzes an expression. After an error, its type is `ERROR`.
    pub(super) fn expression(&mut self, syntax: &Expression) -> Typed {
        let span = syntax.span;
        match self.deeper(span, |this| this.expression_inner(syntax)) {
            Some(typed) => {
                self.never_silent(typed.ty == TypeId::ERROR, span);
                typed
            }
            None => self.bad(span),
        }
    }

    /// Reports an internal failure for which no error was reported, so that no code is dropped silently.
    pub(super) fn never_silent(&mut self, failed: bool, span: Span) {
        if failed && !self.parser.problems.failed() {
            self.unsupported(span, "this construct");
        }
    }

    /// The array of a string literal.
    fn text_place(&mut self, units: &[u32], kind: BuiltinType, span: Span) -> Typed {
        let variable = self.text_variable(units, TypeId::builtin(kind), span);
        let ty = self.variables[variable.0 as usize].ty;
        Typed { kind: TypedKind::Variable(variable), ty, lvalue: true, expiring: false, span }
    }

    fn expression_inner(&mut self, syntax: &Expression) -> Typed {
        let span = syntax.span;
        match &syntax.kind {
            ExpressionKind::Integer { value, unsigned, long, decimal } => {
                let ty = literal_type(*value, *unsigned, *long, *decimal);
                self.constant(*value, ty, span)
            }
            ExpressionKind::Float { value, single } => {
                if *single {
                    self.constant(u64::from((*value as f32).to_bits()), TypeId::FLOAT, span)
                } else {
                    self.constant(value.to_bits(), TypeId::DOUBLE, span)
                }
            }
            ExpressionKind::Bool(value) => self.constant(u64::from(*value), TypeId::BOOL, span),
            ExpressionKind::Null => self.constant(0, TypeId::NULL, span),
            ExpressionKind::Character(value) => {
                let value = i64::from(*value as u8 as i8);
                self.constant(value as u64, TypeId::CHAR, span)
            }
            ExpressionKind::Text(units, kind) => self.text_place(units, *kind, span),
            ExpressionKind::FunctionText => {
                let units: Vec<u32> = self.function_text().bytes().map(u32::from).collect();
                self.text_place(&units, BuiltinType::Char, span)
            }
            ExpressionKind::Name(name) => self.name(name, span),
            ExpressionKind::This => {
                match self.frame.as_ref().and_then(|frame| frame.this.clone()) {
                    Some(this) => {
                        let address = self.address_of(this);
                        Typed { span, ..address }
                    }
                    None => {
                        self.error(span, "`this` exists only in member functions");
                        self.bad(span)
                    }
                }
            }
            ExpressionKind::Unary(operator, operand) => self.unary(*operator, operand, span),
            ExpressionKind::Postfix(operand, up) => {
                let operand = self.expression(operand);
                self.increment_any(operand, *up, true, span)
            }
            ExpressionKind::Binary(operator, a, b) => self.binary(*operator, a, b, span),
            ExpressionKind::Assign(operator, a, b) => self.assign(*operator, a, b, span),
            ExpressionKind::Conditional(condition, yes, no) => {
                self.conditional(condition, yes, no, span)
            }
            ExpressionKind::Call(callee, arguments) => self.call(callee, arguments, span),
            ExpressionKind::Launch(launch) if self.host => {
                self.host_launch(launch, span).unwrap_or_else(|| self.bad(span))
            }
            ExpressionKind::Launch(launch) => {
                self.device_launch(launch, span).unwrap_or_else(|| self.bad(span))
            }
            ExpressionKind::Throw(value) => self.throw(value.as_deref(), span),
            ExpressionKind::Index(object, index) => self.index(object, index, span),
            ExpressionKind::Member(object, arrow, name) => {
                self.member_expression(object, *arrow, name, span)
            }
            ExpressionKind::MemberAccess(object, arrow, pointer) => {
                self.member_access(object, *arrow, pointer, span).unwrap_or_else(|| self.bad(span))
            }
            ExpressionKind::Cast(style, kind, value) => self.cast(*style, kind, value, span),
            ExpressionKind::Construct(kind, elements, braces) => {
                self.construct(kind, elements, *braces, span)
            }
            ExpressionKind::List(elements) => {
                if let [only] = elements.as_slice() {
                    return self.expression(&only.value);
                }
                self.error(span, "a list in braces has no type of its own here");
                self.bad(span)
            }
            ExpressionKind::SizeOfType(kind) => {
                let ty = self.type_of(kind);
                self.size_of(ty, span)
            }
            ExpressionKind::SizeOf(value) => {
                // `sizeof(Template<int>::type)`.
                if let ExpressionKind::Name(name) = &value.kind
                    && name.parts.len() > 1
                    && let Some(Ok(Some(Binding::Type(ty)))) = self.trial(|this| this.resolve(name))
                {
                    return self.size_of(ty, span);
                }
                let saved = std::mem::replace(&mut self.unevaluated, true);
                let typed = self.expression(value);
                self.unevaluated = saved;
                if let Some(size) = self.variable_size(&typed) {
                    return size;
                }
                self.size_of(typed.ty, span)
            }
            ExpressionKind::TypeIdentity(kind) => {
                let ty = self.type_of(kind);
                self.type_identity(ty, span)
            }
            ExpressionKind::ValueIdentity(value) => self.value_identity(value, span),
            ExpressionKind::SizeOfPack(name) => match self.pack_length(*name) {
                Some(length) => self.constant(length as u64, TypeId::UNSIGNED_LONG, span),
                None => {
                    self.unknown_name(*name, span, "parameter pack");
                    self.bad(span)
                }
            },
            ExpressionKind::AlignOf(kind) => {
                let ty = self.type_of(kind);
                if ty == TypeId::ERROR {
                    return self.bad(span);
                }
                let ty = self.types.referred(ty);
                self.constant(self.types.align(ty), TypeId::UNSIGNED_LONG, span)
            }
            ExpressionKind::NoExcept => self.constant(1, TypeId::BOOL, span),
            ExpressionKind::Lambda(lambda) => self.lambda(lambda, span),
            ExpressionKind::Expansion(_) => {
                self.error(span, "`...` is not allowed here");
                self.bad(span)
            }
            ExpressionKind::Fold(operator, left, right) => {
                self.fold(*operator, left.as_deref(), right.as_deref(), span)
            }
            ExpressionKind::New(new) => self.new_object(new, span),
            ExpressionKind::Delete(value, array) => self.delete_object(value, *array, span),
            ExpressionKind::Trait(name, kinds) => {
                let types: Vec<TypeId> = kinds.iter().map(|kind| self.type_of(kind)).collect();
                if types.contains(&TypeId::ERROR) {
                    return self.bad(span);
                }
                let text = self.text(*name).to_owned();
                match self.type_trait(&text, &types) {
                    Some(value) => self.constant(u64::from(value), TypeId::BOOL, span),
                    None => {
                        self.unsupported(span, format!("the type trait `{text}`"));
                        self.bad(span)
                    }
                }
            }
            ExpressionKind::Statements(list) => self.statement_expression(list, span),
        }
    }

    fn statement_expression(&mut self, list: &Rc<Vec<Statement>>, span: Span) -> Typed {
        let mut statements = Vec::new();
        let mut value = None;
        self.block(|this| {
            let Some((last, before)) = list.split_last() else { return };
            this.statements(before, &mut statements);
            if let StatementKind::Expression(last) = &last.kind {
                let typed = this.expression(last);
                value = Some(this.decayed(typed));
            } else {
                this.statements(std::slice::from_ref(last), &mut statements);
            }
        });
        let value = value.unwrap_or_else(|| self.constant(0, TypeId::VOID, span));
        let ty = value.ty;
        let kind = TypedKind::Statements(Rc::new(statements), Box::new(value));
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    /// A constant of a scalar type.
    pub(super) fn constant(&self, bits: u64, ty: TypeId, span: Span) -> Typed {
        let bits = self.types.normalize(ty, bits);
        Typed { kind: TypedKind::Constant(bits), ty, lvalue: false, expiring: false, span }
    }

    fn size_of(&mut self, ty: TypeId, span: Span) -> Typed {
        let ty = self.types.referred(ty);
        if ty == TypeId::ERROR {
            return self.bad(span);
        }
        if let TypeKind::Record(record) = self.types.kind(ty)
            && !self.types.record(*record).complete
        {
            let shown = self.show(ty);
            self.error(span, format!("{shown} is incomplete here, so its size is unknown"));
            return self.bad(span);
        }
        self.constant(self.types.size(ty), TypeId::UNSIGNED_LONG, span)
    }

    /// Loads the value of an object; other values are returned unchanged.
    pub(super) fn rvalue(&mut self, value: Typed) -> Typed {
        if !value.lvalue || value.ty == TypeId::ERROR {
            return value;
        }
        if matches!(self.types.kind(value.ty), TypeKind::Array(..) | TypeKind::Function(_)) {
            return self.decayed(value);
        }
        let (ty, span) = (value.ty, value.span);
        let ty = if self.types.is_aggregate(ty) { ty } else { self.types.bare(ty) };
        if let Some(bits) = self.known_scalar(&value) {
            return self.constant(bits, ty, span);
        }
        let kind = match value.kind {
            TypedKind::Comma(first, second) if !self.types.is_aggregate(ty) => {
                TypedKind::Comma(first, Box::new(self.rvalue(*second)))
            }
            TypedKind::Conditional(condition, yes, no) if !self.types.is_aggregate(ty) => {
                let (yes, no) = (self.rvalue(*yes), self.rvalue(*no));
                TypedKind::Conditional(condition, Box::new(yes), Box::new(no))
            }
            _ => TypedKind::Load(Box::new(value)),
        };
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    /// Applies array-to-pointer and function-to-pointer conversion.
    pub(super) fn decayed(&mut self, value: Typed) -> Typed {
        if value.ty == TypeId::ERROR {
            return value;
        }
        match self.types.kind(value.ty).clone() {
            TypeKind::Array(element, _) => {
                let ty = self.types.pointer(element);
                let span = value.span;
                let value = if value.lvalue { value } else { self.temporary(value) };
                let address = self.address_of(value);
                Typed { ty, span, ..address }
            }
            TypeKind::Function(_) => {
                let ty = self.types.pointer(value.ty);
                let span = value.span;
                if let TypedKind::Dereference(pointer) = value.kind {
                    return *pointer;
                }
                let value = self.addressable(value);
                Typed {
                    kind: TypedKind::AddressOf(Box::new(value)),
                    ty,
                    lvalue: false,
                    expiring: false,
                    span,
                }
            }
            _ => self.rvalue(value),
        }
    }

    /// A temporary object that holds a value.
    pub(super) fn temporary(&mut self, value: Typed) -> Typed {
        if value.lvalue {
            return value;
        }
        let (ty, span) = (value.ty, value.span);
        self.note_destroyed(ty);
        Typed {
            kind: TypedKind::Temporary(Box::new(value)),
            ty,
            lvalue: true,
            expiring: true,
            span,
        }
    }

    /// The address of an object.
    pub(in crate::analyze) fn address_of(&mut self, value: Typed) -> Typed {
        let span = value.span;
        let value = self.addressable(value);
        self.mark_addressed(&value);
        let ty = self.types.pointer(value.ty);
        let kind = match value.kind {
            TypedKind::Dereference(pointer) => return Typed { ty, span, ..*pointer },
            _ if !value.lvalue => {
                let object = self.temporary(value);
                TypedKind::AddressOf(Box::new(object))
            }
            _ => TypedKind::AddressOf(Box::new(value)),
        };
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    /// Records that the address of a local variable is used.
    fn mark_addressed(&mut self, value: &Typed) {
        match &value.kind {
            TypedKind::Local(local) => {
                if let Some(frame) = self.frame.as_mut()
                    && let Some(local) = frame.body.locals.get_mut(local.0 as usize)
                {
                    local.addressed = true;
                }
            }
            TypedKind::Field(object, ..) => self.mark_addressed(object),
            TypedKind::Assign(object, _)
            | TypedKind::CompoundAssign(_, object, ..)
            | TypedKind::Increment(object, ..) => {
                self.mark_addressed(object);
            }
            TypedKind::Comma(_, object) => self.mark_addressed(object),
            TypedKind::Conditional(_, a, b) => {
                self.mark_addressed(a);
                self.mark_addressed(b);
            }
            _ => {}
        }
    }

    /// Records that an object is written. `(c ? a : b) = v` uses the addresses of `a` and `b`.
    fn mark_written(&mut self, target: &Typed) {
        match &target.kind {
            TypedKind::Conditional(..) => self.mark_addressed(target),
            TypedKind::Field(object, ..)
            | TypedKind::Comma(_, object)
            | TypedKind::Assign(object, _)
            | TypedKind::CompoundAssign(_, object, ..)
            | TypedKind::Increment(object, ..) => self.mark_written(object),
            _ => {}
        }
    }

    /// The object that a pointer refers to.
    pub(super) fn dereference(&mut self, pointer: Typed) -> Typed {
        let span = pointer.span;
        let ty = self.types.pointee(pointer.ty).unwrap_or(TypeId::ERROR);
        if let TypedKind::AddressOf(object) = pointer.kind {
            if object.ty == ty {
                return Typed { span, ..*object };
            }
            let pointer = Typed { kind: TypedKind::AddressOf(object), ..pointer };
            return Typed {
                kind: TypedKind::Dereference(Box::new(pointer)),
                ty,
                lvalue: true,
                expiring: false,
                span,
            };
        }
        Typed {
            kind: TypedKind::Dereference(Box::new(pointer)),
            ty,
            lvalue: true,
            expiring: false,
            span,
        }
    }

    /// A part of an object, such as a member.
    pub(super) fn part(
        &mut self,
        object: Typed,
        offset: u64,
        ty: TypeId,
        bits: Option<(u8, u8)>,
    ) -> Typed {
        let (span, expiring) = (object.span, object.expiring || !object.lvalue);
        let object = self.temporary(object);
        Typed {
            kind: TypedKind::Field(Box::new(object), offset, bits),
            ty,
            lvalue: true,
            expiring,
            span,
        }
    }

    /// Converts a value to `bool`.
    pub(super) fn condition(&mut self, value: Typed, span: Span) -> Option<Typed> {
        if value.ty == TypeId::ERROR {
            return None;
        }
        let value =
            if self.types.record_of(value.ty).is_some() { value } else { self.decayed(value) };
        if value.ty == TypeId::BOOL {
            return Some(value);
        }
        if self.types.is_scoped(value.ty) {
            let shown = self.show(value.ty);
            self.error(span, format!("{shown} cannot be used as a condition"));
            return None;
        }
        self.convert(value, TypeId::BOOL, span)
    }

    fn warn(&mut self, span: Span, message: &str) {
        self.report(SourceProblem::warning(span, message));
    }
}

/// The type of an integer literal.
fn literal_type(value: u64, unsigned: bool, long: u8, decimal: bool) -> TypeId {
    let fits = |ty: TypeId| match ty {
        TypeId::INT => value <= i32::MAX as u64,
        TypeId::UNSIGNED => value <= u64::from(u32::MAX),
        TypeId::LONG | TypeId::LONG_LONG => value <= i64::MAX as u64,
        _ => true,
    };
    let (signed, unsigned_types) = match long {
        0 => (vec![TypeId::INT, TypeId::LONG], vec![TypeId::UNSIGNED, TypeId::UNSIGNED_LONG]),
        1 => (vec![TypeId::LONG], vec![TypeId::UNSIGNED_LONG]),
        _ => (vec![TypeId::LONG_LONG], vec![TypeId::UNSIGNED_LONG_LONG]),
    };
    let candidates: Vec<TypeId> = if unsigned {
        unsigned_types
    } else if decimal {
        signed
    } else {
        signed.into_iter().zip(unsigned_types).flat_map(|(a, b)| [a, b]).collect()
    };
    candidates.into_iter().find(|&ty| fits(ty)).unwrap_or(TypeId::UNSIGNED_LONG)
}
