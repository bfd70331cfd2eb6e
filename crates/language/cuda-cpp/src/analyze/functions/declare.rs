//! Function declarations, and instances of function templates.

use super::super::scopes::Binding;
use super::super::templates::TemplateArgument;
use super::{Analyzer, BodyState, FunctionRecord};
use crate::lex::Name;
use crate::source::Span;
use crate::source::diagnostics::SourceProblem;
use crate::syntax::*;
use crate::typed::FunctionNumber;
use crate::types::{RecordId, TypeId};
use std::collections::HashMap;
use std::rc::Rc;

type TemplateParameters = Rc<Vec<TemplateParameterSyntax>>;

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
            is_static: flags.is_static,
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
            self.specialize_function(syntax);
            return None;
        }
        if matches!(syntax.result.base, BaseType::Absent) && syntax.name.last().conversion.is_none()
        {
            let text = self.text(syntax.name.last().name).to_owned();
            let problem = SourceProblem::error(
                syntax.span,
                format!("the declaration of `{text}` has no result type"),
            );
            self.report(problem.help("write `void` if it returns nothing"));
            return None;
        }
        let scope = self.scope;
        let name = syntax.name.last().name;
        let old = match self.scopes[scope].names.get(&name) {
            Some(Binding::Functions(list)) => list.clone(),
            Some(Binding::Variable(_) | Binding::Constant(..))
                if !self.parser.map.is_builtin(syntax.span) =>
            {
                let text = self.text(name).to_owned();
                self.error(syntax.span, format!("`{text}` is declared as a variable already"));
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
                && (old.syntax.body.is_none() || syntax.body.is_none());
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
                if self.parser.map.is_builtin(known) {
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
    fn with_defaults(
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

    pub(in crate::analyze) fn declare_friend(
        &mut self,
        syntax: &Rc<FunctionSyntax>,
        template: Option<TemplateParameters>,
    ) {
        if syntax.body.is_none() {
            return;
        }
        let number = self.add_function(syntax, self.scope, template, None);
        let namespace = self.namespace_around(self.scope);
        self.bind_in(namespace, syntax.name.last().name, Binding::Functions(vec![number]));
    }

    /// Declares a member function.
    pub(in crate::analyze) fn declare_member(
        &mut self,
        id: RecordId,
        syntax: &Rc<FunctionSyntax>,
        template: Option<TemplateParameters>,
    ) -> FunctionNumber {
        let name = syntax.name.last().name;
        let text = self.text(name).to_owned();
        let is_constructor = matches!(syntax.result.base, BaseType::Absent)
            && syntax.name.last().conversion.is_none()
            && !text.starts_with('~');
        let scope = self.types.record(id).scope;
        let number = self.add_function(syntax, scope, template, Some(id));
        self.function_mut(number).is_constructor = is_constructor;
        if is_constructor {
            let constructor = self.parser.names.intern("<constructor>");
            if !syntax.defaulted {
                self.types.record_mut(id).has_constructors = true;
            }
            if !syntax.defaulted || syntax.deleted {
                self.bind_in(scope, constructor, Binding::Functions(vec![number]));
            }
            return number;
        }
        if text.starts_with('~') {
            let empty = syntax.body.is_some_and(|body| body.end - body.start <= 2);
            self.types.record_mut(id).has_destructor |= !empty && !syntax.defaulted;
            self.destructors.insert(id, number);
            self.bind_in(scope, name, Binding::Functions(vec![number]));
            return number;
        }
        if text == "operator=" && (syntax.defaulted || syntax.deleted) {
            return number;
        }
        if text == "operator=" {
            self.types.record_mut(id).assigns = true;
        }
        self.bind_in(scope, name, Binding::Functions(vec![number]));
        number
    }

    /// Declares a constructor that a class inherits from its base.
    pub(in crate::analyze) fn inherit_constructor(&mut self, id: RecordId, base: FunctionNumber) {
        let record = self.function(base).clone();
        let scope = self.types.record(id).scope;
        let number = self.add_function(&record.syntax, record.scope, record.template, Some(id));
        let made = self.function_mut(number);
        (made.is_constructor, made.inherits) = (true, Some(base));
        self.types.record_mut(id).has_constructors = true;
        let constructor = self.parser.names.intern("<constructor>");
        self.bind_in(scope, constructor, Binding::Functions(vec![number]));
    }

    /// Defines a member function outside of its class.
    pub(in crate::analyze) fn outside_member(
        &mut self,
        syntax: &Rc<FunctionSyntax>,
        template: Option<TemplateParameters>,
        own: Option<TemplateParameters>,
    ) {
        let qualifier = syntax.name.parts.get(syntax.name.parts.len().wrapping_sub(2)).cloned();
        if let (Some(parameters), Some(part)) = (&template, &qualifier)
            && let Some((Binding::Template(number), _)) = self.find(part.name)
        {
            let member = (syntax.clone(), own, parameters.clone());
            self.templates[number].members.push(member.clone());
            let instances: Vec<_> = self.templates[number].instances.clone().into_iter().collect();
            for (arguments, binding) in instances {
                if let Binding::Type(ty) = binding
                    && let Some(record) = self.types.record_of(ty)
                {
                    self.attach_member(record, syntax, member.1.as_ref(), &member.2, &arguments);
                }
            }
            return;
        }
        let Ok(Some(scope)) = self.qualifier_scope(&syntax.name) else { return };
        match self.scopes[scope].record {
            Some(record) => self.attach_to(record, syntax, template.as_ref(), None),
            None => {
                // It is a function of a namespace.
                let plain = Rc::new(FunctionSyntax {
                    name: QualifiedName {
                        parts: vec![syntax.name.last().clone()],
                        ..syntax.name.clone()
                    },
                    result: syntax.result.clone(),
                    signature: syntax.signature.clone(),
                    specifiers: syntax.specifiers.clone(),
                    body: syntax.body,
                    parsed: std::cell::OnceCell::new(),
                    deleted: false,
                    defaulted: false,
                    pure_virtual: false,
                    extern_c: syntax.extern_c,
                    span: syntax.span,
                });
                self.within(scope, |this| this.declare_function(&plain, template));
            }
        }
    }

    /// Attaches the definition of a class template's member to one instance.
    pub(in crate::analyze) fn attach_member(
        &mut self,
        record: RecordId,
        syntax: &Rc<FunctionSyntax>,
        own: Option<&TemplateParameters>,
        parameters: &[TemplateParameterSyntax],
        arguments: &[TemplateArgument],
    ) {
        // The definition may use other parameter names.
        let class = self.types.record(record).scope;
        let scope = self.add_scope(class);
        for (parameter, argument) in parameters.iter().zip(arguments) {
            self.bind_argument(scope, parameter, argument);
        }
        self.attach_to(record, syntax, own, Some(scope));
    }

    fn attach_to(
        &mut self,
        record: RecordId,
        syntax: &Rc<FunctionSyntax>,
        template: Option<&TemplateParameters>,
        scope: Option<usize>,
    ) {
        let class = self.types.record(record).scope;
        let mut name = syntax.name.last().name;
        let count = syntax.name.parts.len();
        if count >= 2 && syntax.name.parts[count - 2].name == name {
            name = self.parser.names.intern("<constructor>");
        }
        let Some(Binding::Functions(list)) = self.scopes[class].names.get(&name).cloned() else {
            if !syntax.defaulted {
                let shown = self.types.record(record).name.clone();
                self.error(
                    syntax.span,
                    format!("class `{shown}` declares no such member function"),
                );
            }
            return;
        };
        let candidates: Vec<FunctionNumber> = list
            .iter()
            .copied()
            .filter(|&number| {
                let old = self.function(number);
                old.syntax.signature.parameters.len() == syntax.signature.parameters.len()
                    && old.template.is_some() == template.is_some()
                    && old.syntax.signature.is_const == syntax.signature.is_const
                    && old.syntax.body.is_none()
            })
            .collect();
        let scope = scope.unwrap_or(class);
        let matching = candidates.iter().copied().find(|&number| {
            if template.is_some() || candidates.len() == 1 {
                return true;
            }
            let new =
                self.trial(|this| this.within(scope, |this| this.make_signature(syntax))).flatten();
            let old = self.trial(|this| this.signature(number)).flatten();
            let kinds = |signature: &super::Signature| -> Vec<TypeId> {
                signature.parameters.iter().map(|parameter| parameter.ty).collect()
            };
            new.zip(old).is_some_and(|(new, old)| kinds(&new) == kinds(&old))
        });
        let Some(number) = matching else { return };
        let old = self.function(number).syntax.clone();
        let defaults: Vec<_> =
            old.signature.parameters.iter().map(|parameter| parameter.default.clone()).collect();
        let merged = self.with_defaults(syntax, &defaults, &old);
        let found = self.function_mut(number);
        (found.syntax, found.scope, found.signature) = (merged, scope, None);
        if let Some(template) = template {
            found.template = Some(template.clone());
        }
    }

    /// An explicit specialization: `template <> void f<int>(int)`.
    fn specialize_function(&mut self, syntax: &Rc<FunctionSyntax>) {
        let Some((template, arguments)) = self.match_declared(syntax) else { return };
        let scope = self.scope;
        let number = self.add_function(syntax, scope, None, None);
        let display = self.function(template).display.clone();
        let made = self.function_mut(number);
        (made.arguments, made.of_template, made.display) =
            (arguments.clone(), Some(template), display);
        self.function_mut(template).instances.insert(arguments, number);
    }

    /// An explicit instantiation: `template void f<int>(int);`.
    pub(in crate::analyze) fn instantiate_declared(&mut self, syntax: &Rc<FunctionSyntax>) {
        let Some((template, arguments)) = self.match_declared(syntax) else { return };
        if let Some(number) = self.instance_of(template, &arguments, syntax.span) {
            self.need(number);
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
        self.error(syntax.span, format!("no template `{text}` fits this declaration"));
        None
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
        let made = self.function_mut(number);
        made.display = display;
        made.arguments = arguments.clone();
        made.of_template = Some(template);
        made.is_constructor = found.is_constructor;
        made.captures = found.captures.clone();
        made.inherits = found.inherits;
        made.is_static = found.is_static;
        self.function_mut(template).instances.insert(arguments.clone(), number);
        Some(number)
    }
}
