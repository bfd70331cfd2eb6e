//! `cvt`: between integers, to and from floats, and packed; [`super::eight`] has floats of 8 bits.

mod conversion;
mod float;
mod integer;
mod packed;

use super::context::Cx;
use crate::lower::unsupported::LoweringResult;
use conversion::Conversion;
use float::to_tf32;
use lanework_ptx::ScalarType::{self, *};
use packed::{pack_integers, pack_two};

fn is_integer(ty: ScalarType) -> bool {
    !ty.is_float() && ty != Pred
}

const MODIFIERS: &[&str] = &[
    "rn",
    "rz",
    "rm",
    "rp",
    "rni",
    "rzi",
    "rmi",
    "rpi",
    "rna",
    "ftz",
    "sat",
    "relu",
    "satfinite",
    "tf32",
];

/// `cvt`.
pub fn cvt(cx: &mut Cx<'_, '_>) -> LoweringResult {
    if cx.has("pack") {
        return pack_integers(cx);
    }
    cx.allow(MODIFIERS)?;
    if cx.has("tf32") {
        return to_tf32(cx);
    }
    let types = cx.types();
    let [to, from] = types[..] else { return Err(cx.unknown("two types are expected")) };
    if cx.instruction.operands.len() == 3 {
        return pack_two(cx, to, from);
    }
    cx.operands(2)?;
    if cx.has("rna") {
        return Err(cx.unknown("this rounding"));
    }
    let dst = cx.dst_of(0, to)?;
    let conversion = Conversion { dst, source: cx.src(1, from)?, from, to };
    match (is_integer(from), is_integer(to)) {
        (true, true) => conversion.of_integers(cx),
        (true, false) => conversion.to_float(cx),
        (false, true) => conversion.to_integer(cx),
        (false, false) => conversion.of_floats(cx),
    }
}
