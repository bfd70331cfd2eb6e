//! Implicit conversions and their ranks, for overload resolution (C++17, chapter [over.best.ics]).

mod apply;
mod functions;
mod initialize;
mod lists;
mod overloads;

use super::Analyzer;
use super::functions::UserConversion;
use super::scopes::Binding;
use super::templates::Deduction;
use crate::source::Span;
use crate::syntax::{BuiltinType, Derivation};
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
        if let Some(set) = self.overloads_of(value) {
            return self.overload_for(&set, ty, value.span).map(|_| EXACT);
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
                // As C, and as C++ before 2011: `char *text = "literal"`.
                if self.types.bare(to) == TypeId::CHAR && self.is_literal(value) {
                    return Some(CONVERSION);
                }
                return self.pointer_conversion(pointee, to);
            }
        }
        if let Some(to) = self.member_type(target) {
            let null = from == TypeId::NULL
                || matches!(value.kind, TypedKind::Constant(0)) && self.types.is_integer(from);
            let fits = |from| self.member_conversion(from, to);
            return (null || self.member_type(from).is_some_and(fits)).then_some(CONVERSION);
        }
        let pointer = self.types.is_pointer(from) || self.member_type(from).is_some();
        if target == TypeId::BOOL && (pointer || from == TypeId::NULL) {
            return Some(CONVERSION + 8);
        }
        if let (Some(derived), Some(base)) =
            (self.types.record_of(from), self.types.record_of(target))
            && self.types.base_offset(derived, base).is_some()
        {
            return Some(CONVERSION);
        }
        if self.lambda_function(value, Some(target)).is_some() {
            return Some(USER);
        }
        self.user_conversion(value, target).map(|(_, cost)| USER + cost.min(15))
    }

    /// Whether a value is a string literal.
    fn is_literal(&self, value: &Typed) -> bool {
        match value.kind {
            TypedKind::Variable(number) => {
                self.variables[number.0 as usize].symbol.starts_with("$str")
            }
            _ => false,
        }
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
        // A temporary object binds to `T&&` better than to `const T&`.
        self.conversion(value, bare).map(|cost| cost + if rvalue { 1 } else { 2 })
    }

    fn list_conversion(&mut self, value: &Typed, target: TypeId) -> Option<u32> {
        let list = self.lists.get(&(value.span.low, value.span.high)).cloned()?;
        let fits = self.trial(|this| this.initialize_from(target, &list, value.span)).flatten();
        fits.map(|_| if self.types.is_aggregate(target) { USER } else { EXACT })
    }

    /// The conversion operators of a class and its bases.
    pub(super) fn conversions_of(&mut self, record: RecordId) -> Vec<(FunctionNumber, TypeId)> {
        let mut found = Vec::new();
        for number in self.conversion_functions(record) {
            if self.function(number).template.is_none()
                && let Some(signature) = self.signature(number)
            {
                found.push((number, signature.result));
            }
        }
        found
    }

    fn conversion_functions(&mut self, record: RecordId) -> Vec<FunctionNumber> {
        let Some(name) = self.parser.names.find("operator ") else { return Vec::new() };
        let scope = self.types.record(record).scope;
        match self.find_in(scope, name, 0) {
            Some(Binding::Functions(list)) => list,
            _ => Vec::new(),
        }
    }

    /// The instances of a class's conversion operator templates that convert to a type, and their results.
    fn conversion_instances(
        &mut self,
        record: RecordId,
        target: TypeId,
        span: Span,
    ) -> Vec<(FunctionNumber, TypeId)> {
        let mut found = Vec::new();
        for number in self.conversion_functions(record) {
            if self.function(number).template.is_some()
                && let Some(Some(made)) =
                    self.trial(|this| this.conversion_instance(number, target, span))
            {
                found.push(made);
            }
        }
        found
    }

    fn conversion_instance(
        &mut self,
        number: FunctionNumber,
        target: TypeId,
        span: Span,
    ) -> Option<(FunctionNumber, TypeId)> {
        let function = self.function(number).clone();
        let parameters = function.template.clone()?;
        let pattern = function.syntax.name.last().conversion.clone()?;
        let count = match pattern.derived.as_slice() {
            [before @ .., Derivation::Reference | Derivation::RvalueReference] => before.len(),
            whole => whole.len(),
        };
        let mut deduction = Deduction::new(&parameters);
        let target = self.types.bare(target);
        if !self.deduce_type(&pattern, count, target, &mut deduction, function.scope) {
            return None;
        }
        let arguments = self.deduced_arguments(&deduction, function.scope, span)?;
        let made = self.instance_of(number, &arguments, span)?;
        Some((made, self.signature(made)?.result))
    }

    /// The constructor or conversion operator that converts a value, and its additional cost.
    fn user_conversion(&mut self, value: &Typed, target: TypeId) -> Option<(UserConversion, u32)> {
        if self.converting {
            return None;
        }
        // The same conversion is tried for many candidates of many calls.
        let complete = |ty| match self.types.record_of(ty) {
            Some(record) => self.types.record(record).complete,
            None => true,
        };
        let special = matches!(value.kind, TypedKind::Constant(0)) || self.is_literal(value);
        let cached = !special && complete(value.ty) && complete(target);
        let key = (value.ty, value.lvalue, value.expiring, self.casting, target);
        if cached && let Some(known) = self.conversions.get(&key) {
            return *known;
        }
        self.converting = true;
        let found = self.find_user_conversion(value, target);
        self.converting = false;
        if cached {
            self.conversions.insert(key, found);
        }
        found
    }

    fn find_user_conversion(
        &mut self,
        value: &Typed,
        target: TypeId,
    ) -> Option<(UserConversion, u32)> {
        let mut best: Option<(UserConversion, u32)> = None;
        if let Some(record) = self.types.record_of(value.ty) {
            let mut conversions = self.conversions_of(record);
            if self.types.record_of(target) != Some(record) {
                conversions.extend(self.conversion_instances(record, target, value.span));
            }
            for (number, result) in conversions {
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
        let mut list = match self.scopes[scope].names.get(&name) {
            Some(Binding::Functions(list)) => list.clone(),
            _ => return Vec::new(),
        };
        // If a class also declares a copy or move constructor itself, its defaulted ones are additional candidates.
        let defaulted = self.defaulted_transfers(record);
        if !defaulted.is_empty() && list.iter().any(|&number| self.transfers(number, record)) {
            list.extend(defaulted.into_iter().map(|member| self.supplied(record, member)));
        }
        list
    }
}
