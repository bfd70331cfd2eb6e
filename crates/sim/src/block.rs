//! One worker: it runs blocks one after the other, the warps of a block in turn.

use crate::analysis::thread_index;
use crate::assemble::{Code, Prefill};
use crate::context::{Context, Events, RawFault, Region};
use crate::counters::Counters;
use crate::cross::NO_SLOT;
use crate::fault::FaultKind;
use crate::ir::{LaneMask, MemorySpace, Special};
use crate::lanes::{OFFSET, SCALAR, Scalar, Slot, WIDE};
use crate::memory::{Memory, POISON};
use crate::op::{Op, Stop, Warp};
use crate::program::Assembled;

/// Instructions of a warp's turn before others get theirs.
const TURN: u64 = 1 << 20;
/// Barriers of a block.
const BARRIERS: usize = 16;

/// The shape of a launch, as a worker needs it.
#[derive(Clone)]
pub struct Shape {
    /// Blocks per axis.
    pub grid: [u32; 3],
    /// Threads per axis.
    pub block: [u32; 3],
    /// Dynamic shared memory in bytes.
    pub dynamic_shared: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Instructions that a warp may execute.
    pub max_instructions: Option<u64>,
    /// The seed of the order of turns, if it is not in order.
    pub seed: Option<u64>,
}

/// Bytes at a multiple of 64, filled with zeros.
struct Buffer {
    words: Vec<[u64; 8]>,
}

impl Buffer {
    fn new(bytes: usize) -> Buffer {
        Buffer { words: vec![[0; 8]; bytes.div_ceil(64) + 2] }
    }
    fn start(&mut self) -> *mut u8 {
        let at = self.words.as_mut_ptr().cast::<u8>();
        // Vec aligns to 8; two spare elements leave room to move up to a multiple of 64.
        at.wrapping_add(at.align_offset(64))
    }
}

/// A barrier of the block.
#[derive(Clone, Default)]
struct Barrier {
    arrived: u32,
    threads: Option<u32>,
    waiting: Vec<usize>,
    count: u32,
    all: bool,
    any: bool,
}

/// What a warp is about to do.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Ready,
    /// At a barrier for all threads, not yet entered in its book.
    Plain(usize),
    Waiting(usize),
    Done,
}

/// A fault and where it happened.
pub struct Located {
    /// The fault.
    pub raw: RawFault,
    /// The instruction's origin.
    pub origin: u32,
    /// The warp.
    pub warp: u32,
}

/// Runs blocks.
pub struct Worker<'a> {
    assembled: &'a Assembled,
    shape: Shape,
    /// What the warps share.
    pub context: Box<Context>,
    warps: Vec<Warp>,
    states: Vec<State>,
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
    /// Warps that have ended in this block.
    done: u32,
    /// Warps at plain barriers in this round.
    plain: u32,
    /// Warps that wait at barriers.
    waiting: usize,
    /// Whether a warp has arrived at a barrier in this block without waiting.
    arrived_only: bool,
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
        events: Option<*mut dyn Events>,
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
            chains: code.chains.as_ptr(),
            counters: Counters::default(),
            tallies: [[0; 3]; 8],
            events,
            printed: String::new(),
            block: 0,
            fault: None,
        });
        let stride = code.register_bytes.next_multiple_of(64);
        let registers = Buffer::new(stride * warps as usize);
        let seed = shape.seed.unwrap_or(0);
        let per_block = code.prefill.iter().filter_map(|(slot, what)| match what {
            Prefill::Special(s @ (Special::Block(_) | Special::Multiprocessor)) => {
                Some((*slot, *s))
            }
            _ => None,
        });
        let per_block = per_block.collect();
        let mut worker = Worker {
            assembled,
            shape,
            context,
            warps: (0..warps).map(Warp::new).collect(),
            states: vec![State::Ready; warps as usize],
            barriers: vec![Barrier::default(); BARRIERS],
            registers,
            wide_registers: None,
            _shared: shared,
            _local: local,
            _parameters: parameter_buffer,
            instructions: 0,
            lane_instructions: 0,
            random: seed,
            done: 0,
            plain: 0,
            waiting: 0,
            arrived_only: false,
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

    /// Writes constants and special registers.
    fn prefill(&mut self, w: usize, code: &Code) {
        for (slot, what) in &code.prefill {
            let regs = self.warps[w].regs;
            let at = regs.wrapping_add((slot & OFFSET) as usize);
            // SAFETY: the assembler reserved these slots in the register file.
            unsafe {
                match *what {
                    Prefill::Special(special) => self.write_special(at, *slot, special, w as u32),
                    Prefill::Constant(value) => {
                        at.cast::<Scalar>().write(Scalar {
                            base: [value; 2],
                            stride: 0,
                            unused: 0,
                        });
                    }
                    Prefill::Truth(value) => {
                        at.cast::<u32>().write(if value { u32::MAX } else { 0 })
                    }
                }
            }
        }
    }

    /// Writes the special registers that change from block to block, the same for every warp.
    fn prefill_block(&mut self) {
        for i in 0..self.per_block.len() {
            let (slot, special) = self.per_block[i];
            let value = self.special(special, 0, 0);
            for w in 0..self.warps.len() {
                let at = self.warps[w].regs.wrapping_add((slot & OFFSET) as usize);
                // SAFETY: the assembler reserved these slots in the register file.
                unsafe {
                    if slot & SCALAR != 0 {
                        at.cast::<Scalar>().write(Scalar {
                            base: [value; 2],
                            stride: 0,
                            unused: 0,
                        });
                    } else {
                        self.write_special(at, slot, special, w as u32);
                    }
                }
            }
        }
    }

    unsafe fn write_special(&self, at: *mut u8, slot: Slot, special: Special, warp: u32) {
        let value = |lane| self.special(special, warp, lane);
        // SAFETY: by the caller, the slot holds a register of its form.
        unsafe {
            if slot & SCALAR != 0 {
                let stride = value(1).wrapping_sub(value(0));
                at.cast::<Scalar>().write(Scalar {
                    base: [value(0), value(16)],
                    stride,
                    unused: 0,
                });
            } else {
                for lane in 0..32 {
                    let bits = value(lane);
                    if slot & WIDE != 0 {
                        at.cast::<u64>().add(lane as usize).write(bits);
                    } else {
                        at.cast::<u32>().add(lane as usize).write(bits as u32);
                    }
                }
            }
        }
    }

    fn special(&self, special: Special, warp: u32, lane: u32) -> u64 {
        let shape = &self.shape;
        let shared = self.assembled.kernel.static_shared;
        let value = match special {
            Special::Thread(axis) => thread_index(shape.block, warp * 32 + lane)[usize::from(axis)],
            Special::BlockShape(axis) => shape.block[usize::from(axis)],
            Special::Block(axis) => self.block_index()[usize::from(axis)],
            Special::GridShape(axis) => shape.grid[usize::from(axis)],
            Special::Lane => lane,
            Special::Warp => warp,
            Special::Warps => self.warps.len() as u32,
            Special::Multiprocessor => {
                (self.context.block % u64::from(shape.multiprocessors.max(1))) as u32
            }
            Special::Multiprocessors => shape.multiprocessors,
            Special::Grid => 1,
            Special::LaneMask(which) => {
                let below = (1u32 << lane) - 1;
                match which {
                    LaneMask::Equal => 1 << lane,
                    LaneMask::AtMost => below | 1 << lane,
                    LaneMask::Below => below,
                    LaneMask::AtLeast => !below,
                    LaneMask::Above => !below & !(1 << lane),
                }
            }
            Special::DynamicShared => shape.dynamic_shared,
            Special::TotalShared => shared + shape.dynamic_shared,
            Special::Number(number) => number,
        };
        u64::from(value)
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

    /// Runs one block to its end.
    ///
    /// # Errors
    /// The fault that stopped it.
    pub fn run(&mut self, block: u64) -> Result<(), Located> {
        self.start(block);
        let result = self.turns();
        for warp in &self.warps {
            self.instructions += warp.instructions;
            self.lane_instructions += warp.lane_instructions;
            self.context.counters.divergent_branches += warp.divergent_branches;
        }
        result
    }

    fn start(&mut self, block: u64) {
        self.context.block = block;
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
            for r in &assembled.undefined {
                let slot = code.slots[*r as usize];
                // SAFETY: the assembler reserved the slot.
                unsafe { self.warps[w].at(slot).write_bytes(0, slot_bytes(slot, assembled, *r)) };
            }
        }
        self.prefill_block();
        self.done = 0;
        self.plain = 0;
        if self.waiting > 0 || self.arrived_only {
            self.waiting = 0;
            self.arrived_only = false;
            self.barriers.fill(Barrier::default());
        }
    }

    fn turns(&mut self) -> Result<(), Located> {
        let count = self.warps.len();
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..count);
        let result = self.rounds(&mut order);
        self.order = order;
        result
    }

    /// Gives every warp its turn until all have ended.
    fn rounds(&mut self, order: &mut [usize]) -> Result<(), Located> {
        let count = order.len();
        loop {
            let mut progress = false;
            if self.shape.seed.is_some() {
                for i in (1..count).rev() {
                    let j = self.draw(i as u64 + 1) as usize;
                    order.swap(i, j);
                }
            }
            for &w in order.iter() {
                if self.states[w] == State::Ready {
                    progress = true;
                    self.turn(w)?;
                }
            }
            if self.plain > 0 {
                self.meet()?;
            }
            if self.done as usize == count {
                return Ok(());
            }
            if !progress {
                return Err(self.deadlock());
            }
        }
    }

    /// After a round: the warps at plain barriers go on if they are all there is, the usual case;
    /// otherwise they arrive one by one.
    fn meet(&mut self) -> Result<(), Located> {
        let plain = std::mem::take(&mut self.plain);
        let first = self.states.iter().find(|s| matches!(s, State::Plain(_))).copied();
        let all = plain + self.done == self.states.len() as u32
            && self.states.iter().all(|s| *s == State::Done || Some(*s) == first);
        if all {
            self.context.counters.barriers += u64::from(plain);
            for (warp, state) in self.warps.iter_mut().zip(&mut self.states) {
                if *state != State::Done {
                    warp.stopped_at = warp.stopped_at.wrapping_add(1);
                    *state = State::Ready;
                }
            }
            return Ok(());
        }
        for w in 0..self.states.len() {
            if matches!(self.states[w], State::Plain(_)) {
                self.arrive(w)?;
            }
        }
        Ok(())
    }

    /// Runs one warp until it stops.
    fn turn(&mut self, w: usize) -> Result<(), Located> {
        let turn = if self.shape.seed.is_some() { 64 + self.draw(1024) } else { TURN };
        let limit = self.shape.max_instructions.unwrap_or(u64::MAX);
        loop {
            let warp = &mut self.warps[w];
            warp.turn_end = (warp.instructions + turn).min(limit);
            // SAFETY: the warp was started with code for its register file.
            let stop = unsafe { warp.run() };
            match stop {
                Stop::Running | Stop::Done => {
                    self.states[w] = State::Done;
                    self.done += 1;
                    if self.waiting > 0 {
                        for b in 0..BARRIERS {
                            self.complete(b);
                        }
                    }
                    return Ok(());
                }
                Stop::Barrier => {
                    // SAFETY: a warp stops at an operation of its code.
                    let imm = unsafe { (*self.warps[w].stopped_at).imm };
                    if imm >> 16 & 1 == 0 || self.context.events.is_some() {
                        return self.arrive(w);
                    }
                    self.states[w] = State::Plain((imm >> 24) as usize & (BARRIERS - 1));
                    self.plain += 1;
                    return Ok(());
                }
                Stop::Yield if self.warps[w].instructions >= limit => {
                    return Err(self.locate(w, limit_fault(&self.warps[w], limit)));
                }
                Stop::Yield => return Ok(()),
                Stop::Widen => self.widen(w),
                Stop::Fault => {
                    let raw = self.context.fault.take().map(|f| *f);
                    let raw = raw.unwrap_or_else(|| limit_fault(&self.warps[w], limit));
                    return Err(self.locate(w, raw));
                }
            }
        }
    }

    fn locate(&self, w: usize, raw: RawFault) -> Located {
        let warp = &self.warps[w];
        let pc = warp.pc(warp.stopped_at) as usize;
        let origin = self.assembled.code.origin_of.get(pc).copied().unwrap_or(0);
        Located { raw, origin, warp: w as u32 }
    }

    fn deadlock(&self) -> Located {
        let waiting = self.states.iter().position(|s| matches!(s, State::Waiting(_))).unwrap_or(0);
        let number = match self.states[waiting] {
            State::Waiting(b) => b,
            _ => 0,
        };
        let barrier = &self.barriers[number];
        let arrived = barrier.arrived * 32;
        let note = match barrier.threads {
            Some(threads) => {
                format!("barrier {number} waits for {threads} threads, {arrived} arrived")
            }
            None => format!(
                "barrier {number} waits for every thread of the block, {arrived} arrived and the others wait elsewhere"
            ),
        };
        let raw = RawFault {
            kind: FaultKind::Deadlock,
            lane: self.warps[waiting].mask.trailing_zeros() & 31,
            address: None,
            bytes: 0,
            space: MemorySpace::Shared,
            access: None,
            note,
        };
        self.locate(waiting, raw)
    }

    fn scalar_operand(&self, w: usize, slot: Slot) -> u32 {
        use crate::lanes::Source;
        let warp = &self.warps[w];
        if slot & SCALAR != 0 && warp.mask & 1 != 0 {
            // SAFETY: the assembler gave a slot of this register file, in scalar form.
            return unsafe { u32::pair(warp, slot)[0] };
        }
        let lane = warp.mask.trailing_zeros() as usize & 31;
        // SAFETY: the assembler gave a slot of this register file.
        unsafe { u32::fetch(warp, slot).0[lane] }
    }

    /// A warp arrives at the barrier it stopped at.
    fn arrive(&mut self, w: usize) -> Result<(), Located> {
        // SAFETY: a warp stops at an operation of its code.
        let op: Op = unsafe { *self.warps[w].stopped_at };
        let number = self.scalar_operand(w, op.b) as usize;
        let threads = (op.c != NO_SLOT).then(|| self.scalar_operand(w, op.c));
        let place = self.context.place(&self.warps[w], op_ref(&self.warps[w]));
        self.context.counters.barriers += 1;
        if let Some(events) = self.context.events {
            // SAFETY: the launch keeps the observer alive, and this worker alone uses it.
            unsafe { (*events).barrier(place, self.warps[w].mask) };
        }
        let bad = match threads {
            _ if number >= BARRIERS => {
                Some(format!("barrier {number} does not exist; blocks have barriers 0 to 15"))
            }
            Some(t) if t == 0 || t % 32 != 0 => {
                Some(format!("a barrier counts whole warps: {t} threads is not a multiple of 32"))
            }
            Some(t) if self.barriers[number].threads.is_some_and(|other| other != t) => {
                Some(format!("threads disagree about how many barrier {number} waits for"))
            }
            _ => None,
        };
        if let Some(note) = bad {
            let raw = RawFault {
                kind: FaultKind::BarrierDivergence,
                lane: self.warps[w].mask.trailing_zeros() & 31,
                address: None,
                bytes: 0,
                space: MemorySpace::Shared,
                access: None,
                note,
            };
            return Err(self.locate(w, raw));
        }
        let barrier = &mut self.barriers[number];
        if barrier.arrived == 0 {
            barrier.all = true;
        }
        barrier.arrived += 1;
        if threads.is_some() {
            barrier.threads = threads;
        }
        if op.imm & 0xff >= 2 {
            let warp = &self.warps[w];
            // SAFETY: the operand is a predicate of this register file.
            let bits = unsafe { *warp.at(op.d).cast::<u32>() };
            let bits = if op.imm >> 8 != 0 { !bits } else { bits } & warp.mask;
            barrier.count += bits.count_ones();
            barrier.all &= bits == warp.mask;
            barrier.any |= bits != 0;
        }
        if op.imm & 0xff == 1 {
            self.arrived_only = true;
            self.warps[w].stopped_at = self.warps[w].stopped_at.wrapping_add(1);
        } else {
            barrier.waiting.push(w);
            self.waiting += 1;
            self.states[w] = State::Waiting(number);
        }
        self.complete(number);
        Ok(())
    }

    /// Releases a barrier if all that it waits for have arrived.
    fn complete(&mut self, number: usize) {
        let running = self.states.len() as u32 - self.done;
        let barrier = &self.barriers[number];
        let full = match barrier.threads {
            Some(threads) => barrier.arrived * 32 >= threads,
            None => barrier.arrived > 0 && barrier.arrived >= running,
        };
        if !full {
            return;
        }
        let empty = Barrier::default();
        let mut barrier = std::mem::replace(&mut self.barriers[number], empty);
        let mut released = std::mem::take(&mut barrier.waiting);
        self.waiting -= released.len();
        for w in released.drain(..) {
            // SAFETY: a warp stops at an operation of its code.
            let op: Op = unsafe { *self.warps[w].stopped_at };
            let value = match op.imm & 0xff {
                2 => Some(barrier.count),
                3 => Some(u32::from(barrier.all)),
                4 => Some(u32::from(barrier.any)),
                _ => None,
            };
            if let (Some(value), true) = (value, op.a != NO_SLOT) {
                let warp = &mut self.warps[w];
                // SAFETY: the destination is a register of this register file: a predicate for
                // `and` and `or`, else a word.
                unsafe {
                    use crate::lanes::{Lanes, Sink};
                    if op.imm & 0xff == 2 {
                        u32::put(warp, op.a, Lanes([value; 32]));
                    } else {
                        bool::put(warp, op.a, Lanes([value != 0; 32]));
                    }
                }
            }
            self.warps[w].stopped_at = self.warps[w].stopped_at.wrapping_add(1);
            self.states[w] = State::Ready;
        }
        // The list's memory serves the next time.
        self.barriers[number].waiting = released;
    }

    /// Moves a warp to the code in which every register is varying.
    fn widen(&mut self, w: usize) {
        let assembled = self.assembled;
        let (code, wide) = (&assembled.code, assembled.wide());
        let stride = wide.register_bytes.next_multiple_of(64);
        let count = self.warps.len();
        let fresh = self.wide_registers.is_none();
        let base = self.wide_registers.get_or_insert_with(|| Buffer::new(stride * count)).start();
        if fresh {
            self.context.sites.extend_from_slice(&wide.sites);
            let sites = self.context.sites.as_mut_ptr();
            for warp in &mut self.warps {
                warp.sites = sites;
            }
        }
        let pc = self.warps[w].pc(self.warps[w].stopped_at);
        let old = self.warps[w].regs;
        let new = base.wrapping_add(stride * w);
        self.warps[w].regs = new;
        self.prefill(w, wide);
        for (r, register) in assembled.kernel.registers.iter().enumerate() {
            let (from, to) = (code.slots[r], wide.slots[r]);
            if register.special.is_none() && from != NO_SLOT {
                // SAFETY: both slots hold this register, each in the form its bits say.
                unsafe { move_register(old, from, new, to, register.width) };
            }
        }
        let warp = &mut self.warps[w];
        warp.ops = wide.ops.as_ptr();
        warp.stopped_at = warp.ops.wrapping_add(pc as usize);
        warp.widened = true;
    }
}

fn op_ref(warp: &Warp) -> &Op {
    // SAFETY: a warp stops at an operation of its code, which outlives the worker.
    unsafe { &*warp.stopped_at }
}

fn slot_bytes(slot: Slot, assembled: &Assembled, register: u32) -> usize {
    use crate::ir::Width;
    match (assembled.kernel.registers[register as usize].width, slot & SCALAR != 0) {
        (Width::Predicate, _) => 4,
        (_, true) => 32,
        (Width::Word, false) => 128,
        (Width::Wide, false) => 256,
    }
}

unsafe fn move_register(old: *mut u8, from: Slot, new: *mut u8, to: Slot, width: crate::ir::Width) {
    use crate::ir::Width;
    let (a, b) =
        (old.wrapping_add((from & OFFSET) as usize), new.wrapping_add((to & OFFSET) as usize));
    // SAFETY: by the caller.
    unsafe {
        if width == Width::Predicate {
            *b.cast::<u32>() = *a.cast::<u32>();
        } else if from & SCALAR == 0 {
            b.copy_from_nonoverlapping(a, if width == Width::Wide { 256 } else { 128 });
        } else {
            let scalar = *a.cast::<Scalar>();
            for lane in 0..32 {
                let step = scalar.stride.wrapping_mul(lane as u64 & 15);
                let value = scalar.base[lane / 16].wrapping_add(step);
                if width == Width::Wide {
                    *b.cast::<u64>().add(lane) = value;
                } else {
                    *b.cast::<u32>().add(lane) = value as u32;
                }
            }
        }
    }
}

fn limit_fault(warp: &Warp, limit: u64) -> RawFault {
    RawFault {
        kind: FaultKind::InstructionLimit,
        lane: warp.mask.trailing_zeros() & 31,
        address: None,
        bytes: 0,
        space: MemorySpace::Generic,
        access: None,
        note: format!("a warp executed {limit} instructions and had not ended"),
    }
}
