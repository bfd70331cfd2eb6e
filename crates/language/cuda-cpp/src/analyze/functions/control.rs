//! Control flow: conditions, branches, loops, jumps and returns.

use super::super::scopes::Binding;
use super::{Analyzer, List};
use crate::lex::known;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    pub(super) fn unroll(&mut self, syntax: Option<&UnrollSyntax>) -> UnrollCount {
        match syntax {
            None => UnrollCount::Automatic,
            Some(UnrollSyntax::Full) => UnrollCount::Full,
            Some(UnrollSyntax::Count(value)) => {
                let typed = self.expression(value);
                if typed.ty == TypeId::ERROR {
                    return UnrollCount::Automatic;
                }
                match self.constant_value(&typed) {
                    Some(count) => UnrollCount::By(count.min(u64::from(u32::MAX)) as u32),
                    None => {
                        let problem = SourceProblem::warning(
                            value.span,
                            "this unroll count is not a constant",
                        );
                        self.report(problem);
                        UnrollCount::Automatic
                    }
                }
            }
        }
    }

    /// Destroys the objects of the blocks that a jump leaves.
    pub(super) fn leave_to(
        &mut self,
        mark: impl Fn(&super::Frame) -> Option<&usize>,
        out: &mut List,
    ) {
        let mark = self.frame.as_ref().and_then(|frame| mark(frame).copied()).unwrap_or(0);
        out.extend(self.cleanups_above(mark));
    }

    fn enter_loop(&mut self) {
        if let Some(frame) = self.frame.as_mut() {
            frame.loops += 1;
            frame.breaks.push(frame.cleanups.len());
            frame.continues.push(frame.cleanups.len());
        }
    }

    fn leave_loop(&mut self) {
        if let Some(frame) = self.frame.as_mut() {
            frame.loops -= 1;
            frame.breaks.pop();
            frame.continues.pop();
        }
    }

    pub(super) fn loop_body(&mut self, body: &Statement) -> Box<TypedStatement> {
        self.enter_loop();
        let typed = self.enclosed(body);
        self.leave_loop();
        typed
    }

    /// Analyzes a condition. A variable that it declares goes to `before`.
    pub(super) fn condition_of(
        &mut self,
        condition: &Condition,
        before: &mut List,
    ) -> Option<Typed> {
        match condition {
            Condition::Value(value) => {
                let before = self.destroyed;
                let typed = self.expression(value);
                if typed.ty == TypeId::ERROR {
                    return None;
                }
                self.warn_assignment(value);
                let typed = self.condition(typed, value.span)?;
                Some(self.full(typed, before))
            }
            Condition::Variable(variable) => {
                self.local_declaration(variable, before);
                let name = variable.name.simple()?;
                let binding = self.find(name)?.0;
                let value = self.bound_value(binding, variable.span)?;
                self.condition(value, variable.span)
            }
        }
    }

    fn warn_assignment(&mut self, value: &Expression) {
        let parenthesized = self.parser.map.text(value.span).starts_with('(');
        if matches!(value.kind, ExpressionKind::Assign(None, ..)) && !parenthesized {
            let problem =
                SourceProblem::warning(value.span, "an assignment is used as a condition");
            self.report(problem.help("write `==` to compare"));
        }
    }

    pub(super) fn if_statement(
        &mut self,
        is_constexpr: bool,
        condition: &Condition,
        then: &Statement,
        otherwise: Option<&Statement>,
        span: Span,
        out: &mut List,
    ) {
        let Some(value) = self.condition_of(condition, out) else {
            // Branches that are not taken are still checked.
            if !is_constexpr {
                self.enclosed(then);
                otherwise.map(|otherwise| self.enclosed(otherwise));
            }
            return;
        };
        if is_constexpr {
            match self.constant_value(&value) {
                Some(bits) => {
                    let chosen = if bits != 0 { Some(then) } else { otherwise };
                    if let Some(chosen) = chosen {
                        let typed = self.enclosed(chosen);
                        out.push(*typed);
                    }
                }
                None => {
                    self.error(value.span, "the condition of `if constexpr` must be a constant")
                }
            }
            return;
        }
        let then = self.enclosed(then);
        let otherwise = otherwise.map(|otherwise| self.enclosed(otherwise));
        self.push(out, TypedStatementKind::If(value, then, otherwise), span);
    }

    pub(super) fn switch(
        &mut self,
        condition: &Condition,
        body: &Statement,
        span: Span,
        out: &mut List,
    ) {
        let before = self.destroyed;
        let value = match condition {
            Condition::Value(value) => self.expression(value),
            Condition::Variable(variable) => {
                self.local_declaration(variable, out);
                let binding = variable.name.simple().and_then(|name| self.find(name));
                match binding.and_then(|(binding, _)| self.bound_value(binding, variable.span)) {
                    Some(value) => value,
                    None => return,
                }
            }
        };
        if value.ty == TypeId::ERROR {
            return;
        }
        let value = self.number_or_same(value);
        let value = self.rvalue(value);
        if !self.types.is_integer(value.ty) && !self.types.is_enumeration(value.ty) {
            let shown = self.show(value.ty);
            self.error(
                value.span,
                format!("the value of a `switch` must be an integer, not {shown}"),
            );
            return;
        }
        let ty = if self.types.is_enumeration(value.ty) {
            let bare = self.types.fundamental(value.ty).map_or(TypeId::INT, TypeId::builtin);
            self.types.promoted(bare)
        } else {
            self.types.promoted(value.ty)
        };
        let value = self.number_as(value, ty);
        let value = self.full(value, before);
        if let Some(frame) = self.frame.as_mut() {
            frame.switches += 1;
            frame.breaks.push(frame.cleanups.len());
        }
        let body = self.enclosed(body);
        if let Some(frame) = self.frame.as_mut() {
            frame.switches -= 1;
            frame.breaks.pop();
        }
        self.push(out, TypedStatementKind::Switch(value, body), span);
    }

    pub(super) fn case_value(&mut self, value: &Expression) -> Option<u64> {
        let typed = self.expression(value);
        if typed.ty == TypeId::ERROR {
            return None;
        }
        let found = self.constant_value(&typed);
        if found.is_none() {
            self.error(value.span, "the value of a `case` must be a constant");
        }
        found
    }

    pub(super) fn return_statement(
        &mut self,
        value: Option<&Expression>,
        span: Span,
        out: &mut List,
    ) {
        let declared = self.frame.as_ref().and_then(|frame| frame.result);
        let before = self.destroyed;
        let Some(value) = value else {
            match declared {
                Some(result) if self.types.bare(result) != TypeId::VOID => {
                    let shown = self.show(result);
                    let problem = SourceProblem::error(
                        span,
                        format!("`return` needs a value of type {shown}"),
                    );
                    self.report(problem);
                }
                _ => {}
            }
            if let (None, Some(frame)) = (declared, self.frame.as_mut()) {
                frame.result = Some(TypeId::VOID);
            }
            let cleanups = self.cleanups_above(0);
            self.push(out, TypedStatementKind::Return(None, cleanups), span);
            return;
        };
        let result = match declared {
            Some(result) => result,
            None => {
                let typed = self.expression(value);
                let Some(result) = self.deduced_result(&typed, value) else { return };
                if let Some(frame) = self.frame.as_mut() {
                    frame.result = Some(result);
                }
                // A second analysis of a lambda would create another class.
                if self.types.bare(result) != TypeId::VOID {
                    let typed = self.returned(result, typed, value);
                    self.return_value(typed, before, span, out);
                    return;
                }
                result
            }
        };
        if self.types.bare(result) == TypeId::VOID {
            let typed = self.expression(value);
            if typed.ty == TypeId::ERROR {
                return;
            }
            if self.types.bare(typed.ty) != TypeId::VOID {
                let problem = SourceProblem::error(
                    value.span,
                    "a function that returns `void` cannot return a value",
                );
                self.report(problem);
                return;
            }
            let typed = self.full(typed, before);
            self.push(out, TypedStatementKind::Expression(typed), span);
            let cleanups = self.cleanups_above(0);
            self.push(out, TypedStatementKind::Return(None, cleanups), span);
            return;
        }
        let typed = if self.types.record_of(result).is_some()
            && matches!(value.kind, ExpressionKind::Name(_))
        {
            let typed = self.expression(value);
            self.returned(result, typed, value)
        } else {
            self.initialize_from(result, value, value.span)
        };
        self.return_value(typed, before, span, out);
    }

    fn return_value(&mut self, value: Option<Typed>, before: u32, span: Span, out: &mut List) {
        self.never_silent(value.is_none(), span);
        if let Some(value) = value {
            let value = self.full(value, before);
            let cleanups = self.cleanups_above(0);
            self.push(out, TypedStatementKind::Return(Some(value), cleanups), span);
        }
    }

    /// The result type of a function that declares it as `auto`, from the first value that it returns.
    fn deduced_result(&mut self, value: &Typed, returned: &Expression) -> Option<TypeId> {
        if value.ty == TypeId::ERROR {
            return None;
        }
        let number = self.frame.as_ref()?.function;
        let written = self.signature(number)?.result;
        let syntax = self.function(number).syntax.clone();
        let declared = syntax.signature.trailing.as_ref().unwrap_or(&syntax.result);
        let exact =
            matches!(declared.base, BaseType::DecltypeAuto) && !self.is_plain_name(returned);
        self.deduced_type(written, exact, value, returned.span)
    }

    /// The value that a function returns; a local variable may be moved from.
    fn returned(&mut self, result: TypeId, value: Typed, syntax: &Expression) -> Option<Typed> {
        if value.ty == TypeId::ERROR {
            return None;
        }
        let local = matches!(value.kind, TypedKind::Local(_))
            && matches!(syntax.kind, ExpressionKind::Name(_))
            && !self.types.is_reference(result);
        let value = Typed { expiring: value.expiring || local, ..value };
        self.convert(value, result, syntax.span)
    }

    pub(super) fn range_for(
        &mut self,
        variable: &Rc<VariableSyntax>,
        range: &Expression,
        body: &Statement,
        unroll: UnrollCount,
        span: Span,
        out: &mut List,
    ) {
        let before = self.destroyed;
        let range_value = if let ExpressionKind::List(elements) = &range.kind {
            self.list_as_array(elements, range.span)
        } else {
            self.expression(range)
        };
        if range_value.ty == TypeId::ERROR {
            return;
        }
        // The range object lives as long as the loop.
        let object = if range_value.lvalue {
            self.extend_life(range_value, before, out)
        } else {
            let range_value = self.full(range_value, before);
            self.bind_temporary(range_value, out)
        };
        let Some((begin, end)) = self.range_ends(object, span) else { return };
        let ty = self.types.decay(begin.ty);
        let at = self.add_local("at".to_owned(), ty, span);
        let last = self.add_local("end".to_owned(), ty, span);
        let Some(begin) = self.copy_value(begin, ty) else { return };
        let Some(end) = self.copy_value(end, ty) else { return };
        self.push(out, TypedStatementKind::Declare(at, Some(begin)), span);
        self.push(out, TypedStatementKind::Declare(last, Some(end)), span);
        let (place, limit) = (self.local_place(at, span), self.local_place(last, span));
        let condition = self.binary_typed(BinaryOperator::NotEqual, place.clone(), limit, span);
        let condition = self.condition(condition, span);
        let step = self.increment(place.clone(), 1, false, span);
        let element = self.unary_typed(UnaryOperator::Dereference, place, span);
        let mut inner = Vec::new();
        self.enter_loop();
        self.scoped(&mut inner, |this, inner| {
            let holder = this.parser.names.intern("<element>");
            this.bind(holder, Binding::Alias(Rc::new(element)));
            let part =
                NamePart { name: holder, span: range.span, arguments: None, conversion: None };
            let name = QualifiedName { span: range.span, global: false, parts: vec![part] };
            let value = Expression { kind: ExpressionKind::Name(name), span: range.span };
            let declared =
                VariableSyntax { initializer: Initializer::Copy(value), ..(**variable).clone() };
            this.local_declaration(&declared, inner);
            this.scoped(inner, |this, out| this.statements(std::slice::from_ref(body), out));
        });
        self.leave_loop();
        let body = Box::new(TypedStatement { kind: TypedStatementKind::Block(inner), span });
        let kind = TypedStatementKind::Loop {
            before: None,
            condition,
            step: Some(step),
            body,
            body_first: false,
            unroll,
        };
        self.push(out, kind, span);
    }

    /// Returns an lvalue unchanged. Stores any other value in a new local variable, which is destroyed at the end of the block.
    pub(in crate::analyze) fn bind_temporary(&mut self, value: Typed, out: &mut List) -> Typed {
        if value.lvalue {
            return value;
        }
        let span = value.span;
        let local = self.add_local("temporary".to_owned(), value.ty, span);
        let ty = value.ty;
        self.push(out, TypedStatementKind::Declare(local, Some(value)), span);
        let object = self.local_place(local, span);
        if self.is_destroyed(ty) {
            self.destroy_at_end(object.clone(), out);
        }
        object
    }

    /// Extends the lifetime of the temporary object that contains `object` to the end of the block.
    pub(super) fn extend_life(&mut self, object: Typed, before: u32, out: &mut List) -> Typed {
        let Typed { kind, ty, lvalue, expiring, span } = object;
        match kind {
            TypedKind::Temporary(inner) => {
                let inner = self.full(*inner, before);
                let bound = self.bind_temporary(inner, out);
                Typed { expiring, ..bound }
            }
            TypedKind::Field(inner, offset, bits) => {
                let inner = self.extend_life(*inner, before, out);
                let kind = TypedKind::Field(Box::new(inner), offset, bits);
                Typed { kind, ty, lvalue, expiring, span }
            }
            kind => Typed { kind, ty, lvalue, expiring, span },
        }
    }

    fn range_ends(&mut self, object: Typed, span: Span) -> Option<(Typed, Typed)> {
        if let TypeKind::Array(_, Some(count)) = *self.types.kind(object.ty) {
            let begin = self.decayed(object.clone());
            let count = self.constant(count, TypeId::LONG, span);
            let end = self.binary_typed(BinaryOperator::Add, begin.clone(), count, span);
            return Some((begin, end));
        }
        let begin = self.call_member(object.clone(), known::BEGIN, span)?;
        let end = self.call_member(object, known::END, span)?;
        Some((begin, end))
    }
}
