//! One worker: it runs blocks one after the other, the warps of a block in turn.

mod apart;
mod barriers;
mod registers;
mod team;
mod view;

use crate::allowance::Allowance;
use crate::assemble::Prefill;
use crate::asynchrony::handler::waits_for;
use crate::fault::{FaultKind, Located, RawFault};
use crate::hook::{Hook, Wants};
use crate::machine::{Context, Stop, Warp, WarpgroupArrival};
use crate::memory::{Memory, POISON};
use crate::program::Assembled;
use crate::region::Region;
use crate::slot::Slot;
use apart::Part;
use barriers::Barrier;
use lanework_ptx_ir::kernel::{MemorySpace, Special};
use registers::{Buffer, slot_bytes};
use std::sync::Arc;

pub use team::Team;

/// Instructions of a warp's turn where warps spin until another has had its turn.
const SPINNING_TURN: u64 = 1 << 10;
/// Barriers of a block.
const BARRIERS: usize = 16;

/// The shape of a launch, as a worker needs it.
#[derive(Clone)]
pub struct Shape {
    /// Blocks per axis.
    pub grid: [u32; 3],
    /// Threads per axis.
    pub block: [u32; 3],
    /// Blocks of a cluster per axis.
    pub cluster: [u32; 3],
    /// Whether the launch or the kernel says that there are clusters.
    pub explicit_cluster: bool,
    /// Dynamic shared memory in bytes.
    pub dynamic_shared: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Instructions that a warp may execute.
    pub max_instructions: Option<u64>,
    /// What the launch as a whole may take, where that is limited.
    pub allowance: Option<Arc<Allowance>>,
    /// The seed of the order of turns, if it is not in order.
    pub seed: Option<u64>,
}

/// What a warp is about to do.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Ready,
    /// At a barrier for all threads, not yet entered in its book.
    Plain(usize),
    Waiting(usize),
    /// It waits for what it asks about again in each round.
    Asking,
    Done,
}

/// What came of a round of turns.
#[derive(Clone, Copy, PartialEq)]
enum Round {
    /// All warps have ended.
    Done,
    /// One warp at least got on.
    Progress,
    /// None could.
    Idle,
}

/// Runs blocks.
pub struct Worker<'a> {
    assembled: &'a Assembled,
    shape: Shape,
    /// What the warps share.
    pub context: Box<Context>,
    warps: Vec<Warp>,
    states: Vec<State>,
    /// The ways of each warp whose lanes run apart.
    parts: Vec<Vec<Part>>,
    /// Whether a warp's lanes have had to run apart because one waited for another.
    spun: bool,
    barriers: Vec<Barrier>,
    registers: Buffer,
    wide_registers: Option<Buffer>,
    _shared: Buffer,
    _local: Buffer,
    _parameters: Buffer,
    /// Instructions by warps so far.
    pub instructions: u64,
    /// Instructions by lanes so far.
    pub lane_instructions: u64,
    random: u64,
    /// The instructions of a turn.
    turn: u64,
    /// Warps that have ended in this block.
    done: u32,
    /// Warps at plain barriers in this round.
    plain: u32,
    /// Warps that wait at barriers.
    waiting: usize,
    /// Whether a warp has arrived at a barrier in this block without waiting.
    arrived_only: bool,
    /// Whether a warp has used up its turn since it was last asked.
    yielded: bool,
    /// The instructions of a turn, where the instrument has set them.
    turn_set: Option<u64>,
    order: Vec<usize>,
    /// What of the register file changes from block to block.
    per_block: Vec<(Slot, Special)>,
}

impl<'a> Worker<'a> {
    /// A worker for one launch.
    pub fn new(
        assembled: &'a Assembled,
        shape: Shape,
        memory: &Memory,
        parameters: &[u8],
        hook: Hook,
        rank: u32,
    ) -> Worker<'a> {
        let kernel = &assembled.kernel;
        let threads: u32 = shape.block.iter().product();
        let warps = threads.div_ceil(32);
        let shared_bytes = kernel.static_shared as usize + shape.dynamic_shared as usize;
        let mut shared = Buffer::new(shared_bytes);
        let local_bytes = u64::from(kernel.local_bytes.next_multiple_of(16));
        let mut local = Buffer::new(local_bytes as usize * warps as usize * 32);
        let mut parameter_buffer = Buffer::new(parameters.len() + 64);
        // SAFETY: the buffer is larger than the parameters.
        unsafe {
            let to = parameter_buffer.start();
            to.copy_from_nonoverlapping(parameters.as_ptr(), parameters.len());
        }
        let code = &assembled.code;
        let context = Box::new(Context {
            memory,
            shared: Region { start: 0, bytes: shared_bytes as u64, host: shared.start() },
            parameters: Region {
                start: 0,
                bytes: parameters.len() as u64,
                host: parameter_buffer.start(),
            },
            local: local.start(),
            local_bytes,
            sites: code.sites.clone(),
            origin_of: code.origin_of.as_ptr(),
            visits: vec![[0; 2]; code.runs.last().map_or(0, |(block, _)| *block as usize + 1)],
            hook,
            printed: String::new(),
            block: 0,
            cluster: std::ptr::null_mut(),
            rank,
            warpgroups: vec![WarpgroupArrival::default(); warps as usize],
            fault: None,
        });
        let stride = code.register_bytes.next_multiple_of(64);
        let registers = Buffer::new(stride * warps as usize);
        let seed = shape.seed.unwrap_or(0);
        let per_block = code.prefill.iter().filter_map(|(slot, what)| match what {
            Prefill::Special(
                s @ (Special::Block(_) | Special::Cluster(_) | Special::Multiprocessor),
            ) => Some((*slot, *s)),
            _ => None,
        });
        let per_block = per_block.collect();
        let mut worker = Worker {
            assembled,
            shape,
            context,
            warps: (0..warps).map(Warp::new).collect(),
            states: vec![State::Ready; warps as usize],
            parts: (0..warps).map(|_| Vec::new()).collect(),
            spun: false,
            barriers: vec![Barrier::default(); BARRIERS],
            registers,
            wide_registers: None,
            _shared: shared,
            _local: local,
            _parameters: parameter_buffer,
            instructions: 0,
            lane_instructions: 0,
            random: seed,
            // SAFETY: this worker alone uses its instrument.
            turn: unsafe { hook.any() }.time_slice(),
            done: 0,
            plain: 0,
            waiting: 0,
            arrived_only: false,
            yielded: false,
            turn_set: None,
            order: Vec::new(),
            per_block,
        };
        let start = worker.registers.start();
        for w in 0..warps as usize {
            worker.warps[w].regs = start.wrapping_add(stride * w);
            worker.warps[w].context = &raw mut *worker.context;
            worker.warps[w].sites = worker.context.sites.as_mut_ptr();
            worker.prefill(w, code);
        }
        worker
    }

    /// The index of the block that runs.
    pub fn block_index(&self) -> [u32; 3] {
        let [x, y, _] = self.shape.grid.map(u64::from);
        let linear = self.context.block;
        [(linear % x) as u32, (linear / x % y) as u32, (linear / x / y) as u32]
    }

    fn draw(&mut self, below: u64) -> u64 {
        // xorshift64*, enough to shake an order.
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) % below.max(1)
    }

    /// Counts what the warps of a block have executed.
    fn settle(&mut self) {
        for warp in &self.warps {
            self.instructions += warp.instructions;
            self.lane_instructions += warp.lane_instructions;
        }
    }

    fn start(&mut self, block: u64) {
        self.context.block = block;
        self.order.clear();
        self.order.extend(0..self.warps.len());
        self.random =
            self.shape.seed.unwrap_or(0) ^ (block + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let threads: u32 = self.shape.block.iter().product();
        let (shared, local) = (self.context.shared, self.context.local);
        // SAFETY: both buffers are as large as told.
        unsafe {
            shared.host.write_bytes(POISON, shared.bytes as usize);
            let bytes = self.context.local_bytes as usize * self.warps.len() * 32;
            local.write_bytes(POISON, bytes);
        }
        let assembled = self.assembled;
        let code = &assembled.code;
        let stride = code.register_bytes.next_multiple_of(64);
        let base = self.registers.start();
        for w in 0..self.warps.len() {
            let first = w as u32 * 32;
            let lanes = if threads - first >= 32 { u32::MAX } else { (1 << (threads - first)) - 1 };
            let warp = &mut self.warps[w];
            warp.regs = base.wrapping_add(stride * w);
            warp.instructions = 0;
            warp.lane_instructions = 0;
            warp.divergent_branches = 0;
            warp.start(lanes, code.ops.as_ptr());
            self.states[w] = State::Ready;
            self.parts[w].clear();
            for r in &assembled.undefined {
                let slot = code.slots[*r as usize];
                // SAFETY: the assembler reserved the slot.
                unsafe { self.warps[w].at(slot).write_bytes(0, slot_bytes(slot, assembled, *r)) };
            }
        }
        self.context.warpgroups.fill(WarpgroupArrival::default());
        self.prefill_block();
        self.done = 0;
        self.plain = 0;
        if self.waiting > 0 || self.arrived_only {
            self.waiting = 0;
            self.arrived_only = false;
            self.barriers.fill(Barrier::default());
        }
    }

    /// Gives every warp its turn.
    fn round(&mut self) -> Result<Round, Located> {
        let mut order = std::mem::take(&mut self.order);
        let result = self.turns(&mut order);
        self.order = order;
        result
    }

    fn turns(&mut self, order: &mut [usize]) -> Result<Round, Located> {
        let count = order.len();
        let mut progress = false;
        if self.shape.seed.is_some() {
            for i in (1..count).rev() {
                let j = self.draw(i as u64 + 1) as usize;
                order.swap(i, j);
            }
        }
        for &w in order.iter() {
            match self.states[w] {
                State::Ready => {
                    progress = true;
                    self.turn(w)?;
                }
                State::Asking => {
                    self.states[w] = State::Ready;
                    self.turn(w)?;
                    progress |= self.states[w] != State::Asking;
                }
                _ => {}
            }
        }
        if self.plain > 0 {
            self.meet()?;
        }
        Ok(match progress {
            _ if self.done as usize == count => Round::Done,
            true => Round::Progress,
            false => Round::Idle,
        })
    }

    /// Runs one warp until it stops, unless the launch has had its share.
    fn turn(&mut self, w: usize) -> Result<(), Located> {
        if self.shape.allowance.is_none() {
            return self.take_turn(w);
        }
        let spent = self.shape.allowance.as_deref().and_then(Allowance::spent);
        if let Some((kind, note)) = spent {
            let mask = self.warps[w].mask;
            let raw = RawFault::of_lanes(kind, MemorySpace::Generic, mask, note);
            return Err(self.locate(w, raw));
        }
        let before = self.warps[w].instructions;
        let result = self.take_turn(w);
        if let Some(allowance) = &self.shape.allowance {
            allowance.spend(self.warps[w].instructions - before);
        }
        result
    }

    fn take_turn(&mut self, w: usize) -> Result<(), Located> {
        let turn = match self.shape.seed {
            _ if self.turn_set.is_some() => self.turn_set.unwrap_or(self.turn),
            Some(_) => 64 + self.draw(1024),
            None if self.spun => SPINNING_TURN,
            None => self.turn,
        };
        let limit = self.shape.max_instructions.unwrap_or(u64::MAX);
        if self.warps[w].apart {
            return self.turn_apart(w, limit);
        }
        loop {
            let warp = &mut self.warps[w];
            warp.turn_end = (warp.instructions + turn).min(limit);
            // SAFETY: the warp was started with code for its register file.
            let stop = unsafe { warp.run() };
            match stop {
                Stop::Running | Stop::Done => {
                    self.end(w);
                    return Ok(());
                }
                Stop::Barrier => {
                    // SAFETY: a warp stops at an operation of its code.
                    let imm = unsafe { (*self.warps[w].stopped_at).imm };
                    let in_order = Wants::BARRIERS | Wants::SYNCHRONISATION;
                    if imm >> 16 & 1 == 0 || self.context.hook.wants(in_order) {
                        return self.arrive(w);
                    }
                    self.states[w] = State::Plain((imm >> 24) as usize & (BARRIERS - 1));
                    self.plain += 1;
                    return Ok(());
                }
                Stop::Yield if self.warps[w].instructions >= limit => {
                    return Err(self.locate(w, limit_fault(&self.warps[w], limit)));
                }
                Stop::Yield => {
                    self.yielded = true;
                    if self.may_spin(w) {
                        self.spun = true;
                        self.part(w, stop);
                    }
                    return Ok(());
                }
                Stop::Converge => {
                    self.part(w, stop);
                    return Ok(());
                }
                Stop::Wait => {
                    self.warps[w].rotate();
                    self.states[w] = State::Asking;
                    return Ok(());
                }
                Stop::Widen => self.widen(w),
                Stop::Fault => return Err(self.faulted(w, limit)),
            }
        }
    }

    /// A warp has ended.
    fn end(&mut self, w: usize) {
        self.states[w] = State::Done;
        self.done += 1;
        if let Some(instrument) = self.context.instrument(Wants::EDGES) {
            instrument.warp_end(w);
        }
        if self.waiting > 0 {
            for b in 0..BARRIERS {
                self.complete(b);
            }
        }
    }

    fn faulted(&mut self, w: usize, limit: u64) -> Located {
        let raw = self.context.fault.take().map(|f| *f);
        let raw = raw.unwrap_or_else(|| limit_fault(&self.warps[w], limit));
        self.locate(w, raw)
    }

    fn locate(&self, w: usize, raw: RawFault) -> Located {
        let warp = &self.warps[w];
        let pc = warp.pc(warp.stopped_at) as usize;
        let origin = self.assembled.code.origin_of.get(pc).copied().unwrap_or(0);
        Located { raw, origin, warp: w as u32 }
    }
}

fn limit_fault(warp: &Warp, limit: u64) -> RawFault {
    RawFault::of_lanes(
        FaultKind::InstructionLimit,
        MemorySpace::Generic,
        warp.mask,
        format!("a warp executed {limit} instructions and had not ended"),
    )
}
