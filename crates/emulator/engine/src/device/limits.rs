//! The limits of an emulated device, and the options it is made with.

use crate::device::occupancy::Multiprocessor;
use crate::fault::FaultKind;
use std::cell::Cell;
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
    /// Allocation unit of shared memory in bytes: an access beyond a block's arrays but within the last unit is not a fault. With 1 every byte is checked, as with gaps between allocations.
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
    /// An order drawn from the seed: the same seed gives the same order.
    Seeded(u64),
    /// The warps of a block run a few instructions each in turn, so that they advance together, as on a GPU. Code that relies on this, such as one with a missing barrier where warps rarely drift apart, then mostly computes the same results as on a GPU. Under checks and counters, warps run in the order of their numbers.
    Interleaved,
}

impl Schedule {
    /// The seed, if the order is random.
    pub(crate) fn seed(self) -> Option<u64> {
        match self {
            Schedule::Seeded(seed) => Some(seed),
            Schedule::InOrder | Schedule::Interleaved => None,
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
    /// Allocations, and variables in shared memory, are far apart, so that an index out of one does not reach
    /// another; and initialized bytes are tracked.
    pub gaps: bool,
    /// Fresh global memory holds zeros, as mostly on a GPU that no program has used before. Ignored if `gaps` is
    /// set: unwritten memory then holds 0xCD bytes, the default.
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
