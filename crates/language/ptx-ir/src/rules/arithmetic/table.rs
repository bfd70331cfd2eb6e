//! Functions of three bits, as tables, in few operations on words.
//!
//! *Algorithm.* The table is split on one of the three operands into two functions of the other two. Mostly these are related, such
//! as by negation, and one operation joins them: compilers mostly write sums, sums of products, and choices, which take two
//! operations. All three splits are tried.

use crate::LoweringResult;
use crate::kernel::{Operand, Reg, Width};
use crate::opcode::Alu;
use crate::opcode::logic::LogicOp;
use crate::rules::context::Cx;

/// A table of four bits that is 1 everywhere.
const ONES: u32 = 15;

/// How two functions of two bits become one of three: `zero` and `one` are the functions where the third bit, `x`, is 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    /// They are alike.
    Zero,
    /// `x` alone.
    Third,
    /// `x & one`.
    And,
    /// `x | zero`.
    Or,
    /// `x ^ zero`.
    Xor,
    /// `x ? one : zero`.
    Select,
}

/// A table split on one of its operands.
#[derive(Clone, Copy, Debug)]
struct Split {
    /// The operand.
    on: usize,
    /// The functions of the other two where it is 0 and 1.
    halves: [u32; 2],
    join: Join,
}

impl Split {
    /// Splits a table; bit `4 * a + 2 * b + c` of it is the result for three bits.
    fn new(table: u32, on: usize) -> Split {
        let half = |value: u32| {
            (0..4).fold(0, |half, i| {
                let (first, second) = (i >> 1, i & 1);
                let place = match on {
                    0 => value << 2 | first << 1 | second,
                    1 => first << 2 | value << 1 | second,
                    _ => first << 2 | second << 1 | value,
                };
                half | (table >> place & 1) << i
            })
        };
        let halves = [half(0), half(1)];
        let join = match halves {
            [zero, one] if zero == one => Join::Zero,
            [0, ONES] => Join::Third,
            [0, _] => Join::And,
            [_, ONES] => Join::Or,
            [zero, one] if zero ^ one == ONES => Join::Xor,
            _ => Join::Select,
        };
        Split { on, halves, join }
    }

    /// Its cost in simple operations.
    fn cost(&self) -> u32 {
        let [zero, one] = self.halves.map(cost_of_two);
        match self.join {
            Join::Zero => zero,
            Join::Third => 0,
            Join::And => 1 + one,
            Join::Or | Join::Xor => 1 + zero,
            Join::Select => 2 + zero + one,
        }
    }
}

/// The operation for a function of two bits that is not one of them, and the number of operands it has.
fn of_two(table: u32) -> (LogicOp, &'static [usize]) {
    match table {
        0x8 => (LogicOp::And(Width::Word), &[0, 1]),
        0xe => (LogicOp::Or(Width::Word), &[0, 1]),
        0x6 => (LogicOp::Xor(Width::Word), &[0, 1]),
        0x3 => (LogicOp::Not(Width::Word), &[0]),
        0x5 => (LogicOp::Not(Width::Word), &[1]),
        _ => (LogicOp::Lookup, &[0, 1]),
    }
}

/// The operand that a function of two bits gives unchanged: the first, the second, or a constant.
fn unchanged(table: u32, [first, second]: [Operand; 2]) -> Option<Operand> {
    match table {
        0 => Some(Operand::Const(0)),
        ONES => Some(Operand::Const(u32::MAX.into())),
        0xc => Some(first),
        0xa => Some(second),
        _ => None,
    }
}

fn cost_of_two(table: u32) -> u32 {
    match (table, of_two(table).0) {
        (0 | ONES | 0xc | 0xa, _) => 0,
        (_, LogicOp::Lookup) => 2,
        _ => 1,
    }
}

/// Emits a function of two operands, unless it gives one of them.
fn emit_two(cx: &mut Cx<'_, '_>, table: u32, of: [Operand; 2]) -> LoweringResult<Operand> {
    if let Some(operand) = unchanged(table, of) {
        return Ok(operand);
    }
    let (op, operands) = of_two(table);
    let mut src: Vec<Operand> = operands.iter().map(|i| of[*i]).collect();
    if op == LogicOp::Lookup {
        src.push(Operand::Const(table.into()));
    }
    let to = cx.lowering.new_register(Width::Word);
    cx.alu(Some(to), &src, Alu::Logic(op))?;
    Ok(Operand::Reg(to))
}

/// Emits the function of three operands that a table of eight bits describes.
pub fn of_three(
    cx: &mut Cx<'_, '_>,
    dst: Option<Reg>,
    of: [Operand; 3],
    table: u32,
) -> LoweringResult {
    let splits = [0, 1, 2].map(|on| Split::new(table, on));
    let Some(split) = splits.into_iter().min_by_key(Split::cost) else { return Ok(()) };
    let third = of[split.on];
    let others = match split.on {
        0 => [of[1], of[2]],
        1 => [of[0], of[2]],
        _ => [of[0], of[1]],
    };
    let [zero, one] = split.halves;
    let join = |op: fn(Width) -> LogicOp| Alu::Logic(op(Width::Word));
    match split.join {
        Join::Third => cx.alu(dst, &[third], Alu::copy(Width::Word)),
        Join::Zero => {
            let value = emit_two(cx, zero, others)?;
            cx.alu(dst, &[value], Alu::copy(Width::Word))
        }
        Join::And => {
            let value = emit_two(cx, one, others)?;
            cx.alu(dst, &[third, value], join(LogicOp::And))
        }
        Join::Or => {
            let value = emit_two(cx, zero, others)?;
            cx.alu(dst, &[third, value], join(LogicOp::Or))
        }
        Join::Xor => {
            let value = emit_two(cx, zero, others)?;
            cx.alu(dst, &[third, value], join(LogicOp::Xor))
        }
        Join::Select => {
            let [zero, one] = [emit_two(cx, zero, others)?, emit_two(cx, one, others)?];
            cx.alu(dst, &[third, one, zero], Alu::Logic(LogicOp::Select))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function of two words by its table, as the emitted operations compute it.
    fn two(table: u32, of: [u32; 2]) -> u32 {
        let places = [Operand::Reg(0), Operand::Reg(1)];
        match unchanged(table, places) {
            Some(Operand::Reg(i)) => return of[i as usize],
            Some(Operand::Const(bits)) => return bits as u32,
            _ => {}
        }
        let (op, operands) = of_two(table);
        let of = |i: usize| of[operands[i]];
        match op {
            LogicOp::And(_) => of(0) & of(1),
            LogicOp::Or(_) => of(0) | of(1),
            LogicOp::Xor(_) => of(0) ^ of(1),
            LogicOp::Not(_) => !of(0),
            _ => (0..32).fold(0, |word, i| {
                let place = (of(0) >> i & 1) << 1 | of(1) >> i & 1;
                word | (table >> place & 1) << i
            }),
        }
    }

    #[test]
    fn each_split_of_each_table_computes_its_function() {
        let of = [0xf0, 0xcc, 0xaa];
        for table in 0..256 {
            for on in 0..3 {
                let split = Split::new(table, on);
                let others = match on {
                    0 => [of[1], of[2]],
                    1 => [of[0], of[2]],
                    _ => [of[0], of[1]],
                };
                let [zero, one] = split.halves.map(|half| two(half, others));
                let x = of[on];
                let result = match split.join {
                    Join::Zero => zero,
                    Join::Third => x,
                    Join::And => x & one,
                    Join::Or => x | zero,
                    Join::Xor => x ^ zero,
                    Join::Select => x & one | !x & zero,
                };
                assert_eq!(result & 0xff, table, "{table:#x} split on operand {on}: {split:?}");
            }
        }
    }

    #[test]
    fn common_functions_take_two_operations() {
        let cost = |table| (0..3).map(|on| Split::new(table, on).cost()).min();
        // Exclusive or, a sum of products, a choice, and a product.
        for table in [0x96, 0xea, 0xf8, 0xca, 0xd8, 0x80, 0xfe] {
            assert!(cost(table) <= Some(2), "{table:#x}");
        }
    }
}
