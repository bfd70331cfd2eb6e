//! Rules of `cvt` of one value: between integers, and to and from floats of 16 bits and more, with modifiers.

use crate::LoweringResult;
use crate::kernel::{Operand, Reg, Width};
use crate::lower::state::width_of;
use crate::opcode::Alu;
use crate::opcode::convert::{ConvertOp, NarrowInteger, Tf32Clamp, Tf32Rounding, WidenFrom};
use crate::opcode::float::{
    DoubleOp, F16Function, FloatType, HalfFunction, HalfOp, HalfType, Rounding, SingleOp,
};
use crate::opcode::integer::Integer;
use crate::rules::context::Cx;
use crate::rules::mov;
use lanework_ptx::Modifier::*;
use lanework_ptx::ScalarType::{self, *};

/// The conversion of one value.
#[derive(Clone, Copy)]
pub struct Conversion {
    /// The result.
    pub dst: Option<Reg>,
    pub source: Operand,
    pub from: ScalarType,
    pub to: ScalarType,
}

/// Emits a conversion into a new 64-bit register.
fn through_wide(cx: &mut Cx<'_, '_>, a: Operand, op: Alu) -> LoweringResult<Operand> {
    let register = cx.lowering.new_register(Width::Wide);
    cx.alu(Some(register), &[a], op)?;
    Ok(Operand::Reg(register))
}

/// Any integer as a signed 64-bit one; a `u64` keeps its bits.
pub fn extend(cx: &Cx<'_, '_>, from: ScalarType) -> LoweringResult<Alu> {
    match Integer::from_type(from) {
        Some(Integer::S64 | Integer::U64) => Ok(Alu::copy(Width::Wide)),
        Some(from) => Ok(Alu::Convert(ConvertOp::ExtendToWide(from))),
        None => Err(cx.unsupported("this type")),
    }
}

impl Conversion {
    /// Between integers.
    pub fn of_integers(self, cx: &mut Cx<'_, '_>) -> LoweringResult {
        let Conversion { dst, source, from, to } = self;
        if cx.has(Sat) {
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
        // Here one side has at most 32 bits; the narrower type decides.
        let narrower = if to.size() <= from.size() { to } else { from };
        let op = match narrower {
            // Extended by its sign, but no further than the result.
            S8 if to == U16 => ConvertOp::ExtendToHalf,
            U8 | B8 => ConvertOp::ExtendToWord(NarrowInteger::U8),
            S8 => ConvertOp::ExtendToWord(NarrowInteger::S8),
            U16 | B16 => ConvertOp::ExtendToWord(NarrowInteger::U16),
            S16 => ConvertOp::ExtendToWord(NarrowInteger::S16),
            _ => return Err(cx.unsupported("this type")),
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
        let op = match Integer::from_type(to) {
            None | Some(Integer::S64) => Alu::copy(Width::Wide),
            Some(to) => Alu::Convert(ConvertOp::Clamp(to)),
        };
        cx.alu(dst, &[wide], op)
    }
}

/// The rounding of the instruction, and whether it is to an integral number.
pub fn rounding(cx: &Cx<'_, '_>) -> Option<(Rounding, bool)> {
    let table = [
        (Rn, Rounding::NearestEven, false),
        (Rz, Rounding::Zero, false),
        (Rm, Rounding::Down, false),
        (Rp, Rounding::Up, false),
        (Rni, Rounding::NearestEven, true),
        (Rzi, Rounding::Zero, true),
        (Rmi, Rounding::Down, true),
        (Rpi, Rounding::Up, true),
    ];
    table.iter().find(|(name, ..)| cx.has(*name)).map(|(_, round, integral)| (*round, *integral))
}

impl Conversion {
    /// From an integer to a float.
    pub fn to_float(mut self, cx: &mut Cx<'_, '_>) -> LoweringResult {
        let Conversion { dst, source, from, to } = self;
        let (rounding, _) = rounding(cx).unwrap_or((Rounding::NearestEven, false));
        let direct = match (from, to, rounding) {
            (S32 | U32, F32, Rounding::NearestEven) | (S32 | U32, F64, _) => !cx.has(Sat),
            _ => false,
        };
        if direct {
            let op = ConvertOp::WordToFloat { signed: from == S32, double: to == F64 };
            return cx.alu(dst, &[source], Alu::Convert(op));
        }
        let op = extend(cx, from)?;
        self.source = through_wide(cx, source, op)?;
        let Some(float) = FloatType::from_type(to) else {
            return Err(cx.unsupported("this type or rounding"));
        };
        let signed = !matches!(from, U64 | B64);
        self.convert_and_adjust(cx, ConvertOp::WideToFloat { signed, to: float, rounding })
    }

    /// Emits a conversion to a float, and after it the steps of `.ftz`, `.sat`, `.relu` and `.satfinite`.
    fn convert_and_adjust(self, cx: &mut Cx<'_, '_>, conversion: ConvertOp) -> LoweringResult {
        let Conversion { dst, mut source, to, .. } = self;
        let copies = matches!(
            conversion,
            ConvertOp::Float { from: FloatType::F32, to: FloatType::F32, .. }
                | ConvertOp::Float { from: FloatType::F64, to: FloatType::F64, .. }
        );
        let mut last = if copies { mov::copy(to) } else { Alu::Convert(conversion) };
        let mut then = Vec::new();
        if cx.has(Ftz) && to == F32 {
            then.push(Alu::Single(SingleOp::Flush));
        }
        match (to, cx.has(Sat), cx.has(Relu)) {
            (_, false, false) => {}
            (F32, true, _) => then.push(Alu::Single(SingleOp::Saturate)),
            (F64, true, _) => then.push(Alu::Double(DoubleOp::Saturate)),
            (F16, true, _) => {
                let function = F16Function::Saturate;
                then.push(Alu::Half(HalfOp::F16 { function, packed: false }));
            }
            (F16, _, true) => then.push(Alu::Half(HalfOp::Any(HalfFunction::Relu, HalfType::F16))),
            (Bf16, _, true) => {
                then.push(Alu::Half(HalfOp::Any(HalfFunction::Relu, HalfType::Bf16)))
            }
            _ => return Err(cx.unsupported("`.sat` or `.relu` of this type")),
        }
        if cx.has(Satfinite) {
            match to {
                F16 | Bf16 => then.push(Alu::Convert(ConvertOp::Finite { bf16: to == Bf16 })),
                _ => return Err(cx.unsupported("`.satfinite` of this type")),
            }
        }
        for next in then {
            let register = cx.lowering.new_register(width_of(to)?);
            cx.alu(Some(register), &[source], last)?;
            (source, last) = (Operand::Reg(register), next);
        }
        cx.alu(dst, &[source], last)
    }

    /// From a float to an integer. Out-of-range values clamp with or without `.sat`. NaN becomes 0, or the lowest
    /// integer's bits if either side has 64 bits.
    pub fn to_integer(self, cx: &mut Cx<'_, '_>) -> LoweringResult {
        let Conversion { dst, source, from, to } = self;
        let Some((rounding, true)) = rounding(cx) else {
            return Err(cx.unsupported("an integer rounding is missing"));
        };
        if let (F32, S32 | U32, Rounding::Zero) = (from, to, rounding) {
            let op = ConvertOp::SingleToWord { signed: to == S32 };
            return cx.alu(dst, &[source], Alu::Convert(op));
        }
        let widen = match from {
            F32 => Some(WidenFrom::Single { ftz: cx.has(Ftz) }),
            F16 => Some(WidenFrom::Half),
            Bf16 => Some(WidenFrom::Bf16),
            F64 => None,
            _ => return Err(cx.unsupported("this type")),
        };
        let wide = match widen {
            Some(from) => through_wide(cx, source, Alu::Convert(ConvertOp::Widen(from)))?,
            None => source,
        };
        let rounded = through_wide(cx, wide, Alu::Convert(ConvertOp::RoundDouble(rounding)))?;
        let Some(to) = Integer::from_type(to) else { return Err(cx.unsupported("this type")) };
        let op = ConvertOp::DoubleToInteger { to, nan_is_lowest: from == F64 };
        cx.alu(dst, &[rounded], Alu::Convert(op))
    }

    /// Between floats.
    pub fn of_floats(mut self, cx: &mut Cx<'_, '_>) -> LoweringResult {
        let Conversion { from, to, .. } = self;
        let (rounding, integral) = rounding(cx).unwrap_or((Rounding::NearestEven, false));
        // `.ftz` goes through an addition, which also produces the NaN of arithmetic; on the way to f16 it does nothing.
        if cx.has(Ftz) && from == F32 && to != F16 {
            let register = cx.lowering.new_register(Width::Word);
            cx.alu(Some(register), &[self.source], Alu::Convert(ConvertOp::FlushSingle))?;
            self.source = Operand::Reg(register);
        }
        let (Some(of), Some(into)) = (FloatType::from_type(from), FloatType::from_type(to)) else {
            return Err(cx.unsupported("this pair of types or rounding"));
        };
        if !integral || from != to {
            let op = ConvertOp::Float { from: of, to: into, rounding };
            return self.convert_and_adjust(cx, op);
        }
        let widen = match from {
            F16 => WidenFrom::Half,
            Bf16 => WidenFrom::Bf16,
            F32 => return self.convert_and_adjust(cx, ConvertOp::RoundSingle(rounding)),
            _ => return self.convert_and_adjust(cx, ConvertOp::RoundDouble(rounding)),
        };
        let wide = through_wide(cx, self.source, Alu::Convert(ConvertOp::Widen(widen)))?;
        self.source = through_wide(cx, wide, Alu::Convert(ConvertOp::RoundDouble(rounding)))?;
        self.convert_and_adjust(cx, ConvertOp::DoubleToHalf { bf16: to == Bf16 })
    }
}

/// `cvt.rna.tf32.f32` and similar: the 19 high bits of a word.
pub fn to_tf32(cx: &mut Cx<'_, '_>) -> LoweringResult {
    cx.operands(2)?;
    let to = match rounding(cx) {
        Some((Rounding::NearestEven, false)) => Tf32Rounding::NearestEven,
        Some((Rounding::Zero, false)) => Tf32Rounding::Zero,
        None if cx.has(Rna) => Tf32Rounding::NearestAway,
        _ => return Err(cx.unsupported("this rounding")),
    };
    let dst = cx.dst_of(0, B32)?;
    let a = cx.src(1, F32)?;
    let clamp = match (cx.has(Relu), cx.has(Satfinite)) {
        (false, false) => return cx.alu(dst, &[a], Alu::Convert(ConvertOp::ToTf32(to))),
        (true, false) => Tf32Clamp::Relu,
        (false, true) => Tf32Clamp::Finite,
        (true, true) => Tf32Clamp::ReluFinite,
    };
    let first = cx.lowering.new_register(Width::Word);
    cx.alu(Some(first), &[a], Alu::Convert(ConvertOp::ToTf32(to)))?;
    cx.alu(dst, &[Operand::Reg(first)], Alu::Convert(ConvertOp::ClampTf32(clamp)))
}
