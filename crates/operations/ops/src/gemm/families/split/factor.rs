//! A factor to be split along k: its extents, workspace and launches.

use super::parts::{CHUNK, HELD, Representation, THREADS, TILE, WIDTH, columns, rows};
use crate::workspace::{Scratch, WorkspaceLayout, WorkspacePart};
use lanework::prelude::*;
use lanework::{Prepared, Result, View};

/// A factor as the kernels see it: rows of A, or columns of B, of `k` elements.
#[derive(Clone, Copy)]
pub struct Factor<'a> {
    pub memory: View<'a, f32>,
    pub rows: usize,
    pub k: usize,
    /// Row and element strides.
    pub strides: (usize, usize),
}

/// Workspace of a split factor.
#[derive(Clone, Copy)]
pub struct Kept {
    /// The parts, consecutive.
    pub parts: WorkspacePart<u8>,
    /// Per row: the exponent of its scale; for rows rounded to f16, the f32 factor that undoes it.
    pub exponents: WorkspacePart<u8>,
    /// Index of its first verdict (result of classifying a row).
    verdicts: usize,
    found: Option<WorkspacePart<u32>>,
}

impl<'a> Factor<'a> {
    pub fn along(&self) -> bool {
        self.strides.1 == 1 || self.k <= 1
    }

    /// Row stride of the parts: whole cache lines.
    pub fn pitch(&self) -> usize {
        self.k.next_multiple_of(64)
    }

    /// Groups of four elements that each thread keeps while it splits a row: one or a power of two.
    fn held(&self) -> usize {
        let groups = self.k.div_ceil(4 * THREADS as usize);
        groups.next_power_of_two().min(HELD)
    }

    fn chunks(&self) -> usize {
        (self.k / CHUNK as usize).max(1)
    }

    /// Blocks that split it.
    pub fn blocks(&self) -> usize {
        match self.along() {
            true => self.rows,
            false => self.rows.div_ceil(TILE as usize) * self.chunks(),
        }
    }

    /// Whether one access covers four elements.
    fn wide(&self) -> bool {
        let (beside, apart) = match self.along() {
            true => (true, self.strides.0),
            false => (self.strides.0 == 1 && self.rows.is_multiple_of(4), self.strides.1),
        };
        beside && apart.is_multiple_of(4) && self.memory.address().is_multiple_of(16)
    }

    /// Reserves memory for its parts; its verdicts start at `verdicts`.
    pub fn keep(
        &self,
        layout: &mut WorkspaceLayout,
        verdicts: usize,
        representation: Representation,
    ) -> Kept {
        Kept {
            parts: layout.scratch(representation.most_parts() * self.rows * self.pitch() * 2),
            exponents: layout.scratch(self.rows * 4),
            verdicts,
            found: (!self.along()).then(|| layout.scratch(self.rows * self.chunks())),
        }
    }

    /// The launches that split it. Triples are made only if the choice, which the verdicts determine, selects them.
    pub fn taken_apart(
        &self,
        device: &Device,
        scratch: &Scratch,
        kept: Kept,
        (verdicts, choice): (WorkspacePart<u32>, WorkspacePart<u32>),
        representation: Representation,
    ) -> Result<Vec<Prepared<'a>>> {
        let (rows, k, blocks) = (self.rows as u32, self.k as u32, self.blocks());
        let parts = scratch.view(kept.parts).cast::<u32>();
        let exponents = scratch.view(kept.exponents).cast::<i32>();
        let verdicts = scratch.view(verdicts).part(kept.verdicts..kept.verdicts + blocks);
        let choice = View::from(scratch.view(choice));
        let (x, pitch, wide) = (self.memory, self.pitch() / 2, self.wide());
        let mut launches = Vec::new();
        let launch = match kept.found {
            None => rows::split_rows(
                x,
                parts,
                exponents,
                verdicts,
                choice,
                rows,
                k,
                pitch,
                self.strides.0,
                wide,
                representation,
                self.held(),
            ),
            Some(found) => {
                if representation != Representation::Triples {
                    let to = scratch.view(found);
                    let launch = columns::largest(x, to, rows, k, self.strides, wide);
                    let grid = rows.div_ceil(WIDTH) * self.chunks() as u32;
                    launches.push(launch.grid(grid).block(THREADS));
                }
                columns::split_columns(
                    x,
                    View::from(scratch.view(found)),
                    parts,
                    exponents,
                    verdicts,
                    choice,
                    rows,
                    k,
                    pitch,
                    self.strides,
                    wide,
                    representation,
                )
            }
        };
        launches.push(launch.grid(blocks as u32).block(THREADS));
        // SAFETY: the kernels compare every index with the extents. `Tensor` checked the factor's extents and strides; parts are
        // indexed by rows below their number and words below the pitch, which is k rounded up to whole groups of 64. `keep`
        // reserved a verdict, an exponent and a largest element for each row or block.
        let prepared = |launch: Launch<'a>| unsafe { launch.prepare_unchecked(device) };
        launches.into_iter().map(prepared).collect()
    }
}
