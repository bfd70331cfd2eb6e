//! Bits: logic, shifts, counts and fields.

use super::Cx;
use super::integer::{by_type, found, with_affine};
use crate::engine::lanes::Scalar;
use crate::engine::pure::{
    Affine, Pure, affine, hot2, hot3, mask, pure1, pure2, pure3, warm1, warm2, warm3,
};
use crate::ir::kernel::Src;
use crate::ir::lower::Rule;
use crate::ir::uniformity::Class;
use lanework_ptx::Operand;
use lanework_ptx::ScalarType::{self, *};

/// `and`, `or`, `xor`.
pub fn bitwise(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = match (cx.instruction.opcode.as_str(), ty) {
        ("and", Pred) => mask(|a, b| a & b),
        ("or", Pred) => mask(|a, b| a | b),
        ("xor", Pred) => mask(|a, b| a ^ b),
        ("and", B16 | B32) => hot2(|a: u32, b: u32| a & b),
        ("or", B16 | B32) => hot2(|a: u32, b: u32| a | b),
        ("xor", B16 | B32) => hot2(|a: u32, b: u32| a ^ b),
        ("and", B64) => warm2(|a: u64, b: u64| a & b),
        ("or", B64) => warm2(|a: u64, b: u64| a | b),
        ("xor", B64) => warm2(|a: u64, b: u64| a ^ b),
        _ => return Err(cx.unknown("this type")),
    };
    if ty == Pred {
        cx.operands(3)?;
        let dst = cx.dst_of(0, Pred)?;
        let (a, b) = (positive(cx, 1)?, positive(cx, 2)?);
        return cx.pure(dst, &[a, b], pure);
    }
    cx.uniform_type(ty, 2, pure)
}

/// A predicate operand; a negated one goes through a register of its own.
pub(super) fn positive(cx: &mut Cx<'_, '_>, i: usize) -> Rule<Src> {
    let (source, negated) = cx.predicate(i)?;
    if !negated {
        return Ok(source);
    }
    let register = cx.lowering.new_register(crate::ir::kernel::Width::Predicate);
    cx.pure(Some(register), &[source], mask(|a, _| !a))?;
    Ok(Src::Reg(register))
}

const NOT: Affine = affine(
    &|a: Scalar, _: Scalar, _: Scalar| {
        Some(Scalar { base: a.base.map(|b| !b), stride: a.stride.wrapping_neg(), unused: 0 })
    },
    |_: &[Class]| true,
);

/// `not`.
pub fn not(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = match ty {
        Pred => mask(|a, _| !a),
        B16 | B32 => with_affine!(warm1(|a: u32| !a), NOT),
        B64 => with_affine!(pure1(|a: u64| !a), NOT),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)
}

/// `cnot`: 1 for 0, else 0.
pub fn cnot(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = found(cx, by_type!(ty, pure1, |a| if a == 0 { 1 } else { 0 }))?;
    cx.uniform_type(ty, 1, pure)
}

#[inline(always)]
fn shifted(a: Scalar, amount: Scalar, bits: u64) -> Option<Scalar> {
    let by = amount.base[0] & 0xffff_ffff;
    let shift = |x: u64| if by >= bits { 0 } else { x << by };
    Some(Scalar { base: a.base.map(shift), stride: shift(a.stride), unused: 0 })
}

fn amount_uniform(classes: &[Class]) -> bool {
    classes[1] == Class::Uniform
}

const SHL32: Affine = affine(&|a: Scalar, b: Scalar, _: Scalar| shifted(a, b, 32), amount_uniform);
const SHL64: Affine = affine(&|a: Scalar, b: Scalar, _: Scalar| shifted(a, b, 64), amount_uniform);

/// `dst = f(a, amount)` where the amount is 32 bits wide.
fn shift(cx: &mut Cx<'_, '_>, ty: ScalarType, pure: &'static Pure) -> Rule {
    cx.operands(3)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, amount) = (cx.src(1, ty)?, cx.src(2, U32)?);
    cx.pure(dst, &[a, amount], pure)
}

/// `shl`; amounts past the width give 0.
pub fn shl(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = match ty {
        B16 | U16 | S16 => pure2(|a: u16, n: u32| a.checked_shl(n).unwrap_or(0)),
        B32 | U32 | S32 => {
            with_affine!(hot2(|a: u32, n: u32| if n > 31 { 0 } else { a << (n & 31) }), SHL32)
        }
        B64 | U64 | S64 => {
            with_affine!(warm2(|a: u64, n: u32| if n > 63 { 0 } else { a << (n & 63) }), SHL64)
        }
        _ => return Err(cx.unknown("this type")),
    };
    shift(cx, ty, pure)
}

/// `shr`; amounts past the width give 0, or the sign.
pub fn shr(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = match ty {
        B16 | U16 => pure2(|a: u16, n: u32| a.checked_shr(n).unwrap_or(0)),
        S16 => pure2(|a: i16, n: u32| a >> n.min(15)),
        B32 | U32 => hot2(|a: u32, n: u32| if n > 31 { 0 } else { a >> (n & 31) }),
        S32 => hot2(|a: i32, n: u32| a >> n.min(31)),
        B64 | U64 => warm2(|a: u64, n: u32| if n > 63 { 0 } else { a >> (n & 63) }),
        S64 => warm2(|a: i64, n: u32| a >> n.min(63)),
        _ => return Err(cx.unknown("this type")),
    };
    shift(cx, ty, pure)
}

/// `shf`: a shift across two words.
pub fn shf(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["l", "r", "clamp", "wrap"])?;
    #[inline(always)]
    fn left(a: u32, b: u32, n: u32) -> u32 {
        (((u64::from(b) << 32 | u64::from(a)) << n) >> 32) as u32
    }
    #[inline(always)]
    fn right(a: u32, b: u32, n: u32) -> u32 {
        ((u64::from(b) << 32 | u64::from(a)) >> n) as u32
    }
    let pure = match (cx.has("l"), cx.has("wrap")) {
        (true, true) => pure3(|a: u32, b: u32, n: u32| left(a, b, n & 31)),
        (true, false) => pure3(|a: u32, b: u32, n: u32| left(a, b, n.min(32))),
        (false, true) => pure3(|a: u32, b: u32, n: u32| right(a, b, n & 31)),
        (false, false) => pure3(|a: u32, b: u32, n: u32| right(a, b, n.min(32))),
    };
    cx.uniform_type(B32, 3, pure)
}

/// The result type is 32 bits for a source of `ty`.
fn to_word(cx: &mut Cx<'_, '_>, ty: ScalarType, pure: &'static Pure) -> Rule {
    cx.operands(2)?;
    let dst = cx.dst_of(0, U32)?;
    let a = cx.src(1, ty)?;
    cx.pure(dst, &[a], pure)
}

/// `popc`.
pub fn popc(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    match cx.ty()? {
        B32 => to_word(cx, B32, pure1(|a: u32| a.count_ones())),
        B64 => to_word(cx, B64, pure1(|a: u64| a.count_ones())),
        _ => Err(cx.unknown("this type")),
    }
}

/// `clz`.
pub fn clz(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    match cx.ty()? {
        B32 => to_word(cx, B32, pure1(|a: u32| a.leading_zeros())),
        B64 => to_word(cx, B64, pure1(|a: u64| a.leading_zeros())),
        _ => Err(cx.unknown("this type")),
    }
}

/// `brev`.
pub fn brev(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = match ty {
        B32 => pure1(|a: u32| a.reverse_bits()),
        B64 => pure1(|a: u64| a.reverse_bits()),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(ty, 1, pure)
}

/// `bfind`: the highest set bit (the highest bit unlike the sign), all ones if there is none.
pub fn bfind(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["shiftamt"])?;
    fn find(bits: u64, width: u32, amount: bool) -> u32 {
        match bits {
            0 => u32::MAX,
            _ if amount => bits.leading_zeros() - (64 - width),
            _ => 63 - bits.leading_zeros(),
        }
    }
    let ty = cx.ty()?;
    let pure = match (ty, cx.has("shiftamt")) {
        (U32, false) => pure1(|a: u32| find(u64::from(a), 32, false)),
        (U32, true) => pure1(|a: u32| find(u64::from(a), 32, true)),
        (S32, false) => pure1(|a: i32| find(u64::from((a ^ (a >> 31)) as u32), 32, false)),
        (S32, true) => pure1(|a: i32| find(u64::from((a ^ (a >> 31)) as u32), 32, true)),
        (U64, false) => pure1(|a: u64| find(a, 64, false)),
        (U64, true) => pure1(|a: u64| find(a, 64, true)),
        (S64, false) => pure1(|a: i64| find((a ^ (a >> 63)) as u64, 64, false)),
        (S64, true) => pure1(|a: i64| find((a ^ (a >> 63)) as u64, 64, true)),
        _ => return Err(cx.unknown("this type")),
    };
    to_word(cx, ty, pure)
}

/// Position and length are bytes for 32 bits, and whole words for 64, whose code is a few shifts.
fn field(pos: u32, len: u32, width: u32) -> (u32, u32) {
    if width == 32 { (pos & 0xff, len & 0xff) } else { (pos.min(255), len.min(255)) }
}

fn extract(a: u64, pos: u32, len: u32, width: u32, signed: bool) -> u64 {
    let (pos, len) = field(pos, len, width);
    let msb = width - 1;
    if len == 0 {
        return 0;
    }
    let sign = signed && a >> (pos + len - 1).min(msb) & 1 != 0;
    let field = if pos > msb { 0 } else { a >> pos };
    let kept = if len >= 64 { field } else { field & ((1 << len) - 1) };
    let have = (width.saturating_sub(pos)).min(len);
    if sign && have < 64 { kept | u64::MAX << have } else { kept }
}

/// `bfe`.
pub fn bfe(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    let ty = cx.ty()?;
    let pure = match ty {
        U32 => pure3(|a: u32, p: u32, l: u32| extract(u64::from(a), p, l, 32, false) as u32),
        S32 => pure3(|a: u32, p: u32, l: u32| extract(u64::from(a), p, l, 32, true) as u32),
        U64 => pure3(|a: u64, p: u32, l: u32| extract(a, p, l, 64, false)),
        S64 => pure3(|a: u64, p: u32, l: u32| extract(a, p, l, 64, true)),
        _ => return Err(cx.unknown("this type")),
    };
    cx.operands(4)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, p, l) = (cx.src(1, ty)?, cx.src(2, U32)?, cx.src(3, U32)?);
    cx.pure(dst, &[a, p, l], pure)
}

/// `bfi`: four sources; position and length are packed into one register first.
pub fn bfi(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    fn insert(a: u64, b: u64, field: u32, width: u32) -> u64 {
        let (pos, len) = (field & 0xff, field >> 8 & 0xff);
        if pos >= width || len == 0 {
            return b;
        }
        let ones = if len >= 64 { u64::MAX } else { (1 << len) - 1 };
        let mask = ones << pos;
        (b & !mask) | (a << pos & mask)
    }
    let ty = cx.ty()?;
    let pure = match ty {
        B32 => pure3(|a: u32, b: u32, f: u32| insert(u64::from(a), u64::from(b), f, 32) as u32),
        B64 => pure3(|a: u64, b: u64, f: u32| insert(a, b, f, 64)),
        _ => return Err(cx.unknown("this type")),
    };
    cx.operands(5)?;
    let dst = cx.dst_of(0, ty)?;
    let (a, b) = (cx.src(1, ty)?, cx.src(2, ty)?);
    let (p, l) = (cx.src(3, U32)?, cx.src(4, U32)?);
    let field = cx.lowering.new_register(crate::ir::kernel::Width::Word);
    let packed = if ty == B32 {
        pure2(|p: u32, l: u32| (p & 0xff) | (l & 0xff) << 8)
    } else {
        pure2(|p: u32, l: u32| p.min(255) | l.min(255) << 8)
    };
    cx.pure(Some(field), &[p, l], packed)?;
    cx.pure(dst, &[a, b, Src::Reg(field)], pure)
}

/// `bmsk`: a mask of some bits from a position.
pub fn bmsk(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["clamp", "wrap"])?;
    let pure = if cx.has("wrap") {
        pure2(|a: u32, b: u32| {
            let ones = (1u64 << (b & 31)) - 1;
            (ones << (a & 31)) as u32
        })
    } else {
        pure2(|a: u32, b: u32| {
            let ones = (1u64 << b.min(32)) - 1;
            if a > 31 { 0 } else { (ones << a) as u32 }
        })
    };
    cx.uniform_type(B32, 2, pure)
}

/// `szext`: a value cut to some bits, extended by its sign or not.
pub fn szext(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["clamp", "wrap"])?;
    fn extend(a: u32, bits: u32, signed: bool) -> u32 {
        match (bits, signed) {
            (0, _) => 0,
            (32.., _) => a,
            (_, false) => a & ((1 << bits) - 1),
            (_, true) => (((a << (32 - bits)) as i32) >> (32 - bits)) as u32,
        }
    }
    let ty = cx.ty()?;
    let pure = match (ty, cx.has("wrap")) {
        (U32, true) => pure2(|a: u32, b: u32| extend(a, b & 31, false)),
        (U32, false) => pure2(|a: u32, b: u32| extend(a, b, false)),
        (S32, true) => pure2(|a: u32, b: u32| extend(a, b & 31, true)),
        (S32, false) => pure2(|a: u32, b: u32| extend(a, b, true)),
        _ => return Err(cx.unknown("this type")),
    };
    cx.uniform_type(B32, 2, pure)
}

/// `fns`: the n-th set bit from a base.
pub fn fns(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    fn find(mask: u32, base: u32, offset: i32) -> u32 {
        if base > 31 {
            return u32::MAX;
        }
        let step: i32 = if offset < 0 { -1 } else { 1 };
        let mut left = if offset == 0 { 1 } else { offset.unsigned_abs() };
        let mut at = base as i32;
        while (0..32).contains(&at) {
            if mask >> at & 1 != 0 {
                left -= 1;
                if left == 0 {
                    return at as u32;
                }
            }
            if offset == 0 {
                break;
            }
            at += step;
        }
        u32::MAX
    }
    cx.uniform_type(B32, 3, pure3(|m: u32, b: u32, o: i32| find(m, b, o)))
}

/// `prmt`: four bytes picked from eight.
pub fn prmt(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"])?;
    #[inline(always)]
    fn pick(bytes: u64, selector: u32) -> u32 {
        let byte = (bytes >> (8 * (selector & 7))) as u8;
        let sign = (byte as i8 >> 7) as u8;
        u32::from(if selector & 8 != 0 { sign } else { byte })
    }
    #[inline(always)]
    fn four(a: u32, b: u32, selectors: [u32; 4]) -> u32 {
        let bytes = u64::from(b) << 32 | u64::from(a);
        (0..4).fold(0, |word, i| word | pick(bytes, selectors[i]) << (8 * i))
    }
    let mode = cx.instruction.modifiers.iter().find(|m| *m != "b32").cloned();
    let pure = match mode.as_deref() {
        None => pure3(|a: u32, b: u32, c: u32| {
            four(a, b, [c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15])
        }),
        Some("f4e") => {
            pure3(|a: u32, b: u32, c: u32| four(a, b, [0, 1, 2, 3].map(|i| (i + (c & 3)) & 7)))
        }
        Some("b4e") => {
            pure3(|a: u32, b: u32, c: u32| four(a, b, [0, 7, 6, 5].map(|i| (i + (c & 3)) & 7)))
        }
        Some("rc8") => pure3(|a: u32, b: u32, c: u32| four(a, b, [c & 3; 4])),
        Some("ecl") => {
            pure3(|a: u32, b: u32, c: u32| four(a, b, [0, 1, 2, 3].map(|i: u32| i.max(c & 3))))
        }
        Some("ecr") => {
            pure3(|a: u32, b: u32, c: u32| four(a, b, [0, 1, 2, 3].map(|i: u32| i.min(c & 3))))
        }
        Some("rc16") => pure3(|a: u32, b: u32, c: u32| {
            let h = 2 * (c & 1);
            four(a, b, [h, h + 1, h, h + 1])
        }),
        Some(_) => return Err(cx.unknown("this mode")),
    };
    cx.uniform_type(B32, 3, pure)
}

/// `lop3`: any function of three bits, as a table. The table goes through a constant operand.
pub fn lop3(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&["or", "and"])?;
    let combining = cx.has("or") || cx.has("and");
    cx.operands(if combining { 6 } else { 5 })?;
    let Operand::Immediate(table) = *cx.operand(4)? else {
        return Err(cx.unknown("the table is not a literal"));
    };
    let table = super::immediate_bits(table, B32) as u32 & 0xff;
    let (dst, truth) = match cx.operand(0)?.clone() {
        Operand::Pair(d, p) if combining => (cx.destination(&d)?, cx.destination(&p)?),
        _ if combining => return Err(cx.unknown("`d|p` is expected")),
        _ => (cx.dst_of(0, B32)?, None),
    };
    let (a, b, c) = (cx.src(1, B32)?, cx.src(2, B32)?, cx.src(3, B32)?);
    // Split on `a`: each half of the table is a function of two bits.
    let half = |bits: u32| Src::Const(u64::from(bits & 15));
    let two = warm3(|b: u32, c: u32, t: u32| {
        let term = |i: u32, x: u32| if t >> i & 1 != 0 { x } else { 0 };
        term(0, !b & !c) | term(1, !b & c) | term(2, b & !c) | term(3, b & c)
    });
    let (zero, one) = (
        cx.lowering.new_register(crate::ir::kernel::Width::Word),
        cx.lowering.new_register(crate::ir::kernel::Width::Word),
    );
    cx.pure(Some(zero), &[b, c, half(table)], two)?;
    cx.pure(Some(one), &[b, c, half(table >> 4)], two)?;
    let joined = hot3(|a: u32, x: u32, y: u32| (a & x) | (!a & y));
    if !combining {
        return cx.pure(dst, &[a, Src::Reg(one), Src::Reg(zero)], joined);
    }
    // Whether any bit is set, combined with a predicate.
    let with = positive(cx, 5)?;
    let result = cx.lowering.new_register(crate::ir::kernel::Width::Word);
    cx.pure(Some(result), &[a, Src::Reg(one), Src::Reg(zero)], joined)?;
    let any = cx.lowering.new_register(crate::ir::kernel::Width::Predicate);
    cx.pure(Some(any), &[Src::Reg(result)], pure1(|a: u32| a != 0))?;
    let both = if cx.has("or") { mask(|a, b| a | b) } else { mask(|a, b| a & b) };
    cx.pure(truth, &[Src::Reg(any), with], both)?;
    cx.pure(dst, &[Src::Reg(result)], pure1(|a: u32| a))
}
