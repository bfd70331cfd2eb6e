//! Known bits: the low four bits of each register that are the same in every launch.
//!
//! A known-bits analysis (LLVM's `KnownBits`) narrowed to alignment: a prefix of low bits and their values, flow-insensitive,
//! over [`crate::analysis::dataflow`]. It proves that an address is a multiple of 8 or 16 bytes, and finds its offset in such a
//! chunk. It follows 32- and 64-bit integer arithmetic only; loads, special registers and all other results are unknown.

use crate::analysis::dataflow::{Direction, Facts, Lattice, VariableAnalysis, solve_variables};
use crate::kernel::{Inst, Kernel, Opcode, Operand, Reg};
use crate::opcode::Alu;
use crate::opcode::convert::ConvertOp;
use crate::opcode::integer::{Integer, IntegerOp, ProductOp};
use crate::opcode::logic::{LogicOp, MoveOp};

/// Tracked low bits: enough for 16-byte alignment.
pub const ALIGNMENT_BITS: u32 = 4;

/// Known low bits of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownBits {
    /// The number of known bits, at most [`ALIGNMENT_BITS`].
    pub count: u32,
    /// Their values; zero above.
    pub value: u64,
}

impl KnownBits {
    /// Nothing known.
    pub const NONE: KnownBits = KnownBits { count: 0, value: 0 };

    fn new(count: u32, value: u64) -> KnownBits {
        let count = count.min(ALIGNMENT_BITS);
        KnownBits { count, value: value & ((1 << count) - 1) }
    }

    /// Known trailing zeros.
    fn trailing_zeros(self) -> u32 {
        self.value.trailing_zeros().min(self.count)
    }

    fn sum(self, other: KnownBits) -> KnownBits {
        KnownBits::new(self.count.min(other.count), self.value.wrapping_add(other.value))
    }

    fn negated(self) -> KnownBits {
        KnownBits::new(self.count, self.value.wrapping_neg())
    }

    fn product(self, other: KnownBits) -> KnownBits {
        let known = self.count + other.trailing_zeros();
        let count = known.min(other.count + self.trailing_zeros());
        KnownBits::new(count, self.value.wrapping_mul(other.value))
    }

    /// The bits known of a value that is one of two.
    fn either(self, other: KnownBits) -> KnownBits {
        let differ = (self.value ^ other.value).trailing_zeros();
        KnownBits::new(self.count.min(other.count).min(differ), self.value)
    }
}

/// `None` is the top: nothing has written the register.
impl Lattice for Option<KnownBits> {
    fn meet(&mut self, other: &Option<KnownBits>) -> bool {
        let before = *self;
        *self = match (before, *other) {
            (Some(a), Some(b)) => Some(a.either(b)),
            (a, b) => a.or(b),
        };
        *self != before
    }
}

/// The known bits of every register.
pub struct RegisterBits(Vec<Option<KnownBits>>);

impl RegisterBits {
    /// Analyzes a kernel.
    pub fn analyze(kernel: &Kernel) -> RegisterBits {
        let special = kernel.registers.iter().map(|r| r.special.map(|_| KnownBits::NONE)).collect();
        RegisterBits(solve_variables(kernel, &mut Analysis, special))
    }

    /// The known bits of an operand.
    pub fn operand(&self, src: Operand) -> KnownBits {
        bits_of(src, |r| self.0[r as usize]).unwrap_or(KnownBits::NONE)
    }
}

struct Analysis;

impl VariableAnalysis for Analysis {
    type Fact = Option<KnownBits>;
    const DIRECTION: Direction = Direction::Forward;

    fn transfer(&mut self, _: usize, inst: &Inst, facts: &mut Facts<Self::Fact>) {
        let result = match inst.opcode {
            Opcode::Alu(op) => result_of(op, &inst.src, facts),
            _ => Some(KnownBits::NONE),
        };
        inst.writes().for_each(|r| facts.meet(r as usize, &result));
    }
}

fn bits_of(src: Operand, register: impl Fn(Reg) -> Option<KnownBits>) -> Option<KnownBits> {
    match src {
        Operand::Reg(r) => register(r),
        Operand::Const(constant) => Some(KnownBits::new(ALIGNMENT_BITS, constant)),
        Operand::DynamicShared(_) => Some(KnownBits::new(ALIGNMENT_BITS, 0)),
        Operand::Truth(_) => Some(KnownBits::NONE),
    }
}

/// The lowest bits of a result; `None` while nothing has written an operand.
fn result_of(op: Alu, src: &[Operand], facts: &Facts<Option<KnownBits>>) -> Option<KnownBits> {
    let mut bits = Vec::new();
    for operand in src {
        bits.push(bits_of(*operand, |r| *facts.get(r as usize))?);
    }
    let constant = |i: usize| match src.get(i) {
        Some(Operand::Const(value)) => Some(*value),
        _ => None,
    };
    let of_both = |value: u64| KnownBits::new(bits[0].count.min(bits[1].count), value);
    Some(match op {
        Alu::Move(MoveOp::Copy(_)) => bits[0],
        Alu::Convert(
            ConvertOp::ExtendToWide(Integer::U32 | Integer::S32) | ConvertOp::TruncateWide,
        ) => bits[0],
        Alu::Integer(IntegerOp::Add(_)) => bits[0].sum(bits[1]),
        Alu::Integer(IntegerOp::Sub(_)) => bits[0].sum(bits[1].negated()),
        Alu::Product(ProductOp::Mul(_) | ProductOp::MulWide { .. }) => bits[0].product(bits[1]),
        Alu::Product(ProductOp::Mad(_) | ProductOp::MadWide { .. }) => {
            bits[0].product(bits[1]).sum(bits[2])
        }
        Alu::Logic(LogicOp::ShiftLeft(_)) => match constant(1) {
            Some(by) => {
                let by = (by as u32).min(ALIGNMENT_BITS);
                KnownBits::new(bits[0].count + by, bits[0].value << by)
            }
            None => KnownBits::NONE,
        },
        Alu::Logic(LogicOp::And(_)) => match constant(1) {
            Some(mask) => {
                let count = bits[0].count.max(mask.trailing_zeros());
                KnownBits::new(count, bits[0].value & mask)
            }
            None => KnownBits::NONE,
        },
        Alu::Logic(LogicOp::Or(_)) => of_both(bits[0].value | bits[1].value),
        Alu::Logic(LogicOp::Xor(_)) => of_both(bits[0].value ^ bits[1].value),
        _ => KnownBits::NONE,
    })
}
