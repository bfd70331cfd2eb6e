//! The observer that records traces of blocks.

use crate::trace::align::align;
use crate::trace::chain::{ChainClocks, ChainStep, Meeting};
use crate::trace::served::{contention, passes, served};
use crate::trace::{
    AccessTarget, BlockTrace, NO_SECTORS, NONE, Runs, SyncStep, TraceStep, Traffic, WarpTrace,
};
use lanework_engine::event::{Access, AccessKind, Asynchronous, Phase, Place, Space, Span, Wants};
use lanework_engine::observer::Observer;
use std::collections::HashMap;
use std::sync::Arc;

/// First address of local memory in the trace.
pub const LOCAL_BASE: u64 = 1 << 60;

/// Consecutive reads of one address after which a warp counts as waiting for another block.
const WAITS: u32 = 64;

/// Instructions of a warp's time slice if all blocks run together. Blocks get equal shares of the work that they take from
/// a counter only if a slice is shorter than a piece of work, and shorter than the instructions between two counts: on a
/// GPU, all blocks count while one of them waits for its first result.
const TOGETHER_SLICE: u64 = 16;

/// Bytes that the emulator copies in bulk in the time of an instruction that is traced.
const COPIED: u64 = 256;

/// Whether a PTX instruction has a property.
fn has(property: &[bool], instruction: u32) -> bool {
    property.get(instruction as usize).copied().unwrap_or(false)
}

/// Limits of a recording.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Maximum number of recorded steps per warp.
    pub steps: usize,
    /// Maximum number of recorded sectors per block.
    pub sectors: usize,
    /// Work of all warps after which the run is stopped: instructions, of which expensive ones count several times. A limit
    /// on work, unlike one on time, makes a trace repeatable.
    pub work: u64,
}

/// Records some blocks of a launch.
pub struct Recorder {
    runs: Arc<Runs>,
    bounds: Bounds,
    wanted: Vec<u64>,
    executed: u64,
    /// The work so far.
    work: u64,
    /// Index in `blocks` of the running block, if it is recorded.
    current: Option<usize>,
    current_block: u64,
    /// If all blocks of the grid run, because they wait for each other: their number and their clocks.
    pub clocks: Option<(u64, ChainClocks)>,
    /// The recorded blocks.
    pub blocks: Vec<BlockRecorder>,
}

/// The recording of one block.
#[derive(Default)]
pub struct BlockRecorder {
    /// The trace so far.
    pub trace: BlockTrace,
    /// By token: whether an arrival at it was not recorded.
    incomplete: Vec<bool>,
    ended: bool,
    previous: Vec<Option<u32>>,
    barriers: HashMap<usize, u32>,
    phases: HashMap<u64, PhaseTokens>,
    last_copy: Option<(u32, u32, u64)>,
    /// By warp: its last read of memory that others write, if it has changed nothing since.
    polls: HashMap<u32, Poll>,
    /// By warp: its last read of memory that others write, recorded or not, since its last store.
    looks: HashMap<u32, Look>,
}

/// A read of memory that others write, in a part of a warp that may not be recorded.
#[derive(Clone, Copy, Default)]
struct Look {
    instruction: u32,
    address: u64,
    /// Number of repetitions.
    repeated: u32,
    /// Instructions that the warp had executed.
    executed: u64,
    /// Accesses since then, and [`BUSY`] for a synchronization.
    others: u32,
}

/// Accesses after which a repeated read is not a poll.
const BUSY: u32 = 3;

/// A read of memory that others write.
#[derive(Clone, Copy)]
struct Poll {
    run: u32,
    address: u64,
    step: u32,
    traffic: usize,
}

/// Tokens of the last two phases of an mbarrier.
#[derive(Clone, Copy)]
struct PhaseTokens {
    parity: bool,
    current: u32,
    previous: u32,
}

impl Recorder {
    /// Creates a recorder for the blocks in `wanted` of a kernel with these runs.
    pub fn new(runs: Arc<Runs>, bounds: Bounds, wanted: Vec<u64>) -> Recorder {
        let (executed, work, current, current_block) = (0, 0, None, u64::MAX);
        let (clocks, blocks) = (None, Vec::new());
        Recorder { runs, bounds, wanted, executed, work, current, current_block, clocks, blocks }
    }

    /// Also finds the longest chain of blocks that wait for each other in a grid of `total` blocks.
    pub fn with_chains(self, total: u64) -> Recorder {
        Recorder { clocks: Some((total, ChainClocks::default())), ..self }
    }

    /// The work of the run.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether all wanted blocks have ended.
    pub fn saw_all(&self) -> bool {
        self.blocks.len() == self.wanted.len() && self.blocks.iter().all(|block| block.ended)
    }

    /// Whether enough blocks ran to know how the longest chain of blocks grows.
    fn knows_chain(&self) -> bool {
        self.clocks.as_ref().is_none_or(|(total, clocks)| clocks.has_seen_enough(*total))
    }

    /// Follows the words that blocks publish and wait for.
    fn follow(&mut self, access: &Access<'_>) {
        let Some((_, clocks)) = &mut self.clocks else { return };
        let (instruction, lanes) = (access.place.instruction, access.mask.count_ones());
        let publishes = match access.kind {
            AccessKind::Load => false,
            AccessKind::Store => lanes == 1 || has(&self.runs.publishes_at, instruction),
            AccessKind::Atomic => has(&self.runs.publishes_at, instruction),
        };
        let observes = has(&self.runs.observes_at, instruction);
        if access.space != Space::Global || !(publishes || observes) {
            return;
        }
        for lane in (0..32).filter(|lane| access.mask >> lane & 1 != 0) {
            if observes {
                clocks.observe(access.addresses[lane]);
            }
            if publishes {
                clocks.publish(access.addresses[lane]);
            }
        }
    }

    /// Whether a limit stops the run.
    fn is_over(&self) -> bool {
        self.work > self.bounds.work
    }

    /// Notes that the block of the last instruction has ended, unless a limit has stopped it.
    fn end(&mut self) {
        if self.is_over() {
            return;
        }
        if let Some(block) = self.block() {
            block.ended = true;
        }
        let block = self.current_block;
        if let Some((_, clocks)) = &mut self.clocks {
            clocks.end(block);
        }
    }

    /// Makes a block the current one.
    fn enter(&mut self, block: u64) {
        if self.current_block == block {
            return;
        }
        self.current_block = block;
        self.current = self.blocks.iter().position(|known| known.trace.block == block);
        if self.current.is_none() && self.wanted.contains(&block) {
            let trace = BlockTrace { block, complete: true, ..BlockTrace::default() };
            self.blocks.push(BlockRecorder { trace, ..BlockRecorder::default() });
            self.current = Some(self.blocks.len() - 1);
        }
    }

    fn block(&mut self) -> Option<&mut BlockRecorder> {
        self.current.map(|at| &mut self.blocks[at])
    }
}

impl BlockRecorder {
    /// Whether a warp waits for another block: it reads one address again and again and stores
    /// nothing.
    pub fn waits(&self) -> bool {
        self.looks.values().any(|look| look.repeated > WAITS)
    }

    /// The trace, with the recorded parts of the warps aligned.
    pub fn finish(mut self) -> BlockTrace {
        align(&mut self.trace, &mut self.incomplete);
        self.trace
    }

    /// Notes a read of memory that others write. A poll beyond the recorded part does not count as work: the number of polls
    /// depends only on the emulator's schedule.
    fn look(&mut self, runs: &Runs, access: &Access<'_>) {
        let (number, instruction) = (access.place.warp, access.place.instruction);
        if let Some(last) = self.looks.get_mut(&number) {
            last.others += 1;
        }
        if access.space != Space::Global {
            return;
        }
        if access.kind == AccessKind::Store {
            self.looks.remove(&number);
        } else if has(&runs.observes_at, instruction) {
            let address = access.addresses[access.mask.trailing_zeros() as usize & 31];
            let last = self.looks.get(&number).copied().unwrap_or_default();
            let same = (last.instruction, last.address) == (instruction, address);
            let warp = self.warp(number);
            let recorded = warp.steps.len() as u64;
            if same && last.others < BUSY && warp.instructions > recorded {
                let before = last.executed.max(recorded + 1);
                warp.instructions = warp.instructions.min(before);
            }
            let (executed, repeated) =
                (warp.instructions, if same { last.repeated + 1 } else { 0 });
            self.looks.insert(number, Look { instruction, address, repeated, executed, others: 0 });
        }
    }

    fn warp(&mut self, warp: u32) -> &mut WarpTrace {
        let at = warp as usize;
        if self.trace.warps.len() <= at {
            self.trace.warps.resize_with(at + 1, WarpTrace::default);
            self.previous.resize(at + 1, None);
        }
        &mut self.trace.warps[at]
    }

    /// The warp's last step, if the current instruction is recorded.
    fn step(&mut self, warp: u32) -> Option<u32> {
        let warp = self.warp(warp);
        let recorded = warp.steps.len() as u64;
        (recorded == warp.instructions && recorded > 0).then(|| recorded as u32 - 1)
    }

    fn token(&mut self) -> u32 {
        self.trace.tokens.push(0);
        self.incomplete.push(false);
        self.trace.tokens.len() as u32 - 1
    }

    /// The token of an mbarrier's phase: the current phase, or for a wait possibly the previous one. Blocks of a cluster
    /// behave alike, so an mbarrier of another block is represented by this block's mbarrier at the same offset.
    fn phase(&mut self, phase: Phase, waits: bool) -> u32 {
        match self.phases.get(&phase.offset).copied() {
            Some(known) if known.parity == phase.parity => known.current,
            Some(known) if waits => known.previous,
            known => {
                let current = self.token();
                let previous = known.map_or(current, |known| known.current);
                let tokens = PhaseTokens { parity: phase.parity, current, previous };
                self.phases.insert(phase.offset, tokens);
                current
            }
        }
    }

    fn sync(&mut self, warp: u32, token: u32, arrives: bool, waits: bool) {
        if let Some(last) = self.looks.get_mut(&warp) {
            last.others += BUSY;
        }
        let Some(step) = self.step(warp) else {
            self.incomplete[token as usize] |= arrives;
            return;
        };
        if arrives {
            self.trace.tokens[token as usize] += 1;
        }
        let sync = SyncStep { step, token, arrives, waits };
        // Each lane of a warp reports the wait for the mbarrier.
        if arrives || self.warp(warp).waits.last() != Some(&sync) {
            self.warp(warp).waits.push(sync);
        }
    }

    /// Appends the distinct sectors of an access; returns the index of the first, their number, and the number of 128-byte
    /// lines.
    fn keep_sectors(&mut self, access: &Access<'_>) -> (u32, u32, u32) {
        let sectors = &mut self.trace.sectors;
        let first = sectors.len();
        let lanes = (0..32).filter(|lane| access.mask >> lane & 1 != 0);
        for lane in lanes {
            let address = access.addresses[lane];
            let last = address.wrapping_add(u64::from(access.bytes.max(1)) - 1);
            for sector in address / 32..=last / 32 {
                if !sectors[first..].iter().rev().any(|&known| known == sector) {
                    sectors.push(sector);
                }
            }
        }
        let mut lines: Vec<u64> = sectors[first..].iter().map(|sector| sector / 4).collect();
        lines.sort_unstable();
        lines.dedup();
        (first as u32, (sectors.len() - first) as u32, lines.len() as u32)
    }

    /// The same for local memory, which is interleaved: a word of all lanes of a warp is a line.
    fn keep_local_sectors(&mut self, access: &Access<'_>) -> (u32, u32, u32) {
        let base = LOCAL_BASE + (u64::from(access.place.warp) << 24);
        let words = u64::from(access.bytes.div_ceil(4));
        let lanes = (0..32u64).filter(|lane| access.mask >> lane & 1 != 0);
        let of_lane = |lane: u64| {
            let start = access.addresses[lane as usize] / 4;
            (start..start + words).map(move |word| (base + word * 128) / 32 + lane / 8)
        };
        let mut found: Vec<u64> = lanes.flat_map(of_lane).collect();
        found.sort_unstable();
        found.dedup();
        let lines = found.chunk_by(|a, b| a / 4 == b / 4).count();
        let first = self.trace.sectors.len();
        self.trace.sectors.append(&mut found);
        (first as u32, (self.trace.sectors.len() - first) as u32, lines as u32)
    }

    fn instruction(&mut self, runs: &Runs, most: usize, place: Place, mask: u32) {
        let warp = self.warp(place.warp);
        let full = warp.steps.len() >= most || warp.steps.len() as u64 != warp.instructions;
        warp.instructions += 1;
        if full {
            return;
        }
        let previous = self.previous[place.warp as usize];
        match runs.after(previous, place.instruction) {
            Some(run) => {
                self.previous[place.warp as usize] = Some(run);
                self.warp(place.warp).steps.push(TraceStep { run, mask });
            }
            None => self.warp(place.warp).instructions -= 1,
        }
    }

    /// Drops all rounds but the last of a loop that waits for other blocks: their number depends
    /// only on the emulator's schedule.
    fn forget_polls(&mut self, runs: &Runs, access: &Access<'_>, step: u32) -> u32 {
        let number = access.place.warp;
        let warp = &mut self.trace.warps[number as usize];
        let run = warp.steps[step as usize].run;
        if access.kind == AccessKind::Store || access.space != Space::Global {
            self.polls.remove(&number);
            return step;
        }
        if !runs.observes[run as usize] {
            return step;
        }
        let address = access.addresses[access.mask.trailing_zeros() as usize & 31];
        let last = self.polls.get(&number).copied();
        let mut poll = Poll { run, address, step, traffic: warp.traffic.len() };
        if let Some(last) = last
            && (last.run, last.address) == (run, address)
            && warp.traffic.len() <= last.traffic + 2
            && warp.waits.last().is_none_or(|wait| wait.step < last.step)
        {
            warp.traffic.truncate(last.traffic);
            warp.steps.drain(last.step as usize..step as usize);
            warp.instructions -= u64::from(step - last.step);
            poll = last;
        }
        self.polls.insert(number, poll);
        poll.step
    }

    fn access(&mut self, runs: &Runs, access: &Access<'_>) {
        let class = runs.classes.get(access.place.instruction as usize);
        let mut starts = *access.addresses;
        let Some(access) = served(class.copied().unwrap_or_default(), access, &mut starts) else {
            return;
        };
        self.classified(runs, &access);
    }

    fn classified(&mut self, runs: &Runs, access: &Access<'_>) {
        let Some(step) = self.step(access.place.warp) else { return };
        let step = self.forget_polls(runs, access, step);
        let target = match access.space {
            Space::Shared => AccessTarget::Shared,
            Space::Global => AccessTarget::Global,
            Space::Local => AccessTarget::Local,
            Space::Constant => AccessTarget::Constant,
        };
        let (mut first, mut sectors, mut lines, mut wavefronts) = (0, 0, 0, 1);
        match target {
            AccessTarget::Shared => {
                wavefronts = passes(access.kind, access);
            }
            AccessTarget::Global | AccessTarget::Constant => {
                (first, sectors, lines) = self.keep_sectors(access);
                wavefronts = passes(AccessKind::Load, access);
            }
            AccessTarget::Local => {
                (first, sectors, lines) = self.keep_local_sectors(access);
                wavefronts = lines;
            }
            AccessTarget::Bulk => {}
        }
        let (mut collisions, mut rounds) = (0, 0);
        if access.kind == AccessKind::Atomic {
            let contended;
            (collisions, rounds, contended) = contention(access.mask, access.addresses);
            if target == AccessTarget::Shared {
                first = contended as u32;
            }
        }
        let traffic = Traffic {
            step,
            target,
            kind: access.kind,
            wavefronts,
            lines,
            first,
            sectors,
            collisions,
            rounds,
            bytes: access.bytes * access.mask.count_ones(),
            token: NONE,
        };
        self.warp(access.place.warp).traffic.push(traffic);
    }

    /// Records the start of a bulk copy.
    fn copy(
        &mut self,
        warp: u32,
        lane: u32,
        from: Option<Span>,
        to: Option<Span>,
        phase: Option<Phase>,
    ) {
        if let Some(last) = self.looks.get_mut(&warp) {
            last.others += BUSY;
        }
        let Some(step) = self.step(warp) else {
            if let Some(phase) = phase {
                let token = self.phase(phase, false);
                self.incomplete[token as usize] = true;
            }
            return;
        };
        let span = to.or(from);
        let bytes = span.map_or(0, |span| span.bytes) as u32;
        // A copy to several blocks of a cluster is reported for each block, but reads its source once.
        let key = (step, lane, to.map_or(0, |span| span.address));
        let again = self.last_copy.replace(key) == Some(key);
        let (first, mut sectors) = (self.trace.sectors.len() as u32, 0);
        let global = [from, to].into_iter().flatten();
        for span in global.filter(|span| span.space == Space::Global && !again) {
            let last = (span.address + span.bytes.max(1) - 1) / 32;
            self.trace.sectors.extend(span.address / 32..=last);
            sectors = self.trace.sectors.len() as u32 - first;
        }
        let token = phase.map_or(NONE, |phase| self.phase(phase, false));
        if token != NONE {
            self.trace.tokens[token as usize] += 1;
        }
        let store = from.is_some_and(|span| span.space == Space::Shared);
        let within = store && to.is_some_and(|span| span.space == Space::Shared);
        let kind = if store { AccessKind::Store } else { AccessKind::Load };
        let (first, sectors) = match sectors > 0 || again || within {
            true => (first, sectors),
            false => (NO_SECTORS, bytes.div_ceil(32)),
        };
        self.warp(warp).traffic.push(Traffic {
            step,
            target: AccessTarget::Bulk,
            kind,
            wavefronts: bytes.div_ceil(128),
            lines: bytes.div_ceil(128),
            first,
            sectors,
            collisions: 0,
            rounds: 0,
            bytes,
            token,
        });
    }
}

impl Observer for Recorder {
    fn fork(&self) -> Self {
        let new = Recorder::new(self.runs.clone(), self.bounds, self.wanted.clone());
        match &self.clocks {
            Some((total, _)) => new.with_chains(*total),
            None => new,
        }
    }

    fn merge(&mut self, other: Self) {
        if other.executed > 0 {
            *self = other;
        }
    }

    fn wants(&self) -> Wants {
        let events = Wants::EVENTS | Wants::SYNCHRONIZATION | Wants::EDGES;
        events | Wants::PASSES | Wants::ONE_WORKER | self.runs.left_out()
    }

    fn time_slice(&self) -> u64 {
        if self.alternates() { TOGETHER_SLICE } else { 512 }
    }

    fn stops(&self) -> bool {
        self.is_over() || self.saw_all() && self.knows_chain()
    }

    fn alternates(&self) -> bool {
        self.clocks.is_some()
    }

    fn instruction(&mut self, place: Place, mask: u32) {
        self.executed += 1;
        self.work += self.runs.cost(place.instruction);
        self.enter(place.block);
        if let Some((_, clocks)) = &mut self.clocks {
            let step = match place.instruction {
                at if has(&self.runs.fences_at, at) => ChainStep::Fence,
                at if has(&self.runs.branches_at, at) => ChainStep::Branch,
                _ => ChainStep::Plain,
            };
            clocks.execute((place.block, place.warp), step);
        }
        let most = self.bounds.steps;
        if let Some(at) = self.current {
            self.blocks[at].instruction(&self.runs, most, place, mask);
        }
    }

    fn cluster_end(&mut self) {
        self.end();
    }

    fn block_end(&mut self, _: u32) {
        self.end();
    }

    fn access(&mut self, access: &Access<'_>) {
        self.follow(access);
        let Some(at) = self.current.filter(|_| access.mask != 0) else { return };
        self.blocks[at].look(&self.runs, access);
        if self.blocks[at].trace.sectors.len() <= self.bounds.sectors {
            self.blocks[at].access(&self.runs, access);
        }
    }

    fn barrier_arrive(&mut self, warp: usize, number: usize, waits: bool) {
        if let Some((_, clocks)) = &mut self.clocks {
            clocks.arrive(Meeting::Barrier(number));
        }
        let Some(block) = self.block() else { return };
        let token = match block.barriers.get(&number) {
            Some(&token) => token,
            None => block.token(),
        };
        block.barriers.insert(number, token);
        block.sync(warp as u32, token, true, waits);
    }

    fn barrier_open(&mut self, number: usize, released: &[usize], _all: bool) {
        if let Some((_, clocks)) = &mut self.clocks {
            released.iter().for_each(|&warp| clocks.meet(warp as u32, Meeting::Barrier(number)));
        }
        if let Some(block) = self.block() {
            block.barriers.remove(&number);
        }
    }

    fn asynchronous(&mut self, place: Place, lane: u32, event: Asynchronous) {
        self.enter(place.block);
        match (event, &mut self.clocks) {
            (Asynchronous::Arrived(phase), Some((_, clocks))) => {
                clocks.arrive(Meeting::Mbarrier(phase.offset));
            }
            (Asynchronous::Waited(phase), Some((_, clocks))) => {
                clocks.meet(place.warp, Meeting::Mbarrier(phase.offset));
            }
            _ => {}
        }
        if let Asynchronous::Started { from, to, .. } = event {
            self.work += to.or(from).map_or(0, |span| span.bytes) / COPIED;
        }
        let Some(block) = self.block() else { return };
        match event {
            Asynchronous::Arrived(phase) => {
                let token = block.phase(phase, false);
                block.sync(place.warp, token, true, false);
            }
            Asynchronous::Waited(phase) => {
                let token = block.phase(phase, true);
                block.sync(place.warp, token, false, true);
            }
            Asynchronous::Started { from, to, phase, .. } => {
                block.copy(place.warp, lane, from, to, phase);
            }
            _ => {}
        }
    }
}
