//! Function declarations, and instances of function templates.

use super::super::scopes::Binding;
use super::super::templates::TemplateArgument;
use super::{Analyzer, BodyState, FunctionRecord};
use crate::lex::Name;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::FunctionNumber;
use crate::types::{RecordId, TypeId};
use std::collections::HashMap;
use std::rc::Rc;

pub(super) type TemplateParameters = Rc<Vec<TemplateParameterSyntax>>;

impl Analyzer {
    pub(in crate::analyze) fn add_function(
        &mut self,
        syntax: &Rc<FunctionSyntax>,
        scope: usize,
        template: Option<TemplateParameters>,
        record: Option<RecordId>,
    ) -> FunctionNumber {
        let name = syntax.name.last().name;
        let flags = &syntax.specifiers;
        let text = self.text(name).to_owned();
        let is_allocation = text.starts_with("operator new") || text.starts_with("operator delete");
        let display = match record {
            Some(record) => format!("{}::{text}", self.types.record(record).name),
            None => text,
        };
        let intrinsic = flags
            .intrinsic
            .as_ref()
            .map(|(kind, text)| (self.text(*kind).to_owned(), text.clone()));
        let intrinsic = intrinsic.filter(|_| self.parser.map.is_builtin(syntax.span));
        self.functions.push(FunctionRecord {
            name,
            display,
            syntax: syntax.clone(),
            scope,
            template,
            record,
            is_static: flags.is_static || record.is_some() && is_allocation,
            is_constructor: false,
            signature: None,
            arguments: Rc::from([]),
            of_template: None,
            instances: HashMap::new(),
            body: None,
            state: BodyState::Unused,
            intrinsic,
            captures: None,
            inherits: None,
            generic: false,
            is_virtual: (flags.is_virtual || syntax.pure_virtual) && record.is_some(),
            implicit: None,
        });
        FunctionNumber(self.functions.len() as u32 - 1)
    }

    /// Declares a function of a namespace, or defines one that was already declared.
    pub(in crate::analyze) fn declare_function(
        &mut self,
        syntax: &Rc<FunctionSyntax>,
        template: Option<TemplateParameters>,
    ) -> Option<FunctionNumber> {
        if syntax.name.parts.len() > 1 {
            self.outside_member(syntax, template, None);
            return None;
        }
        if let Some(parameters) = &template
            && parameters.is_empty()
        {
            self.specialize_function(syntax, None);
            return None;
        }
        if syntax.is_guide()
            && let Ok(Some(Binding::Template(class))) = self.resolve(&syntax.name)
        {
            let guide = self.add_function(syntax, self.scope, template, None);
            self.templates[class].guides.push(guide);
            return None;
        }
        if matches!(syntax.result.base, BaseType::Absent) && syntax.name.last().conversion.is_none()
        {
            let text = self.text(syntax.name.last().name).to_owned();
            let problem = SourceProblem::error(
                syntax.span,
                format!("the declaration of `{text}` has no return type"),
            );
            self.report(problem.help("write `void` if it returns nothing"));
            return None;
        }
        self.check_allocation(syntax);
        let scope = self.scope;
        let name = syntax.name.last().name;
        let old = match self.scopes[scope].names.get(&name) {
            Some(Binding::Functions(list)) => list.clone(),
            Some(Binding::Variable(_) | Binding::Constant(..))
                if !self.parser.map.is_builtin(syntax.span) =>
            {
                let text = self.text(name).to_owned();
                self.error(syntax.span, format!("`{text}` is already declared as a variable"));
                return None;
            }
            _ => Vec::new(),
        };
        for number in old {
            if self.same_function(number, syntax, template.as_ref()) {
                self.merge(number, syntax, template);
                return Some(number);
            }
        }
        let number = self.add_function(syntax, scope, template, None);
        self.bind(name, Binding::Functions(vec![number]));
        Some(number)
    }

    /// Whether a declaration redeclares a known function.
    fn same_function(
        &mut self,
        number: FunctionNumber,
        syntax: &Rc<FunctionSyntax>,
        template: Option<&TemplateParameters>,
    ) -> bool {
        let old = self.function(number).clone();
        if old.template.is_some() != template.is_some()
            || old.syntax.signature.parameters.len() != syntax.signature.parameters.len()
            || old.syntax.signature.is_const != syntax.signature.is_const
        {
            return false;
        }
        if let (Some(old_parameters), Some(new)) = (&old.template, template) {
            // Templates are compared by their source text.
            let text = |this: &Self, syntax: &FunctionSyntax| -> Vec<String> {
                let kinds = syntax.signature.parameters.iter().map(|parameter| &parameter.kind);
                kinds
                    .map(|kind| {
                        let base = this
                            .parser
                            .map
                            .text(kind.span)
                            .split_whitespace()
                            .collect::<Vec<_>>()
                            .join(" ");
                        format!(
                            "{base} {:?}",
                            kind.derived.iter().map(std::mem::discriminant).collect::<Vec<_>>()
                        )
                    })
                    .collect()
            };
            let kinds = |list: &[TemplateParameterSyntax]| -> Vec<bool> {
                list.iter()
                    .map(|parameter| matches!(parameter.kind, TemplateParameterKind::Type(_)))
                    .collect()
            };
            return kinds(old_parameters) == kinds(new)
                && text(self, &old.syntax) == text(self, syntax)
                && (old.syntax.body.is_none()
                    || syntax.body.is_none()
                    || old.syntax.span.low != syntax.span.low
                        && self.parser.map.same_place(old.syntax.span, syntax.span));
        }
        let scope = old.scope;
        let new =
            self.trial(|this| this.within(scope, |this| this.make_signature(syntax))).flatten();
        let known = self.trial(|this| this.signature(number)).flatten();
        let (Some(new), Some(known)) = (new, known) else { return false };
        let bare = |this: &mut Self, list: &[super::SignatureParameter]| -> Vec<TypeId> {
            list.iter().map(|parameter| this.types.bare(parameter.ty)).collect()
        };
        bare(self, &new.parameters) == bare(self, &known.parameters)
    }

    /// Adds the information of a further declaration.
    fn merge(
        &mut self,
        number: FunctionNumber,
        syntax: &Rc<FunctionSyntax>,
        template: Option<TemplateParameters>,
    ) {
        let old = self.function(number).clone();
        if syntax.body.is_none() {
            return;
        }
        if old.syntax.body.is_some() {
            let known = old.syntax.span;
            if known != syntax.span && !self.parser.map.is_builtin(syntax.span) {
                if self.parser.map.same_place(known, syntax.span)
                    && self.parser.same_body(&old.syntax, syntax)
                {
                    // Two files of a program include a header without a guard.
                    return;
                } else if self.parser.map.is_builtin(known) {
                    // The user's function replaces one from a header.
                } else {
                    let problem = SourceProblem::error(
                        syntax.span,
                        format!("`{}` is defined twice", old.display),
                    );
                    self.report(problem.note(known, "first defined here"));
                    return;
                }
            }
        }
        let defaults: Vec<_> = old
            .syntax
            .signature
            .parameters
            .iter()
            .map(|parameter| parameter.default.clone())
            .collect();
        let merged = self.with_defaults(syntax, &defaults, &old.syntax);
        let intrinsic = merged.specifiers.intrinsic.is_some();
        let record = self.function_mut(number);
        record.syntax = merged;
        record.signature = None;
        if !intrinsic {
            record.intrinsic = None;
        }
        if let (Some(new), Some(old)) = (template, &old.template) {
            let mut list = (*new).clone();
            for (new, old) in list.iter_mut().zip(old.iter()) {
                super::super::items::keep_default(new, old);
            }
            record.template = Some(Rc::new(list));
        }
    }

    /// A definition, with the default arguments and attributes of its declaration.
    pub(super) fn with_defaults(
        &self,
        syntax: &Rc<FunctionSyntax>,
        defaults: &[Option<Rc<Expression>>],
        old: &FunctionSyntax,
    ) -> Rc<FunctionSyntax> {
        let mut signature = (*syntax.signature).clone();
        for (parameter, default) in signature.parameters.iter_mut().zip(defaults) {
            if parameter.default.is_none() {
                parameter.default.clone_from(default);
            }
        }
        let mut flags = (*syntax.specifiers).clone();
        flags.device |= old.specifiers.device;
        flags.global |= old.specifiers.global;
        flags.host |= old.specifiers.host;
        flags.is_static |= old.specifiers.is_static;
        if flags.launch_bounds.is_empty() {
            flags.launch_bounds.clone_from(&old.specifiers.launch_bounds);
        }
        Rc::new(FunctionSyntax {
            name: syntax.name.clone(),
            result: syntax.result.clone(),
            signature: Rc::new(signature),
            specifiers: Rc::new(flags),
            body: syntax.body,
            parsed: std::cell::OnceCell::new(),
            deleted: syntax.deleted,
            defaulted: syntax.defaulted,
            pure_virtual: syntax.pure_virtual,
            extern_c: syntax.extern_c || old.extern_c,
            span: syntax.span,
        })
    }

    /// An explicit specialization: `template <> void f<int>(int)`.
    pub(super) fn specialize_function(
        &mut self,
        syntax: &Rc<FunctionSyntax>,
        record: Option<RecordId>,
    ) {
        let scope = record.map_or(self.scope, |record| self.types.record(record).scope);
        let matched = self.within(scope, |this| this.match_declared(syntax));
        let Some((template, arguments)) = matched else { return };
        let number = self.add_function(syntax, scope, None, record);
        let (display, is_static) =
            (self.function(template).display.clone(), self.function(template).is_static);
        let made = self.function_mut(number);
        made.is_static |= is_static;
        (made.arguments, made.of_template, made.display) =
            (arguments.clone(), Some(template), display);
        self.function_mut(template).instances.insert(arguments, number);
    }

    /// An explicit instantiation: `template void f<int>(int);`.
    pub(in crate::analyze) fn instantiate_declared(&mut self, syntax: &Rc<FunctionSyntax>) {
        let Some((template, arguments)) = self.match_declared(syntax) else { return };
        if let Some(number) = self.instance_of(template, &arguments, syntax.span) {
            let flags = &self.function(number).syntax.specifiers;
            // Device code only needs the launches in an instance of host code.
            if self.host || flags.device || flags.global {
                self.need(number);
            }
        }
    }

    /// The template and the arguments that the declaration of an instance refers to.
    fn match_declared(
        &mut self,
        syntax: &Rc<FunctionSyntax>,
    ) -> Option<(FunctionNumber, Rc<[TemplateArgument]>)> {
        let name = syntax.name.last();
        let Ok(Some(Binding::Functions(list))) = self.resolve(&syntax.name) else {
            self.unknown_name(name.name, syntax.span, "function template");
            return None;
        };
        let explicit = match &name.arguments {
            Some(arguments) => self.template_arguments(arguments)?,
            None => Vec::new(),
        };
        let signature = self.make_signature(syntax)?;
        let values: Vec<_> =
            signature.parameters.iter().map(|parameter| self.declval(parameter.ty)).collect();
        for number in list {
            if self.function(number).template.is_none() {
                continue;
            }
            let mut explicit = explicit.clone();
            if explicit.is_empty() {
                explicit = self.deduce_by_result(number, signature.result);
            }
            let found = self.trial(|this| {
                this.deduce_function(number, &explicit, &values, syntax.span).and_then(
                    |(arguments, _)| {
                        let made = this.instance_of(number, &arguments, syntax.span)?;
                        let made = this.signature(made)?;
                        let same = made.parameters.len() == signature.parameters.len()
                            && made
                                .parameters
                                .iter()
                                .zip(&signature.parameters)
                                .all(|(a, b)| a.ty == b.ty);
                        same.then_some(arguments)
                    },
                )
            });
            if let Some(Some(arguments)) = found {
                return Some((number, arguments));
            }
        }
        let text = self.text(name.name).to_owned();
        self.error(syntax.span, format!("no template `{text}` matches this declaration"));
        None
    }

    /// The template arguments that the result type of a specialization determines.
    fn deduce_by_result(
        &mut self,
        template: FunctionNumber,
        result: TypeId,
    ) -> Vec<TemplateArgument> {
        let record = self.function(template).clone();
        let Some(parameters) = record.template else { return Vec::new() };
        let mut deduction = super::super::templates::Deduction::new(&parameters);
        let pattern = &record.syntax.result;
        let count = pattern.derived.len();
        let fits = self
            .trial(|this| this.deduce_type(pattern, count, result, &mut deduction, record.scope));
        if fits != Some(true) {
            return Vec::new();
        }
        deduction.arguments().into_iter().map_while(|argument| argument).collect()
    }

    /// The instance of a function template.
    pub(in crate::analyze) fn instance_of(
        &mut self,
        template: FunctionNumber,
        arguments: &Rc<[TemplateArgument]>,
        span: Span,
    ) -> Option<FunctionNumber> {
        if let Some(&known) = self.function(template).instances.get(arguments) {
            return Some(known);
        }
        if self.functions.len() > super::super::MOST_FUNCTIONS {
            self.error(span, "this source instantiates more than 20,000 functions");
            return None;
        }
        let found = self.function(template).clone();
        let parameters = found.template.clone()?;
        let scope = self.add_scope(found.scope);
        for (parameter, argument) in parameters.iter().zip(arguments.iter()) {
            self.bind_argument(scope, parameter, argument);
        }
        let number = self.add_function(&found.syntax, scope, None, found.record);
        let text: Name = found.name;
        let mut display = self.instance_name(text, arguments);
        if found.generic {
            display = "lambda".to_owned();
        }
        let inherits = match found.inherits {
            Some(base) if self.function(base).template.is_some() => {
                self.instance_of(base, arguments, span)
            }
            base => base,
        };
        let made = self.function_mut(number);
        made.display = display;
        made.arguments = arguments.clone();
        made.of_template = Some(template);
        made.is_constructor = found.is_constructor;
        made.captures = found.captures.clone();
        made.inherits = inherits;
        made.is_static = found.is_static;
        self.function_mut(template).instances.insert(arguments.clone(), number);
        Some(number)
    }
}
