//! Function calls.

use super::super::scopes::Binding;
use super::super::templates::TemplateArgument;
use super::Analyzer;
use crate::lex::Name;
use crate::source::Span;
use crate::source::diagnostics::SourceProblem;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

/// CUDA functions that this compiler does not implement.
const MISSING: &[&str] = &[
    "tgamma",
    "tgammaf",
    "lgamma",
    "lgammaf",
    "erfinv",
    "erfinvf",
    "erfcinv",
    "erfcinvf",
    "erfcx",
    "erfcxf",
    "j0",
    "j0f",
    "j1",
    "j1f",
    "jn",
    "jnf",
    "y0",
    "y0f",
    "y1",
    "y1f",
    "yn",
    "ynf",
    "nextafter",
    "nextafterf",
    "ilogb",
    "ilogbf",
    "logb",
    "logbf",
    "norm3d",
    "norm3df",
    "norm4d",
    "norm4df",
    "rnorm3d",
    "rnorm3df",
    "remquo",
    "remquof",
    "normcdfinv",
    "normcdfinvf",
    "frexp",
    "surf2Dread",
    "surf2Dwrite",
    "curand_init",
    "curand_uniform",
    "curand_normal",
    "curand",
    "cudaGetParameterBuffer",
    "cudaLaunchDevice",
    "scalbn",
    "__fns",
    "rhypot",
    "rcbrt",
];

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

    /// One argument. A braced list is converted later, when the parameter's type is known.
    fn argument(&mut self, value: &Expression) -> Typed {
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
        // The parameter would have to select one of several overloads; only single functions are supported.
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
                        return self.constant(0, TypeId::VOID, span);
                    }
                }
                let object = self.object_of(object, *arrow, callee.span);
                let values = self.arguments(arguments);
                let (Some(object), Some(values)) = (object, values) else { return self.bad(span) };
                self.call_member_named(object, name, values, span)
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

    fn call_member_named(
        &mut self,
        object: Typed,
        name: &QualifiedName,
        values: Vec<Typed>,
        span: Span,
    ) -> Typed {
        let last = name.last().clone();
        let Some(record) = self.types.record_of(object.ty) else {
            if self.text(last.name).starts_with('~') {
                return self.constant(0, TypeId::VOID, span);
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
        if self.types.find_field(record, last.name).is_some() {
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
                    chosen.and_then(|number| self.call_method(number, object, values, span));
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
        // A data member of function type or a functor member.
        if !matches!(found, Some(Binding::Functions(_))) {
            let is_field =
                self.frame.as_ref().and_then(|frame| frame.this.as_ref()).is_some_and(|this| {
                    self.types
                        .record_of(this.ty)
                        .is_some_and(|record| self.types.find_field(record, last.name).is_some())
                });
            if found.is_some() || is_field {
                let callee = match &found {
                    Some(Binding::Type(_) | Binding::Template(_)) => None,
                    _ => Some(self.name(name, name.span)),
                };
                if let Some(callee) = callee {
                    return match values {
                        Some(values) if callee.ty != TypeId::ERROR => {
                            self.call_value(callee, values, span)
                        }
                        _ => self.bad(span),
                    };
                }
            }
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
        if name.parts.len() == 1 && !name.global {
            self.add_by_arguments(&mut list, last.name, &values);
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
            Some(this) => self.call_method(number, this, values, span),
            None => self.build_call(number, None, values, span),
        };
        called.unwrap_or_else(|| self.bad(span))
    }

    fn resolve_callee(&mut self, name: &QualifiedName) -> Result<Option<Binding>, ()> {
        self.resolve(name)
    }

    /// Adds functions from the namespaces of the arguments' classes (argument-dependent lookup).
    fn add_by_arguments(&self, list: &mut Vec<FunctionNumber>, name: Name, values: &[Typed]) {
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
        let missing =
            MISSING.contains(&text.as_str()) || text.starts_with("tex") || text.starts_with("__v");
        if missing {
            self.unsupported(span, format!("the function `{text}`"));
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
            return self.build_call(number, None, values, span);
        }
        let object = self.temporary(object);
        let class = self.function(number).record?;
        let object = self.as_base(object, class)?;
        let this = self.address_of(object);
        self.build_call(number, Some(this), values, span)
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

    /// Calls an overloaded operator on operands of class or enumeration type.
    pub(in crate::analyze) fn operator_call(
        &mut self,
        operator: &str,
        operands: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        let name = self.parser.names.intern(&format!("operator{operator}"));
        let first = operands.first()?.clone();
        if let Some(record) = self.types.record_of(first.ty) {
            let scope = self.types.record(record).scope;
            if let Some(Binding::Functions(list)) = self.find_in(scope, name, 0) {
                let rest = operands[1..].to_vec();
                let others = self.free_operators(name, &operands);
                let chosen = if others.is_empty() {
                    self.choose(&list, &[], Some(&first), &rest, span, name)
                } else {
                    self.trial(|this| this.choose(&list, &[], Some(&first), &rest, span, name))
                        .flatten()
                };
                if let Some(number) = chosen {
                    return self.call_method(number, first, rest, span);
                }
                if others.is_empty() {
                    return None;
                }
            }
        }
        let list = self.free_operators(name, &operands);
        if list.is_empty() {
            let shown: Vec<String> = operands.iter().map(|value| self.show(value.ty)).collect();
            let shown = shown.join(" and ");
            self.error(span, format!("operator `{operator}` is not defined for {shown}"));
            return None;
        }
        let number = self.choose(&list, &[], None, &operands, span, name)?;
        self.build_call(number, None, operands, span)
    }

    fn free_operators(&self, name: Name, operands: &[Typed]) -> Vec<FunctionNumber> {
        let mut list = Vec::new();
        let mut scope = Some(self.scope);
        while let Some(here) = scope {
            if let Some(Binding::Functions(found)) = self.find_in(here, name, 0) {
                let free =
                    found.into_iter().filter(|&number| self.function(number).record.is_none());
                list.extend(free);
                if !list.is_empty() {
                    break;
                }
            }
            scope = self.scopes[here].parent;
        }
        self.add_by_arguments(&mut list, name, operands);
        list
    }

    /// Converts the arguments for the chosen function, and adds default arguments.
    pub(in crate::analyze) fn fit_arguments(
        &mut self,
        number: FunctionNumber,
        values: Vec<Typed>,
        span: Span,
    ) -> Option<Vec<Typed>> {
        let signature = self.signature(number)?;
        let given = values.len();
        let mut fitted = Vec::new();
        for (at, value) in values.into_iter().enumerate() {
            match signature.parameters.get(at) {
                Some(parameter) => {
                    let place = value.span;
                    fitted.push(self.pass(value, parameter.ty, place)?);
                }
                None => {
                    // Default promotions of variable arguments.
                    let value = self.decayed(value);
                    let ty = match value.ty {
                        TypeId::FLOAT => TypeId::DOUBLE,
                        ty if self.types.is_integer(ty) => self.types.promoted(ty),
                        ty => ty,
                    };
                    fitted.push(if self.types.is_arithmetic(ty) {
                        self.number_as(value, ty)
                    } else {
                        value
                    });
                }
            }
        }
        for parameter in signature.parameters.iter().skip(given) {
            let Some(default) = &parameter.default else { break };
            let scope = self.function(number).scope;
            let default = default.clone();
            let frame = self.frame.take();
            let value =
                self.within(scope, |this| this.initialize_from(parameter.ty, &default, span));
            self.frame = frame;
            fitted.push(value?);
        }
        if fitted.len() < signature.parameters.len() {
            let display = self.function(number).display.clone();
            let (wanted, place) = (signature.parameters.len(), self.function(number).syntax.span);
            let problem = SourceProblem::error(
                span,
                format!("`{display}` takes {wanted} arguments, but {given} are given"),
            );
            self.report(problem.note(place, "declared here"));
            return None;
        }
        Some(fitted)
    }

    /// Builds the call of a chosen function.
    pub(in crate::analyze) fn build_call(
        &mut self,
        number: FunctionNumber,
        this: Option<Typed>,
        values: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        let mut fitted = self.fit_arguments(number, values, span)?;
        self.check_callable(number, span);
        let result = self.result_of(number, span)?;
        self.need(number);
        if let Some(this) = this {
            fitted.insert(0, this);
        }
        Some(self.call_result(TypedKind::Call(number, fitted), result, span))
    }

    fn call_result(&mut self, kind: TypedKind, result: TypeId, span: Span) -> Typed {
        if self.types.is_reference(result) {
            let expiring = matches!(self.types.kind(result), TypeKind::RvalueReference(_));
            let inner = self.types.referred(result);
            let pointer = self.types.pointer(inner);
            let address = Typed { kind, ty: pointer, lvalue: false, expiring: false, span };
            let object = self.dereference(address);
            return Typed { expiring, ..object };
        }
        let ty = if self.types.is_aggregate(result) { result } else { self.types.bare(result) };
        Typed { kind, ty, lvalue: false, expiring: false, span }
    }

    /// Reports calls that device code cannot make.
    fn check_callable(&mut self, number: FunctionNumber, span: Span) {
        let record = self.function(number);
        let flags = record.syntax.specifiers.clone();
        let (display, place) = (record.display.clone(), record.syntax.span);
        if record.syntax.deleted {
            let problem = SourceProblem::error(span, format!("`{display}` is deleted"));
            self.report(problem.note(place, "deleted here"));
            return;
        }
        if self.frame.is_none()
            || self.unevaluated
            || self.parser.map.is_builtin(place)
            || record.captures.is_some()
        {
            return;
        }
        if flags.global {
            let problem = SourceProblem::error(
                span,
                format!("kernel `{display}` cannot be called like a function"),
            );
            self.report(problem.help("launch it from host code: `kernel<<<grid, block>>>(...)`"));
        } else if self.host {
            if flags.device && !flags.host && !flags.is_constexpr {
                let problem = SourceProblem::error(
                    span,
                    format!("device function `{display}` cannot be called from host code"),
                );
                let problem = problem.note(place, "declared here");
                self.report(problem.help("add `__host__` to its declaration"));
            }
        } else if !flags.device
            && !flags.is_constexpr
            && !record.syntax.defaulted
            && record.inherits.is_none()
        {
            let problem = SourceProblem::error(
                span,
                format!("host function `{display}` cannot be called from device code"),
            );
            self.report(
                problem.note(place, "declared here").help("add `__device__` to its declaration"),
            );
        }
    }

    /// The template arguments that a call deduces, and how specific the template is.
    pub(in crate::analyze) fn deduce_function(
        &mut self,
        number: FunctionNumber,
        explicit: &[TemplateArgument],
        values: &[Typed],
        span: Span,
    ) -> Option<(Rc<[TemplateArgument]>, usize)> {
        use super::super::templates::Deduction;
        let record = self.function(number).clone();
        let parameters = record.template.clone()?;
        let mut deduction = Deduction::new(&parameters);
        let mut given = explicit.iter().cloned();
        for parameter in parameters.iter() {
            let Some(name) = parameter.name else { continue };
            if parameter.pack {
                let rest: Vec<TemplateArgument> = given.by_ref().collect();
                if !rest.is_empty() {
                    deduction.found.insert(name, TemplateArgument::Pack(rest.into()));
                }
                break;
            }
            if let Some(argument) = given.next() {
                deduction.found.insert(name, argument);
            }
        }
        if given.next().is_some() {
            return None;
        }
        // Parameters whose types are already known need no deduction, so implicit conversions are allowed.
        let fixed: Vec<Name> = deduction.found.keys().copied().collect();
        let list = record.syntax.signature.parameters.clone();
        let mut rest = values.iter();
        for parameter in &list {
            if parameter.pack {
                let mut named = Vec::new();
                visit::names_in_type(&parameter.kind, &mut |name| named.push(name));
                if named.iter().any(|name| fixed.contains(name)) {
                    break;
                }
                self.open_packs(&parameter.kind, &mut deduction);
                for value in rest.by_ref() {
                    if !self.deduce_call(parameter, value, &mut deduction, record.scope) {
                        return None;
                    }
                }
                break;
            }
            let Some(value) = rest.next() else { break };
            if value.ty == TypeId::AUTO {
                continue;
            }
            let mut named = Vec::new();
            visit::names_in_type(&parameter.kind, &mut |name| named.push(name));
            let own: Vec<&Name> = named
                .iter()
                .filter(|name| parameters.iter().any(|parameter| parameter.name == Some(**name)))
                .collect();
            if !own.is_empty() && own.iter().all(|name| fixed.contains(name)) {
                continue;
            }
            if !self.deduce_call(parameter, value, &mut deduction, record.scope) {
                return None;
            }
        }
        let scope = self.add_scope(record.scope);
        let mut arguments = Vec::new();
        for (parameter, found) in parameters.iter().zip(deduction.arguments()) {
            let argument = match found {
                Some(argument) => self.fit_deduced(parameter, argument, scope, span)?,
                None if parameter.pack => TemplateArgument::Pack(Rc::from([])),
                None => self.default_argument(parameter, scope)??,
            };
            self.bind_argument(scope, parameter, &argument);
            arguments.push(argument);
        }
        Some((arguments.into(), deduction.weight))
    }

    /// Converts a deduced constant to the type of its parameter.
    fn fit_deduced(
        &mut self,
        parameter: &TemplateParameterSyntax,
        argument: TemplateArgument,
        scope: usize,
        span: Span,
    ) -> Option<TemplateArgument> {
        match (&parameter.kind, argument) {
            (TemplateParameterKind::Value(kind, _), TemplateArgument::Value(bits, from)) => {
                let ty = self.within(scope, |this| this.type_of(kind));
                let ty = self.types.bare(ty);
                if ty == TypeId::AUTO || ty == from {
                    return Some(TemplateArgument::Value(bits, from));
                }
                let constant = self.constant(bits, from, span);
                let converted = self.convert(constant, ty, span)?;
                let bits = self.constant_value(&converted)?;
                Some(TemplateArgument::Value(bits, ty))
            }
            (TemplateParameterKind::Type(_), argument @ TemplateArgument::Type(_))
            | (_, argument @ TemplateArgument::Pack(_))
            | (TemplateParameterKind::Template(_), argument @ TemplateArgument::Template(_)) => {
                Some(argument)
            }
            _ => None,
        }
    }
}
