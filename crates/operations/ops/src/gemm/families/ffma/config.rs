//! Compile-time configuration of the FP32 kernel (tile shape, load method of each factor), and the copies that it selects: of
//! factors into the workspace, in the layout that TMA reads; of tiles into shared memory, one row per k step, by TMA, or word by
//! word if elements along k are adjacent or misaligned for TMA.

use crate::gemm::operand::{MatrixOperand, OperandMemory, Strides};
use crate::gemm::problem::{Extents, GemmProblem, Recipe};
use crate::permute::moved;
use crate::workspace::{WorkspaceLayout, WorkspacePart};
use lanework::Result;
use lanework::lang::Filling;
use lanework::prelude::*;

/// Load method of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    /// TMA: the elements of a step are adjacent, and lines start at multiples of 16 bytes.
    Map,
    /// TMA of A in its own layout: elements along k are adjacent, and rows start at multiples of 16 bytes.
    Rows,
    /// Word by word with a transpose: elements along k are adjacent.
    Words,
    /// Word by word: the elements of a step are adjacent.
    Lines,
}

/// Tile shape of a block and its tuning parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Result rows, a multiple of 64.
    pub rows: u32,
    /// Result columns, a multiple of 4 `wide`.
    pub cols: u32,
    /// Result columns per thread; a thread has 8 rows.
    pub wide: u32,
    /// Resident blocks per multiprocessor, which limits registers.
    pub blocks: u32,
    /// Blocks of a cluster that divide the k steps.
    pub splits: u32,
    /// k steps per stage.
    pub depth: u32,
    /// Stages in shared memory.
    pub stages: u32,
    /// Parts of the k steps that a second kernel reduces (split-K).
    pub parts: u32,
}

impl Tile {
    /// Whether TMA loads A in its row layout if possible: only for tall tiles with few columns. Those are bound by
    /// copies, and have enough registers for four steps per row.
    pub const fn by_rows(self) -> bool {
        self.rows > 64 && self.cols <= 32 && self.depth == 16
    }
}

impl Load {
    /// Load method of A for a tile.
    pub const fn of_a(self, tile: Tile) -> Load {
        if matches!(self, Load::Rows) && !tile.by_rows() { Load::Words } else { self }
    }

    /// Load method of B, which never keeps its row layout.
    pub const fn of_b(self) -> Load {
        if matches!(self, Load::Rows) { Load::Words } else { self }
    }
}

/// Position of a launch among the launches of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaunchPosition {
    /// The only launch, with all tiles.
    All,
    /// The launch of the first tiles.
    First,
    /// The launch of the last tiles.
    Last,
}

/// Compile-time constants of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FfmaConfig {
    pub rows: u32,
    pub cols: u32,
    pub wide: u32,
    pub blocks: u32,
    pub splits: u32,
    pub depth: u32,
    pub stages: u32,
    /// Load methods of A and B.
    pub loads: (Load, Load),
    /// Whether A and B are shared by the whole batch.
    pub shared_by_all: (bool, bool),
    /// Whether rows of C consist of aligned float4s (16-byte vectors).
    pub float4s: bool,
    /// Compensated summation: rounding errors are accumulated separately.
    pub compensated: bool,
    /// Whether the kernel may begin before the previous launch has ended.
    pub overlaps: bool,
    /// Position in the product's launches.
    pub part: LaunchPosition,
}

/// Result rows of a warp, whose lanes form an 8 x 4 grid.
pub(super) const WARP_ROWS: u32 = 64;

/// Padding per k step, in elements, of a tile that is transposed while copied: shifts each step by 4 banks.
const PAD: u32 = 4;

impl FfmaConfig {
    pub const fn new(tile: Tile, loads: (Load, Load)) -> FfmaConfig {
        let Tile { rows, cols, wide, blocks, splits, depth, stages, .. } = tile;
        let shared_by_all = (false, false);
        FfmaConfig {
            rows,
            cols,
            wide,
            blocks,
            splits,
            depth,
            stages,
            loads,
            shared_by_all,
            float4s: true,
            compensated: false,
            overlaps: false,
            part: LaunchPosition::All,
        }
    }

    /// Warps per tile row.
    pub const fn across(self) -> u32 {
        self.cols / (4 * self.wide)
    }

    pub const fn warps(self) -> u32 {
        self.rows / WARP_ROWS * self.across()
    }

    pub const fn threads(self) -> u32 {
        32 * self.warps()
    }

    /// Whether TMA loads A and B.
    pub const fn maps(self) -> (bool, bool) {
        (matches!(self.loads.0, Load::Map | Load::Rows), matches!(self.loads.1, Load::Map))
    }

    /// Whether A's tile keeps its row layout; a thread then loads four steps of a row at a time.
    pub const fn by_rows(self) -> bool {
        matches!(self.loads.0, Load::Rows)
    }

    /// Row offset of a thread's row `r`.
    pub const fn row(self, r: u32) -> u32 {
        if self.by_rows() { 8 * r } else { r / 4 * 32 + r % 4 }
    }

    /// Whether TMA loads a factor.
    pub const fn fetches(self) -> bool {
        self.maps().0 || self.maps().1
    }

    /// Whether threads copy a factor.
    pub const fn copies(self) -> bool {
        !(self.maps().0 && self.maps().1)
    }

    /// Barrier arrivals that mark a stage as full.
    pub const fn producers(self) -> u32 {
        (if self.copies() { self.threads() } else { 0 }) + if self.fetches() { 1 } else { 0 }
    }

    /// Whether every lane releases a stage, instead of one lane per warp. In the compensated kernel `ptxas` turns the
    /// `__syncwarp` before the release into a NOP, and compute-sanitizer's racecheck then reports a race.
    pub const fn each_releases(self) -> bool {
        self.compensated && self.copies()
    }

    /// Barrier arrivals that mark a stage as empty.
    pub const fn consumers(self) -> u32 {
        if self.each_releases() { self.threads() } else { self.warps() }
    }

    /// Elements per k step of A's tile in shared memory.
    pub const fn width_a(self) -> u32 {
        if matches!(self.loads.0, Load::Words) { self.rows + PAD } else { self.rows }
    }

    /// Elements per k step of B's tile.
    pub const fn width_b(self) -> u32 {
        if matches!(self.loads.1, Load::Words) { self.cols + PAD } else { self.cols }
    }

    /// Bytes per stage loaded by TMA.
    pub const fn fetched(self) -> u32 {
        let a = if self.maps().0 { self.rows } else { 0 };
        let b = if self.maps().1 { self.cols } else { 0 };
        4 * self.depth * (a + b)
    }

    /// Elements of A's stages in shared memory, which precede B's.
    pub const fn stages_a(self) -> u32 {
        self.stages * self.depth * self.width_a()
    }

    /// Elements per result row in shared memory.
    pub const fn width_c(self) -> u32 {
        self.cols + PAD
    }

    /// Whether results pass through shared memory: to reduce the sums of a cluster's blocks, or to let adjacent lanes
    /// store rows that lack aligned float4s.
    pub const fn gathers(self) -> bool {
        self.splits > 1 || !self.float4s
    }

    /// Number of adjacent results that a lane stores together, if results pass through shared memory.
    pub const fn adjacent(self) -> u32 {
        if self.float4s { 4 } else { 1 }
    }

    /// Elements of dynamic shared memory: stages and results overlap.
    pub const fn shared(self) -> u32 {
        let stages = self.stages_a() + self.stages * self.depth * self.width_b();
        let results = self.rows * self.width_c();
        if results > stages { results } else { stages }
    }

    /// Bytes of dynamic shared memory.
    pub const fn shared_bytes(self) -> u32 {
        4 * self.shared()
    }
}

/// Memory position of a factor, seen as lines (rows of A, columns of B) by k steps.
///
/// Offsets of this thread's words before the first step: one per copied line, or one for all if lines are adjacent.
#[device]
pub(super) fn places(
    first: u32,
    lines: u32,
    base: u32,
    stride: u32,
    #[constant] load: Load,
    #[constant] extent: u32,
    #[constant] config: FfmaConfig,
) -> [u32; 16] {
    let t = thread_idx.x;
    let mut places = [0u32; 16];
    if load == Load::Words {
        #[unroll]
        for l in 0..extent * 8 / config.threads() {
            // Lines past the end read the last line again; their products are not stored.
            let line = (first + t / 8 + l * (config.threads() / 8)).min(lines - 1);
            places[l] = base + line * stride + t % 8;
        }
    }
    if load == Load::Lines {
        #[unroll]
        for l in 0..extent.div_ceil(config.threads()) {
            let line = (first + t % extent + l * config.threads()).min(lines - 1);
            places[l] = base + t / extent * stride + line;
        }
    }
    places
}

/// Starts copying a factor tile from step `p` on into a stage: 8 adjacent lanes copy 8 steps of a line (a whole
/// sector, 8 different banks), or adjacent lanes copy adjacent lines. Steps past the end are zero-filled.
#[device]
pub(super) fn copy(
    x: &[f32],
    tiles: Shared<f32, 3>,
    stage: u32,
    p: u32,
    k: u32,
    stride: u32,
    places: &[u32; 16],
    #[constant] load: Load,
    #[constant] extent: u32,
    #[constant] config: FfmaConfig,
) {
    let t = thread_idx.x;
    if load == Load::Words {
        let (line, step) = (t / 8, t % 8);
        #[unroll]
        for s in (0..config.depth).step_by(8) {
            let have = if p + step + s < k { 4u32 } else { 0 };
            #[unroll]
            for l in 0..extent * 8 / config.threads() {
                let to = &mut tiles[[stage, step + s, line + l * (config.threads() / 8)]];
                cp_async_filled::<4, _>(to, (&x[places[l] + p]).add(s), have);
            }
        }
    }
    if load == Load::Lines {
        let (line, step) = (t % extent, t / extent);
        // Number of steps that all threads copy per iteration; at least one step of some of the lines.
        let each = const { (config.threads() / extent).max(1) };
        #[unroll]
        for s in (0..config.depth).step_by(each as usize) {
            let have = if p + step + s < k { 4u32 } else { 0 };
            #[unroll]
            for l in 0..extent.div_ceil(config.threads()) {
                let to = &mut tiles[[stage, step + s, line + l * config.threads()]];
                cp_async_filled::<4, _>(to, &x[places[l] + (p + s) * stride], have);
            }
        }
    }
}

/// One thread announces the byte count of a stage to its barrier, and issues the TMA copies.
#[device]
pub(super) fn fetch(
    a: &TensorMap<f32, 3>,
    b: &TensorMap<f32, 3>,
    tiles_a: Shared<f32, 3>,
    tiles_b: Shared<f32, 3>,
    slot: Filling,
    p: u32,
    at: [u32; 4],
    #[constant] config: FfmaConfig,
) {
    let [batch_a, top, batch_b, left] = at;
    slot.arrive_expect(config.fetched());
    if config.by_rows() {
        let rows = tiles_a.region(0u32, [config.stages, config.rows, config.depth]);
        a.load(rows.swizzled(Swizzle::B64).slab(slot.index), (batch_a, top, p), slot);
    }
    if config.loads.0 == Load::Map {
        a.load(tiles_a.slab(slot.index), (batch_a, p, top), slot);
    }
    if config.loads.1 == Load::Map {
        b.load(tiles_b.slab(slot.index), (batch_b, p, left), slot);
    }
}

/// The step stride of a copy is a multiple of this many elements.
const PITCH: usize = 32;

/// Maximum size for which a single copy begins before the previous launch has ended. The waiting blocks of a larger
/// copy, or of two copies, would occupy slots that the previous launch needs.
const SMALL: usize = 1 << 19;

/// A pending copy.
struct PackedCopy<'a> {
    matrix: MatrixOperand<'a>,
    part: WorkspacePart<u8>,
    /// Matrices, steps and lines.
    shape: [usize; 3],
    from: [usize; 3],
    to: [usize; 3],
}

/// Copies A and B into the workspace as `copied` requests, and appends the launches that `then` makes.
pub(super) fn factors<'a>(
    mut problem: GemmProblem<'a>,
    layout: &mut WorkspaceLayout,
    copied: (bool, bool),
    then: impl FnOnce(GemmProblem<'a>, &mut WorkspaceLayout) -> Result<Recipe<'a>>,
) -> Result<Recipe<'a>> {
    let Extents { m, n, k, .. } = problem.extents;
    let mut copies = Vec::new();
    if copied.0 {
        let Strides { row, column, .. } = problem.a.strides;
        let (copy, pitch) = copy_packed(&problem, problem.a, [k, m], [column, row], layout);
        problem.a = copy.copied(Strides { batch: copy.to[0], row: 1, column: pitch });
        copies.push(copy);
    }
    if copied.1 {
        let Strides { row, column, .. } = problem.b.strides;
        let (copy, pitch) = copy_packed(&problem, problem.b, [k, n], [row, column], layout);
        problem.b = copy.copied(Strides { batch: copy.to[0], row: pitch, column: 1 });
        copies.push(copy);
    }
    let device = problem.device.clone();
    let recipe = then(problem, layout)?;
    if copies.is_empty() {
        return Ok(recipe);
    }
    Ok(Box::new(move |scratch| {
        let mut launches = Vec::new();
        let few = matches!(&copies[..], [copy] if copy.shape.iter().product::<usize>() <= SMALL);
        for PackedCopy { matrix, part, shape, from, to } in copies {
            let source = (matrix.memory.elements(scratch), &from[..]);
            let target = (scratch.view(part), &to[..]);
            launches.push(moved(&device, 4, &shape, source, target, few)?);
        }
        launches.extend(recipe(scratch)?);
        Ok(launches)
    }))
}

/// Plans the copy of a factor of `steps` by `lines`, and returns its step stride.
fn copy_packed<'a>(
    problem: &GemmProblem<'a>,
    matrix: MatrixOperand<'a>,
    [steps, lines]: [usize; 2],
    [step, line]: [usize; 2],
    layout: &mut WorkspaceLayout,
) -> (PackedCopy<'a>, usize) {
    let own = if matrix.strides.batch == 0 { 1 } else { problem.extents.batch };
    let pitch = lines.next_multiple_of(PITCH);
    let apart = if own == 1 { 0 } else { steps * pitch };
    let part = layout.scratch::<u8>(4 * own * steps * pitch);
    let from = [matrix.strides.batch, step, line];
    (PackedCopy { matrix, part, shape: [own, steps, lines], from, to: [apart, pitch, 1] }, pitch)
}

impl<'a> PackedCopy<'a> {
    /// The factor in the workspace.
    fn copied(&self, strides: Strides) -> MatrixOperand<'a> {
        MatrixOperand { memory: OperandMemory::Scratch(self.part), strides, ..self.matrix }
    }
}
