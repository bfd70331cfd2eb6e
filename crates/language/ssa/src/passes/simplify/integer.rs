//! Simplifies integer arithmetic.

use super::{Rewrite, Rewriter};
use crate::fold::signed;
use crate::ir::*;
use crate::passes::offsets::{based, compare};

impl Rewriter<'_> {
    /// The arguments of the instruction that defines a value, if its operation is `op`.
    pub(super) fn operands_of(
        &self,
        value: ValueId,
        op: IntegerBinary,
    ) -> Option<(bool, ValueId, ValueId)> {
        let (_, data) = self.function.defining(value)?;
        match data.kind {
            InstructionKind::Integer { op: found, no_wrap } if found == op => {
                let [a, b] = [0, 1].map(|i| self.function.resolve(data.arguments[i]));
                Some((no_wrap, a, b))
            }
            _ => None,
        }
    }

    /// Whether a value's highest bit is known to be zero.
    pub(super) fn is_not_negative(&self, value: ValueId) -> bool {
        use IntegerBinary::*;
        let ty = self.function.value_type(value);
        if let Some(bits) = self.function.as_constant(value) {
            return signed(bits, ty.bits()) >= 0;
        }
        let Some((_, data)) = self.function.defining(value) else {
            return self.counts_up.contains(&self.function.resolve(value));
        };
        let constant = |index: usize| self.function.as_constant(data.arguments[index]);
        match &data.kind {
            InstructionKind::Special(_) => true,
            InstructionKind::Convert(ValueConversion::ZeroExtend) => true,
            InstructionKind::IntegerUnary(IntegerUnary::CountOnes | IntegerUnary::LeadingZeros) => {
                true
            }
            InstructionKind::Integer { op: And, .. } => {
                data.arguments.iter().any(|a| self.is_not_negative(*a))
            }
            InstructionKind::Integer { op: ShiftRightUnsigned, .. } => {
                constant(1).is_some_and(|c| c > 0)
            }
            InstructionKind::Integer { op: RemainderUnsigned | DivideUnsigned, .. } => {
                self.is_not_negative(data.arguments[0])
            }
            _ => false,
        }
    }

    pub(super) fn rewrite_integer(
        &mut self,
        op: IntegerBinary,
        no_wrap: bool,
        a: ValueId,
        b: ValueId,
    ) -> Option<Rewrite> {
        use IntegerBinary::*;
        let ty = self.function.value_type(a);
        let kind = InstructionKind::Integer { op, no_wrap };
        let commutes = matches!(
            op,
            Add | Multiply
                | And
                | Or
                | Xor
                | MinimumSigned
                | MinimumUnsigned
                | MaximumSigned
                | MaximumUnsigned
        );
        let Some(c) = self.function.as_constant(b) else {
            if commutes && self.function.as_constant(a).is_some() {
                return Some(Rewrite::Kind(kind, vec![b, a]));
            }
            return self.rewrite_variables(op, no_wrap, a, b);
        };
        if ty == ValueType::I1 {
            return self.rewrite_logic(op, a, c);
        }
        let all = ty.mask();
        let value = |value: ValueId| Some(Rewrite::Value(value));
        match op {
            Add | Subtract | Or | Xor | ShiftLeft | ShiftRightSigned | ShiftRightUnsigned
                if c == 0 =>
            {
                value(a)
            }
            Multiply | DivideSigned | DivideUnsigned if c == 1 => value(a),
            Multiply | And if c == 0 => value(b),
            And if c == all => value(a),
            RemainderSigned | RemainderUnsigned if c == 1 => value(self.function.constant(ty, 0)),
            Subtract => {
                let negative = self.function.constant(ty, c.wrapping_neg());
                // `a - MIN` may overflow where `a + MIN` does not.
                let no_wrap = no_wrap && c != 1 << (ty.bits() - 1);
                Some(Rewrite::Kind(
                    InstructionKind::Integer { op: Add, no_wrap },
                    vec![a, negative],
                ))
            }
            ShiftLeft if ty.bits() >= 32 && c < u64::from(ty.bits()) => {
                let factor = self.function.constant(ty, 1 << c);
                let no_wrap = no_wrap && c + 1 < u64::from(ty.bits());
                Some(Rewrite::Kind(
                    InstructionKind::Integer { op: Multiply, no_wrap },
                    vec![a, factor],
                ))
            }
            Add => {
                let (inner, x, y) = self.operands_of(a, Add)?;
                let known = self.function.as_constant(y)?;
                let sum = self.function.constant(ty, known.wrapping_add(c));
                // Adding both constants at once cannot wrap if they have the same sign.
                let same = (signed(known, ty.bits()) < 0) == (signed(c, ty.bits()) < 0);
                let no_wrap = no_wrap && inner && same;
                Some(Rewrite::Kind(InstructionKind::Integer { op: Add, no_wrap }, vec![x, sum]))
            }
            Multiply => self.multiply_constant(no_wrap, a, c, ty),
            DivideUnsigned if c.is_power_of_two() => {
                let shift = self.function.constant(ValueType::I32, c.trailing_zeros().into());
                Some(Rewrite::Kind(
                    InstructionKind::Integer { op: ShiftRightUnsigned, no_wrap: false },
                    vec![a, shift],
                ))
            }
            RemainderUnsigned if c.is_power_of_two() => {
                let mask = self.function.constant(ty, c - 1);
                Some(Rewrite::Kind(
                    InstructionKind::Integer { op: And, no_wrap: false },
                    vec![a, mask],
                ))
            }
            DivideSigned | RemainderSigned
                if self.is_not_negative(a) && signed(c, ty.bits()) > 0 =>
            {
                let op = if op == DivideSigned { DivideUnsigned } else { RemainderUnsigned };
                Some(Rewrite::Kind(InstructionKind::Integer { op, no_wrap: false }, vec![a, b]))
            }
            ShiftRightSigned if self.is_not_negative(a) => Some(Rewrite::Kind(
                InstructionKind::Integer { op: ShiftRightUnsigned, no_wrap: false },
                vec![a, b],
            )),
            ShiftRightUnsigned => {
                let (_, x, y) = self.operands_of(a, ShiftRightUnsigned)?;
                let sum = self.function.as_constant(y)? + c;
                let shift = self.function.constant(ValueType::I32, sum);
                Some(Rewrite::Kind(kind, vec![x, shift]))
            }
            And | Or | Xor => {
                let (_, x, y) = self.operands_of(a, op)?;
                let known = self.function.as_constant(y)?;
                let both = match op {
                    And => known & c,
                    Or => known | c,
                    _ => known ^ c,
                };
                let both = self.function.constant(ty, both);
                Some(Rewrite::Kind(kind, vec![x, both]))
            }
            _ => None,
        }
    }

    fn multiply_constant(
        &mut self,
        no_wrap: bool,
        a: ValueId,
        c: u64,
        ty: ValueType,
    ) -> Option<Rewrite> {
        use IntegerBinary::*;
        if let Some((inner, x, y)) = self.operands_of(a, Multiply)
            && let Some(known) = self.function.as_constant(y)
        {
            let product = self.function.constant(ty, known.wrapping_mul(c));
            let kind = InstructionKind::Integer { op: Multiply, no_wrap: no_wrap && inner };
            return Some(Rewrite::Kind(kind, vec![x, product]));
        }
        // Move constants out of products.
        let (inner, x, y) = self.operands_of(a, Add)?;
        let known = self.function.as_constant(y)?;
        let factor = self.function.constant(ty, c);
        let added = self.function.constant(ty, known.wrapping_mul(c));
        let no_wrap = no_wrap && inner;
        let product = self.integer(Multiply, no_wrap, x, factor);
        Some(Rewrite::Kind(InstructionKind::Integer { op: Add, no_wrap }, vec![product, added]))
    }

    /// Simplifies operations on two non-constant values.
    fn rewrite_variables(
        &mut self,
        op: IntegerBinary,
        no_wrap: bool,
        a: ValueId,
        b: ValueId,
    ) -> Option<Rewrite> {
        use IntegerBinary::*;
        let ty = self.function.value_type(a);
        if a == b {
            let zero = self.function.constant(ty, 0);
            return match op {
                Subtract | Xor => Some(Rewrite::Value(zero)),
                And | Or | MinimumSigned | MinimumUnsigned | MaximumSigned | MaximumUnsigned => {
                    Some(Rewrite::Value(a))
                }
                _ => None,
            };
        }
        if self.function.as_constant(a) == Some(0) {
            return match op {
                Subtract if ty != ValueType::I1 => Some(Rewrite::Kind(
                    InstructionKind::IntegerUnary(IntegerUnary::Negate),
                    vec![b],
                )),
                ShiftLeft | ShiftRightSigned | ShiftRightUnsigned => Some(Rewrite::Value(a)),
                _ => None,
            };
        }
        // Move constants to the end of sums, (x + c) + y, unless this loses the fact that nothing wraps.
        if op == Add && ty.bits() >= 32 {
            for (sum, other) in [(a, b), (b, a)] {
                if let Some((inner, x, y)) = self.operands_of(sum, Add)
                    && let Some(c) = self.function.as_constant(y)
                {
                    // With c >= 0, the sum x + y is at most the whole sum. If one of x and y is not negative, it is
                    // at least the smaller of them.
                    let exact = no_wrap
                        && inner
                        && signed(c, ty.bits()) >= 0
                        && (self.is_not_negative(x) || self.is_not_negative(other));
                    if no_wrap && inner && !exact {
                        continue;
                    }
                    let variable = self.integer(Add, exact, x, other);
                    let kind = InstructionKind::Integer { op: Add, no_wrap: exact };
                    return Some(Rewrite::Kind(kind, vec![variable, y]));
                }
            }
        }
        if op == Subtract
            && !no_wrap
            && let Some((_, x, y)) = self.operands_of(a, Add)
            && self.function.as_constant(y).is_some()
        {
            let difference = self.integer(Subtract, false, x, b);
            let kind = InstructionKind::Integer { op: Add, no_wrap: false };
            return Some(Rewrite::Kind(kind, vec![difference, y]));
        }
        // Keep x * y + y: a single `mad` computes it.
        None
    }

    pub(super) fn rewrite_comparison(
        &mut self,
        condition: IntegerCondition,
        a: ValueId,
        b: ValueId,
    ) -> Option<Rewrite> {
        use IntegerCondition::*;
        let ty = self.function.value_type(a);
        if a == b {
            let holds = matches!(
                condition,
                Equal
                    | LessOrEqualSigned
                    | GreaterOrEqualSigned
                    | LessOrEqualUnsigned
                    | GreaterOrEqualUnsigned
            );
            return Some(Rewrite::Value(self.function.constant(ValueType::I1, holds.into())));
        }
        if let (Some((base, from)), Some((other, to))) =
            (based(self.function, a), based(self.function, b))
            && base == other
        {
            let holds = compare(condition, from, to);
            return Some(Rewrite::Value(self.function.constant(ValueType::I1, holds.into())));
        }
        if self.function.as_constant(a).is_some() && self.function.as_constant(b).is_none() {
            return Some(Rewrite::Kind(
                InstructionKind::CompareIntegers(condition.swapped()),
                vec![b, a],
            ));
        }
        let c = self.function.as_constant(b)?;
        let is_equality = matches!(condition, Equal | NotEqual);
        if ty == ValueType::I1 && is_equality {
            // `p != 0` is p, `p == 0` is !p.
            let same = (condition == NotEqual) == (c == 0);
            return Some(match same {
                true => Rewrite::Value(a),
                false => Rewrite::Kind(InstructionKind::IntegerUnary(IntegerUnary::Not), vec![a]),
            });
        }
        let (_, data) = self.function.defining(a)?;
        let source = *data.arguments.first()?;
        match data.kind {
            // A zero-extended Boolean compared with 0.
            InstructionKind::Convert(ValueConversion::ZeroExtend | ValueConversion::SignExtend)
                if is_equality && c == 0 =>
            {
                let from = self.function.value_type(source);
                let zero = self.function.constant(from, 0);
                Some(Rewrite::Kind(InstructionKind::CompareIntegers(condition), vec![source, zero]))
            }
            InstructionKind::Select if is_equality && c == 0 => {
                let [p, x, y] = [0, 1, 2].map(|i| data.arguments[i]);
                let x = self.function.as_constant(x)?;
                let y = self.function.as_constant(y)?;
                if (x == 0) == (y == 0) {
                    return None;
                }
                Some(match (condition == NotEqual) == (x != 0) {
                    true => Rewrite::Value(p),
                    false => {
                        Rewrite::Kind(InstructionKind::IntegerUnary(IntegerUnary::Not), vec![p])
                    }
                })
            }
            _ => None,
        }
    }
}
