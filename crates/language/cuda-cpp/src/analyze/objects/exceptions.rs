//! Exceptions of host code: `throw`, `try` and `catch`, and which functions may throw.
//!
//! A throwing function stores the exception and returns; its callers test for it. Programs without `catch` need no tests,
//! because an exception ends them where it is thrown.

use super::Analyzer;
use super::scopes::Binding;
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::TypeId;
use std::collections::HashSet;
use std::rc::Rc;

impl Analyzer {
    /// The functions of host code that may throw; none if the program catches no exception.
    pub fn throwing_functions(&self) -> HashSet<FunctionNumber> {
        let mut known = HashSet::new();
        if !self.host || !self.exceptions.catches {
            return known;
        }
        let mut callers = std::collections::HashMap::<FunctionNumber, Vec<FunctionNumber>>::new();
        for &(caller, callee) in &self.exceptions.calls {
            callers.entry(callee).or_default().push(caller);
        }
        let mut pending: Vec<FunctionNumber> = self.exceptions.throws.iter().copied().collect();
        while let Some(next) = pending.pop() {
            if known.insert(next) {
                pending.extend(callers.get(&next).into_iter().flatten());
            }
        }
        known
    }

    /// The variable of the headers that holds the exception being thrown.
    pub fn pending_exception(&self) -> Option<VariableNumber> {
        match self.find_in(0, self.parser.names.find("__lw_pending")?, 0)? {
            Binding::Variable(number) => Some(number),
            _ => None,
        }
    }

    /// `throw value`, and `throw` in a handler.
    pub(in crate::analyze) fn throw(&mut self, value: Option<&Expression>, span: Span) -> Typed {
        if !self.host {
            self.unsupported(span, "`throw` in device code");
            return self.bad(span);
        }
        self.exceptions.indirect(self.frame.as_ref().map(|frame| frame.function));
        let call = match value {
            None => self.call_named("__lw_rethrow", Vec::new(), span),
            Some(value) => match self.thrown(value, span) {
                Some(call) => call,
                None => return self.bad(span),
            },
        };
        if call.ty == TypeId::ERROR {
            return call;
        }
        let kind = TypedKind::Throw(Box::new(call));
        Typed { kind, ty: TypeId::VOID, lvalue: false, expiring: false, span }
    }

    /// The call that stores an exception.
    fn thrown(&mut self, value: &Expression, span: Span) -> Option<Typed> {
        let typed = self.expression(value);
        if typed.ty == TypeId::ERROR {
            return None;
        }
        let ty = self.types.decay(typed.ty);
        let value = self.convert(typed, ty, span)?;
        let (void, pointer) = (self.types.pointer(TypeId::VOID), self.types.pointer(ty));
        let size = self.constant(self.types.size(ty), TypeId::UNSIGNED_LONG, span);
        let memory = self.call_named("malloc", vec![size], span);
        let memory = Typed { ty: pointer, ..memory };
        let kind = TypedKind::InitializeAt(Box::new(memory), Box::new(value));
        let object = Typed { kind, ty: void, lvalue: false, expiring: false, span };
        let description = self.type_object_address(ty, span);
        let destroy = match self.types.record_of(ty).filter(|_| self.is_destroyed(ty)) {
            Some(record) => {
                let number = self.destructor_of(record);
                let function = self.function_object(number, span)?;
                Typed { ty: void, ..self.decayed(function) }
            }
            None => Typed { ty: void, ..self.constant(0, TypeId::NULL, span) },
        };
        Some(self.call_named("__lw_throw", vec![object, description, destroy], span))
    }

    fn runtime_call(&mut self, name: &str, span: Span) -> TypedStatement {
        let call = self.call_named(name, Vec::new(), span);
        TypedStatement { kind: TypedStatementKind::Expression(call), span }
    }

    /// `try { body } catch (...) { ... }`.
    pub(in crate::analyze) fn try_statement(
        &mut self,
        body: &[Statement],
        handlers: &[HandlerSyntax],
        span: Span,
        out: &mut Vec<TypedStatement>,
    ) {
        self.try_block(handlers, span, out, |this, out| this.statements(body, out));
    }

    /// The body of a function, with the handlers of the whole body if it has some. Those of a constructor or destructor
    /// throw the exception again at their ends.
    pub(in crate::analyze) fn handled_body(
        &mut self,
        parsed: &FunctionBody,
        throws_again: bool,
        out: &mut Vec<TypedStatement>,
        body: impl FnOnce(&mut Self, &mut Vec<TypedStatement>),
    ) {
        if parsed.handlers.is_empty() {
            body(self, out);
            return;
        }
        let mut handlers = parsed.handlers.clone();
        for handler in handlers.iter_mut().filter(|_| throws_again) {
            let span = handler.span;
            let value = Expression { kind: ExpressionKind::Throw(None), span };
            handler.body.push(Statement { kind: StatementKind::Expression(value), span });
        }
        self.try_block(&handlers, parsed.end, out, body);
    }

    /// `try`, with a body that a function analyzes.
    fn try_block(
        &mut self,
        handlers: &[HandlerSyntax],
        span: Span,
        out: &mut Vec<TypedStatement>,
        body: impl FnOnce(&mut Self, &mut Vec<TypedStatement>),
    ) {
        let mut inner = Vec::new();
        if !self.host {
            self.scoped(&mut inner, body);
            out.push(TypedStatement { kind: TypedStatementKind::Block(inner), span });
            return;
        }
        self.exceptions.catches = true;
        let enter = self.runtime_call("__lw_try_enter", span);
        let leave = self.runtime_call("__lw_try_leave", span);
        out.push(enter);
        if let Some(frame) = self.frame.as_mut() {
            frame.add_cleanup(leave.clone());
        }
        self.scoped(&mut inner, body);
        if let Some(frame) = self.frame.as_mut() {
            frame.cleanups.pop();
        }
        inner.push(leave.clone());
        let mut otherwise = TypedStatement { kind: TypedStatementKind::Raise, span };
        for handler in handlers.iter().rev() {
            if let Some(statement) = self.handler(handler, otherwise.clone()) {
                otherwise = statement;
            }
        }
        let body = Box::new(TypedStatement { kind: TypedStatementKind::Block(inner), span });
        let kind = TypedStatementKind::Try(body, vec![leave, otherwise]);
        out.push(TypedStatement { kind, span });
    }

    /// One handler, as an `if` that tests the exception's type.
    fn handler(
        &mut self,
        handler: &HandlerSyntax,
        otherwise: TypedStatement,
    ) -> Option<TypedStatement> {
        let span = handler.span;
        let void = self.types.pointer(TypeId::VOID);
        let declared = match &handler.variable {
            Some(variable) => {
                let ty = self.type_of(&variable.kind);
                if ty == TypeId::ERROR {
                    return None;
                }
                Some(ty)
            }
            None => None,
        };
        let wanted = match declared {
            Some(ty) => {
                let caught = self.types.decay(ty);
                self.type_object_address(caught, span)
            }
            None => Typed { ty: void, ..self.constant(0, TypeId::NULL, span) },
        };
        let found = self.call_named("__lw_catch", vec![wanted], span);
        if found.ty == TypeId::ERROR {
            return None;
        }
        let local = self.add_local("exception".to_owned(), void, span);
        let place = self.local_place(local, span);
        let kind = TypedKind::Assign(Box::new(place.clone()), Box::new(found));
        let assigned = Typed { kind, ty: void, lvalue: false, expiring: false, span };
        let condition = self.condition(assigned, span)?;
        let mut block = Vec::new();
        self.scoped(&mut block, |this, out| {
            let end = this.runtime_call("__lw_end_catch", span);
            this.at_end_of_block(vec![end], out);
            if let (Some(variable), Some(ty)) = (&handler.variable, declared) {
                let object = this.rvalue(place.clone());
                let referred = this.types.referred(ty);
                let pointer = this.types.pointer(referred);
                let object = this.dereference(Typed { ty: pointer, ..object });
                this.bind_exception(variable, ty, object, out);
            }
            this.statements(&handler.body, out);
        });
        let then = Box::new(TypedStatement { kind: TypedStatementKind::Block(block), span });
        let kind = TypedStatementKind::If(condition, then, Some(Box::new(otherwise)));
        Some(TypedStatement { kind, span })
    }

    fn bind_exception(
        &mut self,
        variable: &ParameterSyntax,
        ty: TypeId,
        object: Typed,
        out: &mut Vec<TypedStatement>,
    ) {
        let Some(name) = variable.name else { return };
        if self.types.is_reference(ty) {
            self.bind(name, Binding::Alias(Rc::new(object)));
            return;
        }
        let Some(value) = self.copy_value(object, ty) else { return };
        let value = self.rvalue(value);
        let copy = self.bind_temporary(value, out);
        self.bind(name, Binding::Alias(Rc::new(copy)));
    }

    /// Runs statements at the end of the block, on every way out of it.
    pub(in crate::analyze) fn at_end_of_block(
        &mut self,
        statements: Vec<TypedStatement>,
        out: &mut Vec<TypedStatement>,
    ) {
        let span = statements.first().map_or(Span::default(), |statement| statement.span);
        out.push(TypedStatement { kind: TypedStatementKind::Guard(statements.clone()), span });
        let block = TypedStatement { kind: TypedStatementKind::Block(statements), span };
        if let Some(frame) = self.frame.as_mut() {
            frame.add_cleanup(block);
        }
    }
}
