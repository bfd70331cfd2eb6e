//! `malloc` and `free` of kernels: a heap in device memory of the size that CUDA gives by default.
//!
//! What it knows of itself lies in the heap, so that it lasts from launch to launch: at the start the
//! offset of the end, the number of blocks that are free and where to look for one; before each block
//! its size and state. A kernel can overwrite all that, so every step is checked.

use crate::context::{Context, RawFault, fault};
use crate::fault::FaultKind;
use crate::ir::MemorySpace;
use crate::lanes::{BITS, Lanes, Sink, Source};
use crate::op::{Body, Op, Warp};

/// Bytes of the heap.
pub const BYTES: u64 = 8 << 20;
/// What the heap is called in messages, and among a program's variables: no PTX has such a name.
pub const NAME: &str = "the heap of `malloc`";

/// Where the first block starts.
const FIRST: u64 = 32;
/// Bytes before a block's contents.
const HEAD: u64 = 16;
/// Blocks that are looked at before a new one is made.
const LOOKS: usize = 64;
const USED: u64 = 1;
const FREE: u64 = 2;

/// The words that an empty heap starts with.
pub fn empty() -> Vec<u8> {
    [FIRST, 0, FIRST, 0].iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The heap as one lane sees it.
struct Heap<'a> {
    context: &'a Context,
    base: u64,
}

impl Heap<'_> {
    fn host(&self, offset: u64) -> Option<*mut u64> {
        let at = self.base.checked_add(offset).filter(|_| offset <= BYTES - 8)?;
        let host = self.context.lane_host(MemorySpace::Global, 0, 0, at, 8)?;
        Some(host.cast())
    }

    fn read(&self, offset: u64) -> Option<u64> {
        // SAFETY: `lane_host` checked the eight bytes.
        Some(unsafe { self.host(offset)?.read_unaligned() })
    }

    fn write(&self, offset: u64, value: u64) -> Option<()> {
        // SAFETY: as above; blocks run one after the other where a kernel allocates.
        unsafe { self.host(offset)?.write_unaligned(value) }
        Some(())
    }

    /// The address of a new block, or `None` when there is no room.
    fn allocate(&self, bytes: u64) -> Option<u64> {
        let bytes = bytes.max(1).checked_next_multiple_of(16).filter(|bytes| *bytes < BYTES)?;
        let (end, free) = (self.read(0)?, self.read(8)?);
        let mut at = self.read(16)?;
        for _ in 0..if free > 0 { LOOKS } else { 0 } {
            if at >= end || at < FIRST {
                at = FIRST;
            }
            let (size, state) = (self.read(at)?, self.read(at + 8)?);
            if state == FREE && size >= bytes {
                self.write(at + 8, USED)?;
                self.write(8, free - 1)?;
                self.write(16, at)?;
                return Some(self.base + at + HEAD);
            }
            at = at.checked_add(HEAD)?.checked_add(size)?;
        }
        self.write(16, at)?;
        let next = end.checked_add(HEAD + bytes).filter(|next| *next <= BYTES)?;
        self.write(end, bytes)?;
        self.write(end + 8, USED)?;
        self.write(0, next)?;
        Some(self.base + end + HEAD)
    }

    /// Whether there was such a block in use.
    fn release(&self, address: u64) -> Option<()> {
        let at = address.checked_sub(self.base)?.checked_sub(HEAD)?;
        if at < FIRST || at >= self.read(0)? || self.read(at + 8)? != USED {
            return None;
        }
        self.write(at + 8, FREE)?;
        let free = self.read(8)?;
        self.write(8, free.wrapping_add(1))
    }
}

/// `malloc(b) -> a` in the heap at `c`, lane after lane; null when there is no room.
pub struct Malloc;

impl Body for Malloc {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: slots are valid by the assembler; the context outlives the warp's run.
        unsafe {
            let (sizes, bases) = (u64::fetch(warp, op.b), u64::fetch(warp, op.c));
            let mut results = Lanes([0u64; 32]);
            (*warp.context).disturb();
            for i in 0..32 {
                if warp.mask & BITS[i] != 0 {
                    let heap = Heap { context: &*warp.context, base: bases.0[i] };
                    results.0[i] = heap.allocate(sizes.0[i]).unwrap_or(0);
                }
            }
            u64::put(warp, op.a, results);
            op.next(warp)
        }
    }
}

/// `free(b)` in the heap at `c`, lane after lane; null is let be.
pub struct Free;

impl Body for Free {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: as above.
        unsafe {
            let (addresses, bases) = (u64::fetch(warp, op.b), u64::fetch(warp, op.c));
            (*warp.context).disturb();
            for lane in 0..32u32 {
                let i = lane as usize;
                let heap = Heap { context: &*warp.context, base: bases.0[i] };
                let address = addresses.0[i];
                if warp.mask & BITS[i] == 0 || address == 0 || heap.release(address).is_some() {
                    continue;
                }
                let raw = RawFault {
                    kind: FaultKind::BadArguments,
                    lane,
                    address: None,
                    bytes: 0,
                    space: MemorySpace::Global,
                    access: None,
                    note: format!("`free` of {address:#x}, which `malloc` did not give or is free"),
                };
                return fault(warp, op, raw);
            }
            // The result goes nowhere, but a destination is there.
            u64::put(warp, op.a, Lanes([0; 32]));
            op.next(warp)
        }
    }
}
