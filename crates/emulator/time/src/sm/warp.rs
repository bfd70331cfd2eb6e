//! A warp that replays its trace, region by region: its scoreboard, and the tokens that it waits for. A token is a barrier
//! of a block or a phase of an mbarrier; a number of arrivals completes it.

use crate::lower::schedule::{RegionKey, Schedule, Scheduled, schedule, unroll_factors};
use crate::lower::{Lowered, Queue, Unit};
use crate::sm::pipes::Stall;
use crate::trace::{KernelTrace, WarpTrace};
use std::collections::{HashMap, VecDeque};

/// The asynchronous operations of a warp in one queue.
#[derive(Clone, Debug, Default)]
struct Groups {
    current: f64,
    committed: VecDeque<f64>,
}

/// The state of a warp.
pub struct WarpState {
    /// Its block, numbered in the order of starts.
    pub block: usize,
    /// Its index in the block.
    pub warp: usize,
    /// The first step of its region.
    pub first_step: u32,
    region: usize,
    position: usize,
    ready: Vec<f64>,
    producer: Vec<Stall>,
    /// The earliest cycle of its next issue, operands ignored.
    pub next: f64,
    /// The reason for `next`.
    pub next_reason: Stall,
    /// The earliest cycle of its next issue.
    pub eligible: f64,
    /// The reason for `eligible`.
    pub reason: Stall,
    /// Its next operation.
    pub operation: Scheduled,
    /// Whether `operation` is a store or an atomic on global memory.
    pub stores: bool,
    /// Whether the branch at the end of the region is taken.
    pub taken: bool,
    /// Whether it waits for a token.
    pub blocked: bool,
    /// Whether it has ended.
    pub done: bool,
    /// The cycle of its last issue.
    pub last_issue: f64,
    /// Its loop around an atomic.
    pub spin: Option<SpinLoop>,
    groups: [Groups; 3],
}

/// Maximum number of blocks that are added to a region.
const MOST_JOINED: usize = 16;

/// Sentinel: no region.
const NO_REGION: usize = usize::MAX;

/// A warp in a loop around an atomic on shared memory.
#[derive(Clone, Copy, Debug)]
pub struct SpinLoop {
    /// Rounds that have to succeed.
    pub left: u32,
    /// When the word was loaded, if the swap comes next.
    pub loaded: Option<f64>,
}

impl WarpState {
    /// Creates a warp that starts at cycle `start`.
    pub fn new(block: usize, warp: usize, slots: usize, start: f64) -> WarpState {
        WarpState {
            block,
            warp,
            first_step: 0,
            region: NO_REGION,
            position: 0,
            ready: vec![0.0; slots],
            producer: vec![Stall::Wait; slots],
            next: start,
            next_reason: Stall::Wait,
            eligible: start,
            reason: Stall::Wait,
            operation: Scheduled {
                unit: Unit::Nop,
                run: 0,
                step: 0,
                queue: None,
                reads: (0, 0),
                writes: (0, 0),
            },
            stores: false,
            taken: false,
            blocked: false,
            done: false,
            last_issue: start - 1.0,
            spin: None,
            groups: Default::default(),
        }
    }

    /// Lets the warp continue at `time` or later.
    pub fn wake(&mut self, time: f64) {
        self.next = self.next.max(time);
        if time > self.eligible {
            self.eligible = time;
            self.reason = Stall::Barrier;
        }
    }

    /// Starts an asynchronous operation that ends at cycle `done`.
    pub fn start_asynchronous(&mut self, queue: Queue, done: f64) {
        let group = &mut self.groups[queue as usize];
        group.current = group.current.max(done);
    }

    /// Closes the current group.
    pub fn commit(&mut self, queue: Queue) {
        let group = &mut self.groups[queue as usize];
        group.committed.push_back(std::mem::take(&mut group.current));
    }

    /// The cycle at which all groups but the latest `pending` ones are complete.
    pub fn wait_for(&mut self, queue: Queue, pending: u32) -> f64 {
        let group = &mut self.groups[queue as usize];
        let mut done = 0.0f64;
        while group.committed.len() > pending as usize {
            done = done.max(group.committed.pop_front().unwrap_or(0.0));
        }
        done
    }

    /// The cycle at which all its asynchronous operations are complete.
    pub fn drained(&self) -> f64 {
        let ends = self.groups.iter().flat_map(|group| group.committed.iter().copied());
        ends.fold(0.0, f64::max)
    }

    /// Frees the memory of its scoreboard.
    pub fn release(&mut self) {
        (self.ready, self.producer) = (Vec::new(), Vec::new());
    }
}

/// The schedules of a kernel's regions, computed on first use.
pub struct Regions<'a> {
    trace: &'a KernelTrace,
    lowered: &'a Lowered,
    factors: Vec<u8>,
    known: HashMap<RegionKey, usize>,
    schedules: Vec<(RegionKey, Schedule)>,
    /// Steps that all warps replayed.
    pub steps: u64,
}

impl<'a> Regions<'a> {
    /// Creates an empty set of schedules.
    pub fn new(trace: &'a KernelTrace, lowered: &'a Lowered) -> Regions<'a> {
        let factors = unroll_factors(trace, lowered);
        Regions { trace, lowered, factors, known: HashMap::new(), schedules: Vec::new(), steps: 0 }
    }

    /// The region that starts at a step.
    fn at(&mut self, trace: &WarpTrace, step: usize) -> usize {
        let runs = &self.trace.runs;
        let first = trace.steps[step].run;
        let block = runs.all[first as usize].block;
        let of_block = runs.of_block(block);
        let follows = |from: usize, first: u32| {
            let most = (of_block.end - first) as usize;
            let steps = trace.steps[from.min(trace.steps.len())..].iter().take(most).enumerate();
            steps.take_while(|(i, step)| step.run == first + *i as u32).count() as u32
        };
        let count = follows(step, first);
        let mut key = RegionKey { first, runs: count, copies: 1, blocks: Vec::new() };
        let factor = u32::from(self.factors[block as usize]);
        if factor > 1 && first == of_block.start && count == of_block.end - of_block.start {
            let whole = |copy: u32| follows(step + (copy * count) as usize, first) == count;
            if (1..factor).all(whole) {
                key.copies = factor;
            }
        }
        if first + count == of_block.end && key.copies == 1 {
            self.join(&mut key, trace, step + count as usize);
        }
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let made = schedule(self.trace, self.lowered, &key);
        self.schedules.push((key.clone(), made));
        self.known.insert(key, self.schedules.len() - 1);
        self.schedules.len() - 1
    }

    /// Adds the blocks from a step on that the machine code executes without a branch.
    fn join(&self, key: &mut RegionKey, trace: &WarpTrace, mut step: usize) {
        let (runs, Some(layout)) = (&self.trace.runs, &self.lowered.layout) else { return };
        let mut block = runs.all[key.first as usize].block;
        while let Some(next) = trace.steps.get(step).map(|step| step.run) {
            let after = runs.all[next as usize].block;
            let of_next = runs.of_block(after);
            let length = of_next.len();
            let whole = trace.steps.len() >= step + length
                && of_next.zip(&trace.steps[step..]).all(|(run, step)| step.run == run);
            if !whole || key.blocks.len() >= MOST_JOINED || !layout.joins(block, after) {
                return;
            }
            key.blocks.push(after);
            (block, step) = (after, step + length);
        }
    }

    /// Moves a warp to its next operation that has a cost; returns whether the warp has ended.
    pub fn advance(&mut self, warp: &mut WarpState, trace: &WarpTrace) -> bool {
        loop {
            if warp.region == NO_REGION {
                if warp.first_step as usize >= trace.steps.len() {
                    return true;
                }
                warp.region = self.at(trace, warp.first_step as usize);
                warp.position = 0;
                let (key, made) = &self.schedules[warp.region];
                let after = (warp.first_step + key.steps(&self.trace.runs)) as usize;
                let falls_through = key.next(&self.trace.runs);
                warp.taken = trace.steps.get(after).is_some_and(|step| step.run != falls_through);
                if warp.ready.len() < made.count as usize {
                    warp.ready.resize(made.count as usize, 0.0);
                    warp.producer.resize(made.count as usize, Stall::Wait);
                }
            }
            let (key, made) = &self.schedules[warp.region];
            let Some(&operation) = made.operations.get(warp.position) else {
                for &(register, slot) in &made.results {
                    warp.ready[register as usize] = warp.ready[slot as usize];
                    warp.producer[register as usize] = warp.producer[slot as usize];
                }
                let steps = key.steps(&self.trace.runs);
                self.steps += u64::from(steps);
                warp.first_step += steps;
                warp.region = NO_REGION;
                continue;
            };
            warp.position += 1;
            let (mut time, mut reason) = (0.0, Stall::Wait);
            for &slot in &made.slots[operation.reads.0 as usize..operation.reads.1 as usize] {
                let ready = warp.ready[slot as usize];
                if ready > time {
                    (time, reason) = (ready, warp.producer[slot as usize]);
                }
            }
            if operation.unit == Unit::Free {
                for &slot in &made.slots[operation.writes.0 as usize..operation.writes.1 as usize] {
                    warp.ready[slot as usize] = time;
                    warp.producer[slot as usize] = reason;
                }
                continue;
            }
            warp.operation = operation;
            (warp.eligible, warp.reason) = match time > warp.next {
                true => (time, reason),
                false => (warp.next, warp.next_reason),
            };
            warp.next_reason = Stall::Wait;
            warp.stores = operation.unit == Unit::Memory
                && operation.queue.is_none()
                && self.lowered.stores[operation.run as usize];
            return false;
        }
    }

    /// Records the cycle at which the results of an operation are ready.
    pub fn write(&self, warp: &mut WarpState, operation: Scheduled, ready: f64, producer: Stall) {
        let made = &self.schedules[warp.region].1;
        for &slot in &made.slots[operation.writes.0 as usize..operation.writes.1 as usize] {
            warp.ready[slot as usize] = ready;
            warp.producer[slot as usize] = producer;
        }
    }
}

/// The state of a token.
#[derive(Clone, Debug, Default)]
pub struct TokenState {
    needed: u32,
    arrived: u32,
    time: f64,
    /// Warps that wait for it.
    pub waiting: Vec<usize>,
}

impl TokenState {
    /// Creates a token that `needed` arrivals complete.
    pub fn new(needed: u32) -> TokenState {
        TokenState { needed, ..TokenState::default() }
    }

    /// Counts an arrival; the last one returns the cycle of completion and the waiting warps.
    pub fn arrive(&mut self, time: f64) -> Option<(f64, Vec<usize>)> {
        self.arrived += 1;
        self.time = self.time.max(time);
        let done = self.done()?;
        Some((done, std::mem::take(&mut self.waiting)))
    }

    /// The cycle of its completion, if it is complete.
    pub fn done(&self) -> Option<f64> {
        (self.arrived >= self.needed).then_some(self.time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_arrival_completes_a_token() {
        let mut token = TokenState::new(2);
        token.waiting.push(7);
        assert!(token.arrive(5.0).is_none());
        assert_eq!(token.arrive(3.0), Some((5.0, vec![7])));
    }
}
