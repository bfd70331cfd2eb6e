//! Expressions that name something: variables, functions, members, and elements.

use super::super::scopes::Binding;
use super::Analyzer;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{FieldPlace, FunctionType, RecordId, TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// The value that a name refers to.
    pub(super) fn name(&mut self, name: &QualifiedName, span: Span) -> Typed {
        let last = name.last();
        let Ok(found) = self.resolve_value(name) else { return self.bad(span) };
        if let Some(typed) = self.field_by_name(name, found.as_ref(), span) {
            return typed;
        }
        let Some(binding) = found else {
            self.unknown_value(last.name, span);
            return self.bad(span);
        };
        if let (Binding::Template(template), Some(arguments)) = (&binding, &last.arguments) {
            let arguments = arguments.clone();
            return self
                .variable_instance(*template, &arguments, span)
                .unwrap_or_else(|| self.bad(span));
        }
        if let Binding::Functions(list) = &binding {
            return self.function_value(list.clone(), last, span);
        }
        self.bound_value(binding, span).unwrap_or_else(|| self.bad(span))
    }

    fn resolve_value(&mut self, name: &QualifiedName) -> Result<Option<Binding>, ()> {
        // `field_by_name` finds the members of a class.
        if name.parts.len() > 1 || name.global {
            let scope = self.qualifier_scope(name)?;
            if let Some(scope) = scope
                && let Some(record) = self.scopes[scope].record
                && self.types.find_field(record, name.last().name).is_some()
            {
                return Ok(None);
            }
        }
        self.resolve(name)
    }

    /// A data member of the enclosing class, accessed through `this`.
    fn field_by_name(
        &mut self,
        name: &QualifiedName,
        found: Option<&Binding>,
        span: Span,
    ) -> Option<Typed> {
        let this = self.frame.as_ref()?.this.clone()?;
        let (this, record) = self.qualified_object(this, name)?;
        let place = self.types.find_field(record, name.last().name)?;
        if found.is_some() && name.parts.len() == 1 {
            // A local variable or parameter hides the member; a name in a scope outside of the class does not.
            let (_, scope) = self.find(name.last().name)?;
            let class = self.types.record(record).scope;
            if scope != class && self.encloses(class, scope) {
                return None;
            }
        }
        if self.is_partial(this.ty) {
            self.report_partial(this.ty, span);
            return Some(self.bad(span));
        }
        let value = self.field_place(this, &place);
        Some(Typed { span, ..value })
    }

    /// Whether `inner` is nested in `outer`.
    pub(super) fn encloses(&self, outer: usize, inner: usize) -> bool {
        let mut scope = Some(inner);
        while let Some(here) = scope {
            if here == outer {
                return true;
            }
            scope = self.scopes[here].parent;
        }
        false
    }

    fn unknown_value(&mut self, name: crate::lex::Name, span: Span) {
        let text = self.text(name).to_owned();
        let header = match text.as_str() {
            "FLT_MAX" | "FLT_MIN" | "FLT_EPSILON" | "DBL_MAX" => Some("<cfloat>"),
            "INT_MAX" | "INT_MIN" | "UINT_MAX" | "LLONG_MAX" => Some("<climits>"),
            "cg" => Some("<cooperative_groups.h>"),
            _ => None,
        };
        if let Some(header) = header {
            let problem = crate::source::SourceProblem::error(
                span,
                format!("cannot find `{text}` in this scope"),
            );
            self.report(problem.label("not found").help(format!("add `#include {header}`")));
            return;
        }
        self.unknown_name(name, span, "name");
    }

    /// The value that a binding refers to.
    pub(in crate::analyze) fn bound_value(
        &mut self,
        binding: Binding,
        span: Span,
    ) -> Option<Typed> {
        Some(match binding {
            Binding::Local(serial, local) => {
                let frame = self.frame.as_ref().map(|frame| frame.serial);
                if frame != Some(serial) {
                    // A lambda may use constants that it does not capture.
                    if let Some(bits) = self.known_local(serial, local) {
                        let ty = self.constants[&(serial, local)].ty;
                        let ty = self.types.bare(ty);
                        return Some(self.constant(bits, ty, span));
                    }
                    // Nothing is captured for `decltype(name)`. The value is used for its type only.
                    if self.unevaluated
                        && let Some(&ty) = self.local_types.get(&(serial, local))
                    {
                        let object = self.types.referred(ty);
                        let pointer = self.types.pointer(object);
                        let pointer = self.constant(0, pointer, span);
                        return Some(self.dereference(pointer));
                    }
                    let problem = crate::source::SourceProblem::error(
                        span,
                        "this variable belongs to an enclosing function and is not captured",
                    );
                    self.report(problem.help("capture it: `[=]` or `[&]`"));
                    return None;
                }
                self.local_place(local, span)
            }
            Binding::Variable(variable) => {
                let found = &self.variables[variable.0 as usize];
                let ty = found.ty;
                if self.types.is_reference(ty) {
                    self.unsupported(span, "a reference at namespace scope");
                    return None;
                }
                let managed = found.managed;
                let place = Typed {
                    kind: TypedKind::Variable(variable),
                    ty,
                    lvalue: true,
                    expiring: false,
                    span,
                };
                if managed && self.host {
                    let symbol = self.address_of(place);
                    let called = self.call_named("__lw_managed", vec![symbol], span);
                    if called.ty == TypeId::ERROR {
                        return None;
                    }
                    let ty = self.types.pointer(ty);
                    return Some(self.dereference(Typed { ty, ..called }));
                }
                place
            }
            Binding::Constant(bits, ty) => self.constant(bits, ty, span),
            Binding::Alias(value) => Typed { span, ..(*value).clone() },
            Binding::Type(_) | Binding::Template(_) => {
                self.error(span, "this is a type; a value is expected here");
                return None;
            }
            Binding::Namespace(_) => {
                self.error(span, "this is a namespace; a value is expected here");
                return None;
            }
            Binding::Pack(_) | Binding::LocalPack(_) => {
                self.error(span, "this parameter pack must be expanded with `...`");
                return None;
            }
            Binding::Functions(list) => {
                let only = *list.first()?;
                return self.function_object(only, span);
            }
        })
    }

    fn function_value(&mut self, list: Vec<FunctionNumber>, part: &NamePart, span: Span) -> Typed {
        let chosen = match (&part.arguments, list.as_slice()) {
            (None, [only]) if self.function(*only).template.is_none() => Some(*only),
            (None, _) => None,
            (Some(arguments), _) => {
                let Some(explicit) = self.template_arguments(&arguments.clone()) else {
                    return self.bad(span);
                };
                list.iter().copied().find_map(|number| {
                    self.function(number).template.as_ref()?;
                    self.trial(|this| {
                        let (arguments, _) = this.deduce_function(number, &explicit, &[], span)?;
                        this.instance_of(number, &arguments, span)
                    })
                    .flatten()
                })
            }
        };
        match chosen.and_then(|number| self.function_object(number, span)) {
            Some(value) => value,
            None => {
                let text = self.text(part.name).to_owned();
                self.error(
                    span,
                    format!("cannot determine which overload of `{text}` is meant here"),
                );
                self.bad(span)
            }
        }
    }

    /// A function as an expression.
    pub(in crate::analyze) fn function_object(
        &mut self,
        number: FunctionNumber,
        span: Span,
    ) -> Option<Typed> {
        let result = self.result_of(number, span)?;
        let signature = self.signature(number)?;
        let parameters = signature.parameters.iter().map(|parameter| parameter.ty).collect();
        let function = FunctionType { result, parameters, variadic: signature.variadic };
        let ty = self.types.intern(TypeKind::Function(Rc::new(function)));
        self.need(number);
        Some(Typed { kind: TypedKind::Function(number), ty, lvalue: true, expiring: false, span })
    }

    fn field_place(&mut self, object: Typed, place: &FieldPlace) -> Typed {
        let ty = if place.is_mutable { self.types.bare(object.ty) } else { object.ty };
        self.member_place(Typed { ty, ..object }, place.offset, place.kind, place.bits)
    }

    /// A member of an object. A member of reference type is dereferenced.
    pub(in crate::analyze) fn member_place(
        &mut self,
        object: Typed,
        offset: u64,
        ty: TypeId,
        bits: Option<(u8, u8)>,
    ) -> Typed {
        if ty == TypeId::ERROR {
            self.error(object.span, "the type of this member is not known");
            return self.bad(object.span);
        }
        if self.types.is_reference(ty) {
            let inner = self.types.referred(ty);
            let pointer = self.types.pointer(inner);
            let place = self.part(object, offset, pointer, None);
            let value = self.rvalue(place);
            return self.dereference(value);
        }
        let (is_const, is_volatile) =
            (self.types.is_const(object.ty), self.types.is_volatile(object.ty));
        let ty = self.types.with(ty, is_const, is_volatile);
        self.part(object, offset, ty, bits)
    }
}

impl Analyzer {
    /// `a[b]`.
    pub(super) fn index(&mut self, object: &Expression, index: &Expression, span: Span) -> Typed {
        if let Some(element) = self.variable_element(object, index, span) {
            return element;
        }
        let object = self.expression(object);
        let index = match index.kind {
            ExpressionKind::List(_) if self.types.record_of(object.ty).is_some() => {
                let listed = self.arguments(std::slice::from_ref(index));
                listed.and_then(|mut list| list.pop()).unwrap_or_else(|| self.bad(span))
            }
            _ => self.expression(index),
        };
        if object.ty == TypeId::ERROR || index.ty == TypeId::ERROR {
            return self.bad(span);
        }
        let object = if self.types.record_of(object.ty).is_some() {
            let operands = vec![object.clone(), index.clone()];
            if let Some(Some(called)) =
                self.trial(|this| this.operator_call("[]", operands.clone(), span))
            {
                return called;
            }
            match self.as_number(&object) {
                Some(pointer) => pointer,
                None => {
                    return self
                        .operator_call("[]", operands, span)
                        .unwrap_or_else(|| self.bad(span));
                }
            }
        } else {
            object
        };
        let index = self.number_or_same(index);
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
        let whole = object.clone();
        let Some((object, record)) = self.qualified_object(object, name) else {
            return self.bad(span);
        };
        if let Some(place) = self.types.find_field(record, name.last().name) {
            if self.is_partial(object.ty) && self.frame.is_some() {
                self.report_partial(object.ty, span);
                return self.bad(span);
            }
            let lvalue = object.lvalue && !object.expiring;
            let value = self.field_place(object, &place);
            let expiring = !lvalue && matches!(value.kind, TypedKind::Field(..));
            return Typed { span, expiring, ..value };
        }
        let scope = self.types.record(record).scope;
        match self.find_in(scope, name.last().name, 0) {
            Some(Binding::Functions(list)) => {
                let is_static = list.iter().all(|&number| self.function(number).is_static);
                if is_static && let [only] = list.as_slice() {
                    let Some(function) = self.function_object(*only, span) else {
                        return self.bad(span);
                    };
                    return self.after_object(whole, function, span);
                }
                let problem = SourceProblem::error(span, "a member function can only be called");
                self.report(problem.help("add `(...)` after it"));
                self.bad(span)
            }
            Some(binding) => match self.bound_value(binding, span) {
                Some(value) => self.after_object(whole, value, span),
                None => self.bad(span),
            },
            None => {
                self.no_member(object.ty, name, span);
                self.bad(span)
            }
        }
    }

    /// A static member or enumerator, named through an object, which is evaluated, too: `list[i++].count`.
    fn after_object(&mut self, object: Typed, value: Typed, span: Span) -> Typed {
        let ends = !object.lvalue && self.is_destroyed(object.ty);
        if value.ty == TypeId::ERROR || self.unevaluated || !ends && !object.has_effects() {
            return value;
        }
        let value = match self.types.kind(value.ty) {
            TypeKind::Function(_) => self.decayed(value),
            _ => value,
        };
        let object = self.temporary(object);
        let (ty, lvalue) = (value.ty, value.lvalue);
        let kind = TypedKind::Comma(Box::new(object), Box::new(value));
        Typed { kind, ty, lvalue, expiring: false, span }
    }

    /// The object that contains a named member: for `object.Base::member`, the part that is the base class.
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

    /// The class or base class whose members a scope contains.
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
        let near = crate::source::nearest(&text, names.iter().map(String::as_str));
        self.report(match near {
            Some(near) => problem.help(format!("a member with a similar name is `{near}`")),
            None => problem,
        });
    }
}
