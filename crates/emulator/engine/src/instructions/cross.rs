//! Handlers of lane exchange and of the clock.
//!
//! Operations here keep destinations in `a` and the low half of `imm`, and the number of their mode in its high half.

use crate::assemble::shape::{
    Immediate, MAYBE_TRUTH, MAYBE_VALUE, MAYBE_VARYING, OperandKind, Shape, TEST, VALUE, VARYING,
};
use crate::instructions::allocate::{Free, Malloc};
use crate::instructions::print::Print;
use crate::machine::context::{Body, Tiers};
use crate::machine::lanes::{Source, fetch_cold, mask_of, put_cold, put_warm};
use crate::machine::slot::{BITS, Elem, Lanes, NO_SLOT, SCALAR, Scalar, Slot};
use crate::machine::{Op, Warp};
use lanework_ptx_ir::opcode::memory::{ShuffleMode, VoteMode, WarpOp, WarpReduction};
use std::mem::MaybeUninit;

fn second(op: &Op) -> Slot {
    op.imm as u32
}

fn extra(op: &Op) -> u32 {
    (op.imm >> 32) as u32
}

/// Writes one value to all active lanes.
///
/// # Safety
/// The slot is a register of the warp, or [`NO_SLOT`].
unsafe fn put_same<T: Elem>(warp: &mut Warp, slot: Slot, value: T) {
    if slot == NO_SLOT {
        return;
    }
    // SAFETY: the slot is in this warp's register file, as this function requires.
    unsafe {
        if slot & SCALAR != 0 {
            let base = [value.to64(); 2];
            *warp.at(slot).cast::<Scalar>() = Scalar { base, stride: 0, unused: 0 };
        } else {
            put_cold(warp, slot, Lanes([value; 32]));
        }
    }
}

/// Writes predicate bits of the active lanes; a uniform predicate is written whole.
///
/// # Safety
/// The slot is a predicate's, or [`NO_SLOT`].
pub unsafe fn put_predicate(warp: &mut Warp, slot: Slot, bits: u32) {
    if slot == NO_SLOT {
        return;
    }
    // SAFETY: the slot is a predicate in this warp's register file, as this function requires.
    unsafe {
        let at = warp.at(slot).cast::<u32>();
        *at = if slot & SCALAR != 0 {
            if bits & warp.mask != 0 { u32::MAX } else { 0 }
        } else {
            (*at & !warp.mask) | (bits & warp.mask)
        };
    }
}

/// # Safety
/// The slot is a register of the warp, or [`NO_SLOT`].
unsafe fn put_lanes(warp: &mut Warp, slot: Slot, lanes: Lanes<u32>) {
    if slot != NO_SLOT {
        // SAFETY: the slot is in this warp's register file, as this function requires.
        unsafe { put_cold(warp, slot, lanes) }
    }
}

/// `mov` of `%clock` and similar registers. The clock counts the warp's instructions; the timer counts nanoseconds
/// of an assumed 1 GHz clock. Both are the same in every run.
pub struct Clock;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Clock {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
        let ahead = unsafe { (*warp.context).clock_ahead };
        let now = (warp.instructions + u64::from(op.d)).wrapping_add(ahead);
        let value = if extra(op) & 1 != 0 { now >> 32 } else { now };
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
        unsafe {
            put_same(warp, op.a, value);
            op.next(warp)
        }
    }
}

/// `shfl`; `AVX2` where the host has it.
pub struct Shuffle<const AVX2: bool>;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl<const AVX2: bool> Body for Shuffle<AVX2> {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
        unsafe {
            let mut copies = [const { MaybeUninit::uninit() }; 3];
            let [own, copy, other] = &mut copies;
            let a = if warp.exchange.is_some() {
                let values = fetch_cold::<u32>(warp, op.b);
                &*own.write(warp.brought(values).0)
            } else {
                u32::view(warp, op.b, own)
            };
            let operands = (u32::view(warp, op.c, copy), u32::view(warp, op.d, other));
            let (from, inside) = match extra(op) {
                0 => sources(operands, |i, amount, _, highest| {
                    (i.wrapping_sub(amount), i as i32 - amount as i32 >= highest as i32)
                }),
                1 => sources(operands, |i, n, _, highest| (i + n, i + n <= highest)),
                2 => sources(operands, |i, n, _, highest| (i ^ n, i ^ n <= highest)),
                _ => sources(operands, |i, amount, segment, highest| {
                    let from = (i & segment) | (amount & !segment);
                    (from, from <= highest)
                }),
            };
            #[cfg(target_arch = "x86_64")]
            let out = if AVX2 { brought_avx2(a, &from) } else { brought(a, &from) };
            #[cfg(not(target_arch = "x86_64"))]
            let out = brought(a, &from);
            if op.a != NO_SLOT {
                put_warm(warp, op.a, out);
            }
            put_predicate(warp, second(op), inside);
            op.leave()
        }
    }
}

/// The lane that each lane of a shuffle reads, and the lanes whose source is in their segment; the other lanes
/// read their own value. `place` computes the source and whether it is in the segment, from the
/// lane, the amount, the bits of the segment, and the segment's last lane (its first for `.up`).
#[inline(always)]
fn sources(
    (b, c): (&Lanes<u32>, &Lanes<u32>),
    place: impl Fn(u32, u32, u32, u32) -> (u32, bool),
) -> (Lanes<u32>, u32) {
    let (mut from, mut outside) = (Lanes([0; 32]), Lanes([0; 32]));
    for i in 0..32 {
        let (lane, limit, segment) = (i as u32, c.0[i] & 31, c.0[i] >> 8 & 31);
        let highest = (lane & segment) | (limit & !segment);
        let (at, ok) = place(lane, b.0[i] & 31, segment, highest);
        from.0[i] = if ok { at } else { lane };
        outside.0[i] = if ok { 0 } else { BITS[i] };
    }
    let mut none = 0;
    for i in 0..32 {
        none |= outside.0[i];
    }
    (from, !none)
}

/// The values of other lanes.
#[inline(always)]
fn brought(a: &Lanes<u32>, from: &Lanes<u32>) -> Lanes<u32> {
    let mut out = Lanes([0; 32]);
    for i in 0..32 {
        out.0[i] = a.0[from.0[i] as usize & 31];
    }
    out
}

/// The same by permutations within 8 lanes: collected one by one, the values would stall the next wide read.
///
/// # Safety
/// The host has AVX2.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn brought_avx2(a: &Lanes<u32>, from: &Lanes<u32>) -> Lanes<u32> {
    use std::arch::x86_64::{
        _mm256_blendv_ps, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_load_si256,
        _mm256_permutevar8x32_epi32, _mm256_slli_epi32, _mm256_store_si256,
    };
    let mut out = Lanes([0; 32]);
    // SAFETY: the host has AVX2, as this function requires; arrays of lanes have 4 vectors and are aligned to 64 bytes.
    unsafe {
        let a = a.0.as_ptr();
        let vector = |i: usize| _mm256_load_si256(a.add(8 * i).cast());
        let (zero, one, two, three) = (vector(0), vector(1), vector(2), vector(3));
        for i in 0..4 {
            // The low three bits pick a lane of a vector, the next two bits the vector.
            let at = _mm256_load_si256(from.0.as_ptr().add(8 * i).cast());
            let low = _mm256_castsi256_ps(_mm256_slli_epi32::<28>(at));
            let high = _mm256_castsi256_ps(_mm256_slli_epi32::<27>(at));
            let zero = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(zero, at));
            let one = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(one, at));
            let two = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(two, at));
            let three = _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(three, at));
            let first = _mm256_blendv_ps(zero, one, low);
            let second = _mm256_blendv_ps(two, three, low);
            let picked = _mm256_castps_si256(_mm256_blendv_ps(first, second, high));
            _mm256_store_si256(out.0.as_mut_ptr().add(8 * i).cast(), picked);
        }
    }
    out
}

/// The participating lanes that each lane's member mask names.
///
/// # Safety
/// The warp runs a handler: as for [`Body::run`].
unsafe fn members(warp: &Warp, slot: Slot, here: u32) -> Members {
    // SAFETY: a handler of this warp passes a slot of its operation (`Body::run`), which is in the warp's register file.
    let mut members = unsafe {
        if slot & SCALAR != 0 {
            let scalar = *warp.at(slot).cast::<Scalar>();
            let [low, high] = scalar.base.map(|base| base as u32 & here);
            if low == high && scalar.stride as u32 == 0 {
                return Members::Same(low);
            }
        }
        fetch_cold::<u32>(warp, slot)
    };
    for i in 0..32 {
        members.0[i] &= here;
    }
    Members::OfLanes(members)
}

/// The lanes that participate with each lane.
enum Members {
    /// The same for all lanes.
    Same(u32),
    /// Per lane.
    OfLanes(Lanes<u32>),
}

impl Members {
    fn of(&self, lane: usize) -> u32 {
        match self {
            Members::Same(group) => *group,
            Members::OfLanes(members) => members.0[lane],
        }
    }
}

/// Sets each active lane's result to `f` of the lanes that participate with it. Several groups of lanes
/// may share an instruction; mostly there is one group.
#[inline(always)]
fn by_group<T: Copy + Default>(
    mask: u32,
    members: &Members,
    mut f: impl FnMut(u32) -> T,
) -> Lanes<T> {
    let members = match members {
        Members::Same(group) => return Lanes([f(*group); 32]),
        Members::OfLanes(members) => members,
    };
    let mut out = Lanes([T::default(); 32]);
    let mut rest = mask;
    while rest != 0 {
        let group = members.0[rest.trailing_zeros() as usize & 31];
        let value = f(group);
        for i in 0..32 {
            if rest & BITS[i] != 0 && members.0[i] == group {
                out.0[i] = value;
                rest &= !BITS[i];
            }
        }
    }
    out
}

/// Writes words of the active lanes; a uniform register is written whole.
///
/// # Safety
/// The slot is a register of the warp.
unsafe fn put_words(warp: &mut Warp, slot: Slot, lanes: Lanes<u32>) {
    if slot == NO_SLOT {
        return;
    }
    // SAFETY: the slot is in this warp's register file, as this function requires.
    unsafe {
        if slot & SCALAR != 0 {
            let first = warp.mask.trailing_zeros() as usize & 31;
            put_same(warp, slot, lanes.0[first]);
        } else {
            put_warm(warp, slot, lanes);
        }
    }
}

/// `vote`.
pub struct Vote;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Vote {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
        unsafe {
            let mut bits = *warp.at(op.b).cast::<u32>();
            if extra(op) >> 8 != 0 {
                bits = !bits;
            }
            let (bits, here) = warp.brought_bits(bits);
            let members = members(warp, op.c, here);
            let mode = extra(op) & 0xff;
            let out = by_group(warp.mask, &members, |group| match mode {
                0 => u32::from(bits & group == group),
                1 => u32::from(bits & group != 0),
                2 => u32::from(bits & group == group || bits & group == 0),
                _ => bits & group,
            });
            if mode > 2 {
                put_words(warp, op.a, out);
            } else {
                let mut truth = Lanes([false; 32]);
                for i in 0..32 {
                    truth.0[i] = out.0[i] != 0;
                }
                let holds = mask_of(&truth);
                put_predicate(warp, op.a, holds);
            }
            op.next(warp)
        }
    }
}

/// `match`.
pub struct Match;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Match {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
        unsafe {
            let own = u64::fetch(warp, op.b);
            let (a, here) = warp.brought(own);
            let members = members(warp, op.c, here);
            let mut equal = Lanes([0u32; 32]);
            for i in 0..32 {
                for j in 0..32 {
                    if members.of(i) & BITS[j] != 0 && a.0[i] == a.0[j] {
                        equal.0[i] |= BITS[j];
                    }
                }
            }
            if extra(op) == 0 {
                put_lanes(warp, op.a, equal);
            } else {
                let mut agree = 0;
                for i in 0..32 {
                    let all = equal.0[i] == members.of(i);
                    agree |= u32::from(all) << i;
                    equal.0[i] = if all { members.of(i) } else { 0 };
                }
                put_lanes(warp, op.a, equal);
                put_predicate(warp, second(op), agree);
            }
            op.next(warp)
        }
    }
}

/// `activemask`.
pub struct ActiveMask;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for ActiveMask {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        let mask = warp.mask;
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
        unsafe {
            put_same(warp, op.a, mask);
            op.next(warp)
        }
    }
}

/// `elect`.
pub struct Elect;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Elect {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
        unsafe {
            let (_, here) = warp.brought(Lanes([0u32; 32]));
            let members = members(warp, op.b, here);
            let leader = by_group(warp.mask, &members, |group| group.trailing_zeros() & 31);
            let mut elected = 0;
            for i in 0..32 {
                elected |= u32::from(leader.0[i] == i as u32) << i;
            }
            put_lanes(warp, op.a, leader);
            put_predicate(warp, second(op), elected);
            op.next(warp)
        }
    }
}

/// Mode of [`Redux`]: the sum.
pub const REDUX_ADD: u32 = 0;
/// Unsigned minimum.
pub const REDUX_MIN_U: u32 = 1;
/// Unsigned maximum.
pub const REDUX_MAX_U: u32 = 2;
/// Signed minimum.
pub const REDUX_MIN_S: u32 = 3;
/// Signed maximum.
pub const REDUX_MAX_S: u32 = 4;
/// Bitwise and.
pub const REDUX_AND: u32 = 5;
/// Bitwise or.
pub const REDUX_OR: u32 = 6;
/// Bitwise exclusive or.
pub const REDUX_XOR: u32 = 7;

/// `redux`.
pub struct Redux;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Redux {
    #[inline(always)]
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it.
        unsafe {
            let own = fetch_cold::<u32>(warp, op.b);
            let (a, here) = warp.brought(own);
            let members = members(warp, op.c, here);
            let mode = extra(op);
            let out = by_group(warp.mask, &members, |group| match mode {
                REDUX_ADD => fold(&a, group, 0, u32::wrapping_add),
                REDUX_MIN_U => fold(&a, group, u32::MAX, u32::min),
                REDUX_MAX_U => fold(&a, group, 0, u32::max),
                REDUX_MIN_S => {
                    fold(&a, group, i32::MAX as u32, |a, b| (a as i32).min(b as i32) as u32)
                }
                REDUX_MAX_S => {
                    fold(&a, group, i32::MIN as u32, |a, b| (a as i32).max(b as i32) as u32)
                }
                REDUX_AND => fold(&a, group, u32::MAX, |a, b| a & b),
                REDUX_OR => fold(&a, group, 0, |a, b| a | b),
                _ => fold(&a, group, 0, |a, b| a ^ b),
            });
            put_words(warp, op.a, out);
            op.leave()
        }
    }
}

/// Combines the values of a group's lanes by a function with this neutral element.
#[inline(always)]
fn fold(a: &Lanes<u32>, group: u32, neutral: u32, f: impl Fn(u32, u32) -> u32) -> u32 {
    (0..32).fold(neutral, |sum, i| f(sum, if group & BITS[i] != 0 { a.0[i] } else { neutral }))
}

/// The handler of an opcode, and the number that selects its mode.
pub fn handler(op: WarpOp) -> (Tiers, u32) {
    match op {
        WarpOp::Shuffle(mode) => {
            (Tiers::large::<Shuffle<true>, Shuffle<false>>(), shuffle_mode(mode))
        }
        WarpOp::Vote { mode, negated } => {
            let mode = match mode {
                VoteMode::All => 0,
                VoteMode::Any => 1,
                VoteMode::Uniform => 2,
                VoteMode::Ballot => 3,
            };
            (Tiers::large::<Vote, Vote>(), mode | u32::from(negated) << 8)
        }
        WarpOp::Match { all } => (Tiers::cold::<Match>(), u32::from(all)),
        WarpOp::ActiveMask => (Tiers::cold::<ActiveMask>(), 0),
        WarpOp::Elect => (Tiers::cold::<Elect>(), 0),
        WarpOp::Reduce(how) => {
            let mode = match how {
                WarpReduction::Add => REDUX_ADD,
                WarpReduction::MinUnsigned => REDUX_MIN_U,
                WarpReduction::MaxUnsigned => REDUX_MAX_U,
                WarpReduction::MinSigned => REDUX_MIN_S,
                WarpReduction::MaxSigned => REDUX_MAX_S,
                WarpReduction::And => REDUX_AND,
                WarpReduction::Or => REDUX_OR,
                WarpReduction::Xor => REDUX_XOR,
            };
            (Tiers::large::<Redux, Redux>(), mode)
        }
        WarpOp::Clock { high } => (Tiers::cold::<Clock>(), u32::from(high)),
        WarpOp::Print => (Tiers::cold::<Print>(), 0),
        WarpOp::Malloc => (Tiers::cold::<Malloc>(), 0),
        WarpOp::Free => (Tiers::cold::<Free>(), 0),
    }
}

/// The operands of an opcode's handler.
pub fn shape(op: WarpOp) -> Shape {
    let none = OperandKind::Number;
    match op {
        WarpOp::Shuffle(_) => {
            Shape::new(MAYBE_VARYING, VALUE, VALUE, VALUE).with(Immediate::Predicate)
        }
        WarpOp::Vote { mode: VoteMode::Ballot, .. } => Shape::new(MAYBE_VALUE, TEST, VALUE, none),
        WarpOp::Vote { .. } => Shape::new(MAYBE_TRUTH, TEST, VALUE, none),
        WarpOp::Match { .. } => {
            Shape::new(MAYBE_VARYING, VALUE, VALUE, none).with(Immediate::Predicate)
        }
        WarpOp::ActiveMask | WarpOp::Clock { .. } => Shape::new(MAYBE_VALUE, none, none, none),
        WarpOp::Elect => Shape::new(MAYBE_VARYING, VALUE, none, none).with(Immediate::Predicate),
        WarpOp::Reduce(_) => Shape::new(MAYBE_VALUE, VALUE, VALUE, none),
        WarpOp::Print | WarpOp::Malloc | WarpOp::Free => Shape::new(VARYING, VALUE, VALUE, none),
    }
}

/// A mode as a number.
fn shuffle_mode(mode: ShuffleMode) -> u32 {
    match mode {
        ShuffleMode::Up => 0,
        ShuffleMode::Down => 1,
        ShuffleMode::Butterfly => 2,
        ShuffleMode::Index => 3,
    }
}
