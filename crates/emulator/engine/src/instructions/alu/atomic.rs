//! Functions of atomics: the new value, from the word in memory and the operands.

use crate::number::narrow;
use crate::number::narrow::Narrow;
use crate::number::single::{canonical, flush, max32, min32};
use half::{bf16, f16};
use lanework_ptx_ir::opcode::integer::IntegerSize;
use lanework_ptx_ir::opcode::memory::{AtomicOp, NarrowAtomic};
use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Combines a word in memory with the instruction's operands.
pub type Combine = fn(u64, u64, u64) -> u64;

/// The function of an atomic.
pub fn combine(op: AtomicOp) -> Combine {
    match op {
        AtomicOp::Exchange => |_, b, _| b,
        AtomicOp::And => |m, b, _| m & b,
        AtomicOp::Or => |m, b, _| m | b,
        AtomicOp::Xor => |m, b, _| m ^ b,
        AtomicOp::CompareAndSwap(IntegerSize::Wide) => |m, b, c| if m == b { c } else { m },
        AtomicOp::CompareAndSwap(IntegerSize::Word) => {
            |m, b, c| if m as u32 == b as u32 { c } else { m }
        }
        AtomicOp::CompareAndSwap(IntegerSize::Half) => {
            |m, b, c| if m as u16 == b as u16 { c } else { m }
        }
        AtomicOp::Increment => |m, b, _| if m as u32 >= b as u32 { 0 } else { m + 1 },
        AtomicOp::Decrement => {
            |m, b, _| if m as u32 == 0 || m as u32 > b as u32 { b } else { m - 1 }
        }
        AtomicOp::Add => |m, b, _| m.wrapping_add(b),
        AtomicOp::Min { wide, signed } => match (wide, signed) {
            (false, false) => |m, b, _| u64::from((m as u32).min(b as u32)),
            (false, true) => |m, b, _| (m as i32).min(b as i32) as u64,
            (true, false) => |m, b, _| m.min(b),
            (true, true) => |m, b, _| (m as i64).min(b as i64) as u64,
        },
        AtomicOp::Max { wide, signed } => match (wide, signed) {
            (false, false) => |m, b, _| u64::from((m as u32).max(b as u32)),
            (false, true) => |m, b, _| (m as i32).max(b as i32) as u64,
            (true, false) => |m, b, _| m.max(b),
            (true, true) => |m, b, _| (m as i64).max(b as i64) as u64,
        },
        AtomicOp::AddSingle { flush: false } => {
            |m, b, _| bits32(canonical(f32::from_bits(m as u32) + f32::from_bits(b as u32)))
        }
        AtomicOp::AddSingle { flush: true } => |m, b, _| {
            let [m, b] = [m, b].map(|x| flush(f32::from_bits(x as u32)));
            bits32(canonical(flush(m + b)))
        },
        AtomicOp::AddDouble { quiet: true } => |m, b, _| sum64(m, b, 1 << 51),
        AtomicOp::AddDouble { quiet: false } => {
            |m, b, _| if f64::from_bits(b).is_nan() { b } else { sum64(m, b, 0) }
        }
        AtomicOp::Narrow { what, bf16, pair } => narrow_combine(what, bf16, pair),
    }
}

fn bits32(x: f32) -> u64 {
    u64::from(x.to_bits())
}

/// A sum in memory; a NaN in memory stays, with the bits of `quiet` set.
fn sum64(m: u64, b: u64, quiet: u64) -> u64 {
    let (x, y) = (f64::from_bits(m), f64::from_bits(b));
    match (x.is_nan(), y.is_nan(), (x + y).is_nan()) {
        (true, ..) => m | quiet,
        (_, true, _) => b | quiet,
        (.., true) => 0xfff8_0000_0000_0000,
        _ => (x + y).to_bits(),
    }
}

/// Sums, minima and maxima of 16-bit floats.
fn narrow_combine(what: NarrowAtomic, bf16: bool, pair: bool) -> Combine {
    macro_rules! rows {
        ($f:expr) => {
            match (bf16, pair) {
                (false, false) => |m, b, _| u64::from(f16_of(m as u16, b as u16, $f)),
                (true, false) => |m, b, _| u64::from(bf16_of(m as u16, b as u16, $f)),
                (false, true) => |m, b, _| halves(m, b, |m, b| f16_of(m, b, $f)),
                (true, true) => |m, b, _| halves(m, b, |m, b| bf16_of(m, b, $f)),
            }
        };
    }
    match what {
        NarrowAtomic::Add => rows!(|m, b| m + b),
        NarrowAtomic::Min => rows!(min32),
        NarrowAtomic::Max => rows!(max32),
    }
}

fn f16_of(m: u16, b: u16, f: impl Fn(f32, f32) -> f32) -> u16 {
    let [m, b] = [m, b].map(|x| f16::from_bits(x).widen());
    narrow::to_f16(f(m, b)).to_bits()
}

fn bf16_of(m: u16, b: u16, f: impl Fn(f32, f32) -> f32) -> u16 {
    let [m, b] = [m, b].map(|x| bf16::from_bits(x).widen());
    narrow::to_bf16(f(m, b)).to_bits()
}

fn halves(m: u64, b: u64, f: impl Fn(u16, u16) -> u16) -> u64 {
    let (low, high) = (f(m as u16, b as u16), f((m >> 16) as u16, (b >> 16) as u16));
    u64::from(narrow::pair(high, low))
}

/// Replaces the word at `host` by a function of it; returns the old one. Other workers may race for
/// it.
///
/// # Safety
/// The pointer is valid for 2, 4 or 8 bytes, aligned to their number.
pub unsafe fn replace(host: *mut u8, bytes: u8, f: impl Fn(u64) -> u64) -> u64 {
    // SAFETY: `plan` checked bounds and alignment; the host address is as aligned as the guest's,
    // for regions start at multiples of 16.
    unsafe {
        match bytes {
            2 => {
                let cell = AtomicU16::from_ptr(host.cast());
                let old = cell.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |m| {
                    Some(f(u64::from(m)) as u16)
                });
                u64::from(old.unwrap_or_default())
            }
            4 => {
                let cell = AtomicU32::from_ptr(host.cast());
                let old = cell.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |m| {
                    Some(f(u64::from(m)) as u32)
                });
                u64::from(old.unwrap_or_default())
            }
            _ => {
                let cell = AtomicU64::from_ptr(host.cast());
                let old = cell.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |m| Some(f(m)));
                old.unwrap_or_default()
            }
        }
    }
}
