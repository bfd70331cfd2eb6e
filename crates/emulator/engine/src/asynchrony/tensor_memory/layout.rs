//! Where the rows and columns of a product lie in tensor memory (PTX manual, "Data Path Layout Organization";
//! the figures' content as CuTe's layouts of fragments say).

use lanework_ptx_ir::opcode::tensor_memory::TmemMultiply;

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
    /// That of a product with `m` rows.
    pub fn of(this: &TmemMultiply, m: usize) -> DataPath {
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

    /// Parts of the columns, each in lanes of its own.
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
    use super::*;
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
            assert_eq!(DataPath::of(&this, m), expected, "M = {m}, {this:?}");
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
