//! The issue slots and the execution pipes of the schedulers, and the reasons for lost cycles by Nsight Compute's names.

use crate::lower::Unit;
use crate::machine::{GpuModel, Timings};

/// Schedulers of a multiprocessor.
pub const SCHEDULERS: usize = 4;

/// A resource that may limit a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Issue slots.
    Issue,
    /// Pipe for FP32 and integer multiplication.
    Fma,
    /// Pipe for integers and logic.
    Alu,
    /// FP64 pipe.
    Double,
    /// Special-function unit.
    Special,
    /// Tensor cores.
    Tensor,
    /// Data path of shared memory and L1.
    Shared,
    /// Bandwidth between L1 and L2.
    L2,
    /// Bandwidth of device memory.
    Dram,
}

/// Number of resources.
pub const RESOURCES: usize = 9;

impl Resource {
    /// All resources, in the order of `busy`.
    pub const ALL: [Resource; RESOURCES] = [
        Resource::Issue,
        Resource::Fma,
        Resource::Alu,
        Resource::Double,
        Resource::Special,
        Resource::Tensor,
        Resource::Shared,
        Resource::L2,
        Resource::Dram,
    ];

    /// How many of them a multiprocessor has: one per scheduler, or one in all.
    pub fn units(self) -> f64 {
        match self {
            Resource::Shared | Resource::L2 | Resource::Dram => 1.0,
            _ => SCHEDULERS as f64,
        }
    }
}

/// Mean issue interval of FP32 operations relative to its lower bound, because operands conflict in register banks. The
/// best loop of FFMA and LDS on an H200 reaches 57.3 of 66.9 TFLOP/s.
const BANK_CONFLICTS: f64 = 1.12;

/// Cycles of special functions that wait in the queue of a scheduler: five instructions (Huerta et al., MICRO 2025, on the
/// queues of the memory pipe).
const SPECIAL_QUEUE: f64 = 40.0;

/// The cycles at which the pipes of one scheduler are free.
#[derive(Clone, Debug, Default)]
struct SchedulerPipes {
    slot: f64,
    /// The two halves of the FP32 pipe; integer products only use the first.
    fma: [f64; 2],
    alu: f64,
    half: f64,
    double: f64,
    special: f64,
    tensor: f64,
}

/// The pipes of all schedulers.
pub struct Pipes {
    schedulers: Vec<SchedulerPipes>,
    timings: Timings,
    double_interval: f64,
    halves: usize,
    /// Busy cycles by resource, summed over the schedulers.
    pub busy: [f64; RESOURCES],
    /// Busy cycles of the tensor cores with products of warpgroups, summed over the schedulers.
    pub products: f64,
}

impl Pipes {
    /// Creates the pipes of a GPU, all free.
    pub fn new(model: &GpuModel, schedulers: usize) -> Pipes {
        let per_scheduler = f64::from(model.architecture.fp64_per_sm) / schedulers as f64;
        Pipes {
            schedulers: vec![SchedulerPipes::default(); schedulers],
            timings: model.timings.clone(),
            double_interval: 32.0 / per_scheduler.max(0.5),
            halves: if model.timings.fma_interval < 1.5 { 2 } else { 1 },
            busy: [0.0; RESOURCES],
            products: 0.0,
        }
    }

    /// The cycle at which a scheduler's issue slot is free.
    pub fn slot(&self, scheduler: usize) -> f64 {
        self.schedulers[scheduler].slot
    }

    /// Further issues of a scheduler after the last one.
    pub fn take_slots(&mut self, scheduler: usize, count: f64) {
        self.schedulers[scheduler].slot += count;
        self.busy[Resource::Issue as usize] += count;
    }

    /// The cycle at which the pipe of a unit is free, and the stall reason of a warp that waits for it.
    pub fn free(&self, scheduler: usize, unit: Unit) -> (f64, Stall) {
        let pipes = &self.schedulers[scheduler];
        let either = |list: &[f64]| list.iter().copied().fold(f64::INFINITY, f64::min);
        let time = match unit {
            Unit::Fma => either(&pipes.fma[..self.halves]),
            Unit::Imad | Unit::ImadWide => pipes.fma[0],
            Unit::Add => pipes.alu.min(pipes.fma[0]),
            Unit::Alu | Unit::Predicate => pipes.alu,
            Unit::Half => pipes.half,
            Unit::Double => pipes.double,
            // They queue, as instructions of variable latency do.
            Unit::Special | Unit::Convert => pipes.special - SPECIAL_QUEUE,
            // The queue holds a few warpgroup products.
            Unit::Mma(_) => pipes.tensor,
            Unit::Wgmma(_) => pipes.tensor - 512.0,
            _ => 0.0,
        };
        (time, Stall::MathPipeThrottle)
    }

    /// Issues an operation; returns its latency.
    pub fn issue(&mut self, scheduler: usize, unit: Unit, time: f64) -> f64 {
        let timings = &self.timings;
        let pipes = &mut self.schedulers[scheduler];
        pipes.slot = time + 1.0;
        self.busy[Resource::Issue as usize] += 1.0;
        let mut occupy = |pipe: &mut f64, cycles: f64, resource: Resource| {
            *pipe = pipe.max(time) + cycles;
            self.busy[resource as usize] += cycles;
        };
        match unit {
            Unit::Fma if self.halves == 2 => {
                let [first, second] = &mut pipes.fma;
                let pipe = if second <= first { second } else { first };
                occupy(pipe, 2.0 * timings.fma_interval * BANK_CONFLICTS, Resource::Fma);
                self.busy[Resource::Fma as usize] -= timings.fma_interval * BANK_CONFLICTS;
                timings.fma_latency
            }
            Unit::Fma => {
                occupy(&mut pipes.fma[0], timings.fma_interval, Resource::Fma);
                timings.fma_latency
            }
            Unit::Imad | Unit::ImadWide => {
                let times = if unit == Unit::ImadWide { 2.0 } else { 1.0 };
                occupy(&mut pipes.fma[0], timings.imad_interval * times, Resource::Fma);
                timings.imad_latency + if unit == Unit::ImadWide { 1.0 } else { 0.0 }
            }
            Unit::Add => {
                if pipes.alu <= pipes.fma[0] {
                    occupy(&mut pipes.alu, timings.alu_interval, Resource::Alu);
                } else {
                    occupy(&mut pipes.fma[0], timings.imad_interval, Resource::Fma);
                }
                timings.alu_latency
            }
            Unit::Alu => {
                occupy(&mut pipes.alu, timings.alu_interval, Resource::Alu);
                timings.alu_latency
            }
            Unit::Predicate => {
                occupy(&mut pipes.alu, timings.alu_interval, Resource::Alu);
                timings.predicate_latency
            }
            Unit::Half => {
                occupy(&mut pipes.half, timings.half_interval, Resource::Fma);
                timings.half_latency
            }
            Unit::Double => {
                occupy(&mut pipes.double, self.double_interval, Resource::Double);
                timings.double_latency
            }
            Unit::Special => {
                let queued = (pipes.special - time).max(0.0);
                occupy(&mut pipes.special, timings.xu_interval, Resource::Special);
                queued + timings.xu_latency
            }
            Unit::Convert => {
                let queued = (pipes.special - time).max(0.0);
                occupy(&mut pipes.special, timings.convert_interval, Resource::Special);
                queued + timings.convert_latency
            }
            Unit::Mma(units) => {
                let cycles = f64::from(units) / 64.0 * timings.mma_interval;
                occupy(&mut pipes.tensor, cycles, Resource::Tensor);
                timings.mma_latency + (cycles - timings.mma_interval).max(0.0)
            }
            Unit::Wgmma(units) => {
                let cycles = f64::from(units) * 4096.0 / timings.wgmma_flops;
                occupy(&mut pipes.tensor, cycles, Resource::Tensor);
                self.products += cycles;
                1.0
            }
            _ => 1.0,
        }
    }

    /// The cycle at which a scheduler's last warpgroup product ends.
    pub fn product_end(&self, scheduler: usize) -> f64 {
        self.schedulers[scheduler].tensor
    }
}

/// The reason why a warp did not issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// Waits for a fixed-latency result.
    Wait,
    /// Waits for a result of global or local memory.
    LongScoreboard,
    /// Waits for a result of shared memory, a shuffle or a special function.
    ShortScoreboard,
    /// Waits for a busy arithmetic pipe.
    MathPipeThrottle,
    /// Waits for room in the queue of memory instructions.
    MioThrottle,
    /// Waits for room in the queue of global memory.
    LgThrottle,
    /// Waits at a barrier or mbarrier.
    Barrier,
    /// Waits for a fence.
    Membar,
    /// Waits for the target of a branch.
    BranchResolving,
    /// Waits for instructions to be fetched.
    NoInstruction,
    /// Waits for matrix products of a warpgroup.
    Gmma,
    /// Another warp issued.
    NotSelected,
}

/// Number of reasons.
pub const STALLS: usize = 12;

impl Stall {
    /// All reasons, in the order of [`LostCycles`].
    pub const ALL: [Stall; STALLS] = [
        Stall::Wait,
        Stall::LongScoreboard,
        Stall::ShortScoreboard,
        Stall::MathPipeThrottle,
        Stall::MioThrottle,
        Stall::LgThrottle,
        Stall::Barrier,
        Stall::Membar,
        Stall::BranchResolving,
        Stall::NoInstruction,
        Stall::Gmma,
        Stall::NotSelected,
    ];

    /// Nsight Compute's name.
    pub fn name(self) -> &'static str {
        match self {
            Stall::Wait => "wait",
            Stall::LongScoreboard => "long_scoreboard",
            Stall::ShortScoreboard => "short_scoreboard",
            Stall::MathPipeThrottle => "math_pipe_throttle",
            Stall::MioThrottle => "mio_throttle",
            Stall::LgThrottle => "lg_throttle",
            Stall::Barrier => "barrier",
            Stall::Membar => "membar",
            Stall::BranchResolving => "branch_resolving",
            Stall::NoInstruction => "no_instruction",
            Stall::Gmma => "gmma",
            Stall::NotSelected => "not_selected",
        }
    }

    /// The meaning in one sentence without a period, for `lanework explain`.
    pub fn meaning(self) -> &'static str {
        match self {
            Stall::Wait => {
                "the warp waits for an arithmetic result whose latency is fixed; more warps or independent instructions hide it"
            }
            Stall::LongScoreboard => {
                "the warp waits for data from global or local memory; more loads in flight, or data in shared memory, hide it"
            }
            Stall::ShortScoreboard => {
                "the warp waits for shared memory, a shuffle or a special function (`ex2`, `sin`, ...)"
            }
            Stall::MathPipeThrottle => {
                "the arithmetic pipe of the instruction is busy with other warps"
            }
            Stall::MioThrottle => {
                "the queue to shared memory, shuffles and special functions is full; bank conflicts fill it"
            }
            Stall::LgThrottle => {
                "the queue to global memory is full; wider accesses need fewer entries"
            }
            Stall::Barrier => "the warp waits at a barrier or an mbarrier for other warps",
            Stall::Membar => "the warp waits for a memory fence",
            Stall::BranchResolving => "the warp waits for the target of a branch",
            Stall::NoInstruction => {
                "the next instructions have to be fetched; the first run of code from a cold cache shows this"
            }
            Stall::Gmma => "the warp waits for matrix products of its warpgroup",
            Stall::NotSelected => {
                "the warp could issue, but the scheduler chose another one; there are enough warps"
            }
        }
    }
}

/// Lost warp cycles and issues by run.
#[derive(Clone, Debug, Default)]
pub struct LostCycles {
    /// Lost cycles by run and reason.
    pub by_run: Vec<[f64; STALLS]>,
    /// Issues by run.
    pub issues: Vec<u64>,
}

impl LostCycles {
    /// Creates counts of 0 for a number of runs.
    pub fn new(runs: usize) -> LostCycles {
        LostCycles { by_run: vec![[0.0; STALLS]; runs], issues: vec![0; runs] }
    }

    /// Adds lost cycles.
    pub fn add(&mut self, run: u32, reason: Stall, cycles: f64) {
        self.by_run[run as usize][reason as usize] += cycles;
    }

    /// Counts an issue.
    pub fn issue(&mut self, run: u32) {
        self.issues[run as usize] += 1;
    }
}
