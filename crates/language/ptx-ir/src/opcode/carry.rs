//! Sums and differences over the carry flag (PTX manual, "Extended-Precision Integer Arithmetic
//! Instructions"); the flag is a predicate register, always the last operand.

/// One half of an extended-precision step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CarryOp {
    /// `a + !b + carry` instead of `a + b + carry`.
    pub subtract: bool,
    /// On 64-bit operands; else on 32-bit ones.
    pub wide: bool,
    /// Gives the carry out of the addition instead of the sum; of a difference, 1 means no borrow.
    pub carry_out: bool,
}
