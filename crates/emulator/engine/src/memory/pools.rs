//! Memory pools: allocations that a program's own allocator divides into smaller ones.
//!
//! The program announces them; kernels that are not checked may use all bytes of a pool.

use std::collections::BTreeMap;

/// Name of a part without a name of its own.
const UNNAMED: &str = "sub-allocation";

/// A part of a pool.
#[derive(Clone, Debug)]
struct PoolRegion {
    bytes: u64,
    freed: bool,
    name: Option<String>,
}

/// The part of a pool that is nearest to an access.
#[derive(Clone, Debug)]
pub struct NearPart {
    /// Its name.
    pub name: String,
    /// Its address.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// The address of the access, relative to it.
    pub offset: i64,
    /// Bytes between the access and the part; 0 if they overlap or touch.
    pub distance: u64,
}

/// The pools of a device and their parts, by address.
#[derive(Clone, Debug, Default)]
pub struct PoolRegions {
    pools: BTreeMap<u64, u64>,
    regions: BTreeMap<u64, PoolRegion>,
}

/// The entry of ranges that contains an address.
fn around(ranges: &BTreeMap<u64, u64>, address: u64) -> Option<(u64, u64)> {
    let (start, bytes) = ranges.range(..=address).next_back()?;
    (address - start < *bytes).then_some((*start, *bytes))
}

impl PoolRegions {
    /// Adds a pool, without parts.
    pub fn add_pool(&mut self, start: u64, bytes: u64) {
        self.end_pools(start, bytes);
        self.pools.insert(start, bytes);
    }

    /// Ends the pools that begin in a range: their memory is whole again.
    pub fn end_pools(&mut self, start: u64, bytes: u64) {
        let end = start.saturating_add(bytes.max(1));
        let ended: Vec<(u64, u64)> =
            self.pools.range(start..end).map(|(start, bytes)| (*start, *bytes)).collect();
        for (start, bytes) in ended {
            self.pools.remove(&start);
            self.forget(start, bytes);
        }
    }

    /// Removes the parts of the pool that starts at an address.
    pub fn reset_pool(&mut self, start: u64) {
        if let Some(bytes) = self.pools.get(&start).copied() {
            self.forget(start, bytes);
        }
    }

    /// Forgets the parts that overlap a range.
    fn forget(&mut self, start: u64, bytes: u64) {
        let end = start.saturating_add(bytes);
        self.regions.retain(|at, region| *at >= end || at.saturating_add(region.bytes) <= start);
    }

    /// Adds a part, which replaces those that it overlaps.
    pub fn add(&mut self, start: u64, bytes: u64) {
        self.forget(start, bytes.max(1));
        self.regions.insert(start, PoolRegion { bytes, freed: false, name: None });
    }

    /// Changes the size of the part at an address; returns whether there is one.
    pub fn resize(&mut self, start: u64, bytes: u64) -> bool {
        let Some(name) = self.regions.get(&start).map(|region| region.name.clone()) else {
            return false;
        };
        self.add(start, bytes);
        self.name(start, name);
        true
    }

    /// Names the part at an address.
    pub fn name(&mut self, start: u64, name: Option<String>) {
        if let Some(region) = self.regions.get_mut(&start) {
            region.name = name;
        }
    }

    /// Returns the part at an address to its pool.
    pub fn free(&mut self, start: u64) {
        if let Some(region) = self.regions.get_mut(&start) {
            region.freed = true;
        }
    }

    /// Whether a range overlaps a pool.
    pub fn overlaps(&self, start: u64, bytes: u64) -> bool {
        let end = start.saturating_add(bytes);
        around(&self.pools, start).is_some() || self.pools.range(start..end).next().is_some()
    }

    /// The pool that contains an address: its start and size.
    pub fn pool_at(&self, address: u64) -> Option<(u64, u64)> {
        around(&self.pools, address)
    }

    /// Whether an access violates a pool: `None` if it is in no pool, or in one live part.
    /// Otherwise, whether it is in one part that was freed, and the nearest part.
    pub fn violation(&self, address: u64, bytes: u64) -> Option<(bool, Option<NearPart>)> {
        self.pool_at(address)?;
        let end = address.saturating_add(bytes);
        let before = self.regions.range(..=address).next_back();
        if let Some((start, region)) = before
            && end <= start + region.bytes
        {
            return region.freed.then(|| (true, Some(near(*start, region, address, bytes))));
        }
        let after = self.regions.range(address..).next();
        let live = before.into_iter().chain(after).filter(|(_, region)| !region.freed);
        let nearest = live
            .map(|(start, region)| near(*start, region, address, bytes))
            .min_by_key(|near| near.distance);
        Some((false, nearest))
    }

    /// The live parts: address, size and name.
    pub fn live(&self) -> impl Iterator<Item = (u64, u64, &str)> {
        let live = self.regions.iter().filter(|(_, region)| !region.freed);
        live.map(|(start, region)| {
            (*start, region.bytes, region.name.as_deref().unwrap_or(UNNAMED))
        })
    }
}

fn near(start: u64, region: &PoolRegion, address: u64, bytes: u64) -> NearPart {
    let past = address.saturating_sub(start.saturating_add(region.bytes));
    let short = start.saturating_sub(address.saturating_add(bytes));
    NearPart {
        name: region.name.clone().unwrap_or(UNNAMED.to_owned()),
        address: start,
        bytes: region.bytes,
        offset: address.wrapping_sub(start) as i64,
        distance: past.max(short),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_must_be_inside_one_live_allocation() {
        let mut pools = PoolRegions::default();
        pools.add(4096, 16);
        assert!(pools.violation(8192, 4).is_none(), "in no pool");
        pools.add_pool(4096, 1024);
        pools.add(4096, 16);
        pools.add(4128, 16);
        assert!(pools.violation(4108, 4).is_none());
        for (address, bytes, nearest) in [(4108, 8, 4096), (4112, 4, 4096), (4124, 4, 4128)] {
            let (freed, near) = pools.violation(address, bytes).expect("a violation");
            assert_eq!((freed, near.expect("a part").address), (false, nearest));
        }
        pools.free(4128);
        assert!(pools.violation(4128, 4).expect("a violation").0, "freed");
        assert_eq!(pools.live().count(), 1);
        pools.add(4120, 64);
        assert!(pools.violation(4128, 4).is_none(), "handed out again");
        assert!(pools.resize(4120, 8) && !pools.resize(4096 + 512, 8));
        assert!(pools.violation(4128, 4).is_some());
        pools.reset_pool(4096);
        assert!(pools.violation(4096, 4).is_some_and(|(_, near)| near.is_none()));
        pools.end_pools(4096, 1);
        assert!(pools.violation(4096, 4).is_none());
    }
}
