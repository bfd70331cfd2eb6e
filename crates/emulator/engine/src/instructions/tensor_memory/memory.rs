//! Tensor memory of one block: 128 lanes of 512 columns of 32 bits, and its allocations.

use lanework_ptx_ir::opcode::tensor_memory::TmemMultiply;

/// Lanes.
pub const LANES: u32 = 128;
/// Columns.
pub const COLUMNS: u32 = 512;
/// Allocation unit of columns.
pub const UNIT: u32 = 32;
/// The initial contents of columns.
const FRESH: u32 = 0xcdcd_cdcd;

/// Columns allocated by a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The first column.
    pub start: u32,
    /// Their number.
    pub columns: u32,
    /// The warp.
    pub warp: u32,
    /// The instruction.
    pub instruction: u32,
}

/// Tensor memory.
#[derive(Default)]
pub struct TensorMemory {
    /// Lane by lane; empty until something is allocated.
    cells: Vec<u32>,
    /// A bit for each cell that was written since its column was allocated.
    written: Vec<u64>,
    allocations: Vec<Allocation>,
    /// Columns of the last allocation.
    last: Option<u32>,
    relinquished: bool,
    /// The arrivals of warps at collective instructions of a pair: allocations and releases begun.
    pub rounds: u64,
    /// The number of columns that this block's warp asks to allocate or free, if its peer has not
    /// asked yet.
    pub asked: Option<u32>,
}

/// Describes an invalid allocation.
pub type Misuse = String;

impl TensorMemory {
    /// Forgets the allocations and contents of the last block.
    pub fn start(&mut self) {
        self.allocations.clear();
        (self.last, self.relinquished, self.asked) = (None, false, None);
        self.rounds = 0;
    }

    /// The allocated columns.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// Whether all columns of a range are allocated.
    pub fn holds(&self, start: i64, columns: u32) -> bool {
        let end = start + i64::from(columns);
        let mut at = start;
        while at < end {
            let inside = |a: &&Allocation| {
                (i64::from(a.start)..i64::from(a.start + a.columns)).contains(&at)
            };
            match self.allocations.iter().find(inside) {
                Some(a) => at = i64::from(a.start + a.columns),
                None => return false,
            }
        }
        start >= 0
    }

    /// Checks a request for columns.
    ///
    /// # Errors
    /// If the request can never be satisfied.
    pub fn check_wish(&self, columns: u32) -> Result<(), Misuse> {
        check_count(columns)?;
        if self.relinquished {
            return Err("the block allocates tensor memory after a `tcgen05.relinquish_alloc_permit` of one of its threads".to_owned());
        }
        match self.last {
            Some(last) if columns > last => Err(format!(
                "{columns} columns of tensor memory are allocated after {last}: the numbers of a block's allocations must not increase"
            )),
            _ => Ok(()),
        }
    }

    /// The first column of a free run.
    pub fn free_run(&self, columns: u32) -> Option<u32> {
        let taken = |at: u32| {
            self.allocations.iter().find(|a| at < a.start + a.columns && a.start < at + columns)
        };
        let mut at = 0;
        while at + columns <= COLUMNS {
            match taken(at) {
                None => return Some(at),
                Some(other) => at = other.start + other.columns,
            }
        }
        None
    }

    /// Allocates columns.
    pub fn give(&mut self, given: Allocation) {
        if self.cells.is_empty() {
            self.cells = vec![FRESH; (LANES * COLUMNS) as usize];
            self.written = vec![0; self.cells.len() / 64];
        }
        for lane in 0..LANES {
            for column in given.start..given.start + given.columns {
                let at = index(lane, column);
                self.cells[at] = FRESH;
                self.written[at / 64] &= !(1 << (at % 64));
            }
        }
        self.last = Some(given.columns);
        self.allocations.push(given);
    }

    /// Frees columns.
    ///
    /// # Errors
    /// If they were not allocated in this way.
    pub fn take(&mut self, address: u32, columns: u32) -> Result<(), Misuse> {
        check_count(columns)?;
        let found = self.allocations.iter().position(|a| a.start == address);
        let Some(found) = found else {
            return Err(format!(
                "tensor memory at {address:#010x} is freed, but no live allocation has this address"
            ));
        };
        let given = self.allocations[found];
        if given.columns != columns {
            return Err(format!(
                "{columns} columns of tensor memory are freed, but the allocation has {}",
                given.columns
            ));
        }
        self.allocations.remove(found);
        Ok(())
    }

    /// Gives up the right to allocate.
    pub fn relinquish(&mut self) {
        self.relinquished = true;
    }

    /// The word of a cell.
    #[inline]
    pub fn word(&self, lane: u32, column: u32) -> u32 {
        self.cells.get(index(lane, column)).copied().unwrap_or(FRESH)
    }

    /// Whether a cell was written since its column was allocated.
    #[inline]
    pub fn is_written(&self, lane: u32, column: u32) -> bool {
        let at = index(lane, column);
        self.written.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 != 0)
    }

    /// Writes a cell.
    #[inline]
    pub fn put(&mut self, lane: u32, column: u32, word: u32) {
        let at = index(lane, column);
        if let Some(cell) = self.cells.get_mut(at) {
            *cell = word;
            self.written[at / 64] |= 1 << (at % 64);
        }
    }
}

#[inline(always)]
fn index(lane: u32, column: u32) -> usize {
    (lane % LANES * COLUMNS + column % COLUMNS) as usize
}

/// Checks that a number of columns can be allocated in one call.
fn check_count(columns: u32) -> Result<(), Misuse> {
    match columns.is_power_of_two() && (UNIT..=COLUMNS).contains(&columns) {
        true => Ok(()),
        false => Err(format!(
            "{columns} columns of tensor memory: the number must be a power of two from {UNIT} to {COLUMNS}"
        )),
    }
}

/// A place in tensor memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The lane.
    pub lane: u32,
    /// The column.
    pub column: u32,
}

impl Place {
    /// From an address, whose upper half is the lane.
    pub fn from_address(address: u32) -> Place {
        Place { lane: address >> 16, column: address & 0xffff }
    }

    /// The same without the two highest bits, which CuTe uses for the byte of a scale factor.
    pub fn of_factor(address: u32) -> Place {
        Place::from_address(address & 0x3fff_ffff)
    }
}

/// The lanes that a product uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPath {
    /// A lane for each of 128 rows (layouts A and D).
    Full,
    /// 64 rows in 16 lanes of each quarter (C and F).
    Half,
    /// 64 rows; the columns' halves in 64 lanes each (B and E).
    Two,
    /// 32 rows; the columns' quarters in 32 lanes each (G).
    Four,
}

impl DataPath {
    /// The layout of a product with `m` rows.
    pub fn new(this: &TmemMultiply, m: usize) -> DataPath {
        match (m, this.pair, this.stationary) {
            (32, ..) => DataPath::Four,
            (64, _, true) => DataPath::Two,
            (64, _, false) => DataPath::Half,
            (128, true, _) if this.sparse => DataPath::Half,
            (128, true, _) => DataPath::Two,
            _ => DataPath::Full,
        }
    }

    /// Rows of a block.
    pub fn rows(self) -> usize {
        match self {
            DataPath::Full => 128,
            DataPath::Half | DataPath::Two => 64,
            DataPath::Four => 32,
        }
    }

    /// Parts of the columns, each in separate lanes.
    pub fn parts(self) -> usize {
        match self {
            DataPath::Full | DataPath::Half => 1,
            DataPath::Two => 2,
            DataPath::Four => 4,
        }
    }

    /// The lane, from the address's on, of a row in a part of the columns.
    pub fn lane(self, row: usize, part: usize) -> u32 {
        let lane = match self {
            DataPath::Full => row,
            DataPath::Half => row % 16 + row / 16 * 32,
            DataPath::Two => row + 64 * part,
            DataPath::Four => row + 32 * part,
        };
        lane as u32
    }

    /// Whether a matrix may start at a lane.
    pub fn starts_at(self, lane: u32) -> bool {
        lane == 0 || self == DataPath::Half && lane == 16
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::tensor_memory::memory::*;

    fn given(start: u32, columns: u32) -> Allocation {
        Allocation { start, columns, warp: 0, instruction: 0 }
    }

    #[test]
    fn columns_are_allocated_first_fit_and_freed_completely() {
        let mut memory = TensorMemory::default();
        assert_eq!(memory.free_run(256), Some(0));
        memory.give(given(0, 256));
        memory.give(given(256, 128));
        assert_eq!(memory.free_run(256), None);
        assert!(memory.check_wish(256).is_err(), "numbers do not increase");
        assert!(memory.holds(100, 284) && !memory.holds(100, 285) && !memory.holds(-1, 2));
        assert!(memory.take(0, 128).is_err() && memory.take(32, 32).is_err());
        assert_eq!(memory.take(0, 256), Ok(()));
        assert!(memory.take(0, 256).is_err(), "twice");
        assert_eq!(memory.free_run(128), Some(0));
        memory.relinquish();
        assert!(memory.check_wish(32).unwrap_err().contains("relinquish_alloc_permit"));
    }

    #[test]
    fn a_cell_is_fresh_until_it_is_written() {
        let mut memory = TensorMemory::default();
        memory.give(given(0, 32));
        assert!(!memory.is_written(127, 31));
        memory.put(127, 31, 7);
        assert_eq!((memory.word(127, 31), memory.is_written(127, 31)), (7, true));
        memory.start();
        memory.give(given(0, 32));
        assert!(!memory.is_written(127, 31) && memory.word(127, 31) == FRESH);
    }
}

#[cfg(test)]
mod layout_tests {
    use crate::instructions::tensor_memory::memory::*;
    use lanework_ptx_ir::opcode::tensor_memory::MultiplyKind;

    #[test]
    fn shapes_have_the_layouts_of_the_manuals_table() {
        let dense = TmemMultiply {
            kind: MultiplyKind::F16,
            pair: false,
            a_in_tensor_memory: false,
            sparse: false,
            stationary: false,
            factors: 0,
            kept_lanes: 0,
            zero_columns: false,
            halvings: 0,
        };
        let stationary = TmemMultiply { stationary: true, ..dense };
        let pair = TmemMultiply { pair: true, ..dense };
        let sparse = TmemMultiply { sparse: true, ..pair };
        for (this, m, expected) in [
            (dense, 128, DataPath::Full),
            (dense, 64, DataPath::Half),
            (stationary, 128, DataPath::Full),
            (stationary, 64, DataPath::Two),
            (stationary, 32, DataPath::Four),
            (pair, 256, DataPath::Full),
            (pair, 128, DataPath::Two),
            (sparse, 256, DataPath::Full),
            (sparse, 128, DataPath::Half),
        ] {
            assert_eq!(DataPath::new(&this, m), expected, "M = {m}, {this:?}");
        }
    }

    #[test]
    fn no_two_rows_share_a_lane() {
        for path in [DataPath::Full, DataPath::Half, DataPath::Two, DataPath::Four] {
            let all =
                (0..path.rows()).flat_map(|r| (0..path.parts()).map(move |p| path.lane(r, p)));
            let mut all: Vec<u32> = all.collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
            assert!(all.iter().all(|lane| *lane < 128));
        }
        assert_eq!(DataPath::Half.lane(17, 0), 33);
    }
}
