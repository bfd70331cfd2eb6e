//! Handlers that notify an instrument of instructions and of synchronization of a warp.

use crate::machine::handler::Body;
use crate::machine::lanes::fetch_cold;
use crate::machine::{Op, Warp};
use lanework_ptx_ir::kernel::{Scope, SyncAnnotation};
use lanework_ptx_ir::opcode::sync::ShuffleMode;

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

/// An annotation as an immediate.
pub fn packed(note: SyncAnnotation) -> u64 {
    let scope = |scope: Scope| match scope {
        Scope::Block => 0,
        Scope::Cluster => 1,
        Scope::Device => 2,
    };
    let (kind, value) = match note {
        SyncAnnotation::WarpSync => (0, 0),
        SyncAnnotation::Members => (1, 0),
        SyncAnnotation::Shuffle(mode) => (2, mode as u64),
        SyncAnnotation::Fence(of) => (3, scope(of)),
        SyncAnnotation::ProxyFence => (4, 0),
        SyncAnnotation::Commit => (5, 0),
        SyncAnnotation::Wait(keep) => (6, u64::from(keep)),
        SyncAnnotation::ProductCommit => (7, 0),
        SyncAnnotation::ProductWait(keep) => (8, u64::from(keep)),
        SyncAnnotation::ProductFence => (9, 0),
        SyncAnnotation::InitFence => (10, 0),
    };
    kind | value << 8
}

const SHUFFLE_MODES: [ShuffleMode; 4] =
    [ShuffleMode::Up, ShuffleMode::Down, ShuffleMode::Butterfly, ShuffleMode::Index];

fn unpacked(imm: u64) -> SyncAnnotation {
    let value = imm >> 8;
    match imm & 0xff {
        0 => SyncAnnotation::WarpSync,
        1 => SyncAnnotation::Members,
        2 => SyncAnnotation::Shuffle(SHUFFLE_MODES[(value & 3) as usize]),
        3 => SyncAnnotation::Fence(
            [Scope::Block, Scope::Cluster, Scope::Device][(value % 3) as usize],
        ),
        4 => SyncAnnotation::ProxyFence,
        5 => SyncAnnotation::Commit,
        7 => SyncAnnotation::ProductCommit,
        8 => SyncAnnotation::ProductWait(value as u32),
        9 => SyncAnnotation::ProductFence,
        10 => SyncAnnotation::InitFence,
        _ => SyncAnnotation::Wait(value as u32),
    }
}
