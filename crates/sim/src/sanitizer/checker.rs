//! The judge of one checked launch: the engine tells it of accesses and of what orders them.

use super::bulk::Bulk;
use super::copies::Copies;
use super::heap::Blocks;
use super::lanewise::{Judged, lanes_of};
use super::names::Names;
use super::order::{self, Order, Tag};
use super::others::Others;
use super::products::Products;
use super::report::{Checks, Report, ReportKind};
use super::runs::Form;
use super::shadow::{Area, Cells};
use super::undefined::Followed;
use super::written::Written;
use crate::engine::context::{Region, Site};
use crate::engine::memory::Memory;
use crate::engine::op::Warp;
use lanework_ptx_ir::kernel::{Action, Kernel, MemoryKind, MemorySpace, Note, Scope};
use lanework_ptx_ir::window::{LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Different findings kept of one launch; more are only counted.
pub(super) const MOST_REPORTS: usize = 1000;

/// Judges the accesses of one launch.
pub struct Checker {
    pub(super) checks: Checks,
    pub(super) kernel: Arc<Kernel>,
    pub(super) memory: *const Memory,
    pub(super) grid: [u32; 3],
    pub(super) shape: [u32; 3],
    /// The block whose turn it is: its linear index, and its rank in the cluster.
    pub(super) block: u64,
    pub(super) rank: u32,
    /// Warps of a block.
    pub(super) warps: usize,
    /// The linear indices of the cluster's blocks.
    pub(super) blocks: Vec<u64>,
    /// What orders accesses.
    pub order: Order,
    pub(super) reports: Vec<Report>,
    pub(super) keys: HashMap<(ReportKind, u32, u32), usize>,
    /// Shared memory of the block of rank `shared_rank`: that of the block whose turn it is, unless
    /// another's is being accessed.
    pub(super) shared: Region,
    pub(super) shared_rank: u32,
    pub(super) shared_names: Names,
    pub(super) shared_written: Written,
    pub(super) shared_cells: Cells,
    /// That of the cluster's other blocks, by rank.
    pub(super) others: Vec<Others>,
    /// By rank and whose access: accesses to a block's shared memory by others, the latest.
    pub(super) reached: Vec<HashMap<u32, Tag>>,
    pub(super) local_names: Names,
    pub(super) local_bytes: u64,
    pub(super) local_written: Written,
    pub(super) areas: Vec<Area>,
    /// Where an area's number is, by its first address.
    pub(super) area_at: HashMap<u64, usize>,
    /// By instruction: the area that it hit last.
    pub(super) hints: Vec<u32>,
    /// By instruction: where in it its first lane went last, for those judged in groups.
    pub(super) lasts: Vec<u64>,
    pub(super) shift: u32,
    /// Whether the accesses that run hot are judged in the usual way: words are cells, and all that is
    /// judged in them is looked for.
    pub(super) words_are_cells: bool,
    /// The same, while no access is followed by others beside these checks.
    words_may_be: bool,
    /// Whether anything releases: flags then are worth following.
    pub(super) follows_flags: bool,
    pub(super) copies: Copies,
    pub(super) bulk: Bulk,
    pub(super) heap: Blocks,
    pub(super) products: Products,
    pub(super) followed: Followed,
    /// Lanes that an instruction of a warp waits for: warp, instruction, lanes.
    pub(super) missing: Vec<(u32, u32, u32)>,
    /// By warp and followed register: the lanes in which nothing has written it.
    pub(super) unwritten_lanes: Vec<u32>,
    /// Where the bytes of bad accesses come from and go to.
    pub(super) nowhere: Box<[u64; 8]>,
}

/// What a launch looks like to its judge.
pub struct Launch {
    /// What to look for.
    pub checks: Checks,
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// Global memory; it outlives the checker.
    pub memory: *const Memory,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// The shared memory of each block of a cluster, by rank.
    pub shared: Vec<Region>,
    /// Bytes of local memory per thread.
    pub local_bytes: u64,
    /// Registers that are followed.
    pub followed: Followed,
    /// How many registers products accumulate in.
    pub accumulators: usize,
}

impl Checker {
    /// For one launch.
    pub fn new(launch: Launch) -> Checker {
        let Launch {
            checks,
            kernel,
            memory,
            grid,
            block,
            shared,
            local_bytes,
            followed,
            accumulators,
        } = launch;
        let threads: u32 = block.iter().product();
        let warps = threads.div_ceil(32) as usize;
        let (blocks, all) = (shared.len(), shared.len() * warps);
        let regions = shared;
        let shared = regions[0];
        let fixed = u64::from(kernel.static_shared);
        let dynamic = shared.bytes.saturating_sub(fixed);
        let name = kernel.dynamic_shared.clone().unwrap_or("dynamic shared memory".to_owned());
        let more = (dynamic > 0).then_some((fixed, dynamic, name));
        let shift = shift_of(&kernel);
        let words =
            shift == 2 && checks.has(ReportKind::Race) && checks.has(ReportKind::Uninitialized);
        Checker {
            checks,
            memory,
            grid,
            shape: block,
            block: 0,
            rank: 0,
            warps,
            blocks: vec![0; blocks],
            order: Order::new(warps, blocks),
            reports: Vec::new(),
            keys: HashMap::new(),
            shared,
            shared_rank: 0,
            others: regions.iter().map(|region| Others::new(*region, shift)).collect(),
            reached: vec![HashMap::new(); blocks],
            shared_names: Names::new(&kernel.shared_variables, more),
            shared_written: Written::new(shared.bytes),
            shared_cells: Cells::new(shared.bytes, shift),
            local_names: Names::new(&kernel.local_variables, None),
            local_bytes,
            local_written: Written::new(local_bytes * all as u64 * 32),
            areas: Vec::new(),
            area_at: HashMap::new(),
            hints: vec![0; kernel.origins.len() + 1],
            lasts: vec![0; kernel.origins.len() + 1],
            shift,
            words_are_cells: words,
            words_may_be: words,
            follows_flags: follows_flags(&kernel),
            copies: Copies::new(all),
            bulk: Bulk::new(all),
            // SAFETY: the launch holds the memory's lock while blocks run.
            heap: Blocks::of(unsafe { &*memory }),
            products: Products::new(all, accumulators),
            unwritten_lanes: vec![0; all * followed.count],
            followed,
            missing: Vec::new(),
            nowhere: Box::new([0; 8]),
            kernel,
        }
    }

    /// A cluster starts, of these blocks.
    pub fn start(&mut self, blocks: &[u64]) {
        self.blocks.clear();
        self.blocks.extend_from_slice(blocks);
        self.lend(0);
        (self.rank, self.block) = (0, blocks[0]);
        self.order.start(self.block);
        self.shared_written.clear();
        self.others.iter().for_each(|other| other.written.clear());
        self.reached.iter_mut().for_each(HashMap::clear);
        self.local_written.clear();
        self.copies.start();
        self.bulk.start();
        self.products.start();
        self.forget_registers();
        self.missing.clear();
    }

    /// What was found.
    pub fn finish(self) -> Vec<Report> {
        // A read that came before the write it races with found nothing written: one error, not two.
        let races: HashSet<u32> = self
            .keys
            .keys()
            .filter(|(kind, ..)| matches!(kind, ReportKind::Race | ReportKind::AsyncOrder))
            .flat_map(|(_, one, other)| [*one, *other])
            .collect();
        let echo = |(kind, instruction, _): &(ReportKind, u32, u32)| {
            *kind == ReportKind::Uninitialized && races.contains(instruction)
        };
        let echoes: HashSet<usize> =
            self.keys.iter().filter(|(key, _)| echo(key)).map(|(_, index)| *index).collect();
        let reports = self.reports.into_iter().enumerate();
        reports.filter(|(index, _)| !echoes.contains(index)).map(|(_, report)| report).collect()
    }

    /// Whether each access goes through the operation that takes any.
    pub fn follow_all(&mut self, all: bool) {
        self.words_are_cells = self.words_may_be && !all;
    }

    pub(super) fn wants(&self, kind: ReportKind) -> bool {
        self.checks.has(kind)
    }

    /// One warp's access, before it is done.
    pub fn access(&mut self, warp: &Warp, instruction: u32, site: &Site, at: &[u64; 32]) {
        if let Some(form) = Form::of(at)
            && self.runs(warp, instruction, site, &form)
        {
            return;
        }
        let left = self.scattered(warp, instruction, site, at);
        if left == 0 {
            return;
        }
        let bytes = u64::from(site.bytes) * u64::from(site.count);
        let mut tag = order::tag(self.order.segment_of(warp.index), instruction);
        if let Some(scope) = site.order.strong {
            tag |= order::STRONG;
            tag |= if scope > Scope::Block { order::WIDE_SCOPE } else { 0 };
            tag |= if site.order.data { order::DATA } else { 0 };
        }
        let mut judged = Judged { warp, site, instruction, bytes, tag, mask: left };
        match site.space {
            MemorySpace::Global => self.global(&judged, at, true),
            MemorySpace::Constant => self.global(&judged, at, false),
            MemorySpace::Shared => self.shared(&judged, at),
            MemorySpace::Local => self.local(&judged, at),
            MemorySpace::Parameter => {}
            MemorySpace::Generic => {
                let (mut shared, mut local, mut parameter) = (0u32, 0u32, 0u32);
                for lane in lanes_of(warp.mask) {
                    let bit = 1 << lane;
                    match at[lane] {
                        a if a.wrapping_sub(SHARED_WINDOW) < WINDOW => shared |= bit,
                        a if a.wrapping_sub(LOCAL_WINDOW) < WINDOW => local |= bit,
                        a if a.wrapping_sub(PARAMETER_WINDOW) < WINDOW => parameter |= bit,
                        _ => {}
                    }
                }
                let global = warp.mask & !(shared | local | parameter);
                for (mask, base) in [(shared, SHARED_WINDOW), (local, LOCAL_WINDOW)] {
                    if mask != 0 {
                        let within = at.map(|a| a.wrapping_sub(base));
                        judged.mask = mask;
                        match base {
                            SHARED_WINDOW => self.shared(&judged, &within),
                            _ => self.local(&judged, &within),
                        }
                    }
                }
                if global != 0 {
                    judged.mask = global;
                    self.global(&judged, at, true);
                }
            }
        }
    }
}

/// The size of a cell: 4 bytes, or less where the kernel accesses less.
fn shift_of(kernel: &Kernel) -> u32 {
    let mut least = 4;
    for inst in &kernel.insts {
        match &inst.action {
            Action::Memory(op)
                if !matches!(op.space, MemorySpace::Parameter | MemorySpace::Local) =>
            {
                least = least.min(op.ty.size() * u32::from(op.count));
            }
            Action::Matrix(_) => least = least.min(2),
            _ => {}
        }
    }
    least.max(1).ilog2()
}

/// Whether a kernel releases anything by fences or by accesses that say so.
fn follows_flags(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|inst| match &inst.action {
        Action::Note(Note::Fence(_)) => true,
        Action::Memory(op) => op.order.release && !matches!(op.kind, MemoryKind::Load),
        _ => false,
    })
}
