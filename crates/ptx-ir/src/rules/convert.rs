//! `cvt`: between integers, to and from floats, and packed; [`super::eight`] has floats of 8 bits.

mod float;
mod integer;
mod packed;

use super::context::Cx;
use crate::lower::unsupported::LoweringResult;
use float::{floats, to_float, to_integer, to_tf32};
use integer::integers;
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
    let a = cx.src(1, from)?;
    match (is_integer(from), is_integer(to)) {
        (true, true) => integers(cx, dst, a, from, to),
        (true, false) => to_float(cx, dst, a, from, to),
        (false, true) => to_integer(cx, dst, a, from, to),
        (false, false) => floats(cx, dst, a, from, to),
    }
}
