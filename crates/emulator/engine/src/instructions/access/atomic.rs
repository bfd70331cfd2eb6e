//! Atomics and asynchronous copies, lane after lane.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::access::plan;
use crate::instructions::alu::atomic::replace;
use crate::machine::context::{Context, fault, recover};
use crate::machine::handler::Body;
use crate::machine::lanes::{addresses, fetch_cold, put_cold};
use crate::machine::slot::{BITS, Lanes};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_ptx_ir::kernel::MemorySpace;

/// An atomic, lane after lane.
pub struct Atomic;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Atomic {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `plan` checked the bytes of every active lane; `op` was assembled for this warp's register file
        // (`Body::run`), so its slots are in it.
        unsafe {
            let site = warp.site(op.c);
            let bytes = (*site).bytes;
            let mut host = Lanes([0u64; 32]);
            if let Err(null) = plan(op, warp, site, u64::from(bytes), &mut host) {
                return null;
            }
            let operand = |i: usize| {
                (*site).data[i].map_or(Lanes([0; 32]), |slot| fetch_cold::<u64>(warp, slot))
            };
            let (b, c) = (operand(0), operand(1));
            let combine = (*site).combine.unwrap_or(|m, _, _| m);
            let mut old = Lanes([0u64; 32]);
            for i in 0..32 {
                if warp.mask & BITS[i] == 0 {
                    continue;
                }
                let to = host.0[i] as *mut u8;
                old.0[i] = replace(to, bytes, |m| combine(m, b.0[i], c.0[i]));
            }
            if let Some(slot) = (*site).data[2] {
                put_cold(warp, slot, old);
            }
            op.leave()
        }
    }
}

/// An exchange or compare-and-swap of 128 bits, lane by lane. Its kernels run their blocks one after another
/// ([`lanework_ptx_ir::kernel::Kernel::ordered_blocks`]), so that no other worker can access one half in between.
pub struct AtomicQuad;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for AtomicQuad {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        const BYTES: usize = 16;
        // SAFETY: `plan` checked the bytes of every active lane; `op` was assembled for this warp's register file
        // (`Body::run`), so its slots are in it.
        unsafe {
            let site = warp.site(op.c);
            let mut host = Lanes([0u64; 32]);
            if let Err(null) = plan(op, warp, site, BYTES as u64, &mut host) {
                return null;
            }
            let operand = |i: usize| (*site).data[i].map(|slot| fetch_cold::<u64>(warp, slot));
            let [low, high, new_low, new_high] = [0, 1, 2, 3].map(operand);
            let mut old = [Lanes([0u64; 32]); 2];
            for lane in (0..32usize).filter(|lane| warp.mask & BITS[*lane] != 0) {
                let half = |of: &Option<Lanes<u64>>| of.as_ref().map_or(0, |of| of.0[lane]);
                let to = host.0[lane] as *mut u8;
                let mut bytes = [0u8; BYTES];
                guest::read_bytes(to, &mut bytes);
                let held = u128::from_le_bytes(bytes);
                (old[0].0[lane], old[1].0[lane]) = (held as u64, (held >> 64) as u64);
                let given = u128::from(half(&low)) | u128::from(half(&high)) << 64;
                let other = u128::from(half(&new_low)) | u128::from(half(&new_high)) << 64;
                // An exchange has two halves, a compare-and-swap four.
                let new = match new_low {
                    None => given,
                    Some(_) if held == given => other,
                    Some(_) => held,
                };
                guest::write_bytes(to, &new.to_le_bytes());
            }
            for (slot, old) in (&(*site).data)[4..6].iter().zip(old) {
                if let Some(slot) = slot {
                    put_cold(warp, *slot, old);
                }
            }
            op.leave()
        }
    }
}

/// `cp.async`: from global to shared memory, the rest filled with zeros.
pub struct AsyncCopy;

/// In the immediate of an [`AsyncCopy`]: it is observed.
pub const OBSERVED: u64 = 1 << 8;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for AsyncCopy {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; `lane_host`
        // checks the source and the target of each lane before the copy.
        unsafe {
            let bytes = op.imm & 0xff;
            let (to, from) = (addresses(warp, op.b, 0), addresses(warp, op.c, 0));
            let have = fetch_cold::<u32>(warp, op.d);
            if op.imm & OBSERVED != 0 {
                let place = (*warp.context).place(warp, op);
                let instrument = (*warp.context).hook.any();
                instrument.copy(warp, place, bytes as u32, [&to.0, &from.0], &have.0);
            }
            for lane in 0..32u32 {
                if warp.mask >> lane & 1 == 0 {
                    continue;
                }
                let i = lane as usize;
                let read = u64::from(have.0[i]).min(bytes);
                let context: &Context = &*warp.context;
                let target =
                    context.lane_host(MemorySpace::Shared, warp.index, lane, to.0[i], bytes);
                let source = if read == 0 {
                    Some(std::ptr::null_mut())
                } else {
                    context.lane_host(MemorySpace::Global, warp.index, lane, from.0[i], read)
                };
                let aligned = |a: u64| a & (bytes - 1) == 0;
                let bad = |space: MemorySpace, address: u64| RawFault {
                    kind: if aligned(address) {
                        FaultKind::OutOfBounds
                    } else {
                        FaultKind::Misaligned
                    },
                    lane,
                    address: Some(address),
                    bytes: bytes as u32,
                    space,
                    access: None,
                    note: String::new(),
                };
                let target = match target {
                    Some(target) if aligned(to.0[i]) => Ok(target),
                    _ => recover(warp, op, bad(MemorySpace::Shared, to.0[i])),
                };
                let source = match source {
                    Some(source) if read == 0 || aligned(from.0[i]) => Ok(source),
                    _ => recover(warp, op, bad(MemorySpace::Global, from.0[i])),
                };
                let (target, source) = match (target, source) {
                    (Ok(target), Ok(source)) => (target, source),
                    (Err(raw), _) | (_, Err(raw)) => return fault(warp, op, raw),
                };
                let mut buffer = [0u8; 16];
                if read > 0 {
                    guest::read_bytes(source, &mut buffer[..read as usize]);
                }
                guest::write_bytes(target, &buffer[..bytes as usize]);
            }
            op.leave()
        }
    }
}
