//! Casts and constructions.

use super::Analyzer;
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    pub(super) fn cast(
        &mut self,
        style: CastStyle,
        kind: &TypeSyntax,
        value: &Expression,
        span: Span,
    ) -> Typed {
        let ty = self.type_of(kind);
        if ty == TypeId::ERROR {
            self.expression(value);
            return self.bad(span);
        }
        if style == CastStyle::Dynamic {
            let typed = self.expression(value);
            if typed.ty == TypeId::ERROR {
                return typed;
            }
            return self.dynamic_cast(typed, ty, span).unwrap_or_else(|| self.bad(span));
        }
        if let ExpressionKind::List(_) = value.kind {
            return self.initialize_from(ty, value, span).unwrap_or_else(|| self.bad(span));
        }
        let typed = self.argument(value);
        if typed.ty == TypeId::ERROR {
            return typed;
        }
        let typed = match typed.ty {
            TypeId::AUTO => match self.convert(typed, ty, span) {
                Some(chosen) => chosen,
                None => return self.bad(span),
            },
            _ => typed,
        };
        self.cast_typed(style, typed, ty, span).unwrap_or_else(|| self.bad(span))
    }

    /// `dynamic_cast`: to a base at compile time, else by the object's class at run time.
    fn dynamic_cast(&mut self, value: Typed, ty: TypeId, span: Span) -> Option<Typed> {
        let is_reference = self.types.is_reference(ty);
        let target = match self.types.pointee(ty) {
            Some(to) => to,
            None => self.types.referred(ty),
        };
        let pointer = if is_reference { self.address_of(value) } else { self.decayed(value) };
        let from = self.types.pointee(pointer.ty).and_then(|from| self.types.record_of(from));
        let (Some(from), Some(to)) = (from, self.types.record_of(target)) else {
            self.error(span, "`dynamic_cast` converts pointers and references to classes");
            return None;
        };
        let to_pointer = self.types.pointer(target);
        let pointer = if self.types.base_offset(from, to).is_some() {
            self.convert(pointer, to_pointer, span)?
        } else if !self.host || !self.types.record(from).polymorphic {
            self.unsupported(span, "this `dynamic_cast`");
            return None;
        } else {
            let wanted = self.types.bare(target);
            let wanted = self.type_object_address(wanted, span);
            let name = if is_reference { "__lw_dynamic_reference" } else { "__lw_dynamic_cast" };
            let found = self.call_named(name, vec![pointer, wanted], span);
            if found.ty == TypeId::ERROR {
                return None;
            }
            Typed { ty: to_pointer, ..found }
        };
        Some(if is_reference { self.dereference(pointer) } else { pointer })
    }

    /// `typeid` of a type: a reference to its `std::type_info`.
    pub(super) fn type_identity(&mut self, ty: TypeId, span: Span) -> Typed {
        if ty == TypeId::ERROR {
            return self.bad(span);
        }
        if !self.host {
            self.unsupported(span, "`typeid` in device code");
            return self.bad(span);
        }
        let ty = self.types.referred(ty);
        let object = self.type_object_address(ty, span);
        self.call_named("__lw_type_info", vec![object], span)
    }

    /// `typeid` of a value. Only the class of a polymorphic object is not known before the program runs.
    pub(super) fn value_identity(&mut self, value: &Expression, span: Span) -> Typed {
        let unevaluated = std::mem::replace(&mut self.unevaluated, true);
        let typed = self.expression(value);
        self.unevaluated = unevaluated;
        let record = self.types.record_of(typed.ty);
        let polymorphic = record.is_some_and(|record| self.types.record(record).polymorphic);
        if !polymorphic || !typed.lvalue || !self.host {
            return self.type_identity(typed.ty, span);
        }
        let object = self.expression(value);
        let address = self.address_of(object);
        self.call_named("__lw_type_of", vec![address], span)
    }

    pub(in crate::analyze) fn cast_typed(
        &mut self,
        style: CastStyle,
        value: Typed,
        ty: TypeId,
        span: Span,
    ) -> Option<Typed> {
        let target = self.types.bare(ty);
        if target == TypeId::VOID {
            let kind =
                TypedKind::Comma(Box::new(value), Box::new(self.constant(0, TypeId::VOID, span)));
            return Some(Typed { kind, ty: TypeId::VOID, lvalue: false, expiring: false, span });
        }
        if self.types.is_reference(ty) {
            return self.cast_reference(style, value, ty, span);
        }
        let any = matches!(style, CastStyle::Parentheses | CastStyle::Reinterpret);
        if self.types.record_of(target).is_some() {
            let operators = match self.types.record_of(value.ty) {
                Some(record) => self.conversions_of(record),
                None => Vec::new(),
            };
            if operators.iter().any(|(_, result)| self.types.bare(*result) == target) {
                return self.convert_by_cast(value, target, span);
            }
            return self.initialize_values(target, vec![value], span);
        }
        let value =
            if self.types.record_of(value.ty).is_some() { value } else { self.decayed(value) };
        let from = value.ty;
        let numbers =
            self.types.fundamental(from).is_some() && self.types.fundamental(target).is_some();
        if numbers {
            return Some(self.number_as(value, target));
        }
        let pointer = |this: &Self, ty: TypeId| this.types.is_pointer(ty) || ty == TypeId::NULL;
        if pointer(self, from) && pointer(self, target) {
            if let Some(converted) =
                self.trial(|this| this.convert(value.clone(), target, span)).flatten()
            {
                return Some(converted);
            }
            // A cast to a derived class.
            if let (Some(a), Some(b)) = (
                self.types.pointee(from).and_then(|to| self.types.record_of(to)),
                self.types.pointee(target).and_then(|to| self.types.record_of(to)),
            ) && let Some(offset) = self.types.base_offset(b, a)
                && offset > 0
                && style != CastStyle::Reinterpret
            {
                let index = self.constant(offset, TypeId::LONG, span);
                let kind = TypedKind::PointerAdd(Box::new(value), Box::new(index), -1);
                return Some(Typed { kind, ty: target, lvalue: false, expiring: false, span });
            }
            return Some(Typed { ty: target, span, ..value });
        }
        if any {
            let integer = |this: &Self, ty: TypeId| {
                this.types.is_integer(ty) || this.types.is_enumeration(ty)
            };
            if pointer(self, from) && integer(self, target) {
                let wide = Typed {
                    kind: TypedKind::Reinterpret(Box::new(value)),
                    ty: TypeId::UNSIGNED_LONG,
                    lvalue: false,
                    expiring: false,
                    span,
                };
                return Some(self.number_as(wide, target));
            }
            if integer(self, from) && pointer(self, target) {
                let wide = self.number_as(value, TypeId::UNSIGNED_LONG);
                if let TypedKind::Constant(bits) = wide.kind {
                    return Some(Typed {
                        kind: TypedKind::Constant(bits),
                        ty: target,
                        span,
                        ..wide
                    });
                }
                let kind = TypedKind::Reinterpret(Box::new(wide));
                return Some(Typed { kind, ty: target, lvalue: false, expiring: false, span });
            }
        }
        self.convert_by_cast(value, ty, span)
    }

    /// Converts a value; `explicit` conversion operators are allowed.
    pub(in crate::analyze) fn convert_by_cast(
        &mut self,
        value: Typed,
        ty: TypeId,
        span: Span,
    ) -> Option<Typed> {
        let outer = std::mem::replace(&mut self.casting, true);
        let converted = self.convert(value, ty, span);
        self.casting = outer;
        converted
    }

    fn cast_reference(
        &mut self,
        style: CastStyle,
        value: Typed,
        ty: TypeId,
        span: Span,
    ) -> Option<Typed> {
        let expiring = matches!(self.types.kind(ty), TypeKind::RvalueReference(_));
        let inner = self.types.referred(ty);
        let (a, b) = (self.types.bare(value.ty), self.types.bare(inner));
        if let (Some(from), Some(to)) = (self.types.record_of(a), self.types.record_of(b))
            && style != CastStyle::Reinterpret
        {
            let object = self.temporary(value);
            if self.types.base_offset(from, to).is_some() {
                let object = self.as_base(object, to)?;
                return Some(Typed { ty: inner, expiring, span, ..object });
            }
            if let Some(offset) = self.types.base_offset(to, from) {
                let address = self.address_of(object);
                let pointer = self.types.pointer(inner);
                let index = self.constant(offset, TypeId::LONG, span);
                let kind = TypedKind::PointerAdd(Box::new(address), Box::new(index), -1);
                let address = Typed { kind, ty: pointer, lvalue: false, expiring: false, span };
                let object = self.dereference(address);
                return Some(Typed { expiring, ..object });
            }
            if style != CastStyle::Parentheses {
                self.error(span, "these classes are not related");
                return None;
            }
            let address = self.address_of(object);
            let pointer = self.types.pointer(inner);
            let object = self.dereference(Typed { ty: pointer, ..address });
            return Some(Typed { expiring, span, ..object });
        }
        if a == b {
            let object = self.temporary(value);
            return Some(Typed { ty: inner, expiring, span, ..object });
        }
        if style == CastStyle::Static {
            let value = self.convert(value, inner, span)?;
            let object = self.temporary(value);
            return Some(Typed { expiring, ..object });
        }
        let object = self.temporary(value);
        let address = self.address_of(object);
        let pointer = self.types.pointer(inner);
        let object = self.dereference(Typed { ty: pointer, ..address });
        Some(Typed { expiring, span, ..object })
    }

    /// `T(values)` and `T{values}`.
    pub(super) fn construct(
        &mut self,
        kind: &Rc<TypeSyntax>,
        elements: &[ListElement],
        braces: bool,
        span: Span,
    ) -> Typed {
        let mut ty = match self.deduced_construction(kind, elements) {
            Some(ty) => ty,
            None => self.type_of(kind),
        };
        if ty == TypeId::ERROR {
            return self.bad(span);
        }
        if ty == TypeId::AUTO {
            match elements.first() {
                Some(only) => {
                    let value = self.expression(&only.value);
                    ty = self.types.decay(value.ty);
                }
                None => return self.bad(span),
            }
        }
        if braces {
            let list = Expression { kind: ExpressionKind::List(elements.to_vec()), span };
            return self.initialize_from(ty, &list, span).unwrap_or_else(|| self.bad(span));
        }
        if let [only] = elements
            && !matches!(only.value.kind, ExpressionKind::Expansion(_))
        {
            let value = if matches!(only.value.kind, ExpressionKind::List(_)) {
                return self
                    .initialize_from(ty, &only.value, span)
                    .unwrap_or_else(|| self.bad(span));
            } else {
                self.expression(&only.value)
            };
            if value.ty == TypeId::ERROR {
                return value;
            }
            return self
                .cast_typed(CastStyle::Parentheses, value, ty, span)
                .unwrap_or_else(|| self.bad(span));
        }
        let list: Vec<Expression> = elements.iter().map(|element| element.value.clone()).collect();
        if list.is_empty() {
            return self.zero_value(ty, span).unwrap_or_else(|| self.bad(span));
        }
        self.initialize_direct(ty, &list, span).unwrap_or_else(|| self.bad(span))
    }
}
