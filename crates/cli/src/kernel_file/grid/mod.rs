//! The shape of a launch. Without `--grid`, or with `--grid auto`, the number of blocks follows from the accesses of the
//! first blocks.
//!
//! A few blocks run on copies of the arguments (`probe.rs`). The bytes that one block touches, and their step to the next
//! block, give the blocks that cover each array (`tiles.rs`). If arrays give different numbers, the last block of the larger
//! grid decides: it may access nothing (the smaller grid suffices) or stay in bounds (the kernel guards its accesses). The
//! last blocks of the result, and those after them, then run for a check: the command asks for `--grid` if a block after the
//! end would touch bytes that no block covers, or the last block of a row writes what the first one writes.

mod probe;
mod tiles;

pub use probe::FileKernel;

use super::launch::Ready;
use super::operands::own_command_line;
use crate::args::Grid;
use lanework::ptx::cpp_names::readable;
use lanework::{Dim3, PtxShape};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::{note, thousands};
use probe::{Probe, Queue, Reached};
use std::collections::BTreeMap;
use tiles::{Axes, Count, Ends, Footprint, overlap};

/// The shape of a launch. Without `--grid`, the blocks that the data takes, which a note states.
///
/// # Errors
/// If the grid does not follow from the data; the message has a command line to copy.
pub fn shape(kernel: &FileKernel<'_>) -> Result<PtxShape, Failure> {
    if let (None, Some(array)) = (kernel.args.shared, kernel.dynamic_array()) {
        return Err(kernel.without_shared(&array));
    }
    match kernel.args.grid {
        Some(Grid::Of(_)) => Ok(kernel.args.shape()),
        Some(Grid::Auto) | None => kernel.derived(),
    }
}

/// The threads of a block in suggestions.
const SUGGESTED: u32 = 256;

/// The blocks in suggestions if any number does: a block for each multiprocessor of an H200.
const MULTIPROCESSORS: u32 = 132;

impl FileKernel<'_> {
    fn derived(&self) -> Result<PtxShape, Failure> {
        let mut shape = self.args.shape();
        let function = self.module.module().entry(self.entry);
        let required = function.and_then(|function| function.required_block());
        if let (None, Some([x, y, z])) = (self.args.block, required) {
            shape.block = Dim3 { x, y, z };
        }
        let largest = self.largest();
        if self.args.block.is_none()
            && required.is_none()
            && (self.uses("%tid") || self.uses("%ctaid"))
            && let Some((index, elements)) = largest
        {
            let most = function.and_then(|function| function.max_threads()).unwrap_or(u32::MAX);
            let block = match self.uses("%tid.y") && most >= SUGGESTED {
                true => "16x16".to_owned(),
                false => SUGGESTED.min(most).to_string(),
            };
            return Err(Failure::input(
                format_args!(
                    "neither --grid nor --block is given: one thread would run for the {} elements of {}",
                    thousands(elements),
                    self.name(index)
                ),
                own_command_line(&[self.option("--block", "--block-b"), &block]),
            ));
        }
        let indexed = self.uses("%tid") || self.uses("%ctaid");
        if largest.is_none() && indexed {
            note("note: --grid 1: no argument has several elements");
        }
        let follows_block = self.uses("%ctaid");
        // A block may take its number from a counter in memory.
        if largest.is_none() || !follows_block && !self.uses("atom.") {
            self.note_one_block(shape);
            return Ok(shape);
        }
        let mut found = Probe::of(self, shape)?;
        if found.refused {
            // The launch itself reports why.
            return Ok(shape);
        }
        if !follows_block && found.queue.is_none() {
            self.note_one_block(shape);
            return Ok(shape);
        }
        let grid = match self.grid(&mut found, shape) {
            // Every grid has the first block, whose fault the launch reports.
            Err(_) if found.faults && !self.uses("%nctaid") => {
                note(
                    "note: --grid 1: the first block accesses memory out of bounds, so how many blocks the data takes is unknown",
                );
                return Ok(shape);
            }
            grid => grid?,
        };
        Ok(PtxShape { grid, ..shape })
    }

    /// States that one block runs, if the data have more elements than it has threads.
    fn note_one_block(&self, shape: PtxShape) {
        let is_more = |(_, elements): (usize, u64)| elements > block_threads(shape);
        if self.largest().is_some_and(is_more) && self.uses("%tid") && !self.uses("%ctaid") {
            note("note: --grid 1: the kernel does not use blockIdx");
        }
    }

    /// The array of dynamic shared memory that the entry uses (`extern __shared__`).
    fn dynamic_array(&self) -> Option<String> {
        let declared = |line: &str| {
            let rest = line.trim_start().strip_prefix(".extern .shared")?;
            let name = rest.trim_end().strip_suffix("[];")?.rsplit([' ', '\t']).next()?;
            Some(name.to_owned())
        };
        self.ptx.text.lines().filter_map(declared).find(|name| self.uses(name))
    }

    /// The failure if a kernel uses dynamic shared memory and its size is not given. The suggestion has a word for each
    /// thread.
    fn without_shared(&self, array: &str) -> Failure {
        let block = self.args.block.map_or(u64::from(SUGGESTED), |block| block.count());
        let name = readable(array);
        Failure::input(
            format_args!(
                "the kernel uses dynamic shared memory (`extern __shared__`, {name}), and --shared is not given"
            ),
            own_command_line(&[self.option("--shared", "--shared-b"), &(4 * block).to_string()]),
        )
    }

    /// An option by its name for this kernel.
    fn option(&self, first: &'static str, second: &'static str) -> &'static str {
        if self.args.is_second { second } else { first }
    }

    /// The argument with the most elements, if that is more than one, and their number.
    fn largest(&self) -> Option<(usize, u64)> {
        let elements = (0..self.ready.len()).map(|index| (index, self.elements(index)));
        let largest = elements.max_by_key(|(index, count)| (*count, usize::MAX - index));
        largest.filter(|(_, count)| *count > 1)
    }

    /// The number of elements of an argument.
    pub fn elements(&self, index: usize) -> u64 {
        match &self.ready[index] {
            Ready::Memory { array, .. } => (array.bytes.len() / array.element.bytes) as u64,
            _ => 0,
        }
    }

    /// An argument in messages.
    fn name(&self, index: usize) -> String {
        match &self.ready[index] {
            Ready::Memory { name, .. } => name.clone(),
            _ => format!("argument {}", index + 1),
        }
    }

    /// The grid, from what the first blocks cover.
    fn grid(&self, found: &mut Probe<'_>, shape: PtxShape) -> Result<Dim3, Failure> {
        for axis in 0..3 {
            let moves = found.footprints.iter().any(|one| one.strides[axis] != 0);
            if self.reads_axis(axis) && found.works[axis] && !moves {
                return Err(self.unknown(shape));
            }
        }
        let mut by_argument: BTreeMap<usize, Axes> = BTreeMap::new();
        let mut decided = Vec::new();
        for one in &found.footprints {
            // The stores of a kernel tell more than its loads.
            let is_read_only = !one.writes;
            let same = |other: &&Footprint| other.argument == one.argument && other.writes;
            if is_read_only && found.footprints.iter().any(|other| same(&other)) {
                continue;
            }
            let Some(counts) = one.blocks() else { continue };
            let blocks = [0, 1, 2]
                .map(|axis| counts[axis].blocks.max(1).next_multiple_of(found.cluster[axis]));
            let least = by_argument.entry(one.argument).or_insert(blocks);
            for axis in 0..3 {
                least[axis] = least[axis].min(blocks[axis]);
            }
            decided.push((one.clone(), counts));
        }
        if let Some(queue) = found.queue {
            let blocks = by_argument.values().map(|blocks| blocks[0]).min();
            return Err(self.of_queue(queue, blocks.unwrap_or(MULTIPROCESSORS)));
        }
        if found.follows_grid || decided.is_empty() && !found.footprints.is_empty() {
            return Err(self.unknown(shape));
        }
        let grid = self.agreed(found, &by_argument)?;
        let grid = self.verified(found, &decided, shape, grid)?;
        self.state(found, grid);
        Ok(Dim3 { x: grid[0], y: grid[1], z: grid[2] })
    }

    /// The grid on which the arrays agree.
    fn agreed(
        &self,
        found: &mut Probe<'_>,
        by_argument: &BTreeMap<usize, Axes>,
    ) -> Result<Axes, Failure> {
        let [low, high]: [fn(u32, u32) -> u32; 2] = [u32::min, u32::max];
        let all = |pick: fn(u32, u32) -> u32| {
            let of = |axis: usize| by_argument.values().map(|blocks| blocks[axis]).reduce(pick);
            [0, 1, 2].map(|axis| of(axis).unwrap_or(1))
        };
        let (low, high) = (all(low), all(high));
        if low == high {
            return Ok(low);
        }
        // On the other axes, the first block.
        let open = |at: Axes| [0, 1, 2].map(|i| if low[i] < high[i] { at[i] } else { 0 });
        let last = open(high.map(|blocks| blocks - 1));
        let after = open(low);
        match (found.block(high, last)?, found.block(high, after)?) {
            (Reached::Inside, _) => Ok(high),
            (Reached::Nothing, Reached::Nothing) => Ok(low),
            _ => Err(self.ambiguous(found, by_argument)),
        }
    }

    /// The grid without idle blocks at its end, after the last blocks and those after them have run.
    fn verified(
        &self,
        found: &mut Probe<'_>,
        decided: &[(Footprint, [Count; 3])],
        shape: PtxShape,
        mut grid: Axes,
    ) -> Result<Axes, Failure> {
        if found.blocks_wait() {
            // All blocks of the grid would run for each test.
            return Ok(grid);
        }
        for axis in 0..3 {
            let moves = |one: &&(Footprint, [Count; 3])| one.0.strides[axis] != 0;
            let of_axis = || decided.iter().filter(moves);
            let one = of_axis().find(|one| one.0.writes).or_else(|| of_axis().next());
            let Some((one, counts)) = one else { continue };
            let at = |index: u32| {
                let mut at = [0; 3];
                at[axis] = index;
                at
            };
            grid[axis] = busy(found, grid, axis)?;
            let last = grid[axis] - found.cluster[axis].min(grid[axis]);
            let count = counts[axis];
            if last > 0 && found.block(grid, at(last))? == Reached::Fault {
                // Of an array with a border, the rest may be the border.
                let starts = one.spans.first().map_or(0, |span| span.0);
                if starts != 0 && count.ends == Ends::AtArray {
                    return Err(self.undecided(shape, one.argument, grid));
                }
            } else if last > 0 && count.passes && count.ends != Ends::AtArray {
                let ours = found.part(one, grid, at(last))?;
                let next = found.part(one, grid, [0; 3])?;
                let moved: tiles::Spans = (0..3)
                    .filter(|other| *other != axis && grid[*other] > 1)
                    .flat_map(|other| {
                        let step = one.strides[other].unsigned_abs();
                        next.iter().map(move |(start, end)| (start + step, end + step))
                    })
                    .collect();
                if overlap(&ours, &next) || overlap(&ours, &tiles::joined(moved)) {
                    return Err(self.undecided(shape, one.argument, grid));
                }
            }
            let mut larger = grid;
            larger[axis] += found.cluster[axis];
            if found.block(larger, at(grid[axis]))? == Reached::Inside {
                let beyond = found.part(one, larger, at(grid[axis]))?;
                let ends = beyond.iter().flat_map(|(start, end)| [*start, end - 1]);
                if ends.into_iter().any(|offset| !one.covers(grid, offset)) {
                    return Err(self.undecided(shape, one.argument, grid));
                }
            }
        }
        Ok(grid)
    }

    /// States the grid in a note.
    fn state(&self, found: &Probe<'_>, grid: Axes) {
        let shown = words(grid);
        let largest = found
            .footprints
            .iter()
            .max_by_key(|one| (self.elements(one.argument), usize::MAX - one.argument));
        let Some(Footprint { argument, strides, .. }) = largest else {
            return note("note: --grid 1: a second block would access no memory");
        };
        let (elements, name) = (self.elements(*argument), self.name(*argument));
        let Ready::Memory { array, .. } = &self.ready[*argument] else { return };
        let moved: Vec<i64> = strides.iter().copied().filter(|stride| *stride != 0).collect();
        let all = thousands(elements);
        match moved[..] {
            [stride] if stride.unsigned_abs() / (array.element.bytes as u64) < elements => {
                let part = thousands(stride.unsigned_abs() / array.element.bytes as u64);
                note(&format!(
                    "note: --grid {shown}: a block covers {part} of the {all} elements of {name}"
                ));
            }
            [_] => {
                note(&format!("note: --grid {shown}: a block covers all {all} elements of {name}"))
            }
            _ => note(&format!(
                "note: --grid {shown}: the blocks cover the {all} elements of {name}"
            )),
        }
    }

    /// The failure if the accesses show nothing. The suggestion has a thread for each element.
    fn unknown(&self, shape: PtxShape) -> Failure {
        Failure::input(
            "--grid is not given, and the accesses of the first blocks do not show how many blocks the data takes",
            own_command_line(&[self.option("--grid", "--grid-b"), &words(self.suggested(shape))]),
        )
    }

    /// The failure if blocks take their work from a queue. `blocks` is what the arrays allow if any number does all of it.
    fn of_queue(&self, queue: Queue, blocks: u32) -> Failure {
        let (why, blocks) = match queue.parts {
            Some(parts) => (
                "--grid is not given, and the blocks take their work from a counter in memory: each block takes a part of it",
                parts,
            ),
            None => (
                "--grid is not given, and the blocks take their work from a counter in memory: any number of blocks does all of it",
                blocks.min(MULTIPROCESSORS),
            ),
        };
        Failure::input(
            why,
            own_command_line(&[self.option("--grid", "--grid-b"), &blocks.to_string()]),
        )
    }

    /// A grid with a thread for each element of the largest array. Blocks of rows get a grid of rows, as wide as the array if its
    /// shape is known, else a square.
    fn suggested(&self, shape: PtxShape) -> Axes {
        let (index, elements) = self.largest().unwrap_or((0, 1));
        let Dim3 { x, y, .. } = shape.block;
        let blocks = |items: u64, threads: u64| u32::try_from(items.div_ceil(threads)).unwrap_or(1);
        if y <= 1 {
            return [blocks(elements, block_threads(shape)), 1, 1];
        }
        let extents = match self.ready.get(index) {
            Some(Ready::Memory { array, .. }) => array.shape.clone(),
            _ => Vec::new(),
        };
        let (rows, columns) = match extents[..] {
            [.., rows, columns] => (rows, columns),
            _ => (elements.isqrt(), elements.div_ceil(elements.isqrt().max(1))),
        };
        [blocks(columns, x.into()), blocks(rows, y.into()), 1]
    }

    /// The failure if blocks of the grid that was found would overlap, or leave out a part of an array.
    fn undecided(&self, shape: PtxShape, argument: usize, grid: Axes) -> Failure {
        let name = self.name(argument);
        let threads = words(shape.block.to_array());
        Failure::input(
            format_args!(
                "--grid is not given, and the accesses of the first blocks do not decide it: with --grid {} and --block {threads}, blocks would overlap in {name}, pass its end, or leave a part of it out",
                words(grid)
            ),
            own_command_line(&[self.option("--grid", "--grid-b"), &words(grid)]),
        )
    }

    /// The failure if arrays give different grids. The suggestion covers the arrays that the kernel writes; all, if it writes none.
    fn ambiguous(&self, found: &Probe<'_>, by_argument: &BTreeMap<usize, Axes>) -> Failure {
        let each = by_argument
            .iter()
            .map(|(index, blocks)| format!("{} takes {}", self.name(*index), words(*blocks)));
        let is_written =
            |index: usize| found.footprints.iter().any(|one| one.argument == index && one.writes);
        let any_written = by_argument.keys().any(|index| is_written(*index));
        let covering = by_argument.iter().filter(|(index, _)| !any_written || is_written(**index));
        let most = covering.fold([1; 3], |most: Axes, (_, blocks)| {
            [0, 1, 2].map(|axis| most[axis].max(blocks[axis]))
        });
        Failure::input(
            format_args!(
                "--grid is not given, and the arrays take different numbers of blocks: {}",
                each.collect::<Vec<_>>().join(", ")
            ),
            own_command_line(&[self.option("--grid", "--grid-b"), &words(most)]),
        )
    }
}

/// The blocks of an axis up to the last one that accesses memory. An idle block ends the axis only if it is idle also at the
/// end of the other axes.
fn busy(found: &mut Probe<'_>, grid: Axes, axis: usize) -> Result<u32, Failure> {
    let step = found.cluster[axis];
    let mut idle = |index: u32| -> Result<bool, Failure> {
        for corner in
            [[0; 3], [0, 1, 2].map(|axis| grid[axis] - found.cluster[axis].min(grid[axis]))]
        {
            let mut at = corner;
            at[axis] = index * step;
            if found.block(grid, at)? != Reached::Nothing {
                return Ok(false);
            }
        }
        Ok(true)
    };
    let clusters = grid[axis] / step.max(1);
    if clusters <= 1 || !idle(clusters - 1)? {
        return Ok(grid[axis]);
    }
    // The first block is busy, this one is not.
    let (mut busy, mut first_idle) = (0, clusters - 1);
    while busy + 1 < first_idle {
        let middle = busy + (first_idle - busy) / 2;
        match idle(middle)? {
            true => first_idle = middle,
            false => busy = middle,
        }
    }
    Ok(first_idle * step)
}

/// The threads of a block.
fn block_threads(shape: PtxShape) -> u64 {
    shape.block.count().max(1)
}

/// A grid as `N`, `XxY` or `XxYxZ`.
fn words([x, y, z]: Axes) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    }
}
