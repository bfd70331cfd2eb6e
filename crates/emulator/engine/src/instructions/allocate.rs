//! `malloc` and `free` of kernels: a heap in device memory of the size that CUDA gives by default.
//!
//! The heap's state is in device memory, so that it persists from launch to launch. At its start are the offset of
//! the end, the number of free blocks and the position of the next search; before each block are its size, its state
//! and the requested bytes. A kernel can overwrite all of that, so every step is checked. Under an instrument,
//! blocks are far apart, and freed blocks are reused only when the heap is full.

use crate::fault::{FaultKind, RawFault};
use crate::instrument::event::{HeapEvent, Wants};
use crate::machine::context::{Body, Context, fault, recover};
use crate::machine::lanes::{Sink, Source};
use crate::machine::slot::{BITS, Lanes};
use crate::machine::{Op, Warp};
use crate::memory::guest;
use lanework_ptx_ir::kernel::MemorySpace;
pub use lanework_ptx_ir::lower::state::HEAP as NAME;

/// Bytes of the heap.
pub const BYTES: u64 = 8 << 20;

/// Where the first block starts.
const FIRST: u64 = 32;
/// Bytes before a block's contents.
const HEAD: u64 = 16;
/// Maximum number of blocks searched before a new one is made.
const LOOKS: usize = 64;
/// Bytes between two blocks under an instrument.
const APART: u64 = 256;
const USED: u64 = 1;
const FREE: u64 = 2;
/// Bit position of the requested bytes in the state word.
const ASKED: u32 = 8;

/// The words that an empty heap starts with.
pub fn empty() -> Vec<u8> {
    [FIRST, 0, FIRST, 0].iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A block of a heap.
pub struct Block {
    /// Offset of its contents.
    pub offset: u64,
    /// The bytes asked for.
    pub bytes: u64,
    /// Whether it has not been freed.
    pub used: bool,
}

/// The blocks of a heap, up to the first inconsistency.
///
/// # Safety
/// `data` must be valid for that many bytes; concurrent writes to them are guest accesses.
pub unsafe fn blocks(data: *const u8, bytes: u64) -> Vec<Block> {
    let read = |offset: u64| {
        let inside = offset <= bytes.saturating_sub(8);
        inside.then(|| {
            let mut word = [0; 8];
            // SAFETY: `offset` is at most `bytes - 8`, so the eight bytes are among the `bytes` that are readable at
            // `data`, as this function requires.
            unsafe { guest::read_bytes(data.add(offset as usize), &mut word) };
            u64::from_le_bytes(word)
        })
    };
    let mut found = Vec::new();
    let (mut at, end) = (FIRST, read(0).unwrap_or(0).min(bytes));
    while at < end {
        let (Some(size), Some(state)) = (read(at), read(at + 8)) else { break };
        let used = state & 0xff == USED;
        found.push(Block { offset: at + HEAD, bytes: state >> ASKED, used });
        let Some(next) = at.checked_add(HEAD).and_then(|at| at.checked_add(size)) else { break };
        at = next;
    }
    found
}

/// The heap as one lane sees it.
struct Heap<'a> {
    context: &'a Context,
    base: u64,
}

/// The outcome of `free`.
enum Freed {
    Block,
    /// It was already free.
    Twice,
    /// No block starts there.
    None,
}

impl Heap<'_> {
    fn host(&self, offset: u64) -> Option<*mut u8> {
        let at = self.base.checked_add(offset).filter(|_| offset <= BYTES - 8)?;
        self.context.lane_host(MemorySpace::Global, 0, 0, at, 8)
    }

    fn read(&self, offset: u64) -> Option<u64> {
        let mut word = [0; 8];
        // SAFETY: `lane_host` checked the eight bytes.
        unsafe { guest::read_bytes(self.host(offset)?, &mut word) };
        Some(u64::from_le_bytes(word))
    }

    fn write(&self, offset: u64, value: u64) -> Option<()> {
        // SAFETY: `lane_host` checked the eight bytes.
        unsafe { guest::write_bytes(self.host(offset)?, &value.to_le_bytes()) }
        Some(())
    }

    /// The address of a new block, or `None` when there is no room.
    fn allocate(&self, asked: u64) -> Option<u64> {
        let bytes = asked.max(1).checked_next_multiple_of(16).filter(|bytes| *bytes < BYTES)?;
        let end = self.read(0)?;
        let apart = self.context.hook.wants(Wants::HEAP);
        let room = |bytes: u64| end.checked_add(HEAD + bytes).filter(|next| *next <= BYTES);
        let reuse = match apart && room(bytes + APART).is_some() {
            true => None,
            false => self.reuse(bytes, asked)?,
        };
        if let Some(at) = reuse {
            return Some(self.base + at + HEAD);
        }
        let bytes = if apart { bytes + APART } else { bytes };
        let next = room(bytes)?;
        self.write(end, bytes)?;
        self.write(end + 8, USED | asked << ASKED)?;
        self.write(0, next)?;
        Some(self.base + end + HEAD)
    }

    /// Looks for a block that was freed and is large enough; `None` if the heap is corrupted.
    fn reuse(&self, bytes: u64, asked: u64) -> Option<Option<u64>> {
        let (end, free) = (self.read(0)?, self.read(8)?);
        let mut at = self.read(16)?;
        for _ in 0..if free > 0 { LOOKS } else { 0 } {
            if at >= end || at < FIRST {
                at = FIRST;
            }
            let (size, state) = (self.read(at)?, self.read(at + 8)?);
            if state & 0xff == FREE && size >= bytes {
                self.write(at + 8, USED | asked << ASKED)?;
                self.write(8, free - 1)?;
                self.write(16, at)?;
                return Some(Some(at));
            }
            at = at.checked_add(HEAD)?.checked_add(size)?;
        }
        self.write(16, at)?;
        Some(None)
    }

    /// Frees a block.
    fn release(&self, address: u64) -> Freed {
        let head = || {
            let at = address.checked_sub(self.base)?.checked_sub(HEAD)?;
            (at >= FIRST && at < self.read(0)?).then_some((at, self.read(at + 8)?))
        };
        match head() {
            Some((at, state)) if state & 0xff == USED => {
                let free = self.read(8).unwrap_or(0);
                self.write(at + 8, state - USED + FREE);
                self.write(8, free.wrapping_add(1));
                Freed::Block
            }
            Some((_, state)) if state & 0xff == FREE => Freed::Twice,
            _ => Freed::None,
        }
    }
}

/// Notifies the instrument.
fn notify(warp: &Warp, event: HeapEvent) {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`), and no other reference to it
    // exists meanwhile.
    if let Some(instrument) = unsafe { (*warp.context).instrument(Wants::HEAP) } {
        instrument.heap(event);
    }
}

/// `malloc(b) -> a` in the heap at `c`, lane after lane; null when there is no room.
pub struct Malloc;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Malloc {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; the worker
        // owns the context for as long as its warps run (`Body::run`).
        unsafe {
            let (sizes, bases) = (u64::fetch(warp, op.b), u64::fetch(warp, op.c));
            let mut results = Lanes([0u64; 32]);
            notify(warp, HeapEvent::Called);
            for i in 0..32 {
                if warp.mask & BITS[i] != 0 {
                    let heap = Heap { context: &*warp.context, base: bases.0[i] };
                    let address = heap.allocate(sizes.0[i]).unwrap_or(0);
                    results.0[i] = address;
                    if address != 0 {
                        notify(warp, HeapEvent::Allocated { address, bytes: sizes.0[i] });
                    }
                }
            }
            u64::put(warp, op.a, results);
            op.leave()
        }
    }
}

/// `free(b)` in the heap at `c`, lane by lane; null is ignored.
pub struct Free;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Free {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: `op` was assembled for this warp's register file (`Body::run`), so its slots are in it; the worker
        // owns the context for as long as its warps run (`Body::run`).
        unsafe {
            let (addresses, bases) = (u64::fetch(warp, op.b), u64::fetch(warp, op.c));
            notify(warp, HeapEvent::Called);
            for lane in 0..32u32 {
                let i = lane as usize;
                let heap = Heap { context: &*warp.context, base: bases.0[i] };
                let address = addresses.0[i];
                if warp.mask & BITS[i] == 0 || address == 0 {
                    continue;
                }
                let (kind, why) = match heap.release(address) {
                    Freed::Block => {
                        notify(warp, HeapEvent::Freed { address });
                        continue;
                    }
                    Freed::Twice => (FaultKind::UseAfterFree, "which was freed before"),
                    Freed::None => (FaultKind::BadFree, "which `malloc` did not return"),
                };
                let raw = RawFault {
                    kind,
                    lane,
                    address: Some(address),
                    bytes: 0,
                    space: MemorySpace::Global,
                    access: None,
                    note: format!("`free` of {address:#x}, {why}"),
                };
                if let Err(raw) = recover(warp, op, raw) {
                    return fault(warp, op, raw);
                }
            }
            // The result is unused, but the operation has a destination.
            u64::put(warp, op.a, Lanes([0; 32]));
            op.leave()
        }
    }
}
