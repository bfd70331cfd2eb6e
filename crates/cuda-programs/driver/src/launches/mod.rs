//! Kernel launches: configuration, attributes, execution, device launch, occupancy. Also the races between a kernel and
//! the grids that it launches ([`GridTree`]).

pub mod attributes;
pub mod device_launch;
pub mod launch;
pub mod legacy;
pub mod occupancy;

use lanework::emulator::sanitize::CodeLocation;
use lanework::emulator::sanitize::footprint::{AccessedBytes, ByteSet, Footprint, LaunchShadow};
use lanework::tool;

/// Handle of the tail stream.
pub const TAIL: u64 = 3;

/// Handle of the fire-and-forget stream, whose launches are unordered.
const FORGET: u64 = 4;

/// Maximum number of findings per launch.
const MOST: usize = 8;

/// A launch of a grid by another.
#[derive(Clone, Copy)]
pub struct LaunchOfGrid {
    /// Index of the parent in the tree.
    pub parent: usize,
    /// Number of the launch in the parent, from 0 on.
    pub number: usize,
    /// Handle of the stream in the parent.
    pub stream: u64,
}

/// Two grids that race, each with its name and its access.
pub struct GridRace {
    pub first: (String, AccessedBytes),
    pub second: (String, AccessedBytes),
    /// Whether the first grid is the parent of the second.
    pub is_parent: bool,
    /// The conflicting bytes.
    pub bytes: ByteSet,
}

/// A grid that has run.
struct Grid {
    name: String,
    launched: Option<LaunchOfGrid>,
    /// Its accesses, and the accesses of the grids that it launched.
    footprint: Footprint,
    /// For each launch by this grid: the block, and the grid's accesses that do not happen before the launch.
    launches: Vec<(u64, Footprint)>,
}

/// The grids of one launch: a kernel, and all grids that it launches, directly or indirectly. Finds the races between
/// these grids.
///
/// *Rules* (CUDA programming guide, "Dynamic parallelism"). A child sees everything that happens before its launch in
/// the launching thread. Other accesses of the parent race with it, unless it is a tail launch, which starts after its
/// parent and the other children have ended. Launches by one block into one stream are ordered. Launches into
/// different streams or by different blocks are not, nor are fire-and-forget launches.
///
/// *Limits.* Only the first 64 launches of each grid are compared. Grids that synchronize by flags count as ordered.
/// Events on the device order nothing here, so some reports may be false.
#[derive(Default)]
pub struct GridTree {
    grids: Vec<Grid>,
}

impl GridTree {
    /// Runs a grid and keeps its accesses; returns its index.
    pub fn run<R>(
        &mut self,
        name: &str,
        launched: Option<LaunchOfGrid>,
        run: impl FnOnce() -> R,
    ) -> (R, usize) {
        let (result, shadows) = tool::collect(run);
        let mut footprint = Footprint::default();
        shadows.iter().for_each(|shadow| footprint.add(shadow.footprint_without_queue()));
        let launches = shadows.iter().flat_map(launches_of).collect();
        self.grids.push(Grid { name: name.to_owned(), launched, footprint, launches });
        tool::hand_on(shadows);
        (result, self.grids.len() - 1)
    }

    /// The races of all grids: one for each pair of kernels and lines.
    pub fn races(mut self) -> Vec<GridRace> {
        // Children come after their parents.
        for index in (1..self.grids.len()).rev() {
            if let Some(LaunchOfGrid { parent, .. }) = self.grids[index].launched {
                let below = self.grids[index].footprint.clone();
                self.grids[parent].footprint.add(below);
            }
        }
        let mut found: Vec<GridRace> = Vec::new();
        let line = |of: &AccessedBytes| of.line.clone().unwrap_or_default();
        let key = |race: &GridRace| -> [(String, CodeLocation); 2] {
            [&race.first, &race.second].map(|(name, accessed)| (name.clone(), line(accessed)))
        };
        for index in 0..self.grids.len() {
            for race in self.races_of(index) {
                if found.len() < MOST && found.iter().all(|known| key(known) != key(&race)) {
                    found.push(race);
                }
            }
        }
        found
    }

    /// The races of a grid with its parent, and with grids that its parent launched earlier.
    fn races_of(&self, index: usize) -> Vec<GridRace> {
        let grid = &self.grids[index];
        let Some(launch) = grid.launched else { return Vec::new() };
        let parent = &self.grids[launch.parent];
        let Some((block, not_before)) = parent.launches.get(launch.number) else {
            return Vec::new();
        };
        let with = |name: &str, footprint: &Footprint, is_parent: bool| {
            if by_flags(footprint, &grid.footprint) {
                return None;
            }
            let (first, second, bytes) = footprint.conflict(&grid.footprint)?;
            let [first, second] = [(name, first), (&grid.name, second)]
                .map(|(name, accessed)| (name.to_owned(), accessed));
            Some(GridRace { first, second, is_parent, bytes })
        };
        if launch.stream == TAIL {
            return Vec::new();
        }
        let unordered = |earlier: &&Grid| {
            let of_parent = earlier.launched.filter(|of| of.parent == launch.parent);
            of_parent.is_some_and(|other| {
                let of_other = parent.launches.get(other.number).map(|(block, _)| block);
                let one_stream = other.stream == launch.stream && launch.stream != FORGET;
                let tail = other.stream == TAIL;
                !tail && of_other.is_some_and(|other| other != block || !one_stream)
            })
        };
        let earlier = self.grids[..index].iter().filter(unordered);
        let siblings = earlier.filter_map(|other| with(&other.name, &other.footprint, false));
        with(&parent.name, not_before, true).into_iter().chain(siblings).collect()
    }
}

/// The launches by a grid.
fn launches_of(shadow: &LaunchShadow) -> Vec<(u64, Footprint)> {
    let blocks = shadow.launching_blocks().into_iter().enumerate();
    blocks.map(|(number, block)| (block, shadow.not_before_launch(number))).collect()
}

/// Whether one of two grids reads a flag that the other writes.
fn by_flags(one: &Footprint, other: &Footprint) -> bool {
    let sees = |observed: &ByteSet, by: &Footprint| {
        let mut strong = by.accesses.iter().filter(|access| access.mode.is_strong());
        strong.any(|access| access.mode.writes() && !access.bytes.intersection(observed).is_empty())
    };
    sees(&one.observed, other) || sees(&other.observed, one)
}
