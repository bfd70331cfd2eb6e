//! Analysis of statements.

use super::super::scopes::Binding;
use super::Analyzer;
use crate::lex::names::known;
use crate::source::Span;
use crate::source::diagnostics::SourceProblem;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

type List = Vec<TypedStatement>;

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

    fn push(&self, out: &mut List, kind: TypedStatementKind, span: Span) {
        out.push(TypedStatement { kind, span });
    }

    /// Analyzes one statement in its own scope, and returns it as one typed statement.
    fn enclosed(&mut self, statement: &Statement) -> Box<TypedStatement> {
        let mut list = Vec::new();
        self.scoped(&mut list, |this, out| this.statements(std::slice::from_ref(statement), out));
        Box::new(TypedStatement { kind: TypedStatementKind::Block(list), span: statement.span })
    }

    fn statement(&mut self, statement: &Statement, out: &mut List) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Empty | StatementKind::Invalid => {}
            StatementKind::Expression(value) => {
                let typed = self.expression(value);
                if typed.ty != TypeId::ERROR {
                    self.push(out, TypedStatementKind::Expression(typed), span);
                }
            }
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
                let value = self.expression(condition);
                let condition = self.condition(value, condition.span);
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
                        .map(|step| this.expression(step))
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
                    self.push(out, TypedStatementKind::Goto(label), span);
                }
            }
            StatementKind::Label(name, inner) => {
                if let Some(frame) = self.frame.as_mut() {
                    let label = frame.label(*name, span);
                    if let Some(entry) = frame.labels.get_mut(name) {
                        entry.1 = true;
                    }
                    self.push(out, TypedStatementKind::Label(label), span);
                }
                self.statements(std::slice::from_ref(inner), out);
            }
            StatementKind::Asm(asm) => self.asm(asm, span, out),
        }
    }

    fn unroll(&mut self, syntax: Option<&UnrollSyntax>) -> UnrollCount {
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
    fn leave_to(&mut self, mark: impl Fn(&super::Frame) -> Option<&usize>, out: &mut List) {
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

    fn loop_body(&mut self, body: &Statement) -> Box<TypedStatement> {
        self.enter_loop();
        let typed = self.enclosed(body);
        self.leave_loop();
        typed
    }

    /// Analyzes a condition. A variable that it declares goes to `before`.
    fn condition_of(&mut self, condition: &Condition, before: &mut List) -> Option<Typed> {
        match condition {
            Condition::Value(value) => {
                let typed = self.expression(value);
                if typed.ty == TypeId::ERROR {
                    return None;
                }
                self.warn_assignment(value);
                self.condition(typed, value.span)
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

    fn if_statement(
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

    fn switch(&mut self, condition: &Condition, body: &Statement, span: Span, out: &mut List) {
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

    fn case_value(&mut self, value: &Expression) -> Option<u64> {
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

    fn return_statement(&mut self, value: Option<&Expression>, span: Span, out: &mut List) {
        let declared = self.frame.as_ref().and_then(|frame| frame.result);
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
                if typed.ty == TypeId::ERROR {
                    return;
                }
                let ty = self.types.decay(typed.ty);
                if let Some(frame) = self.frame.as_mut() {
                    frame.result = Some(ty);
                }
                ty
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
            self.push(out, TypedStatementKind::Expression(typed), span);
            let cleanups = self.cleanups_above(0);
            self.push(out, TypedStatementKind::Return(None, cleanups), span);
            return;
        }
        let typed = self.returned(result, value);
        self.never_silent(typed.is_none(), span);
        if let Some(typed) = typed {
            let cleanups = self.cleanups_above(0);
            self.push(out, TypedStatementKind::Return(Some(typed), cleanups), span);
        }
    }

    /// The value that a function returns; a local variable may be moved from.
    fn returned(&mut self, result: TypeId, value: &Expression) -> Option<Typed> {
        if self.types.record_of(result).is_some() && matches!(value.kind, ExpressionKind::Name(_)) {
            let typed = self.expression(value);
            if typed.ty == TypeId::ERROR {
                return None;
            }
            let local = matches!(typed.kind, TypedKind::Local(_));
            let typed = Typed { expiring: typed.expiring || local, ..typed };
            return self.convert(typed, result, value.span);
        }
        self.initialize_from(result, value, value.span)
    }

    /// A variable in a function.
    pub(in crate::analyze) fn local_declaration(
        &mut self,
        syntax: &VariableSyntax,
        out: &mut List,
    ) {
        let flags = &syntax.specifiers;
        if flags.shared || flags.is_static || flags.constant || flags.is_extern {
            if self.host && flags.is_static && !flags.is_constexpr {
                if let Some((variable, Some(value))) = self.static_variable(syntax) {
                    self.initialize_once(variable, value, out);
                }
                return;
            }
            if flags.is_static && !flags.shared && !flags.is_constexpr && !flags.constant {
                // A static variable of device code is in device memory.
                let flags = Specifiers { device: true, ..(**flags).clone() };
                let syntax = VariableSyntax { specifiers: Rc::new(flags), ..syntax.clone() };
                self.module_variable(&syntax, false);
                return;
            }
            self.module_variable(syntax, false);
            if !self.scopes[self.scope].names.contains_key(&syntax.name.last().name) {
                self.poison(syntax);
            }
            return;
        }
        let mut ty = self.type_of(&syntax.kind);
        let name = syntax.name.last().name;
        if ty == TypeId::ERROR {
            self.never_silent(true, syntax.span);
            self.poison(syntax);
            return;
        }
        let value = self.initialize_declared(&mut ty, syntax);
        if self.contains_auto(ty) {
            if matches!(syntax.initializer, Initializer::None) {
                self.error(syntax.span, "an `auto` variable needs an initial value");
            }
            self.poison(syntax);
            return;
        }
        if !syntax.bindings.is_empty() {
            self.structured_binding(syntax, ty, value, out);
            return;
        }
        if flags.is_constexpr {
            ty = self.types.with(ty, true, false);
        }
        let failed = value.is_none() && !matches!(syntax.initializer, Initializer::None);
        let silent = failed
            && !matches!(&syntax.initializer, Initializer::Direct(values) if values.is_empty());
        self.never_silent(silent, syntax.span);
        if self.types.bare(ty) == TypeId::VOID || self.incomplete(ty) {
            let shown = self.show(ty);
            self.error(syntax.span, format!("a variable cannot have the type {shown}"));
            self.poison(syntax);
            return;
        }
        if self.types.is_reference(ty) && value.is_none() && !failed {
            self.error(syntax.span, "a reference needs an initial value");
        }
        if self.types.is_const(ty) && value.is_none() && !failed && !self.types.is_aggregate(ty) {
            self.error(syntax.span, "a `const` variable needs an initial value");
        }
        if self.types.size(ty) > 1 << 24 && !self.host {
            let problem = SourceProblem::error(syntax.span, "this local variable exceeds 16 MiB");
            self.report(
                problem.help("a thread has at most 512 KiB of local memory; use global memory"),
            );
            self.poison(syntax);
            return;
        }
        if self.scopes[self.scope].names.contains_key(&name)
            && matches!(
                self.scopes[self.scope].names.get(&name),
                Some(Binding::Local(..) | Binding::Constant(..))
            )
        {
            let text = self.text(name).to_owned();
            self.error(syntax.span, format!("`{text}` is declared twice in this scope"));
        }
        // Constants are replaced by their value.
        if (flags.is_constexpr || self.types.is_const(ty)) && !self.types.is_reference(ty) {
            if let Some(value) = &value
                && self.constant_local(syntax, ty, &value.clone(), out)
            {
                return;
            }
            if flags.is_constexpr && !failed {
                let problem = SourceProblem::error(
                    syntax.span,
                    "the initial value of a `constexpr` variable must be a constant",
                );
                self.report(problem.help("write `const` if the value is known at run time only"));
            }
        }
        let text = self.text(name).to_owned();
        let local = self.add_local(text, ty, syntax.span);
        let align = self.alignment(&flags.alignment);
        let serial = match self.frame.as_mut() {
            Some(frame) => {
                frame.body.locals[local.0 as usize].align = align;
                frame.serial
            }
            None => 0,
        };
        self.bind(name, Binding::Local(serial, local));
        let value = value.map(|value| self.outlive(value, ty, out));
        self.push(out, TypedStatementKind::Declare(local, value), syntax.span);
        if self.is_destroyed(ty) {
            let object = self.local_place(local, syntax.span);
            self.destroy_at_end(object);
        }
    }

    /// A temporary that a reference is bound to lives as long as the reference.
    fn outlive(&mut self, value: Typed, ty: TypeId, out: &mut List) -> Typed {
        if !self.types.is_reference(ty) {
            return value;
        }
        if let TypedKind::AddressOf(object) = &value.kind
            && let TypedKind::Temporary(inner) = &object.kind
        {
            let object = self.bind_temporary((**inner).clone(), out);
            let address = self.address_of(object);
            return Typed { ty: value.ty, ..address };
        }
        value
    }

    fn incomplete(&self, ty: TypeId) -> bool {
        match self.types.kind(ty) {
            TypeKind::Record(record) => !self.types.record(*record).complete,
            TypeKind::Array(element, count) => count.is_none() || self.incomplete(*element),
            _ => false,
        }
    }

    /// Binds a name after an error, so that its uses do not cause further errors.
    fn poison(&mut self, syntax: &VariableSyntax) {
        let bad = Rc::new(self.bad(syntax.span));
        for &name in syntax.bindings.iter().chain([&syntax.name.last().name]) {
            self.bind(name, Binding::Alias(bad.clone()));
        }
    }

    /// Binds a constant variable; returns `false` if its value is not known.
    fn constant_local(
        &mut self,
        syntax: &VariableSyntax,
        ty: TypeId,
        value: &Typed,
        out: &mut List,
    ) -> bool {
        let name = syntax.name.last().name;
        let scalar = self.types.is_integer(ty) || self.types.is_enumeration(ty);
        let is_constexpr = syntax.specifiers.is_constexpr;
        if scalar || self.types.is_float(ty) && is_constexpr {
            if !is_constexpr && !matches!(value.kind, TypedKind::Constant(_)) {
                // Try to evaluate it; if that fails, drop the errors.
                let errors = self.parser.problems.mark();
                let known = self.constant_value(value);
                self.parser.problems.rewind(errors);
                let Some(bits) = known else { return false };
                let bare = self.types.bare(ty);
                self.bind(name, Binding::Constant(bits, bare));
                return true;
            }
            let Some(bits) = self.constant_value(value) else { return false };
            let bare = self.types.bare(ty);
            self.bind(name, Binding::Constant(bits, bare));
            return true;
        }
        if !is_constexpr {
            return false;
        }
        let Some(bytes) = self.constant_bytes(value, ty) else { return false };
        let text = self.text(name).to_owned();
        let local = self.add_local(text, ty, syntax.span);
        let serial = self.frame.as_ref().map_or(0, |frame| frame.serial);
        self.constants.insert((serial, local), Rc::new(bytes));
        self.bind(name, Binding::Local(serial, local));
        self.push(out, TypedStatementKind::Declare(local, Some(value.clone())), syntax.span);
        true
    }

    fn structured_binding(
        &mut self,
        syntax: &VariableSyntax,
        ty: TypeId,
        value: Option<Typed>,
        out: &mut List,
    ) {
        let Some(value) = value else { return self.poison(syntax) };
        let local = self.add_local("binding".to_owned(), ty, syntax.span);
        self.push(out, TypedStatementKind::Declare(local, Some(value)), syntax.span);
        let object = self.local_place(local, syntax.span);
        let parts: Vec<(TypeId, u64)> = match self.types.kind(object.ty).clone() {
            TypeKind::Array(element, Some(count)) => {
                let size = self.types.size(element);
                (0..count.min(64)).map(|at| (element, at * size)).collect()
            }
            TypeKind::Record(record) => self
                .types
                .record(record)
                .fields
                .iter()
                .map(|field| (field.kind, field.offset))
                .collect(),
            _ => Vec::new(),
        };
        if parts.len() != syntax.bindings.len() {
            let shown = self.show(object.ty);
            let count = syntax.bindings.len();
            self.error(
                syntax.span,
                format!("{shown} has {} parts, but {count} names are given", parts.len()),
            );
            return self.poison(syntax);
        }
        for (&name, (ty, offset)) in syntax.bindings.iter().zip(parts) {
            let part = self.member_place(object.clone(), offset, ty, None);
            self.bind(name, Binding::Alias(Rc::new(part)));
        }
    }

    fn range_for(
        &mut self,
        variable: &Rc<VariableSyntax>,
        range: &Expression,
        body: &Statement,
        unroll: UnrollCount,
        span: Span,
        out: &mut List,
    ) {
        let range_value = if let ExpressionKind::List(elements) = &range.kind {
            self.list_as_array(elements, range.span)
        } else {
            self.expression(range)
        };
        if range_value.ty == TypeId::ERROR {
            return;
        }
        // The range object lives as long as the loop.
        let object = self.bind_temporary(range_value, out);
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

    /// An object that holds a value. A temporary is declared before its use.
    fn bind_temporary(&mut self, value: Typed, out: &mut List) -> Typed {
        if value.lvalue {
            return value;
        }
        let span = value.span;
        let local = self.add_local("temporary".to_owned(), value.ty, span);
        let ty = value.ty;
        self.push(out, TypedStatementKind::Declare(local, Some(value)), span);
        let object = self.local_place(local, span);
        if self.is_destroyed(ty) {
            self.destroy_at_end(object.clone());
        }
        object
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
