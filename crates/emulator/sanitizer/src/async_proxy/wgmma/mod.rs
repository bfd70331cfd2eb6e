//! `wgmma`: asynchronous warpgroup products, their registers ([`Products`]) and their operands in
//! shared memory ([`Operands`]).
//!
//! *Rules* (PTX ISA, "Asynchronous warpgroup level matrix instructions"): until the wait for a
//! product's group, only further products may access its accumulators, and registers that hold A
//! may only be read. A product sees writes of threads to its registers only after `wgmma.fence`. The
//! asynchronous proxy reads operands until the wait, so writes to them need `fence.proxy.async`.
//!
//! *Limits.* The emulator computes products at issue, so a wrong kernel still gets the right result
//! here. Each warp is assumed to read its rows of A and all of B.

pub mod registers;

use crate::access::AccessCheck;
use crate::access::cells::RunStart;
use crate::access::position::LaneAt;
use crate::async_proxy::operands::operand_runs;
use crate::async_proxy::wgmma::registers::RegisterUse;
use crate::async_proxy::{ByteRun, site};
use crate::findings::Finding;
use crate::findings::kinds::ReportKind;
use crate::races::epoch::{self, PackedEpoch};
use crate::races::happens_before::lane_clocks::AcquireSource;
use crate::races::vector_clock::VectorClock;
use lanework_engine::event::AccessKind;
use lanework_engine::machine::Warp;
use lanework_ptx_ir::kernel::MemorySpace;

/// State of one register of one warp.
#[derive(Clone, Copy, Default)]
struct RegisterState {
    /// The group to wait for, from 1; 0 for none.
    group: u32,
    /// The product that uses the register.
    product: PackedEpoch,
    /// Whether the product accumulates there, or only reads A from it.
    accumulates: bool,
    /// The last writer other than a product, and the number of fences executed before it.
    writer: Option<(PackedEpoch, u32)>,
}

/// Misuse of a product's registers.
#[derive(Clone, Copy)]
enum Misuse {
    /// A first product without a fence.
    NoFence,
    /// A write without a fence after it.
    Unfenced(PackedEpoch),
    /// An access to a register of a product in flight: the product and the verb.
    TouchedEarly(PackedEpoch, &'static str),
}

/// Products in flight of a cluster's warps, and the registers that they use.
///
/// Each tracked register of a warp stores the group of the product that uses it, and its last other
/// writer with the number of fences that the warp had executed by then.
///
/// These findings are errors: the PTX manual calls such accesses undefined behavior. ptxas 13.0 happens to detect them: it
/// inserts the wait or the fence (its notes C7517 and C7519), or serializes the products (C7514).
pub struct Products {
    /// Tracked registers per warp.
    registers: usize,
    /// By warp and register.
    held: Vec<RegisterState>,
    /// Groups committed, by warp.
    committed: Vec<u32>,
    /// Fences executed, by warp.
    fences: Vec<u32>,
    operands: Operands,
}

impl Products {
    /// For this many warps with this many tracked registers each.
    pub fn new(warps: usize, registers: usize) -> Products {
        Products {
            registers,
            held: vec![RegisterState::default(); warps * registers],
            committed: vec![0; warps],
            fences: vec![0; warps],
            operands: Operands::new(warps),
        }
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.held.fill(RegisterState::default());
        self.committed.fill(0);
        self.fences.fill(0);
        self.operands.start();
    }

    fn of(&mut self, slot: usize, register: u32) -> &mut RegisterState {
        &mut self.held[slot * self.registers + register as usize]
    }

    /// Checks an instruction on tracked registers before it executes.
    pub fn step(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        instruction: u32,
        this: &RegisterUse,
    ) {
        let slot = access.position.slot(warp.index);
        let now = epoch::pack(access.races.order.epoch_of(warp.index), instruction);
        match this {
            RegisterUse::Starts(accumulators, factors) => {
                self.starts(access, warp, now, [accumulators, factors]);
            }
            RegisterUse::Copies(from, to) => {
                let mut value = RegisterState::default();
                for r in from {
                    let held = *self.of(slot, *r);
                    value.writer = value.writer.max(held.writer);
                    if held.accumulates && held.group > value.group {
                        value = RegisterState { writer: value.writer, ..held };
                    }
                }
                // The registers of inactive lanes may still be in flight.
                let nothing = value.group == 0 && value.writer.is_none();
                if !nothing || warp.mask == warp.live {
                    to.iter().for_each(|r| *self.of(slot, *r) = value);
                }
            }
            RegisterUse::Ordinary { reads, writes, kept } => {
                for r in reads {
                    let held = *self.of(slot, *r);
                    if held.accumulates {
                        touched(access, warp, instruction, held, "read");
                    }
                }
                let lane = warp.mask.trailing_zeros() & 31;
                let writer = (epoch::with_lane(now, lane), self.fences[slot]);
                for r in writes {
                    let held = *self.of(slot, *r);
                    touched(access, warp, instruction, held, "written");
                    self.of(slot, *r).writer = (!kept).then_some(writer);
                }
            }
        }
    }

    /// A product starts.
    fn starts(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        product: PackedEpoch,
        [accumulators, factors]: [&[u32]; 2],
    ) {
        let (slot, instruction) = (access.position.slot(warp.index), epoch::instruction(product));
        let fences = self.fences[slot];
        if fences == 0 {
            report(access, warp, instruction, Misuse::NoFence);
        }
        for (registers, accumulates) in [(factors, false), (accumulators, true)] {
            for r in registers {
                let held = *self.of(slot, *r);
                if held.accumulates != accumulates {
                    let verb = if accumulates { "written" } else { "read" };
                    touched(access, warp, instruction, held, verb);
                }
                if let Some((writer, then)) = held.writer
                    && then == fences
                    && fences > 0
                {
                    report(access, warp, instruction, Misuse::Unfenced(writer));
                }
                let group = self.next_group(slot);
                let writer = if accumulates { None } else { held.writer };
                *self.of(slot, *r) = RegisterState { group, product, accumulates, writer };
            }
        }
    }

    /// The group of a warp's next product, from 1.
    fn next_group(&self, slot: usize) -> u32 {
        self.committed[slot] + 1
    }

    /// A warp's product reads these chunks of its block's shared memory.
    pub fn reads(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        instruction: u32,
        chunks: &[u64],
    ) {
        let group = self.next_group(access.position.slot(warp.index));
        self.operands.read(access, warp, (instruction, group), chunks);
    }

    /// `wgmma.fence`.
    pub fn fence(&mut self, access: &AccessCheck, warp: u32) {
        self.fences[access.position.slot(warp)] += 1;
    }

    /// `wgmma.commit_group`.
    pub fn commit(&mut self, access: &AccessCheck, warp: u32) {
        self.committed[access.position.slot(warp)] += 1;
    }

    /// `wgmma.wait_group`: all but the latest `keep` groups are complete.
    pub fn wait(&mut self, access: &mut AccessCheck, warp: u32, keep: u32) {
        let slot = access.position.slot(warp);
        let done = self.committed[slot].saturating_sub(keep);
        let first = slot * self.registers;
        let mine = &mut self.held[first..first + self.registers];
        for held in mine.iter_mut().filter(|held| held.group <= done) {
            (held.group, held.accumulates) = (0, false);
        }
        self.operands.waited(access, warp, done);
    }
}

/// Reports an access to a register if a product in flight uses it.
fn touched(
    access: &mut AccessCheck,
    warp: &Warp,
    instruction: u32,
    held: RegisterState,
    verb: &'static str,
) {
    if held.group != 0 {
        report(access, warp, instruction, Misuse::TouchedEarly(held.product, verb));
    }
}

fn report(access: &mut AccessCheck, warp: &Warp, instruction: u32, wrong: Misuse) {
    let lane = warp.mask.trailing_zeros() & 31;
    let who = access.position.thread_at(LaneAt { warp: warp.index, lane, instruction });
    let other = match wrong {
        Misuse::NoFence => None,
        Misuse::Unfenced(with) | Misuse::TouchedEarly(with, _) => {
            Some(access.races.thread_at(with))
        }
    };
    access.reports.add(ReportKind::WgmmaRegisters, who, other, |reports| {
        let fence = "run `wgmma.fence` in all warps of the warpgroup after the writes";
        let (message, help) = match wrong {
            Misuse::NoFence => {
                ("the warpgroup's first product has no `wgmma.fence` before it".to_owned(), fence)
            }
            Misuse::Unfenced(_) => (
                "a product uses a register that was written without a `wgmma.fence` in between"
                    .to_owned(),
                fence,
            ),
            Misuse::TouchedEarly(product, verb) => {
                let product = reports.instruction_name(epoch::instruction(product));
                (
                    format!("a register of `{product}` is {verb} before the wait for the product"),
                    "run `wgmma.commit_group` and `wgmma.wait_group` first",
                )
            }
        };
        Finding { message, help: help.into(), ..Finding::default() }
    });
}

/// Shared memory that a warp's product reads.
struct OperandRead {
    group: u32,
    run: ByteRun,
    read: PackedEpoch,
}

/// Operands of a cluster's products in flight, which the asynchronous proxy reads from issue until
/// the wait for the product's group.
///
/// The lanes of a warp execute a product together, so their own earlier writes are ordered before
/// it. The program must provide the proxy fence and the order with other warps.
pub struct Operands {
    /// By warp.
    reading: Vec<Vec<OperandRead>>,
    /// Clock released by completed products, by the warpgroup's first warp.
    released: Vec<VectorClock>,
}

impl Operands {
    /// For this many warps.
    pub fn new(warps: usize) -> Operands {
        let reading = (0..warps).map(|_| Vec::new()).collect();
        Operands { reading, released: vec![VectorClock::default(); warps] }
    }

    /// Starts a cluster.
    pub fn start(&mut self) {
        self.reading.iter_mut().for_each(Vec::clear);
        self.released.iter_mut().for_each(VectorClock::clear);
    }

    /// A warp's product of a group reads these chunks of its block's shared memory.
    pub fn read(
        &mut self,
        access: &mut AccessCheck,
        warp: &Warp,
        (instruction, group): (u32, u32),
        chunks: &[u64],
    ) {
        access.races.order.warp_sync(warp.index as usize, u32::MAX, warp.live);
        let at = LaneAt { warp: warp.index, lane: 0, instruction };
        let runs = operand_runs(access, at, chunks);
        let (rank, slot) = (access.position.rank, access.position.slot(warp.index));
        for (offset, bytes) in runs {
            let run = ByteRun::shared(rank, offset, bytes);
            let done = access.start_reads(at, run);
            let read = access.packed_now(at);
            if !done {
                access.check_proxy_fence(at, run);
                let load = site(MemorySpace::Shared, AccessKind::Load, 1);
                let start = (RunStart::Shared(rank, offset), bytes);
                access.run_of_bytes(warp, (0, instruction), &load, start, epoch::COPIED);
                access.set_reads(run, Some(read | epoch::COPIED), read | epoch::ASYNC);
            }
            self.reading[slot].push(OperandRead { group, run, read });
        }
    }

    /// A warp has waited for its groups up to `done`: the whole warpgroup no longer reads their
    /// operands. An access after the wait of one of the four warps is ordered after the reads of
    /// all four.
    pub fn waited(&mut self, access: &mut AccessCheck, warp: u32, done: u32) {
        let position = &access.position;
        let (first, end) = (position.slot(warp & !3), position.slot(0) + position.warps);
        let (block, order) = (position.block, &mut access.races.order);
        let mut past = Vec::new();
        for reading in &mut self.reading[first..(first + 4).min(end)] {
            past.extend(reading.extract_if(.., |this| this.group <= done));
        }
        if !past.is_empty() {
            let pseudo_thread = order.product_pseudo_thread(warp as usize);
            let number = order.pseudo_thread_epoch(pseudo_thread, (block, warp));
            for this in past {
                let read = epoch::pack(number, epoch::instruction(this.read));
                access.set_reads(this.run, Some(this.read | epoch::ASYNC), read);
            }
            let clock = access.races.order.pseudo_thread_clock(pseudo_thread);
            self.released[first].join(&clock);
        }
        let all = (u32::MAX, u32::MAX);
        let released = &self.released[first];
        access.races.order.acquire_clock(warp as usize, all, AcquireSource::Lanes, released);
    }
}
