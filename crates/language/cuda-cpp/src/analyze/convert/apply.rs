//! Applies implicit conversions to values: to a type, to a reference, to a base class, and by copying.

use super::{Analyzer, UserConversion};
use crate::source::{SourceProblem, Span};
use crate::syntax::BuiltinType;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};

impl Analyzer {
    /// Converts a value implicitly; reports an error if that is impossible.
    pub(in crate::analyze) fn convert(
        &mut self,
        value: Typed,
        ty: TypeId,
        span: Span,
    ) -> Option<Typed> {
        if value.ty == TypeId::ERROR || ty == TypeId::ERROR {
            return None;
        }
        if let Some(set) = self.overloads_of(&value) {
            let Some(number) = self.overload_for(&set, ty, span) else {
                let (text, to) = (self.text(set.name).to_owned(), self.show(ty));
                self.error(span, format!("no function `{text}` matches the type {to}"));
                return None;
            };
            let bare = self.types.referred(ty);
            let value = match self.member_type(bare) {
                Some(_) => self.method_address(number, span)?,
                None => self.function_object(number, span)?,
            };
            return self.convert(value, ty, span);
        }
        if self.types.is_reference(ty) {
            return self.bind_reference(value, ty, span);
        }
        let target = self.types.bare(ty);
        if value.ty == TypeId::AUTO {
            let list = self.lists.get(&(value.span.low, value.span.high)).cloned()?;
            return self.initialize_from(target, &list, value.span);
        }
        if self.types.is_aggregate(target) && self.types.bare(value.ty) == target {
            return self.copy_value(value, target);
        }
        let from = if self.types.record_of(value.ty).is_some() {
            self.types.bare(value.ty)
        } else {
            self.types.decay(value.ty)
        };
        if from == target {
            return Some(self.decayed(value));
        }
        let (a, b) = (self.types.fundamental(from), self.types.fundamental(target));
        let numbers = a.is_some_and(|kind| kind != BuiltinType::Void)
            && b.is_some_and(|kind| kind != BuiltinType::Void)
            && !self.types.is_scoped(from)
            && !self.types.is_enumeration(target);
        if numbers {
            let value = self.decayed(value);
            return Some(self.number_as(value, target));
        }
        if self.conversion(&value, ty).is_none() {
            self.cannot_convert(&value, ty, span);
            return None;
        }
        if let TypeKind::Pointer(to) = *self.types.kind(target)
            && self.types.record_of(from).is_none()
        {
            let value = self.decayed(value);
            if let Some(pointee) = self.types.pointee(value.ty)
                && let (Some(derived), Some(base)) =
                    (self.types.record_of(pointee), self.types.record_of(to))
                && let Some(offset) = self.types.base_offset(derived, base)
                && offset > 0
            {
                let index = self.constant(offset, TypeId::LONG, span);
                let kind = TypedKind::PointerAdd(Box::new(value), Box::new(index), 1);
                return Some(Typed { kind, ty: target, lvalue: false, expiring: false, span });
            }
            return Some(Typed { ty: target, ..value });
        }
        if self.member_type(target).is_some() {
            let value = self.decayed(value);
            return Some(Typed { ty: target, ..value });
        }
        let pointer = self.types.is_pointer(from) || self.member_type(from).is_some();
        if target == TypeId::BOOL && (pointer || from == TypeId::NULL) {
            let value = self.decayed(value);
            let ty = value.ty;
            let zero =
                Typed { kind: TypedKind::Constant(0), ty, lvalue: false, expiring: false, span };
            let kind = TypedKind::Compare(
                crate::syntax::BinaryOperator::NotEqual,
                Box::new(value),
                Box::new(zero),
            );
            return Some(Typed { kind, ty: TypeId::BOOL, lvalue: false, expiring: false, span });
        }
        if let (Some(derived), Some(base)) =
            (self.types.record_of(from), self.types.record_of(target))
            && self.types.base_offset(derived, base).is_some()
        {
            let object = self.temporary(value);
            let object = self.as_base(object, base)?;
            return self.copy_value(object, target);
        }
        if let Some(number) = self.lambda_function(&value, Some(target)) {
            let function = self.function_object(number, span)?;
            return self.convert(function, target, span);
        }
        match self.user_conversion(&value, target)?.0 {
            UserConversion::Operator(number) => {
                let called = self.call_method(number, value, Vec::new(), span)?;
                let outer = std::mem::replace(&mut self.converting, true);
                let converted = self.convert(called, target, span);
                self.converting = outer;
                converted
            }
            UserConversion::Constructor(number) => {
                self.construct_by(number, target, vec![value], span)
            }
        }
    }

    /// Converts an object whose class has exactly one implicit conversion to a number or pointer.
    pub(in crate::analyze) fn as_number(&mut self, value: &Typed) -> Option<Typed> {
        let record = self.types.record_of(value.ty)?;
        let constant = self.types.is_const(value.ty);
        let mut found = Vec::new();
        for (number, ty) in self.conversions_of(record) {
            let ty = self.types.referred(ty);
            let syntax = &self.function(number).syntax;
            let (explicit, of_constants) =
                (syntax.specifiers.is_explicit, syntax.signature.is_const);
            let plain = self.types.fundamental(ty).is_some() || self.types.is_pointer(ty);
            if plain && !explicit && (of_constants || !constant) {
                found.push((number, of_constants));
            }
        }
        // Of `operator T()` and `operator T() const`, an object that is not constant uses the first.
        if found.iter().any(|(_, of_constants)| !of_constants) {
            found.retain(|(_, of_constants)| !of_constants);
        }
        let [(number, _)] = found[..] else { return None };
        let called = self.call_method(number, value.clone(), Vec::new(), value.span)?;
        Some(self.decayed(called))
    }

    /// An operand of a built-in operator: converts an object by its class's conversion to a number or pointer.
    pub(in crate::analyze) fn number_or_same(&mut self, value: Typed) -> Typed {
        if self.types.record_of(value.ty).is_none() {
            return value;
        }
        self.as_number(&value).unwrap_or(value)
    }

    fn cannot_convert(&mut self, value: &Typed, ty: TypeId, span: Span) {
        let (from, to) = (self.show(value.ty), self.show(ty));
        let problem = SourceProblem::error(span, format!("cannot convert {from} to {to}"));
        let problem = problem.label(format!("this is {from}"));
        let pointers = (self.types.decay(value.ty), self.types.bare(ty));
        let pointees = (self.types.pointee(pointers.0), self.types.pointee(pointers.1));
        let problem = match pointees {
            (Some(a), Some(b)) if self.types.is_const(a) && !self.types.is_const(b) => problem
                .help(
                    "the target of the pointer is `const`; declare the other pointer `const` too",
                ),
            (Some(_), Some(_)) => {
                problem.help("use `reinterpret_cast` to read the bits as another type")
            }
            (None, Some(b)) if self.types.bare(value.ty) == self.types.bare(b) && value.lvalue => {
                problem.help("take its address: write `&` before it")
            }
            (Some(a), None) if self.types.bare(a) == pointers.1 => {
                problem.help("read what it points to: write `*` before it, or index it")
            }
            _ => problem,
        };
        self.report(problem);
    }

    /// Binds a reference to a value; returns the pointer that represents the reference.
    pub(in crate::analyze) fn bind_reference(
        &mut self,
        value: Typed,
        ty: TypeId,
        span: Span,
    ) -> Option<Typed> {
        let inner = self.types.referred(ty);
        if self.conversion(&value, ty).is_none() {
            let (from, to) = (self.show(value.ty), self.show(ty));
            let problem =
                SourceProblem::error(span, format!("cannot bind {to} to a value of type {from}"));
            let same = self.types.bare(value.ty) == self.types.bare(inner);
            self.report(if same && self.types.is_const(value.ty) && !self.types.is_const(inner) {
                problem.help("the value is `const`; make the reference `const` too")
            } else if !value.lvalue || !same {
                problem.help("a reference that is not `const` needs a variable of exactly its type")
            } else {
                problem
            });
            return None;
        }
        if let TypedKind::Field(_, _, Some(_)) = value.kind
            && !self.types.is_const(inner)
        {
            self.error(span, "a reference cannot be bound to a bit field");
            return None;
        }
        // Device code has no copy of the host's constants.
        let value = match (&value.kind, self.known_scalar(&value)) {
            (TypedKind::Variable(_), Some(bits)) if !self.host => {
                let bare = self.types.bare(value.ty);
                self.constant(bits, bare, value.span)
            }
            _ => value,
        };
        let (a, b) = (self.types.bare(value.ty), self.types.bare(inner));
        let pointer = self.types.pointer(inner);
        let object = if a == b && value.ty != TypeId::AUTO {
            if let TypedKind::Field(_, _, Some(_)) = value.kind {
                let value = self.rvalue(value);
                self.temporary(value)
            } else {
                self.temporary(value)
            }
        } else if let (Some(derived), Some(base)) =
            (self.types.record_of(a), self.types.record_of(b))
            && self.types.base_offset(derived, base).is_some()
        {
            let object = self.temporary(value);
            self.as_base(object, base)?
        } else {
            let value = self.convert(value, b, span)?;
            self.temporary(value)
        };
        let address = self.address_of(object);
        Some(Typed { ty: pointer, ..address })
    }

    /// Converts a value for a parameter of this type.
    pub(in crate::analyze) fn pass(
        &mut self,
        value: Typed,
        ty: TypeId,
        span: Span,
    ) -> Option<Typed> {
        let value = self.convert(value, ty, span)?;
        if !value.lvalue {
            self.note_destroyed(value.ty);
        }
        Some(value)
    }

    /// The part of an object that is this base class.
    pub(in crate::analyze) fn as_base(&mut self, object: Typed, base: RecordId) -> Option<Typed> {
        let derived = self.types.record_of(object.ty)?;
        if derived == base {
            return Some(object);
        }
        let offset = self.types.base_offset(derived, base)?;
        let ty = self.types.intern(TypeKind::Record(base));
        let (is_const, is_volatile) =
            (self.types.is_const(object.ty), self.types.is_volatile(object.ty));
        let ty = self.types.with(ty, is_const, is_volatile);
        Some(self.part(object, offset, ty, None))
    }

    /// Converts a number to another arithmetic type.
    pub(in crate::analyze) fn number_as(&mut self, value: Typed, ty: TypeId) -> Typed {
        let span = value.span;
        if value.ty == ty {
            return value;
        }
        if let TypedKind::Constant(bits) = value.kind {
            let bits = crate::evaluate::convert(&self.types, bits, value.ty, ty);
            return self.constant(bits, ty, span);
        }
        let kind = TypedKind::Convert(Box::new(value));
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    /// A new array whose elements are copied one by one.
    fn copy_elements(&mut self, value: Typed, element: TypeId, count: u64) -> Option<Typed> {
        let (ty, span, size) = (self.types.bare(value.ty), value.span, self.types.size(element));
        if count > 256 {
            self.unsupported(span, "the copy of a long array of objects");
            return None;
        }
        let mut parts = Vec::new();
        for at in 0..count {
            let part = self.part(value.clone(), at * size, element, None);
            parts.push((at * size, None, self.copy_value(part, element)?));
        }
        let kind = TypedKind::Aggregate(parts, false);
        Some(Typed { kind, ty, lvalue: false, expiring: false, span })
    }

    /// A new object, copied from another object of the same type.
    pub(in crate::analyze) fn copy_value(&mut self, value: Typed, ty: TypeId) -> Option<Typed> {
        if !value.lvalue {
            return Some(value);
        }
        if let Some(record) = self.types.record_of(ty)
            && self.types.bare(value.ty) == self.types.bare(ty)
        {
            let copies = self.copy_constructors(record);
            let span = value.span;
            if !copies.is_empty() {
                let Some(number) = self.choose_quietly(&copies, std::slice::from_ref(&value), span)
                else {
                    let shown = self.show(ty);
                    let problem = SourceProblem::error(span, format!("{shown} cannot be copied"));
                    self.report(problem.help("move it with `std::move`, or use a reference"));
                    return None;
                };
                let ty = self.types.bare(ty);
                return self.construct_by(number, ty, vec![value], span);
            }
            if self.copied_by_parts(ty) {
                return self.copy_by_supplied(value, record, ty);
            }
        }
        if let TypeKind::Array(element, Some(count)) = *self.types.kind(value.ty)
            && self.copied_by_parts(element)
        {
            return self.copy_elements(value, element, count);
        }
        if matches!(self.types.kind(value.ty), TypeKind::Array(..)) {
            let (ty, span) = (self.types.bare(value.ty), value.span);
            return Some(Typed {
                kind: TypedKind::Load(Box::new(value)),
                ty,
                lvalue: false,
                expiring: false,
                span,
            });
        }
        let bare = self.types.bare(value.ty);
        let loaded = self.rvalue(value);
        Some(if self.types.is_aggregate(bare) { Typed { ty: bare, ..loaded } } else { loaded })
    }

    /// The value of an operand of an arithmetic operator. A bit field is promoted by its width.
    pub(in crate::analyze) fn operand(&mut self, value: Typed) -> Typed {
        let width = value.bit_width();
        let value = self.decayed(value);
        match width {
            Some(width) => {
                let ty = self.types.promoted_bits(value.ty, width);
                self.number_as(value, ty)
            }
            None => value,
        }
    }
}
