//! `__PRETTY_FUNCTION__`: the text of the function that contains an expression. In device code it is as NVIDIA's compiler
//! forms it (`void n::k(const T *, int) [with T = float; int N = 4]`); GPUs print it with a failed assertion.

use super::Analyzer;
use crate::analyze::functions::Signature;
use crate::analyze::scopes::Binding;
use crate::analyze::templates::TemplateArgument;
use crate::syntax::*;
use crate::typed::FunctionNumber;
use crate::types::{Record, TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// The function that is being analyzed, with its result, parameters and template arguments.
    pub(super) fn function_text(&mut self) -> String {
        let Some(number) = self.frame.as_ref().map(|frame| frame.function) else {
            return "top level".to_owned();
        };
        let record = self.function(number).clone();
        let lambda = record.display == "lambda";
        let signature =
            if lambda { self.signature(number) } else { self.pattern_signature(number) };
        let Some(signature) = signature else { return record.display };
        let mut list = Vec::new();
        for parameter in &signature.parameters {
            let ty = self.types.bare(parameter.ty);
            list.push(self.spelled(ty, String::new()));
        }
        if signature.variadic {
            list.push("...".to_owned());
        }
        let list = list.join(", ");
        if lambda {
            let result = match record.syntax.signature.trailing {
                Some(_) => self.spelled(signature.result, String::new()),
                None => "auto".to_owned(),
            };
            return format!("lambda []({list})->{result}::operator()({list})->{result}");
        }
        let conversion = record.syntax.name.last().conversion.is_some();
        let own = match conversion {
            true => format!("operator {}", self.spelled(signature.result, String::new())),
            false => self.text(record.name).to_owned(),
        };
        let constant = if record.syntax.signature.is_const { " const" } else { "" };
        let text = format!("{}{own}({list}){constant}", self.path_text(record.scope));
        let text = match conversion || record.is_constructor || own.starts_with('~') {
            true => text,
            false => self.spelled(signature.result, text),
        };
        format!("{text}{}", self.arguments_text(number))
    }

    /// The signature as the source declares it: in terms of the template's parameters, if they do not decide more than
    /// types that stand alone.
    fn pattern_signature(&mut self, number: FunctionNumber) -> Option<Rc<Signature>> {
        let (template, arguments) =
            (self.function(number).of_template, self.function(number).arguments.clone());
        if let Some(template) = template
            && let Some(parameters) = self.function(template).template.clone()
        {
            let found = self.function(template).clone();
            let scope = self.add_scope(found.scope);
            for (parameter, argument) in parameters.iter().zip(arguments.iter()) {
                self.bind_pattern(scope, parameter, argument);
            }
            let frame = self.frame.take();
            let syntax = found.syntax.clone();
            let made = self
                .trial(|this| this.within(scope, |this| this.make_signature(&syntax)))
                .flatten();
            self.frame = frame;
            if let Some(made) = made {
                return Some(Rc::new(made));
            }
        }
        self.signature(number)
    }

    /// Binds a template parameter to a type of its own name, or to its argument if it is no type.
    fn bind_pattern(
        &mut self,
        scope: usize,
        parameter: &TemplateParameterSyntax,
        argument: &TemplateArgument,
    ) {
        match (parameter.name, argument) {
            (Some(name), TemplateArgument::Type(_)) => {
                let text = self.text(name).to_owned();
                let opaque =
                    Record { name: text, complete: true, size: 1, align: 1, ..Record::default() };
                let (_, ty) = self.types.add_record(opaque);
                self.scopes[scope].names.insert(name, Binding::Type(ty));
            }
            _ => self.bind_argument(scope, parameter, argument),
        }
    }

    /// The template arguments of an instance.
    fn arguments_text(&self, number: FunctionNumber) -> String {
        let record = self.function(number);
        let parameters = record.of_template.and_then(|of| self.function(of).template.clone());
        let Some(parameters) = parameters else { return String::new() };
        let list: Vec<String> = parameters
            .iter()
            .zip(record.arguments.iter())
            .filter_map(|(parameter, argument)| {
                let name = self.text(parameter.name?);
                Some(match argument {
                    TemplateArgument::Type(ty) => {
                        format!("{name} = {}", self.spelled(*ty, String::new()))
                    }
                    TemplateArgument::Value(_, ty) => {
                        let kind = self.spelled(*ty, String::new());
                        format!("{kind} {name} = {}", self.show_argument(argument))
                    }
                    TemplateArgument::Pack(_) => {
                        format!("{name} = <{}>", self.show_argument(argument))
                    }
                    TemplateArgument::Template(_) | TemplateArgument::Function(_) => {
                        format!("{name} = {}", self.show_argument(argument))
                    }
                })
            })
            .collect();
        if list.is_empty() { String::new() } else { format!(" [with {}]", list.join("; ")) }
    }

    /// The namespaces and classes around a scope, each followed by `::`.
    fn path_text(&self, scope: usize) -> String {
        let (mut parts, mut next) = (Vec::new(), Some(scope));
        while let Some(here) = next.and_then(|scope| self.scopes.get(scope)) {
            if let Some(record) = here.record {
                parts.push(self.types.record(record).name.clone());
            } else if let Some(mangled) = here.mangled.as_ref().filter(|_| here.is_namespace) {
                parts.push(match mangled.trim_start_matches(|c: char| c.is_ascii_digit()) {
                    "_GLOBAL__N_1" if self.host => "{anonymous}".to_owned(),
                    "_GLOBAL__N_1" => "<unnamed>".to_owned(),
                    name => name.to_owned(),
                });
            }
            next = here.parent;
        }
        parts.iter().rev().map(|part| format!("{part}::")).collect()
    }

    /// A declaration of `inner` with a type: NVIDIA's compiler puts a space before `*` and `&`, host compilers do not.
    fn spelled(&self, ty: TypeId, inner: String) -> String {
        let mut words = String::new();
        if !matches!(self.types.kind(ty), TypeKind::Array(..)) {
            words += if self.types.is_const(ty) { "const " } else { "" };
            words += if self.types.is_volatile(ty) { "volatile " } else { "" };
        }
        let close = self.host && inner.starts_with(['*', '&']);
        let gap = if inner.is_empty() || close { "" } else { " " };
        let named = |name: &str| format!("{words}{name}{gap}{inner}");
        let enclosed = |inner: String| match inner.starts_with(['*', '&']) {
            true => format!("({inner})"),
            false => inner,
        };
        match self.types.kind(ty) {
            TypeKind::Pointer(to) => self.spelled(*to, format!("*{words}{inner}")),
            TypeKind::MemberPointer(class, member, _) => {
                let inner = format!("{}::*{words}{inner}", self.spelled(*class, String::new()));
                match self.types.kind(*member) {
                    TypeKind::Function(_) => self.spelled(*member, format!("({inner})")),
                    _ => self.spelled(*member, inner),
                }
            }
            TypeKind::Reference(to) => self.spelled(*to, format!("&{inner}")),
            TypeKind::RvalueReference(to) => self.spelled(*to, format!("&&{inner}")),
            TypeKind::Array(element, count) => {
                let count = count.map_or(String::new(), |count| count.to_string());
                self.spelled(*element, format!("{}[{count}]", enclosed(inner)))
            }
            TypeKind::Function(function) => {
                let list: Vec<String> = function
                    .parameters
                    .iter()
                    .map(|&parameter| self.spelled(parameter, String::new()))
                    .collect();
                let inner = format!("{}({})", enclosed(inner), list.join(", "));
                self.spelled(function.result, inner)
            }
            TypeKind::Record(record) => {
                let record = self.types.record(*record);
                let around = self.scopes.get(record.scope).and_then(|scope| scope.parent);
                let path = around.map_or(String::new(), |scope| self.path_text(scope));
                named(&format!("{path}{}", record.name))
            }
            TypeKind::Enumeration(number) => {
                let found = &self.types.enumerations[number.0 as usize];
                let around = self.scopes.get(found.scope).and_then(|scope| match found.scoped {
                    true => scope.parent,
                    false => Some(found.scope),
                });
                let path = around.map_or(String::new(), |scope| self.path_text(scope));
                named(&format!("{path}{}", found.name))
            }
            TypeKind::Builtin(kind) => named(kind.text()),
            TypeKind::NullPointer => named("std::nullptr_t"),
            TypeKind::Auto => named("auto"),
            TypeKind::Error => named("<unknown type>"),
        }
    }
}
