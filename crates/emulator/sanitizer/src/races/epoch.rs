//! Epochs, after FastTrack (Flanagan and Freund 2009): a shadow cell names an access by its thread and that
//! thread's clock, in place of a whole vector clock.
//!
//! An [`Epoch`] is the part of one warp's run between two synchronisations. It has a number; a
//! [`PackedEpoch`] holds that number, the lane, the instruction and the kind of the access in 64 bits,
//! which is what shadow memory stores. Lanes share their warp's clock; the lane bits tell them apart,
//! since lockstep is not promised.
//!
//! *Limits.* 2^32 epochs in a launch; instructions beyond 2^19 of a kernel share numbers, which can only
//! misname the other access of a report.
//!
//! *Invariant.* Numbers grow in the order in which epochs begin, so that in the shared memory of a seat
//! those of earlier clusters are below the first of this one.

/// An access in 64 bits, from the high bits down: the number of its epoch (32), the size of an atomic (2),
/// flags (5), its lane (5), another flag, its instruction (19). 0 stands for none.
pub type PackedEpoch = u64;

/// BlockAndCluster the lane is.
pub const LANE_SHIFT: u32 = 20;
/// The bits of the instruction.
const INSTRUCTION: u32 = (1 << 19) - 1;
/// The bits of the lane.
pub const LANES: PackedEpoch = 31 << LANE_SHIFT;
/// The bits that name a thread and its epoch.
const THREAD: PackedEpoch = 0xffff_ffff << 32 | LANES;
/// A strong access with at least block scope.
pub const STRONG: PackedEpoch = 1 << 25;
/// A strong access whose scope is wider than the block: the cluster at least.
pub const CLUSTER_SCOPE: PackedEpoch = 1 << 19;
/// One whose scope is the device: it has [`CLUSTER_SCOPE`], too.
pub const DEVICE_SCOPE: PackedEpoch = 1 << 26;
/// A strong access of each scope.
pub const STRONG_OF_DEVICE: PackedEpoch = STRONG | CLUSTER_SCOPE | DEVICE_SCOPE;
/// An access by the asynchronous proxy that nobody has waited for.
pub const ASYNC: PackedEpoch = 1 << 27;
/// A write that reads what it replaces: an atomic, whose size is in [`SIZE`].
pub const ATOMIC: PackedEpoch = 1 << 28;
/// A strong read whose thread goes on from the value that it saw, while nothing has replaced that value.
pub const OBSERVED: PackedEpoch = 1 << 28;
/// A `.volatile` access to data, see [`lanework_ptx_ir::kernel::Order`].
pub const DATA: PackedEpoch = 1 << 29;

/// The size of an atomic: only atomics of one size are atomic to each other.
pub const SIZE: PackedEpoch = 3 << 30;

/// The size of an atomic of so many bytes, in its place.
#[inline(always)]
pub fn size_of_atomic(bytes: u8) -> PackedEpoch {
    PackedEpoch::from(bytes.max(2).ilog2() - 1) << 30 & SIZE
}

/// A write that a copy made and that was waited for.
pub const COPIED: PackedEpoch = 1 << 30;

/// Whether a write was made by a copy, and not by an atomic of some size.
#[inline(always)]
pub fn is_copied(write: PackedEpoch) -> bool {
    write & (ATOMIC | SIZE) == COPIED
}

/// The part of one warp's run between two synchronisations.
#[derive(Clone, Copy, Debug)]
pub struct Epoch {
    /// Linear index of the block.
    pub block: u64,
    /// The warp in it that acted.
    pub warp: u32,
    /// Its index in vector clocks: another one for asynchronous copies, which count as warps of their
    /// own.
    pub slot: u32,
    /// The cluster, counted through the launch.
    pub cluster: u32,
    /// The warp's clock.
    pub clock: u32,
    /// The lanes that took part in each of its accesses.
    pub lanes: u32,
}

/// Packs the number of an epoch and an instruction; lane 0, see [`with_lane`].
#[inline(always)]
pub fn pack(number: u32, instruction: u32) -> PackedEpoch {
    u64::from(number) << 32 | u64::from(instruction & INSTRUCTION)
}

/// The access of another lane: adds it to one of lane 0.
#[inline(always)]
pub fn with_lane(access: PackedEpoch, lane: u32) -> PackedEpoch {
    access | u64::from(lane) << LANE_SHIFT
}

/// The number of the epoch.
#[inline(always)]
pub fn number(access: PackedEpoch) -> u32 {
    (access >> 32) as u32
}

/// The lane.
#[inline(always)]
pub fn lane(access: PackedEpoch) -> u32 {
    (access >> LANE_SHIFT) as u32 & 31
}

/// The instruction.
#[inline(always)]
pub fn instruction(access: PackedEpoch) -> u32 {
    access as u32 & INSTRUCTION
}

/// Whether two accesses are of one thread, with no synchronisation in between.
#[inline(always)]
pub fn same_thread(a: PackedEpoch, b: PackedEpoch) -> bool {
    (a ^ b) & THREAD == 0
}
