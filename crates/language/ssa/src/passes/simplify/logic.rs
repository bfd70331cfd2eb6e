//! Simplifies Booleans, selections and conversions.

use super::{Rewrite, Rewriter};
use crate::ir::*;

impl Rewriter<'_> {
    /// Simplifies operations on a Boolean and a constant.
    pub(super) fn rewrite_logic(
        &mut self,
        op: IntegerBinary,
        a: ValueId,
        c: u64,
    ) -> Option<Rewrite> {
        use IntegerBinary::*;
        let constant = |function: &mut SsaFunction, bit| {
            Some(Rewrite::Value(function.constant(ValueType::I1, bit)))
        };
        let not = Rewrite::Kind(InstructionKind::IntegerUnary(IntegerUnary::Not), vec![a]);
        match (op, c) {
            (And | Multiply, 0) => constant(self.function, 0),
            (Or, 1) => constant(self.function, 1),
            (Xor | Add | Subtract, 1) => Some(not),
            (And | Multiply, 1) | (Or | Xor | Add | Subtract, 0) => Some(Rewrite::Value(a)),
            _ => None,
        }
    }

    /// `!(a < b)` becomes `a >= b`, `!(a | b)` becomes `!a & !b`.
    pub(super) fn rewrite_not(&mut self, a: ValueId) -> Option<Rewrite> {
        let (_, data) = self.function.defining(a)?;
        let arguments = data.arguments.clone();
        let is_condition = self.function.value_type(a) == ValueType::I1;
        match data.kind.clone() {
            InstructionKind::IntegerUnary(IntegerUnary::Not) => Some(Rewrite::Value(arguments[0])),
            InstructionKind::CompareIntegers(condition) => Some(Rewrite::Kind(
                InstructionKind::CompareIntegers(condition.opposite()),
                arguments,
            )),
            InstructionKind::CompareFloats { condition, flush } => {
                let condition = opposite_float(condition);
                Some(Rewrite::Kind(InstructionKind::CompareFloats { condition, flush }, arguments))
            }
            InstructionKind::Integer {
                op: op @ (IntegerBinary::And | IntegerBinary::Or), ..
            } if is_condition => {
                let not = |this: &mut Self, value| {
                    this.insert(
                        InstructionKind::IntegerUnary(IntegerUnary::Not),
                        vec![value],
                        ValueType::I1,
                    )
                };
                let (a, b) = (not(self, arguments[0]), not(self, arguments[1]));
                let op =
                    if op == IntegerBinary::And { IntegerBinary::Or } else { IntegerBinary::And };
                Some(Rewrite::Kind(InstructionKind::Integer { op, no_wrap: false }, vec![a, b]))
            }
            _ => None,
        }
    }

    pub(super) fn rewrite_select(
        &mut self,
        arguments: &[ValueId],
        ty: ValueType,
    ) -> Option<Rewrite> {
        let [condition, a, b] = *arguments else { return None };
        if a == b {
            return Some(Rewrite::Value(a));
        }
        if let Some((_, data)) = self.function.defining(condition)
            && data.kind == InstructionKind::IntegerUnary(IntegerUnary::Not)
        {
            let inner = data.arguments[0];
            return Some(Rewrite::Kind(InstructionKind::Select, vec![inner, b, a]));
        }
        let (yes, no) = (self.function.as_constant(a), self.function.as_constant(b));
        if ty == ValueType::I1 {
            let kind = |op| InstructionKind::Integer { op, no_wrap: false };
            let negated = |this: &mut Self| {
                let not = InstructionKind::IntegerUnary(IntegerUnary::Not);
                this.insert(not, vec![condition], ValueType::I1)
            };
            return match (yes, no) {
                (Some(1), Some(0)) => Some(Rewrite::Value(condition)),
                (Some(1), _) => Some(Rewrite::Kind(kind(IntegerBinary::Or), vec![condition, b])),
                (_, Some(0)) => Some(Rewrite::Kind(kind(IntegerBinary::And), vec![condition, a])),
                (Some(0), _) => {
                    let not = negated(self);
                    Some(Rewrite::Kind(kind(IntegerBinary::And), vec![not, b]))
                }
                (_, Some(1)) => {
                    let not = negated(self);
                    Some(Rewrite::Kind(kind(IntegerBinary::Or), vec![not, a]))
                }
                _ => None,
            };
        }
        if ty.is_integer() && (yes, no) == (Some(1), Some(0)) {
            let kind = InstructionKind::Convert(ValueConversion::ZeroExtend);
            return Some(Rewrite::Kind(kind, vec![condition]));
        }
        self.minimum(condition, a, b, ty)
    }

    /// Simplifies `a < b ? a : b` on integers.
    fn minimum(
        &mut self,
        condition: ValueId,
        a: ValueId,
        b: ValueId,
        ty: ValueType,
    ) -> Option<Rewrite> {
        use IntegerBinary::*;
        use IntegerCondition::*;
        let (_, data) = self.function.defining(condition)?;
        let InstructionKind::CompareIntegers(order) = data.kind else { return None };
        if !matches!(ty, ValueType::I16 | ValueType::I32 | ValueType::I64) {
            return None;
        }
        let [x, y] = [0, 1].map(|i| self.function.resolve(data.arguments[i]));
        let straight = (x, y) == (a, b);
        if !straight && (x, y) != (b, a) {
            return None;
        }
        let op = match (order, straight) {
            (LessSigned | LessOrEqualSigned, true)
            | (GreaterSigned | GreaterOrEqualSigned, false) => MinimumSigned,
            (GreaterSigned | GreaterOrEqualSigned, true)
            | (LessSigned | LessOrEqualSigned, false) => MaximumSigned,
            (LessUnsigned | LessOrEqualUnsigned, true)
            | (GreaterUnsigned | GreaterOrEqualUnsigned, false) => MinimumUnsigned,
            (GreaterUnsigned | GreaterOrEqualUnsigned, true)
            | (LessUnsigned | LessOrEqualUnsigned, false) => MaximumUnsigned,
            _ => return None,
        };
        Some(Rewrite::Kind(InstructionKind::Integer { op, no_wrap: false }, vec![a, b]))
    }

    pub(super) fn rewrite_conversion(
        &mut self,
        conversion: ValueConversion,
        a: ValueId,
        ty: ValueType,
    ) -> Option<Rewrite> {
        use ValueConversion::*;
        let from = self.function.value_type(a);
        let rounds = matches!(conversion, RoundToIntegral { .. });
        if from == ty && !rounds {
            return Some(Rewrite::Value(a));
        }
        let (_, data) = self.function.defining(a)?;
        let kind = data.kind.clone();
        let arguments: Vec<ValueId> =
            data.arguments.iter().map(|value| self.function.resolve(*value)).collect();
        let inner_type = arguments.first().map(|value| self.function.value_type(*value));
        let again = |conversion| {
            Some(Rewrite::Kind(InstructionKind::Convert(conversion), arguments.clone()))
        };
        if let InstructionKind::Convert(inner) = kind {
            let inner_type = inner_type?;
            return match (conversion, inner) {
                (SignExtend, SignExtend) | (ZeroExtend, ZeroExtend) | (SignExtend, ZeroExtend) => {
                    again(inner)
                }
                (Truncate, Truncate) => again(Truncate),
                (Truncate, SignExtend | ZeroExtend) => match inner_type.bits().cmp(&ty.bits()) {
                    std::cmp::Ordering::Less => again(inner),
                    std::cmp::Ordering::Equal => Some(Rewrite::Value(arguments[0])),
                    std::cmp::Ordering::Greater => again(Truncate),
                },
                (Reinterpret, Reinterpret) => again(Reinterpret),
                // A conversion to generic space and back.
                (Space, Space) if inner_type == ty => Some(Rewrite::Value(arguments[0])),
                _ => None,
            };
        }
        match (conversion, kind) {
            // Array indices: the extended sum of an index and a constant.
            (SignExtend, InstructionKind::Integer { op, no_wrap: true })
                if matches!(op, IntegerBinary::Add | IntegerBinary::Multiply)
                    && self.function.as_constant(arguments[1]).is_some()
                    && from == ValueType::I32 =>
            {
                if op == IntegerBinary::Multiply {
                    return None;
                }
                let [x, y] = [0, 1].map(|i| {
                    self.insert(InstructionKind::Convert(SignExtend), vec![arguments[i]], ty)
                });
                Some(Rewrite::Kind(InstructionKind::Integer { op, no_wrap: true }, vec![x, y]))
            }
            (SignExtend, _) if self.is_not_negative(a) && from.bits() == 32 => {
                Some(Rewrite::Kind(InstructionKind::Convert(ZeroExtend), vec![a]))
            }
            // The low bits of sums and products depend only on the low bits of the operands.
            (Truncate, InstructionKind::Integer { op, .. })
                if from.bits() == 64
                    && ty.bits() == 32
                    && matches!(
                        op,
                        IntegerBinary::Add | IntegerBinary::Subtract | IntegerBinary::Multiply
                    ) =>
            {
                let [x, y] = [0, 1].map(|i| {
                    self.insert(InstructionKind::Convert(Truncate), vec![arguments[i]], ty)
                });
                Some(Rewrite::Kind(InstructionKind::Integer { op, no_wrap: false }, vec![x, y]))
            }
            (Truncate, InstructionKind::Integer { op: IntegerBinary::And, .. })
                if self
                    .function
                    .as_constant(arguments[1])
                    .is_some_and(|c| c & ty.mask() == ty.mask()) =>
            {
                Some(Rewrite::Kind(InstructionKind::Convert(Truncate), vec![arguments[0]]))
            }
            _ => None,
        }
    }
}

fn opposite_float(condition: FloatCondition) -> FloatCondition {
    use FloatCondition::*;
    match condition {
        Equal => NotEqualOrUnordered,
        NotEqual => EqualOrUnordered,
        Less => GreaterOrEqualOrUnordered,
        LessOrEqual => GreaterOrUnordered,
        Greater => LessOrEqualOrUnordered,
        GreaterOrEqual => LessOrUnordered,
        EqualOrUnordered => NotEqual,
        NotEqualOrUnordered => Equal,
        LessOrUnordered => GreaterOrEqual,
        LessOrEqualOrUnordered => Greater,
        GreaterOrUnordered => LessOrEqual,
        GreaterOrEqualOrUnordered => Less,
        Ordered => Unordered,
        Unordered => Ordered,
    }
}
