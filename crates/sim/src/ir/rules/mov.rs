//! `mov`: copies, parts of registers, and the clocks.

use super::Cx;
use super::integer::with_affine;
use crate::engine::lanes::Scalar;
use crate::engine::op::Tiers;
use crate::engine::pure::{Affine, Pure, affine, hot1, pure1, pure2, warm1};
use crate::ir::kernel::{Action, Form, Src, Width};
use crate::ir::lower::Rule;
use crate::ir::uniformity::Class;
use lanework_ptx::Operand;
use lanework_ptx::ScalarType::{self, *};

pub(super) fn always(_: &[Class]) -> bool {
    true
}

pub(super) const COPY: Affine = affine(&|a: Scalar, _: Scalar, _: Scalar| Some(a), always);

/// The row that copies a register.
pub(super) fn copy(ty: ScalarType) -> &'static Pure {
    match ty {
        Pred => crate::engine::pure::mask(|a, _| a),
        ty if ty.size() == 8 => with_affine!(warm1(|a: u64| a), COPY),
        _ => with_affine!(hot1(|a: u32| a), COPY),
    }
}

/// `mov`, also to and from vectors of parts.
pub fn mov(cx: &mut Cx<'_, '_>) -> Rule {
    cx.allow(&[])?;
    cx.operands(2)?;
    let ty = cx.ty()?;
    match (cx.operand(0)?.clone(), cx.operand(1)?.clone()) {
        (Operand::Vector(parts), _) => unpack(cx, ty, &parts),
        (_, Operand::Vector(parts)) => pack(cx, ty, &parts),
        (_, Operand::Name(name)) if clock_form(&name).is_some() => clock(cx, &name),
        _ => {
            let dst = cx.dst_of(0, ty)?;
            let a = cx.src(1, ty)?;
            cx.pure(dst, &[a], copy(ty))?;
            if ty.size() == 4 {
                cx.copies_nan();
            }
            Ok(())
        }
    }
}

/// Which word of which clock a special register reads: extra for the handler.
fn clock_form(name: &str) -> Option<u32> {
    Some(match name {
        "%clock" | "%clock64" => 0,
        "%clock_hi" => 1,
        "%globaltimer" | "%globaltimer_lo" => 2,
        "%globaltimer_hi" => 3,
        _ => return None,
    })
}

fn clock(cx: &mut Cx<'_, '_>, name: &str) -> Rule {
    let dst = cx.dst(0)?;
    let extra = clock_form(name).unwrap_or(0);
    let handler = Tiers::cold::<crate::engine::cross::Clock>();
    let guard = cx.guard;
    let action = Action::Custom { handler, form: Form::Uniform, extra };
    cx.lowering.emit(action, vec![dst], Vec::new(), guard);
    Ok(())
}

fn part_type(cx: &Cx<'_, '_>, ty: ScalarType, parts: usize) -> Rule<ScalarType> {
    match (ty.size() as usize, parts) {
        (8, 2) => Ok(B32),
        (8, 4) | (4, 2) => Ok(B16),
        (4, 4) | (2, 2) => Ok(B8),
        (8, 8) => Ok(B8),
        _ => Err(cx.unknown("this number of parts")),
    }
}

fn unpack(cx: &mut Cx<'_, '_>, ty: ScalarType, parts: &[Operand]) -> Rule {
    let part = part_type(cx, ty, parts.len())?;
    let mut a = cx.src(1, ty)?;
    // The source may be one of the destinations.
    if let Src::Reg(_) = a {
        let wide = ty.size() == 8;
        let saved = cx.lowering.new_register(if wide { Width::Wide } else { Width::Word });
        cx.pure(Some(saved), &[a], copy(ty))?;
        a = Src::Reg(saved);
    }
    for (i, operand) in parts.iter().enumerate() {
        let dst = cx.destination(operand)?;
        if dst.is_none() {
            continue;
        }
        let amount = Src::Const(u64::from(part.size()) * 8 * i as u64);
        let pure = match (ty.size(), part) {
            (8, B32) => pure2(|a: u64, n: u32| (a >> (n & 63)) as u32),
            (8, B16) => pure2(|a: u64, n: u32| (a >> (n & 63)) as u16),
            (8, _) => pure2(|a: u64, n: u32| (a >> (n & 63)) as u8),
            (_, B16) => pure2(|a: u32, n: u32| (a >> (n & 31)) as u16),
            _ => pure2(|a: u32, n: u32| (a >> (n & 31)) as u8),
        };
        cx.pure(dst, &[a, amount], pure)?;
    }
    Ok(())
}

fn pack(cx: &mut Cx<'_, '_>, ty: ScalarType, parts: &[Operand]) -> Rule {
    let part = part_type(cx, ty, parts.len())?;
    let dst = cx.dst_of(0, ty)?;
    let wide = ty.size() == 8;
    let mut sources = Vec::new();
    for operand in parts {
        sources.push(cx.source(operand, part)?);
    }
    let bits = u64::from(part.size()) * 8;
    let mut sum = sources[0];
    for (i, source) in sources.iter().enumerate().skip(1) {
        let last = i + 1 == sources.len();
        let width = if wide { Width::Wide } else { Width::Word };
        let to = if last { dst } else { Some(cx.lowering.new_register(width)) };
        // Each part goes on top of the `bits * i` low bits already there.
        let pure = match (wide, bits * i as u64) {
            (true, 8) => pure2(|a: u8, b: u64| u64::from(a) | b << 8),
            (true, 16) => pure2(|a: u16, b: u64| u64::from(a) | b << 16),
            (true, 24) => pure2(|a: u64, b: u64| (a & 0xff_ffff) | b << 24),
            (true, 32) => pure2(|a: u32, b: u64| u64::from(a) | b << 32),
            (true, 40) => pure2(|a: u64, b: u64| (a & 0xff_ffff_ffff) | b << 40),
            (true, 48) => pure2(|a: u64, b: u64| (a & 0xffff_ffff_ffff) | b << 48),
            (true, _) => pure2(|a: u64, b: u64| (a & 0xff_ffff_ffff_ffff) | b << 56),
            (false, 8) => pure2(|a: u8, b: u32| u32::from(a) | b << 8),
            (false, 16) => pure2(|a: u16, b: u32| u32::from(a) | b << 16),
            (false, _) => pure2(|a: u32, b: u32| (a & 0xff_ffff) | b << 24),
        };
        // A part narrower than what it is shifted into must not carry rubbish above its bits.
        let clean = match part {
            B8 => Some(pure1(|a: u8| a)),
            B16 => Some(pure1(|a: u16| a)),
            _ => None,
        };
        let mut source = *source;
        if let (Some(clean), Src::Reg(_), false) = (clean, source, last) {
            let register = cx.lowering.new_register(Width::Word);
            cx.pure(Some(register), &[source], clean)?;
            source = Src::Reg(register);
        }
        cx.pure(to, &[sum, source], pure)?;
        if let Some(to) = to {
            sum = Src::Reg(to);
        }
    }
    Ok(())
}
