//! Arrays of host code whose length is known at run time only, as GCC supports them.

use super::super::scopes::Binding;
use super::{Analyzer, List};
use crate::source::Span;
use crate::syntax::*;
use crate::typed::*;
use crate::types::TypeId;
use std::rc::Rc;

impl Analyzer {
    /// Declares `T name[length]` or `T name[rows][columns]`, if a length is not a constant: memory that is freed at the end
    /// of the block.
    pub(super) fn variable_array(&mut self, syntax: &VariableSyntax, out: &mut List) -> bool {
        if !self.host || !matches!(syntax.initializer, Initializer::None) {
            return false;
        }
        // The lengths up to the last one that is not a constant, outermost first. The others belong to the element's type.
        let (mut counts, mut variable) = (Vec::new(), 0);
        for derivation in syntax.kind.derived.iter().rev() {
            let Derivation::Array(Some(length)) = derivation else { break };
            let Some(count) = self.trial(|this| this.expression(length)) else { break };
            if !self.types.is_integer(count.ty) {
                break;
            }
            let known = self.trial(|this| this.constant_value(&count)).flatten();
            counts.push(count);
            if known.is_none() {
                variable = counts.len();
            }
        }
        counts.truncate(variable);
        if counts.is_empty() {
            return false;
        }
        let span = syntax.span;
        let mut kind = (*syntax.kind).clone();
        kind.derived.truncate(kind.derived.len() - counts.len());
        let element = self.type_of(&kind);
        let innermost = self.element_of(element);
        if let Some(record) = self.types.record_of(innermost)
            && (self.types.record(record).needs_construction || self.is_destroyed(innermost))
        {
            self.unsupported(span, "an array of objects whose length is not a constant");
            return true;
        }
        let mut lengths = Vec::new();
        for count in counts {
            let number = self.add_local("length".to_owned(), TypeId::UNSIGNED_LONG, span);
            let value = self.rvalue(count);
            let value = self.number_as(value, TypeId::UNSIGNED_LONG);
            self.push(out, TypedStatementKind::Declare(number, Some(value)), span);
            lengths.push(number);
        }
        let bytes = self.bytes_of(&lengths, element, span);
        let memory = self.call_named("malloc", vec![bytes], span);
        let ty = self.types.pointer(element);
        let name = syntax.name.last().name;
        let text = self.text(name).to_owned();
        let local = self.add_local(text, ty, span);
        let memory = Typed { ty, ..memory };
        self.push(out, TypedStatementKind::Declare(local, Some(memory)), span);
        let serial = self.frame.as_ref().map_or(0, |frame| frame.serial);
        self.variable_arrays.insert((serial, local), lengths.into());
        self.bind(name, Binding::Local(serial, local));
        let object = self.local_place(local, span);
        let pointer = self.rvalue(object);
        let free = self.call_named("free", vec![pointer], span);
        let free = TypedStatement { kind: TypedStatementKind::Expression(free), span };
        self.at_end_of_block(vec![free], out);
        true
    }

    /// The size of an array with these lengths.
    fn bytes_of(&mut self, lengths: &[LocalNumber], element: TypeId, span: Span) -> Typed {
        let size = self.constant(self.types.size(element), TypeId::UNSIGNED_LONG, span);
        lengths.iter().fold(size, |bytes, length| {
            let place = self.local_place(*length, span);
            self.binary_typed(BinaryOperator::Multiply, place, bytes, span)
        })
    }

    /// The lengths of such an array, if the expression is one.
    fn lengths_of(&self, array: &Typed) -> Option<Rc<[LocalNumber]>> {
        let TypedKind::Local(local) = array.kind else { return None };
        let serial = self.frame.as_ref()?.serial;
        self.variable_arrays.get(&(serial, local)).cloned()
    }

    /// The size of such an array, if the expression is one.
    pub(in crate::analyze) fn variable_size(&mut self, array: &Typed) -> Option<Typed> {
        let lengths = self.lengths_of(array)?;
        let element = self.types.pointee(array.ty)?;
        Some(self.bytes_of(&lengths, element, array.span))
    }

    /// `array[row][column]` for such an array of rows; `array[row]` points to the row's first element.
    pub(in crate::analyze) fn variable_element(
        &mut self,
        object: &Expression,
        index: &Expression,
        span: Span,
    ) -> Option<Typed> {
        if self.variable_arrays.is_empty() {
            return None;
        }
        let (mut indices, mut array) = (vec![index], object);
        while let ExpressionKind::Index(outer, index) = &array.kind {
            indices.push(index);
            array = outer;
        }
        indices.reverse();
        if !matches!(array.kind, ExpressionKind::Name(_)) {
            return None;
        }
        let array = self.trial(|this| this.expression(array))?;
        let lengths = self.lengths_of(&array).filter(|lengths| lengths.len() > 1)?;
        let (taken, more) = (indices.len().min(lengths.len()), indices.len() > lengths.len());
        if more || taken + 1 < lengths.len() {
            return None;
        }
        let mut at: Option<Typed> = None;
        for (number, length) in lengths.iter().enumerate() {
            let next = match indices.get(number) {
                Some(index) => {
                    let index = self.expression(index);
                    let index = self.rvalue(index);
                    self.number_as(index, TypeId::LONG)
                }
                None => self.constant(0, TypeId::LONG, span),
            };
            at = Some(match at {
                None => next,
                Some(rows) => {
                    let place = self.local_place(*length, span);
                    let rows = self.binary_typed(BinaryOperator::Multiply, rows, place, span);
                    self.binary_typed(BinaryOperator::Add, rows, next, span)
                }
            });
        }
        let first = self.rvalue(array);
        let pointer = self.binary_typed(BinaryOperator::Add, first, at?, span);
        Some(if taken == lengths.len() { self.dereference(pointer) } else { pointer })
    }
}
