//! What of a kernel is constant: the tile, how a thread's multiply-adds are ordered, how the factors are loaded.

/// How a factor's tiles come to shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    /// By TMA: the elements of a step are adjacent, and lines of the matrix start at multiples of 16 bytes.
    Map,
    /// A by TMA, as it lies: elements along k are adjacent, and rows start at multiples of 16 bytes.
    Rows,
    /// Word by word, transposed: elements along k are adjacent.
    Words,
    /// Word by word: the elements of a step are adjacent.
    Lines,
}

/// The tile of a block, and what goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    /// Rows of results, a multiple of 64.
    pub rows: u32,
    /// Columns of results, a multiple of 4 `wide`.
    pub cols: u32,
    /// Columns of results of a thread, which has 8 rows of them.
    pub wide: u32,
    /// Blocks that a multiprocessor has to hold at once: a limit on registers.
    pub blocks: u32,
    /// Blocks of a cluster among which the steps along k are divided.
    pub splits: u32,
    /// Steps along k of a stage.
    pub depth: u32,
    /// Stages in shared memory.
    pub stages: u32,
    /// Parts of the steps along k whose results are added up by a second kernel.
    pub parts: u32,
}

impl Tile {
    /// Whether A comes by TMA as it lies, where it can: to high tiles of few columns, which have registers for four steps of each row,
    /// and whose speed is that of copies.
    pub const fn by_rows(self) -> bool {
        self.rows > 64 && self.cols <= 32 && self.depth == 16
    }
}

impl Load {
    /// How A comes to a tile.
    pub const fn of_a(self, tile: Tile) -> Load {
        if matches!(self, Load::Rows) && !tile.by_rows() { Load::Words } else { self }
    }

    /// How B comes to a tile: never as it lies along k.
    pub const fn of_b(self) -> Load {
        if matches!(self, Load::Rows) { Load::Words } else { self }
    }
}

/// Which of the launches of a product this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The only one.
    All,
    /// That of the first tiles.
    First,
    /// That of the last tiles.
    Last,
}

/// The constants of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub rows: u32,
    pub cols: u32,
    pub wide: u32,
    pub blocks: u32,
    pub splits: u32,
    pub depth: u32,
    pub stages: u32,
    /// Of A and of B.
    pub loads: (Load, Load),
    /// Whether A, and B, are the same for all of a batch.
    pub shared_by_all: (bool, bool),
    /// Whether rows of C consist of aligned float4s.
    pub float4s: bool,
    /// Whether rounding errors are added up beside the sums.
    pub compensated: bool,
    /// Whether it may begin before the launch before it has ended.
    pub overlaps: bool,
    /// Which of the product's launches it is.
    pub part: Part,
}

/// Rows of results of a warp, whose lanes are 8 x 4.
pub(super) const WARP_ROWS: u32 = 64;

/// Padding of each step of a tile that is transposed by its copies, in elements: it shifts every step by 4 banks.
const PAD: u32 = 4;

impl Form {
    pub const fn of(tile: Tile, loads: (Load, Load)) -> Form {
        let Tile { rows, cols, wide, blocks, splits, depth, stages, .. } = tile;
        let shared_by_all = (false, false);
        Form {
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
            part: Part::All,
        }
    }

    /// Warps along a row of the tile.
    pub const fn across(self) -> u32 {
        self.cols / (4 * self.wide)
    }

    pub const fn warps(self) -> u32 {
        self.rows / WARP_ROWS * self.across()
    }

    pub const fn threads(self) -> u32 {
        32 * self.warps()
    }

    /// Whether TMA loads A, and B.
    pub const fn maps(self) -> (bool, bool) {
        (matches!(self.loads.0, Load::Map | Load::Rows), matches!(self.loads.1, Load::Map))
    }

    /// Whether a row of A's tile has the steps of a stage, four of which a thread loads at a time.
    pub const fn by_rows(self) -> bool {
        matches!(self.loads.0, Load::Rows)
    }

    /// Rows from a thread's first one to its row `r`.
    pub const fn row(self, r: u32) -> u32 {
        if self.by_rows() { 8 * r } else { r / 4 * 32 + r % 4 }
    }

    /// Whether TMA loads any of the factors.
    pub const fn fetches(self) -> bool {
        self.maps().0 || self.maps().1
    }

    /// Whether threads copy any of them.
    pub const fn copies(self) -> bool {
        !(self.maps().0 && self.maps().1)
    }

    /// Arrivals that make a stage full.
    pub const fn producers(self) -> u32 {
        (if self.copies() { self.threads() } else { 0 }) + if self.fetches() { 1 } else { 0 }
    }

    /// Whether each lane says that it has read a stage, and not one for its warp: of the code for compensated sums, compute-sanitizer's
    /// racecheck does not see the `__syncwarp` before that one, which `ptxas` makes a NOP.
    pub const fn each_releases(self) -> bool {
        self.compensated && self.copies()
    }

    /// Arrivals that make a stage empty.
    pub const fn consumers(self) -> u32 {
        if self.each_releases() { self.threads() } else { self.warps() }
    }

    /// Elements of a step of A's tile in shared memory.
    pub const fn width_a(self) -> u32 {
        if matches!(self.loads.0, Load::Words) { self.rows + PAD } else { self.rows }
    }

    /// Elements of a step of B's.
    pub const fn width_b(self) -> u32 {
        if matches!(self.loads.1, Load::Words) { self.cols + PAD } else { self.cols }
    }

    /// Bytes of a stage that TMA brings.
    pub const fn fetched(self) -> u32 {
        let a = if self.maps().0 { self.rows } else { 0 };
        let b = if self.maps().1 { self.cols } else { 0 };
        4 * self.depth * (a + b)
    }

    /// Elements of A's stages in shared memory, before B's.
    pub const fn stages_a(self) -> u32 {
        self.stages * self.depth * self.width_a()
    }

    /// Elements of a row of results in shared memory.
    pub const fn width_c(self) -> u32 {
        self.cols + PAD
    }

    /// Whether results go to C by way of shared memory: those of a cluster's blocks to be added up, those of a row of which no
    /// float4 is aligned to be stored by adjacent lanes.
    pub const fn gathers(self) -> bool {
        self.splits > 1 || !self.float4s
    }

    /// Adjacent results that a lane stores at a time, where they go by way of shared memory.
    pub const fn adjacent(self) -> u32 {
        if self.float4s { 4 } else { 1 }
    }

    /// Elements of dynamic shared memory: the stages, and after them the results.
    pub const fn shared(self) -> u32 {
        let stages = self.stages_a() + self.stages * self.depth * self.width_b();
        let results = self.rows * self.width_c();
        if results > stages { results } else { stages }
    }

    /// Dynamic shared memory.
    pub const fn shared_bytes(self) -> u32 {
        4 * self.shared()
    }
}
