//! Declarations of local variables: constants, references to temporaries, and structured bindings.

use super::super::ConstantLocal;
use super::super::scopes::Binding;
use super::{Analyzer, List};
use crate::source::SourceProblem;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};
use std::rc::Rc;

impl Analyzer {
    /// A variable in a function.
    pub(in crate::analyze) fn local_declaration(
        &mut self,
        syntax: &VariableSyntax,
        out: &mut List,
    ) {
        let flags = &syntax.specifiers;
        if flags.shared || flags.is_static || flags.constant || flags.is_extern {
            if self.host && flags.is_static && !flags.is_constexpr {
                let before = self.destroyed;
                if let Some((variable, value)) = self.static_variable(syntax) {
                    let value = value.map(|value| self.full(value, before));
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
        if self.variable_array(syntax, out) {
            return;
        }
        let mut ty = match self.deduced_variable(syntax) {
            Some(ty) => ty,
            None => self.type_of(&syntax.kind),
        };
        let name = syntax.name.last().name;
        if ty == TypeId::ERROR {
            self.never_silent(true, syntax.span);
            self.poison(syntax);
            return;
        }
        if let Some(Binding::Local(..)) = self.scopes[self.scope].names.get(&name)
            && syntax.bindings.is_empty()
        {
            let text = self.text(name).to_owned();
            self.error(syntax.span, format!("`{text}` is declared twice in this scope"));
        }
        // An initial value may use the variable itself: `T *p = (T*)malloc(sizeof *p)`.
        let early = (!self.contains_auto(ty) && names_itself(syntax))
            .then(|| self.bind_local(syntax, ty, None));
        let before = self.destroyed;
        let value = self.initialize_declared(&mut ty, syntax);
        if self.contains_auto(ty) {
            if matches!(syntax.initializer, Initializer::None) {
                self.error(syntax.span, "an `auto` variable needs an initial value");
            }
            self.poison(syntax);
            return;
        }
        if !syntax.bindings.is_empty() {
            let value = value.map(|value| {
                let value = self.outlive(value, ty, before, out);
                self.full(value, before)
            });
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
        if self.is_partial(self.element_of(ty)) {
            self.report_partial(ty, syntax.span);
            self.poison(syntax);
            return;
        }
        if let Some(class) = self.types.record_of(ty) {
            self.check_concrete(class, syntax.span);
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
        // Constants are replaced by their value.
        if (flags.is_constexpr || self.types.is_const(ty)) && !self.types.is_reference(ty) {
            if let Some(value) = &value
                && self.destroyed == before
                && self.constant_local(syntax, ty, &value.clone(), early, out)
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
        let local = self.bind_local(syntax, ty, early);
        let align = self.alignment(&flags.alignment);
        if let Some(frame) = self.frame.as_mut() {
            frame.body.locals[local.0 as usize].align = align;
        }
        let value = value.map(|value| {
            let value = self.outlive(value, ty, before, out);
            self.full(value, before)
        });
        self.push(out, TypedStatementKind::Declare(local, value), syntax.span);
        if self.is_destroyed(ty) {
            let object = self.local_place(local, syntax.span);
            self.destroy_at_end(object, out);
        }
    }

    /// Lets a temporary live as long as the reference bound to it.
    fn outlive(&mut self, value: Typed, ty: TypeId, before: u32, out: &mut List) -> Typed {
        if !self.types.is_reference(ty) {
            return value;
        }
        if let TypedKind::AddressOf(object) = &value.kind {
            let object = self.extend_life((**object).clone(), before, out);
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
        early: Option<LocalNumber>,
        out: &mut List,
    ) -> bool {
        let scalar = self.types.is_integer(ty) || self.types.is_enumeration(ty);
        let is_constexpr = syntax.specifiers.is_constexpr;
        if self.types.is_volatile(ty) || !is_constexpr && !scalar {
            return false;
        }
        // If the evaluation fails, drop its errors.
        let errors = self.parser.problems.mark();
        let known = self.constant_bytes(value, ty);
        if !is_constexpr {
            self.parser.problems.rewind(errors);
        }
        let Some(bytes) = known else { return false };
        let known = ConstantLocal { ty, bytes: Rc::new(bytes) };
        let bits = self.scalar_bits(ty, &known.bytes);
        let value = match bits {
            Some(bits) => {
                let bare = self.types.bare(ty);
                self.constant(bits, bare, value.span)
            }
            None => value.clone(),
        };
        let local = self.bind_local(syntax, ty, early);
        let serial = self.frame.as_ref().map_or(0, |frame| frame.serial);
        self.constants.insert((serial, local), known);
        self.push(out, TypedStatementKind::Declare(local, Some(value)), syntax.span);
        true
    }

    /// Adds a local variable and binds its name, unless that was done before its initial value.
    fn bind_local(
        &mut self,
        syntax: &VariableSyntax,
        ty: TypeId,
        early: Option<LocalNumber>,
    ) -> LocalNumber {
        let name = syntax.name.last().name;
        let local = match early {
            Some(local) => local,
            None => {
                let text = self.text(name).to_owned();
                self.add_local(text, ty, syntax.span)
            }
        };
        let serial = match self.frame.as_mut() {
            Some(frame) => {
                frame.body.locals[local.0 as usize].ty = ty;
                frame.serial
            }
            None => 0,
        };
        self.bind(name, Binding::Local(serial, local));
        local
    }

    /// The parts of an object that a structured binding names: its data members, or the elements of a tuple.
    fn binding_parts(&self, record: crate::types::RecordId, start: u64) -> Vec<(TypeId, u64)> {
        let found = self.types.record(record);
        let mut parts: Vec<(TypeId, u64)> =
            found.fields.iter().map(|field| (field.kind, start + field.offset)).collect();
        if self.parser.map.is_builtin(found.span)
            && found.name.starts_with("tuple<")
            && let Some((rest, at)) = parts.pop()
            && let Some(rest) = self.types.record_of(rest)
        {
            parts.extend(self.binding_parts(rest, at));
        } else if self.parser.map.is_builtin(found.span)
            && found.name.starts_with("array<")
            && let [(list, at)] = parts.as_slice()
            && let TypeKind::Array(element, Some(count)) = *self.types.kind(*list)
        {
            let (at, size) = (*at, self.types.size(element));
            parts = (0..count.min(64)).map(|index| (element, at + index * size)).collect();
        }
        parts
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
        if self.is_destroyed(ty) {
            self.destroy_at_end(object.clone(), out);
        }
        let parts: Vec<(TypeId, u64)> = match self.types.kind(object.ty).clone() {
            TypeKind::Array(element, Some(count)) => {
                let size = self.types.size(element);
                (0..count.min(64)).map(|at| (element, at * size)).collect()
            }
            TypeKind::Record(record) => self.binding_parts(record, 0),
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
}

/// Whether the initial value of a variable names the variable itself.
pub(in crate::analyze) fn names_itself(syntax: &VariableSyntax) -> bool {
    let name = syntax.name.last().name;
    let mut found = false;
    let mut visit = |value: &Expression| visit::names_in(value, &mut |used| found |= used == name);
    match &syntax.initializer {
        Initializer::None => {}
        Initializer::Copy(value) | Initializer::List(value) => visit(value),
        Initializer::Direct(values) => values.iter().for_each(visit),
    }
    found
}
