//! Arrays of host code whose length is known at run time only, as GCC supports them.

use super::super::scopes::Binding;
use super::{Analyzer, List};
use crate::syntax::*;
use crate::typed::*;
use crate::types::TypeId;

impl Analyzer {
    /// Declares `T name[length]` if the length is not a constant: memory that is freed at the end of the block.
    pub(super) fn variable_array(&mut self, syntax: &VariableSyntax, out: &mut List) -> bool {
        let Some(Derivation::Array(Some(length))) = syntax.kind.derived.last() else {
            return false;
        };
        if !self.host
            || matches!(length.kind, ExpressionKind::Integer { .. })
            || !matches!(syntax.initializer, Initializer::None)
        {
            return false;
        }
        let Some(count) = self.trial(|this| this.expression(length)) else { return false };
        let known = self.trial(|this| this.constant_value(&count)).flatten();
        if known.is_some() || !self.types.is_integer(count.ty) {
            return false;
        }
        let span = syntax.span;
        let mut kind = (*syntax.kind).clone();
        kind.derived.pop();
        let element = self.type_of(&kind);
        let innermost = self.element_of(element);
        if let Some(record) = self.types.record_of(innermost)
            && (self.types.record(record).needs_construction || self.is_destroyed(innermost))
        {
            self.unsupported(span, "an array of objects whose length is not a constant");
            return true;
        }
        let number = self.add_local("length".to_owned(), TypeId::UNSIGNED_LONG, span);
        let value = self.rvalue(count);
        let value = self.number_as(value, TypeId::UNSIGNED_LONG);
        self.push(out, TypedStatementKind::Declare(number, Some(value)), span);
        let place = self.local_place(number, span);
        let bytes = self.bytes_of(place, element);
        let memory = self.call_named("malloc", vec![bytes], span);
        let ty = self.types.pointer(element);
        let name = syntax.name.last().name;
        let text = self.text(name).to_owned();
        let local = self.add_local(text, ty, span);
        let memory = Typed { ty, ..memory };
        self.push(out, TypedStatementKind::Declare(local, Some(memory)), span);
        let serial = self.frame.as_ref().map_or(0, |frame| frame.serial);
        self.variable_arrays.insert((serial, local), number);
        self.bind(name, Binding::Local(serial, local));
        let object = self.local_place(local, span);
        let pointer = self.rvalue(object);
        let free = self.call_named("free", vec![pointer], span);
        let free = TypedStatement { kind: TypedStatementKind::Expression(free), span };
        self.at_end_of_block(vec![free], out);
        true
    }

    fn bytes_of(&mut self, count: Typed, element: TypeId) -> Typed {
        let span = count.span;
        let size = self.constant(self.types.size(element), TypeId::UNSIGNED_LONG, span);
        self.binary_typed(BinaryOperator::Multiply, count, size, span)
    }

    /// The size of such an array, if the expression is one.
    pub(in crate::analyze) fn variable_size(&mut self, array: &Typed) -> Option<Typed> {
        let TypedKind::Local(local) = array.kind else { return None };
        let serial = self.frame.as_ref()?.serial;
        let length = *self.variable_arrays.get(&(serial, local))?;
        let element = self.types.pointee(array.ty)?;
        let place = self.local_place(length, array.span);
        Some(self.bytes_of(place, element))
    }
}
