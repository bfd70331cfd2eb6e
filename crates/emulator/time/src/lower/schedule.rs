//! The order of operations: unrolling of loops, and list scheduling with latencies within a basic block, as a compiler does
//! it (Gibbons and Muchnick, "Efficient instruction scheduling for a pipelined architecture", 1986), with a limit on values
//! that wait in registers.
//!
//! A region is a number of consecutive runs, or several copies of a loop body. Registers are renamed: each write gets its
//! own slot, so that a load of the next copy does not wait for the uses of this one.
//!
//! ptxas 13 unrolls an innermost loop of one basic block four times if its counter grows by a constant and the result stays
//! small. The copies share one comparison and one branch, and 64-bit addresses that grow by a constant become offsets.
//! 32-bit indices do not: they may wrap around.

use crate::lower::{Lowered, MemoryClass, Queue, Unit};
use crate::trace::{KernelTrace, Runs};
use lanework_ptx_ir::kernel::{Kernel, Opcode, Operand, Reg, Width};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::integer::{Integer, IntegerOp};
use lanework_ptx_ir::opcode::logic::MoveOp;
use std::collections::{BTreeSet, HashMap};

/// Maximum number of loaded words that wait in registers for their first use.
const WAITING_WORDS: u32 = 64;
/// Latencies that ptxas assumes for the order, in cycles.
const GLOBAL: u32 = 200;
const SHARED: u32 = 30;

/// Identifies a region: consecutive runs of a basic block, copies of a loop body, or several blocks without a branch between
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RegionKey {
    /// The first run.
    pub first: u32,
    /// Number of runs in the first block.
    pub runs: u32,
    /// Number of copies of the body.
    pub copies: u32,
    /// Further blocks, all of whose runs belong to the region.
    pub blocks: Vec<u32>,
}

impl RegionKey {
    /// The runs of one copy, in the order of the text.
    fn each(&self, runs: &Runs) -> Vec<u32> {
        let further = self.blocks.iter().flat_map(|&block| runs.of_block(block));
        (self.first..self.first + self.runs).chain(further).collect()
    }

    /// Steps of a warp that the region replays.
    pub fn steps(&self, runs: &Runs) -> u32 {
        let further: u32 = self.blocks.iter().map(|&block| runs.of_block(block).len() as u32).sum();
        (self.runs + further) * self.copies
    }

    /// The run after the region if its last branch is not taken.
    pub fn next(&self, runs: &Runs) -> u32 {
        match self.blocks.last() {
            Some(&block) => runs.of_block(block).end,
            None => self.first + self.runs,
        }
    }
}

/// One operation of a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Scheduled {
    /// Where it executes.
    pub unit: Unit,
    /// Its run.
    pub run: u32,
    /// Its step, counted from the first step of the region.
    pub step: u32,
    /// The queue of an asynchronous copy.
    pub queue: Option<Queue>,
    /// Range of its reads in [`Schedule::slots`].
    pub reads: (u32, u32),
    /// Range of its writes in [`Schedule::slots`].
    pub writes: (u32, u32),
}

/// The scheduled operations of a region.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// The operations in issue order.
    pub operations: Vec<Scheduled>,
    /// Slots of reads and writes.
    pub slots: Vec<u32>,
    /// Final values of registers, as pairs of a register and a slot.
    pub results: Vec<(u32, u32)>,
    /// Total number of slots: registers first, then renamed values.
    pub count: u32,
}

struct ScheduleNode {
    scheduled: Scheduled,
    order: MemoryClass,
    chained: bool,
    words: u32,
    successors: Vec<u32>,
    predecessors: u32,
    latency: u32,
    priority: u32,
    consumers: u32,
    sources: Vec<u32>,
    /// Its place in the machine code.
    place: u32,
}

fn latency(unit: Unit, order: MemoryClass) -> u32 {
    match (unit, order) {
        (Unit::Free, _) => 0,
        (Unit::Memory, MemoryClass::Load(2)) => SHARED,
        (Unit::Memory, MemoryClass::Load(4)) => 0,
        (Unit::Memory, MemoryClass::Load(_)) => GLOBAL,
        (Unit::Memory, _) => 1,
        (Unit::Shuffle, _) => 25,
        (Unit::Special, _) => 18,
        (Unit::Convert, _) => 12,
        (Unit::Double, _) => 8,
        (Unit::Mma(_), _) => 33,
        (Unit::Predicate, _) => 8,
        _ => 4,
    }
}

/// Schedules a region.
pub fn schedule(trace: &KernelTrace, lowered: &Lowered, key: &RegionKey) -> Schedule {
    let mut made = Schedule { count: trace.kernel.registers.len() as u32, ..Schedule::default() };
    let mut nodes = nodes(trace, lowered, key, &mut made);
    // The priority is the longest path to the end.
    for at in (0..nodes.len()).rev() {
        let after = nodes[at].successors.iter().map(|&next| nodes[next as usize].priority);
        nodes[at].priority = after.max().unwrap_or(0) + nodes[at].latency.max(1);
    }
    let order = match lowered.layout {
        Some(_) => as_placed(&mut nodes),
        None => list(&mut nodes),
    };
    made.operations = order.iter().map(|&at| nodes[at as usize].scheduled).collect();
    made
}

/// The operations in text order, with their dependences.
fn nodes(
    trace: &KernelTrace,
    lowered: &Lowered,
    key: &RegionKey,
    made: &mut Schedule,
) -> Vec<ScheduleNode> {
    let mut nodes: Vec<ScheduleNode> = Vec::new();
    let mut writer: HashMap<u32, (u32, u32)> = HashMap::new();
    let (mut loads, mut stores): ([Vec<u32>; 8], [Option<u32>; 8]) = Default::default();
    let mut wall: Option<u32> = None;
    let mut since_wall: Vec<u32> = Vec::new();
    let each = key.each(&trace.runs);
    for copy in 0..key.copies {
        for (offset, &run) in (0..).zip(&each) {
            let start = trace.runs.all[run as usize].start as usize;
            let grows =
                copy > 0 && lowered.layout.is_none() && grows_by_constant(&trace.kernel, start);
            let block = trace.runs.all[run as usize].block;
            for (number, operation) in lowered.operations[run as usize].iter().enumerate() {
                let at = nodes.len() as u32;
                let inner = copy + 1 < key.copies;
                let modeled = lowered.layout.is_none();
                let unit = match operation.unit {
                    Unit::Branch if inner => Unit::Free,
                    Unit::Predicate if inner && modeled && feeds_branch(trace, lowered, run) => {
                        Unit::Free
                    }
                    _ if grows => Unit::Free,
                    unit => unit,
                };
                let reads = made.slots.len() as u32;
                let mut sources = Vec::new();
                for &register in &operation.reads {
                    match writer.get(&register) {
                        Some(&(node, slot)) => {
                            made.slots.push(slot);
                            sources.push(node);
                        }
                        None => made.slots.push(register),
                    }
                }
                // Each operation of a sequence passes its value to the next one in a new slot.
                if operation.chained && at > 0 {
                    made.slots.push(made.count - 1);
                    sources.push(at - 1);
                }
                let writes = made.slots.len() as u32;
                for &register in &operation.writes {
                    made.slots.push(made.count);
                    writer.insert(register, (at, made.count));
                    made.count += 1;
                }
                if operation.writes.is_empty() {
                    made.slots.push(made.count);
                    made.count += 1;
                }
                let end = made.slots.len() as u32;
                let order =
                    if unit == Unit::Free { MemoryClass::Anything } else { operation.order };
                let mut before: Vec<u32> = sources.clone();
                before.extend(wall);
                match order {
                    MemoryClass::Anything => {}
                    MemoryClass::Load(space) => {
                        before.extend(stores[usize::from(space)]);
                        loads[usize::from(space)].push(at);
                    }
                    MemoryClass::Store(space) => {
                        before.extend(stores[usize::from(space)]);
                        before.append(&mut loads[usize::from(space)]);
                        stores[usize::from(space)] = Some(at);
                    }
                    MemoryClass::Wall => {
                        before.append(&mut since_wall);
                        wall = Some(at);
                        loads.iter_mut().for_each(Vec::clear);
                        stores = Default::default();
                    }
                }
                before.sort_unstable();
                before.dedup();
                for &one in &before {
                    nodes[one as usize].successors.push(at);
                }
                sources.sort_unstable();
                sources.dedup();
                for &one in &sources {
                    nodes[one as usize].consumers += 1;
                }
                since_wall.push(at);
                nodes.push(ScheduleNode {
                    scheduled: Scheduled {
                        unit,
                        run,
                        step: copy * each.len() as u32 + offset,
                        queue: operation.queue,
                        reads: (reads, writes),
                        writes: (writes, end),
                    },
                    order,
                    chained: operation.chained,
                    words: u32::from(operation.words),
                    successors: Vec::new(),
                    predecessors: before.len() as u32,
                    latency: latency(unit, operation.order),
                    priority: 0,
                    consumers: 0,
                    sources,
                    place: match &lowered.layout {
                        Some(layout) if unit != Unit::Free => {
                            layout.place(run, block, copy, number)
                        }
                        _ => 0,
                    },
                });
            }
        }
    }
    let mut results: Vec<(u32, u32)> = writer.iter().map(|(r, (_, slot))| (*r, *slot)).collect();
    results.sort_unstable();
    made.results = results;
    nodes
}

/// Whether a run's predicate decides the branch at the end of its basic block.
fn feeds_branch(trace: &KernelTrace, lowered: &Lowered, run: u32) -> bool {
    let block = trace.runs.all[run as usize].block;
    let last = trace.runs.of_block(block).end - 1;
    let written = lowered.operations[run as usize].iter().flat_map(|operation| &operation.writes);
    let branch = lowered.operations[last as usize].last();
    branch.is_some_and(|branch| {
        branch.unit == Unit::Branch
            && written.clone().any(|register| branch.reads.contains(register))
    })
}

/// The order of the machine code, as far as the dependences of the model allow.
fn as_placed(nodes: &mut [ScheduleNode]) -> Vec<u32> {
    let mut available: BTreeSet<(u32, u32)> = (0..nodes.len() as u32)
        .filter(|&at| nodes[at as usize].predecessors == 0)
        .map(|at| (nodes[at as usize].place, at))
        .collect();
    let mut order = Vec::with_capacity(nodes.len());
    while let Some((_, at)) = available.pop_first() {
        for next in std::mem::take(&mut nodes[at as usize].successors) {
            let node = &mut nodes[next as usize];
            node.predecessors -= 1;
            if node.predecessors == 0 {
                available.insert((node.place, next));
            }
        }
        order.push(at);
    }
    order
}

/// List scheduling: returns the operations in issue order.
fn list(nodes: &mut [ScheduleNode]) -> Vec<u32> {
    let mut available: Vec<u32> =
        (0..nodes.len() as u32).filter(|&at| nodes[at as usize].predecessors == 0).collect();
    let mut ready = vec![0u32; nodes.len()];
    let mut order = Vec::with_capacity(nodes.len());
    let (mut time, mut waiting) = (0u32, 0u32);
    while !available.is_empty() {
        let is_load = |node: &ScheduleNode| {
            node.scheduled.unit == Unit::Memory && matches!(node.order, MemoryClass::Load(_))
        };
        let best = (0..available.len()).min_by_key(|&i| {
            let at = available[i] as usize;
            let node = &nodes[at];
            let full = is_load(node) && waiting + node.words > WAITING_WORDS && waiting > 0;
            let start = ready[at].max(time);
            (full, !node.chained && start > time, start, u32::MAX - node.priority, at)
        });
        let Some(best) = best else { break };
        let at = available.swap_remove(best);
        let start = ready[at as usize].max(time);
        let node = &nodes[at as usize];
        if is_load(node) && node.consumers > 0 {
            waiting += node.words;
        }
        time = start + u32::from(node.scheduled.unit != Unit::Free);
        let done = start + node.latency;
        let (successors, sources) = (node.successors.clone(), node.sources.clone());
        for next in successors {
            let next_ready = &mut ready[next as usize];
            *next_ready = (*next_ready).max(done);
            nodes[next as usize].predecessors -= 1;
            if nodes[next as usize].predecessors == 0 {
                available.push(next);
            }
        }
        for source in sources {
            let source = &mut nodes[source as usize];
            source.consumers -= 1;
            if source.consumers == 0 && is_load(source) {
                waiting = waiting.saturating_sub(source.words);
            }
        }
        order.push(at);
    }
    order
}

/// Maximum number of operations of a loop body that ptxas unrolls four times.
const SMALL_BODY: usize = 64;

/// The unroll factor of each basic block; 1 if it is not a loop.
pub fn unroll_factors(trace: &KernelTrace, lowered: &Lowered) -> Vec<u8> {
    let blocks = 0..trace.runs.successors.len() as u32;
    let factor = |block: u32| {
        let itself = trace.runs.successors[block as usize].contains(&block);
        if !itself {
            return 1;
        }
        if let Some(layout) = &lowered.layout {
            return layout.copies[block as usize].max(1);
        }
        let runs = trace.runs.of_block(block);
        if !counts_by_constant(trace, runs.clone()) {
            return 1;
        }
        let operations = runs.flat_map(|run| &lowered.operations[run as usize]);
        let (mut cost, mut walls) = (0, 0);
        for operation in operations {
            cost += usize::from(operation.unit != Unit::Free);
            walls += usize::from(matches!(
                operation.unit,
                Unit::Sync | Unit::Fence | Unit::Elapse(_) | Unit::Wgmma(_)
            ));
        }
        if cost <= SMALL_BODY && walls == 0 { 4 } else { 1 }
    };
    blocks.map(factor).collect()
}

/// Whether the counter of a loop grows by a constant. The loop's last branch compares its counter.
fn counts_by_constant(trace: &KernelTrace, runs: std::ops::Range<u32>) -> bool {
    let kernel = &trace.kernel;
    let (first, last) = (runs.start as usize, runs.end as usize - 1);
    let body =
        &kernel.insts[trace.runs.all[first].start as usize..trace.runs.all[last].end as usize];
    let writer =
        |register: Reg| body.iter().rev().find(|inst| inst.writes().any(|r| r == register));
    let guard = body.last().and_then(|branch| branch.guard);
    let Some(compares) = guard.and_then(|(guard, _)| writer(guard)) else { return false };
    let counts = |register: Reg| {
        let mut at = writer(register);
        // The body may end with a copy of the new value to the counter.
        if let Some(inst) = at
            && matches!(inst.opcode, Opcode::Alu(Alu::Move(MoveOp::Copy(_))))
        {
            at = inst.src.first().and_then(|operand| operand.register()).and_then(writer);
        }
        at.is_some_and(|inst| {
            matches!(inst.opcode, Opcode::Alu(Alu::Integer(IntegerOp::Add(_) | IntegerOp::Sub(_))))
                && inst.src.iter().any(|operand| matches!(operand, Operand::Const(_)))
        })
    };
    compares.src.iter().filter_map(|operand| operand.register()).any(counts)
}

/// Whether only the first copy of an instruction costs something: a 64-bit addition of a constant in a loop.
pub fn grows_by_constant(kernel: &Kernel, at: usize) -> bool {
    let inst = &kernel.insts[at];
    let sum = matches!(
        inst.opcode,
        Opcode::Alu(Alu::Integer(IntegerOp::Add(Integer::U64 | Integer::S64)))
    );
    let constant = inst.src.iter().any(|operand| matches!(operand, Operand::Const(_)));
    let wide = inst.writes().all(|r| kernel.registers[r as usize].width == Width::Wide);
    sum && constant && wide
}
