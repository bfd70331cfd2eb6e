//! Makes a worker for a launch, prepares it for each of its blocks, and runs the warps of a block in passes: each warp runs for
//! a time slice.

use crate::assemble::Prefill;
use crate::assemble::code::Assembled;
use crate::block::barriers::BarrierForm;
use crate::block::registers::slot_bytes;
use crate::block::worker::{
    BARRIERS, Barrier, Buffer, PassOutcome, Shape, State, Worker, limit_fault,
};
use crate::device::launch::{Fuel, Schedule};
use crate::fault::{Located, RawFault};
use crate::instructions::access::site::Region;
use crate::instructions::asynchrony::registers::RegisterPool;
use crate::instrument::event::{Hook, Wants};
use crate::machine::context::{Context, Deferred, WarpgroupArrival};
use crate::machine::{Stop, Warp};
use crate::memory::{Memory, POISON};
use lanework_ptx_ir::kernel::{MemorySpace, SpecialRegister};

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
        let shared_bytes = (kernel.static_shared as usize + shape.dynamic_shared as usize)
            .next_multiple_of(shape.shared_unit as usize);
        let mut shared = Buffer::new(shared_bytes);
        let local_bytes = u64::from(kernel.local_bytes.next_multiple_of(16));
        let mut local = Buffer::new(local_bytes as usize * warps as usize * 32);
        let mut parameter_buffer = Buffer::new(parameters.len() + 64);
        // SAFETY: `parameter_buffer` was made 64 bytes larger than `parameters`, and is new, so the two do not overlap.
        unsafe {
            let to = parameter_buffer.start();
            to.copy_from_nonoverlapping(parameters.as_ptr(), parameters.len());
        }
        let code = &assembled.code;
        let delayed = shape.delays.then(|| assembled.delayed()).flatten();
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
            kernel_registers: &raw const kernel.registers[..],
            slots: [&raw const code.slots[..]; 2],
            visits: vec![[0; 2]; code.runs.last().map_or(0, |(block, _)| *block as usize + 1)],
            deferred: vec![Deferred::default(); code.chains.len()],
            clock_ahead: 0,
            hook,
            printed: String::new(),
            block: 0,
            cluster: std::ptr::null_mut(),
            rank,
            registers: RegisterPool::new(kernel.entry_registers),
            warpgroups: vec![WarpgroupArrival::default(); warps as usize],
            factors: None,
            delayed,
            fault: None,
        });
        let stride = code.register_bytes.next_multiple_of(64);
        let registers = Buffer::new(stride * warps as usize);
        let seed = shape.schedule.seed().unwrap_or(0);
        // SAFETY: this worker alone uses its instrument, and handlers, which borrow it, do not run now.
        let slice = unsafe { hook.any() }.time_slice();
        let interleaved = shape.schedule == Schedule::Interleaved && hook.wants == Wants::NOTHING;
        // If blocks wait for each other, a long slice mostly repeats the polling loop.
        let slice = if shape.polls { slice.min(SPINNING_SLICE) } else { slice };
        let per_block = code.prefill.iter().filter_map(|(slot, what)| match what {
            Prefill::Special(
                s @ (SpecialRegister::Block(_)
                | SpecialRegister::Cluster(_)
                | SpecialRegister::Multiprocessor),
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
            splits: (0..warps).map(|_| Vec::new()).collect(),
            seen_spinning: false,
            barriers: vec![Barrier::default(); BARRIERS],
            registers,
            wide_registers: None,
            _shared: shared,
            _local: local,
            _parameters: parameter_buffer,
            instructions: 0,
            lane_instructions: 0,
            random: seed,
            time_slice: slice,
            done: 0,
            plain: 0,
            waiting: 0,
            arrived_only: false,
            yielded: false,
            stepped: false,
            slice_override: None,
            interleaved,
            turns: 0,
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

    /// Starts a block.
    pub(crate) fn start(&mut self, block: u64) {
        self.context.block = block;
        self.order.clear();
        self.order.extend(0..self.warps.len());
        if self.shape.schedule == Schedule::Reversed {
            self.order.reverse();
        }
        self.random = self.shape.schedule.seed().unwrap_or(0)
            ^ (block + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let threads: u32 = self.shape.block.iter().product();
        let (shared, local) = (self.context.shared, self.context.local);
        // SAFETY: the worker owns both buffers: `shared` with `bytes` bytes, and `local` with `local_bytes` for 32
        // lanes of each warp (`Worker::new`). No warp runs now.
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
            self.splits[w].clear();
            for r in &assembled.undefined {
                let slot = code.slots[*r as usize];
                // SAFETY: `code.slots` has the place that the assembler reserved for the register, and the warp's
                // register file is `stride` bytes long.
                unsafe { self.warps[w].at(slot).write_bytes(0, slot_bytes(slot, assembled, *r)) };
            }
        }
        self.context.registers.reset();
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
}

/// Instructions of a time slice where a warp spins until another warp has run.
pub(crate) const SPINNING_SLICE: u64 = 1 << 10;

/// Instructions of a time slice when warps run interleaved: fewer than the distance by which a GPU's warps drift apart while one waits for memory.
const INTERLEAVED_SLICE: u64 = 32;

impl Worker<'_> {
    /// Runs every warp that can run for a time slice.
    pub(crate) fn pass(&mut self) -> Result<PassOutcome, Located> {
        let mut order = std::mem::take(&mut self.order);
        let result = self.run_slices(&mut order);
        self.order = order;
        result
    }

    fn run_slices(&mut self, order: &mut [usize]) -> Result<PassOutcome, Located> {
        let count = order.len();
        let mut progress = false;
        self.stepped = false;
        if self.shape.schedule.seed().is_some() {
            for i in (1..count).rev() {
                let j = self.draw(i as u64 + 1) as usize;
                order.swap(i, j);
            }
        }
        for &w in order.iter() {
            match self.states[w] {
                State::Ready => {
                    progress = true;
                    self.run_slice(w)?;
                }
                State::Polling => {
                    self.states[w] = State::Ready;
                    self.run_slice(w)?;
                    progress |= self.states[w] != State::Polling;
                }
                _ => {}
            }
        }
        if self.plain > 0 {
            self.open_plain_barriers()?;
        }
        self.turns = if self.stepped { 0 } else { self.turns + 1 };
        // Computing warps use up short slices, too; many short slices count as one long one.
        let computes = self.interleaved && self.turns < self.time_slice / INTERLEAVED_SLICE;
        Ok(match progress {
            _ if self.done as usize == count => PassOutcome::Done,
            true if self.stepped || computes => PassOutcome::Progress,
            true => PassOutcome::Spins,
            false => PassOutcome::Idle,
        })
    }

    /// Runs one warp until it stops, or reports the limit that the launch has reached.
    fn run_slice(&mut self, w: usize) -> Result<(), Located> {
        if self.shape.fuel.is_none() {
            return self.run_until_stop(w);
        }
        let spent = self.shape.fuel.as_deref().and_then(Fuel::spent);
        if let Some((kind, note)) = spent {
            let mask = self.warps[w].mask;
            let raw = RawFault::of_lanes(kind, MemorySpace::Generic, mask, note);
            return Err(self.locate(w, raw));
        }
        let before = self.warps[w].instructions;
        let result = self.run_until_stop(w);
        if let Some(fuel) = &self.shape.fuel {
            fuel.spend(self.warps[w].instructions - before);
        }
        result
    }

    fn run_until_stop(&mut self, w: usize) -> Result<(), Located> {
        let slice = match self.shape.schedule.seed() {
            _ if self.slice_override.is_some() => self.slice_override.unwrap_or(self.time_slice),
            Some(_) => 64 + self.draw(1024),
            None if self.interleaved => INTERLEAVED_SLICE,
            None if self.seen_spinning => SPINNING_SLICE,
            None => self.time_slice,
        };
        let limit = self.shape.max_instructions.unwrap_or(u64::MAX);
        if self.warps[w].independent {
            return self.run_splits(w, limit);
        }
        loop {
            let warp = &mut self.warps[w];
            warp.slice_end = (warp.instructions + slice).min(limit);
            // SAFETY: the warp was started with code for its register file.
            let stop = unsafe { warp.run() };
            self.stepped |= !matches!(stop, Stop::Yield | Stop::Wait | Stop::Widen);
            match stop {
                Stop::Running | Stop::Done => {
                    self.end(w);
                    return Ok(());
                }
                Stop::Barrier => {
                    if self.warps[w].mask != self.warps[w].live {
                        self.split_warp(w, stop);
                        return Ok(());
                    }
                    // SAFETY: a warp stops at an operation of its code (`Warp::stop_at`), which the launch keeps
                    // alive.
                    let form = BarrierForm::unpacked(unsafe { (*self.warps[w].stopped_at).imm });
                    let in_order = Wants::BARRIERS | Wants::SYNCHRONIZATION;
                    match form.plain {
                        Some(number) if !self.context.hook.wants(in_order) => {
                            self.states[w] = State::Plain(number);
                            self.plain += 1;
                        }
                        _ => self.arrive(w)?,
                    }
                    return Ok(());
                }
                Stop::Yield if self.warps[w].instructions >= limit => {
                    return Err(self.locate(w, limit_fault(&self.warps[w], limit)));
                }
                Stop::Yield => {
                    self.yielded = true;
                    if self.may_spin(w) {
                        self.seen_spinning = true;
                        self.split_warp(w, stop);
                    }
                    return Ok(());
                }
                Stop::Converge | Stop::Align => {
                    self.split_warp(w, stop);
                    return Ok(());
                }
                Stop::Wait => {
                    self.warps[w].yield_to_sibling();
                    self.states[w] = State::Polling;
                    return Ok(());
                }
                Stop::Signal => return Ok(()),
                Stop::Widen => self.widen(w),
                Stop::Fault => return Err(self.faulted(w, limit)),
            }
        }
    }
}
