//! `cvt` between integers.

use super::conversion::Conversion;
use crate::kernel::{Operand, Width};
use crate::lower::unsupported::LoweringResult;
use crate::opcode::Alu;
use crate::opcode::convert::{ConvertOp, NarrowInteger};
use crate::opcode::integer::Integer;
use crate::rules::context::Cx;
use lanework_ptx::ScalarType::{self, *};

/// Emits a conversion into a 64-bit register of its own.
pub(super) fn through_wide(cx: &mut Cx<'_, '_>, a: Operand, op: Alu) -> LoweringResult<Operand> {
    let register = cx.lowering.new_register(Width::Wide);
    cx.alu(Some(register), &[a], op)?;
    Ok(Operand::Reg(register))
}

/// Any integer as a signed 64-bit one; a `u64` keeps its bits.
pub(super) fn extend(cx: &Cx<'_, '_>, from: ScalarType) -> LoweringResult<Alu> {
    match Integer::of(from) {
        Some(Integer::S64 | Integer::U64) => Ok(Alu::copy(Width::Wide)),
        Some(from) => Ok(Alu::Convert(ConvertOp::ExtendToWide(from))),
        None => Err(cx.unknown("this type")),
    }
}

impl Conversion {
    /// Between integers.
    pub(super) fn of_integers(self, cx: &mut Cx<'_, '_>) -> LoweringResult {
        let Conversion { dst, source, from, to } = self;
        if cx.has("sat") {
            return self.saturated(cx);
        }
        if from.size() == 4 && to.size() == 4 {
            return cx.alu(dst, &[source], Alu::copy(Width::Word));
        }
        if to.size() == 8 {
            let op = extend(cx, from)?;
            return cx.alu(dst, &[source], op);
        }
        if from.size() == 8 && to.size() == 4 {
            return cx.alu(dst, &[source], Alu::Convert(ConvertOp::TruncateWide));
        }
        // What is left has at most 32 bits on one side: the narrower of the two types decides.
        let narrower = if to.size() <= from.size() { to } else { from };
        let op = match narrower {
            // Extended by its sign, but no further than the result.
            S8 if to == U16 => ConvertOp::ExtendToHalf,
            U8 | B8 => ConvertOp::ExtendToWord(NarrowInteger::U8),
            S8 => ConvertOp::ExtendToWord(NarrowInteger::S8),
            U16 | B16 => ConvertOp::ExtendToWord(NarrowInteger::U16),
            S16 => ConvertOp::ExtendToWord(NarrowInteger::S16),
            _ => return Err(cx.unknown("this type")),
        };
        cx.alu(dst, &[source], Alu::Convert(op))
    }

    /// The same with `.sat`: out-of-range values clamp.
    fn saturated(self, cx: &mut Cx<'_, '_>) -> LoweringResult {
        let Conversion { dst, source, from, to } = self;
        let wide = if matches!(from, U64 | B64) {
            if to.size() == 8 && to != S64 {
                return cx.alu(dst, &[source], Alu::copy(Width::Wide));
            }
            through_wide(cx, source, Alu::Convert(ConvertOp::ClampUnsigned))?
        } else {
            let op = extend(cx, from)?;
            through_wide(cx, source, op)?
        };
        let op = match Integer::of(to) {
            None | Some(Integer::S64) => Alu::copy(Width::Wide),
            Some(to) => Alu::Convert(ConvertOp::Clamp(to)),
        };
        cx.alu(dst, &[wide], op)
    }
}
