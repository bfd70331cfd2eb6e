//! List initialization: braces that fill arrays, aggregates and scalars.

use super::Analyzer;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};

/// Maximum number of array elements that a list leaves without an initial value. Each of them is constructed by its own call.
const MOST_CONSTRUCTED: u64 = 4096;

/// A position in a braced list.
struct ListCursor<'a> {
    elements: &'a [ListElement],
    at: usize,
}

impl Analyzer {
    /// Creates an object from a braced list.
    pub(super) fn initialize_list(
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
                            value: Expression { kind: ExpressionKind::Text(units, kind), .. },
                            ..
                        },
                    ],
                    Some(count),
                ) = (elements, count)
                    && self.types.is_text_of(element, *kind)
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
        let expands = |e: &ListElement| matches!(e.value.kind, ExpressionKind::Expansion(_));
        if elements.is_empty() || elements.iter().any(expands) {
            return None;
        }
        for number in self.constructors(record) {
            if self.function(number).template.is_some() {
                continue;
            }
            let Some(signature) = self.signature(number) else { continue };
            let [only] = signature.parameters.as_slice() else { continue };
            let list_type = self.types.bare(only.ty);
            let Some(list) = self.types.record_of(list_type) else { continue };
            if !self.is_list_class(list) {
                continue;
            }
            let list = self.list_object(list_type, list, elements, span)?;
            return self.construct_by(number, target, vec![list], span);
        }
        None
    }

    fn is_list_class(&self, record: RecordId) -> bool {
        let found = self.types.record(record);
        found.name.starts_with("initializer_list<") && self.parser.map.is_builtin(found.span)
    }

    /// The number of values in a list, with packs expanded.
    pub(super) fn list_length(&mut self, elements: &[ListElement]) -> u64 {
        let length = |this: &mut Self, element: &ListElement| match &element.value.kind {
            ExpressionKind::Expansion(pattern) => this.expand_pattern(pattern, |_| ()).len() as u64,
            _ => 1,
        };
        elements.iter().map(|element| length(self, element)).sum()
    }

    /// A `std::initializer_list` that refers to a temporary array.
    fn list_object(
        &mut self,
        ty: TypeId,
        record: RecordId,
        elements: &[ListElement],
        span: Span,
    ) -> Option<Typed> {
        let [first, size] = self.types.record(record).fields.as_slice() else { return None };
        let (pointer, places) = (first.kind, [first.offset, size.offset]);
        let element = self.types.pointee(pointer)?;
        let element = self.types.bare(element);
        let count = self.list_length(elements);
        let array = self.types.intern(TypeKind::Array(element, Some(count)));
        let values = self.initialize_list(array, elements, span)?;
        let values = self.temporary(values);
        let values = self.decayed(values);
        let count = self.constant(count, TypeId::UNSIGNED_LONG, span);
        let parts =
            vec![(places[0], None, Typed { ty: pointer, ..values }), (places[1], None, count)];
        let kind = TypedKind::Aggregate(parts, false);
        Some(Typed { kind, ty, lvalue: false, expiring: false, span })
    }

    fn initialize_record(
        &mut self,
        ty: TypeId,
        record: RecordId,
        elements: &[ListElement],
        span: Span,
    ) -> Option<Typed> {
        let target = self.types.bare(ty);
        if elements.is_empty() && self.has_default_constructor(record) {
            return self.zero_value(ty, span);
        }
        if self.is_list_class(record) && !elements.is_empty() {
            return self.list_object(target, record, elements, span);
        }
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
                if !matches!(value.kind, ExpressionKind::List(_) | ExpressionKind::Text(..)) =>
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
        let mut parts: Vec<AggregatePart> = Vec::new();
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
        let constructs = self.types.record_of(innermost).is_some_and(|record| {
            let record = self.types.record(record);
            record.needs_construction || record.has_constructors
        });
        if rest && constructs {
            if count - at > MOST_CONSTRUCTED {
                self.error(
                    span,
                    format!("a list that default-constructs more than {MOST_CONSTRUCTED} elements is not supported"),
                );
                return None;
            }
            for at in at..count {
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
        let mut parts: Vec<AggregatePart> = Vec::new();
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
        let typed = match &first.value.kind {
            ExpressionKind::Expansion(pattern) => {
                let values = self.expand_pattern(pattern, |this| this.expression(pattern));
                values.into_iter().next().unwrap_or_else(|| self.bad(span))
            }
            _ => self.expression(&first.value),
        };
        let element = self.types.decay(typed.ty);
        let count = self.list_length(elements);
        let ty = self.types.intern(TypeKind::Array(element, Some(count)));
        self.initialize_list(ty, elements, span).unwrap_or_else(|| self.bad(span))
    }
}
