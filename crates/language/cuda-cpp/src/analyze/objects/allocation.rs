//! `new` and `delete`: memory from `malloc`, from a given place, or from the allocation functions of a class.

use super::Analyzer;
use super::scopes::Binding;
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::{TypeId, TypeKind};

/// Where the memory of a `new` comes from.
enum NewMemory {
    /// `malloc`.
    Heap,
    /// `malloc`; if it fails, the result is null.
    NoThrow,
    /// A pointer to memory.
    Place(Typed),
    /// A function of this name, with arguments after the size.
    Function(Vec<FunctionNumber>, Vec<Typed>),
}

impl Analyzer {
    /// Refuses replacements of the functions behind every `new` and `delete`, which the library does not call.
    pub(in crate::analyze) fn check_allocation(&mut self, syntax: &FunctionSyntax) {
        let text = self.text(syntax.name.last().name).to_owned();
        if !text.starts_with("operator new") && !text.starts_with("operator delete") {
            return;
        }
        let Some(Some(signature)) = self.trial(|this| this.make_signature(syntax)) else { return };
        let replaces = match signature.parameters.as_slice() {
            [_] => true,
            [_, second] => {
                let second = self.types.referred(second.ty);
                let sized = text.starts_with("operator delete") && second == TypeId::UNSIGNED_LONG;
                sized || self.is_nothrow(second)
            }
            _ => false,
        };
        if replaces {
            self.unsupported(syntax.span, format!("a replacement of the global `{text}`"));
        }
    }

    /// The functions of this name that the class of an object declares or inherits.
    fn class_functions(&mut self, ty: TypeId, text: &str) -> Vec<FunctionNumber> {
        let name = self.parser.names.intern(text);
        let element = self.element_of(ty);
        let Some(record) = self.types.record_of(element) else { return Vec::new() };
        match self.find_in(self.types.record(record).scope, name, 0) {
            Some(Binding::Functions(list)) => list,
            _ => Vec::new(),
        }
    }

    fn is_nothrow(&self, ty: TypeId) -> bool {
        let record = self.types.record_of(ty);
        record.is_some_and(|record| self.types.record(record).name == "nothrow_t")
    }

    /// Evaluates the placement, and finds the source of the memory. `None` after an error.
    fn allocation(
        &mut self,
        new: &NewSyntax,
        ty: TypeId,
        text: &str,
        span: Span,
    ) -> Option<NewMemory> {
        let mut placement = Vec::new();
        for place in &new.placement {
            let place = self.expression(place);
            if place.ty == TypeId::ERROR {
                return None;
            }
            placement.push(place);
        }
        // Containers construct their elements in place, whatever the class declares.
        let library = self.parser.map.is_builtin(span) && !placement.is_empty();
        if !new.global && !library {
            let own = self.class_functions(ty, text);
            if !own.is_empty() {
                return Some(NewMemory::Function(own, placement));
            }
        }
        match placement.as_slice() {
            [] => return Some(NewMemory::Heap),
            [only] if self.is_nothrow(only.ty) => return Some(NewMemory::NoThrow),
            _ => {}
        }
        let name = self.parser.names.intern(text);
        if let Some(Binding::Functions(list)) = self.find_in(0, name, 0) {
            let size = self.constant(0, TypeId::UNSIGNED_LONG, span);
            let mut values = vec![size];
            values.extend(placement.iter().cloned());
            if self.choose_quietly(&list, &values, span).is_some() {
                return Some(NewMemory::Function(list, placement));
            }
        }
        if let [place] = placement.as_slice() {
            let place = self.decayed(place.clone());
            if self.types.pointee(place.ty).is_some() {
                return Some(NewMemory::Place(place));
            }
        }
        self.error(span, format!("no `{text}` takes these arguments"));
        None
    }

    /// The memory for `bytes`, as a pointer to `ty`.
    fn memory(
        &mut self,
        from: NewMemory,
        bytes: Typed,
        ty: TypeId,
        text: &str,
        span: Span,
    ) -> Option<Typed> {
        let memory = match from {
            NewMemory::Place(place) => place,
            NewMemory::Heap if self.host => self.call_named("__lw_heap", vec![bytes], span),
            NewMemory::Heap | NewMemory::NoThrow => self.call_named("malloc", vec![bytes], span),
            NewMemory::Function(list, placement) => {
                let mut values = vec![bytes];
                values.extend(placement);
                let name = self.parser.names.intern(text);
                let number = self.choose(&list, &[], None, &values, span, name)?;
                self.build_call(number, None, values, span)?
            }
        };
        let pointer = self.types.pointer(ty);
        (memory.ty != TypeId::ERROR).then_some(Typed { ty: pointer, ..memory })
    }

    /// `new T(...)`.
    pub(in crate::analyze) fn new_object(&mut self, new: &NewSyntax, span: Span) -> Typed {
        self.new_value(new, span).unwrap_or_else(|| self.bad(span))
    }

    fn new_value(&mut self, new: &NewSyntax, span: Span) -> Option<Typed> {
        let mut kind = new.kind.clone();
        let count = match kind.derived.last() {
            Some(Derivation::Array(Some(count))) => Some(count.clone()),
            _ => None,
        };
        if count.is_some() {
            kind.derived.pop();
        }
        let ty = self.type_of(&kind);
        if ty == TypeId::ERROR {
            return None;
        }
        if let Some(class) = self.types.record_of(ty)
            && !self.check_concrete(class, span)
        {
            return None;
        }
        if let Some(count) = &count {
            return self.new_array(new, ty, count, span);
        }
        let text = "operator new";
        let from = self.allocation(new, ty, text, span)?;
        let no_throw = matches!(from, NewMemory::NoThrow);
        let bytes = self.constant(self.types.size(ty), TypeId::UNSIGNED_LONG, span);
        let memory = self.memory(from, bytes, ty, text, span)?;
        let value = if !new.initialized {
            self.default_value(ty, span)
        } else if new.braces {
            let list = Expression { kind: ExpressionKind::List(new.arguments.clone()), span };
            Some(self.initialize_from(ty, &list, span)?)
        } else {
            let list: Vec<Expression> =
                new.arguments.iter().map(|element| element.value.clone()).collect();
            Some(self.initialize_direct(ty, &list, span)?)
        };
        let Some(value) = value else { return Some(memory) };
        Some(self.initialized(memory, value, no_throw, span))
    }

    /// The pointer, after the object that it refers to got a value; a null pointer stays if `optional`.
    fn initialized(&mut self, memory: Typed, value: Typed, optional: bool, span: Span) -> Typed {
        let pointer = memory.ty;
        let rvalue = |kind| Typed { kind, ty: pointer, lvalue: false, expiring: false, span };
        if !optional || self.frame.is_none() {
            return rvalue(TypedKind::InitializeAt(Box::new(memory), Box::new(value)));
        }
        let local = self.add_local("memory".to_owned(), pointer, span);
        let declared =
            TypedStatement { kind: TypedStatementKind::Declare(local, Some(memory)), span };
        let place = self.local_place(local, span);
        let known = self.rvalue(place);
        let null = self.constant(0, pointer, span);
        let condition =
            TypedKind::Compare(BinaryOperator::NotEqual, Box::new(known.clone()), Box::new(null));
        let condition =
            Typed { kind: condition, ty: TypeId::BOOL, lvalue: false, expiring: false, span };
        let made = rvalue(TypedKind::InitializeAt(Box::new(known.clone()), Box::new(value)));
        let kind = TypedKind::Conditional(Box::new(condition), Box::new(made), Box::new(known));
        rvalue(TypedKind::Statements(std::rc::Rc::new(vec![declared]), Box::new(rvalue(kind))))
    }

    /// `new T[count]`.
    fn new_array(
        &mut self,
        new: &NewSyntax,
        ty: TypeId,
        count: &Expression,
        span: Span,
    ) -> Option<Typed> {
        let text = "operator new[]";
        let from = self.allocation(new, ty, text, span)?;
        let heap = matches!(from, NewMemory::Heap | NewMemory::NoThrow);
        let constructs = new.initialized || self.default_value(ty, span).is_some();
        if !heap && (self.is_destroyed(ty) || matches!(from, NewMemory::Function(..)) && constructs)
        {
            self.unsupported(
                span,
                "`new` of an array of objects with constructors or destructors in memory that is not from the heap",
            );
            return None;
        }
        if new.initialized && (!new.arguments.is_empty() || !heap) {
            return self.new_initialized_array(from, ty, count, &new.arguments, span);
        }
        let count = self.expression(count);
        if count.ty == TypeId::ERROR {
            return None;
        }
        if heap && (constructs || self.is_destroyed(ty)) {
            let pointer = self.types.pointer(ty);
            let null = Typed { ty: pointer, ..self.constant(0, TypeId::NULL, span) };
            let function =
                if self.is_destroyed(ty) { "__lw_new_array" } else { "__lw_new_plain_array" };
            return Some(self.call_named(function, vec![null, count], span));
        }
        let count = self.decayed(count);
        let size = self.constant(self.types.size(ty), TypeId::UNSIGNED_LONG, span);
        let bytes = self.binary_typed(BinaryOperator::Multiply, size, count, span);
        self.memory(from, bytes, ty, text, span)
    }

    /// `new T[count]{values}`.
    fn new_initialized_array(
        &mut self,
        from: NewMemory,
        ty: TypeId,
        count: &Expression,
        values: &[ListElement],
        span: Span,
    ) -> Option<Typed> {
        let count = self.expression(count);
        if count.ty == TypeId::ERROR {
            return None;
        }
        let TypedKind::Constant(count) = self.decayed(count).kind else {
            self.unsupported(
                span,
                "an initial value for `new` of an array whose length is not a constant",
            );
            return None;
        };
        if self.is_destroyed(ty) {
            self.unsupported(
                span,
                "an initial value for `new` of an array of objects with destructors",
            );
            return None;
        }
        let array = self.types.intern(TypeKind::Array(ty, Some(count)));
        let list = Expression { kind: ExpressionKind::List(values.to_vec()), span };
        let bytes = self.constant(self.types.size(array), TypeId::UNSIGNED_LONG, span);
        let no_throw = matches!(from, NewMemory::NoThrow);
        let memory = self.memory(from, bytes, array, "operator new[]", span)?;
        let value = self.initialize_from(array, &list, span)?;
        let made = self.initialized(memory, value, no_throw, span);
        Some(Typed { ty: self.types.pointer(ty), ..made })
    }

    /// `delete` and `delete[]`.
    pub(in crate::analyze) fn delete_object(
        &mut self,
        value: &Expression,
        array: bool,
        span: Span,
    ) -> Typed {
        let typed = self.expression(value);
        let pointer = self.decayed(typed);
        if pointer.ty == TypeId::ERROR {
            return pointer;
        }
        let Some(to) = self.types.pointee(pointer.ty) else {
            let shown = self.show(pointer.ty);
            self.error(span, format!("`delete` needs a pointer, but this is {shown}"));
            return self.bad(span);
        };
        let destroyed = self.is_destroyed(to);
        let polymorphic =
            self.types.record_of(to).is_some_and(|to| self.types.record(to).polymorphic);
        let text = if array { "operator delete[]" } else { "operator delete" };
        let own = self.class_functions(to, text);
        if !own.is_empty() {
            return self.delete_by_class(
                &own,
                pointer,
                polymorphic || destroyed && array,
                array,
                span,
            );
        }
        let function = match (destroyed, array) {
            (false, _) => "free",
            (true, false) if polymorphic => "__lw_delete_virtual",
            (true, false) => "__lw_delete",
            (true, true) => "__lw_delete_array",
        };
        self.call_named(function, vec![pointer], span)
    }

    /// Destroys an object, and returns its memory by a function of its class.
    fn delete_by_class(
        &mut self,
        own: &[FunctionNumber],
        pointer: Typed,
        difficult: bool,
        array: bool,
        span: Span,
    ) -> Typed {
        if difficult {
            self.unsupported(
                span,
                "`operator delete` of a class with virtual functions, or of an array of objects with destructors",
            );
            return self.bad(span);
        }
        let (mut plain, mut sized) = (false, false);
        for &number in own {
            let Some(signature) = self.signature(number) else { return self.bad(span) };
            match signature.parameters.as_slice() {
                [_] => plain = true,
                [_, size] if size.ty == TypeId::UNSIGNED_LONG => sized = true,
                _ => {}
            }
        }
        let function = match (plain, sized, array) {
            (true, _, false) => "__lw_delete_own",
            (false, true, false) => "__lw_delete_own_sized",
            (true, _, true) => "__lw_delete_own_array",
            _ => {
                self.unsupported(span, "`delete` by a function with these parameters");
                return self.bad(span);
            }
        };
        self.call_named(function, vec![pointer], span)
    }
}
