//! Calls of a chosen function: overloaded operators, arguments converted to parameters, and deduced template arguments.

use super::super::scopes::Binding;
use super::super::templates::TemplateArgument;
use super::Analyzer;
use crate::lex::Name;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// Calls an overloaded operator on operands of class or enumeration type.
    pub(in crate::analyze) fn operator_call(
        &mut self,
        operator: &str,
        operands: Vec<Typed>,
        span: Span,
    ) -> Option<Typed> {
        let name = self.parser.names.intern(&format!("operator{operator}"));
        let first = operands.first()?.clone();
        let scope = self.types.record_of(first.ty).map(|record| self.types.record(record).scope);
        let members = match scope.and_then(|scope| self.find_in(scope, name, 0)) {
            Some(Binding::Functions(list)) => list,
            _ => Vec::new(),
        };
        if !members.is_empty() {
            let others = self.free_operators(name, &operands);
            let number = self.choose_operator(&members, &others, &operands, span, name)?;
            if self.function(number).record.is_some() {
                return self.call_method(number, first, operands[1..].to_vec(), span);
            }
            return self.build_call(number, None, operands, span);
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
        self.check_format(number, &fitted);
        self.check_callable(number, span);
        let result = self.result_of(number, span)?;
        self.need(number);
        if let Some(this) = this {
            fitted.insert(0, this);
        }
        Some(self.call_result(TypedKind::Call(number, fitted), result, span))
    }

    pub(in crate::analyze) fn call_result(
        &mut self,
        kind: TypedKind,
        result: TypeId,
        span: Span,
    ) -> Typed {
        if self.types.is_reference(result) {
            let expiring = matches!(self.types.kind(result), TypeKind::RvalueReference(_));
            let inner = self.types.referred(result);
            let pointer = self.types.pointer(inner);
            let address = Typed { kind, ty: pointer, lvalue: false, expiring: false, span };
            let object = self.dereference(address);
            return Typed { expiring, ..object };
        }
        let ty = if self.types.is_aggregate(result) { result } else { self.types.bare(result) };
        if matches!(kind, TypedKind::CallIndirect(..)) {
            self.exceptions.indirect(self.frame.as_ref().map(|frame| frame.function));
        }
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
            // Libraries of the host call function objects of the device, which then run on the host.
            let caller = self.frame.as_ref().map(|frame| frame.function);
            let library = self.parser.map.is_builtin(span)
                || caller.is_some_and(|caller| self.function(caller).syntax.specifiers.device);
            if flags.device && !flags.host && !flags.is_constexpr && !library {
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
                    if value.ty == TypeId::AUTO
                        || !self.deduce_call(parameter, value, &mut deduction, record.scope)
                    {
                        return None;
                    }
                }
                break;
            }
            let Some(value) = rest.next() else { break };
            let mut named = Vec::new();
            visit::names_in_type(&parameter.kind, &mut |name| named.push(name));
            let own: Vec<&Name> = named
                .iter()
                .filter(|name| parameters.iter().any(|parameter| parameter.name == Some(**name)))
                .collect();
            if !own.is_empty() && own.iter().all(|name| fixed.contains(name)) {
                continue;
            }
            if value.ty == TypeId::AUTO {
                if !self.deduce_from_list(parameter, value, &mut deduction, record.scope) {
                    return None;
                }
                continue;
            }
            if !self.deduce_call(parameter, value, &mut deduction, record.scope) {
                return None;
            }
        }
        let arguments = self.deduced_arguments(&deduction, record.scope, span)?;
        Some((arguments, deduction.weight))
    }

    /// The template arguments after deduction, with the default arguments of those that were not deduced.
    pub(in crate::analyze) fn deduced_arguments(
        &mut self,
        deduction: &super::super::templates::Deduction,
        scope: usize,
        span: Span,
    ) -> Option<Rc<[TemplateArgument]>> {
        let scope = self.add_scope(scope);
        let mut arguments = Vec::new();
        for (parameter, found) in deduction.parameters.iter().zip(deduction.arguments()) {
            let argument = match found {
                Some(argument) => self.fit_deduced(parameter, argument, scope, span)?,
                None if parameter.pack => TemplateArgument::Pack(Rc::from([])),
                None => self.default_argument(parameter, scope)??,
            };
            self.bind_argument(scope, parameter, &argument);
            arguments.push(argument);
        }
        Some(arguments.into())
    }

    /// Deduces the elements of a `std::initializer_list` parameter from a braced list. Other parameters deduce nothing.
    fn deduce_from_list(
        &mut self,
        parameter: &ParameterSyntax,
        value: &Typed,
        deduction: &mut super::super::templates::Deduction,
        scope: usize,
    ) -> bool {
        let BaseType::Named(name) = &parameter.kind.base else { return true };
        let Some([pattern]) = name.last().arguments.as_deref() else { return true };
        let Some(list) = self.lists.get(&(value.span.low, value.span.high)).cloned() else {
            return true;
        };
        let (ExpressionKind::List(elements), "initializer_list") =
            (&list.kind, self.text(name.last().name))
        else {
            return true;
        };
        elements.iter().all(|element| {
            let typed = self.expression(&element.value);
            let ty = self.types.decay(typed.ty);
            let pattern = std::slice::from_ref(pattern);
            self.deduce_arguments(pattern, &[TemplateArgument::Type(ty)], deduction, scope)
        })
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
            (TemplateParameterKind::Value(kind, _), TemplateArgument::Function(number)) => {
                self.fit_function(kind, number, scope, span)
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
