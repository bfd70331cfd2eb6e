//! The state of the machine: operations, and warps that run them.

pub mod context;
pub(crate) mod divergence;
pub mod lanes;
mod merge;
mod registers;
pub mod slot;

use crate::instructions::access::site::AccessSite;
use crate::instrument::Instrument;
use crate::machine::context::Context;
use crate::machine::divergence::Exchange;
use crate::machine::slot::{OFFSET, Slot};
use lanework_ptx_ir::kernel::MemorySpace;

/// One decoded operation. `a` is the destination, `b` to `d` are sources, unless a handler documents otherwise.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Op {
    /// The handler.
    pub(crate) handler: Handler,
    /// Destination slot.
    pub a: u32,
    /// First source slot.
    pub b: u32,
    /// Second source slot.
    pub c: u32,
    /// Third source slot.
    pub d: u32,
    /// An immediate.
    pub imm: u64,
}

// Two operations share a cache line, and handlers step from one to the next by this size.
const _: () = assert!(size_of::<Op>() == 32 && align_of::<Op>() == 8);

/// The value of operands `b` to `d` in an operation that ends its lanes, and in a reconvergence point before one. No
/// slot has this value.
pub const ENDS: u32 = u32::MAX - 1;

impl Op {
    /// Whether lanes that reach this operation exit immediately.
    pub fn ends(&self) -> bool {
        self.b == ENDS && self.c == ENDS && self.d == ENDS
    }

    /// Runs the next operation: its handler is called in tail position, which an optimized build turns into a jump. The
    /// assembler breaks long chains, so that the stack stays shallow even if the call does not become a jump; an
    /// unoptimized build returns to the loop instead.
    ///
    /// # Safety
    /// As for [`Handler`]; this operation falls through.
    #[inline(always)]
    pub unsafe fn next(&self, warp: &mut Warp) -> *const Op {
        // SAFETY: this operation falls through, and the last one of every program does not (`assemble` ends it with
        // `Exit`): there is a next one.
        unsafe {
            let next = std::ptr::from_ref(self).add(1);
            if cfg!(debug_assertions) { next } else { ((*next).handler)(&*next, warp) }
        }
    }

    /// Returns the next operation to the loop. For handlers with a large frame: a compiler does not turn
    /// their call of the next handler into a jump, and a chain of such frames would overflow the stack.
    ///
    /// # Safety
    /// This operation falls through.
    #[inline(always)]
    pub unsafe fn leave(&self) -> *const Op {
        // SAFETY: this operation falls through, and the last one of every program does not (`assemble` ends it with
        // `Exit`): there is a next one.
        unsafe { std::ptr::from_ref(self).add(1) }
    }
}

/// Runs an operation and returns the next, or null when the warp stops (`Warp::stop` says why).
///
/// # Safety
/// The operation and the ones it can lead to were assembled for the register file of this warp.
pub type Handler = unsafe fn(&Op, &mut Warp) -> *const Op;

/// Why a warp stopped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    /// It has not.
    #[default]
    Running,
    /// It waits at a barrier.
    Barrier,
    /// All its lanes have exited.
    Done,
    /// It faulted; the context holds the fault.
    Fault,
    /// Its time slice is over.
    Yield,
    /// It waits for something that only others can change; it retries the same operation.
    Wait,
    /// It waits for other lanes of its warp.
    Converge,
    /// It waits until all of its lanes can execute this operation together.
    Align,
    /// A scalar form overflowed: continues at the same operation with every register varying.
    Widen,
    /// It has signaled other warps, which run before its next access.
    Signal,
}

/// An entry of the reconvergence stack (SIMT stack; Fung et al., "Dynamic Warp Formation and Scheduling for Efficient
/// GPU Control Flow", 2007): lanes of a diverged warp that wait for others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReconvergenceEntry {
    /// Where it continues.
    pub pc: u32,
    /// Its lanes.
    pub mask: u32,
    /// Its own reconvergence PC, or [`NO_RECONVERGENCE`].
    pub reconvergence_pc: u32,
}

/// No reconvergence PC: the lanes run to their exit.
pub const NO_RECONVERGENCE: u32 = u32::MAX;

/// Maximum entries of the reconvergence stack: each split leaves at most two entries, and 32 lanes split at most 31 times.
pub const DEPTH: usize = 64;

/// One warp of a running block. Only the scheduler makes warps; code outside of this crate borrows them while they run.
pub struct Warp {
    /// The register file.
    pub(crate) regs: *mut u8,
    /// Lanes that execute now.
    pub mask: u32,
    /// Lanes that have not exited.
    pub live: u32,
    /// The reconvergence PC: where the executing lanes wait for those on the stack.
    pub(crate) reconvergence_pc: u32,
    /// The mask to restore after a guarded operation.
    pub(crate) unguarded: u32,
    /// Whether it is in a guarded operation.
    pub(crate) guarded: bool,
    /// The operations, first to last.
    pub(crate) ops: *const Op,
    /// PTX instructions executed.
    pub instructions: u64,
    /// PTX instructions times lanes.
    pub lane_instructions: u64,
    /// `instructions` at which the time slice ends.
    pub(crate) slice_end: u64,
    /// Branches at which the warp split.
    pub divergent_branches: u64,
    /// The worker's context.
    pub(crate) context: *mut Context,
    /// The context's memory instructions.
    pub(crate) sites: *mut AccessSite,
    /// Why it stopped.
    pub(crate) stop: Stop,
    /// The operation where it stopped, for continuing or reporting.
    pub(crate) stopped_at: *const Op,
    /// The lanes that waited when it stopped with [`Stop::Wait`].
    pub(crate) waiting: u32,
    /// Where they waited.
    pub(crate) waits_at: *const Op,
    /// No other warp can run: its next poll may end early, as if it had timed out.
    pub(crate) poll_expires: bool,
    /// Its index in the block.
    pub index: u32,
    /// Whether it runs the all-varying form.
    pub(crate) widened: bool,
    /// Whether its lanes are scheduled independently, as several splits; the warp runs one of them.
    pub(crate) independent: bool,
    /// Whether the lanes that an operation waits for will never arrive.
    pub(crate) alone: bool,
    /// Contributions of lanes of other splits to the warp's next collective instruction.
    pub(crate) exchange: Option<Box<Exchange>>,
    /// Entries of the reconvergence stack.
    pub(crate) depth: usize,
    /// The reconvergence stack.
    pub(crate) stack: [ReconvergenceEntry; DEPTH],
}

impl Warp {
    /// A warp before its first block.
    pub(crate) fn new(index: u32) -> Warp {
        Warp {
            regs: std::ptr::null_mut(),
            mask: 0,
            live: 0,
            reconvergence_pc: NO_RECONVERGENCE,
            unguarded: 0,
            guarded: false,
            ops: std::ptr::null(),
            instructions: 0,
            lane_instructions: 0,
            slice_end: 0,
            divergent_branches: 0,
            context: std::ptr::null_mut(),
            sites: std::ptr::null_mut(),
            stop: Stop::Running,
            stopped_at: std::ptr::null(),
            waiting: 0,
            waits_at: std::ptr::null(),
            poll_expires: false,
            index,
            widened: false,
            independent: false,
            alone: false,
            exchange: None,
            depth: 0,
            stack: [ReconvergenceEntry::default(); DEPTH],
        }
    }

    /// The host address of a slot.
    ///
    /// # Safety
    /// The slot is in the register file.
    #[inline(always)]
    pub unsafe fn at(&self, slot: Slot) -> *mut u8 {
        // SAFETY: the slot is in the register file, as this function requires.
        unsafe { self.regs.add((slot & OFFSET) as usize) }
    }

    /// The host address of a slot whose form is known.
    ///
    /// # Safety
    /// The slot is in the register file and has that form.
    #[inline(always)]
    pub unsafe fn known(&self, slot: Slot, form: Slot) -> *mut u8 {
        // SAFETY: the slot is in the register file and has this form, so that its offset is `slot - form`.
        unsafe { self.regs.add(slot as usize).sub(form as usize) }
    }

    /// The site at a byte offset among the sites.
    ///
    /// # Safety
    /// The offset is one that the assembler gave.
    #[inline(always)]
    pub unsafe fn site(&self, offset: u32) -> *mut AccessSite {
        // SAFETY: the assembler gives offsets of sites of this code, and the context has a copy of each.
        unsafe { self.sites.byte_add(offset as usize) }
    }

    /// The run's instrument, for operations that it has inserted.
    ///
    /// # Safety
    /// The warp runs code that was assembled for an instrument of this type, and no other reference to the instrument exists
    /// until `'a` ends.
    #[inline(always)]
    pub unsafe fn instrument<'a, I: Instrument>(&self) -> &'a mut I {
        // SAFETY: the scheduler started the warp: its worker owns context and instrument for longer than the run. `I`
        // is the instrument's type and no other reference exists, as this function requires.
        unsafe { (*self.context).hook.typed::<I>() }
    }

    /// The instruction of the kernel that an operation belongs to.
    ///
    /// # Safety
    /// The operation is one of those that the warp runs, not a copy.
    #[inline(always)]
    pub unsafe fn instruction(&self, op: &Op) -> u32 {
        // SAFETY: a warp outside of this crate was started by the scheduler, whose worker owns the context for longer than
        // the run.
        unsafe { (*self.context).place(self, op).instruction }
    }

    /// The host address of one lane's access, or `None` when it is out of bounds.
    pub fn lane_host(
        &self,
        space: MemorySpace,
        lane: u32,
        address: u64,
        bytes: u64,
    ) -> Option<*mut u8> {
        // SAFETY: a warp outside of this crate was started by the scheduler, whose worker owns the context for longer than
        // the run; only `&self` is used, and `lane_host` checks the bounds.
        unsafe { &*self.context }.lane_host(space, self.index, lane, address, bytes)
    }

    /// Puts the warp at the start of a block with these lanes.
    pub(crate) fn start(&mut self, lanes: u32, ops: *const Op) {
        self.mask = lanes;
        self.live = lanes;
        self.reconvergence_pc = NO_RECONVERGENCE;
        self.guarded = false;
        self.ops = ops;
        self.stopped_at = ops;
        self.depth = 0;
        self.stop = Stop::Running;
        self.widened = false;
        self.independent = false;
        self.alone = false;
        self.exchange = None;
        self.poll_expires = false;
    }

    /// Stops at `op`.
    #[inline(always)]
    pub(crate) fn stop_at(&mut self, op: *const Op, why: Stop) -> *const Op {
        self.stop = why;
        self.stopped_at = op;
        std::ptr::null()
    }

    /// Whether its time slice may end before the current operation: not within a guarded instruction.
    pub fn can_pause(&self) -> bool {
        !self.guarded
    }

    /// Ends the time slice before an operation, which runs in the warp's next one. Returns null, for the operation's handler
    /// to return.
    pub fn pause_at(&mut self, op: &Op) -> *const Op {
        self.stop_at(op, Stop::Signal)
    }

    /// The operation at `pc`.
    ///
    /// # Safety
    /// `pc` is less than the number of operations.
    #[inline(always)]
    pub unsafe fn op(&self, pc: u32) -> *const Op {
        // SAFETY: `pc` is less than the number of operations, as this function requires.
        unsafe { self.ops.add(pc as usize) }
    }

    /// The index of an operation of this warp.
    pub(crate) fn pc(&self, op: *const Op) -> u32 {
        ((op as usize - self.ops as usize) / size_of::<Op>()) as u32
    }

    /// Runs until the warp stops.
    ///
    /// # Safety
    /// The warp was started with operations assembled for its register file, and its context is live.
    pub(crate) unsafe fn run(&mut self) -> Stop {
        let mut op = self.stopped_at;
        self.stop = Stop::Running;
        while !op.is_null() {
            // SAFETY: `start` and `stop_at` set `stopped_at` to an operation of the code that the warp was started
            // with, and `Body::run` returns null or an operation of the same code.
            op = unsafe { ((*op).handler)(&*op, self) };
        }
        self.stop
    }
}
