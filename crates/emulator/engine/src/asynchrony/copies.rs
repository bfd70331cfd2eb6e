//! Bulk copies in flight, and the groups that threads wait for them in.

use super::tile::Tile;
use crate::alu::atomic::Combine;
use crate::event::{BulkDirection, BulkTraffic, Moved, Place, Space, Span};
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

/// Who is told when a copy is done.
#[derive(Clone, Copy, Debug)]
pub enum Finish {
    /// The mbarrier at this host address, in the block of this rank at this offset.
    Mbarrier {
        /// Where it is.
        host: *mut u8,
        /// Whose shared memory it is in.
        rank: u32,
        /// Where there.
        offset: u64,
        /// The bytes it is told of.
        bytes: u32,
    },
    /// The owner's bulk group of this number; `None` before it is committed.
    Group(Option<u64>),
}

/// What is moved. Host addresses were checked when the copy was started.
pub enum Move {
    /// A run of bytes.
    Run {
        /// Where from.
        from: *const u8,
        /// Where to.
        to: *mut u8,
        /// How many.
        bytes: usize,
    },
    /// The same, combined with what is there element by element.
    Reduce {
        /// Where from.
        from: *const u8,
        /// Where to; a multiple of the element's size.
        to: *mut u8,
        /// How many bytes.
        bytes: usize,
        /// What is written.
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
        /// Where to; a multiple of its size.
        to: *mut u8,
        /// Its bytes.
        bytes: u8,
        /// What is written, or the value itself.
        combine: Option<Combine>,
    },
}

impl Move {
    /// What is read, what is written and what is combined, for instruments.
    pub fn moved(&self) -> Moved {
        let run = |host: *const u8, bytes: usize| Some((host, bytes as u64));
        let none = Moved { reads: None, writes: None, global: Vec::new(), combines: false };
        match *self {
            Move::Run { from, to, bytes } => {
                Moved { reads: run(from, bytes), writes: run(to, bytes), ..none }
            }
            Move::Reduce { from, to, bytes, .. } => {
                Moved { reads: run(from, bytes), writes: run(to, bytes), combines: true, ..none }
            }
            Move::Value { to, bytes, ref combine, .. } => {
                Moved { writes: run(to, bytes.into()), combines: combine.is_some(), ..none }
            }
            Move::Tile(ref tile) => tile.moved(),
        }
    }
}

impl Move {
    /// What moves over the memories' ports; the spans are the runs of bytes at both ends, where they are such. Only the
    /// `first` target of a copy reads its source.
    pub fn traffic(&self, [from, to]: [Option<Span>; 2], first: bool) -> BulkTraffic {
        let of = |space| move |span: &Span| span.space == space;
        let run = |span: &Span| (span.address, span.bytes);
        let shared = [from, to].into_iter().flatten().filter(of(Space::Shared));
        let shared_bytes = shared.map(|span| span.bytes).sum();
        let source = from.filter(of(Space::Global)).map(|span| vec![run(&span)]);
        let target = to.filter(of(Space::Global)).map(|span| vec![run(&span)]);
        let (global, runs) = match (self, source, target) {
            (Move::Tile(tile), ..) => {
                let direction = match (tile.load, &tile.combine) {
                    (true, _) => BulkDirection::Load,
                    (false, None) => BulkDirection::Store,
                    (false, Some(_)) => BulkDirection::Reduce,
                };
                (Some(direction), tile.moved().global)
            }
            (_, Some(runs), _) => (Some(BulkDirection::Load), runs),
            (Move::Reduce { .. }, _, Some(runs)) => (Some(BulkDirection::Reduce), runs),
            (_, _, Some(runs)) => (Some(BulkDirection::Store), runs),
            _ => (None, Vec::new()),
        };
        let runs = if first { runs } else { Vec::new() };
        BulkTraffic { global, first, runs, shared_bytes }
    }
}

/// A copy in flight.
pub struct Copy {
    /// What is moved.
    pub what: Move,
    /// Who is told.
    pub finish: Finish,
    /// Who started it.
    pub owner: Owner,
    /// Where.
    pub place: Place,
    /// Tells it from the others.
    pub id: u64,
}

/// The copies in flight in a cluster.
#[derive(Default)]
pub struct Copies {
    pub(super) queue: VecDeque<Copy>,
    /// The numbers of the groups that each thread has committed, oldest first.
    groups: HashMap<Owner, Vec<u64>>,
    committed: u64,
    started: u64,
}

impl Copies {
    /// Forgets the last cluster's.
    pub fn start(&mut self) {
        self.queue.clear();
        self.groups.clear();
    }

    /// Whether none is in flight.
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

    /// Makes a group of what a thread has started since its last one.
    pub fn commit(&mut self, owner: Owner) {
        self.committed += 1;
        for copy in self.queue.iter_mut().filter(|copy| copy.owner == owner) {
            if let Finish::Group(group @ None) = &mut copy.finish {
                *group = Some(self.committed);
            }
        }
        self.groups.entry(owner).or_default().push(self.committed);
    }

    /// The copies of a thread's groups but for the latest `pending`.
    pub(super) fn take_groups(&mut self, owner: Owner, pending: u32) -> Vec<Copy> {
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
