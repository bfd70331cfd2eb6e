//! Analysis of function bodies.

use super::super::scopes::Binding;
use super::{Analyzer, BodyState, Frame};
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::collections::HashMap;
use std::rc::Rc;

impl Analyzer {
    /// Analyzes the body of a function.
    pub(in crate::analyze) fn analyze_body(&mut self, number: FunctionNumber) {
        if !self.only_types && !self.unevaluated {
            self.need_postponed(number);
        }
        let record = self.function(number).clone();
        if matches!(record.state, BodyState::Started | BodyState::Done) || record.template.is_some()
        {
            return;
        }
        // A constant evaluation may ask for a function that the source defines further down.
        let (defined, before) = (self.is_defined(&record), record.state);
        self.function_mut(number).state = BodyState::Started;
        let instance = record.of_template.is_some() || self.in_template(record.scope);
        let depth = self.around.len();
        if instance {
            self.around.push((
                record.syntax.span,
                format!("in the instantiation `{}`", self.instance_text(number)),
            ));
        }
        // The type of a result may be needed where nothing is called: in `decltype`, and of host code in the device's pass.
        let only_types = self.only_types;
        self.only_types |= self.unevaluated;
        let errors = self.parser.problems.errors();
        let body = self.deeper(record.syntax.span, |this| this.make_body(number)).flatten();
        if self.only_types && self.parser.problems.errors() > errors {
            self.postponed.entry(number).or_default().failed = true;
        }
        self.only_types = only_types;
        self.around.truncate(depth);
        let record = self.function_mut(number);
        record.body = body.map(Rc::new);
        record.state = if defined { BodyState::Done } else { before };
    }

    pub(super) fn is_defined(&self, record: &super::FunctionRecord) -> bool {
        let syntax = &record.syntax;
        let has_body = syntax.body.is_some() || syntax.parsed.get().is_some();
        has_body || syntax.defaulted || record.implicit.is_some() || record.inherits.is_some()
    }

    fn in_template(&self, scope: usize) -> bool {
        self.record_around(scope).is_some_and(|record| self.record_templates.contains_key(&record))
    }

    fn instance_text(&self, number: FunctionNumber) -> String {
        self.function(number).display.clone()
    }

    fn make_body(&mut self, number: FunctionNumber) -> Option<TypedBody> {
        let record = self.function(number).clone();
        let signature = self.signature(number)?;
        if record.intrinsic.is_some() {
            return None;
        }
        let has_body = record.syntax.body.is_some() || record.syntax.parsed.get().is_some();
        if !self.is_defined(&record) {
            return None;
        }
        let parsed = if record.inherits.is_none() && has_body {
            Some(self.parser.body(&record.syntax)?)
        } else {
            None
        };
        self.frames += 1;
        let serial = self.frames;
        let frame = Frame {
            serial,
            function: number,
            body: TypedBody::default(),
            result: (!self.contains_auto(signature.result)).then_some(signature.result),
            this: None,
            labels: HashMap::new(),
            loops: 0,
            switches: 0,
            cleanups: Vec::new(),
            cleanup_count: 0,
            breaks: Vec::new(),
            continues: Vec::new(),
        };
        let outer_frame = self.frame.replace(frame);
        let outer_unevaluated = std::mem::replace(&mut self.unevaluated, false);
        let scope = self.add_scope(record.scope);
        let outer_scope = std::mem::replace(&mut self.scope, scope);
        self.bind_this(&record);
        // Parameters may hide captures, so they get their own scope.
        self.scope = self.add_scope(scope);
        let arguments = self.bind_parameters(&signature);
        self.bind_empty_packs(&record.syntax);
        let mut statements = Vec::new();
        let is_destructor = self.text(record.name).starts_with('~');
        if is_destructor {
            self.refer_to_tables(&mut statements);
        }
        if let Some(member) = record.implicit {
            self.implicit_body(member, arguments, &mut statements);
        } else if let Some(parsed) = &parsed {
            let throws_again = record.is_constructor || is_destructor;
            self.handled_body(parsed, throws_again, &mut statements, |this, out| {
                if record.is_constructor {
                    this.constructor_prologue(&record, Some(parsed), arguments, out);
                }
                let is_guard =
                    |made: &&TypedStatement| matches!(made.kind, TypedStatementKind::Guard(_));
                let guards = out.iter().filter(is_guard).count();
                let list = parsed.statements.clone();
                this.scoped(out, |this, out| this.statements(&list, out));
                if guards > 0 && !parsed.handlers.is_empty() {
                    this.push(out, TypedStatementKind::EndGuards(guards), parsed.end);
                }
            });
            self.check_end(number, &signature, &statements, parsed.end);
        } else if record.is_constructor {
            self.constructor_prologue(&record, None, arguments, &mut statements);
        }
        if is_destructor
            && let Some(this) = self.frame.as_ref().and_then(|frame| frame.this.clone())
        {
            self.destroy_parts(&this, &mut statements);
        }
        self.scope = outer_scope;
        self.unevaluated = outer_unevaluated;
        let frame = std::mem::replace(&mut self.frame, outer_frame)?;
        for (name, (_, defined, span)) in &frame.labels {
            if !defined {
                let text = self.text(*name).to_owned();
                self.error(*span, format!("there is no label `{text}` in this function"));
            }
        }
        if self.contains_auto(signature.result) {
            let mut made = (*signature).clone();
            made.result = frame.result.unwrap_or(TypeId::VOID);
            self.function_mut(number).signature = Some(Rc::new(made));
        }
        let mut body = frame.body;
        body.statements = statements;
        Some(body)
    }

    fn bind_this(&mut self, record: &super::FunctionRecord) {
        let Some(class) = record.record.filter(|_| !record.is_static) else { return };
        let is_const = record.syntax.signature.is_const && !record.is_constructor;
        let ty = self.types.intern(TypeKind::Record(class));
        let object = self.types.with(ty, is_const, false);
        let pointer = self.types.pointer(object);
        let this = self.add_local("this".to_owned(), pointer, record.syntax.span);
        let Some(frame) = self.frame.as_mut() else { return };
        frame.body.parameters.push(this);
        // Without a position, its instructions take that of the expression that uses the member or the captured variable.
        let span = Span::default();
        let place = Typed {
            kind: TypedKind::Local(this),
            ty: pointer,
            lvalue: true,
            expiring: false,
            span,
        };
        let value = Typed {
            kind: TypedKind::Load(Box::new(place)),
            ty: pointer,
            lvalue: false,
            expiring: false,
            span,
        };
        let closure = Typed {
            kind: TypedKind::Dereference(Box::new(value)),
            ty: object,
            lvalue: true,
            expiring: false,
            span,
        };
        let Some(captures) = &record.captures else {
            frame.this = Some(closure);
            return;
        };
        let (fields, captured_this) = &**captures;
        let mut values = Vec::new();
        for (name, offset, ty, by_reference) in fields {
            values
                .push((*name, self.capture_place(&closure, *offset, *ty, *by_reference, is_const)));
        }
        self.bind_captures(values);
        if let Some(outer) = captured_this {
            let offset = fields.iter().map(|(_, offset, ..)| offset + 8).max().unwrap_or(0);
            let _ = offset;
            let place = self.types.record(class).fields.last().map_or(0, |field| field.offset);
            let pointer = self.types.pointer(*outer);
            let field = self.part(closure.clone(), place, pointer, None);
            let value = self.rvalue(field);
            let object = self.dereference(value);
            if let Some(frame) = self.frame.as_mut() {
                frame.this = Some(object);
            }
        }
    }

    fn capture_place(
        &mut self,
        closure: &Typed,
        offset: u64,
        ty: TypeId,
        by_reference: bool,
        is_const: bool,
    ) -> Typed {
        if by_reference {
            let pointer = self.types.pointer(ty);
            let field = self.part(closure.clone(), offset, pointer, None);
            let value = self.rvalue(field);
            return self.dereference(value);
        }
        let ty = self.types.with(ty, is_const, false);
        self.part(closure.clone(), offset, ty, None)
    }

    /// Declares the parameters as local variables, and returns them as expressions.
    fn bind_parameters(&mut self, signature: &super::Signature) -> Vec<Typed> {
        let mut packs: Vec<(crate::lex::Name, Vec<Binding>)> = Vec::new();
        let mut values = Vec::new();
        let serial = self.frame.as_ref().map_or(0, |frame| frame.serial);
        for parameter in &signature.parameters {
            let text = parameter.name.map_or(String::new(), |name| self.text(name).to_owned());
            let local = self.add_local(text, parameter.ty, parameter.span);
            if let Some(frame) = self.frame.as_mut() {
                frame.body.parameters.push(local);
            }
            values.push(self.local_place(local, parameter.span));
            let Some(name) = parameter.name else { continue };
            let binding = Binding::Local(serial, local);
            if parameter.pack {
                match packs.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, list)) => list.push(binding),
                    None => packs.push((name, vec![binding])),
                }
            } else {
                if self.scopes[self.scope].names.contains_key(&name) {
                    let text = self.text(name).to_owned();
                    self.error(parameter.span, format!("two parameters are named `{text}`"));
                }
                self.bind(name, binding);
            }
        }
        for (name, list) in packs {
            self.bind(name, Binding::LocalPack(list.into()));
        }
        values
    }

    /// Binds parameter packs that received no argument.
    fn bind_empty_packs(&mut self, syntax: &FunctionSyntax) {
        for parameter in syntax.signature.parameters.iter().filter(|parameter| parameter.pack) {
            if let Some(name) = parameter.name
                && !self.scopes[self.scope].names.contains_key(&name)
            {
                self.bind(name, Binding::LocalPack(Rc::from([])));
            }
        }
    }

    /// Adds a local variable to the function being analyzed.
    pub(in crate::analyze) fn add_local(
        &mut self,
        name: String,
        ty: TypeId,
        span: Span,
    ) -> LocalNumber {
        let Some(frame) = self.frame.as_mut() else { return LocalNumber(0) };
        frame.body.locals.push(LocalVariable { name, ty, addressed: false, span, align: 0 });
        let local = LocalNumber(frame.body.locals.len() as u32 - 1);
        self.local_types.insert((frame.serial, local), ty);
        local
    }

    /// A local variable as an expression. References are dereferenced.
    pub(in crate::analyze) fn local_place(&mut self, local: LocalNumber, span: Span) -> Typed {
        let ty = self
            .frame
            .as_ref()
            .and_then(|frame| frame.body.locals.get(local.0 as usize))
            .map(|local| local.ty);
        let ty = ty.unwrap_or(TypeId::ERROR);
        if !self.types.is_reference(ty) {
            return Typed {
                kind: TypedKind::Local(local),
                ty,
                lvalue: true,
                expiring: false,
                span,
            };
        }
        let inner = self.types.referred(ty);
        let pointer = self.types.pointer(inner);
        let place = Typed {
            kind: TypedKind::Local(local),
            ty: pointer,
            lvalue: true,
            expiring: false,
            span,
        };
        let value = Typed {
            kind: TypedKind::Load(Box::new(place)),
            ty: pointer,
            lvalue: false,
            expiring: false,
            span,
        };
        Typed {
            kind: TypedKind::Dereference(Box::new(value)),
            ty: inner,
            lvalue: true,
            expiring: false,
            span,
        }
    }

    /// Warns if control may reach the end of a function that must return a value.
    fn check_end(
        &mut self,
        number: FunctionNumber,
        signature: &super::Signature,
        statements: &[TypedStatement],
        end: Span,
    ) {
        let flags = self.function(number).syntax.specifiers.clone();
        if flags.global && self.types.bare(signature.result) != TypeId::VOID {
            let shown = self.show(signature.result);
            let span = self.function(number).syntax.result.span;
            let problem = SourceProblem::error(
                span,
                format!("a `__global__` function must return `void`, not {shown}"),
            );
            self.report(problem.help("write results to memory that a pointer parameter points to"));
        }
        let mut types = signature.parameters.iter().map(|parameter| parameter.ty);
        let unknown = types.find(|ty| self.is_partial(*ty));
        if let Some(ty) = unknown {
            let span = self.function(number).syntax.span;
            self.report_partial(ty, span);
        }
        if self.types.bare(signature.result) == TypeId::VOID
            || self.contains_auto(signature.result)
            || self.function(number).is_constructor
            || self.text(self.function(number).name) == "main"
            || ends(statements)
            || self.parser.map.is_builtin(end)
            // A statement with an error is left out, even if it returns.
            || self.parser.problems.errors() > 0
        {
            return;
        }
        let display = self.function(number).display.clone();
        let problem =
            SourceProblem::warning(end, format!("`{display}` may end without returning a value"));
        self.report(problem);
    }
}

/// Whether control certainly does not reach the end of these statements.
fn ends(statements: &[TypedStatement]) -> bool {
    use TypedStatementKind as S;
    statements.iter().any(|statement| match &statement.kind {
        S::Return(..) | S::Goto(..) => true,
        S::Block(list) => ends(list),
        S::If(_, then, Some(otherwise)) => {
            ends(std::slice::from_ref(then)) && ends(std::slice::from_ref(otherwise))
        }
        S::If(condition, then, None) => {
            matches!(condition.kind, TypedKind::Constant(bits) if bits != 0)
                && ends(std::slice::from_ref(then))
        }
        S::Loop { condition: None, .. } => true,
        S::Loop { condition: Some(condition), .. } => {
            matches!(condition.kind, TypedKind::Constant(bits) if bits != 0)
        }
        // Does not check whether all cases return.
        S::Switch(..) | S::Asm(..) => true,
        S::Expression(value) => matches!(value.kind, TypedKind::Call(..)),
        _ => false,
    })
}
