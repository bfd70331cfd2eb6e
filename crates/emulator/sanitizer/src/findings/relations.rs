//! Advice about how the two threads of a race were meant to relate: a flag or lock that is written plainly, a wait that is
//! missing, a test and a write that belong together, parts of shared memory that overlap, and accesses on two sides of a
//! branch.
//!
//! *Limit.* As for the other advice, the code decides, not the run: which branch depends on a value follows from the
//! instructions that compute its condition, and "on two sides of a branch" means that no path without a backward jump leads
//! from one access to the other.

use crate::findings::advice::{
    Adviser, Distance, Fenced, MemoryInst, RaceFacts, fence_of, name_of, only_reads, same_space,
};
use lanework_ptx_ir::kernel::MemoryKind;
use lanework_ptx_ir::opcode::memory::AtomicOp;
use std::collections::HashMap;

/// Instructions through which a condition is followed back to the value that decides it.
const DEPTH: u32 = 8;

impl Adviser<'_> {
    /// A flag or a lock is written by a plain store, and other threads wait for it by strong accesses: write it by an atomic.
    pub(super) fn plain_flag(&self, race: &RaceFacts) -> Option<String> {
        let flag = race.accesses.iter().find(|one| one.strong.is_none() && one.writes)?;
        let strong = race.accesses.iter().find(|one| one.strong.is_some())?;
        if race.distance == Distance::Lanes || race.mixed {
            return None;
        }
        // A compiler may make several copies of the access, of which one is in the loop.
        let line = self.line(strong.instruction);
        let waits = |found: &MemoryInst<'_>| {
            (found.inst.origin == strong.instruction || self.line(found.inst.origin) == line)
                && (polls(found) || takes(found))
                && self.decides_own_loop(found)
        };
        let wait = self.memory().find(waits)?;
        let stores = |found: &MemoryInst<'_>| {
            matches!(found.op.kind, MemoryKind::Store) && found.op.order.strong.is_none()
        };
        let store = self.memory().find(|one| one.inst.origin == flag.instruction)?;
        let data = self
            .memory()
            .filter(stores)
            .filter(|one| one.inst.origin < flag.instruction && same_space(one.op, store.op))
            .filter(|one| self.comes_to(one.index, flag.instruction))
            .max_by_key(|one| one.inst.origin);
        let needed = race.distance.scope();
        let (fence, ptx) = fence_of(needed);
        let (at, kind) = (self.line(flag.instruction), name_of(wait.op));
        let waiting = self.line(wait.inst.origin);
        let fenced = |data: u32| self.fenced(data, flag.instruction, needed, false);
        Some(match data.map(|data| data.inst.origin) {
            Some(data) if !matches!(fenced(data), Fenced::Yes) => format!(
                "write the flag or lock at {at} by an atomic (`atomicExch`), since the {kind} at {waiting} waits for it; put a fence, `{fence}` (`{ptx}`), before it, after the write at {}",
                self.line(data)
            ),
            _ => format!(
                "write the flag or lock at {at} by an atomic (`atomicExch`), since the {kind} at {waiting} waits for it"
            ),
        })
    }

    /// Whether the value that an access reads decides whether a loop runs the access again.
    fn decides_own_loop(&self, found: &MemoryInst<'_>) -> bool {
        !matches!(found.op.kind, MemoryKind::Store)
            && self.flow.blocks.iter().any(|block| {
                let branch = block.end - 1;
                let guard = self.kernel.insts[branch].guard;
                guard.is_some_and(|(condition, _)| {
                    let of = &mut HashMap::new();
                    self.register_computed_from(condition, found.inst, DEPTH, of).is_some()
                }) && self.path(found.index, branch, &[])
                    && self.path(branch, found.index, &[])
            })
    }

    /// The writing thread announces its data, with all fences, and the other thread has not seen that.
    pub(super) fn unseen_signal(
        &self,
        race: &RaceFacts,
        write: &MemoryInst<'_>,
        read: &MemoryInst<'_>,
    ) -> Option<String> {
        let [now, prior] = race.accesses;
        if race.distance <= Distance::Warps || !prior.writes || now.strong.is_some() {
            return None;
        }
        let (wrote, uses) =
            (self.access_at(race, prior.instruction), self.access_at(race, now.instruction));
        let (signal, line) = (name_of(write.op), self.line(write.inst.origin));
        if write.index == read.index {
            return Some(format!(
                "the {signal} at {line} lets a thread go on to {uses} before all other blocks have passed it: check the count with which its result is compared, and that its word is reset before the kernel runs"
            ));
        }
        let (fence, ptx) = fence_of(race.distance.scope());
        Some(match polls(read) && self.decides_own_loop(read) {
            true => format!(
                "before {uses}, wait in a loop until the {signal} at {line} has written its flag, which tells that {wrote} is done; put a fence, `{fence}` (`{ptx}`), after the loop; the {} at {} waits for another element or value, or for one that was not reset before the kernel ran",
                name_of(read.op),
                self.line(read.inst.origin)
            ),
            false => format!(
                "before {uses}, wait in a loop until the {signal} at {line} has written its flag, which tells that {wrote} is done; put a fence, `{fence}` (`{ptx}`), after the loop"
            ),
        })
    }

    /// Data goes from one side of a branch to the other side in another block: only a flag or a second kernel orders the two.
    pub(super) fn pass_by_flag(&self, race: &RaceFacts, write: u32, read: u32) -> String {
        let (wrote, reads) = (self.access_at(race, write), self.access_at(race, read));
        let (fence, ptx) = fence_of(race.distance.scope());
        let wait = self.memory().find(|found| {
            found.op.order.strong.is_some()
                && self.comes_to(found.index, read)
                && self.decides_own_loop(found)
        });
        match wait {
            Some(wait) => format!(
                "after {wrote} and a fence, `{fence}` (`{ptx}`), write by an atomic (`atomicExch`) the flag for which the {} at {} waits",
                name_of(wait.op),
                self.line(wait.inst.origin)
            ),
            None => format!(
                "pass the data on by a flag: write it by an atomic (`atomicExch`) after {wrote} and a fence, `{fence}` (`{ptx}`); before {reads}, wait for it by an atomic in a loop, and put a fence after the loop; or make {reads} in a second kernel"
            ),
        }
    }

    /// A thread tests a word and then writes it, and other threads do the same: one atomic must do both.
    pub(super) fn check_then_act(&self, race: &RaceFacts) -> Option<String> {
        let [a, b] = race.accesses;
        if race.accesses.iter().any(|access| access.strong.is_some()) || race.mixed {
            return None;
        }
        let of = |instruction: u32| self.memory().find(|found| found.inst.origin == instruction);
        let stores = |found: &MemoryInst<'_>| matches!(found.op.kind, MemoryKind::Store);
        let (one, other) = (of(a.instruction)?, of(b.instruction)?);
        let store = if stores(&one) { &one } else { &other };
        let looped = self.path(store.index, store.index, &[]);
        // In a loop, the accesses may be of different passes, which only a barrier separates.
        if !stores(store) || looped && self.barriers(Distance::Warps).next().is_some() {
            return None;
        }
        let same_word = |found: &MemoryInst<'_>| {
            found.inst.src.first() == store.inst.src.first()
                && (found.op.offset, found.op.space) == (store.op.offset, store.op.space)
        };
        let test = self.memory().find(|load| {
            let involved = one.index == load.index || other.index == load.index;
            matches!(load.op.kind, MemoryKind::Load)
                && same_word(load)
                && (involved || one.index == other.index)
                && self.forward(load.index, store.index)
                && self.decides(load, store)
        })?;
        let (tests, writes) = (self.line(test.inst.origin), self.line(store.inst.origin));
        let places = if tests == writes {
            format!("the test and the write at {tests}")
        } else {
            format!("the test of the word read at {tests} and the write at {writes}")
        };
        Some(format!(
            "make {places} one atomic operation (`atomicCAS`), so that only one thread passes the test"
        ))
    }

    /// Whether the value of a load decides whether a store runs: by its own predicate, or by a branch of which only one side
    /// leads to it.
    fn decides(&self, load: &MemoryInst<'_>, store: &MemoryInst<'_>) -> bool {
        let from_load = |register| {
            self.register_computed_from(register, load.inst, DEPTH, &mut HashMap::new()).is_some()
        };
        if store.inst.guard.is_some_and(|(register, _)| from_load(register)) {
            return true;
        }
        (0..self.flow.blocks.len()).any(|block| {
            let branch = self.flow.blocks[block].end - 1;
            let sides = self.flow.successors(block);
            let leads = |side: &&usize| {
                let start = self.flow.blocks[**side].start;
                start > branch && (start == store.index || self.forward(start, store.index))
            };
            sides.len() == 2
                && sides.iter().filter(leads).count() == 1
                && self.forward(load.index, branch)
                && self.kernel.insts[branch].guard.is_some_and(|(register, _)| from_load(register))
        })
    }

    /// Two writes of values of different types to the same bytes of shared memory: two arrays overlap.
    pub(super) fn overlap(&self, race: &RaceFacts) -> Option<String> {
        let [now, prior] = race.accesses;
        let plain = race.accesses.iter().all(|one| one.strong.is_none() && one.writes);
        if race.global || !plain || now.instruction == prior.instruction {
            return None;
        }
        let first = now.instruction.min(prior.instruction);
        let second = now.instruction.max(prior.instruction);
        let (one, other) = (self.stored_type(first)?, self.stored_type(second)?);
        (one.0 != other.0).then(|| {
            format!(
                "two arrays with elements of different types (`{}` at {}, `{}` at {}) overlap in shared memory: let the second begin behind the last byte of the first, with offsets in bytes, and ask for the bytes of both",
                one.1,
                self.line(first),
                other.1,
                self.line(second)
            )
        })
    }

    /// Whether a store's type is a floating-point type, with its name; `None` for bits of unknown meaning, as `b32`.
    fn stored_type(&self, instruction: u32) -> Option<(bool, &str)> {
        let name = &self.kernel.origins.get(instruction as usize)?.name;
        let kind = name.strip_prefix("st.")?.rsplit('.').next()?;
        match kind.as_bytes().first()? {
            b'f' => Some((true, kind)),
            b'u' | b's' => Some((false, kind)),
            _ => None,
        }
    }

    /// Two accesses on the two sides of a branch, of which a thread takes one: a barrier between them needs two branches.
    pub(super) fn two_sides(
        &self,
        race: &RaceFacts,
        (first, second): (u32, u32),
        call: &str,
        ptx: &str,
    ) -> Option<String> {
        self.one_of_two(first, second).then(|| {
            format!(
                "{} and {} are on two sides of a branch: end the branch between them, put `{call}` (`{ptx}`) there, for all threads, and begin a second branch",
                self.access_at(race, first),
                self.access_at(race, second)
            )
        })
    }

    /// Whether a thread that runs one of two instructions runs the other only in another pass of a loop, if at all.
    pub(super) fn one_of_two(&self, one: u32, other: u32) -> bool {
        let leads = |from: u32, to: u32| {
            let to = self.positions(to);
            self.positions(from).any(|from| to.clone().any(|to| self.forward(from, to)))
        };
        one != other && !leads(one, other) && !leads(other, one)
    }

    /// Whether a path without a backward jump leads from a position to another.
    fn forward(&self, from: usize, to: usize) -> bool {
        let (start, end) = (self.flow.block_of(from), self.flow.block_of(to));
        if start == end {
            return from < to;
        }
        let mut seen = vec![false; self.flow.blocks.len()];
        let mut open = vec![start];
        while let Some(block) = open.pop() {
            for next in self.flow.successors(block) {
                if *next == end && *next > block {
                    return true;
                }
                if *next > block && *next < end && !std::mem::replace(&mut seen[*next], true) {
                    open.push(*next);
                }
            }
        }
        false
    }

    /// Whether a thread that runs `first` always runs `then` afterward.
    pub(super) fn always_after(&self, first: u32, then: u32) -> bool {
        let ends: Vec<usize> = self.positions(then).collect();
        let guarded = |at: &usize| self.kernel.insts[*at].guard.is_some();
        !ends.is_empty()
            && !ends.iter().any(guarded)
            && self.positions(first).all(|from| !self.escapes(from, &ends))
    }

    /// Whether a thread that runs `then` has always run one of `first` before.
    pub(super) fn always_before(&self, first: &[u32], then: u32) -> bool {
        let starts: Vec<usize> = first.iter().flat_map(|one| self.positions(*one)).collect();
        let guarded = |at: &usize| self.kernel.insts[*at].guard.is_some();
        !starts.is_empty()
            && !starts.iter().any(guarded)
            && self.positions(then).all(|to| !self.path(0, to, &starts))
    }

    /// Whether control can go from a position to the end of the kernel without passing `through`.
    fn escapes(&self, from: usize, through: &[usize]) -> bool {
        let free = |range: std::ops::Range<usize>| !through.iter().any(|at| range.contains(at));
        let start = self.flow.block_of(from);
        let mut seen = vec![false; self.flow.blocks.len()];
        let mut open = vec![(start, from + 1)];
        while let Some((block, first)) = open.pop() {
            if !free(first..self.flow.blocks[block].end) {
                continue;
            }
            let next = self.flow.successors(block);
            if next.is_empty() {
                return true;
            }
            for next in next {
                if !std::mem::replace(&mut seen[*next], true) {
                    open.push((*next, self.flow.blocks[*next].start));
                }
            }
        }
        false
    }
}

/// Whether an access only looks at its word, as in a loop that waits for a flag.
fn polls(found: &MemoryInst<'_>) -> bool {
    matches!(found.op.kind, MemoryKind::Load) || only_reads(found)
}

/// Whether an access may take a lock. A counter that hands out work in a loop is no lock.
fn takes(found: &MemoryInst<'_>) -> bool {
    let kinds = |op| matches!(op, AtomicOp::Exchange | AtomicOp::CompareAndSwap(_));
    matches!(found.op.kind, MemoryKind::Atomic(op) if kinds(op))
}
