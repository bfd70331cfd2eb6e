//! Loads, stores, atomics, asynchronous copies and address conversions.

use super::access::{atomic_kind, elements, resolve, scope, space};
use super::context::{Cx, move_address};
use crate::kernel::*;
use crate::literal::immediate_bits;
use crate::lower::unsupported::Rule;
use crate::opcode::Alu;
use crate::opcode::address::AddressOp;
use crate::opcode::atomic::{AtomicKind, AtomicOp};
use crate::window::{LOCAL_WINDOW, SHARED_WINDOW};
use lanework_ptx::Operand;
use lanework_ptx::ScalarType::{self, *};

/// Modifiers that say how memory is ordered, cached or prefetched: with memory in order, none matters.
const HINTS: &[&str] = &[
    "volatile",
    "weak",
    "relaxed",
    "acquire",
    "release",
    "acq_rel",
    "sc",
    "mmio",
    "cta",
    "cluster",
    "gpu",
    "sys",
    "ca",
    "cg",
    "cs",
    "lu",
    "cv",
    "wb",
    "wt",
    "nc",
    "unified",
    "v2",
    "v4",
    "v8",
    "L1::evict_normal",
    "L1::evict_unchanged",
    "L1::evict_first",
    "L1::evict_last",
    "L1::no_allocate",
    "L2::evict_first",
    "L2::evict_last",
    "L2::evict_normal",
    "L2::64B",
    "L2::128B",
    "L2::256B",
    "L2::cache_hint",
    "entry",
    "func",
];

const SPACES: &[&str] = &[
    "global",
    "shared",
    "shared::cta",
    "shared::cluster",
    "local",
    "param",
    "param::entry",
    "param::func",
    "const",
];

fn allowed(cx: &Cx<'_, '_>, more: &[&str]) -> Rule {
    let known: Vec<&str> = HINTS.iter().chain(SPACES).chain(more).copied().collect();
    cx.allow(&known)
}

fn count(cx: &Cx<'_, '_>) -> u8 {
    [("v2", 2), ("v4", 4), ("v8", 8)].iter().find(|(v, _)| cx.has(v)).map_or(1, |(_, n)| *n)
}

fn order(cx: &Cx<'_, '_>) -> Order {
    let strong = ["volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio"];
    let strong = strong.iter().any(|word| cx.has(word));
    let release = cx.has("release") || cx.has("acq_rel");
    Order { strong: strong.then(|| scope(cx)), release, data: cx.has("volatile"), copies: 0 }
}

/// `ld` and `ldu`.
pub fn ld(cx: &mut Cx<'_, '_>) -> Rule {
    allowed(cx, &[])?;
    let (ty, count) = (cx.ty()?, count(cx));
    if ty.size() > 8 || ty == Pred {
        return Err(cx.unknown("this type"));
    }
    let (base, offset, named) = cx.address(1)?;
    let space = resolve(space(cx), named);
    let mut dst = Vec::new();
    for operand in elements(cx, 0, count)? {
        dst.push(cx.destination(&operand)?);
    }
    let volatile = cx.has("volatile") || cx.has("relaxed") || cx.has("acquire");
    let (order, part) = (order(cx), Part::Whole);
    let op = MemoryOp { kind: MemoryKind::Load, space, ty, count, offset, volatile, order, part };
    let guard = cx.guard;
    cx.lowering.emit(Action::Memory(op), dst, vec![base], guard);
    Ok(())
}

/// `st`.
pub fn st(cx: &mut Cx<'_, '_>) -> Rule {
    if cx.has("async") {
        return super::asynchrony::store(cx);
    }
    allowed(cx, &[])?;
    let (ty, count) = (cx.ty()?, count(cx));
    if ty.size() > 8 || ty == Pred {
        return Err(cx.unknown("this type"));
    }
    let (base, offset, named) = cx.address(0)?;
    let space = resolve(space(cx), named);
    if matches!(space, MemorySpace::Constant | MemorySpace::Parameter) {
        return Err(cx.unknown("a store to read-only memory"));
    }
    let mut src = vec![base];
    for operand in elements(cx, 1, count)? {
        src.push(cx.source(&operand, ty)?);
    }
    let (order, part) = (order(cx), Part::Whole);
    let volatile = false;
    let op = MemoryOp { kind: MemoryKind::Store, space, ty, count, offset, volatile, order, part };
    let guard = cx.guard;
    cx.lowering.emit(Action::Memory(op), Vec::new(), src, guard);
    Ok(())
}

const ATOMICS: &[&str] =
    &["add", "min", "max", "inc", "dec", "cas", "exch", "and", "or", "xor", "noftz"];

/// An atomic on a vector: each element is one by itself, and the vector as a whole is not.
fn vector_atomic(
    cx: &mut Cx<'_, '_>,
    address: usize,
    (base, offset, space): (Src, i64, MemorySpace),
    ty: ScalarType,
    atomic: AtomicOp,
) -> Rule {
    let count = count(cx);
    let old = if address == 1 { elements(cx, 0, count)? } else { Vec::new() };
    let mut sources = Vec::new();
    for operand in elements(cx, address + 1, count)? {
        // An operand may be among the results of an element before it.
        let source = cx.source(&operand, ty)?;
        let kept = cx.lowering.new_register(crate::lower::state::width_of(ty)?);
        cx.alu(Some(kept), &[source], super::mov::copy(ty))?;
        sources.push(Src::Reg(kept));
    }
    let order = Order { strong: Some(scope(cx)), ..order(cx) };
    cx.lowering.kernel.ordered_blocks = true;
    for (i, source) in sources.into_iter().enumerate() {
        let dst = match old.get(i) {
            Some(operand) => cx.destination(&operand.clone())?,
            None => None,
        };
        let offset = offset + i as i64 * i64::from(ty.size());
        let kind = MemoryKind::Atomic(atomic);
        let part = if i == 0 { Part::First(count) } else { Part::Rest };
        let op = MemoryOp { kind, space, ty, count: 1, offset, volatile: true, order, part };
        let guard = cx.guard;
        cx.lowering.emit(Action::Memory(op), vec![dst], vec![base, source], guard);
    }
    Ok(())
}

fn atomic(cx: &mut Cx<'_, '_>, address: usize, dst: Option<Reg>) -> Rule {
    allowed(cx, ATOMICS)?;
    let ty = cx.ty()?;
    let named = cx.instruction.modifiers.iter().find(|m| ATOMICS.contains(&m.as_str()));
    let kind = named.and_then(|modifier| atomic_kind(modifier));
    let (base, offset, named) = cx.address(address)?;
    let space = resolve(space(cx), named);
    let shared = space == MemorySpace::Shared;
    let typed = kind.and_then(|kind| Some((kind, AtomicOp::new(kind, ty, shared)?)));
    let (kind, atomic) = typed.ok_or_else(|| cx.unknown("this operation or type"))?;
    if count(cx) != 1 {
        return vector_atomic(cx, address, (base, offset, space), ty, atomic);
    }
    let mut src = vec![base, cx.src(address + 1, ty)?];
    if kind == AtomicKind::CompareAndSwap {
        src.push(cx.src(address + 2, ty)?);
    }
    let ordered = [
        AtomicKind::CompareAndSwap,
        AtomicKind::Exchange,
        AtomicKind::Increment,
        AtomicKind::Decrement,
    ];
    let commutes = !ty.is_float() && !ordered.contains(&kind);
    if !(shared || commutes && dst.is_none()) {
        cx.lowering.kernel.ordered_blocks = true;
    }
    let order = Order { strong: Some(scope(cx)), ..order(cx) };
    let (kind, part) = (MemoryKind::Atomic(atomic), Part::Whole);
    let op = MemoryOp { kind, space, ty, count: 1, offset, volatile: true, order, part };
    let guard = cx.guard;
    cx.lowering.emit(Action::Memory(op), vec![dst], src, guard);
    Ok(())
}

/// `atom`.
pub fn atom(cx: &mut Cx<'_, '_>) -> Rule {
    let dst = if count(cx) == 1 { cx.dst(0)? } else { None };
    atomic(cx, 1, dst)
}

/// `red`.
pub fn red(cx: &mut Cx<'_, '_>) -> Rule {
    if cx.has("async") {
        return super::asynchrony::store(cx);
    }
    atomic(cx, 0, None)
}

/// `cp.async` and the instructions that wait for it. A copy is done at once: that is one of the
/// orders the hardware may choose.
pub fn cp(cx: &mut Cx<'_, '_>) -> Rule {
    if cx.has("bulk") {
        return super::asynchrony::bulk(cx);
    }
    if cx.has("mbarrier") {
        return super::asynchrony::copy_arrive(cx);
    }
    if !cx.has("async") {
        return Err(cx.unknown("copies other than `cp.async`"));
    }
    if cx.has("commit_group") {
        return cx.note(Note::Commit, Vec::new());
    }
    if cx.has("wait_all") {
        return cx.note(Note::Wait(u32::MAX), Vec::new());
    }
    if cx.has("wait_group") {
        let Operand::Immediate(keep) = *cx.operand(0)? else {
            return Err(cx.unknown("the number of groups is not a literal"));
        };
        let keep = immediate_bits(keep, B32).min(u64::from(u32::MAX - 1)) as u32;
        return cx.note(Note::Wait(keep), Vec::new());
    }
    allowed(cx, &["async"])?;
    let (to, to_offset, _) = cx.address(0)?;
    let (from, from_offset, _) = cx.address(1)?;
    let Operand::Immediate(size) = *cx.operand(2)? else {
        return Err(cx.unknown("the size is not a literal"));
    };
    let bytes = immediate_bits(size, B32) as u8;
    if ![4, 8, 16].contains(&bytes) {
        return Err(cx.unknown("a size other than 4, 8 or 16"));
    }
    let have = match cx.instruction.operands.len() {
        3 => Src::Const(u64::from(bytes)),
        _ => cx.src(3, B32)?,
    };
    let (to, from) = (moved(cx, to, to_offset)?, moved(cx, from, from_offset)?);
    let guard = cx.guard;
    cx.lowering.emit(Action::AsyncCopy { bytes }, Vec::new(), vec![to, from, have], guard);
    Ok(())
}

fn moved(cx: &mut Cx<'_, '_>, base: Src, offset: i64) -> Rule<Src> {
    match base {
        Src::Reg(r) if offset != 0 => {
            let width = cx.lowering.kernel.registers[r as usize].width;
            let to = cx.lowering.new_register(width);
            cx.alu(Some(to), &[base, Src::Const(offset as u64)], displace(width))?;
            Ok(Src::Reg(to))
        }
        other => Ok(move_address(other, offset as u64)),
    }
}

/// `createpolicy`: a hint for caches.
pub fn create_policy(cx: &mut Cx<'_, '_>) -> Rule {
    let dst = cx.dst(0)?;
    cx.alu(dst, &[Src::Const(0)], Alu::copy(Width::Wide))
}

fn displace(width: Width) -> Alu {
    Alu::Address(AddressOp::Offset { wide: width == Width::Wide })
}

fn window(space: MemorySpace) -> u64 {
    match space {
        MemorySpace::Shared => SHARED_WINDOW,
        MemorySpace::Local => LOCAL_WINDOW,
        _ => 0,
    }
}

/// `cvta`: adds or subtracts the window's base.
pub fn cvta(cx: &mut Cx<'_, '_>) -> Rule {
    allowed(cx, &["to"])?;
    let ty = cx.ty()?;
    let base = window(space(cx));
    let by = if cx.has("to") { base.wrapping_neg() } else { base };
    cx.operands(2)?;
    let dst = cx.dst_of(0, ty)?;
    let a = match cx.operand(1)?.clone() {
        Operand::Name(_) | Operand::Immediate(_) | Operand::Offset(..) => cx.src(1, ty)?,
        _ => return Err(cx.unknown("the source is not a register or variable")),
    };
    if ty.size() != 8 && base != 0 {
        return Err(cx.unknown("32-bit generic addresses"));
    }
    let width = if ty.size() == 8 { Width::Wide } else { Width::Word };
    cx.alu(dst, &[a, Src::Const(by)], displace(width))
}

/// `isspacep`.
pub fn isspacep(cx: &mut Cx<'_, '_>) -> Rule {
    allowed(cx, &[])?;
    cx.operands(2)?;
    let dst = cx.dst_of(0, Pred)?;
    let a = cx.src(1, U64)?;
    if space(cx) == MemorySpace::Shared && !cx.has("shared::cluster") {
        // This block's own memory, by either of its addresses.
        let own = Src::Reg(cx.lowering.special(Special::ClusterRank, Width::Word));
        return cx.alu(dst, &[a, own], Alu::Address(AddressOp::IsOwnShared));
    }
    let op = match space(cx) {
        MemorySpace::Shared => AddressOp::IsShared,
        MemorySpace::Local => AddressOp::IsLocal,
        MemorySpace::Parameter => AddressOp::IsParameter,
        MemorySpace::Global => AddressOp::IsGlobal,
        _ => return Err(cx.unknown("this space")),
    };
    cx.alu(dst, &[a], Alu::Address(op))
}
