//! Replaces the operations that the model of ptxas predicts by the machine instructions of a listing.
//!
//! The listing has the machine instructions of each PTX line. ptxas duplicates basic blocks (unrolled loops) and moves
//! instructions out of loops. It does not move memory accesses. So the loop depth of a block's accesses is the depth of the
//! block, and the number of times that an access occurs is the number of the block's copies. One execution of the block runs
//! one copy, so the counts of its other instructions are divided by the number of copies. ptxas has moved or
//! rematerialized an instruction whose depth differs from its block's: it counts for the block whose instructions surround it.

use crate::machine::operation::{MachineOperation, MemoryClass, Unit};
use crate::sass::listing::{Listing, MachineInstruction};
use crate::trace::KernelTrace;
use std::collections::HashMap;

/// Minimum fraction of a kernel's lines that the listing must contain; below it, the listing belongs to another text.
const ALIKE: f64 = 0.5;

/// Whether the trace, and not the listing, determines an operation: accesses, synchronization, and control flow.
fn from_trace(operation: &MachineOperation) -> bool {
    matches!(
        operation.unit,
        Unit::Memory
            | Unit::Shuffle
            | Unit::Mma(_)
            | Unit::Wgmma(_)
            | Unit::Commit(_)
            | Unit::Wait(..)
            | Unit::Sync
            | Unit::Fence
            | Unit::Branch
            | Unit::Exit
    )
}

/// Copies of the basic blocks in the machine code, and places of their instructions.
#[derive(Clone, Debug, Default)]
pub struct CodeLayout {
    /// By basic block: the number of its copies.
    pub copies: Vec<u8>,
    /// By run: the places of its instructions, copy by copy.
    pub places: Vec<Vec<u32>>,
    /// By basic block: whether the machine code continues without a branch, because ptxas made the next blocks conditional
    /// instructions.
    pub continues: Vec<bool>,
    /// By basic block: whether no branch leads to it.
    pub unbranched: Vec<bool>,
}

impl CodeLayout {
    /// Whether one sequence of instructions contains two blocks that follow each other in a trace.
    pub fn joins(&self, block: u32, next: u32) -> bool {
        let (block, next) = (block as usize, next as usize);
        let once = self.copies[block] <= 1 && self.copies[next] <= 1;
        once && next > block && self.continues[block] && self.unbranched[next]
    }

    /// The place of an operation of a run, in one of the copies of its block.
    pub fn place(&self, run: u32, block: u32, copy: u32, operation: usize) -> u32 {
        let places = &self.places[run as usize];
        let copies = usize::from(self.copies[block as usize]).max(1);
        let of_copy = (copy as usize % copies * places.len()).div_ceil(copies);
        places
            .get(of_copy + operation)
            .or(places.get(of_copy))
            .or(places.last())
            .copied()
            .unwrap_or(0)
    }
}

/// Replaces the operations of each run. Returns the layout of the code; `None` if the listing belongs to another text.
pub fn apply(
    trace: &KernelTrace,
    listing: &Listing,
    spins: &[bool],
    operations: &mut [Vec<MachineOperation>],
) -> Option<CodeLayout> {
    let origins = &trace.kernel.origins;
    // Kernels that were not parsed from text have no line numbers; the order of the instructions
    // gives their lines in the listed text.
    let line = |run: usize| {
        let origin = trace.runs.all[run].origin as usize;
        match origins[origin].text_line {
            0 => listing.instructions.get(origin).copied().unwrap_or_default(),
            line => line,
        }
    };
    let known = (0..operations.len()).filter(|&run| listing.by_line.contains_key(&line(run)));
    let costs = operations.iter().filter(|of| of.iter().any(|one| one.unit != Unit::Free));
    if (known.count() as f64) < ALIKE * costs.count() as f64 {
        return None;
    }
    let blocks = trace.runs.successors.len();
    let (copies, places) = (vec![1; blocks], vec![Vec::new(); operations.len()]);
    let mut layout = CodeLayout { copies, places, ..CodeLayout::default() };
    let mut depths = vec![None; blocks];
    for (block, known) in depths.iter_mut().enumerate() {
        let runs = trace.runs.of_block(block as u32);
        let runs: Vec<usize> = runs.map(|run| run as usize).collect();
        let of_line = |run: usize| listing.by_line.get(&line(run)).map_or(&[][..], Vec::as_slice);
        let Some((depth, count)) = place(&runs, spins, operations, &of_line) else { continue };
        layout.copies[block] = count.min(16) as u8;
        *known = Some(depth);
        let mut carried = 0.0;
        for &run in &runs {
            let here = of_line(run).iter().filter(|one| one.depth >= depth);
            layout.places[run] = here.map(|one| one.place).collect();
            // The listing has the instructions of a called function elsewhere. A compare-and-swap loop keeps the model's operations.
            if is_elsewhere(listing, line(run)) || spins[run] {
                continue;
            }
            // Runs that share a line share its instructions.
            let sharing = runs.iter().filter(|&&other| line(other) == line(run)).count();
            let share = 1.0 / (count as usize * sharing) as f64;
            replace(&mut operations[run], of_line(run), depth, share, &mut carried);
        }
    }
    let of_line =
        |run: usize| (!is_elsewhere(listing, line(run)) && !spins[run]).then(|| line(run));
    moved(trace, listing, &depths, &layout, &of_line, operations);
    join(trace, listing, &line, &mut layout, operations);
    Some(layout)
}

/// Finds the branches that the machine code does not have, and makes them free. ptxas guards the instructions of a short block
/// by a predicate in place of a branch around it, and moves loads of several such blocks together.
fn join(
    trace: &KernelTrace,
    listing: &Listing,
    line: &dyn Fn(usize) -> u32,
    layout: &mut CodeLayout,
    operations: &mut [Vec<MachineOperation>],
) {
    let successors = &trace.runs.successors;
    let is_branch = |one: &MachineOperation| one.unit == Unit::Branch;
    let mut continues = Vec::with_capacity(successors.len());
    for (block, after) in successors.iter().enumerate() {
        let last = trace.runs.of_block(block as u32).last();
        let forward = !after.is_empty() && after.iter().all(|&next| next as usize > block);
        let Some(last) = last.map(|run| run as usize).filter(|_| forward) else {
            continues.push(false);
            continue;
        };
        let of_line = listing.by_line.get(&line(last)).map_or(&[][..], Vec::as_slice);
        let branches = operations[last].iter().any(is_branch);
        let removed = branches && !of_line.iter().any(|one| one.traced);
        for one in operations[last].iter_mut().filter(|one| removed && is_branch(one)) {
            *one = MachineOperation { reads: one.reads.clone(), ..simple(Unit::Free, last as u32) };
        }
        continues.push(removed || !branches);
    }
    layout.unbranched = vec![true; successors.len()];
    for (after, _) in successors.iter().zip(&continues).filter(|(_, continues)| !**continues) {
        for &next in after {
            layout.unbranched[next as usize] = false;
        }
    }
    layout.continues = continues;
}

/// Whether a line mostly runs in a function that the listing does not have. FP64 divisions and roots run in line; they only
/// call a function for operands that are rare, such as subnormal numbers.
fn is_elsewhere(listing: &Listing, line: u32) -> bool {
    let of_line = listing.by_line.get(&line).map_or(&[][..], Vec::as_slice);
    listing.calls.contains(&line) && of_line.iter().all(|one| one.unit != Unit::Double)
}

/// Adds instructions to the blocks to which ptxas moved them from the blocks of their lines. `depths` has each block's depth.
fn moved(
    trace: &KernelTrace,
    listing: &Listing,
    depths: &[Option<u32>],
    layout: &CodeLayout,
    line: &dyn Fn(usize) -> Option<u32>,
    operations: &mut [Vec<MachineOperation>],
) {
    let mut runs_of_line: HashMap<u32, Vec<usize>> = HashMap::new();
    for run in 0..operations.len() {
        if let Some(line) = line(run) {
            runs_of_line.entry(line).or_default().push(run);
        }
    }
    let mut all: Vec<(&MachineInstruction, &Vec<usize>)> = Vec::new();
    for (line, instructions) in &listing.by_line {
        let Some(runs) = runs_of_line.get(line) else { continue };
        all.extend(instructions.iter().map(|one| (one, runs)));
    }
    all.sort_unstable_by_key(|(one, _)| one.place);
    let block = |run: usize| trace.runs.all[run].block as usize;
    // By depth: the last run at its place. Code after a loop is not part of it.
    let mut around: HashMap<u32, usize> = HashMap::new();
    let mut carried = vec![0.0; depths.len()];
    for (one, runs) in all {
        match runs.iter().find(|&&run| depths[block(run)] == Some(one.depth)) {
            Some(&run) => drop(around.insert(one.depth, run)),
            None if one.traced || runs.iter().any(|&run| depths[block(run)].is_none()) => {}
            None => {
                let Some(&run) = around.get(&one.depth) else { continue };
                let carry = &mut carried[block(run)];
                *carry += 1.0 / f64::from(layout.copies[block(run)].max(1));
                if *carry >= 1.0 - 1e-6 {
                    *carry -= 1.0;
                    let of = &mut operations[run];
                    let ends = of
                        .last()
                        .is_some_and(|last| matches!(last.unit, Unit::Branch | Unit::Exit));
                    of.insert(of.len() - usize::from(ends), simple(one.unit, run as u32));
                }
            }
        }
    }
}

/// An operation without operands.
pub fn simple(unit: Unit, run: u32) -> MachineOperation {
    MachineOperation {
        unit,
        run,
        reads: Vec::new(),
        writes: Vec::new(),
        words: 0,
        chained: false,
        order: MemoryClass::Anything,
        queue: None,
    }
}

/// The depth of a block in the machine code, and its copies.
fn place<'l>(
    runs: &[usize],
    spins: &[bool],
    operations: &[Vec<MachineOperation>],
    of_line: &dyn Fn(usize) -> &'l [MachineInstruction],
) -> Option<(u32, u32)> {
    let anchor = |run: usize| {
        let accesses = operations[run].iter().any(|one| {
            matches!(one.unit, Unit::Memory | Unit::Shuffle | Unit::Mma(_) | Unit::Sync)
        });
        let arithmetic = matches!(&operations[run][..], [one] if matches!(one.unit, Unit::Fma | Unit::Double | Unit::Special));
        (accesses, arithmetic)
    };
    let fits = |accesses: bool, one: &&MachineInstruction| match accesses {
        true => one.traced,
        false => matches!(one.unit, Unit::Fma | Unit::Double | Unit::Special),
    };
    for wanted in [true, false] {
        let chosen = runs.iter().filter(|&&run| match anchor(run) {
            (accesses, _) if wanted => accesses && !spins[run],
            (_, arithmetic) => arithmetic,
        });
        let lists: Vec<Vec<u32>> = chosen
            .map(|&run| of_line(run).iter().filter(|one| fits(wanted, one)).map(|one| one.depth))
            .map(Iterator::collect)
            .collect();
        // Take the median, because an access may have become a loop.
        let mut depths: Vec<u32> =
            lists.iter().filter_map(|list| list.iter().copied().max()).collect();
        depths.sort_unstable();
        let Some(&depth) = depths.get(depths.len().saturating_sub(1) / 2) else { continue };
        let counts = lists.iter().map(|list| list.iter().filter(|&&one| one == depth).count());
        let mut counts: Vec<usize> = counts.filter(|&count| count > 0).collect();
        counts.sort_unstable();
        return Some((depth, counts[counts.len() / 2] as u32));
    }
    // Nothing identifies the depth of the block: take the greatest depth, and one copy.
    let depth = runs.iter().flat_map(|&run| of_line(run)).map(|one| one.depth).max()?;
    Some((depth, 1))
}

/// Replaces the operations of a run by a share of the listed instructions at a depth. `carried` is
/// the fraction of an instruction that rounding down has left over in earlier runs.
fn replace(
    operations: &mut Vec<MachineOperation>,
    listed: &[MachineInstruction],
    depth: u32,
    share: f64,
    carried: &mut f64,
) {
    let here: Vec<&MachineInstruction> = listed.iter().filter(|one| one.depth == depth).collect();
    let moved_out = here.is_empty() && listed.iter().any(|one| one.depth < depth);
    let arithmetic: Vec<Unit> = here.iter().filter(|one| !one.traced).map(|one| one.unit).collect();
    *carried += arithmetic.len() as f64 * share;
    let count = (*carried + 1e-6).floor();
    *carried -= count;
    let from = operations.first().cloned();
    let Some(first) = from else { return };
    let simple = |unit| simple(unit, first.run);
    let (reads, last) = (first.reads.clone(), operations.last().cloned());
    let (writes, words) = last.map_or((Vec::new(), 0), |last| (last.writes, last.words));
    // Take the units in the order of the first copy.
    let units = arithmetic.iter().copied().cycle().take(count as usize);
    let mut made: Vec<MachineOperation> = units.map(simple).collect();
    let kept: Vec<MachineOperation> = operations.drain(..).filter(from_trace).collect();
    if !kept.is_empty() {
        let gone = !here.iter().any(|one| one.traced);
        if gone && (moved_out || !listed.is_empty()) {
            made.push(MachineOperation { reads, writes, ..simple(Unit::Free) });
        } else {
            made.extend(kept);
        }
        *operations = made;
        return;
    }
    // The operations depend on each other in order; the last one writes the result.
    let mut before = false;
    for one in &mut made {
        one.chained = before && one.unit != Unit::Nop;
        before |= one.unit != Unit::Nop;
    }
    made.sort_by_key(|one| one.unit != Unit::Nop);
    match made.iter().position(|one| one.unit != Unit::Nop) {
        Some(at) => {
            made[at].reads = reads;
            if let Some(last) = made.last_mut() {
                (last.writes, last.words) = (writes, words);
            }
        }
        None => made.push(MachineOperation { reads, writes, words, ..simple(Unit::Free) }),
    }
    *operations = made;
}
