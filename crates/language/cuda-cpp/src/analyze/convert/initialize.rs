//! Initialization of objects.

use super::Analyzer;
use crate::lex::known;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};

impl Analyzer {
    /// The initial value of a declared variable. Also deduces `auto` and completes the length of an array.
    pub(in crate::analyze) fn initialize_declared(
        &mut self,
        ty: &mut TypeId,
        syntax: &VariableSyntax,
    ) -> Option<Typed> {
        let span = syntax.span;
        if self.contains_auto(*ty) {
            return self.initialize_auto(ty, syntax);
        }
        match &syntax.initializer {
            Initializer::None => self.default_value(*ty, span),
            Initializer::Copy(value) | Initializer::List(value) => {
                if let TypeKind::Array(element, None) = *self.types.kind(*ty) {
                    let count = match &value.kind {
                        ExpressionKind::List(elements) => match elements.as_slice() {
                            [
                                ListElement {
                                    value:
                                        Expression { kind: ExpressionKind::Text(units, kind), .. },
                                    ..
                                },
                            ] if self.types.is_text_of(element, *kind) => units.len() as u64 + 1,
                            _ => self.list_length(elements),
                        },
                        ExpressionKind::Text(units, _) => units.len() as u64 + 1,
                        _ => 0,
                    };
                    *ty = self.types.intern(TypeKind::Array(element, Some(count)));
                }
                self.initialize_from(*ty, value, value.span)
            }
            Initializer::Direct(values) => self.initialize_direct(*ty, values, span),
        }
    }

    fn initialize_auto(&mut self, ty: &mut TypeId, syntax: &VariableSyntax) -> Option<Typed> {
        let value = match &syntax.initializer {
            Initializer::Copy(value) | Initializer::List(value) => value,
            Initializer::Direct(values) if values.len() == 1 => values.first()?,
            _ => return None,
        };
        let typed = self.expression(value);
        if typed.ty == TypeId::ERROR {
            return None;
        }
        let exact =
            matches!(syntax.kind.base, BaseType::DecltypeAuto) && !self.is_plain_name(value);
        if syntax.bindings.is_empty() || self.types.is_reference(*ty) {
            *ty = self.deduced_type(*ty, exact, &typed, value.span)?;
        } else {
            // Structured bindings copy arrays.
            let is_const = self.types.is_const(*ty);
            let bare = self.types.bare(typed.ty);
            *ty = self.types.with(bare, is_const, false);
        }
        if self.types.bare(*ty) == TypeId::VOID {
            self.error(value.span, "this value has type `void`");
            return None;
        }
        if *ty == TypeId::NULL {
            return Some(typed);
        }
        let target = *ty;
        self.convert(typed, target, value.span)
    }

    /// The type that `auto`, `auto&`, `auto&&`, `auto*` or (if `exact`) `decltype(auto)` means for a value.
    pub(in crate::analyze) fn deduced_type(
        &mut self,
        written: TypeId,
        exact: bool,
        value: &Typed,
        span: Span,
    ) -> Option<TypeId> {
        Some(match *self.types.kind(written) {
            TypeKind::Reference(inner) => {
                let is_const = self.types.is_const(inner);
                let target = self.types.with(value.ty, is_const, false);
                self.types.reference(target)
            }
            TypeKind::RvalueReference(_) if value.lvalue && !value.expiring => {
                self.types.reference(value.ty)
            }
            TypeKind::RvalueReference(_) => self.types.rvalue_reference(value.ty),
            TypeKind::Pointer(inner) => {
                let decayed = self.types.decay(value.ty);
                let Some(to) = self.types.pointee(decayed) else {
                    let shown = self.show(value.ty);
                    self.error(span, format!("`auto*` needs a pointer, not {shown}"));
                    return None;
                };
                let is_const = self.types.is_const(inner);
                let to = self.types.with(to, is_const, false);
                let pointer = self.types.pointer(to);
                self.types.with(pointer, self.types.is_const(written), false)
            }
            _ if exact && value.lvalue && value.expiring => self.types.rvalue_reference(value.ty),
            _ if exact && value.lvalue => self.types.reference(value.ty),
            _ => {
                let is_const = self.types.is_const(written);
                let decayed = self.types.decay(value.ty);
                self.types.with(decayed, is_const, false)
            }
        })
    }

    /// Creates an object of a type from one expression or list.
    pub(in crate::analyze) fn initialize_from(
        &mut self,
        ty: TypeId,
        value: &Expression,
        span: Span,
    ) -> Option<Typed> {
        if let ExpressionKind::List(elements) = &value.kind {
            return self.initialize_list(ty, elements, value.span);
        }
        if let TypeKind::Array(element, Some(count)) = *self.types.kind(ty) {
            if let ExpressionKind::Text(units, kind) = &value.kind
                && self.types.is_text_of(element, *kind)
            {
                return self.initialize_text(ty, element, count, units, span);
            }
            let typed = self.expression(value);
            if typed.ty == TypeId::ERROR {
                return None;
            }
            if self.types.bare(typed.ty) == self.types.bare(ty) {
                return self.copy_value(typed, ty);
            }
            self.error(span, "an array is initialized by a list in braces");
            return None;
        }
        let typed = self.argument(value);
        if typed.ty == TypeId::ERROR {
            return None;
        }
        // `convert` turns a function name into a pointer.
        self.convert(typed, ty, span)
    }

    pub(super) fn initialize_text(
        &mut self,
        ty: TypeId,
        element: TypeId,
        count: u64,
        units: &[u32],
        span: Span,
    ) -> Option<Typed> {
        if units.len() as u64 + 1 > count {
            self.error(
                span,
                format!(
                    "this string needs {} elements, but the array has {count}",
                    units.len() + 1
                ),
            );
            return None;
        }
        let (bare, size) = (self.types.bare(element), self.types.size(element));
        let parts: Vec<AggregatePart> = units
            .iter()
            .enumerate()
            .map(|(at, &unit)| (at as u64 * size, None, self.constant(u64::from(unit), bare, span)))
            .collect();
        Some(Typed {
            kind: TypedKind::Aggregate(parts, true),
            ty,
            lvalue: false,
            expiring: false,
            span,
        })
    }

    /// Creates an object from the values in parentheses.
    pub(in crate::analyze) fn initialize_direct(
        &mut self,
        ty: TypeId,
        values: &[Expression],
        span: Span,
    ) -> Option<Typed> {
        let typed = self.arguments(values)?;
        if typed.is_empty() {
            return self.zero_value(ty, span);
        }
        self.initialize_values(ty, typed, span)
    }

    pub(in crate::analyze) fn initialize_values(
        &mut self,
        ty: TypeId,
        mut values: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        if let Some(record) = self.types.record_of(ty) {
            let target = self.types.bare(ty);
            if let [only] = values.as_slice()
                && self.types.bare(only.ty) == target
            {
                let only = values.pop()?;
                return self.copy_value(only, target);
            }
            let list = self.constructors(record);
            if !list.is_empty() {
                let name = self.parser.names.intern("<constructor>");
                // One argument of a class that has a conversion operator.
                if let [only] = values.as_slice()
                    && self.types.record_of(only.ty).is_some()
                    && self
                        .trial(|this| this.choose(&list, &[], None, &values, span, name))
                        .flatten()
                        .is_none()
                {
                    let only = values.pop()?;
                    return self.convert_by_cast(only, target, span);
                }
                let number = self.choose(&list, &[], None, &values, span, name)?;
                return self.construct_by(number, target, values, span);
            }
            if let [only] = values.as_slice()
                && (self.types.record(record).is_union
                    || self.types.record(record).fields.is_empty()
                    || self.conversion(only, target).is_some())
            {
                let only = values.pop()?;
                return self.convert(only, target, span);
            }
            return self.aggregate_of(target, record, values, span);
        }
        if values.len() != 1 {
            let shown = self.show(ty);
            self.error(span, format!("{shown} takes one initial value"));
            return None;
        }
        let only = values.pop()?;
        if self.types.is_reference(ty) {
            return self.bind_reference(only, ty, span);
        }
        self.convert(only, ty, span)
    }

    /// An aggregate whose bases and members have these values, as `T(values)` creates it in C++20.
    fn aggregate_of(
        &mut self,
        ty: TypeId,
        record: RecordId,
        values: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        let found = self.types.record(record).clone();
        let bases = found.bases.iter().map(|&(base, offset)| (base, offset, None));
        let fields = found.fields.iter().map(|field| (field.kind, field.offset, field.bits));
        let places: Vec<_> = bases.chain(fields).collect();
        if values.len() > places.len() || found.is_union {
            let shown = self.show(ty);
            let count = values.len();
            self.error(span, format!("class {shown} has no constructor with {count} arguments"));
            return None;
        }
        let rest = places.len() - values.len();
        let mut parts: Vec<AggregatePart> = Vec::new();
        for (value, &(kind, offset, bits)) in values.into_iter().zip(&places) {
            parts.push((offset, bits, self.convert(value, kind, span)?));
        }
        let defaults = found.fields.iter().rev().take(rest).rev();
        for field in defaults {
            let value = match field.default.clone() {
                Some(default) => self
                    .within(found.scope, |this| this.initialize_from(field.kind, &default, span))?,
                None => self.zero_value(field.kind, span)?,
            };
            parts.push((field.offset, field.bits, value));
        }
        let kind = TypedKind::Aggregate(parts, true);
        Some(Typed { kind, ty, lvalue: false, expiring: false, span })
    }

    /// `T()` and `T{}`: zeros, or the default constructor.
    pub(in crate::analyze) fn zero_value(&mut self, ty: TypeId, span: Span) -> Option<Typed> {
        if self.types.bare(ty) == TypeId::VOID {
            return Some(self.constant(0, TypeId::VOID, span));
        }
        if self.types.is_reference(ty) {
            self.error(span, "a reference needs an initial value");
            return None;
        }
        if !self.types.is_aggregate(ty) {
            let bare = self.types.bare(ty);
            return Some(self.constant(0, bare, span));
        }
        if let Some(record) = self.types.record_of(ty)
            && (self.types.record(record).has_constructors
                || self.types.record(record).needs_construction)
        {
            let errors = self.parser.problems.errors();
            let value = self.default_value(ty, span);
            if value.is_none() && self.parser.problems.errors() > errors {
                return None;
            }
            if let Some(value) = value {
                return Some(match value.kind {
                    TypedKind::Aggregate(parts, _) => {
                        Typed { kind: TypedKind::Aggregate(parts, true), ..value }
                    }
                    _ => value,
                });
            }
        }
        Some(Typed {
            kind: TypedKind::Aggregate(Vec::new(), true),
            ty,
            lvalue: false,
            expiring: false,
            span,
        })
    }

    /// The initial value of a variable without an initializer; `None` if it is undefined.
    pub(in crate::analyze) fn default_value(&mut self, ty: TypeId, span: Span) -> Option<Typed> {
        if let TypeKind::Array(element, Some(count)) = *self.types.kind(ty) {
            let innermost = self.element_of(element);
            self.types.record_of(innermost)?;
            let value = self.default_value(element, span)?;
            let kind = TypedKind::Repeat(Box::new(value), count);
            return Some(Typed { kind, ty, lvalue: false, expiring: false, span });
        }
        let record = self.types.record_of(ty)?;
        let found = self.types.record(record).clone();
        let target = self.types.bare(ty);
        if found.has_constructors {
            let list = self.constructors(record);
            let name = self.parser.names.intern("<constructor>");
            let usable =
                self.trial(|this| this.choose(&list, &[], None, &[], span, name)).flatten();
            let Some(number) = usable else {
                // `T() = default` alongside other constructors.
                if self.has_default_constructor(record) {
                    return self.default_parts(target, record, span);
                }
                let shown = self.show(ty);
                let problem = SourceProblem::error(
                    span,
                    format!("class {shown} has no constructor without arguments"),
                );
                self.report(problem.note(found.span, "the class is defined here"));
                return None;
            };
            // A constructor with an empty body does not change the object.
            let syntax = self.function(number).syntax.clone();
            if syntax.body.is_some_and(|body| body.end - body.start == 2)
                && !found.needs_construction
            {
                return None;
            }
            return self.construct_by(number, target, Vec::new(), span);
        }
        if !found.needs_construction {
            return None;
        }
        self.default_parts(target, record, span)
    }

    /// Whether a class declares `T() = default`.
    pub(super) fn has_default_constructor(&self, record: RecordId) -> bool {
        let scope = self.types.record(record).scope;
        self.functions.iter().any(|function| {
            function.record == Some(record)
                && function.scope == scope
                && function.is_constructor
                && function.syntax.defaulted
                && function.syntax.signature.parameters.is_empty()
        })
    }

    fn default_parts(&mut self, ty: TypeId, record: RecordId, span: Span) -> Option<Typed> {
        let found = self.types.record(record).clone();
        let mut parts: Vec<AggregatePart> = Vec::new();
        for (base, offset) in &found.bases {
            if let Some(value) = self.default_value(*base, span) {
                parts.push((*offset, None, value));
            }
        }
        if found.is_union {
            return None;
        }
        parts.extend(self.table_addresses(record, span).into_iter().map(|(o, a)| (o, None, a)));
        for field in &found.fields {
            let value = match &field.default {
                Some(default) => {
                    let default = default.clone();
                    self.within(found.scope, |this| {
                        this.initialize_from(field.kind, &default, span)
                    })
                }
                None if field.name == known::EMPTY => None,
                None => self.default_value(field.kind, span),
            };
            if let Some(value) = value {
                parts.push((field.offset, field.bits, value));
            }
        }
        if parts.is_empty() {
            return None;
        }
        Some(Typed {
            kind: TypedKind::Aggregate(parts, false),
            ty,
            lvalue: false,
            expiring: false,
            span,
        })
    }
}
