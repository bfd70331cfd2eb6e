//! Operations that an instrument inserts before instructions, with their data, and the handlers that notify an instrument of
//! instructions and of synchronization of a warp.

use crate::fault::{FaultKind, RawFault};
use crate::instrument::step_view::{StepVerdict, StepView};
use crate::machine::context::{Body, Tiers, fault};
use crate::machine::lanes::fetch_cold;
use crate::machine::{Op, Warp};
use lanework_ptx_ir::kernel::{MemorySpace, Scope, SyncAnnotation};
use lanework_ptx_ir::opcode::memory::ShuffleMode;
use std::any::Any;

/// Notifies the instrument of the PTX instruction that follows.
pub struct Event;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Event {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the worker owns the context and the instrument for as long as its warps run (`Body::run`), and the
        // handler holds no other reference to them.
        unsafe {
            let context = warp.context;
            let place = (*context).place(warp, op);
            (*context).hook.any().instruction(place, warp.mask);
            op.next(warp)
        }
    }
}

/// Asks the instrument whether the launch continues with the PTX instruction that follows.
pub struct StepCall;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`fault`).
unsafe impl Body for StepCall {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        // SAFETY: the worker owns the context, the instrument and its counter of steps for as long as its warps run
        // (`Body::run`), and the handler holds no other reference to them. The operation falls through.
        let verdict = unsafe {
            let context = warp.context;
            let counter = (*context).hook.steps;
            let number = (*counter).next;
            (*counter).next = number + 1;
            if number < (*counter).seen {
                return op.next(warp);
            }
            let place = (*context).place(warp, op);
            let verdict = (*context).hook.any().step(&StepView::new(warp, place, number));
            (*counter).seen = match verdict {
                StepVerdict::UntilStep(step) => step,
                StepVerdict::Stop => 0,
            };
            // A step that does not run is not counted.
            (*counter).next -= u64::from(verdict == StepVerdict::Stop);
            verdict
        };
        if verdict == StepVerdict::Stop {
            let note = "an instrument stopped the launch".to_owned();
            let space = MemorySpace::Generic;
            return fault(
                warp,
                op,
                RawFault::of_lanes(FaultKind::InstructionLimit, space, warp.mask, note),
            );
        }
        // SAFETY: this operation falls through.
        unsafe { op.next(warp) }
    }
}

/// Notifies the instrument of an annotation: an instruction that synchronizes the warp, or has requirements
/// on its lanes. The immediate is the annotation, packed.
pub struct Annotation;

// SAFETY: `run` returns what `Op::next` gives, or null after the warp was stopped (`stop_at`, `fault`).
unsafe impl Body for Annotation {
    unsafe fn run(op: &Op, warp: &mut Warp) -> *const Op {
        if warp.mask != warp.live {
            warp.retire();
        }
        // SAFETY: the worker owns the context and the instrument for as long as its warps run (`Body::run`), and the
        // handler holds no other reference to them; `op` was assembled for this warp's register file (`Body::run`), so
        // its slots are in it.
        unsafe {
            let context = warp.context;
            let instruction = (*context).place(warp, op).instruction;
            let slots = [op.b, op.c, op.d];
            let operand = |i: usize| fetch_cold::<u32>(warp, slots[i]);
            let instrument = (*context).hook.any();
            let note = unpacked(op.imm);
            instrument.synchronization(warp, instruction, note, &operand);
            if note == SyncAnnotation::WarpSync {
                warp.exchange = None;
            }
            op.next(warp)
        }
    }
}

/// Defines [`packed`] and [`unpacked`] from one table: the number of each annotation. An annotation that is missing from the
/// table, or a number that occurs twice, does not compile.
macro_rules! packing {
    (
        $($number:literal: $constant:ident $(($field:path))?,)*
        with a count: $($of_count:literal: $counted:ident,)*
    ) => {
        /// An annotation as an immediate: its number, and above it its count.
        #[deny(unreachable_patterns)]
        pub fn packed(note: SyncAnnotation) -> u64 {
            match note {
                $(SyncAnnotation::$constant $(($field))? => $number,)*
                $(SyncAnnotation::$counted(count) => $of_count | u64::from(count) << 8,)*
            }
        }

        #[deny(unreachable_patterns)]
        fn unpacked(imm: u64) -> SyncAnnotation {
            match imm & 0xff {
                $($number => SyncAnnotation::$constant $(($field))?,)*
                $($of_count => SyncAnnotation::$counted((imm >> 8) as u32),)*
                number => unreachable!("no annotation has number {number}"),
            }
        }
    };
}

packing! {
    0: WarpSync,
    1: Members,
    2: Shuffle(ShuffleMode::Up),
    3: Shuffle(ShuffleMode::Down),
    4: Shuffle(ShuffleMode::Butterfly),
    5: Shuffle(ShuffleMode::Index),
    6: Fence(Scope::Block),
    7: Fence(Scope::Cluster),
    8: Fence(Scope::Device),
    9: InitFence,
    10: ProxyFence,
    11: Commit,
    12: ProductFence,
    13: ProductCommit,
    16: Fence(Scope::System),
    with a count:
    14: ProductWait,
    15: Wait,
}

/// An operation that an instrument has inserted.
pub struct Inserted {
    /// The handler.
    pub tiers: Tiers,
    /// Its immediate: mostly the address of data that lives as long as the [`Plan`].
    pub imm: u64,
}

/// The operation inserted before a memory instruction.
pub enum BeforeAccess {
    /// The instrument's general operation.
    General,
    /// A specialized one in place of the general one, with the same operands and immediate.
    Special(Tiers),
    /// A specialized one, with the operands of the general one; the immediate is the address of data.
    Own(Inserted),
    /// None: an earlier operation has reported the access.
    Nothing,
}

/// The operations that an instrument inserts into a kernel, and the data that they refer to.
///
/// # Safety
/// The engine runs the operations without a check. For each [`Inserted`], the handlers must accept an operation with this
/// immediate: if it is an address, the data must live at that address for as long as the plan and have the type that the
/// handlers take it for. Handlers in [`BeforeAccess::Special`] and [`BeforeAccess::Own`] must accept the operands that
/// [`Instrument::access_operation`](crate::instrument::Instrument::access_operation) lists.
pub unsafe trait Plan: Any + Send + Sync {
    /// The operations inserted before an instruction, by its index in the kernel.
    fn before(&self, instruction: usize) -> Vec<Inserted>;
    /// The operation inserted before a memory instruction; `scalar` is true if its address is in scalar form.
    fn before_access(&self, instruction: usize, scalar: bool) -> BeforeAccess;
    /// The addresses of its data: every immediate of an operation of its own is one of them.
    fn addresses(&self) -> Vec<u64>;
}
