//! Host code: the start and end of a program, initial values of global variables, kernel launches, and destructors.

use super::Analyzer;
use super::scopes::Binding;
use crate::source::{SourceProblem, Span};
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};

impl Analyzer {
    /// Queues `main` and the functions of the headers that run at the end of a program; of a part of a program, every
    /// function.
    pub(in crate::analyze) fn host_roots(&mut self) {
        if self.part {
            for at in 0..self.functions.len() {
                let function = &self.functions[at];
                if function.template.is_none()
                    && function.syntax.body.is_some()
                    && !self.parser.map.is_builtin(function.syntax.span)
                {
                    self.need(FunctionNumber(at as u32));
                }
            }
            return;
        }
        for name in ["main", "__lw_finish"] {
            let interned = self.parser.names.intern(name);
            match self.scopes[0].names.get(&interned) {
                Some(Binding::Functions(list)) => {
                    for number in list.clone() {
                        self.need(number);
                    }
                }
                _ if name == "main" => {
                    self.error(Span::default(), "the program has no function `main`");
                }
                _ => {}
            }
        }
    }

    /// Records that a variable gets its value before `main`.
    pub(in crate::analyze) fn initialize_at_start(
        &mut self,
        variable: VariableNumber,
        value: Typed,
    ) {
        let span = value.span;
        let object = Typed {
            kind: TypedKind::Variable(variable),
            ty: self.variables[variable.0 as usize].ty,
            lvalue: true,
            expiring: false,
            span,
        };
        let statement = self.initialization(object, value);
        self.at_start.push(statement);
    }

    /// Registers a variable's destructor to run at the end of the program.
    pub(in crate::analyze) fn destroy_at_exit(
        &mut self,
        variable: VariableNumber,
        span: Span,
    ) -> Option<TypedStatement> {
        let ty = self.variables[variable.0 as usize].ty;
        if !self.host || !self.is_destroyed(ty) {
            return None;
        }
        let (element, void) = (self.element_of(ty), self.types.pointer(TypeId::VOID));
        let number = self.destructor_of(self.types.record_of(element)?);
        let function = self.function_object(number, span)?;
        let destroy = Typed { ty: void, ..self.decayed(function) };
        let kind = TypedKind::Variable(variable);
        let object = self.address_of(Typed { kind, ty, lvalue: true, expiring: false, span });
        let object = Typed { ty: void, ..object };
        let size = self.types.size(element);
        let count = self.types.size(ty).checked_div(size).unwrap_or(0);
        let size = self.constant(size, TypeId::UNSIGNED_LONG, span);
        let count = self.constant(count, TypeId::UNSIGNED_LONG, span);
        let call = self.call_named("__lw_at_exit", vec![destroy, object, size, count], span);
        Some(TypedStatement { kind: TypedStatementKind::Expression(call), span })
    }

    /// The statement that gives an object its first value.
    fn initialization(&mut self, object: Typed, value: Typed) -> TypedStatement {
        let span = value.span;
        let pointer = self.address_of(object);
        let ty = pointer.ty;
        let kind = TypedKind::InitializeAt(Box::new(pointer), Box::new(value));
        let value = Typed { kind, ty, lvalue: false, expiring: false, span };
        TypedStatement { kind: TypedStatementKind::Expression(value), span }
    }

    /// Initializes a static local variable when control first reaches its declaration.
    pub(in crate::analyze) fn initialize_once(
        &mut self,
        variable: VariableNumber,
        value: Option<Typed>,
        out: &mut Vec<TypedStatement>,
    ) {
        let span = self.variables[variable.0 as usize].span;
        let end = self.destroy_at_exit(variable, span);
        if value.is_none() && end.is_none() {
            return;
        }
        let place = |variable: VariableNumber, ty: TypeId| Typed {
            kind: TypedKind::Variable(variable),
            ty,
            lvalue: true,
            expiring: false,
            span,
        };
        let ty = self.variables[variable.0 as usize].ty;
        let symbol = format!("{}$guard", self.variables[variable.0 as usize].symbol);
        self.variables.push(ModuleVariable {
            name: "guard".to_owned(),
            symbol,
            ty: TypeId::INT,
            space: VariableSpace::Host,
            is_extern: false,
            visible: false,
            managed: false,
            align: 4,
            bytes: None,
            span,
        });
        let guard = place(VariableNumber(self.variables.len() as u32 - 1), TypeId::INT);
        let read = self.rvalue(guard.clone());
        let zero = self.constant(0, TypeId::INT, span);
        let kind = TypedKind::Compare(BinaryOperator::Equal, Box::new(read), Box::new(zero));
        let first = Typed { kind, ty: TypeId::BOOL, lvalue: false, expiring: false, span };
        let one = self.constant(1, TypeId::INT, span);
        let kind = TypedKind::Assign(Box::new(guard), Box::new(one));
        let set = Typed { kind, ty: TypeId::INT, lvalue: true, expiring: false, span };
        let set = TypedStatement { kind: TypedStatementKind::Expression(set), span };
        let mut list = vec![set];
        list.extend(value.map(|value| self.initialization(place(variable, ty), value)));
        list.extend(end);
        let block = TypedStatementKind::Block(list);
        let block = Box::new(TypedStatement { kind: block, span });
        out.push(TypedStatement { kind: TypedStatementKind::If(first, block, None), span });
    }

    /// `kernel<<<grid, block, shared, stream>>>(arguments)`: a call of the runtime's `__lw_launch` with the addresses
    /// of the arguments.
    pub(in crate::analyze) fn host_launch(
        &mut self,
        launch: &LaunchSyntax,
        span: Span,
    ) -> Option<Typed> {
        let values = self.arguments(&launch.arguments);
        let configuration = self.arguments(&launch.configuration);
        let (kernel, fitted) = self.launched_kernel(launch, values?, span)?;
        let void = self.types.pointer(TypeId::VOID);
        let mut parts = Vec::new();
        for (at, value) in fitted.into_iter().enumerate() {
            let object = self.temporary(value);
            let address = self.address_of(object);
            parts.push((at as u64 * 8, None, Typed { ty: void, ..address }));
        }
        let count = parts.len().max(1) as u64;
        let ty = self.types.intern(TypeKind::Array(void, Some(count)));
        let kind = TypedKind::Aggregate(parts, false);
        let list = Typed { kind, ty, lvalue: false, expiring: false, span };
        let list = self.decayed(list);
        let mut operands = vec![Typed { ty: void, ..kernel }, list];
        operands.extend(configuration?);
        let called = self.call_named("__lw_launch", operands, span);
        (called.ty != TypeId::ERROR).then_some(called)
    }

    /// The kernel as a pointer, and its arguments converted to the parameters' types.
    pub(in crate::analyze) fn launched_kernel(
        &mut self,
        launch: &LaunchSyntax,
        values: Vec<Typed>,
        span: Span,
    ) -> Option<(Typed, Vec<Typed>)> {
        let mut found = None;
        if let ExpressionKind::Name(name) = &launch.kernel.kind {
            found = self.resolve(name).ok()?;
            if let Some(Binding::Functions(list)) = &found {
                let (list, last) = (list.clone(), name.last().clone());
                let explicit = match &last.arguments {
                    Some(arguments) => self.template_arguments(&arguments.clone())?,
                    None => Vec::new(),
                };
                let number = self.choose(&list, &explicit, None, &values, span, last.name)?;
                if !self.function(number).syntax.specifiers.global {
                    let text = self.function(number).display.clone();
                    let problem = SourceProblem::error(span, format!("`{text}` is not a kernel"));
                    self.report(problem.help("add `__global__` to its declaration"));
                    return None;
                }
                let fitted = self.fit_arguments(number, values, span)?;
                let object = self.function_object(number, launch.kernel.span)?;
                return Some((self.decayed(object), fitted));
            }
        }
        let _ = found;
        let kernel = self.expression(&launch.kernel);
        if kernel.ty == TypeId::ERROR {
            return None;
        }
        let pointer = self.decayed(kernel);
        let to = self.types.pointee(pointer.ty).map(|to| self.types.kind(to).clone());
        let Some(TypeKind::Function(function)) = to else {
            let shown = self.show(pointer.ty);
            self.error(span, format!("{shown} cannot be launched: it is not a kernel"));
            return None;
        };
        let mut fitted = Vec::new();
        for (value, &ty) in values.into_iter().zip(&function.parameters) {
            fitted.push(self.convert(value, ty, span)?);
        }
        Some((pointer, fitted))
    }

    /// Whether objects of a type have a destructor that does something.
    pub(in crate::analyze) fn is_destroyed(&self, ty: TypeId) -> bool {
        let element = self.element_of(ty);
        self.types.record_of(element).is_some_and(|record| self.types.record(record).has_destructor)
    }

    /// Ends an object's lifetime: adds the calls of its destructor.
    pub(in crate::analyze) fn destroy(&mut self, object: Typed, out: &mut Vec<TypedStatement>) {
        let span = object.span;
        if let TypeKind::Array(..) = self.types.kind(object.ty) {
            // The innermost elements of a nested array are consecutive.
            let element = self.element_of(object.ty);
            let bytes = self.types.size(object.ty);
            let count = bytes.checked_div(self.types.size(element)).unwrap_or(0);
            let pointer = self.address_of(object);
            let pointer = Typed { ty: self.types.pointer(element), ..pointer };
            let count = self.constant(count, TypeId::UNSIGNED_LONG, span);
            let call = self.call_named("__lw_destroy", vec![pointer, count], span);
            out.push(TypedStatement { kind: TypedStatementKind::Expression(call), span });
            return;
        }
        let Some(record) = self.types.record_of(object.ty) else { return };
        if !self.types.record(record).has_destructor {
            return;
        }
        if let Some(&own) = self.destructors.get(&record) {
            let bare = self.types.bare(object.ty);
            let object = Typed { ty: bare, ..object };
            if let Some(call) = self.call_direct(own, object, Vec::new(), span) {
                out.push(TypedStatement { kind: TypedStatementKind::Expression(call), span });
            }
            return;
        }
        self.destroy_parts(&object, out);
    }

    /// `object.~T()` for a class without a declared destructor.
    pub(in crate::analyze) fn destruction(&mut self, object: Typed, span: Span) -> Typed {
        if let Some(record) = self.types.record_of(object.ty)
            && let Some(&own) = self.destructors.get(&record)
            && self.function(own).is_virtual
        {
            let called = self.call_method(own, object, Vec::new(), span);
            return called.unwrap_or_else(|| self.bad(span));
        }
        if !self.is_destroyed(object.ty) {
            // The destructor does nothing, but the object is evaluated: `list[--count].~T()`.
            return self.discarded(object, span);
        }
        let mut statements = Vec::new();
        self.destroy(object, &mut statements);
        let end = self.constant(0, TypeId::VOID, span);
        let kind = TypedKind::Statements(std::rc::Rc::new(statements), Box::new(end));
        Typed { kind, ty: TypeId::VOID, lvalue: false, expiring: false, span }
    }

    /// Destroys members and bases, last first.
    pub(in crate::analyze) fn destroy_parts(
        &mut self,
        object: &Typed,
        out: &mut Vec<TypedStatement>,
    ) {
        let Some(record) = self.types.record_of(object.ty) else { return };
        let found = self.types.record(record).clone();
        if found.is_union {
            return;
        }
        let fields = found.fields.iter().rev().map(|field| (field.offset, field.kind));
        let bases = found.bases.iter().rev().map(|(base, offset)| (*offset, *base));
        for (offset, ty) in fields.chain(bases).collect::<Vec<_>>() {
            if self.is_destroyed(ty) {
                let part = self.part(object.clone(), offset, ty, None);
                self.destroy(part, out);
            }
        }
    }

    /// Records that an object is destroyed at the end of its block.
    pub(in crate::analyze) fn destroy_at_end(
        &mut self,
        object: Typed,
        out: &mut Vec<TypedStatement>,
    ) {
        let mut statements = Vec::new();
        self.destroy(object, &mut statements);
        self.at_end_of_block(statements, out);
    }

    /// The destructor calls for leaving the blocks above a mark, last one first.
    pub(in crate::analyze) fn cleanups_above(&self, mark: usize) -> Vec<TypedStatement> {
        let list = self.frame.as_ref().map(|frame| &frame.cleanups);
        let above = list.and_then(|list| list.get(mark..)).unwrap_or_default();
        above.iter().rev().map(|(_, statement)| statement.clone()).collect()
    }

    /// Runs `f` in a new block whose objects are destroyed at its end.
    pub(in crate::analyze) fn scoped(
        &mut self,
        out: &mut Vec<TypedStatement>,
        f: impl FnOnce(&mut Self, &mut Vec<TypedStatement>),
    ) {
        let mark = self.frame.as_ref().map_or(0, |frame| frame.cleanups.len());
        self.block(|this| f(this, out));
        let count = self.frame.as_ref().map_or(0, |frame| frame.cleanups.len() - mark);
        if count > 0 {
            let kind = TypedStatementKind::EndGuards(count);
            out.push(TypedStatement { kind, span: Span::default() });
        }
        out.extend(self.cleanups_above(mark));
        if let Some(frame) = self.frame.as_mut() {
            frame.cleanups.truncate(mark);
        }
    }
}
