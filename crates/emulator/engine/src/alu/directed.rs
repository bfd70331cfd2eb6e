//! Handlers of f32 and f64 arithmetic in the rounding directions that the host does not have, through
//! [`crate::number::soft`].

use crate::alu_operation::{AluOperation, rare1, rare2, rare3};
use crate::number::single::flush_number;
use crate::number::soft::{self, Round};
use crate::number::{double, single};
use lanework_ptx_ir::opcode::float::{DirectedFunction, DirectedOp, RoundingDirection};

/// The handlers of a function of numbers, in each direction, of f32 and f64; `nan` is the order in which
/// f64 operands pass on their NaN.
macro_rules! in_each_direction {
    ($op:expr, $make:ident, |$($x:ident),*| $body:expr, nan [$($nan:ident),*]) => {{
        macro_rules! to {
            ($direction:expr) => {
                if $op.double {
                    $make(|$($x: f64),*| -> f64 {
                        let nans = [$($nan),*];
                        $(let $x = double::unpack($x);)*
                        double::round(($body)($direction), $direction, nans)
                    })
                } else {
                    $make(|$($x: f32),*| -> f32 {
                        $(let $x = single::unpack($x);)*
                        single::round(($body)($direction), $direction)
                    })
                }
            };
        }
        match $op.direction {
            RoundingDirection::Zero => to!(Round::Zero),
            RoundingDirection::Down => to!(Round::Down),
            RoundingDirection::Up => to!(Round::Up),
        }
    }};
}

/// The handlers of an opcode of this family.
pub fn handlers(op: DirectedOp) -> &'static AluOperation {
    match op.function {
        DirectedFunction::Add => {
            in_each_direction!(op, rare2, |a, b| |to| soft::add(a, b, to), nan [b, a])
        }
        DirectedFunction::Sub => {
            in_each_direction!(op, rare2, |a, b| |to| soft::add(a, soft::negate(b), to), nan [b, a])
        }
        DirectedFunction::Mul => {
            in_each_direction!(op, rare2, |a, b| |_| soft::multiply(a, b), nan [b, a])
        }
        DirectedFunction::Fma => in_each_direction!(
            op,
            rare3,
            |a, b, c| |to| soft::add(soft::multiply(a, b), c, to),
            nan [b, c, a]
        ),
        DirectedFunction::Div { ftz: false } => {
            in_each_direction!(op, rare2, |a, b| |_| soft::divide(a, b), nan [a, b])
        }
        DirectedFunction::Div { ftz: true } => {
            in_each_direction!(op, rare2, |a, b| |_| flush_number(soft::divide(a, b)), nan [a, b])
        }
        DirectedFunction::Sqrt => in_each_direction!(op, rare1, |a| |_| soft::root(a), nan[a]),
        DirectedFunction::Rcp => {
            in_each_direction!(op, rare1, |a| |_| soft::divide(soft::integer(false, 1), a), nan[a])
        }
    }
}
