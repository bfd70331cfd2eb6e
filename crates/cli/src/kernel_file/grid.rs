//! The shape of a launch. Without `--grid`, or with `--grid auto`, the number of blocks follows from the accesses of the
//! first blocks.
//!
//! A small grid runs on copies of the arguments. Where the same instruction of the same thread accesses an array in block 0
//! and in block 1, the difference of the addresses is what one block covers (`probe.rs`). The size of the array then gives
//! the number of blocks. If arrays give different numbers, the last block of the larger grid decides: it may access
//! nothing (the smaller grid suffices) or stay in bounds (the kernel guards its accesses). Otherwise the command asks.

use super::launch::Ready;
use super::operands::own_command_line;
use super::probe::{Axes, Cover, FileKernel, Probe, Reached};
use crate::args::Grid;
use lanework::{Dim3, PtxShape};
use lanework_terminal::failure::Failure;
use lanework_terminal::output::{note, thousands};
use std::collections::BTreeMap;

/// The shape of a launch. Without `--grid`, the blocks that the data takes, which a note states.
///
/// # Errors
/// If the grid does not follow from the data; the message has a command line to copy.
pub fn shape(kernel: &FileKernel<'_>) -> Result<PtxShape, Failure> {
    match kernel.args.grid {
        Some(Grid::Of(_)) => Ok(kernel.args.shape()),
        Some(Grid::Auto) | None => kernel.derived(),
    }
}

/// The threads of a block in suggestions.
const SUGGESTED: u32 = 256;

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
        if largest.is_some_and(|(_, elements)| elements > block_threads(shape))
            && self.uses("%tid")
            && !self.uses("%ctaid")
        {
            note("note: --grid 1: the kernel does not use blockIdx");
        }
        if largest.is_none() || !self.uses("%ctaid") {
            return Ok(shape);
        }
        let found = Probe::of(self, shape)?;
        if found.refused {
            // The launch itself reports why.
            return Ok(shape);
        }
        let grid = self.grid(&found, shape)?;
        Ok(PtxShape { grid, ..shape })
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
    fn grid(&self, found: &Probe, shape: PtxShape) -> Result<Dim3, Failure> {
        let mut by_argument: BTreeMap<usize, Axes> = BTreeMap::new();
        for covered in &found.covered {
            let blocks = covered.blocks(found.cluster);
            let least = by_argument.entry(covered.argument).or_insert(blocks);
            for axis in 0..3 {
                least[axis] = least[axis].min(blocks[axis]);
            }
        }
        for axis in 0..3 {
            let moves = found.covered.iter().any(|covered| covered.strides[axis] != 0);
            if self.reads_axis(axis) && found.works[axis] && !moves {
                return Err(self.unknown(shape));
            }
        }
        let [low, high]: [fn(u32, u32) -> u32; 2] = [u32::min, u32::max];
        let all = |pick: fn(u32, u32) -> u32| {
            let of = |axis: usize| by_argument.values().map(|blocks| blocks[axis]).reduce(pick);
            [0, 1, 2].map(|axis| of(axis).unwrap_or(1))
        };
        let (low, high) = (all(low), all(high));
        let grid = match low == high {
            true => low,
            false => {
                // On the other axes, the first block.
                let open = |at: Axes| [0, 1, 2].map(|i| if low[i] < high[i] { at[i] } else { 0 });
                let last = open(high.map(|blocks| blocks - 1));
                let after = open(low);
                let last = found.block(self, shape, high, last)?;
                match (last, found.block(self, shape, high, after)?) {
                    (Reached::Inside, _) => high,
                    (Reached::Nothing, Reached::Nothing) => low,
                    _ => return Err(self.ambiguous(&by_argument)),
                }
            }
        };
        self.state(found, grid);
        Ok(Dim3 { x: grid[0], y: grid[1], z: grid[2] })
    }

    /// States the grid in a note.
    fn state(&self, found: &Probe, grid: Axes) {
        let shown = words(grid);
        let largest = found
            .covered
            .iter()
            .max_by_key(|cover| (self.elements(cover.argument), usize::MAX - cover.argument));
        let Some(Cover { argument, strides, .. }) = largest else {
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
        let threads = block_threads(shape);
        let elements = self.largest().map_or(1, |(_, elements)| elements);
        Failure::input(
            "--grid is not given, and the accesses of the first blocks do not show how many blocks the data takes",
            own_command_line(&[
                self.option("--grid", "--grid-b"),
                &elements.div_ceil(threads).to_string(),
            ]),
        )
    }

    /// The failure if arrays give different grids.
    fn ambiguous(&self, by_argument: &BTreeMap<usize, Axes>) -> Failure {
        let each = by_argument
            .iter()
            .map(|(index, blocks)| format!("{} takes {}", self.name(*index), words(*blocks)));
        let least = by_argument.values().min().copied().unwrap_or([1; 3]);
        Failure::input(
            format_args!(
                "--grid is not given, and the arrays take different numbers of blocks: {}",
                each.collect::<Vec<_>>().join(", ")
            ),
            own_command_line(&[self.option("--grid", "--grid-b"), &words(least)]),
        )
    }
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
