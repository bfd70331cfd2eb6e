//! Packed epochs: the 64-bit names of accesses in shadow memory. Also the heads of lines of shadow
//! cells ([`LineHead`]).
//!
//! *Algorithm.* FastTrack (Flanagan and Freund, PLDI 2009): a shadow cell names an access by its
//! thread and that thread's clock, instead of a whole vector clock. An [`Epoch`] is the part of one
//! warp's execution between two synchronizations; epochs are numbered in the order in which they
//! begin. Lanes share their warp's clock; the lane bits distinguish them, since independent thread
//! scheduling does not guarantee lockstep.
//!
//! *Limits.* 2^32 epochs per launch. Instructions beyond 2^19 of a kernel share numbers, so a
//! report may name the wrong other access.

use lanework_ptx_ir::kernel::Scope;

/// An access in 64 bits, from high to low: epoch number (32), flags (7), lane (5), another flag (1),
/// instruction (19). 0 means no access.
///
/// Epochs of earlier clusters are below the first epoch of the running one, so in a block's shared
/// memory one comparison recognizes them.
pub type PackedEpoch = u64;

/// Position of the lane.
pub const LANE_SHIFT: u32 = 20;

/// Mask of the instruction.
const INSTRUCTION: u32 = (1 << 19) - 1;

/// Mask of the epoch number.
pub const EPOCH: PackedEpoch = 0xffff_ffff << 32;

/// Mask of the lane.
pub const LANES: PackedEpoch = 31 << LANE_SHIFT;

/// Mask of the bits that identify a thread and its epoch.
const THREAD: PackedEpoch = EPOCH | LANES;

/// Strong access, with at least block scope.
pub const STRONG: PackedEpoch = 1 << 25;

/// Strong access with at least cluster scope.
pub const CLUSTER_SCOPE: PackedEpoch = 1 << 19;

/// Strong access with device scope; implies [`CLUSTER_SCOPE`].
pub const DEVICE_SCOPE: PackedEpoch = 1 << 26;

/// Strong access with device scope: all three flags.
pub const STRONG_OF_DEVICE: PackedEpoch = STRONG | CLUSTER_SCOPE | DEVICE_SCOPE;

/// Access by the asynchronous proxy that no thread has waited for.
pub const ASYNC: PackedEpoch = 1 << 27;

/// Write by an atomic.
pub const ATOMIC: PackedEpoch = 1 << 28;

/// Strong read whose thread uses the value, as long as no write has replaced the value. Shares its
/// bit with [`ATOMIC`], which applies to writes.
pub const OBSERVED: PackedEpoch = 1 << 28;

/// `.volatile` access to data, see [`lanework_ptx_ir::kernel::MemoryOrder`].
pub const DATA: PackedEpoch = 1 << 29;

/// Write by a copy that was waited for, or read by the asynchronous proxy.
pub const COPIED: PackedEpoch = 1 << 30;

/// Write whose value a later write has changed, or whose thread wrote another value before it in
/// the same epoch. So even a write of the value that is now in memory races with it.
pub const REPLACED: PackedEpoch = 1 << 31;

// The fields do not overlap and fill the word; two bits have a second meaning for other accesses.
const _: () = {
    let fields = [
        INSTRUCTION as PackedEpoch,
        CLUSTER_SCOPE,
        LANES,
        STRONG,
        DEVICE_SCOPE,
        ASYNC,
        ATOMIC,
        DATA,
        COPIED,
        REPLACED,
        EPOCH,
    ];
    let (mut all, mut i) = (0, 0);
    while i < fields.len() {
        assert!(all & fields[i] == 0);
        all |= fields[i];
        i += 1;
    }
    assert!(all == PackedEpoch::MAX);
    assert!(LANES >> LANE_SHIFT == 31);
    assert!(OBSERVED == ATOMIC);
};

/// Whether an access was made by a copy.
#[inline(always)]
pub fn is_copied(access: PackedEpoch) -> bool {
    access & COPIED != 0
}

/// The part of one warp's execution between two synchronizations.
#[derive(Clone, Copy, Debug)]
pub struct Epoch {
    /// Linear index of the block.
    pub block: u64,
    /// The warp in the block that acted.
    pub warp: u32,
    /// Its index in vector clocks; asynchronous copies use separate slots.
    pub slot: u32,
    /// The cluster, numbered in the launch.
    pub cluster: u32,
    /// The warp's clock.
    pub clock: u32,
    /// The lanes that took part in all its accesses.
    pub lanes: u32,
}

/// The scope of a strong access.
pub fn scope(access: PackedEpoch) -> Option<Scope> {
    match access & STRONG_OF_DEVICE {
        0 | CLUSTER_SCOPE | DEVICE_SCOPE => None,
        STRONG => Some(Scope::Block),
        STRONG_OF_DEVICE => Some(Scope::Device),
        _ => Some(Scope::Cluster),
    }
}

/// Packs an epoch number and an instruction, for lane 0; see [`with_lane`].
#[inline(always)]
pub fn pack(number: u32, instruction: u32) -> PackedEpoch {
    u64::from(number) << 32 | u64::from(instruction & INSTRUCTION)
}

/// Sets the lane of a packed access of lane 0.
#[inline(always)]
pub fn with_lane(access: PackedEpoch, lane: u32) -> PackedEpoch {
    access | u64::from(lane) << LANE_SHIFT
}

/// The epoch number.
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

/// Whether two accesses belong to one thread and one epoch.
#[inline(always)]
pub fn same_thread(a: PackedEpoch, b: PackedEpoch) -> bool {
    (a ^ b) & THREAD == 0
}

/// Whether a write follows a write by the same thread in the same epoch, but by another
/// instruction. The first write may have stored another value, with which accesses of other threads
/// race, too.
#[inline(always)]
pub fn other_write_of_thread(prior: PackedEpoch, now: PackedEpoch) -> bool {
    prior != 0
        && same_thread(prior, now)
        && prior & REPLACED == 0
        && instruction(prior) != instruction(now)
}

/// Cells of a line: the words that half a warp accesses contiguously.
pub const LINE: usize = 16;

/// All words of a line.
pub const ALL: u32 = (1 << LINE) - 1;

/// The last writes of a line's cells.
pub type WeakWrites = [PackedEpoch; LINE];

/// The first and the last recorded read of each cell of a line.
pub type WeakReads = [[PackedEpoch; LINE]; 2];

/// Adds the lane number to each cell of a line, for lanes of one, two and four cells.
pub const STEPS: [[PackedEpoch; LINE]; 3] = {
    let mut steps = [[0; LINE]; 3];
    let mut i = 0;
    while i < 3 * LINE {
        steps[i / LINE][i % LINE] = ((i % LINE) as PackedEpoch >> (i / LINE)) << LANE_SHIFT;
        i += 1;
    }
    steps
};

/// One field of all cells of a line: nothing, or accesses of neighboring lanes by one instruction in one epoch.
#[derive(Clone, Copy)]
pub struct WholeField {
    /// The access of the first cell; 0 if no cell has one.
    pub start: PackedEpoch,
    /// log2 of the cells per lane; 0 without an access.
    pub form: u8,
}

impl WholeField {
    /// The accesses of all cells.
    #[inline(always)]
    pub fn words(self) -> WeakWrites {
        let mut words = [0; LINE];
        if self.start != 0 {
            words = STEPS[usize::from(self.form) % STEPS.len()];
            for word in &mut words {
                *word += self.start;
            }
        }
        words
    }

    /// The access of one cell.
    #[inline(always)]
    pub fn cell(self, i: usize) -> PackedEpoch {
        match self.start {
            0 => 0,
            start => start + STEPS[usize::from(self.form) % STEPS.len()][i % LINE],
        }
    }
}

/// The fields of a line's cells, in the order of [`LineHead`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CellField {
    /// The last write.
    Write,
    /// The first read since.
    FirstRead,
    /// The last read since.
    LastRead,
}

/// The head of a line of shadow cells: describes fields that are alike in all its cells.
#[derive(Clone, Copy, Default)]
#[repr(C, align(32))]
pub struct LineHead {
    /// By field: [`WholeField::start`].
    start: [PackedEpoch; 3],
    /// By field: [`WholeField::form`], or [`SPREAD`].
    form: [u8; 4],
    /// The highest epoch of the line's strong accesses, 0 if it has none.
    pub latest: u32,
}

/// Form of a field whose cells are in the page's arrays.
pub const SPREAD: u8 = 4;

impl LineHead {
    /// Whether a line has strong accesses since an epoch.
    #[inline(always)]
    pub fn has_strong(&self, base: u32) -> bool {
        self.latest >= base.max(1)
    }

    /// Whether a field is spread.
    #[inline(always)]
    pub fn is_spread(&self, field: CellField) -> bool {
        self.form[field as usize] == SPREAD
    }

    /// Whether any field is spread.
    #[inline(always)]
    pub fn any_spread(&self) -> bool {
        u32::from_ne_bytes(self.form) & u32::from_ne_bytes([SPREAD; 4]) != 0
    }

    /// Whether a cell may have been read since the last write.
    #[inline(always)]
    pub fn has_reads(&self) -> bool {
        let [_, first, last, _] = self.form;
        self.start[1] | self.start[2] != 0 || (first | last) & SPREAD != 0
    }

    /// Whether both reads are spread, without strong accesses since an epoch above 0.
    #[inline(always)]
    pub fn has_spread_reads(&self, base: u32) -> bool {
        const BOTH: u32 = u32::from_ne_bytes([0, SPREAD, SPREAD, 0]);
        u32::from_ne_bytes(self.form) & BOTH == BOTH && self.latest < base
    }

    /// A field; without a meaning if it is spread.
    #[inline(always)]
    pub fn field(&self, field: CellField) -> WholeField {
        WholeField { start: self.start[field as usize], form: self.form[field as usize] }
    }

    /// Replaces a field.
    #[inline(always)]
    pub fn set(&mut self, field: CellField, to: WholeField) {
        (self.start[field as usize], self.form[field as usize]) = (to.start, to.form);
    }

    /// Replaces all fields by a write, after which no cell has been read.
    #[inline(always)]
    pub fn set_write(&mut self, to: WholeField) {
        (self.start, self.form) = ([to.start, 0, 0], [to.form, 0, 0, 0]);
    }
}
