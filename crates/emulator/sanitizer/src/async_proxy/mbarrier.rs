//! Mbarriers: the synchronization of each phase.
//!
//! *Algorithm.* Each thread that arrives releases its clock into the phase. Copies that complete
//! the phase release theirs as a pseudo-thread. Every thread that waits for the phase acquires
//! both, if it uses the result of the test. A relaxed arrival releases what the thread has fenced; a relaxed wait acquires at
//! the thread's next fence. The next use of the mbarrier shows by its parity bit in shared memory that a phase has ended.
//!
//! *Bytes.* Copies must not bring more bytes to an mbarrier than its `expect_tx` operations
//! announce: otherwise a phase ends before its data has arrived, or never. Both sums run until the
//! mbarrier ends or its block exits, so the order in which copies complete does not matter.
//!
//! *Source.* PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".

use crate::access::AccessCheck;
use crate::access::position::{LaneAt, ThreadAt};
use crate::async_proxy::{ByteRun, GlobalSource};
use crate::findings::kinds::ReportKind;
use crate::findings::{Finding, place};
use crate::races::epoch::{self, PackedEpoch};
use crate::races::happens_before::PSEUDO_THREADS;
use crate::races::happens_before::lane_clocks::AcquireSource;
use crate::races::vector_clock::VectorClock;
use lanework_engine::asynchrony::Mbarrier;
use lanework_ptx_ir::opcode::asynchrony::MbarrierOp;
use std::collections::{BTreeMap, HashMap};

/// The runs that a copy reads and writes until its mbarrier completes it.
pub struct PendingCopy {
    /// Written runs, each with the packed write in its shadow cells.
    pub targets: Vec<(ByteRun, PackedEpoch)>,
    /// Runs that it reads.
    pub sources: Vec<CopySource>,
    /// The block and the warp that started it.
    pub by: (u64, u32),
}

/// Memory that a copy reads.
pub enum CopySource {
    /// Global memory.
    Global(GlobalSource),
    /// Shared memory.
    Shared {
        /// The run.
        run: ByteRun,
        /// The packed read in its shadow cells.
        read: PackedEpoch,
    },
}

/// Visibility of an mbarrier's initialization without happens-before: `fence.mbarrier_init` and then
/// a relaxed arrival at the cluster's barrier publish the initialization, and no other write.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum InitVisibility {
    /// Only as ordered by happens-before.
    #[default]
    ByAccessOrder,
    /// The initializing thread has executed the fence.
    Fenced,
    /// The warp has then arrived at the cluster's barrier, in this generation.
    Announced(u32),
    /// All warps of the cluster have arrived there.
    AllWarps,
}

/// State of one mbarrier.
#[derive(Default)]
struct Phase {
    parity: bool,
    pseudo_thread: usize,
    /// Its initialization.
    made: PackedEpoch,
    /// Visibility of the initialization without happens-before.
    known: InitVisibility,
    /// The last use since, by the slot of the warp and the lane.
    uses: BTreeMap<(u32, u32), PackedEpoch>,
    /// Join of the clocks that arrived in this phase.
    arrived: VectorClock,
    /// Clock released by completed phases.
    released: VectorClock,
    /// Version of `released`, unique in the cluster.
    version: u32,
    landing: Vec<PendingCopy>,
    /// Bytes announced by `expect_tx`, and brought by copies, since the initialization.
    announced: i64,
    brought: i64,
    /// The thread that started the last copy.
    copier: Option<ThreadAt>,
}

/// The mbarriers of a cluster.
#[derive(Default)]
pub struct Mbarriers {
    /// By rank of the block and offset in its shared memory.
    phases: HashMap<(u32, u64), Phase>,
    versions: u32,
}

impl Mbarriers {
    /// Starts a cluster.
    pub fn start(&mut self) {
        self.phases.clear();
    }

    fn phase(&mut self, of: (u32, u64)) -> &mut Phase {
        let next = self.phases.len() % PSEUDO_THREADS;
        let new = || Phase { pseudo_thread: next, ..Phase::default() };
        self.phases.entry(of).or_insert_with(new)
    }

    /// Adds copies to the current phase.
    pub fn completes(&mut self, of: (u32, u64), landing: impl IntoIterator<Item = PendingCopy>) {
        self.phase(of).landing.extend(landing);
    }

    /// Global memory that copies in flight read.
    pub fn sources(&self) -> impl Iterator<Item = GlobalSource> {
        let landing = self.phases.values().flat_map(|phase| &phase.landing);
        landing.flat_map(|copy| &copy.sources).filter_map(|source| match source {
            CopySource::Global(source) => Some(*source),
            CopySource::Shared { .. } => None,
        })
    }

    /// An operation announces bytes.
    pub fn announced(&mut self, of: (u32, u64), bytes: i64) {
        if bytes != 0 {
            self.phase(of).announced += bytes;
        }
    }

    /// A thread starts a copy that will bring bytes.
    pub fn copy_started(&mut self, of: (u32, u64), bytes: u64, by: ThreadAt) {
        let phase = self.phase(of);
        phase.brought += bytes as i64;
        phase.copier = Some(by);
    }

    /// Reports, when an mbarrier ends, that more bytes arrived than were announced; returns whether
    /// they did.
    pub fn end(&mut self, access: &mut AccessCheck, (rank, offset): (u32, u64)) -> bool {
        let Some(phase) = self.phases.get_mut(&(rank, offset)) else { return false };
        let (announced, brought) = (phase.announced, phase.brought);
        let Some(copier) = phase.copier.take().filter(|_| brought > announced) else {
            return false;
        };
        let near = access.bounds.shared.nearest(offset, 8);
        access.reports.add(ReportKind::AsyncOrder, copier, None, |_| Finding {
            message: format!(
                "copies bring {brought} bytes to the mbarrier at {}, but {announced} bytes were announced: a phase ends before its data has arrived, or never",
                place(near.as_ref(), offset)
            ),
            help: format!(
                "announce the bytes of every copy: {} more in `mbarrier.arrive.expect_tx` or `expect_tx`",
                brought - announced
            ),
            address: Some(offset),
            size: 8,
            allocation: near,
            race: None,
        });
        true
    }

    /// The same for all mbarriers of a block that exits.
    pub fn end_block(&mut self, access: &mut AccessCheck, rank: u32) -> bool {
        let mut ended: Vec<(u32, u64)> =
            self.phases.keys().filter(|of| of.0 == rank).copied().collect();
        ended.sort_unstable();
        ended.into_iter().fold(false, |any, of| any | self.end(access, of))
    }

    /// The same for all mbarriers of a cluster that cannot continue.
    pub fn end_all(&mut self, access: &mut AccessCheck) -> bool {
        let ranks = 0..access.bounds.ranks() as u32;
        ranks.fold(false, |any, rank| any | self.end_block(access, rank))
    }

    /// Drops copies to mbarriers without announced bytes: the cluster is stuck elsewhere, and the
    /// announcement may come later in the code.
    pub fn excuse_unannounced(&mut self) {
        let unannounced = self.phases.values_mut().filter(|phase| phase.announced == 0);
        unannounced.for_each(|phase| phase.copier = None);
    }

    /// `mbarrier.init`.
    pub fn init(&mut self, access: &mut AccessCheck, of: (u32, u64), made: PackedEpoch) {
        _ = self.end(access, of);
        if let Some(written) = access.initial.written(of.0 as usize) {
            written.set(of.1, 8);
        }
        let pseudo_thread = self.phase(of).pseudo_thread;
        self.phases.insert(of, Phase { pseudo_thread, made, ..Phase::default() });
    }

    /// Reports an initialization or `mbarrier.inval` that is not ordered after the uses by other warps,
    /// such as by a thread that may still wait for the last phase. One ordered lane counts for its warp, because
    /// libcu++'s pipelines elect a lane that signals for the others.
    pub fn check_reset(
        &mut self,
        access: &mut AccessCheck,
        at: LaneAt,
        (rank, offset): (u32, u64),
    ) {
        let uses = std::mem::take(&mut self.phase((rank, offset)).uses);
        let order = &mut access.races.order;
        let (base, own) = (order.base(), access.position.slot(at.warp) as u32);
        let mut last = BTreeMap::new();
        for ((slot, _), of) in uses {
            if slot == own || epoch::number(of) < base {
                continue;
            }
            let ordered = order.happens_before(of, at.warp, at.lane);
            let entry = last.entry(slot).or_insert((of, ordered));
            *entry = (of, entry.1 || ordered);
        }
        let unordered = last.into_values().find(|(_, ordered)| !ordered);
        let Some((of, _)) = unordered else { return };
        let (who, user) = (access.position.thread_at(at), access.races.thread_at(of));
        access.reports.add(ReportKind::Race, who, Some(user), |_| Finding {
            message: format!(
                "race in shared memory: the end of the mbarrier at offset {offset} (`mbarrier.inval`, or another initialization) is unordered with its use by another thread"
            ),
            help: "put a barrier between the two (`__syncthreads`, `sync_threads`): another thread may still wait for the last phase".into(),
            address: Some(offset),
            size: 8,
            allocation: None,
            race: None,
        });
    }

    /// `fence.mbarrier_init` by lanes of a warp.
    pub fn fence_init(&mut self, access: &AccessCheck, warp: u32, lanes: u32) {
        let slot = access.position.slot(warp) as u32;
        for phase in self.phases.values_mut() {
            let by = lanes >> epoch::lane(phase.made) & 1 != 0;
            if by
                && phase.known == InitVisibility::ByAccessOrder
                && access.races.order.slot_of(phase.made) == slot
            {
                phase.known = InitVisibility::Fenced;
            }
        }
    }

    /// A warp makes a relaxed arrival at the cluster's barrier.
    pub fn announce_inits(&mut self, access: &AccessCheck, warp: u32, generation: u32) {
        let slot = access.position.slot(warp) as u32;
        for phase in self.phases.values_mut() {
            if phase.known == InitVisibility::Fenced
                && access.races.order.slot_of(phase.made) == slot
            {
                phase.known = InitVisibility::Announced(generation);
            }
        }
    }

    /// All warps have arrived at the cluster's barrier, in this generation.
    pub fn complete_inits(&mut self, generation: u32) {
        for phase in self.phases.values_mut() {
            if phase.known == InitVisibility::Announced(generation) {
                phase.known = InitVisibility::AllWarps;
            }
        }
    }

    /// Records a use of an mbarrier, and reports one that is not ordered after its initialization.
    pub fn used(&mut self, access: &mut AccessCheck, at: LaneAt, (rank, offset): (u32, u64)) {
        let (now, slot) = (access.packed_now(at), access.position.slot(at.warp) as u32);
        let phase = self.phase((rank, offset));
        phase.uses.insert((slot, at.lane), now);
        let (made, known) = (phase.made, phase.known);
        let of_cluster = epoch::number(made) >= access.races.order.base();
        if !of_cluster
            || known == InitVisibility::AllWarps
            || access.races.order.happens_before(made, at.warp, at.lane)
        {
            return;
        }
        let (who, maker) = (access.position.thread_at(at), access.races.thread_at(made));
        let own = rank == access.position.rank;
        access.reports.add(ReportKind::Race, who, Some(maker), |_| {
            let (whose, help) = match own {
                true => (
                    String::new(),
                    "put a barrier between the two (`__syncthreads`, `sync_threads`): only then is the mbarrier visible to all threads",
                ),
                false => (
                    format!(" of the block of rank {rank}"),
                    "put the cluster's barrier between the two: only then is the mbarrier visible to all threads",
                ),
            };
            Finding {
                message: format!(
                    "race in shared memory: use of the mbarrier at offset {offset}{whose} is unordered with its initialization by another thread"
                ),
                help: help.into(),
                address: Some(offset),
                size: 8,
                allocation: None,
                race: None,
            }
        });
    }

    /// Completes the phase if the mbarrier's parity has flipped since the last check.
    pub fn look(&mut self, access: &mut AccessCheck, of: (u32, u64)) {
        let at = access.bounds.shared_host(of.0, of.1);
        // SAFETY: the engine raises a fault before this callback unless the mbarrier's 8 bytes are
        // inside the block's shared memory, and `shared_host` returns their host address.
        let bits = unsafe { at.cast::<u64>().read_unaligned() };
        let Some(now) = Mbarrier::from_bits(bits) else { return };
        if self.phase(of).parity == now.parity {
            return;
        }
        self.versions += 1;
        let version = self.versions;
        let phase = self.phase(of);
        (phase.parity, phase.version) = (now.parity, version);
        let arrived = std::mem::take(&mut phase.arrived);
        phase.released.join(&arrived);
        let landing = std::mem::take(&mut phase.landing);
        if landing.is_empty() {
            return;
        }
        for PendingCopy { targets, sources, by } in landing {
            let number = access.races.order.pseudo_thread_epoch(phase.pseudo_thread, by);
            let done = |access: PackedEpoch| {
                let done = epoch::pack(number, epoch::instruction(access));
                epoch::with_lane(done, epoch::lane(access))
            };
            for (to, write) in targets {
                if access.position.blocks.get(to.memory).is_some_and(|block| *block != by.0) {
                    access.peers.touch(&access.races.order, to.memory as u32, done(write));
                }
                let flags = write & (epoch::STRONG_OF_DEVICE);
                access.replace_writes(to, write, done(write) | flags | epoch::COPIED);
            }
            for source in sources {
                if let CopySource::Shared { run, read } = source {
                    access.set_reads(run, Some(read), done(read));
                }
            }
        }
        let clock = access.races.order.pseudo_thread_clock(phase.pseudo_thread);
        phase.released.join(&clock);
    }

    /// A thread arrives. Call this before the arrival takes effect.
    pub fn arrive(&mut self, access: &mut AccessCheck, at: LaneAt, of: (u32, u64), relaxed: bool) {
        self.look(access, of);
        let arrived = &mut self.phase(of).arrived;
        let (order, warp) = (&mut access.races.order, at.warp as usize);
        match relaxed {
            true => order.release_fenced_to(arrived, warp, at.lane),
            false => order.release_to(arrived, warp, at.lane),
        }
    }

    /// A thread of a warp with these live lanes has found by this operation that a phase has ended.
    pub fn waited(
        &mut self,
        access: &mut AccessCheck,
        at: LaneAt,
        (live, operation): (u32, MbarrierOp),
        of: (u32, u64),
    ) {
        self.used(access, at, of);
        self.look(access, of);
        let phase = self.phase(of);
        let (lanes, order) = ((1 << at.lane, live), &mut access.races.order);
        match operation {
            MbarrierOp::Wait { observes: false, .. } => {}
            MbarrierOp::Wait { relaxed: true, .. } => {
                let by = (at.instruction, phase.version);
                order.acquire_clock_by_fence(at.warp as usize, lanes.0, by, &phase.released);
            }
            _ => {
                let source = AcquireSource::Mbarrier(phase.version);
                order.acquire_clock(at.warp as usize, lanes, source, &phase.released);
            }
        }
    }
}
