//! Arithmetic on untyped 32-bit values while staging: what addresses and positions are computed with.
//! Constants fold, so that the same functions draw layouts on the host.

use super::layout::Linear;
use crate::arithmetic::binary;
use crate::builder::Builder;
use crate::operation::Operation;
use crate::value::{Index, Value, integer};
use lanework_ptx::ScalarType;

const WORD: ScalarType = ScalarType::U32;

/// A constant.
pub(crate) fn constant(value: u32) -> Value {
    Value::Constant(value.into())
}

pub(crate) fn add(b: &mut Builder, x: Value, y: Value) -> Value {
    binary(b, Operation::Add, WORD, x, y)
}

pub(crate) fn mul(b: &mut Builder, x: Value, by: u32) -> Value {
    binary(b, Operation::Mul, WORD, x, constant(by))
}

pub(crate) fn shr(b: &mut Builder, x: Value, by: u32) -> Value {
    binary(b, Operation::Shr, WORD, x, constant(by))
}

pub(crate) fn and(b: &mut Builder, x: Value, mask: u32) -> Value {
    binary(b, Operation::And, WORD, x, constant(mask))
}

pub(crate) fn xor(b: &mut Builder, x: Value, y: Value) -> Value {
    binary(b, Operation::Xor, WORD, x, y)
}

/// An index as a 32-bit value.
pub(crate) fn word(b: &mut Builder, index: Index) -> Value {
    match index.value {
        Value::Constant(bits) => constant(integer(bits, index.ty) as u32),
        value if index.ty.size() == 8 => b.pure("cvt.u32.u64", WORD, &[(value, ScalarType::U64)]),
        value => value,
    }
}

/// The lane in its warp.
pub(crate) const LANE: Value = Value::Special("%laneid");

/// A row or column of an element, in this lane.
pub(crate) fn position(b: &mut Builder, place: Linear) -> Value {
    let group = shr(b, LANE, 2);
    let member = and(b, LANE, 3);
    let (group, member) = (mul(b, group, place.group), mul(b, member, place.member));
    let sum = add(b, group, member);
    add(b, sum, constant(place.first))
}

/// The first row of this warp's part of a warpgroup's fragment.
pub(crate) fn warp_row(b: &mut Builder, warps: u32) -> Value {
    if warps == 1 {
        return constant(0);
    }
    let warp = shr(b, Value::Special("%tid.x"), 5);
    let warp = and(b, warp, warps - 1);
    mul(b, warp, 16)
}
