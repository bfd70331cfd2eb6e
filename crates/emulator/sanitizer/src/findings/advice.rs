//! The advice of a race: the one change that repairs it.
//!
//! *Rules.* The threads furthest apart among all accesses of a finding decide, since a warp's barrier
//! does not order warps, and a block's barrier does not order blocks. In this order:
//!
//! 1. A thread read a flag by a relaxed access, and only a fence after that read is missing: name the line.
//! 2. One of two strong accesses has a scope that does not include the other thread: widen it.
//! 3. Between the accesses, a strong write by one thread and a strong read by the other could pass
//!    the data, but a fence before the write or after the read is missing or has too narrow a
//!    scope: name each such fence.
//! 4. Two strong accesses of one size (`volatile`) without such a flag: pass the data by a flag.
//! 5. A load and a store of one word, where the store's value is computed from the load's: replace
//!    both by one atomic.
//! 6. Lanes of a warp, or warps of a block: name the barrier, and the two lines that it belongs
//!    between.
//! 7. Blocks: end the kernel between the two, or give each block its own element.
//!
//! *Limit.* The third rule uses the code, not the run: it takes the nearest strong write after the
//! one access, and the nearest strong read before the other.

use lanework_ptx_ir::analysis::cfg::ControlFlowGraph;
use lanework_ptx_ir::kernel::{
    Inst, Kernel, MemoryKind, MemoryOp, MemorySpace, Opcode, Operand, Reg, Scope, SyncAnnotation,
};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::integer::IntegerOp;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

/// The update of a value that is stored unchanged.
const MOVED: &str = "";

/// How far apart the threads of a race are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// Lanes of one warp.
    Lanes,
    /// Warps of one block.
    Warps,
    /// Blocks of one cluster.
    Cluster,
    /// Blocks of the grid.
    Grid,
}

/// One access of a race.
#[derive(Clone, Copy, Debug)]
pub struct RaceAccess {
    /// Its instruction.
    pub instruction: u32,
    /// Its scope if it is strong.
    pub strong: Option<Scope>,
    /// Whether it writes.
    pub writes: bool,
}

/// A race, as far as its advice depends on it.
#[derive(Clone, Copy, Debug)]
pub struct RaceFacts {
    /// The access that was checked, and the prior one.
    pub accesses: [RaceAccess; 2],
    /// How far apart the threads are.
    pub distance: Distance,
    /// Whether it is in global memory.
    pub global: bool,
    /// Whether the accesses overlap in part only.
    pub mixed: bool,
    /// The relaxed read by which the thread saw that the prior access happened before, if only a fence after that read is missing.
    pub unfenced: Option<u32>,
}

/// A memory instruction of the kernel.
struct MemoryInst<'k> {
    /// Index in the kernel.
    index: usize,
    inst: &'k Inst,
    op: &'k MemoryOp,
}

/// Gives advice about the races of a kernel.
pub struct Adviser<'k> {
    kernel: &'k Kernel,
    flow: ControlFlowGraph,
}

impl<'k> Adviser<'k> {
    /// For the races of a kernel.
    pub fn new(kernel: &'k Kernel) -> Adviser<'k> {
        Adviser { kernel, flow: ControlFlowGraph::new(kernel) }
    }

    /// The advice for a race. A barrier belongs between the two instructions of `gap`.
    pub fn advice(&self, race: &RaceFacts, gap: [u32; 2]) -> String {
        self.acquire(race)
            .or_else(|| self.scope(race))
            .or_else(|| self.fence(race))
            .or_else(|| self.order(race))
            .or_else(|| self.atomic(race))
            .unwrap_or_else(|| self.barrier(race, gap))
    }

    /// Put a fence after the relaxed read of the flag.
    fn acquire(&self, race: &RaceFacts) -> Option<String> {
        let read = race.unfenced?;
        let needed = race.distance.scope();
        let (fence, ptx) = fence_of(needed);
        let to = race.accesses[0].instruction;
        let between = self.fences().filter(|(at, _)| read < *at && *at < to).max_by_key(|f| f.1);
        Some(match between {
            Some((at, scope)) if scope < needed => format!(
                "widen the fence at {}: `{fence}` (`{ptx}`) instead of a fence for the {}",
                self.line(at),
                if scope == Scope::Block { "block" } else { "cluster" }
            ),
            _ => format!(
                "put a fence, `{fence}` (`{ptx}`), after the read of the flag at {}, or read the flag by an acquire load (`ld.acquire`)",
                self.line(read)
            ),
        })
    }

    /// Widen the scope of a strong access.
    fn scope(&self, race: &RaceFacts) -> Option<String> {
        let [Some(one), Some(other)] = race.accesses.map(|access| access.strong) else {
            return None;
        };
        let needed = race.distance.scope();
        let narrow = if one <= other { 0 } else { 1 };
        if one.min(other) >= needed {
            return None;
        }
        let (at, has) = (race.accesses[narrow].instruction, one.min(other));
        Some(format!(
            "widen the scope of the access at {}: it includes only the {}, and the threads are in different {}; use {}",
            self.line(at),
            if has == Scope::Block { "block" } else { "cluster" },
            if needed == Scope::Device { "blocks" } else { "blocks of a cluster" },
            match needed {
                Scope::Device => "device scope (`.gpu`, `atomicAdd` instead of `atomicAdd_block`)",
                _ => "cluster scope (`.cluster`)",
            }
        ))
    }

    /// Put a fence before the strong write that passes the data.
    fn fence(&self, race: &RaceFacts) -> Option<String> {
        let [now, prior] = race.accesses;
        if race.distance == Distance::Lanes && now.instruction == prior.instruction && !race.global
        {
            return None;
        }
        let own = [now.instruction, prior.instruction];
        let strong = |found: &MemoryInst<'_>| {
            found.op.order.strong.is_some() && !own.contains(&found.inst.origin)
        };
        let write = self
            .memory()
            .filter(strong)
            .filter(|found| !matches!(found.op.kind, MemoryKind::Load))
            .filter(|found| self.reaches(prior.instruction, found.index))
            .min_by_key(|found| (found.inst.origin < prior.instruction, found.inst.origin))?;
        let seen = |found: &MemoryInst<'_>| match found.op.kind {
            MemoryKind::Load => !found.op.order.data,
            MemoryKind::Atomic(_) => found.op.order.observes,
            MemoryKind::Store => false,
        };
        let read = self
            .memory()
            .filter(strong)
            .filter(seen)
            .filter(|found| self.comes_to(found.index, now.instruction))
            .max_by_key(|found| (found.inst.origin < now.instruction, found.inst.origin))?;
        if !same_space(write.op, read.op) {
            return None;
        }
        let needed = race.distance.scope();
        if [write.op, read.op].iter().any(|op| op.order.strong < Some(needed)) {
            return Some(format!(
                "widen the scope of the accesses at {} and {} that pass the data: they must include the other {}",
                self.line(write.inst.origin),
                self.line(read.inst.origin),
                race.distance.whose()
            ));
        }
        let released =
            self.fenced(prior.instruction, write.inst.origin, needed, write.op.order.release);
        let acquired =
            self.fenced(read.inst.origin, now.instruction, needed, read.op.order.acquire);
        let (fence, ptx) = fence_of(needed);
        // First the writing thread's missing fence, then the reading thread's.
        let reader = match acquired {
            Fenced::Yes => None,
            Fenced::Narrowly(at) => {
                Some(format!("in the other thread, widen the fence at {}, too", self.line(at)))
            }
            Fenced::No => Some(format!(
                "in the other thread, put one after the {} at {} that reads it, before {}",
                name_of(read.op),
                self.line(read.inst.origin),
                self.line(now.instruction)
            )),
        };
        match released {
            Fenced::Yes => None,
            Fenced::Narrowly(at) => {
                let whose = if self.scope_at(at) == Scope::Block { "block" } else { "cluster" };
                let line = self.line(at);
                Some(match reader {
                    None => format!(
                        "widen the fence at {line}: `{fence}` (`{ptx}`) instead of a fence for the {whose}"
                    ),
                    Some(reader) => format!(
                        "widen the fence at {line}: `{fence}` (`{ptx}`) instead of a fence for the {whose}; {reader}"
                    ),
                })
            }
            Fenced::No => Some(format!(
                "put a fence, `{fence}` (`{ptx}`), before the {} at {} that passes the data on, after {}; {}",
                name_of(write.op),
                self.line(write.inst.origin),
                self.line(prior.instruction),
                reader.unwrap_or_else(|| {
                    format!("the other thread reads it at {}", self.line(read.inst.origin))
                })
            )),
        }
    }

    /// Whether a fence of at least this scope is between two instructions. If `to` comes first in
    /// the text, the path from `from` goes around a loop.
    fn fenced(&self, from: u32, to: u32, needed: Scope, ordered: bool) -> Fenced {
        let on_the_way = |at: u32| match from < to {
            true => from < at && at < to,
            false => from < at || at < to,
        };
        let between = self.fences().filter(|(at, _)| on_the_way(*at)).max_by_key(|fence| fence.1);
        match between {
            _ if ordered => Fenced::Yes,
            Some((_, scope)) if scope >= needed => Fenced::Yes,
            Some((at, _)) => Fenced::Narrowly(at),
            None => Fenced::No,
        }
    }

    /// The scope of a fence.
    fn scope_at(&self, fence: u32) -> Scope {
        self.fences().find(|(at, _)| *at == fence).map_or(Scope::Block, |(_, scope)| scope)
    }

    /// Order two strong accesses when neither is the flag of the other.
    fn order(&self, race: &RaceFacts) -> Option<String> {
        let [now, prior] = race.accesses;
        let strong = race.accesses.iter().all(|access| access.strong.is_some());
        let apart = race.distance > Distance::Warps && now.instruction != prior.instruction;
        let (fence, ptx) = fence_of(race.distance.scope());
        (strong && apart && !race.mixed).then(|| {
            format!(
                "volatile accesses do not order one another: pass the data on by a flag that is written after {} and a fence, `{fence}` (`{ptx}`), and put a fence between the read of the flag and {}",
                self.line(prior.instruction),
                self.line(now.instruction)
            )
        })
    }

    /// Replace a load and a store by one atomic.
    fn atomic(&self, race: &RaceFacts) -> Option<String> {
        let [a, b] = race.accesses;
        if race.accesses.iter().any(|access| access.strong.is_some()) {
            return None;
        }
        let of = |instruction: u32| self.memory().find(|found| found.inst.origin == instruction);
        let (one, other) = (of(a.instruction)?, of(b.instruction)?);
        let stores = |found: &MemoryInst<'_>| matches!(found.op.kind, MemoryKind::Store);
        let store = if stores(&one) { &one } else { &other };
        let same_word = |found: &MemoryInst<'_>| {
            found.inst.src.first() == store.inst.src.first()
                && (found.op.offset, found.op.space) == (store.op.offset, store.op.space)
        };
        let loads = |found: &MemoryInst<'_>| matches!(found.op.kind, MemoryKind::Load);
        let load = self.memory().filter(loads).filter(same_word).find(|load| {
            let involved = [&one, &other].iter().any(|one| one.index == load.index);
            (involved || one.index == other.index || stores(&one) && stores(&other))
                && self.computed_from(store.inst.src.get(1), load.inst).is_some()
        })?;
        if !stores(store) || [&one, &other].iter().any(|one| !same_word(one)) {
            return None;
        }
        // A value that is only moved is not an update.
        let update = self.computed_from(store.inst.src.get(1), load.inst);
        let update = update.filter(|update| *update != MOVED)?;
        let (read, written) = (self.line(load.inst.origin), self.line(store.inst.origin));
        let places = if read == written {
            format!("the update at {written}")
        } else {
            format!("the read at {read} and the write at {written}")
        };
        Some(format!("make {places} one atomic operation (`{update}`)"))
    }

    /// The atomic that computes a value from what a load read; `None` if it is computed from something else within eight
    /// instructions.
    fn computed_from(&self, value: Option<&Operand>, load: &Inst) -> Option<&'static str> {
        let Some(Operand::Reg(register)) = value else { return None };
        self.register_computed_from(*register, load, 8, &mut HashMap::new())
    }

    /// The same for a register. `failed` has the registers that were searched in vain, with the number of instructions: a
    /// register that many instructions write would otherwise be searched once for each path to it.
    fn register_computed_from(
        &self,
        register: Reg,
        load: &Inst,
        depth: u32,
        failed: &mut HashMap<Reg, u32>,
    ) -> Option<&'static str> {
        if load.writes().any(|r| r == register) {
            return Some(MOVED);
        }
        if depth == 0 || failed.get(&register).is_some_and(|searched| *searched >= depth) {
            return None;
        }
        let makes = |inst: &&Inst| inst.is_alu() && inst.writes().any(|r| r == register);
        for inst in self.kernel.insts.iter().filter(makes) {
            for source in &inst.src {
                let Operand::Reg(source) = source else { continue };
                let found = self.register_computed_from(*source, load, depth - 1, failed);
                let Some(found) = found else { continue };
                return Some(match inst.opcode {
                    Opcode::Alu(Alu::Integer(IntegerOp::Min(_))) => "atomicMin",
                    Opcode::Alu(Alu::Integer(IntegerOp::Max(_))) => "atomicMax",
                    Opcode::Alu(Alu::Move(_) | Alu::Convert(_)) => found,
                    Opcode::Alu(Alu::Logic(_)) => "atomicOr, atomicAnd or atomicXor",
                    _ => "atomicAdd",
                });
            }
        }
        failed.insert(register, depth);
        None
    }

    /// Put a barrier between the two.
    fn barrier(&self, race: &RaceFacts, gap: [u32; 2]) -> String {
        let [now, prior] = race.accesses;
        let (first, second) = (gap[0].min(gap[1]), gap[0].max(gap[1]));
        let (call, ptx) = match race.distance {
            Distance::Lanes => ("__syncwarp()", "sync_warp"),
            Distance::Warps => ("__syncthreads()", "sync_threads"),
            Distance::Cluster => ("the cluster's barrier", "cluster_sync"),
            Distance::Grid => return self.between_blocks(race, first, second),
        };
        if now.instruction == prior.instruction {
            let one = if race.distance == Distance::Lanes { "lane" } else { "thread" };
            return format!(
                "let one {one} make the access at {}, or give each {one} its own element",
                self.line(now.instruction)
            );
        }
        let passed = self.barriers(race.distance).map(|(_, inst)| inst.origin);
        let passed = passed.filter(|at| first < *at && *at < second).last();
        match passed {
            Some(barrier) if self.avoids_barriers(race.distance, first, second) => format!(
                "move the barrier at {} out of the branch that only some threads take, so that all threads pass it between {} and {}",
                self.line(barrier),
                self.access_at(race, first),
                self.access_at(race, second)
            ),
            Some(_) => format!(
                "put `{call}` (`{ptx}`) at the end of the loop: after {} and before {} runs again",
                self.access_at(race, second),
                self.access_at(race, first)
            ),
            None => format!(
                "put `{call}` (`{ptx}`) between {} and {}, outside of branches that only some threads take",
                self.access_at(race, first),
                self.access_at(race, second)
            ),
        }
    }

    /// Blocks are ordered by the end of a kernel.
    fn between_blocks(&self, race: &RaceFacts, first: u32, second: u32) -> String {
        let [now, prior] = race.accesses;
        if now.instruction == prior.instruction || now.writes && prior.writes {
            return format!(
                "give each block its own element at {}, or let one block write it",
                self.line(now.instruction)
            );
        }
        format!(
            "end the kernel between {} and {} and launch the rest as a second kernel, or put a barrier of the grid there (`cooperative_groups::this_grid().sync()`)",
            self.access_at(race, first),
            self.access_at(race, second)
        )
    }

    /// `the write at line 7`.
    fn access_at(&self, race: &RaceFacts, instruction: u32) -> String {
        let access = race.accesses.iter().find(|access| access.instruction == instruction);
        let what = match access {
            Some(RaceAccess { writes: true, .. }) => "the write",
            Some(_) => "the read",
            None => "the access",
        };
        format!("{what} at {}", self.line(instruction))
    }

    /// `line 7 of kernel.cu`.
    fn line(&self, instruction: u32) -> String {
        let Some(origin) = self.kernel.origins.get(instruction as usize) else {
            return "an unknown line".to_owned();
        };
        match &origin.location {
            Some(at) => {
                let name = Path::new(&at.file).file_name().and_then(|name| name.to_str());
                format!("line {} of {}", at.line, name.unwrap_or(&at.file))
            }
            None => format!("line {} of the PTX text", origin.text_line),
        }
    }

    fn memory(&self) -> impl Iterator<Item = MemoryInst<'k>> {
        self.kernel.insts.iter().enumerate().filter_map(|(index, inst)| match &inst.opcode {
            Opcode::Memory(op) => Some(MemoryInst { index, inst, op }),
            _ => None,
        })
    }

    /// The fences, each with its scope.
    fn fences(&self) -> impl Iterator<Item = (u32, Scope)> {
        self.kernel.insts.iter().filter_map(|inst| match &inst.opcode {
            Opcode::Annotation(SyncAnnotation::Fence(scope)) => Some((inst.origin, *scope)),
            _ => None,
        })
    }

    /// The instructions that order threads at most this far apart, with their positions.
    fn barriers(&self, distance: Distance) -> impl Iterator<Item = (usize, &'k Inst)> {
        let orders = move |(_, inst): &(usize, &Inst)| match &inst.opcode {
            Opcode::Barrier { .. } => distance <= Distance::Warps,
            Opcode::Annotation(SyncAnnotation::WarpSync) => distance == Distance::Lanes,
            _ => false,
        };
        self.kernel.insts.iter().enumerate().filter(orders)
    }

    /// Whether a thread can go from an instruction to another without such a barrier.
    fn avoids_barriers(&self, distance: Distance, from: u32, to: u32) -> bool {
        let barriers = self.barriers(distance).filter(|(_, inst)| inst.guard.is_none());
        let barriers: Vec<usize> = barriers.map(|(at, _)| at).collect();
        let ends = self.positions(to);
        self.positions(from).any(|from| ends.clone().any(|to| self.path(from, to, &barriers)))
    }

    /// The positions of the parts of an instruction.
    fn positions(&self, of: u32) -> impl Iterator<Item = usize> + Clone {
        let parts = self.kernel.insts.iter().enumerate().filter(move |(_, inst)| inst.origin == of);
        parts.map(|(at, _)| at)
    }

    /// Whether control can go from an instruction to another.
    fn reaches(&self, from: u32, to: usize) -> bool {
        self.positions(from).any(|from| self.path(from, to, &[]))
    }

    fn comes_to(&self, from: usize, to: u32) -> bool {
        self.positions(to).any(|to| self.path(from, to, &[]))
    }

    /// Whether control can go from a position to another without passing `barriers`.
    fn path(&self, from: usize, to: usize, barriers: &[usize]) -> bool {
        let free = |mut range: Range<usize>| !range.any(|at| barriers.contains(&at));
        let blocks = &self.flow.blocks;
        let (start, end) = (self.flow.block_of(from), self.flow.block_of(to));
        if start == end && from < to {
            return free(from..to);
        }
        if !free(from..blocks[start].end) {
            return false;
        }
        let mut seen = vec![false; blocks.len()];
        let mut open = self.flow.successors(start).to_vec();
        while let Some(block) = open.pop() {
            if block == end && free(blocks[block].start..to) {
                return true;
            }
            let whole = blocks[block].start..blocks[block].end;
            if !std::mem::replace(&mut seen[block], true) && free(whole) {
                open.extend(self.flow.successors(block));
            }
        }
        false
    }
}

impl Distance {
    /// The scope that includes both threads.
    fn scope(self) -> Scope {
        match self {
            Distance::Lanes | Distance::Warps => Scope::Block,
            Distance::Cluster => Scope::Cluster,
            Distance::Grid => Scope::Device,
        }
    }

    fn whose(self) -> &'static str {
        match self {
            Distance::Lanes => "lanes of the warp",
            Distance::Warps => "warps of the block",
            Distance::Cluster => "blocks of the cluster",
            Distance::Grid => "blocks of the grid",
        }
    }
}

/// Whether a thread has a fence where it needs one.
enum Fenced {
    /// One of the scope, or an access that orders.
    Yes,
    /// One of a narrower scope.
    Narrowly(u32),
    /// None.
    No,
}

/// The fence of a scope, in CUDA C++ and in PTX.
fn fence_of(scope: Scope) -> (&'static str, &'static str) {
    match scope {
        Scope::Block => ("__threadfence_block()", "fence.acq_rel.cta"),
        Scope::Cluster => ("a cluster fence", "fence.acq_rel.cluster"),
        Scope::Device => ("__threadfence()", "fence.acq_rel.gpu"),
        Scope::System => ("__threadfence_system()", "fence.acq_rel.sys"),
    }
}

/// Whether two accesses may be to one memory.
fn same_space(one: &MemoryOp, other: &MemoryOp) -> bool {
    one.space == other.space
        || one.space == MemorySpace::Generic
        || other.space == MemorySpace::Generic
}

fn name_of(op: &MemoryOp) -> &'static str {
    match op.kind {
        MemoryKind::Load => "read",
        MemoryKind::Store => "write",
        MemoryKind::Atomic(_) => "atomic",
    }
}
