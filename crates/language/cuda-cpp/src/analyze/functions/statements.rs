//! Analysis of statements.

use super::{Analyzer, List};
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::TypeId;
use std::rc::Rc;

impl Analyzer {
    /// Analyzes statements in the current scope.
    pub(in crate::analyze) fn statements(&mut self, list: &[Statement], out: &mut List) {
        for statement in list {
            if self.parser.problems.full() {
                return;
            }
            self.deeper(statement.span, |this| this.statement(statement, out));
        }
    }

    pub(super) fn push(&self, out: &mut List, kind: TypedStatementKind, span: Span) {
        out.push(TypedStatement { kind, span });
    }

    /// Analyzes one statement in its own scope, and returns it as one typed statement.
    pub(super) fn enclosed(&mut self, statement: &Statement) -> Box<TypedStatement> {
        let mut list = Vec::new();
        self.scoped(&mut list, |this, out| this.statements(std::slice::from_ref(statement), out));
        Box::new(TypedStatement { kind: TypedStatementKind::Block(list), span: statement.span })
    }

    fn statement(&mut self, statement: &Statement, out: &mut List) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Empty | StatementKind::Invalid => {}
            StatementKind::Expression(value) => {
                let before = self.destroyed;
                let typed = self.expression(value);
                if typed.ty != TypeId::ERROR {
                    if !typed.lvalue {
                        self.note_destroyed(typed.ty);
                    }
                    let typed = self.full(typed, before);
                    self.push(out, TypedStatementKind::Expression(typed), span);
                }
            }
            StatementKind::Try(body, handlers) => self.try_statement(body, handlers, span, out),
            StatementKind::Block(list) => {
                let mut inner = Vec::new();
                self.scoped(&mut inner, |this, out| this.statements(list, out));
                self.push(out, TypedStatementKind::Block(inner), span);
            }
            StatementKind::Declaration(items) => {
                for item in items {
                    match &item.kind {
                        DeclarationKind::Variable(variable) => {
                            self.local_declaration(variable, out)
                        }
                        _ => self.item(item),
                    }
                }
            }
            StatementKind::If { is_constexpr, init, condition, then, otherwise } => {
                let mut inner = Vec::new();
                self.scoped(&mut inner, |this, inner| {
                    if let Some(init) = init {
                        this.statements(std::slice::from_ref(init), inner);
                    }
                    let otherwise = otherwise.as_deref();
                    this.if_statement(*is_constexpr, condition, then, otherwise, span, inner);
                });
                self.push(out, TypedStatementKind::Block(inner), span);
            }
            StatementKind::While(condition, body, unroll) => {
                let unroll = self.unroll(unroll.as_ref());
                let mut before = Vec::new();
                self.block(|this| {
                    let condition = this.condition_of(condition, &mut before);
                    let body = this.loop_body(body);
                    let before = (!before.is_empty()).then(|| {
                        Box::new(TypedStatement { kind: TypedStatementKind::Block(before), span })
                    });
                    let kind = TypedStatementKind::Loop {
                        before,
                        condition,
                        step: None,
                        body,
                        body_first: false,
                        unroll,
                    };
                    this.push(out, kind, span);
                });
            }
            StatementKind::DoWhile(body, condition, unroll) => {
                let unroll = self.unroll(unroll.as_ref());
                let body = self.loop_body(body);
                let before = self.destroyed;
                let value = self.expression(condition);
                let condition = self.condition(value, condition.span);
                let condition = condition.map(|condition| self.full(condition, before));
                let kind = TypedStatementKind::Loop {
                    before: None,
                    condition,
                    step: None,
                    body,
                    body_first: true,
                    unroll,
                };
                self.push(out, kind, span);
            }
            StatementKind::For { init, condition, step, body, unroll } => {
                let unroll = self.unroll(unroll.as_ref());
                let mut inner = Vec::new();
                self.scoped(&mut inner, |this, inner| {
                    if let Some(init) = init {
                        this.statements(std::slice::from_ref(init), inner);
                    }
                    let mut before = Vec::new();
                    let condition = match condition {
                        Some(condition) => match this.condition_of(condition, &mut before) {
                            Some(condition) => Some(condition),
                            // After an error, use `false`: this must not become an endless loop.
                            None => Some(this.constant(0, TypeId::BOOL, span)),
                        },
                        None => None,
                    };
                    let step = step
                        .as_ref()
                        .map(|step| {
                            let before = this.destroyed;
                            let typed = this.expression(step);
                            this.full(typed, before)
                        })
                        .filter(|s| s.ty != TypeId::ERROR);
                    let body = this.loop_body(body);
                    let before = (!before.is_empty()).then(|| {
                        Box::new(TypedStatement { kind: TypedStatementKind::Block(before), span })
                    });
                    let kind = TypedStatementKind::Loop {
                        before,
                        condition,
                        step,
                        body,
                        body_first: false,
                        unroll,
                    };
                    this.push(inner, kind, span);
                });
                self.push(out, TypedStatementKind::Block(inner), span);
            }
            StatementKind::RangeFor { variable, range, body, unroll } => {
                let unroll = self.unroll(unroll.as_ref());
                let mut inner = Vec::new();
                self.scoped(&mut inner, |this, inner| {
                    this.range_for(variable, range, body, unroll, span, inner)
                });
                self.push(out, TypedStatementKind::Block(inner), span);
            }
            StatementKind::Switch(init, condition, body) => {
                let mut inner = Vec::new();
                self.scoped(&mut inner, |this, inner| {
                    if let Some(init) = init {
                        this.statements(std::slice::from_ref(init), inner);
                    }
                    this.switch(condition, body, span, inner);
                });
                self.push(out, TypedStatementKind::Block(inner), span);
            }
            StatementKind::Case(first, last, inner) => {
                let value = self.case_value(first);
                let end = last.as_ref().map_or(value, |last| self.case_value(last));
                match (value, end, self.frame.as_ref().is_some_and(|frame| frame.switches > 0)) {
                    (_, _, false) => self.error(span, "`case` outside of a `switch`"),
                    (Some(value), Some(end), _) => {
                        self.push(out, TypedStatementKind::Case(value, end), span)
                    }
                    _ => {}
                }
                self.statements(std::slice::from_ref(inner), out);
            }
            StatementKind::Default(inner) => {
                if self.frame.as_ref().is_some_and(|frame| frame.switches > 0) {
                    self.push(out, TypedStatementKind::Default, span);
                } else {
                    self.error(span, "`default` outside of a `switch`");
                }
                self.statements(std::slice::from_ref(inner), out);
            }
            StatementKind::Break => {
                if self.frame.as_ref().is_some_and(|frame| frame.loops + frame.switches > 0) {
                    self.leave_to(|frame| frame.breaks.last(), out);
                    self.push(out, TypedStatementKind::Break, span);
                } else {
                    self.error(span, "`break` outside of a loop or `switch`");
                }
            }
            StatementKind::Continue => {
                if self.frame.as_ref().is_some_and(|frame| frame.loops > 0) {
                    self.leave_to(|frame| frame.continues.last(), out);
                    self.push(out, TypedStatementKind::Continue, span);
                } else {
                    self.error(span, "`continue` outside of a loop");
                }
            }
            StatementKind::Return(value) => self.return_statement(value.as_ref(), span, out),
            StatementKind::Goto(name) => {
                if let Some(frame) = self.frame.as_mut() {
                    let label = frame.label(*name, span);
                    let open = frame.cleanups.clone();
                    self.push(out, TypedStatementKind::Goto(label, open), span);
                }
            }
            StatementKind::Label(name, inner) => {
                if let Some(frame) = self.frame.as_mut() {
                    let label = frame.label(*name, span);
                    if let Some(entry) = frame.labels.get_mut(name) {
                        entry.1 = true;
                    }
                    let open = frame.cleanups.iter().map(|(number, _)| *number).collect();
                    frame.body.labels.insert(label, open);
                    self.push(out, TypedStatementKind::Label(label), span);
                }
                self.statements(std::slice::from_ref(inner), out);
            }
            StatementKind::Asm(asm) => self.asm(asm, span, out),
        }
    }

    fn asm(&mut self, asm: &Rc<AsmSyntax>, span: Span, out: &mut List) {
        let mut outputs = Vec::new();
        let mut inputs = Vec::new();
        for operand in &asm.outputs {
            let typed = self.expression(&operand.value);
            if typed.ty == TypeId::ERROR {
                return;
            }
            if !typed.lvalue || self.types.is_aggregate(typed.ty) || self.types.is_const(typed.ty) {
                self.error(
                    operand.value.span,
                    "an output of `asm` must be a variable of scalar type",
                );
                return;
            }
            outputs.push(typed);
        }
        for operand in &asm.inputs {
            let typed = self.expression(&operand.value);
            if typed.ty == TypeId::ERROR {
                return;
            }
            let typed = self.decayed(typed);
            if self.types.is_aggregate(typed.ty) {
                self.error(operand.value.span, "an input of `asm` must be a scalar");
                return;
            }
            inputs.push(typed);
        }
        self.push(out, TypedStatementKind::Asm(asm.clone(), outputs, inputs), span);
    }
}
