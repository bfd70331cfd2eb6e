//! The advice of a race: the one change that repairs it.
//!
//! *Rules.* The threads furthest apart among all accesses of a finding decide, since a warp's barrier
//! does not order warps, and a block's barrier does not order blocks. In this order:
//!
//! 1. A thread read a flag by a relaxed access, and only a fence after that read is missing: name the line.
//! 2. One of two strong accesses has a scope that does not include the other thread: widen it.
//! 3. A plain store writes a flag or lock for which the other thread waits: write it by an atomic.
//! 4. Between the accesses, a strong write by one thread and a strong read by the other could pass
//!    the data, but a fence before the write or after the read is missing or has too narrow a
//!    scope: name each such fence. If the fences are there, but one thread passes the data of its
//!    block on: name the block's missing barrier. If nothing is missing: the reading thread has to wait
//!    for that write. If the flag is written before the data: swap the two.
//! 5. A load and a store of one word, where the store's value is computed from the load's: replace
//!    both by one atomic. Two strong accesses of one size (`volatile`) otherwise: pass the data by a flag.
//! 6. A store that runs only if the word has passed a test: replace both by a compare-and-swap.
//! 7. Two stores of values of different types to shared memory: two arrays overlap.
//! 8. Lanes of a warp, or warps of a block: name the barrier, and the two lines that it belongs
//!    between; or say that these are on two sides of a branch.
//! 9. Blocks: write to a second array what other blocks still read, end the kernel between the two,
//!    or give each block its own element; in a loop with a barrier of the grid, put another one at its end. On two sides of a
//!    branch: pass the data by a flag.
//!
//! An index that also leaves its array is repaired first.
//!
//! If the same threads of several blocks race for an element whose index does not depend on the block, the advice begins with that.
//!
//! *Limit.* The fourth rule uses the code, not the run: it takes the nearest strong write after the
//! one access, and the nearest strong read before the other.

use crate::findings::branches::line_of;
use lanework_ptx_ir::analysis::cfg::ControlFlowGraph;
use lanework_ptx_ir::kernel::{
    Inst, Kernel, MemoryKind, MemoryOp, MemorySpace, Opcode, Operand, Reg, Scope, SpecialRegister,
    SyncAnnotation,
};
use lanework_ptx_ir::opcode::Alu;
use lanework_ptx_ir::opcode::asynchrony::{AsyncOp, MbarrierOp};
use lanework_ptx_ir::opcode::integer::IntegerOp;
use lanework_ptx_ir::opcode::memory::AtomicOp;
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

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
pub(super) struct MemoryInst<'k> {
    /// Index in the kernel.
    pub(super) index: usize,
    pub(super) inst: &'k Inst,
    pub(super) op: &'k MemoryOp,
}

/// Whether an atomic never changes its word: `atomicAdd(p, 0)` polls it.
pub(super) fn only_reads(found: &MemoryInst<'_>) -> bool {
    matches!(found.op.kind, MemoryKind::Atomic(AtomicOp::Add | AtomicOp::Or | AtomicOp::Xor))
        && found.inst.src.get(1) == Some(&Operand::Const(0))
}

/// Gives advice about the races of a kernel.
pub struct Adviser<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) flow: ControlFlowGraph,
    /// The instruction of the signal before which the last advice puts a barrier of the block.
    signal: Cell<Option<u32>>,
}

impl<'k> Adviser<'k> {
    /// For the races of a kernel.
    pub fn new(kernel: &'k Kernel) -> Adviser<'k> {
        Adviser { kernel, flow: ControlFlowGraph::new(kernel), signal: Cell::new(None) }
    }

    /// The signal to other blocks before which the last advice puts a barrier of the block.
    pub fn take_signal(&self) -> Option<u32> {
        self.signal.take()
    }

    /// The advice for a race. A barrier belongs between the two instructions of `gap`.
    pub fn advice(&self, race: &RaceFacts, gap: [u32; 2]) -> String {
        let advice = self.to_order(race, gap);
        match self.read_beside_atomics(race) {
            Some(read) => format!("{advice}; {read}"),
            None => advice,
        }
    }

    /// A plain read of a word that other blocks change by atomics or `volatile` writes meanwhile: strong accesses do not race.
    fn read_beside_atomics(&self, race: &RaceFacts) -> Option<String> {
        let plain = race.accesses.iter().find(|one| one.strong.is_none() && !one.writes)?;
        let strong = race.accesses.iter().find(|one| one.strong.is_some() && one.writes)?;
        if race.distance < Distance::Cluster || race.mixed || race.unfenced.is_some() {
            return None;
        }
        Some(format!(
            "or, if any value that the word has meanwhile will do, read it at {} by an atomic or through `volatile`, since it is changed in this way at {}",
            self.line(plain.instruction),
            self.line(strong.instruction)
        ))
    }

    /// The advice that orders the two accesses.
    fn to_order(&self, race: &RaceFacts, gap: [u32; 2]) -> String {
        self.acquire(race)
            .or_else(|| self.scope(race))
            .or_else(|| self.plain_flag(race))
            .or_else(|| self.announced_early(race))
            .or_else(|| self.fence(race))
            .or_else(|| self.atomic(race))
            .or_else(|| self.order(race))
            .or_else(|| self.check_then_act(race))
            .or_else(|| self.overlap(race))
            .or_else(|| self.reused(race))
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
            .filter(|found| !matches!(found.op.kind, MemoryKind::Load) && !only_reads(found))
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
        // Within a block, a counter that hands out work, or a read before a barrier, passes nothing to the other thread.
        let near = race.distance <= Distance::Warps;
        let behind = || {
            !self.avoids_barriers(Distance::Warps, read.inst.origin, now.instruction)
                || !self.avoids_barriers(Distance::Warps, prior.instruction, write.inst.origin)
        };
        if near && (write.index == read.index || behind()) {
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
            Fenced::Yes if reader.is_none() => self
                .barrier_of_block(race, &write, &read)
                .or_else(|| self.unseen_signal(race, &write, &read)),
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

    /// One thread passes the data of its block on by fences and a flag: put the barrier between the flag and the accesses
    /// of the block's other threads.
    fn barrier_of_block(
        &self,
        race: &RaceFacts,
        write: &MemoryInst<'_>,
        read: &MemoryInst<'_>,
    ) -> Option<String> {
        if race.distance <= Distance::Warps {
            return None;
        }
        let [now, prior] = race.accesses;
        let free = |from: u32, to: u32| self.avoids_barriers(Distance::Warps, from, to);
        // A thread that announces its own write needs no barrier, nor does one that waits itself. A compiler may make several
        // copies of the access that waits, before the loop and in it.
        let waiting = self.line(read.inst.origin);
        let copies: Vec<u32> = self
            .memory()
            .map(|found| found.inst.origin)
            .filter(|origin| *origin == read.inst.origin || self.line(*origin) == waiting)
            .collect();
        let (announces, waits) = (
            self.always_after(prior.instruction, write.inst.origin),
            self.always_before(&copies, now.instruction),
        );
        if !announces && free(prior.instruction, write.inst.origin) {
            self.signal.set(Some(write.inst.origin));
            return Some(format!(
                "put `__syncthreads()` (`sync_threads`) between {} and the {} at {} that tells other blocks, outside of branches that only some threads take: it covers only accesses that its thread has waited for",
                self.access_at(race, prior.instruction),
                name_of(write.op),
                self.line(write.inst.origin)
            ));
        }
        (!waits && free(read.inst.origin, now.instruction)).then(|| {
            format!(
                "put `__syncthreads()` (`sync_threads`) between the {} at {} that waits for another block and {}, outside of branches that only some threads take",
                name_of(read.op),
                self.line(read.inst.origin),
                self.access_at(race, now.instruction)
            )
        })
    }

    /// A thread writes the flag for which the other waits before it writes the data: swap the two.
    fn announced_early(&self, race: &RaceFacts) -> Option<String> {
        let [now, prior] = race.accesses;
        if now.writes == prior.writes || now.strong.is_some() || prior.strong.is_some() {
            return None;
        }
        let (data, reader) = if now.writes { (now, prior) } else { (prior, now) };
        let own = [now.instruction, prior.instruction];
        let strong = |found: &MemoryInst<'_>| {
            found.op.order.strong.is_some() && !own.contains(&found.inst.origin)
        };
        let writes = |found: &MemoryInst<'_>| !matches!(found.op.kind, MemoryKind::Load);
        // The flag's read is repeated until it has the value.
        let waits = self.memory().filter(strong).find(|found| {
            !matches!(found.op.kind, MemoryKind::Store)
                && self.path(found.index, found.index, &[])
                && self.comes_to(found.index, reader.instruction)
                && !self.reaches(reader.instruction, found.index)
        })?;
        let later = |found: &MemoryInst<'_>| self.reaches(data.instruction, found.index);
        if self.memory().filter(strong).filter(writes).any(|found| later(&found)) {
            return None;
        }
        let flag = self
            .memory()
            .filter(strong)
            .filter(writes)
            .filter(|found| found.index != waits.index && same_space(found.op, waits.op))
            .filter(|found| self.comes_to(found.index, data.instruction))
            .filter(|found| !self.path(found.index, waits.index, &[]))
            .filter(|found| !self.stores_result_of(data.instruction, found.inst))
            .max_by_key(|found| found.inst.origin)?;
        let (fence, ptx) = fence_of(race.distance.scope());
        Some(format!(
            "move {} before the {} at {} that tells the other thread, with a fence, `{fence}` (`{ptx}`), between the two",
            self.access_at(race, data.instruction),
            name_of(flag.op),
            self.line(flag.inst.origin)
        ))
    }

    /// Whether a write stores a value that is computed from what an atomic returned, so it cannot come first.
    fn stores_result_of(&self, write: u32, atomic: &Inst) -> bool {
        let mut stores = self.memory().filter(|found| found.inst.origin == write);
        stores.any(|found| {
            found.inst.src.iter().any(|value| self.computed_from(Some(value), atomic).is_some())
        })
    }

    /// Whether a fence of at least this scope is between two instructions. If `to` comes first in
    /// the text, the path from `from` goes around a loop.
    pub(super) fn fenced(&self, from: u32, to: u32, needed: Scope, ordered: bool) -> Fenced {
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
        // `volatile` accesses are no atomic operation together, either.
        let strong = race.accesses.map(|access| access.strong.is_some());
        if race.mixed || strong[0] != strong[1] {
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
        let update_of = |load: &MemoryInst<'_>| {
            let value = store.inst.src.get(1);
            // In a loop, the accesses may be of different passes, which only a barrier separates.
            let once = !self.path(store.index, store.index, &[]);
            let bound = || self.bound_by(value, load.inst).filter(|_| once);
            self.computed_from(value, load.inst).or_else(bound)
        };
        let load = self.memory().filter(loads).filter(same_word).find(|load| {
            let involved = [&one, &other].iter().any(|one| one.index == load.index);
            (involved || one.index == other.index || stores(&one) && stores(&other))
                && update_of(load).is_some()
        })?;
        if !stores(store) || [&one, &other].iter().any(|one| !same_word(one)) {
            return None;
        }
        // A value that is only moved is not an update.
        let update = update_of(&load).filter(|update| *update != MOVED)?;
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

    /// The atomic for a value that is stored if it compares with what a load read: `if (x > *most) *most = x`.
    fn bound_by(&self, value: Option<&Operand>, load: &Inst) -> Option<&'static str> {
        let Some(Operand::Reg(value)) = value else { return None };
        let reads = |inst: &Inst, register: Reg| inst.src.contains(&Operand::Reg(register));
        let compares = |inst: &Inst| {
            matches!(inst.opcode, Opcode::Alu(Alu::Compare(_)))
                && reads(inst, *value)
                && load.writes().any(|read| reads(inst, read))
        };
        self.kernel.insts.iter().any(compares).then_some("atomicMax or atomicMin")
    }

    /// [`Self::computed_from`] for a register. `failed` has the registers that were searched in vain, with the number of instructions: a
    /// register that many instructions write would otherwise be searched once for each path to it.
    pub(super) fn register_computed_from(
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

    /// Whether blocks race because the index depends on the thread, but not on the block.
    pub fn lacks_block_index(&self, race: &RaceFacts) -> bool {
        let lacks = |access: &RaceAccess| {
            let found = self.memory().find(|found| found.inst.origin == access.instruction);
            let Some(Operand::Reg(address)) = found.and_then(|found| found.inst.src.first()) else {
                return false;
            };
            let specials = self.specials_of(*address);
            specials.is_some_and(|specials| {
                let any = |is: fn(&SpecialRegister) -> bool| specials.iter().any(is);
                any(|one| matches!(one, SpecialRegister::Thread(_)))
                    && specials.iter().all(|one| {
                        matches!(one, SpecialRegister::Thread(_) | SpecialRegister::BlockShape(_))
                    })
            })
        };
        // Blocks that take turns by a flag have a fence, or access the data in several statements.
        let [now, prior] = race.accesses.map(|access| self.line(access.instruction));
        let alike = now == prior && race.distance == Distance::Grid && race.global;
        let alike = alike && self.fences().next().is_none();
        alike && race.accesses.iter().all(lacks)
    }

    /// The special registers from which a register is computed; `None` if it depends on memory, too.
    fn specials_of(&self, register: Reg) -> Option<Vec<SpecialRegister>> {
        let (mut specials, mut seen, mut open) = (Vec::new(), vec![register], vec![register]);
        while let Some(register) = open.pop() {
            if let Some(special) = self.kernel.registers[register as usize].special {
                specials.push(special);
                continue;
            }
            let writers =
                self.kernel.insts.iter().filter(|inst| inst.writes().any(|r| r == register));
            for inst in writers {
                let is_parameter = matches!(
                    &inst.opcode,
                    Opcode::Memory(op) if op.space == MemorySpace::Parameter
                );
                if is_parameter {
                    continue;
                }
                if !inst.is_alu() {
                    return None;
                }
                for source in &inst.src {
                    if let Operand::Reg(source) = source
                        && !seen.contains(source)
                    {
                        seen.push(*source);
                        open.push(*source);
                    }
                }
            }
        }
        Some(specials)
    }

    /// A bulk copy overwrites data that other warps still read: they have to tell the thread that copies.
    fn reused(&self, race: &RaceFacts) -> Option<String> {
        let [now, prior] = race.accesses;
        let copies = |access: &RaceAccess| {
            let origin = self.kernel.origins.get(access.instruction as usize);
            origin.is_some_and(|origin| origin.name.starts_with("cp.async.bulk"))
        };
        let between = race.distance == Distance::Warps && !race.global;
        (between && copies(&now) && !prior.writes && !copies(&prior)).then(|| {
            format!(
                "let each thread that reads the data arrive at an mbarrier after the read at {}, and let the thread that copies wait for that phase before the copy at {}; or put a barrier of all these threads between the two",
                self.line(prior.instruction),
                self.line(now.instruction)
            )
        })
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
        let between = |inst: &Inst| first < inst.origin && inst.origin < second;
        if !self.barriers(race.distance).any(|(_, inst)| between(inst))
            && let Some(advice) = self.two_sides(race, (first, second), call, ptx)
        {
            return advice;
        }
        let passed = self.barriers(race.distance).map(|(_, inst)| inst.origin);
        let passed = passed.filter(|at| first < *at && *at < second).last();
        let outside = "outside of branches that only some threads take";
        // One statement that writes before it reads, or that a loop repeats: the two are of different iterations.
        let one_statement = self.line(first) == self.line(second)
            && (self.access_writes(first) && !self.access_writes(second)
                || self.avoids_barriers(race.distance, second, first));
        if passed.is_none() && (one_statement || self.around(race, first, second)) {
            return format!(
                "put `{call}` (`{ptx}`) at the end of the loop: after {} and before {} runs again, {outside}",
                self.access_at(race, second),
                self.access_at(race, first)
            );
        }
        match passed {
            Some(barrier) if self.avoids_barriers(race.distance, first, second) => format!(
                "move the barrier at {} out of the branch that only some threads take, so that all threads pass it between {} and {}",
                self.line(barrier),
                self.access_at(race, first),
                self.access_at(race, second)
            ),
            Some(barrier)
                if race.distance == Distance::Warps
                    && !self.positions(first).any(|at| self.reaches(second, at)) =>
            {
                format!(
                    "repair the other findings first: the barrier at {} is between the two accesses, so the threads passed different numbers of barriers before it, as if a race decides which of them repeat a loop",
                    self.line(barrier)
                )
            }
            Some(_) if self.decides_loop(second, first) => format!(
                "put `{call}` (`{ptx}`) at the head of the loop: before {}, {outside}, since the condition of the loop is {}",
                self.access_at(race, first),
                self.access_at(race, second)
            ),
            Some(_) => format!(
                "put `{call}` (`{ptx}`) at the end of the loop: after {} and before {} runs again",
                self.access_at(race, second),
                self.access_at(race, first)
            ),
            None => format!(
                "put `{call}` (`{ptx}`) between {} and {}, {outside}",
                self.access_at(race, first),
                self.access_at(race, second)
            ),
        }
    }

    /// Whether a race of two accesses without a barrier in between goes around a loop: a wait between the two orders them
    /// within an iteration, and the one that comes first in the text was found after the other.
    fn around(&self, race: &RaceFacts, first: u32, second: u32) -> bool {
        let [now, prior] = race.accesses;
        let waits = |inst: &Inst| match &inst.opcode {
            Opcode::Async(AsyncOp::Mbarrier(MbarrierOp::Wait { .. }, _)) => true,
            Opcode::Annotation(SyncAnnotation::Wait(_)) => true,
            Opcode::Memory(op) => {
                op.order.strong.is_some() && !matches!(op.kind, MemoryKind::Store)
            }
            _ => false,
        };
        now.instruction < prior.instruction
            && self
                .kernel
                .insts
                .iter()
                .any(|inst| first < inst.origin && inst.origin < second && waits(inst))
            && self.avoids_barriers(race.distance, second, first)
    }

    /// Whether the value of a read decides, in its own part of the code, whether a loop repeats `first`.
    fn decides_loop(&self, read: u32, first: u32) -> bool {
        self.positions(read).any(|at| {
            let block = self.flow.block_of(at);
            let range = &self.flow.blocks[block];
            let Some(last) = self.kernel.insts[range.start..range.end].last() else { return false };
            let Some((register, _)) = last.guard else { return false };
            let load = &self.kernel.insts[at];
            let decides =
                self.register_computed_from(register, load, 4, &mut HashMap::new()).is_some();
            // The loop has no other code behind: a jump backward, to code that leads to `first`.
            let back = |next: &usize| self.flow.blocks[*next].start <= at;
            decides
                && self.flow.successors(block).iter().any(back)
                && self.positions(first).any(|first| self.path(at, first, &[]))
        })
    }

    /// Whether an instruction writes memory.
    fn access_writes(&self, instruction: u32) -> bool {
        self.memory().any(|found| {
            found.inst.origin == instruction && !matches!(found.op.kind, MemoryKind::Load)
        })
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
        let apart = self.one_of_two(now.instruction, prior.instruction);
        if !apart && self.has_grid_barrier(first, second) {
            return format!(
                "put a barrier of the grid (`cooperative_groups::this_grid().sync()`) at the end of the loop: after {} and before {} runs again",
                self.access_at(race, second),
                self.access_at(race, first)
            );
        }
        let (read, write) = if now.writes {
            (prior.instruction, now.instruction)
        } else {
            (now.instruction, prior.instruction)
        };
        let whole = self.kernel.insts.last().map_or(0, |inst| inst.origin);
        if read < write && !self.has_grid_barrier(0, whole) {
            return format!(
                "write to a second array at {}, since other blocks still read this one at {}; or make the writes in a second kernel",
                self.line(write),
                self.line(read)
            );
        }
        if apart {
            return self.pass_by_flag(race, write, read);
        }
        format!(
            "end the kernel between {} and {} and launch the rest as a second kernel, or put a barrier of the grid there (`cooperative_groups::this_grid().sync()`), outside of branches that only some threads take",
            self.access_at(race, first),
            self.access_at(race, second)
        )
    }

    /// Whether a barrier of the grid is between two instructions: the block's barrier, a wait for other blocks, and the
    /// block's barrier again.
    fn has_grid_barrier(&self, from: u32, to: u32) -> bool {
        let barriers: Vec<(usize, u32)> =
            self.barriers(Distance::Warps).map(|(at, inst)| (at, inst.origin)).collect();
        let places: Vec<usize> = barriers.iter().map(|(at, _)| *at).collect();
        let spins: Vec<MemoryInst<'_>> = self
            .memory()
            .filter(|found| {
                let order = &found.op.order;
                !matches!(found.op.kind, MemoryKind::Store)
                    && order.strong >= Some(Scope::Device)
                    && from < found.inst.origin
                    && found.inst.origin < to
                    && self.path(found.index, found.index, &places)
            })
            .collect();
        spins.iter().any(|spin| {
            let spin = spin.inst.origin;
            barriers.iter().any(|(_, at)| from < *at && *at < spin)
                && barriers.iter().any(|(_, at)| spin < *at && *at < to)
        })
    }

    /// `the write at line 7`.
    pub(super) fn access_at(&self, race: &RaceFacts, instruction: u32) -> String {
        let access = race.accesses.iter().find(|access| access.instruction == instruction);
        let what = match access {
            Some(RaceAccess { writes: true, .. }) => "the write",
            Some(_) => "the read",
            None if self.access_writes(instruction) => "the write",
            None => "the read",
        };
        format!("{what} at {}", self.line(instruction))
    }

    /// `line 7 of kernel.cu`.
    pub(super) fn line(&self, instruction: u32) -> String {
        line_of(self.kernel, instruction).unwrap_or_else(|| "an unknown line".to_owned())
    }

    pub(super) fn memory(&self) -> impl Iterator<Item = MemoryInst<'k>> {
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
    pub(super) fn barriers(&self, distance: Distance) -> impl Iterator<Item = (usize, &'k Inst)> {
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
    pub(super) fn positions(&self, of: u32) -> impl Iterator<Item = usize> + Clone {
        let parts = self.kernel.insts.iter().enumerate().filter(move |(_, inst)| inst.origin == of);
        parts.map(|(at, _)| at)
    }

    /// Whether control can go from an instruction to another.
    fn reaches(&self, from: u32, to: usize) -> bool {
        self.positions(from).any(|from| self.path(from, to, &[]))
    }

    pub(super) fn comes_to(&self, from: usize, to: u32) -> bool {
        self.positions(to).any(|to| self.path(from, to, &[]))
    }

    /// Whether control can go from a position to another without passing `barriers`.
    pub(super) fn path(&self, from: usize, to: usize, barriers: &[usize]) -> bool {
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
    pub(super) fn scope(self) -> Scope {
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
pub(super) enum Fenced {
    /// One of the scope, or an access that orders.
    Yes,
    /// One of a narrower scope.
    Narrowly(u32),
    /// None.
    No,
}

/// The fence of a scope, in CUDA C++ and in PTX.
pub(super) fn fence_of(scope: Scope) -> (&'static str, &'static str) {
    match scope {
        Scope::Block => ("__threadfence_block()", "fence.acq_rel.cta"),
        Scope::Cluster => ("a cluster fence", "fence.acq_rel.cluster"),
        Scope::Device => ("__threadfence()", "fence.acq_rel.gpu"),
        Scope::System => ("__threadfence_system()", "fence.acq_rel.sys"),
    }
}

/// Whether two accesses may be to one memory.
pub(super) fn same_space(one: &MemoryOp, other: &MemoryOp) -> bool {
    one.space == other.space
        || one.space == MemorySpace::Generic
        || other.space == MemorySpace::Generic
}

pub(super) fn name_of(op: &MemoryOp) -> &'static str {
    match op.kind {
        MemoryKind::Load => "read",
        MemoryKind::Store => "write",
        MemoryKind::Atomic(_) => "atomic",
    }
}
