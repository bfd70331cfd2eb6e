//! Bulk copies in flight, and the groups in which threads wait for them.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::alu::atomic::{Combine, replace};
use crate::instructions::asynchrony::cluster::Cluster;
use crate::instructions::asynchrony::mbarrier::Mbarrier;
use crate::instructions::asynchrony::tile::Tile;
use crate::instrument::event::{
    Asynchronous, BulkDirection, BulkTraffic, Moved, Place, Space, Span, Wants,
};
use crate::memory::guest;
use lanework_ptx_ir::kernel::MemorySpace;
use std::collections::{HashMap, VecDeque};

/// The thread that started a copy, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    /// Its block's rank in the cluster.
    pub rank: u32,
    /// Its warp.
    pub warp: u32,
    /// Its lane.
    pub lane: u32,
}

/// Where the completion of a copy is signaled.
#[derive(Clone, Copy, Debug)]
pub enum Finish {
    /// The mbarrier at this host address, in the block of this rank at this offset.
    Mbarrier {
        /// Its host address.
        host: *mut u8,
        /// The rank of the block whose shared memory holds it.
        rank: u32,
        /// Its offset there.
        offset: u64,
        /// The bytes that it counts.
        bytes: u32,
    },
    /// The owner's bulk group of this number; `None` before it is committed.
    Group(Option<u64>),
}

/// The transfer. Host addresses were checked when the copy was started.
pub enum Transfer {
    /// A run of bytes.
    Run {
        /// The source.
        from: *const u8,
        /// The target.
        to: *mut u8,
        /// Their number.
        bytes: usize,
    },
    /// A run of bytes, combined element by element with the old contents.
    Reduce {
        /// The source.
        from: *const u8,
        /// The target; a multiple of the element's size.
        to: *mut u8,
        /// The number of bytes.
        bytes: usize,
        /// Combines an element with the old one.
        combine: Combine,
        /// Bytes of an element.
        element: u8,
    },
    /// A tile of a tensor.
    Tile(Box<Tile>),
    /// One value.
    Value {
        /// The value.
        bits: u64,
        /// The target; a multiple of its size.
        to: *mut u8,
        /// Its bytes.
        bytes: u8,
        /// Combines the value with the old one; `None` stores the value itself.
        combine: Option<Combine>,
    },
}

impl Transfer {
    /// The bytes read, written and combined, for instruments.
    pub fn moved(&self) -> Moved {
        let run = |host: *const u8, bytes: usize| Some((host, bytes as u64));
        let none =
            Moved { reads: None, writes: None, global: Vec::new(), completes: 0, combines: false };
        match *self {
            Transfer::Run { from, to, bytes } => {
                let completes = bytes as u64;
                Moved { reads: run(from, bytes), writes: run(to, bytes), completes, ..none }
            }
            Transfer::Reduce { from, to, bytes, .. } => {
                let (reads, writes) = (run(from, bytes), run(to, bytes));
                Moved { reads, writes, completes: bytes as u64, combines: true, ..none }
            }
            Transfer::Value { to, bytes, ref combine, .. } => {
                let (writes, completes) = (run(to, bytes.into()), u64::from(bytes));
                Moved { writes, completes, combines: combine.is_some(), ..none }
            }
            Transfer::Tile(ref tile) => tile.moved(),
        }
    }
}

impl Transfer {
    /// The bytes that move through the memories' ports. The spans are the contiguous bytes at both ends, if they are
    /// contiguous. Only the `first` target of a copy reads its source.
    pub fn traffic(&self, [from, to]: [Option<Span>; 2], first: bool) -> BulkTraffic {
        let of = |space| move |span: &Span| span.space == space;
        let run = |span: &Span| (span.address, span.bytes);
        let shared = [from, to].into_iter().flatten().filter(of(Space::Shared));
        let shared_bytes = shared.map(|span| span.bytes).sum();
        let source = from.filter(of(Space::Global)).map(|span| vec![run(&span)]);
        let target = to.filter(of(Space::Global)).map(|span| vec![run(&span)]);
        let (global, runs) = match (self, source, target) {
            (Transfer::Tile(tile), ..) => {
                let direction = match (tile.load, &tile.combine) {
                    (true, _) => BulkDirection::Load,
                    (false, None) => BulkDirection::Store,
                    (false, Some(_)) => BulkDirection::Reduce,
                };
                (Some(direction), tile.moved().global)
            }
            (_, Some(runs), _) => (Some(BulkDirection::Load), runs),
            (Transfer::Reduce { .. }, _, Some(runs)) => (Some(BulkDirection::Reduce), runs),
            (_, _, Some(runs)) => (Some(BulkDirection::Store), runs),
            _ => (None, Vec::new()),
        };
        let runs = if first { runs } else { Vec::new() };
        BulkTraffic { global, first, runs, shared_bytes }
    }
}

/// A copy in flight.
pub struct Copy {
    /// The transfer.
    pub what: Transfer,
    /// Where completion is signaled.
    pub finish: Finish,
    /// The thread that started it.
    pub owner: Owner,
    /// The place of its instruction.
    pub place: Place,
    /// Its id.
    pub id: u64,
}

/// The copies in flight in a cluster.
#[derive(Default)]
pub struct Copies {
    pub(crate) queue: VecDeque<Copy>,
    /// The numbers of the groups that each thread has committed, oldest first.
    groups: HashMap<Owner, Vec<u64>>,
    committed: u64,
    started: u64,
}

impl Copies {
    /// Forgets the copies of the last cluster.
    pub fn start(&mut self) {
        self.queue.clear();
        self.groups.clear();
    }

    /// Whether no copy is in flight.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The number of the next copy.
    pub fn next_id(&mut self) -> u64 {
        self.started += 1;
        self.started
    }

    /// Starts a copy.
    pub fn push(&mut self, copy: Copy) {
        self.queue.push_back(copy);
    }

    /// Makes a group of the copies that a thread has started since its last group.
    pub fn commit(&mut self, owner: Owner) {
        self.committed += 1;
        for copy in self.queue.iter_mut().filter(|copy| copy.owner == owner) {
            if let Finish::Group(group @ None) = &mut copy.finish {
                *group = Some(self.committed);
            }
        }
        self.groups.entry(owner).or_default().push(self.committed);
    }

    /// The copies of all but the latest `pending` groups of a thread.
    pub(crate) fn take_groups(&mut self, owner: Owner, pending: u32) -> Vec<Copy> {
        let Some(groups) = self.groups.get_mut(&owner) else { return Vec::new() };
        let done = groups.len().saturating_sub(pending as usize);
        let Some(last) = groups.drain(..done).next_back() else { return Vec::new() };
        let of_group = |copy: &Copy| match copy.finish {
            Finish::Group(Some(group)) => copy.owner == owner && group <= last,
            _ => false,
        };
        let (taken, left) = std::mem::take(&mut self.queue).into_iter().partition(of_group);
        self.queue = left;
        Vec::from_iter(taken as VecDeque<Copy>)
    }
}

/// A fault of a copy, which is performed after the instruction that started it.
pub struct LateFault {
    /// The thread that started the copy.
    pub owner: Owner,
    /// The instruction.
    pub origin: u32,
    /// The fault.
    pub raw: RawFault,
}

/// Performs the copies of all but the latest `pending` groups of a thread.
///
/// # Errors
/// The fault of one of them.
///
/// # Safety
/// Their host addresses are live.
pub unsafe fn finish_groups(
    cluster: &mut Cluster,
    owner: Owner,
    pending: u32,
) -> Result<(), LateFault> {
    for copy in cluster.copies.take_groups(owner, pending) {
        // SAFETY: the cluster is live, as this function requires, and the copy is one that it started.
        unsafe { finish(cluster, copy) }?;
    }
    Ok(())
}

/// Performs all copies in flight, in the order in which they were started, or rotated to start at `first`.
///
/// # Errors
/// The fault of one of them.
///
/// # Safety
/// Their host addresses are live.
pub unsafe fn finish_all(cluster: &mut Cluster, first: usize) -> Result<(), LateFault> {
    let count = cluster.copies.queue.len();
    cluster.copies.queue.rotate_left(if count == 0 { 0 } else { first % count });
    while let Some(copy) = cluster.copies.queue.pop_front() {
        // SAFETY: the cluster is live, as this function requires, and the copy is one that it started.
        unsafe { finish(cluster, copy) }?;
    }
    Ok(())
}

/// # Safety
/// The copy was started by a warp of this cluster, whose blocks' memory is live.
unsafe fn finish(cluster: &mut Cluster, copy: Copy) -> Result<(), LateFault> {
    // SAFETY: the cluster is live, as this function requires; the addresses were checked when the copy was started,
    // and no block's memory is freed before the cluster ends.
    unsafe {
        match copy.what {
            Transfer::Run { from, to, bytes } => guest::copy(from, to, bytes),
            Transfer::Reduce { from, to, bytes, combine, element } => {
                for at in (0..bytes).step_by(usize::from(element)) {
                    let mut word = [0u8; 8];
                    let value = from.add(at);
                    guest::read_bytes(value, &mut word[..usize::from(element)]);
                    let value = u64::from_le_bytes(word);
                    replace(to.add(at), element, |there| combine(there, value, 0));
                }
            }
            Transfer::Tile(tile) => {
                tile.finish(&*cluster.memory).map_err(|(address, bytes)| LateFault {
                    owner: copy.owner,
                    origin: copy.place.instruction,
                    raw: RawFault {
                        kind: FaultKind::OutOfBounds,
                        lane: copy.owner.lane,
                        address: Some(address),
                        bytes: bytes as u32,
                        space: MemorySpace::Global,
                        access: None,
                        note: String::new(),
                    },
                })?;
            }
            Transfer::Value { bits, to, bytes, combine } => {
                let combine = combine.unwrap_or(|_, value, _| value);
                replace(to, bytes, |there| combine(there, bits, 0));
            }
        }
    }
    cluster.changes += 1;
    // SAFETY: `Job::work` keeps the instrument alive longer than the cluster. No other reference to
    // it exists: the executor finishes copies while no handler runs, and `wait_group` keeps none
    // while it finishes them.
    if let Some(instrument) = unsafe { cluster.hook.get(Wants::ASYNCHRONOUS) } {
        let done = Asynchronous::Done { copy: copy.id };
        instrument.asynchronous(copy.place, copy.owner.lane, done);
    }
    let Finish::Mbarrier { host, rank, offset, bytes } = copy.finish else { return Ok(()) };
    // SAFETY: the mbarrier's address was checked when the copy was started.
    let found = unsafe { Mbarrier::from_bits(host.cast::<u64>().read()) };
    let told = match found {
        None => Err("the mbarrier no longer exists".to_owned()),
        Some(mut barrier) => barrier.complete_bytes(bytes).map(|()| barrier),
    };
    match told {
        // SAFETY: the mbarrier was read from this address just before.
        Ok(barrier) => unsafe { host.cast::<u64>().write(barrier.bits()) },
        Err(why) => {
            let raw = RawFault {
                kind: FaultKind::Mbarrier,
                lane: copy.owner.lane,
                address: Some(offset),
                bytes: 8,
                space: MemorySpace::Shared,
                access: None,
                note: format!(
                    "a copy of {bytes} bytes is done, but at its mbarrier, at offset {offset} of shared memory of the block of rank {rank}: {why}"
                ),
            };
            return Err(LateFault { owner: copy.owner, origin: copy.place.instruction, raw });
        }
    }
    Ok(())
}
