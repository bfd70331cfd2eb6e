//! Initialization of objects.

use super::Analyzer;
use crate::lex::names::known;
use crate::source::Span;
use crate::source::diagnostics::SourceProblem;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};

type InitialPart = (u64, Option<(u8, u8)>, Typed);

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
                                    value: Expression { kind: ExpressionKind::Text(units), .. },
                                    ..
                                },
                            ] => units.len() as u64 + 1,
                            _ => elements.len() as u64,
                        },
                        ExpressionKind::Text(units) => units.len() as u64 + 1,
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
        let written = *ty;
        let is_const = self.types.is_const(written);
        *ty = match self.types.kind(written).clone() {
            TypeKind::Reference(inner) => {
                let is_const = self.types.is_const(inner);
                let target = self.types.with(typed.ty, is_const, false);
                self.types.reference(target)
            }
            TypeKind::RvalueReference(_) if typed.lvalue && !typed.expiring => {
                self.types.reference(typed.ty)
            }
            TypeKind::RvalueReference(_) => self.types.rvalue_reference(typed.ty),
            TypeKind::Pointer(inner) => {
                let decayed = self.types.decay(typed.ty);
                let is_const = self.types.is_const(inner);
                match self.types.pointee(decayed) {
                    Some(to) => {
                        let to = self.types.with(to, is_const, false);
                        self.types.pointer(to)
                    }
                    None => {
                        let shown = self.show(typed.ty);
                        self.error(value.span, format!("`auto*` needs a pointer, not {shown}"));
                        return None;
                    }
                }
            }
            _ if matches!(syntax.kind.base, BaseType::DecltypeAuto) && typed.lvalue => {
                self.types.reference(typed.ty)
            }
            _ => {
                // Structured bindings copy arrays.
                let decayed = if syntax.bindings.is_empty() {
                    self.types.decay(typed.ty)
                } else {
                    self.types.bare(typed.ty)
                };
                self.types.with(decayed, is_const, false)
            }
        };
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
            if let ExpressionKind::Text(units) = &value.kind {
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
        let typed = self.expression(value);
        if typed.ty == TypeId::ERROR {
            return None;
        }
        // `convert` turns a function name into a pointer.
        self.convert(typed, ty, span)
    }

    fn initialize_text(
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
        let bare = self.types.bare(element);
        let parts: Vec<InitialPart> = units
            .iter()
            .enumerate()
            .map(|(at, &unit)| (at as u64, None, self.constant(u64::from(unit), bare, span)))
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
                    return self.convert(only, target, span);
                }
                let number = self.choose(&list, &[], None, &values, span, name)?;
                return self.construct_by(number, target, values, span);
            }
            if let [_] = values.as_slice() {
                let only = values.pop()?;
                return self.convert(only, target, span);
            }
            let shown = self.show(ty);
            self.error(
                span,
                format!("class {shown} has no constructor with {} arguments", values.len()),
            );
            return None;
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

    /// Creates an object from a braced list.
    fn initialize_list(
        &mut self,
        ty: TypeId,
        elements: &[ListElement],
        span: Span,
    ) -> Option<Typed> {
        if self.types.is_reference(ty) {
            let inner = self.types.referred(ty);
            let bare = self.types.bare(inner);
            let value = self.initialize_list(bare, elements, span)?;
            return self.bind_reference(value, ty, span);
        }
        match self.types.kind(ty).clone() {
            TypeKind::Array(element, count) => {
                if let (
                    [
                        ListElement {
                            value: Expression { kind: ExpressionKind::Text(units), .. },
                            ..
                        },
                    ],
                    Some(count),
                ) = (elements, count)
                    && self.types.bits(element) == 8
                {
                    return self.initialize_text(ty, element, count, units, span);
                }
                let mut cursor = ListCursor { elements, at: 0 };
                let value = self.fill_array(ty, element, count.unwrap_or(0), &mut cursor, span)?;
                self.check_rest(&cursor, span)?;
                Some(value)
            }
            TypeKind::Record(record) => self.initialize_record(ty, record, elements, span),
            _ => match elements {
                [] => self.zero_value(ty, span),
                [only] => self.initialize_from(ty, &only.value, span),
                _ => {
                    let shown = self.show(ty);
                    self.error(span, format!("{shown} takes one initial value"));
                    None
                }
            },
        }
    }

    fn check_rest(&mut self, cursor: &ListCursor, span: Span) -> Option<()> {
        let Some(element) = cursor.elements.get(cursor.at) else { return Some(()) };
        let place = element.value.span;
        self.report(
            SourceProblem::error(place, "too many initial values").note(span, "in this list"),
        );
        None
    }

    /// Calls the constructor that takes a `std::initializer_list`; `None` if none fits.
    fn construct_by_list(
        &mut self,
        target: TypeId,
        record: RecordId,
        elements: &[ListElement],
        span: Span,
    ) -> Option<Typed> {
        let count = elements.len() as u64;
        let expands = |e: &ListElement| matches!(e.value.kind, ExpressionKind::Expansion(_));
        if count == 0 || elements.iter().any(expands) {
            return None;
        }
        for number in self.constructors(record) {
            let Some(signature) = self.signature(number) else { continue };
            let [only] = signature.parameters.as_slice() else { continue };
            let list_type = self.types.bare(only.ty);
            let Some(list) = self.types.record_of(list_type) else { continue };
            let list = self.types.record(list);
            if !list.name.starts_with("initializer_list<") {
                continue;
            }
            let [first, size] = list.fields.as_slice() else { continue };
            let (pointer, places) = (first.kind, [first.offset, size.offset]);
            let element = self.types.pointee(pointer)?;
            let element = self.types.bare(element);
            let array = self.types.intern(TypeKind::Array(element, Some(count)));
            let values = self.initialize_list(array, elements, span)?;
            let values = self.temporary(values);
            let values = self.decayed(values);
            let count = self.constant(count, TypeId::UNSIGNED_LONG, span);
            let parts =
                vec![(places[0], None, Typed { ty: pointer, ..values }), (places[1], None, count)];
            let kind = TypedKind::Aggregate(parts, false);
            let list = Typed { kind, ty: list_type, lvalue: false, expiring: false, span };
            return self.construct_by(number, target, vec![list], span);
        }
        None
    }

    fn initialize_record(
        &mut self,
        ty: TypeId,
        record: RecordId,
        elements: &[ListElement],
        span: Span,
    ) -> Option<Typed> {
        let target = self.types.bare(ty);
        if self.types.record(record).has_constructors {
            let listed = self.trial(|this| this.construct_by_list(target, record, elements, span));
            if let Some(Some(object)) = listed {
                return Some(object);
            }
            let list: Vec<Expression> =
                elements.iter().map(|element| element.value.clone()).collect();
            let values = self.arguments(&list)?;
            if let [only] = values.as_slice()
                && self.types.bare(only.ty) == target
            {
                let only = values.into_iter().next()?;
                return self.copy_value(only, target);
            }
            let constructors = self.constructors(record);
            let name = self.parser.names.intern("<constructor>");
            let number = self.choose(&constructors, &[], None, &values, span, name)?;
            return self.construct_by(number, target, values, span);
        }
        // A single value of the same class.
        if let [only] = elements
            && only.field.is_none()
            && !matches!(only.value.kind, ExpressionKind::List(_) | ExpressionKind::Expansion(_))
        {
            let same = self.trial(|this| {
                let typed = this.expression(&only.value);
                let fits = this.types.bare(typed.ty) == target;
                fits.then_some(typed)
            });
            if let Some(Some(typed)) = same {
                return self.copy_value(typed, target);
            }
        }
        let mut cursor = ListCursor { elements, at: 0 };
        let value = self.fill_record(target, record, &mut cursor, span)?;
        self.check_rest(&cursor, span)?;
        Some(value)
    }

    /// The value of one element of an aggregate: a list, a value, or (if its braces are omitted) several values.
    fn fill_element(&mut self, ty: TypeId, cursor: &mut ListCursor, span: Span) -> Option<Typed> {
        let element = cursor.elements.get(cursor.at)?;
        let value = &element.value;
        let nested = match self.types.kind(ty).clone() {
            TypeKind::Array(inner, count)
                if !matches!(value.kind, ExpressionKind::List(_) | ExpressionKind::Text(_)) =>
            {
                return self.fill_array(ty, inner, count.unwrap_or(0), cursor, span);
            }
            TypeKind::Record(record) if !self.types.record(record).has_constructors => Some(record),
            _ => None,
        };
        if let Some(record) = nested
            && !matches!(value.kind, ExpressionKind::List(_))
        {
            let fits = self.trial(|this| {
                let typed = this.expression(value);
                this.conversion(&typed, ty).is_some() && typed.ty != TypeId::ERROR
            });
            if fits != Some(true) {
                let bare = self.types.bare(ty);
                return self.fill_record(bare, record, cursor, span);
            }
        }
        cursor.at += 1;
        self.initialize_from(ty, value, value.span)
    }

    fn fill_array(
        &mut self,
        ty: TypeId,
        element: TypeId,
        count: u64,
        cursor: &mut ListCursor,
        span: Span,
    ) -> Option<Typed> {
        let size = self.types.size(element);
        let mut parts: Vec<InitialPart> = Vec::new();
        let mut at = 0;
        while at < count && cursor.at < cursor.elements.len() {
            if let ExpressionKind::Expansion(pattern) = &cursor.elements[cursor.at].value.kind {
                let values = self
                    .expand_pattern(pattern, |this| this.initialize_from(element, pattern, span));
                cursor.at += 1;
                for value in values {
                    parts.push((at * size, None, value?));
                    at += 1;
                }
                continue;
            }
            let value = self.fill_element(element, cursor, span)?;
            parts.push((at * size, None, value));
            at += 1;
        }
        let rest = at < count;
        let innermost = self.element_of(element);
        if rest
            && self
                .types
                .record_of(innermost)
                .is_some_and(|record| self.types.record(record).needs_construction)
        {
            for at in at..count.min(at + 4096) {
                if let Some(value) = self.default_value(element, span) {
                    parts.push((at * size, None, value));
                }
            }
        }
        Some(Typed {
            kind: TypedKind::Aggregate(parts, rest),
            ty,
            lvalue: false,
            expiring: false,
            span,
        })
    }

    fn fill_record(
        &mut self,
        ty: TypeId,
        record: RecordId,
        cursor: &mut ListCursor,
        span: Span,
    ) -> Option<Typed> {
        let found = self.types.record(record).clone();
        let mut parts: Vec<InitialPart> = Vec::new();
        let mut complete = !found.fields.is_empty() || !found.bases.is_empty();
        for (base, offset) in &found.bases {
            if cursor.at < cursor.elements.len() {
                let value = self.fill_element(*base, cursor, span)?;
                parts.push((*offset, None, value));
            } else {
                complete = false;
            }
        }
        for field in &found.fields {
            let designated = cursor.elements.get(cursor.at).and_then(|element| element.field);
            let takes = match designated {
                Some(name) => name == field.name,
                None => cursor.at < cursor.elements.len(),
            };
            if takes {
                let value = self.fill_element(field.kind, cursor, span)?;
                parts.push((field.offset, field.bits, value));
                complete &= field.bits.is_none();
                if found.is_union {
                    return Some(Typed {
                        kind: TypedKind::Aggregate(parts, true),
                        ty,
                        lvalue: false,
                        expiring: false,
                        span,
                    });
                }
                continue;
            }
            if found.is_union && designated.is_some() {
                continue;
            }
            if let Some(default) = &field.default {
                let default = default.clone();
                let value = self
                    .within(found.scope, |this| this.initialize_from(field.kind, &default, span))?;
                parts.push((field.offset, field.bits, value));
                continue;
            }
            complete = false;
            if let Some(value) = self.default_value(field.kind, span) {
                parts.push((field.offset, None, value));
            }
        }
        if let Some(element) = cursor.elements.get(cursor.at)
            && let Some(name) = element.field
        {
            let text = self.text(name).to_owned();
            let shown = self.show(ty);
            let place = element.value.span;
            let message = if self.types.find_field(record, name).is_some() {
                format!("the initial value of `{text}` is out of order")
            } else {
                format!("{shown} has no member `{text}`")
            };
            self.error(place, message);
            return None;
        }
        Some(Typed {
            kind: TypedKind::Aggregate(parts, !complete),
            ty,
            lvalue: false,
            expiring: false,
            span,
        })
    }

    /// Converts a list to an array, for a loop over it.
    pub(in crate::analyze) fn list_as_array(
        &mut self,
        elements: &[ListElement],
        span: Span,
    ) -> Typed {
        let Some(first) = elements.first() else { return self.bad(span) };
        let typed = self.expression(&first.value);
        let element = self.types.decay(typed.ty);
        let ty = self.types.intern(TypeKind::Array(element, Some(elements.len() as u64)));
        self.initialize_list(ty, elements, span).unwrap_or_else(|| self.bad(span))
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
            if let Some(value) = self.default_value(ty, span) {
                return Some(match value.kind {
                    TypedKind::Aggregate(parts, _) => {
                        Typed { kind: TypedKind::Aggregate(parts, true), ..value }
                    }
                    _ => value,
                });
            }
            return None;
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

    fn has_default_constructor(&self, record: RecordId) -> bool {
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
        let mut parts: Vec<InitialPart> = Vec::new();
        for (base, offset) in &found.bases {
            if let Some(value) = self.default_value(*base, span) {
                parts.push((*offset, None, value));
            }
        }
        if found.is_union {
            return None;
        }
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

/// A position in a braced list.
struct ListCursor<'a> {
    elements: &'a [ListElement],
    at: usize,
}
