//! Compile-time configuration of the FP32 kernel: tile shape and load method of each factor.

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
