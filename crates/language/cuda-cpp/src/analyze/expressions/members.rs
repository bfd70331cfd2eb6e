//! Member and element accesses.

use super::super::scopes::Binding;
use super::Analyzer;
use crate::source::Span;
use crate::source::diagnostics::SourceProblem;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{RecordId, TypeId, TypeKind};

impl Analyzer {
    /// `a[b]`.
    pub(super) fn index(&mut self, object: &Expression, index: &Expression, span: Span) -> Typed {
        let (object, index) = (self.expression(object), self.expression(index));
        if object.ty == TypeId::ERROR || index.ty == TypeId::ERROR {
            return self.bad(span);
        }
        if self.types.record_of(object.ty).is_some() {
            return self
                .operator_call("[]", vec![object, index], span)
                .unwrap_or_else(|| self.bad(span));
        }
        let (mut pointer, mut index) = (self.decayed(object), self.decayed(index));
        if self.types.is_pointer(index.ty) && !self.types.is_pointer(pointer.ty) {
            std::mem::swap(&mut pointer, &mut index);
        }
        if !self.types.is_pointer(pointer.ty) {
            let shown = self.show(pointer.ty);
            let problem = SourceProblem::error(span, format!("{shown} cannot be indexed"));
            self.report(problem.label("neither an array nor a pointer"));
            return self.bad(span);
        }
        if self.types.is_float(index.ty) {
            let shown = self.show(index.ty);
            let problem = SourceProblem::error(
                index.span,
                format!("an index must be an integer, not {shown}"),
            );
            self.report(problem.help("convert it: `(int)index`"));
            return self.bad(span);
        }
        let sum = self.binary_typed(BinaryOperator::Add, pointer, index, span);
        if sum.ty == TypeId::ERROR {
            return sum;
        }
        let object = self.dereference(sum);
        Typed { span, ..object }
    }

    /// `a.b` and `a->b`, except in calls.
    pub(super) fn member_expression(
        &mut self,
        object: &Expression,
        arrow: bool,
        name: &QualifiedName,
        span: Span,
    ) -> Typed {
        let Some(object) = self.object_of(object, arrow, span) else { return self.bad(span) };
        self.member_of(object, name, span)
    }

    /// The object on the left of `.` or `->`.
    pub(super) fn object_of(
        &mut self,
        object: &Expression,
        arrow: bool,
        span: Span,
    ) -> Option<Typed> {
        let typed = self.expression(object);
        if typed.ty == TypeId::ERROR {
            return None;
        }
        if !arrow {
            if self.types.is_pointer(typed.ty) {
                let shown = self.show(typed.ty);
                let problem =
                    SourceProblem::error(span, format!("{shown} is a pointer; it has no members"));
                self.report(problem.help("use `->` in place of `.`"));
                return None;
            }
            return Some(typed);
        }
        let mut typed = typed;
        for _ in 0..16 {
            if self.types.record_of(typed.ty).is_none() {
                break;
            }
            typed = self.operator_call("->", vec![typed], span)?;
        }
        let pointer = self.decayed(typed);
        if !self.types.is_pointer(pointer.ty) {
            let shown = self.show(pointer.ty);
            let problem = SourceProblem::error(span, format!("{shown} is not a pointer"));
            self.report(problem.help("use `.` in place of `->`"));
            return None;
        }
        Some(self.dereference(pointer))
    }

    pub(super) fn member_of(&mut self, object: Typed, name: &QualifiedName, span: Span) -> Typed {
        if self.types.record_of(object.ty).is_none() {
            let shown = self.show(object.ty);
            let text = self.text(name.last().name).to_owned();
            self.error(span, format!("{shown} is not a class; it has no member `{text}`"));
            return self.bad(span);
        }
        let Some((object, record)) = self.qualified_object(object, name) else {
            return self.bad(span);
        };
        if let Some(place) = self.types.find_field(record, name.last().name) {
            let lvalue = object.lvalue && !object.expiring;
            let value = self.member_place(object, place.offset, place.kind, place.bits);
            let expiring = !lvalue && matches!(value.kind, TypedKind::Field(..));
            return Typed { span, expiring, ..value };
        }
        let scope = self.types.record(record).scope;
        match self.find_in(scope, name.last().name, 0) {
            Some(Binding::Functions(list)) => {
                let is_static = list.iter().all(|&number| self.function(number).is_static);
                if is_static && let [only] = list.as_slice() {
                    return self.function_object(*only, span).unwrap_or_else(|| self.bad(span));
                }
                let problem = SourceProblem::error(span, "a member function can only be called");
                self.report(problem.help("add `(...)` after it"));
                self.bad(span)
            }
            Some(binding) => self.bound_value(binding, span).unwrap_or_else(|| self.bad(span)),
            None => {
                self.no_member(object.ty, name, span);
                self.bad(span)
            }
        }
    }

    /// The object of a member's name: of `object.Base::member` the part that is the base class.
    pub(super) fn qualified_object(
        &mut self,
        object: Typed,
        name: &QualifiedName,
    ) -> Option<(Typed, RecordId)> {
        let record = self.types.record_of(object.ty)?;
        if name.parts.len() > 1
            && let Ok(Some(scope)) = self.qualifier_scope(name)
            && let Some(base) = self.base_with_scope(record, scope)
        {
            return Some((self.as_base(object, base)?, base));
        }
        Some((object, record))
    }

    /// The class itself or its base whose members are in a scope.
    fn base_with_scope(&self, record: RecordId, scope: usize) -> Option<RecordId> {
        let found = self.types.record(record);
        if found.scope == scope {
            return Some(record);
        }
        let bases = found.bases.iter().filter_map(|(base, _)| self.types.record_of(*base));
        bases.into_iter().find_map(|base| self.base_with_scope(base, scope))
    }

    pub(super) fn no_member(&mut self, ty: TypeId, name: &QualifiedName, span: Span) {
        let shown = self.show(ty);
        let text = self.text(name.last().name).to_owned();
        let problem = SourceProblem::error(span, format!("{shown} has no member `{text}`"));
        let mut names: Vec<String> = Vec::new();
        if let TypeKind::Record(record) = self.types.kind(ty) {
            let record = self.types.record(*record);
            names.extend(record.fields.iter().map(|field| self.text(field.name).to_owned()));
            names.extend(
                self.scopes[record.scope].names.keys().map(|&name| self.text(name).to_owned()),
            );
        }
        names.sort_unstable();
        let near = crate::source::similar::nearest(&text, names.iter().map(String::as_str));
        self.report(match near {
            Some(near) => problem.help(format!("a member of similar name is `{near}`")),
            None => problem,
        });
    }
}
