//! One worker: runs blocks one after another, and the warps of a block by time slices. Blocks that wait for others
//! keep their residency slots ([`Residents`]).

pub(crate) mod arrival;
pub(crate) mod barriers;
pub(crate) mod executor;
pub(crate) mod independent;
pub(crate) mod registers;
pub(crate) mod start;
pub(crate) mod view;
pub(crate) mod worker;

use crate::assemble::code::Assembled;
use crate::fault::Located;
use crate::instrument::event::Hook;
use crate::memory::Memory;
use executor::{ClusterExecutor, Slice};
use std::collections::VecDeque;
use worker::Shape;

/// The inputs of a new slot.
pub struct SlotInputs<'a> {
    /// The code.
    pub assembled: &'a Assembled,
    /// The shape of the launch.
    pub shape: &'a Shape,
    /// Global memory.
    pub memory: &'a Memory,
    /// The bytes of the parameters.
    pub parameters: &'a [u8],
    /// The worker's instrument.
    pub hook: Hook,
}

/// A cluster in a residency slot.
pub struct ResidentCluster {
    /// Its place in the order of the launch.
    pub order: u64,
    /// Its slot.
    pub seat: usize,
    /// If it only waits for others: the block's rank, and the fault to report if nothing ever changes.
    pub waits: Option<Box<(usize, Located)>>,
}

/// The resident clusters of a worker: the running one, and those that wait for others.
///
/// A GPU keeps as many blocks resident as fit. Here a block starts when the earlier ones have ended or wait, so a grid
/// whose blocks never wait needs one slot. Waiting clusters run round-robin. A slot is an executor with its own
/// registers and shared memory, which the next cluster reuses.
pub struct Residents<'a> {
    seating: SlotInputs<'a>,
    /// The executors, by slot.
    pub seats: Vec<ClusterExecutor<'a>>,
    free: Vec<usize>,
    /// Those that wait for their turn.
    waiting: VecDeque<ResidentCluster>,
    /// The slot that the instrument currently observes.
    current: usize,
}

impl<'a> Residents<'a> {
    /// The first slot of a worker, at the start of a launch.
    pub fn new(seating: SlotInputs<'a>) -> Residents<'a> {
        let mut residents = Residents {
            seating,
            seats: Vec::new(),
            free: Vec::new(),
            waiting: VecDeque::new(),
            current: 0,
        };
        let first = residents.free_seat();
        residents.seats[first].tell_launch(residents.seating.memory);
        residents.free.push(first);
        residents
    }

    fn free_seat(&mut self) -> usize {
        self.free.pop().unwrap_or_else(|| {
            let SlotInputs { assembled, shape, memory, parameters, hook } = self.seating;
            self.seats.push(ClusterExecutor::new(assembled, shape, memory, parameters, hook));
            self.seats.len() - 1
        })
    }

    /// Instructions that the warps of a cluster have executed.
    pub fn executed(&self, seated: &ResidentCluster) -> u64 {
        self.seats[seated.seat].executed()
    }

    /// Clusters that wait for their turn.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Starts the cluster of this index.
    pub fn start(&mut self, order: u64, cluster: u64) -> ResidentCluster {
        let seat = self.free_seat();
        self.turn_to(seat);
        self.seats[seat].start(cluster);
        ResidentCluster { order, seat, waits: None }
    }

    /// The next cluster that may be able to continue; `None` if all wait for something that cannot happen.
    pub fn next_ready(&mut self) -> Option<ResidentCluster> {
        // SAFETY: this worker alone uses its instrument, and handlers, which borrow it, do not run now.
        let instrument = unsafe { self.seating.hook.any() };
        let ready = |one: &ResidentCluster| one.waits.is_none() || instrument.may_go_on(one.seat);
        let index = self.waiting.iter().position(ready)?;
        self.waiting.remove(index)
    }

    /// Runs a slice of a cluster, which may end early if another one could run.
    ///
    /// # Errors
    /// The block and the fault that stopped it.
    pub fn run(
        &mut self,
        seated: &ResidentCluster,
        may_leave: bool,
    ) -> Result<Slice, ([u32; 3], Located)> {
        self.turn_to(seated.seat);
        self.seats[seated.seat].turn(may_leave)
    }

    fn turn_to(&mut self, seat: usize) {
        if seat != self.current {
            self.current = seat;
            // SAFETY: this worker alone uses its instrument, and handlers, which borrow it, do not run now.
            unsafe { self.seating.hook.any() }.enter_slot(seat, &self.seats[seat].shared());
        }
    }

    /// Queues a cluster for its next slice.
    pub fn wait(&mut self, seated: ResidentCluster) {
        self.waiting.push_back(seated);
    }

    /// Frees the slot of a cluster that has ended.
    pub fn leave(&mut self, seated: &ResidentCluster) {
        self.free.push(seated.seat);
    }

    /// Called when no cluster can continue: removes the waiting ones, each with its block and fault.
    pub fn abandon(&mut self) -> Vec<(ResidentCluster, [u32; 3], Located)> {
        let mut faults = Vec::new();
        for mut seated in std::mem::take(&mut self.waiting) {
            self.free.push(seated.seat);
            self.seats[seated.seat].abandon();
            if let Some((rank, located)) = seated.waits.take().map(|found| *found) {
                let block = self.seats[seated.seat].block_index(rank);
                faults.push((seated, block, located));
            }
        }
        faults
    }
}
