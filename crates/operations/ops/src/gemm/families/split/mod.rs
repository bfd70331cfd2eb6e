//! FP32 products on Hopper's tensor cores with split factors, more accurate than FP32 sums (Ozaki et al. 2012; Ootomo and
//! Yokota 2022): the family of [`Precision::Accurate`].
//!
//! The right split depends on the numbers. The splitting passes inspect them (`parts`), one block decides, and the decision
//! stays on the device: the products by two f16 parts, by three bf16 parts and by FFMA are all launched, and the two that are not
//! selected exit at once. The host never waits.

pub(super) mod parts;
mod product;
#[cfg(test)]
mod tests;

use crate::gemm::finish::{Finishing, finishing};
use crate::gemm::problem::{Extents, GemmProblem, Precision, Recipe};
use crate::workspace::{Scratch, WorkspaceLayout, WorkspacePart};
use half::{bf16, f16};
use lanework::lang::tensor_cores::{GroupProduct, MatrixElement, SwizzleMode};
use lanework::prelude::*;
use lanework::{Element, Prepared, Result, Storable, View, ViewMut};
use lanework_numbers::NumberType;
use parts::{CHUNK, HELD, Representation, THREADS, TILE, WIDTH, columns};

/// Workspace of a product.
#[derive(Clone, Copy)]
struct Room {
    choice: WorkspacePart<u32>,
    factors: [Kept; 2],
    verdicts: WorkspacePart<u32>,
    count: usize,
}

/// Tile of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SplitTile {
    /// 128 x 128 results, 3 stages of 64 columns of the factors.
    Square,
    /// 128 x 192 results, 2 stages of 64 columns of the factors.
    Wide,
}

/// Builder of the launches for one product of the batch.
struct SplitLaunches<'a, 's> {
    device: Device,
    scratch: &'s Scratch,
    room: Room,
    factors: [Factor<'a>; 2],
    c: ViewMut<'a, f32>,
    strides: (usize, usize),
    finishing: Finishing<'a, f32>,
    steps: Vec<Prepared<'a>>,
}

/// Duplicates the view of the results for another launch.
fn again<'a>(memory: &ViewMut<'a, f32>) -> ViewMut<'a, f32> {
    // SAFETY: `ViewMut` is an address and a length without a destructor. The launches that write through its copies run one after
    // the other on one stream, and the plan borrows the memory for as long as they exist.
    unsafe { std::ptr::read(memory) }
}

impl<'a> SplitLaunches<'a, '_> {
    fn read<T: Storable>(&self, part: WorkspacePart<T>) -> View<'static, T> {
        self.scratch.view(part).into()
    }

    fn push(&mut self, launch: Launch<'a>) -> Result<()> {
        // Overlapping these launches (programmatic dependent launch) costs 1.5 %: waiting blocks keep others from starting.
        // SAFETY: the kernels compare every index with the extents. `Tensor` checked the extents and strides of factors and
        // results; parts are indexed by rows below their number and words below the pitch, which is k rounded up to whole groups of
        // 64. `WorkspaceLayout` has a verdict, an exponent and a largest element for each row or block. `Epilogue::check` checked that the
        // vectors have one element per row or column.
        self.steps.push(unsafe { launch.prepare_unchecked(&self.device)? });
        Ok(())
    }

    /// Adds the launches that split a factor.
    fn split(&mut self, which: usize, representation: Representation) -> Result<()> {
        let Room { choice, verdicts, factors, .. } = self.room;
        let (factor, kept) = (self.factors[which], factors[which]);
        self.steps.extend(factor.taken_apart(
            &self.device,
            self.scratch,
            kept,
            (verdicts, choice),
            representation,
        )?);
        Ok(())
    }

    /// Adds the launch that multiplies parts if the choice is `mine`.
    fn multiply<T, S, const PARTS: u32, const COLUMNS: u32, const DEPTH: u32, const STAGES: u32>(
        &mut self,
        mine: u32,
    ) -> Result<()>
    where
        T: GroupProduct<T, f32> + MatrixElement<Storage = T> + Element,
        S: SwizzleMode,
    {
        let [a, b] = self.factors;
        let map = |kept: &Kept, factor: Factor<'a>, rows: u32| {
            let shape = [PARTS as usize * factor.rows, factor.k];
            let tiles = Tiles::new(shape, [rows, DEPTH]).strides([factor.pitch(), 1]);
            let memory = self.read(kept.parts).cast::<T>();
            TensorMap::of_view(&self.device, memory, &tiles.swizzle(S::SWIZZLE))
        };
        let [of_a, of_b] = &self.room.factors;
        let Finishing { alpha, beta, bias, scale_a, finish, .. } = self.finishing;
        let paired = self.strides.1 == 1
            && self.strides.0.is_multiple_of(2)
            && self.c.address().is_multiple_of(8);
        let launch = product::product::<T, S, PARTS, COLUMNS, DEPTH, STAGES>(
            &map(of_a, a, product::ROWS)?,
            &map(of_b, b, COLUMNS)?,
            again(&self.c),
            self.read(of_a.exponents).cast(),
            self.read(of_b.exponents).cast(),
            self.read(self.room.choice),
            mine,
            bias,
            scale_a,
            (a.rows as u32, b.rows as u32, a.k as u32),
            self.strides,
            if PARTS == 3 { 2 * parts::RAISED } else { 0 },
            alpha,
            beta,
            paired,
            finish,
        );
        let tiles = a.rows.div_ceil(product::ROWS as usize) * b.rows.div_ceil(COLUMNS as usize);
        let processors = self.device.info().multiprocessors.max(1) as usize;
        let shared = product::shared_bytes(PARTS, COLUMNS, DEPTH, STAGES);
        self.push(launch.grid(tiles.min(processors) as u32).block(384).shared_bytes(shared))
    }

    /// Adds the launch of the FFMA product.
    fn plain(&mut self) -> Result<()> {
        let [a, b] = self.factors;
        let Finishing { alpha, beta, bias, scale_a, finish, .. } = self.finishing;
        let (m, n, k) = (a.rows as u32, b.rows as u32, a.k as u32);
        let launch = product::plain(
            a.memory,
            b.memory,
            again(&self.c),
            self.read(self.room.choice),
            bias,
            scale_a,
            (m, n, k),
            a.strides,
            b.strides,
            self.strides,
            (alpha, beta),
            (a.along(), b.along()),
            finish,
        );
        let tiles = m.div_ceil(product::TILE) * n.div_ceil(product::TILE);
        let processors = self.device.info().multiprocessors.max(1);
        self.push(launch.grid(tiles.min(2 * processors)).block(product::THREADS))
    }

    /// Builds all launches.
    fn build(&mut self, shape: SplitTile) -> Result<()> {
        self.split(0, Representation::Pairs)?;
        self.split(1, Representation::Pairs)?;
        let Room { verdicts, choice, count, .. } = self.room;
        self.steps.push(parts::decided(
            &self.device,
            self.scratch,
            (verdicts, count),
            choice,
            Representation::Pairs,
        )?);
        match shape {
            SplitTile::Square => self.multiply::<f16, Swizzle128, 2, 128, 64, 3>(parts::PAIRS)?,
            SplitTile::Wide => self.multiply::<f16, Swizzle128, 2, 192, 64, 2>(parts::PAIRS)?,
        }
        self.split(0, Representation::Triples)?;
        self.split(1, Representation::Triples)?;
        self.multiply::<bf16, Swizzle64, 3, 128, 32, 4>(parts::TRIPLES)?;
        self.plain()
    }
}

/// Minimum K (below it, splitting loses more bits than f32 sums), and minimum multiply-adds to amortize the passes.
const LEAST: (usize, f64) = (512, 1e9);
/// Maximum number of rows (workspace size) and of batches (number of launches).
const MOST: (usize, usize) = (1 << 28, 16);

/// Whether this family supports a problem and beats FFMA.
pub(crate) fn suits(problem: &GemmProblem<'_>) -> bool {
    let Extents { batch, m, n, k } = problem.extents;
    problem.precision == Precision::Accurate
        && problem.a.kind == NumberType::F32
        && problem.device.info().compute_capability == (9, 0)
        && k >= LEAST.0
        && m.min(n) >= 128
        && m as f64 * n as f64 * k as f64 >= LEAST.1
        && m.max(n).max(k) <= MOST.0
        && batch <= MOST.1
}

/// The launches of this family.
pub(crate) fn recipe<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
) -> Result<Recipe<'a>> {
    let Extents { m, n, .. } = problem.extents;
    let processors = problem.device.info().multiprocessors.max(1) as usize;
    // Large tiles re-read less, but there must be enough of them to fill the device.
    let waves = |columns: usize| m.div_ceil(128) * n.div_ceil(columns) / processors;
    let shape = if waves(192) >= 16 { SplitTile::Wide } else { SplitTile::Square };
    shaped(problem, layout, shape)
}

/// The factors of one product of the batch.
fn factors<'a>(
    problem: &GemmProblem<'a>,
    memory: [View<'a, f32>; 2],
    batch: usize,
) -> [Factor<'a>; 2] {
    let Extents { m, n, k, .. } = problem.extents;
    let (a, b) = (problem.a.strides, problem.b.strides);
    let from =
        |memory: View<'a, f32>, stride: usize| memory.part((batch * stride).min(memory.len())..);
    [
        Factor { memory: from(memory[0], a.batch), rows: m, k, strides: (a.row, a.column) },
        Factor { memory: from(memory[1], b.batch), rows: n, k, strides: (b.column, b.row) },
    ]
}

/// The launches with tiles of one shape.
fn shaped<'a>(
    problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    shape: SplitTile,
) -> Result<Recipe<'a>> {
    let choice = layout.scratch(1);
    let [a, b] = factors(&problem, [View::nothing(&problem.device); 2], 0);
    let kept = [
        a.keep(layout, 0, Representation::Triples),
        b.keep(layout, a.blocks(), Representation::Triples),
    ];
    let count = a.blocks() + b.blocks();
    let room = Room { choice, factors: kept, verdicts: layout.scratch(count), count };
    Ok(Box::new(move |scratch| {
        let memory = [problem.a.memory.elements(scratch), problem.b.memory.elements(scratch)];
        let finishing = finishing::<f32>(&problem, scratch);
        let batches: Vec<_> =
            (0..problem.extents.batch).map(|batch| factors(&problem, memory, batch)).collect();
        let strides = problem.c.strides;
        let c = problem.c.memory.elements::<f32>(scratch);
        let mut steps = Vec::new();
        for (batch, factors) in batches.into_iter().enumerate() {
            let mut chain = SplitLaunches {
                device: problem.device.clone(),
                scratch,
                room,
                factors,
                c: again(&c).part(batch * strides.batch..),
                strides: (strides.row, strides.column),
                finishing,
                steps,
            };
            chain.build(shape)?;
            steps = chain.steps;
        }
        Ok(steps)
    }))
}

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
            None => parts::split_rows(
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
