//! Memory that a host function of a stream uses, while the program has not waited for that function.
//!
//! Such a function runs when it is queued, but on a GPU it may run at any time until the program waits for it. The
//! interpreter records the bytes that it reads and writes. Then each of these granules of eight
//! bytes gets the shadow value [`PENDING`], so that accesses to it leave the fast path. The first
//! access of the program that conflicts, a write of a byte that the function used or a read of a byte that it wrote, is
//! told to the embedding program. The other bytes of such a granule stay accessible.
//!
//! *Limits.* Objects that end with the function, such as its local variables, are not kept. Two pending functions are not
//! compared with each other.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The shadow value of eight bytes that a pending function uses.
pub(super) const PENDING: u8 = 0x83;

/// Bytes of a granule as bits: those read, and those written.
pub(super) type Uses = [u8; 2];

/// The memory that a function has used.
#[derive(Debug, Default)]
pub struct UsedMemory {
    pub(super) granules: BTreeMap<u64, Uses>,
    /// Parts of registered ranges: address, bytes, and whether they were written.
    pub shared: Vec<(u64, u64, bool)>,
}

/// A granule that pending functions use.
#[derive(Debug)]
pub(super) struct PendingGranule {
    /// Its accessible bytes.
    pub(super) open: u8,
    /// The functions with their uses.
    pub(super) uses: Vec<(u64, Uses)>,
}

/// A conflicting access: the function's number, the address, and whether it writes.
pub(crate) type PendingConflict = (u64, u64, bool);

/// The state of a process.
#[derive(Debug, Default)]
pub(crate) struct PendingMemory {
    pub(super) is_recording: Cell<bool>,
    pub(super) recorded: RefCell<UsedMemory>,
    pub(super) granules: BTreeMap<u64, PendingGranule>,
    /// Whether conflicting accesses pass; the first one is noted.
    pub(super) passes: Cell<bool>,
    pub(super) noted: Cell<Option<PendingConflict>>,
}

/// The bits of the bytes of a granule that an access uses.
pub(super) fn bits(granule: u64, offset: u64, bytes: u64) -> u8 {
    let first = offset.max(granule * 8) - granule * 8;
    let end = (offset + bytes).min(granule * 8 + 8) - granule * 8;
    (0xffu16 << first) as u8 & (0xffu16 >> (8 - end)) as u8
}

/// The granules of an access to bytes of the arena.
pub(super) fn granules(offset: u64, bytes: u64) -> RangeInclusive<u64> {
    offset / 8..=(offset + bytes.max(1) - 1) / 8
}
