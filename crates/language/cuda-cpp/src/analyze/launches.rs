//! Finds the instances of kernel templates that host code launches.
//!
//! Bodies of host functions are parsed, and all their errors are dropped. Declarations with known types are analyzed,
//! because they determine template arguments and the types of kernel arguments. Everything else is only searched for
//! launches and for calls of host templates.

use super::Analyzer;
use super::functions::Frame;
use super::scopes::Binding;
use crate::lex::known;
use crate::syntax::*;
use crate::typed::{FunctionNumber, TypedBody};
use crate::types::TypeId;
use std::collections::{HashMap, HashSet};

/// Maximum number of host functions that are searched.
const MOST: usize = 2000;

impl Analyzer {
    /// Searches the bodies of host functions for launches.
    pub(super) fn find_launches(&mut self) {
        let mut pending: Vec<FunctionNumber> = Vec::new();
        for at in 0..self.functions.len() {
            let function = &self.functions[at];
            let flags = &function.syntax.specifiers;
            let host = !flags.device && !flags.global && function.syntax.body.is_some();
            if host
                && function.template.is_none()
                && !self.parser.map.is_builtin(function.syntax.span)
            {
                pending.push(FunctionNumber(at as u32));
            }
        }
        let mut known: HashSet<FunctionNumber> = HashSet::new();
        let mut seen = self.functions.len();
        while let Some(next) = pending.pop() {
            if known.len() < MOST && known.insert(next) {
                self.search_function(next, &mut pending);
            }
            // Member functions and friends of the instances of class templates that the function uses.
            for at in seen..self.functions.len() {
                let function = &self.functions[at];
                let flags = &function.syntax.specifiers;
                if function.template.is_none()
                    && function.of_template.is_none()
                    && function.syntax.body.is_some()
                    && !flags.device
                    && !flags.global
                    && !self.parser.map.is_builtin(function.syntax.span)
                {
                    pending.push(FunctionNumber(at as u32));
                }
            }
            seen = self.functions.len();
        }
    }

    fn search_function(&mut self, number: FunctionNumber, pending: &mut Vec<FunctionNumber>) {
        let record = self.function(number).clone();
        let mark = self.parser.problems.mark();
        let around = self.around.len();
        let body = self.parser.body(&record.syntax);
        self.parser.problems.rewind(mark);
        let Some(body) = body else { return };
        self.frames += 1;
        let frame = Frame {
            serial: self.frames,
            function: number,
            body: TypedBody::default(),
            result: Some(TypeId::VOID),
            this: None,
            labels: HashMap::new(),
            loops: 0,
            switches: 0,
            cleanups: Vec::new(),
            cleanup_count: 0,
            breaks: Vec::new(),
            continues: Vec::new(),
        };
        let outer = self.frame.replace(frame);
        // The device does not need the functions that host code calls.
        let unevaluated = std::mem::replace(&mut self.unevaluated, true);
        let scope = self.add_scope(record.scope);
        let signature = self.trial(|this| this.signature(number)).flatten();
        self.within(scope, |this| {
            let serial = this.frames;
            for parameter in signature.iter().flat_map(|signature| &signature.parameters) {
                if let Some(name) = parameter.name {
                    let local = this.add_local(String::new(), parameter.ty, parameter.span);
                    this.bind(name, Binding::Local(serial, local));
                }
            }
            this.search_statements(&body.statements, pending);
            for handler in &body.handlers {
                this.block(|this| this.search_statements(&handler.body, pending));
            }
        });
        self.frame = outer;
        self.unevaluated = unevaluated;
        self.around.truncate(around);
        self.parser.problems.rewind(mark);
    }

    fn search_statements(&mut self, list: &[Statement], pending: &mut Vec<FunctionNumber>) {
        for statement in list {
            self.deeper(statement.span, |this| this.search_statement(statement, pending));
        }
    }

    fn search_block(&mut self, statement: &Statement, pending: &mut Vec<FunctionNumber>) {
        self.block(|this| this.search_statements(std::slice::from_ref(statement), pending));
    }

    fn search_statement(&mut self, statement: &Statement, pending: &mut Vec<FunctionNumber>) {
        use StatementKind as S;
        match &statement.kind {
            S::Expression(value) | S::Return(Some(value)) => self.search(value, pending),
            S::Block(list) => self.block(|this| this.search_statements(list, pending)),
            S::Declaration(items) => items.iter().for_each(|item| self.search_item(item, pending)),
            S::If { init, condition, then, otherwise, .. } => {
                self.block(|this| {
                    if let Some(init) = init {
                        this.search_statement(init, pending);
                    }
                    this.search_condition(condition, pending);
                    this.search_block(then, pending);
                    if let Some(otherwise) = otherwise {
                        this.search_block(otherwise, pending);
                    }
                });
            }
            S::While(condition, body, _) => {
                self.search_condition(condition, pending);
                self.search_block(body, pending);
            }
            S::DoWhile(body, condition, _) => {
                self.search_block(body, pending);
                self.search(condition, pending);
            }
            S::Switch(_, _, body) => self.search_block(body, pending),
            S::For { init, condition, step, body, .. } => self.block(|this| {
                if let Some(init) = init {
                    this.search_statement(init, pending);
                }
                if let Some(condition) = condition {
                    this.search_condition(condition, pending);
                }
                this.search_block(body, pending);
                if let Some(step) = step {
                    this.search(step, pending);
                }
            }),
            S::Try(body, handlers) => {
                self.block(|this| this.search_statements(body, pending));
                for handler in handlers {
                    self.block(|this| this.search_statements(&handler.body, pending));
                }
            }
            S::RangeFor { variable, range, body, .. } => self.block(|this| {
                this.search(range, pending);
                this.bind_element(variable, range);
                this.search_block(body, pending);
            }),
            S::Case(_, _, inner) | S::Default(inner) | S::Label(_, inner) => {
                self.search_statement(inner, pending)
            }
            _ => {}
        }
    }

    fn search_condition(&mut self, condition: &Condition, pending: &mut Vec<FunctionNumber>) {
        if let Condition::Value(value) = condition {
            self.search(value, pending);
        }
    }

    /// Declares the variable of a range-based `for`, if its type is known or follows from an array's elements.
    fn bind_element(&mut self, variable: &VariableSyntax, range: &Expression) {
        let Some(name) = variable.name.simple() else { return };
        let own = self.trial(|this| this.type_of(&variable.kind)).filter(|ty| *ty != TypeId::ERROR);
        let Some(own) = own else { return };
        let ty = match self.contains_auto(own) {
            false => self.types.referred(own),
            true => match self.trial(|this| this.expression(range)) {
                Some(range) => self.element_of(range.ty),
                None => return,
            },
        };
        let Some(serial) = self.frame.as_ref().map(|frame| frame.serial) else { return };
        let local = self.add_local(String::new(), ty, variable.span);
        self.bind(name, Binding::Local(serial, local));
    }

    fn search_item(&mut self, item: &Declaration, pending: &mut Vec<FunctionNumber>) {
        let DeclarationKind::Variable(variable) = &item.kind else {
            self.trial(|this| this.item(item));
            return;
        };
        match &variable.initializer {
            Initializer::Copy(value) | Initializer::List(value) => self.search(value, pending),
            Initializer::Direct(values) => {
                values.iter().for_each(|value| self.search(value, pending))
            }
            Initializer::None => {}
        }
        let mut statements = Vec::new();
        let whole = self.trial(|this| this.local_declaration(variable, &mut statements));
        if whole.is_none() {
            // Only the type matters; the value may need host code.
            let plain = VariableSyntax { initializer: Initializer::None, ..(**variable).clone() };
            self.trial(|this| this.local_declaration(&plain, &mut statements));
        }
    }

    fn search(&mut self, value: &Expression, pending: &mut Vec<FunctionNumber>) {
        use ExpressionKind as E;
        match &value.kind {
            E::Launch(launch) => self.launch(launch),
            E::Call(callee, arguments) => {
                match &callee.kind {
                    E::Name(name) => self.search_callee(name, arguments, pending),
                    E::Member(object, false, name) => {
                        self.search(object, pending);
                        self.search_member(object, name.last(), arguments, pending);
                    }
                    _ => self.search(callee, pending),
                }
                arguments.iter().for_each(|argument| self.search(argument, pending));
            }
            E::Binary(_, a, b) | E::Assign(_, a, b) => {
                self.search(a, pending);
                self.search(b, pending);
            }
            E::Conditional(_, a, b) => {
                self.search(a, pending);
                self.search(b, pending);
            }
            E::Name(name) if name.last().arguments.is_some() => self.instance(name, pending),
            E::Lambda(lambda) => self.block(|this| this.search_statements(&lambda.body, pending)),
            E::Cast(_, _, inner)
            | E::Unary(_, inner)
            | E::Postfix(inner, _)
            | E::Member(inner, ..)
            | E::Expansion(inner) => self.search(inner, pending),
            E::Index(a, b) => {
                self.search(a, pending);
                self.search(b, pending);
            }
            E::Construct(_, list, _) | E::List(list) => {
                list.iter().for_each(|element| self.search(&element.value, pending));
            }
            E::Statements(list) => self.block(|this| this.search_statements(list, pending)),
            _ => {}
        }
    }

    /// Handles a launch: instantiates the kernel.
    fn launch(&mut self, launch: &LaunchSyntax) {
        let ExpressionKind::Name(name) = &launch.kernel.kind else { return };
        if let Some(number) = self.target_of(name, &launch.arguments) {
            self.kernel(number);
        }
    }

    fn kernel(&mut self, number: FunctionNumber) {
        let unevaluated = std::mem::replace(&mut self.unevaluated, false);
        let only_types = std::mem::replace(&mut self.only_types, false);
        self.need(number);
        self.unevaluated = unevaluated;
        self.only_types = only_types;
    }

    /// Handles the address of an instance of a template: of a kernel, which the host may launch, or of a host function.
    fn instance(&mut self, name: &QualifiedName, pending: &mut Vec<FunctionNumber>) {
        match self.target_of(name, &[]) {
            Some(number) if self.function(number).syntax.specifiers.global => self.kernel(number),
            _ => self.search_callee(name, &[], pending),
        }
    }

    /// Handles a call of a host function template: searches its instance, too.
    fn search_callee(
        &mut self,
        name: &QualifiedName,
        arguments: &[Expression],
        pending: &mut Vec<FunctionNumber>,
    ) {
        let list = match self.trial(|this| this.resolve(name)).and_then(Result::ok).flatten() {
            Some(Binding::Functions(list)) => list,
            Some(Binding::Local(..) | Binding::Variable(_)) if name.last().arguments.is_none() => {
                let object =
                    Expression { kind: ExpressionKind::Name(name.clone()), span: name.span };
                let call = known::CALL_OPERATOR;
                let part =
                    NamePart { name: call, span: name.span, arguments: None, conversion: None };
                return self.search_member(&object, &part, arguments, pending);
            }
            _ => return,
        };
        let host_template = list.iter().any(|&number| {
            let function = self.function(number);
            function.template.is_some()
                && !function.syntax.specifiers.device
                && !self.parser.map.is_builtin(function.syntax.span)
        });
        if host_template && let Some(number) = self.target_of(name, arguments) {
            pending.push(number);
        }
    }

    /// Handles a call of a member template, such as the function of a generic lambda: searches its instance, too.
    fn search_member(
        &mut self,
        object: &Expression,
        name: &NamePart,
        arguments: &[Expression],
        pending: &mut Vec<FunctionNumber>,
    ) {
        let chosen = self.trial(|this| {
            let object = this.expression(object);
            let scope = this.types.record(this.types.record_of(object.ty)?).scope;
            let Some(Binding::Functions(list)) = this.find_in(scope, name.name, 0) else {
                return None;
            };
            let explicit = match &name.arguments {
                Some(arguments) => this.template_arguments(&arguments.clone())?,
                None => Vec::new(),
            };
            let values = this.arguments(arguments)?;
            this.choose(&list, &explicit, Some(&object), &values, object.span, name.name)
        });
        if let Some(number) = chosen.flatten() {
            let function = self.function(number);
            let flags = &function.syntax.specifiers;
            if function.of_template.is_some()
                && (flags.host || !flags.device)
                && !self.parser.map.is_builtin(function.syntax.span)
            {
                pending.push(number);
            }
        }
    }

    /// The function that a host call or launch refers to.
    fn target_of(
        &mut self,
        name: &QualifiedName,
        arguments: &[Expression],
    ) -> Option<FunctionNumber> {
        let binding = self.trial(|this| this.resolve(name)).and_then(Result::ok).flatten();
        let Some(Binding::Functions(list)) = binding else { return None };
        let last = name.last().clone();
        let explicit = match &last.arguments {
            Some(arguments) => {
                self.trial(|this| this.template_arguments(&arguments.clone())).flatten()?
            }
            None => Vec::new(),
        };
        let span = name.span;
        let mut values = Vec::new();
        for argument in arguments {
            let one = std::slice::from_ref(argument);
            match self.trial(|this| this.arguments(one)).flatten() {
                Some(known) => values.extend(known),
                // Only the host knows its type: it fits every parameter.
                None => values.push(self.bad(argument.span)),
            }
        }
        let chosen = self
            .trial(|this| this.choose(&list, &explicit, None, &values, span, last.name))
            .flatten();
        if chosen.is_some() {
            return chosen;
        }
        // If only the host knows the argument types, use only the explicit template arguments.
        list.into_iter().find_map(|number| {
            if self.function(number).template.is_none() {
                return (explicit.is_empty()).then_some(number);
            }
            self.trial(|this| {
                let (arguments, _) = this.deduce_function(number, &explicit, &[], span)?;
                this.instance_of(number, &arguments, span)
            })
            .flatten()
        })
    }
}
