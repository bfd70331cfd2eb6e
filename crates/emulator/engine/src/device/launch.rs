//! A launch: its inputs and its result, the limits and options of the device that runs it, and occupancy.
//!
//! Occupancy is the number of blocks that a multiprocessor holds at once, and the resource that limits it. The rules follow
//! NVIDIA's occupancy calculator: registers are allocated per warp in units of 256, shared memory per block in units of 128
//! bytes (plus 1 KB for the system from compute capability 8.0 on), and only whole blocks are resident.

use crate::assemble::code::Assembled;
use crate::fault::FaultKind;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The limits of one device. The default resembles a Hopper-class GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum threads per block.
    pub threads_per_block: u32,
    /// Largest block in x, y and z.
    pub block: [u32; 3],
    /// Largest grid in x, y and z.
    pub grid: [u32; 3],
    /// Maximum statically declared shared memory per block, in bytes.
    pub static_shared: u32,
    /// Maximum shared memory per block, static and dynamic together, in bytes.
    pub shared: u32,
    /// Allocation unit of shared memory in bytes: an access beyond a block's arrays but within the last unit is not a fault. With 1
    /// every byte is checked, as with gaps between allocations.
    pub shared_unit: u32,
    /// Global memory, in bytes.
    pub memory: u64,
    /// Local memory per thread, in bytes.
    pub local: u32,
    /// Multiprocessors, as `%nsmid` reports them.
    pub multiprocessors: u32,
    /// The resources of each multiprocessor.
    pub multiprocessor: Multiprocessor,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            threads_per_block: 1024,
            block: [1024, 1024, 64],
            grid: [0x7fff_ffff, 65_535, 65_535],
            static_shared: 48 << 10,
            shared: 227 << 10,
            shared_unit: 1,
            memory: 16 << 30,
            local: 512 << 10,
            multiprocessors: 132,
            multiprocessor: Multiprocessor::HOPPER,
        }
    }
}

/// The order in which blocks and warps get their time slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Warps and blocks in the order of their numbers.
    #[default]
    InOrder,
    /// Warps and blocks in the opposite order: the one that runs first in order runs last here.
    Reversed,
    /// An order drawn from the seed: the same seed gives the same order.
    Seeded(u64),
    /// The warps of a block run a few instructions each in turn, so that they advance together, as on a GPU. Code that relies on
    /// this, such as code that lacks a barrier between warps that rarely drift apart, then mostly computes the same results as on
    /// a GPU. Under checks and counters, warps run in the order of their numbers.
    Interleaved,
}

impl Schedule {
    /// The seed, if the order is random.
    pub(crate) fn seed(self) -> Option<u64> {
        match self {
            Schedule::Seeded(seed) => Some(seed),
            Schedule::InOrder | Schedule::Reversed | Schedule::Interleaved => None,
        }
    }
}

/// Options of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The device's limits.
    pub limits: Limits,
    /// Host threads that run blocks, at most one per core; `None` takes one per core.
    pub workers: Option<usize>,
    /// The order of time slices.
    pub schedule: Schedule,
    /// Warp instructions after which a warp counts as stuck; `None` for no limit.
    pub max_instructions: Option<u64>,
    /// Warp instructions, summed over all warps, after which a launch is stopped; `None` for no limit.
    pub total_instructions: Option<u64>,
    /// Time after which a launch is stopped; `None` for no limit.
    pub time_limit: Option<std::time::Duration>,
    /// Run every register as 32 separate lanes, with no analysis of uniform and affine values. Slow;
    /// the reference that the fast engine is compared with.
    pub all_varying: bool,
    /// Place allocations and shared variables far apart, so that an index past the end of one does
    /// not reach another. Also track initialized bytes.
    pub gaps: bool,
    /// Fill fresh global memory with zeros, which a GPU that no program has used before mostly
    /// holds. Without this option, or if `gaps` is set, fresh memory holds 0xCD bytes.
    pub zeroed: bool,
    /// Check assembled code before it runs; see the module `assemble::verify`.
    pub verify: bool,
}

/// Whether the process was asked to end: launches with a limit then stop and report what they have found.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Invalid accesses after which the launch that runs on this thread stops; 0: never.
    static INVALID: Cell<u64> = const { Cell::new(0) };
}

/// Prefix of the note of a launch that stops for a reason other than a limit in its options.
pub const STOPPED: &str = "stopped: ";

/// Makes launches that have a limit stop, or allows them to run again. A signal handler may call it.
pub fn interrupt(stops: bool) {
    INTERRUPTED.store(stops, Ordering::SeqCst);
}

/// Makes the launch that runs on this thread stop after this many invalid accesses.
pub fn stop_after(invalid_accesses: u64) {
    INVALID.set(invalid_accesses);
}

/// The limits of one launch, and what it has used.
pub struct Fuel {
    instructions: Option<u64>,
    time: Option<(Instant, Duration)>,
    used: AtomicU64,
}

impl Fuel {
    /// The fuel of a launch that starts now; `None` without limits.
    pub fn new(options: &Options) -> Option<Arc<Fuel>> {
        let (instructions, limit) = (options.total_instructions, options.time_limit);
        if instructions.is_none() && limit.is_none() {
            return None;
        }
        let time = limit.map(|limit| (Instant::now(), limit));
        Some(Arc::new(Fuel { instructions, time, used: AtomicU64::new(0) }))
    }

    /// Counts instructions that a warp has executed.
    pub fn spend(&self, instructions: u64) {
        self.used.fetch_add(instructions, Ordering::Relaxed);
    }

    /// The limit that is reached, and its message.
    pub fn spent(&self) -> Option<(FaultKind, String)> {
        if INTERRUPTED.load(Ordering::Relaxed) {
            return Some((FaultKind::TimeLimit, "stopped: the program was interrupted".to_owned()));
        }
        let invalid = INVALID.take();
        if invalid > 0 {
            let note = format!("stopped: one instruction made {invalid} invalid accesses");
            return Some((FaultKind::InstructionLimit, note));
        }
        if let Some(most) = self.instructions
            && self.used.load(Ordering::Relaxed) >= most
        {
            let note = format!("the warps executed {most} instructions and had not all ended");
            return Some((FaultKind::InstructionLimit, note));
        }
        let (start, limit) = self.time?;
        (start.elapsed() >= limit).then(|| {
            let seconds = limit.as_secs_f64();
            (FaultKind::TimeLimit, format!("the launch ran for {seconds} s and had not ended"))
        })
    }
}

/// Threads of a warp.
const WARP: u32 = 32;

/// Allocation unit of a warp's registers.
const REGISTER_UNIT: u32 = 256;

/// Allocation unit of a block's shared memory, in bytes.
const SHARED_UNIT: u32 = 128;

/// Shared memory that the system reserves in every block, in bytes.
const SHARED_RESERVED: u32 = 1024;

/// The resources of one multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiprocessor {
    /// Threads.
    pub threads: u32,
    /// Blocks.
    pub blocks: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Bytes of shared memory.
    pub shared: u32,
}

impl Multiprocessor {
    /// Compute capability 9.0, by the table of compute capabilities of the CUDA C++ Programming Guide.
    pub const HOPPER: Multiprocessor =
        Multiprocessor { threads: 2048, blocks: 32, registers: 65_536, shared: 228 << 10 };

    /// The number of resident blocks of `threads` threads with `registers` registers each and `shared` bytes of shared
    /// memory, and the limit: `threads`, `blocks`, `registers` or `shared memory`.
    pub fn resident_blocks(
        &self,
        threads: u32,
        registers: u32,
        shared: u32,
    ) -> (u32, &'static str) {
        let warps = threads.div_ceil(WARP).max(1);
        let by_threads = self.threads / WARP / warps;
        let per_warp = (registers.max(1) * WARP).next_multiple_of(REGISTER_UNIT);
        let by_registers = self.registers / per_warp / warps;
        let reserved = if self.shared > 98_304 { SHARED_RESERVED } else { 0 };
        let per_block = (shared + reserved).next_multiple_of(SHARED_UNIT);
        let by_shared = self.shared.checked_div(per_block).unwrap_or(u32::MAX);
        let limits =
            [(by_registers, "registers"), (by_shared, "shared memory"), (self.blocks, "blocks")];
        limits.into_iter().fold((by_threads, "threads"), |least, limit| {
            if limit.0 < least.0 { limit } else { least }
        })
    }
}

/// The number of a kernel's blocks that the device holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Residency {
    /// In all: whole clusters.
    pub blocks: u64,
    /// On one multiprocessor.
    pub per_multiprocessor: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// The limiting resource.
    pub limiter: &'static str,
}

impl fmt::Display for Residency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Residency { blocks, per_multiprocessor, multiprocessors, limiter } = self;
        let plural = if *blocks == 1 { "block" } else { "blocks" };
        write!(
            f,
            "{blocks} {plural} of this kernel fit on the device at once ({per_multiprocessor} on each of {multiprocessors} multiprocessors, limited by {limiter})"
        )
    }
}

/// Divisor for a safe lower bound on registers: for 1,225 kernels of this repository, ptxas 13.0 never allocates fewer
/// than a quarter of the estimate. A grid that the driver would accept must not be refused.
const SURE_REGISTERS: u32 = 4;

/// The maximum number of a launch's blocks that the device holds; the register count of the driver's compiler is
/// unknown.
pub fn residency(assembled: &Assembled, launch: &LaunchConfig<'_>, limits: &Limits) -> Residency {
    let kernel = &assembled.kernel;
    let threads = launch.block.iter().product();
    let shared = kernel.declared_shared.next_multiple_of(16).saturating_add(launch.dynamic_shared);
    let registers = assembled.register_pressure().registers.div_ceil(SURE_REGISTERS);
    let (per_multiprocessor, limiter) =
        limits.multiprocessor.resident_blocks(threads, registers, shared);
    let cluster = launch.cluster.or(kernel.required_cluster).unwrap_or([1; 3]);
    let cluster: u64 = cluster.iter().map(|blocks| u64::from(*blocks)).product();
    let multiprocessors = limits.multiprocessors;
    let blocks = u64::from(per_multiprocessor) * u64::from(multiprocessors);
    let blocks = blocks - blocks % cluster.max(1);
    Residency { blocks, per_multiprocessor, multiprocessors, limiter }
}

/// The shape of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchConfig<'a> {
    /// The entry to run.
    pub entry: &'a str,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads per block in x, y and z.
    pub block: [u32; 3],
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_shared: u32,
    /// Which blocks to run.
    pub blocks: Blocks,
    /// Blocks of a cluster in x, y and z; `None` leaves it to the kernel.
    pub cluster: Option<[u32; 3]>,
    /// Whether it is cooperative: all blocks are resident at the same time, and the kernel receives a workspace
    /// for grid-wide barriers.
    pub cooperative: bool,
}

impl<'a> LaunchConfig<'a> {
    /// All blocks of a grid, with no dynamic shared memory.
    pub fn new(entry: &'a str, grid: [u32; 3], block: [u32; 3]) -> Self {
        LaunchConfig {
            entry,
            grid,
            block,
            dynamic_shared: 0,
            blocks: Blocks::All,
            cluster: None,
            cooperative: false,
        }
    }
}

/// Which blocks of a grid run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blocks {
    /// All.
    #[default]
    All,
    /// At most `count` blocks, spread evenly over the grid: the same ones each time. Results of the
    /// others are not computed; counters cover the blocks that ran.
    Sample {
        /// Their number.
        count: u64,
    },
    /// At most `count` blocks from `first` on, by linear index. Results and counters are as with `Sample`.
    Range {
        /// The first one.
        first: u64,
        /// Their number.
        count: u64,
    },
}

/// The result of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The kernel's `printf` output, by block number and then in the order of execution.
    pub printed: String,
    /// Blocks that ran.
    pub blocks_run: u64,
    /// Blocks in the grid.
    pub blocks_total: u64,
    /// PTX instructions executed by warps.
    pub warp_instructions: u64,
    /// PTX instructions executed by lanes: warp instructions times active lanes, ignoring guards (`@p`).
    pub lane_instructions: u64,
}

#[cfg(test)]
mod tests {
    use crate::device::launch::*;

    fn hopper(threads: u32, registers: u32, shared: u32) -> (u32, &'static str) {
        Multiprocessor::HOPPER.resident_blocks(threads, registers, shared)
    }

    #[test]
    fn each_limit_limits() {
        assert_eq!(hopper(1024, 32, 0), (2, "threads"));
        assert_eq!(hopper(32, 32, 0), (32, "blocks"));
        assert_eq!(hopper(256, 128, 0), (2, "registers"));
        assert_eq!(hopper(256, 255, 0), (1, "registers"));
        assert_eq!(hopper(128, 32, 100_000), (2, "shared memory"));
    }
}
