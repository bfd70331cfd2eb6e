//! Implicit conversions.

mod initialize;
mod overloads;

use super::Analyzer;
use super::scopes::Binding;
use crate::source::Span;
use crate::source::diagnostics::SourceProblem;
use crate::syntax::BuiltinType;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};

/// Costs of conversions: the rank in the C++ standard times 16, plus finer differences.
pub(super) const EXACT: u32 = 0;
const PROMOTION: u32 = 16;
const CONVERSION: u32 = 32;
const USER: u32 = 48;

impl Analyzer {
    /// The cost of an implicit conversion; `None` if the conversion does not exist.
    pub(super) fn conversion(&mut self, value: &Typed, ty: TypeId) -> Option<u32> {
        if value.ty == TypeId::ERROR || ty == TypeId::ERROR {
            return Some(EXACT);
        }
        match self.types.kind(ty).clone() {
            TypeKind::Reference(inner) => return self.reference_conversion(value, inner, false),
            TypeKind::RvalueReference(inner) => {
                return self.reference_conversion(value, inner, true);
            }
            _ => {}
        }
        let target = self.types.bare(ty);
        // A braced list.
        if value.ty == TypeId::AUTO {
            return self.list_conversion(value, target);
        }
        let from = if self.types.record_of(value.ty).is_some() {
            self.types.bare(value.ty)
        } else {
            self.types.decay(value.ty)
        };
        if from == target {
            return Some(EXACT);
        }
        let (a, b) = (self.types.fundamental(from), self.types.fundamental(target));
        if let (Some(a), Some(b)) = (a, b) {
            if a == BuiltinType::Void || b == BuiltinType::Void {
                return None;
            }
            if self.types.is_scoped(from) || self.types.is_enumeration(target) {
                return None;
            }
            if self.types.promoted(from) == target && self.types.is_integer(target) {
                return Some(PROMOTION);
            }
            if from == TypeId::FLOAT && target == TypeId::DOUBLE {
                return Some(PROMOTION);
            }
            return Some(CONVERSION);
        }
        if let TypeKind::Pointer(to) = *self.types.kind(target) {
            if from == TypeId::NULL
                || matches!(value.kind, TypedKind::Constant(0)) && self.types.is_integer(from)
            {
                return Some(CONVERSION);
            }
            if let TypeKind::Pointer(pointee) = *self.types.kind(from) {
                return self.pointer_conversion(pointee, to);
            }
        }
        if target == TypeId::BOOL && (self.types.is_pointer(from) || from == TypeId::NULL) {
            return Some(CONVERSION + 8);
        }
        if let (Some(derived), Some(base)) =
            (self.types.record_of(from), self.types.record_of(target))
            && self.types.base_offset(derived, base).is_some()
        {
            return Some(CONVERSION);
        }
        self.user_conversion(value, target).map(|(_, cost)| USER + cost.min(15))
    }

    fn pointer_conversion(&mut self, from: TypeId, to: TypeId) -> Option<u32> {
        let keeps = |this: &Self| {
            (!this.types.is_const(from) || this.types.is_const(to))
                && (!this.types.is_volatile(from) || this.types.is_volatile(to))
        };
        if !keeps(self) {
            return None;
        }
        let adds = u32::from(
            self.types.is_const(from) != self.types.is_const(to)
                || self.types.is_volatile(from) != self.types.is_volatile(to),
        );
        let (a, b) = (self.types.bare(from), self.types.bare(to));
        if a == b {
            return Some(EXACT + adds);
        }
        if b == TypeId::VOID {
            return Some(CONVERSION + 4 + adds);
        }
        if let (Some(derived), Some(base)) = (self.types.record_of(a), self.types.record_of(b))
            && self.types.base_offset(derived, base).is_some()
        {
            return Some(CONVERSION + adds);
        }
        // `T**` to `const T* const*`.
        if let (TypeKind::Pointer(a), TypeKind::Pointer(b)) =
            (self.types.kind(a).clone(), self.types.kind(b).clone())
            && self.types.is_const(to)
        {
            return self.pointer_conversion(a, b).map(|cost| cost + 1);
        }
        if let (TypeKind::Array(a, _), TypeKind::Array(b, None)) =
            (self.types.kind(a).clone(), self.types.kind(b).clone())
            && a == b
        {
            return Some(EXACT + 1);
        }
        None
    }

    fn reference_conversion(&mut self, value: &Typed, inner: TypeId, rvalue: bool) -> Option<u32> {
        let is_const = self.types.is_const(inner);
        let (a, b) = (self.types.bare(value.ty), self.types.bare(inner));
        let related = a == b
            || match (self.types.record_of(a), self.types.record_of(b)) {
                (Some(derived), Some(base)) => self.types.base_offset(derived, base).is_some(),
                _ => false,
            };
        let lvalue = value.lvalue && !value.expiring;
        if related && value.ty != TypeId::AUTO {
            let base = if a == b { EXACT } else { CONVERSION };
            let keeps = (!self.types.is_const(value.ty) || is_const)
                && (!self.types.is_volatile(value.ty) || self.types.is_volatile(inner));
            let adds = u32::from(is_const && !self.types.is_const(value.ty));
            if lvalue {
                return (!rvalue && keeps).then_some(base + adds);
            }
            return if rvalue {
                keeps.then_some(base)
            } else {
                is_const.then_some(base + adds + 2)
            };
        }
        if !rvalue && !is_const {
            return None;
        }
        let bare = self.types.bare(inner);
        self.conversion(value, bare).map(|cost| cost + 2)
    }

    fn list_conversion(&mut self, value: &Typed, target: TypeId) -> Option<u32> {
        let list = self.lists.get(&(value.span.low, value.span.high)).cloned()?;
        let fits = self.trial(|this| this.initialize_from(target, &list, value.span)).flatten();
        fits.map(|_| if self.types.is_aggregate(target) { USER } else { EXACT })
    }

    /// The conversion operators of a class and its bases.
    pub(super) fn conversions_of(&mut self, record: RecordId) -> Vec<(FunctionNumber, TypeId)> {
        let mut found = Vec::new();
        let Some(name) = self.parser.names.find("operator ") else { return found };
        let scope = self.types.record(record).scope;
        if let Some(Binding::Functions(list)) = self.find_in(scope, name, 0) {
            for number in list {
                if self.function(number).template.is_none()
                    && let Some(signature) = self.signature(number)
                {
                    found.push((number, signature.result));
                }
            }
        }
        found
    }

    /// The constructor or conversion operator that converts a value, and its additional cost.
    fn user_conversion(&mut self, value: &Typed, target: TypeId) -> Option<(UserConversion, u32)> {
        if self.converting {
            return None;
        }
        self.converting = true;
        let found = self.find_user_conversion(value, target);
        self.converting = false;
        found
    }

    fn find_user_conversion(
        &mut self,
        value: &Typed,
        target: TypeId,
    ) -> Option<(UserConversion, u32)> {
        let mut best: Option<(UserConversion, u32)> = None;
        if let Some(record) = self.types.record_of(value.ty) {
            for (number, result) in self.conversions_of(record) {
                let is_explicit = self.function(number).syntax.specifiers.is_explicit;
                if is_explicit && !self.casting && target != TypeId::BOOL {
                    continue;
                }
                if self.types.is_const(value.ty) && !self.function(number).syntax.signature.is_const
                {
                    continue;
                }
                let probe = self.declval(result);
                if let Some(cost) = self.conversion(&probe, target)
                    && best.as_ref().is_none_or(|(_, known)| cost < *known)
                {
                    best = Some((UserConversion::Operator(number), cost));
                }
            }
        }
        if best.is_none()
            && let Some(record) = self.types.record_of(target)
            && self.types.record(record).has_constructors
        {
            let list = self.constructors(record);
            let list: Vec<FunctionNumber> = list
                .into_iter()
                .filter(|&number| !self.function(number).syntax.specifiers.is_explicit)
                .collect();
            let span = value.span;
            let chosen = self
                .trial(|this| this.choose_quietly(&list, std::slice::from_ref(value), span))
                .flatten();
            if let Some(number) = chosen {
                best = Some((UserConversion::Constructor(number), 1));
            }
        }
        best
    }

    /// The constructors of a class.
    pub(super) fn constructors(&mut self, record: RecordId) -> Vec<FunctionNumber> {
        let name = self.parser.names.intern("<constructor>");
        let scope = self.types.record(record).scope;
        match self.scopes[scope].names.get(&name) {
            Some(Binding::Functions(list)) => list.clone(),
            _ => Vec::new(),
        }
    }

    /// Converts a value implicitly; reports an error if that is impossible.
    pub(super) fn convert(&mut self, value: Typed, ty: TypeId, span: Span) -> Option<Typed> {
        if value.ty == TypeId::ERROR || ty == TypeId::ERROR {
            return None;
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
        if target == TypeId::BOOL && (self.types.is_pointer(from) || from == TypeId::NULL) {
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
                problem.help("write `reinterpret_cast` if the bits are to be read as another type")
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
    pub(super) fn bind_reference(&mut self, value: Typed, ty: TypeId, span: Span) -> Option<Typed> {
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
    pub(super) fn pass(&mut self, value: Typed, ty: TypeId, span: Span) -> Option<Typed> {
        self.convert(value, ty, span)
    }

    /// The part of an object that is this base class.
    pub(super) fn as_base(&mut self, object: Typed, base: RecordId) -> Option<Typed> {
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
    pub(super) fn number_as(&mut self, value: Typed, ty: TypeId) -> Typed {
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

    /// A new object, copied from another object of the same type.
    pub(super) fn copy_value(&mut self, value: Typed, ty: TypeId) -> Option<Typed> {
        if !value.lvalue {
            return Some(value);
        }
        if let Some(record) = self.types.record_of(ty)
            && self.types.record(record).has_constructors
            && self.types.bare(value.ty) == self.types.bare(ty)
        {
            let list = self.constructors(record);
            let copies: Vec<FunctionNumber> = list
                .into_iter()
                .filter(|&number| {
                    self.function(number).template.is_none()
                        && self.signature(number).is_some_and(|signature| {
                            signature.parameters.first().is_some_and(|parameter| {
                                self.types.is_reference(parameter.ty)
                                    && self.types.record_of(self.types.referred(parameter.ty))
                                        == Some(record)
                            }) && signature
                                .parameters
                                .iter()
                                .skip(1)
                                .all(|parameter| parameter.default.is_some())
                        })
                })
                .collect();
            let span = value.span;
            if !copies.is_empty()
                && let Some(number) =
                    self.choose_quietly(&copies, std::slice::from_ref(&value), span)
            {
                let ty = self.types.bare(ty);
                return self.construct_by(number, ty, vec![value], span);
            }
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
        if let Some(record) = self.types.record_of(value.ty) {
            let fields = self.types.record(record).fields.clone();
            if fields.iter().any(|field| self.is_destroyed(field.kind)) {
                let what = "the implicit copy of a class with members that have destructors";
                self.unsupported(value.span, what);
                return None;
            }
        }
        let bare = self.types.bare(value.ty);
        let loaded = self.rvalue(value);
        Some(if self.types.is_aggregate(bare) { Typed { ty: bare, ..loaded } } else { loaded })
    }
}

/// How a class is converted.
enum UserConversion {
    Operator(FunctionNumber),
    Constructor(FunctionNumber),
}
