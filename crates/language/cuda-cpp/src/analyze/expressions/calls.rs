//! Function calls.

use super::super::scopes::Binding;
use super::Analyzer;
use crate::lex::Name;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

/// CUDA functions that this compiler does not implement.
const MISSING: &str = "\
    tgamma tgammaf lgamma lgammaf erfinv erfinvf erfcinv erfcinvf erfcx erfcxf j0 j0f j1 j1f jn \
    jnf y0 y0f y1 y1f yn ynf remquo remquof normcdfinv normcdfinvf curand_init curand_uniform \
    curand_normal curand cudaGetParameterBuffer cudaLaunchDevice";

impl Analyzer {
    /// The arguments of a call, with packs expanded. `None` after an error.
    pub(in crate::analyze) fn arguments(&mut self, list: &[Expression]) -> Option<Vec<Typed>> {
        let mut values = Vec::new();
        for value in list {
            match &value.kind {
                ExpressionKind::Expansion(pattern) => {
                    values.extend(self.expand_pattern(pattern, |this| this.argument(pattern)));
                }
                _ => values.push(self.argument(value)),
            }
        }
        if values.iter().any(|value| value.ty == TypeId::ERROR) { None } else { Some(values) }
    }

    /// One argument. A braced list or an overloaded function is converted later, when the parameter's type is known.
    pub(in crate::analyze) fn argument(&mut self, value: &Expression) -> Typed {
        if let ExpressionKind::List(_) = value.kind {
            self.lists.insert((value.span.low, value.span.high), Rc::new(value.clone()));
            return Typed {
                kind: TypedKind::Error,
                ty: TypeId::AUTO,
                lvalue: false,
                expiring: false,
                span: value.span,
            };
        }
        if let Some(set) = self.overload_set(value) {
            self.overloads.insert((value.span.low, value.span.high), Rc::new(set));
            return Typed {
                kind: TypedKind::Error,
                ty: TypeId::AUTO,
                lvalue: false,
                expiring: false,
                span: value.span,
            };
        }
        self.expression(value)
    }

    pub(super) fn call(
        &mut self,
        callee: &Expression,
        arguments: &[Expression],
        span: Span,
    ) -> Typed {
        match &callee.kind {
            ExpressionKind::Name(name) => self.call_name(name, arguments, span),
            ExpressionKind::Member(object, arrow, name) => {
                // Calling the destructor of a scalar, also of a pointer, does nothing.
                if self.text(name.last().name).starts_with('~') && !*arrow {
                    let value = self.expression(object);
                    if value.ty != TypeId::ERROR && self.types.record_of(value.ty).is_none() {
                        return self.discarded(value, span);
                    }
                }
                let object = self.object_of(object, *arrow, callee.span);
                let values = self.arguments(arguments);
                let (Some(object), Some(values)) = (object, values) else { return self.bad(span) };
                self.call_member_named(object, name, values, span)
            }
            ExpressionKind::MemberAccess(object, arrow, pointer) => {
                let Some(values) = self.arguments(arguments) else { return self.bad(span) };
                self.member_pointer_call((object, *arrow, pointer), values, span)
                    .unwrap_or_else(|| self.bad(span))
            }
            _ => {
                let callee = self.expression(callee);
                let values = self.arguments(arguments);
                match values {
                    Some(values) if callee.ty != TypeId::ERROR => {
                        self.call_value(callee, values, span)
                    }
                    _ => self.bad(span),
                }
            }
        }
    }

    /// An expression that is evaluated for its effects only.
    pub(in crate::analyze) fn discarded(&mut self, value: Typed, span: Span) -> Typed {
        let end = self.constant(0, TypeId::VOID, span);
        let kind = TypedKind::Comma(Box::new(value), Box::new(end));
        Typed { kind, ty: TypeId::VOID, lvalue: false, expiring: false, span }
    }

    fn call_member_named(
        &mut self,
        object: Typed,
        name: &QualifiedName,
        values: Vec<Typed>,
        span: Span,
    ) -> Typed {
        let last = name.last().clone();
        // A destructor may be called for a constant object.
        let object = if self.text(last.name).starts_with('~') {
            Typed { ty: self.types.bare(object.ty), ..object }
        } else {
            object
        };
        let Some(record) = self.types.record_of(object.ty) else {
            if self.text(last.name).starts_with('~') {
                return self.discarded(object, span);
            }
            let shown = self.show(object.ty);
            let text = self.text(last.name).to_owned();
            self.error(span, format!("{shown} is not a class; it has no member `{text}`"));
            return self.bad(span);
        };
        let scope = if name.parts.len() > 1 {
            match self.qualifier_scope(name) {
                Ok(Some(scope)) => scope,
                _ => return self.bad(span),
            }
        } else {
            self.types.record(record).scope
        };
        let own = self.scopes[self.types.record(record).scope].names.get(&last.name);
        let hidden = matches!(own, Some(Binding::Functions(_))) && name.parts.len() == 1;
        if !hidden && self.types.find_field(record, last.name).is_some() {
            let callee = self.member_of(object, name, span);
            return if callee.ty == TypeId::ERROR {
                callee
            } else {
                self.call_value(callee, values, span)
            };
        }
        match self.find_in(scope, last.name, 0) {
            Some(Binding::Functions(list)) => {
                let explicit = match &last.arguments {
                    Some(arguments) => match self.template_arguments(&arguments.clone()) {
                        Some(arguments) => arguments,
                        None => return self.bad(span),
                    },
                    None => Vec::new(),
                };
                let chosen = self.choose(&list, &explicit, Some(&object), &values, span, last.name);
                let called =
                    chosen.and_then(|number| self.call_by_name(name, number, object, values, span));
                called.unwrap_or_else(|| self.bad(span))
            }
            Some(_) => {
                let callee = self.member_of(object, name, span);
                if callee.ty == TypeId::ERROR {
                    callee
                } else {
                    self.call_value(callee, values, span)
                }
            }
            None => {
                if self.text(last.name).starts_with('~') {
                    return self.destruction(object, span);
                }
                self.no_member(object.ty, name, span);
                self.bad(span)
            }
        }
    }

    /// Calls a function object or a pointer to a function.
    fn call_value(&mut self, callee: Typed, values: Vec<Typed>, span: Span) -> Typed {
        if self.types.record_of(callee.ty).is_some() {
            let mut operands = vec![callee];
            operands.extend(values);
            return self.operator_call("()", operands, span).unwrap_or_else(|| self.bad(span));
        }
        if let TypedKind::Function(number) = callee.kind {
            return self.build_call(number, None, values, span).unwrap_or_else(|| self.bad(span));
        }
        let pointer = self.decayed(callee);
        let function = match self.types.pointee(pointer.ty).map(|to| self.types.kind(to).clone()) {
            Some(TypeKind::Function(function)) => function,
            _ => {
                let shown = self.show(pointer.ty);
                self.error(span, format!("{shown} is not a function"));
                return self.bad(span);
            }
        };
        if function.parameters.len() != values.len() {
            let (wanted, given) = (function.parameters.len(), values.len());
            self.error(
                span,
                format!("this function takes {wanted} arguments, but {given} are given"),
            );
            return self.bad(span);
        }
        let mut fitted = Vec::new();
        for (value, &ty) in values.into_iter().zip(&function.parameters) {
            match self.pass(value, ty, span) {
                Some(value) => fitted.push(value),
                None => return self.bad(span),
            }
        }
        let result = function.result;
        let kind = TypedKind::CallIndirect(Box::new(pointer), fitted);
        self.call_result(kind, result, span)
    }

    fn call_name(&mut self, name: &QualifiedName, arguments: &[Expression], span: Span) -> Typed {
        let last = name.last().clone();
        let values = self.arguments(arguments);
        let Ok(found) = self.resolve_callee(name) else { return self.bad(span) };
        // The callee may be a data member or a variable: a pointer to a function, or a function object.
        let is_field = self.is_own_field(name);
        let is_object = match &found {
            Some(Binding::Functions(_) | Binding::Type(_) | Binding::Template(_)) | None => false,
            Some(_) => true,
        };
        if is_field || is_object {
            let callee = self.name(name, name.span);
            return match values {
                Some(values) if callee.ty != TypeId::ERROR => self.call_value(callee, values, span),
                _ => self.bad(span),
            };
        }
        if matches!(found, Some(Binding::Type(_) | Binding::Template(_))) {
            let kind = TypeSyntax {
                base: BaseType::Named(name.clone()),
                is_const: false,
                is_volatile: false,
                derived: Vec::new(),
                span: name.span,
            };
            let elements: Vec<ListElement> = arguments
                .iter()
                .map(|value| ListElement { field: None, value: value.clone() })
                .collect();
            return self.construct(&Rc::new(kind), &elements, false, span);
        }
        let Some(values) = values else { return self.bad(span) };
        let mut list = match found {
            Some(Binding::Functions(list)) => list,
            _ => Vec::new(),
        };
        // A member hides the functions that the arguments' namespaces have.
        let member = list.iter().any(|&number| self.function(number).record.is_some());
        if name.parts.len() == 1 && !name.global && !member {
            self.add_by_arguments(&mut list, last.name, &values);
            // Iterators of vectors are pointers here. In other libraries they are classes, for which functions of `std` are found.
            if list.is_empty() && self.host && values.iter().any(|v| self.types.is_pointer(v.ty)) {
                let library = self.parser.names.intern("std");
                if let Some(Binding::Namespace(scope)) = self.find_in(0, library, 0)
                    && let Some(Binding::Functions(found)) = self.find_in(scope, last.name, 0)
                {
                    list = found;
                }
            }
        }
        if list.is_empty() {
            self.unknown_function(last.name, name.span);
            return self.bad(span);
        }
        let explicit = match &last.arguments {
            Some(arguments) => match self.template_arguments(&arguments.clone()) {
                Some(arguments) => arguments,
                None => return self.bad(span),
            },
            None => Vec::new(),
        };
        let this = self.frame.as_ref().and_then(|frame| frame.this.clone());
        let Some(number) = self.choose(&list, &explicit, this.as_ref(), &values, span, last.name)
        else {
            return self.bad(span);
        };
        let member = self.function(number).record.is_some() && !self.function(number).is_static;
        let called = match this.filter(|_| member) {
            Some(this) => self.call_by_name(name, number, this, values, span),
            None => self.build_call(number, None, values, span),
        };
        called.unwrap_or_else(|| self.bad(span))
    }

    /// Whether a name means a data member of `*this`: neither a function nor a variable within the class hides it.
    pub(in crate::analyze) fn is_own_field(&self, name: &QualifiedName) -> bool {
        let this = self.frame.as_ref().and_then(|frame| frame.this.as_ref());
        let Some(record) = this.and_then(|this| self.types.record_of(this.ty)) else {
            return false;
        };
        let last = name.last().name;
        let class = self.types.record(record).scope;
        self.types.find_field(record, last).is_some()
            && (name.parts.len() > 1
                || self.find(last).is_none_or(|(_, scope)| !self.encloses(class, scope)))
    }

    fn resolve_callee(&mut self, name: &QualifiedName) -> Result<Option<Binding>, ()> {
        self.resolve(name)
    }

    /// Adds functions from the namespaces of the arguments' classes (argument-dependent lookup).
    pub(super) fn add_by_arguments(
        &self,
        list: &mut Vec<FunctionNumber>,
        name: Name,
        values: &[Typed],
    ) {
        for value in values {
            let ty = self.types.pointee(value.ty).unwrap_or(value.ty);
            let scope = match self.types.kind(ty) {
                TypeKind::Record(record) => self.types.record(*record).scope,
                TypeKind::Enumeration(id) => self.types.enumerations[id.0 as usize].scope,
                _ => continue,
            };
            let namespace = self.namespace_around(scope);
            if let Some(Binding::Functions(more)) = self.find_in(namespace, name, 0) {
                for number in more {
                    if !list.contains(&number) {
                        list.push(number);
                    }
                }
            }
        }
    }

    fn unknown_function(&mut self, name: Name, span: Span) {
        let text = self.text(name).to_owned();
        let missing = MISSING.split(' ').any(|known| known == text)
            || text.starts_with("tex")
            || text.starts_with("__v");
        if missing {
            self.unsupported(span, format!("the function `{text}`"));
            return;
        }
        if !self.host && crate::headers::is_host_function(&text) {
            let message = format!("host function `{text}` cannot be called from device code");
            let problem = SourceProblem::error(span, message).label("called from device code");
            self.report(problem.help("write a `__device__` function that computes the same"));
            return;
        }
        let header = match text.as_str() {
            _ if text.starts_with("__half")
                || text.starts_with("__float2half")
                || text.starts_with("__h") =>
            {
                Some("cuda_fp16.h")
            }
            _ if text.contains("bfloat16") => Some("cuda_bf16.h"),
            _ if text.contains("fp8") => Some("cuda_fp8.h"),
            "assert" => Some("cassert"),
            _ => None,
        };
        let problem =
            SourceProblem::error(span, format!("cannot find function `{text}` in this scope"));
        match header {
            Some(header) => {
                self.report(problem.label("not found").help(format!("add `#include <{header}>`")))
            }
            None => self.unknown_name(name, span, "function"),
        }
    }

    /// Calls a member function of an object.
    pub(in crate::analyze) fn call_method(
        &mut self,
        number: FunctionNumber,
        object: Typed,
        values: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        if self.function(number).is_static || self.function(number).record.is_none() {
            let called = self.build_call(number, None, values, span)?;
            let plain = matches!(object.kind, TypedKind::Local(_) | TypedKind::Variable(_));
            if plain || self.function(number).record.is_none() {
                return Some(called);
            }
            // The object of a static function is evaluated, too: `list[i++].f()`.
            let (ty, lvalue, expiring) = (called.ty, called.lvalue, called.expiring);
            let kind = TypedKind::Comma(Box::new(object), Box::new(called));
            return Some(Typed { kind, ty, lvalue, expiring, span });
        }
        let object = self.temporary(object);
        let known = matches!(
            object.kind,
            TypedKind::Local(_) | TypedKind::Variable(_) | TypedKind::Temporary(_)
        );
        if self.function(number).is_virtual && !known && !self.direct {
            return self.virtual_call(number, object, values, span);
        }
        self.call_direct(number, object, values, span)
    }

    /// Calls a member function of an object whose class is known.
    pub(in crate::analyze) fn call_direct(
        &mut self,
        number: FunctionNumber,
        object: Typed,
        values: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        let object = self.temporary(object);
        let class = self.function(number).record?;
        let object = self.as_base(object, class)?;
        let this = self.address_of(object);
        self.build_call(number, Some(this), values, span)
    }

    /// Calls a member function by its name; a name with qualifiers chooses the function regardless of the object's class.
    fn call_by_name(
        &mut self,
        name: &QualifiedName,
        number: FunctionNumber,
        object: Typed,
        values: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        let direct = name.parts.len() > 1;
        let outer = std::mem::replace(&mut self.direct, direct);
        let called = self.call_method(number, object, values, span);
        self.direct = outer;
        called
    }

    /// Calls a member function by name without arguments.
    pub(in crate::analyze) fn call_member(
        &mut self,
        object: Typed,
        name: Name,
        span: Span,
    ) -> Option<Typed> {
        let part = NamePart { name, span, arguments: None, conversion: None };
        let name = QualifiedName { span, global: false, parts: vec![part] };
        let called = self.call_member_named(object, &name, Vec::new(), span);
        (called.ty != TypeId::ERROR).then_some(called)
    }

    /// Calls a function of a built-in header.
    pub(in crate::analyze) fn call_named(
        &mut self,
        name: &str,
        values: Vec<Typed>,
        span: Span,
    ) -> Typed {
        let name = self.parser.names.intern(name);
        let Some(Binding::Functions(list)) = self.find_in(0, name, 0) else {
            return self.bad(span);
        };
        let chosen = self.choose(&list, &[], None, &values, span, name);
        let called = chosen.and_then(|number| self.build_call(number, None, values, span));
        called.unwrap_or_else(|| self.bad(span))
    }
}
