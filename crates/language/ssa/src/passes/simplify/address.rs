//! Simplifies addresses: moves constants to the end, where they become offsets of loads and stores.

use super::{Rewrite, Rewriter};
use crate::fold::signed;
use crate::ir::*;

impl Rewriter<'_> {
    /// The base and the constant offset of a pointer.
    fn constant_offset(&self, pointer: ValueId) -> Option<(ValueId, u64)> {
        let (_, data) = self.function.defining(pointer)?;
        if data.kind != InstructionKind::PointerAdd {
            return None;
        }
        let offset = self.function.as_constant(data.arguments[1])?;
        Some((self.function.resolve(data.arguments[0]), offset))
    }

    pub(super) fn rewrite_pointer_add(
        &mut self,
        pointer: ValueId,
        offset: ValueId,
        ty: ValueType,
    ) -> Option<Rewrite> {
        let offset_type = self.function.value_type(offset);
        let kind = InstructionKind::PointerAdd;
        let base = self.constant_offset(pointer);
        if let Some(c) = self.function.as_constant(offset) {
            let (base, known) = base?;
            let sum = self.function.constant(offset_type, known.wrapping_add(c));
            return Some(match self.function.as_constant(sum) {
                Some(0) => Rewrite::Value(base),
                _ => Rewrite::Kind(kind, vec![base, sum]),
            });
        }
        if let Some((base, known)) = base {
            let moved = self.insert(kind.clone(), vec![base, offset], ty);
            let known = self.function.constant(offset_type, known);
            return Some(Rewrite::Kind(kind, vec![moved, known]));
        }
        if let Some((_, x, y)) = self.operands_of(offset, IntegerBinary::Add)
            && let Some(c) = self.function.as_constant(y)
            && i32::try_from(signed(c, offset_type.bits())).is_ok()
        {
            let moved = self.insert(kind.clone(), vec![pointer, x], ty);
            return Some(Rewrite::Kind(kind, vec![moved, y]));
        }
        None
    }
}
