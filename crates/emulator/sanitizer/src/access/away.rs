//! What is known of the accesses of a cluster that waits in another seat than the one that runs: its shared and local
//! memory, its clocks. Global memory, its shadow and the reports are of the launch as a whole.

use super::super::bounds::Extent;
use super::super::initialisation::Initialisation;
use super::super::position::Position;
use super::super::races::AwayRaces;
use super::super::races::peers::PeerAccesses;
use super::check::AccessCheck;
use lanework_engine::region::Region;

/// What is of one seat alone.
pub struct AwayAccess {
    position: Position,
    extents: Vec<Extent>,
    initial: Initialisation,
    races: AwayRaces,
    peers: PeerAccesses,
}

impl AccessCheck {
    /// Of another seat, in which nothing has run yet; the regions are the shared memory of its blocks.
    pub fn another(&self, shared: &[Region]) -> AwayAccess {
        let (warps, ranks) = (self.position.warps, shared.len());
        let bytes = || shared.iter().map(|region| region.bytes);
        let local = self.bounds.local_bytes_of(warps);
        AwayAccess {
            position: Position::new(warps, ranks),
            extents: shared.iter().map(Extent::of_shared).collect(),
            initial: Initialisation::new(bytes(), local),
            races: self.races.another(warps, bytes()),
            peers: PeerAccesses::new(ranks),
        }
    }

    /// Exchanges what is of one seat alone with that of another.
    pub fn exchange(&mut self, other: &mut AwayAccess) {
        std::mem::swap(&mut self.position, &mut other.position);
        self.bounds.exchange_shared(&mut other.extents);
        self.initial.exchange(&mut other.initial);
        self.races.exchange(&mut other.races);
        std::mem::swap(&mut self.peers, &mut other.peers);
    }
}
