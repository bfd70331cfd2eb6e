//! The trace of a few blocks of a launch: what each warp executed, and the traffic of each access.
//!
//! Only the chosen blocks run. A warp is recorded up to a limit; beyond it, its instructions are only counted, and beyond
//! a second limit the block is stopped. The model then extrapolates and widens its interval.
//!
//! A run is the unit of a trace: the typed instructions of one PTX instruction within one basic block. The emulator reports
//! it as one step.

mod align;
pub mod census;
pub mod chain;
pub mod passing;
pub mod products;
pub mod recorder;
pub mod recurrence;
pub mod sample;
pub mod served;
pub mod stored;
pub mod work;

use crate::sass::listing::Listing;
use crate::trace::chain::WaitChain;
use crate::trace::passing::Passing;
use crate::trace::work::{GridWork, HeavyBlocks};
use lanework_engine::event::{AccessKind, Wants};
use lanework_ptx_ir::analysis::Analyses;
use lanework_ptx_ir::analysis::access::{AccessClass, AccessClassifier};
use lanework_ptx_ir::kernel::{Kernel, Opcode, Scope, SyncAnnotation};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Sentinel: no index.
pub const NONE: u32 = u32::MAX;

/// Sentinel for [`Traffic::first`]: the trace does not have the sectors, as for tiles of tensor maps.
pub const NO_SECTORS: u32 = 1 << 31;

/// A launch with the traces of some of its blocks.
pub struct KernelTrace {
    /// The kernel.
    pub kernel: Arc<Kernel>,
    /// Its runs.
    pub runs: Arc<Runs>,
    /// Blocks in the grid by axis.
    pub grid: [u32; 3],
    /// Threads per block.
    pub threads: u32,
    /// Blocks per cluster.
    pub cluster: u64,
    /// Bytes of shared memory per block.
    pub shared_bytes: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Whether they are those that ptxas allocated, not an estimate.
    pub exact_registers: bool,
    /// Its machine instructions, if ptxas and nvdisasm are at hand.
    pub listing: Option<Arc<Listing>>,
    /// Global allocations.
    pub allocations: Vec<GlobalRange>,
    /// The traced blocks.
    pub blocks: Vec<BlockTrace>,
    /// How blocks return to units of memory that earlier blocks used, if their neighbors do not.
    pub recurrences: Vec<Recurrence>,
    /// Numbers of instructions of blocks spread over the grid; empty if the traced blocks are alike.
    pub sampled: GridWork,
    /// Blocks that execute far more instructions than the others, if there are any.
    pub heavy: Option<HeavyBlocks>,
    /// Whether blocks may wait for each other in a loop.
    pub polls: bool,
    /// The longest chain of blocks that wait for each other.
    pub chain: WaitChain,
}

/// Where a range of global memory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Residence {
    /// In the memory of the device.
    Device,
    /// Page-locked memory of the host.
    Host,
    /// Managed memory, whose pages move to where they are used.
    Managed,
}

/// A range of global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GlobalRange {
    /// First address.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
    /// Where it is.
    pub residence: Residence,
}

/// One traced block.
#[derive(Default)]
pub struct BlockTrace {
    /// Linear index in the grid.
    pub block: u64,
    /// Its warps.
    pub warps: Vec<WarpTrace>,
    /// Sectors of the accesses: addresses divided by 32.
    pub sectors: Vec<u64>,
    /// By token: the number of arrivals that complete it.
    pub tokens: Vec<u32>,
    /// Whether the block ran to its end.
    pub complete: bool,
}

/// One traced warp.
#[derive(Default)]
pub struct WarpTrace {
    /// PTX instructions in the order of execution.
    pub steps: Vec<TraceStep>,
    /// Its accesses, ordered by step.
    pub traffic: Vec<Traffic>,
    /// Its synchronizations, ordered by step.
    pub waits: Vec<SyncStep>,
    /// Instructions executed, recorded or not.
    pub instructions: u64,
}

/// One instruction of a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The number of its run ([`Runs`]).
    pub run: u32,
    /// Active lanes.
    pub mask: u32,
}

/// Memory that an access reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessTarget {
    /// Shared memory.
    Shared,
    /// Global memory.
    Global,
    /// The thread's local memory.
    Local,
    /// Constant memory.
    Constant,
    /// Global memory, by the bulk-copy engine.
    Bulk,
}

/// One access of a warp.
#[derive(Clone, Copy, Debug)]
pub struct Traffic {
    /// Its step.
    pub step: u32,
    /// The memory that it reaches.
    pub target: AccessTarget,
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// Passes through the banks of shared memory or of the L1.
    pub wavefronts: u32,
    /// 128-byte lines of global or local memory.
    pub lines: u32,
    /// The first of its sectors in [`BlockTrace::sectors`]; of an atomic on shared memory, its most contended address.
    pub first: u32,
    /// Number of its sectors.
    pub sectors: u32,
    /// Number of lanes that share their address with a lower lane.
    pub collisions: u32,
    /// Maximum number of lanes of an atomic with the same address.
    pub rounds: u32,
    /// Bytes, for a bulk copy.
    pub bytes: u32,
    /// The token that its completion arrives at, or [`NONE`].
    pub token: u32,
}

/// A warp's arrival at, or wait for, a synchronization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncStep {
    /// Its step.
    pub step: u32,
    /// The token in [`BlockTrace::tokens`].
    pub token: u32,
    /// Whether it arrives.
    pub arrives: bool,
    /// Whether it waits.
    pub waits: bool,
}

impl KernelTrace {
    /// Number of blocks in the grid.
    pub fn total_blocks(&self) -> u64 {
        self.grid.iter().map(|&blocks| u64::from(blocks)).product()
    }

    /// Mean instructions of a block.
    pub fn mean_work(&self) -> f64 {
        match self.sampled.counted.is_empty() {
            true => self.traced_work(),
            false => self.sampled.mean_below(u64::MAX),
        }
    }

    /// Mean instructions of a block that is not heavy, if blocks were sampled.
    pub fn usual_work(&self) -> Option<f64> {
        let limit = self.heavy.map_or(u64::MAX, |heavy| heavy.instructions);
        (!self.sampled.counted.is_empty()).then(|| self.sampled.mean_below(limit))
    }

    fn traced_work(&self) -> f64 {
        let sum: u64 = self.blocks.iter().map(BlockTrace::executed).sum();
        sum as f64 / self.blocks.len().max(1) as f64
    }

    /// Standard error of the mean instructions of a block, relative to the mean.
    pub fn spread(&self) -> f64 {
        if !self.sampled.counted.is_empty() {
            return self.sampled.spread();
        }
        if self.blocks.len() as u64 == self.total_blocks() {
            return 0.0;
        }
        let (mean, count) = (self.traced_work(), self.blocks.len().max(1) as f64);
        let squares = self.blocks.iter().map(|block| (block.executed() as f64 - mean).powi(2));
        (squares.sum::<f64>() / count).sqrt() / mean.max(1.0) / count.sqrt()
    }

    /// Whether a traced block is one of the heavy ones.
    pub fn is_heavy(&self, at: usize) -> bool {
        self.heavy.is_some_and(|heavy| {
            at == heavy.traced || self.blocks[at].executed() >= heavy.instructions
        })
    }

    /// Whether a traced block did not end.
    pub fn is_cut(&self) -> bool {
        self.blocks.iter().any(|block| !block.complete)
    }

    /// Number of warps per block.
    pub fn warps(&self) -> usize {
        self.threads.div_ceil(32) as usize
    }
}

impl BlockTrace {
    /// Number of recorded steps of all warps.
    pub fn recorded(&self) -> u64 {
        self.warps.iter().map(|warp| warp.steps.len() as u64).sum()
    }

    /// Number of instructions that all warps executed, recorded or not.
    pub fn executed(&self) -> u64 {
        self.warps.iter().map(|warp| warp.instructions).sum()
    }
}

/// How blocks return to the units of one allocation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recurrence {
    /// First address of the allocation.
    pub start: u64,
    /// Number of blocks along x after which a block returns.
    pub distance: u64,
    /// Fraction of the block's units that it shares with the block that returns.
    pub shared: f64,
}

/// A run: instructions `start..end` of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionRun {
    /// The basic block.
    pub block: u32,
    /// First instruction.
    pub start: u32,
    /// One past the last.
    pub end: u32,
    /// The PTX instruction.
    pub origin: u32,
}

/// The runs of a kernel.
pub struct Runs {
    /// All runs, in text order.
    pub all: Vec<InstructionRun>,
    /// The first run of each basic block; one more entry marks the end.
    pub first_of_block: Vec<u32>,
    /// The successors of each basic block.
    pub successors: Vec<Vec<u32>>,
    /// By run: whether it reads memory that others write at the same time ([`passing`]).
    pub observes: Vec<bool>,
    /// By PTX instruction: whether it reads memory that others write.
    pub observes_at: Vec<bool>,
    /// By PTX instruction: whether it writes memory that others observe.
    pub publishes_at: Vec<bool>,
    /// By PTX instruction: whether it is a fence of global memory.
    pub fences_at: Vec<bool>,
    /// By PTX instruction: whether it is a branch.
    pub branches_at: Vec<bool>,
    /// By PTX instruction: what it costs the emulator, in units of a simple instruction.
    pub costs: Vec<u32>,
    /// Whether the trace leaves out tensor products, because they only produce data.
    pub skips_products: bool,
    /// By PTX instruction: how the load/store unit treats its access.
    pub classes: Vec<AccessClass>,
    by_origin: Vec<Vec<u32>>,
}

impl Runs {
    /// Divides a kernel into runs.
    pub fn new(kernel: &Kernel, analyses: &Analyses) -> Runs {
        let (mut all, mut first_of_block) = (Vec::<InstructionRun>::new(), Vec::new());
        let mut by_origin = vec![Vec::new(); kernel.origins.len()];
        for (b, block) in analyses.cfg.blocks.iter().enumerate() {
            first_of_block.push(all.len() as u32);
            let mut last = None;
            for at in block.start..block.end {
                let origin = kernel.insts[at].origin;
                if last == Some(origin) {
                    if let Some(run) = all.last_mut() {
                        run.end = at as u32 + 1;
                    }
                    continue;
                }
                last = Some(origin);
                if let Some(runs) = by_origin.get_mut(origin as usize) {
                    runs.push(all.len() as u32);
                }
                all.push(InstructionRun {
                    block: b as u32,
                    start: at as u32,
                    end: at as u32 + 1,
                    origin,
                });
            }
        }
        first_of_block.push(all.len() as u32);
        let successors = (0..analyses.cfg.blocks.len())
            .map(|b| analyses.cfg.successors(b).iter().map(|&s| s as u32).collect())
            .collect();
        let passing = Passing::new(kernel);
        let each = |has: &dyn Fn(usize) -> bool| -> Vec<bool> {
            let of = |run: &InstructionRun| (run.start as usize..run.end as usize).any(has);
            all.iter().map(of).collect()
        };
        let observes = each(&|at| passing.observes(at));
        let by_instruction = |by_run: &[bool]| {
            let mut found = vec![false; kernel.origins.len()];
            for (run, _) in all.iter().zip(by_run).filter(|(_, has)| **has) {
                if let Some(one) = found.get_mut(run.origin as usize) {
                    *one = true;
                }
            }
            found
        };
        let observes_at = by_instruction(&observes);
        let publishes_at = by_instruction(&each(&|at| passing.publishes(at)));
        let fences_at = by_instruction(&each(&|at| {
            matches!(
                kernel.insts[at].opcode,
                Opcode::Annotation(SyncAnnotation::Fence(Scope::Device | Scope::System))
            )
        }));
        let branches_at =
            by_instruction(&each(&|at| matches!(kernel.insts[at].opcode, Opcode::Branch(_))));
        let classifier = AccessClassifier::new(kernel, analyses, true);
        let mut classes = vec![AccessClass::Load; kernel.origins.len()];
        for (at, inst) in kernel.insts.iter().enumerate().rev() {
            if let (Opcode::Memory(op), Some(class)) =
                (&inst.opcode, classes.get_mut(inst.origin as usize))
            {
                *class = classifier.class(at, op);
            }
        }
        let skips_products = products::only_data(kernel);
        let mut costs = vec![1; kernel.origins.len()];
        for inst in kernel.insts.iter().filter(|_| !skips_products) {
            if let Some(cost) = costs.get_mut(inst.origin as usize) {
                *cost += products::cost(inst);
            }
        }
        Runs {
            costs,
            skips_products,
            observes,
            observes_at,
            publishes_at,
            fences_at,
            branches_at,
            classes,
            all,
            first_of_block,
            successors,
            by_origin,
        }
    }

    /// The cost of a PTX instruction of a warp.
    pub fn cost(&self, instruction: u32) -> u64 {
        self.costs.get(instruction as usize).copied().unwrap_or(1).into()
    }

    /// The part of the emulation that a trace leaves out.
    pub fn left_out(&self) -> Wants {
        if self.skips_products { Wants::NO_PRODUCTS } else { Wants::NOTHING }
    }

    /// Whether ptxas merges the load of a run into an earlier one.
    pub fn is_merged(&self, run: u32) -> bool {
        let origin = self.all[run as usize].origin as usize;
        self.classes.get(origin) == Some(&AccessClass::Rest)
    }

    /// The run of PTX instruction `origin` that a warp executes after run `previous`.
    pub fn after(&self, previous: Option<u32>, origin: u32) -> Option<u32> {
        let candidates = self.by_origin.get(origin as usize)?;
        let only = candidates.first().copied();
        if candidates.len() < 2 {
            return only;
        }
        let Some(previous) = previous else { return only };
        let next = previous + 1;
        let here = self.all[previous as usize].block;
        let same = |run: u32| self.all.get(run as usize).is_some_and(|run| run.origin == origin);
        if same(next) && self.all[next as usize].block == here {
            return Some(next);
        }
        let starts = self.successors[here as usize].iter();
        let follows = starts.map(|&b| self.first_of_block[b as usize]).find(|&run| same(run));
        follows.or_else(|| {
            let starts =
                |run: &&u32| self.first_of_block[self.all[**run as usize].block as usize] == **run;
            candidates.iter().find(starts).copied().or(only)
        })
    }

    /// The runs of a basic block.
    pub fn of_block(&self, block: u32) -> std::ops::Range<u32> {
        self.first_of_block[block as usize]..self.first_of_block[block as usize + 1]
    }
}
