//! The counts of a profiler: requests, sectors, wavefronts, instructions.

/// Memory traffic in 32-byte sectors, of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Global {
    /// Warp instructions that accessed memory with at least one lane.
    pub requests: u64,
    /// Distinct 32-byte sectors touched, summed over requests; of atomics, summed over the passes that
    /// lanes with one address take one after the other.
    pub sectors: u64,
    /// The sectors that the active lanes' bytes would fill side by side, where that is fewer.
    pub ideal_sectors: u64,
    /// Bytes that the active lanes asked for.
    pub bytes: u64,
}

impl Global {
    /// Mean sectors per request; 0 when there were none.
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.sectors, self.requests)
    }

    /// Mean ideal sectors per request; 0 when there were none.
    pub fn ideal_sectors_per_request(&self) -> f64 {
        ratio(self.ideal_sectors, self.requests)
    }

    /// The part of the sectors that was needed, from 0 to 1; 1 when there were none.
    pub fn efficiency(&self) -> f64 {
        if self.sectors == 0 { 1.0 } else { ratio(self.ideal_sectors, self.sectors) }
    }

    fn add(&mut self, other: &Global) {
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.ideal_sectors += other.ideal_sectors;
        self.bytes += other.bytes;
    }
}

/// Shared-memory traffic of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shared {
    /// Warp instructions that accessed memory with at least one lane.
    pub requests: u64,
    /// Passes through the 32 banks that the requests took.
    pub wavefronts: u64,
    /// Wavefronts beyond the fewest that each request's width and active lanes allow.
    pub bank_conflicts: u64,
    /// Bytes that the active lanes asked for.
    pub bytes: u64,
}

impl Shared {
    /// Mean bank conflicts per request; 0 when there were none.
    pub fn conflicts_per_request(&self) -> f64 {
        ratio(self.bank_conflicts, self.requests)
    }

    /// Mean wavefronts per request; 0 when there were none.
    pub fn wavefronts_per_request(&self) -> f64 {
        ratio(self.wavefronts, self.requests)
    }

    fn add(&mut self, other: &Shared) {
        self.requests += other.requests;
        self.wavefronts += other.wavefronts;
        self.bank_conflicts += other.bank_conflicts;
        self.bytes += other.bytes;
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What one or more launches did, or one instruction of them. Atomics are counted apart from loads and
/// stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Loads from global memory.
    pub global_load: Global,
    /// Stores to global memory.
    pub global_store: Global,
    /// Atomics and reductions on global memory.
    pub global_atomic: Global,
    /// Loads from shared memory; those of atomics that are loops of a load and a compare-and-swap too.
    pub shared_load: Shared,
    /// Stores to shared memory.
    pub shared_store: Shared,
    /// Atomics on shared memory.
    pub shared_atomic: Shared,
    /// What asynchronous copies write to shared memory.
    pub shared_copy: Shared,
    /// Loads from local memory (spills, indexed arrays), which lies interleaved by lane.
    pub local_load: Global,
    /// Stores to local memory.
    pub local_store: Global,
    /// Lanes of atomics whose address a lower lane of the same request had too.
    pub atomic_collisions: u64,
    /// PTX instructions executed by warps.
    pub warp_instructions: u64,
    /// PTX instructions executed by lanes: warp instructions times active lanes, guards ignored.
    pub lane_instructions: u64,
    /// Conditional branches at which a warp split.
    pub divergent_branches: u64,
    /// Barrier arrivals by warps.
    pub barriers: u64,
}

/// Adds the counts of each instruction.
pub fn add_each(to: &mut Vec<Counters>, from: &[Counters]) {
    to.resize(to.len().max(from.len()), Counters::default());
    for (to, from) in to.iter_mut().zip(from) {
        to.add(from);
    }
}

impl Counters {
    /// Adds another's counts.
    pub fn add(&mut self, other: &Counters) {
        for (mine, theirs) in [
            (&mut self.global_load, &other.global_load),
            (&mut self.global_store, &other.global_store),
            (&mut self.global_atomic, &other.global_atomic),
            (&mut self.local_load, &other.local_load),
            (&mut self.local_store, &other.local_store),
        ] {
            mine.add(theirs);
        }
        for (mine, theirs) in [
            (&mut self.shared_load, &other.shared_load),
            (&mut self.shared_store, &other.shared_store),
            (&mut self.shared_atomic, &other.shared_atomic),
            (&mut self.shared_copy, &other.shared_copy),
        ] {
            mine.add(theirs);
        }
        self.atomic_collisions += other.atomic_collisions;
        self.warp_instructions += other.warp_instructions;
        self.lane_instructions += other.lane_instructions;
        self.divergent_branches += other.divergent_branches;
        self.barriers += other.barriers;
    }

    /// The sum of many, such as those of a kernel's instructions.
    pub fn sum<'a>(all: impl IntoIterator<Item = &'a Counters>) -> Counters {
        all.into_iter().fold(Counters::default(), |mut sum, one| {
            sum.add(one);
            sum
        })
    }

    /// Warp instructions that accessed local memory.
    pub fn local_requests(&self) -> u64 {
        self.local_load.requests + self.local_store.requests
    }

    /// Bank conflicts of every kind of access to shared memory.
    pub fn bank_conflicts(&self) -> u64 {
        let kinds = [&self.shared_load, &self.shared_store, &self.shared_atomic, &self.shared_copy];
        kinds.iter().map(|kind| kind.bank_conflicts).sum()
    }

    /// Lanes that are active in an instruction, on average, of 32; 0 where none ran.
    pub fn active_lanes(&self) -> f64 {
        ratio(self.lane_instructions, self.warp_instructions)
    }

    /// Panics, and says by how much, where shared memory had bank conflicts: for tests.
    ///
    /// # Panics
    /// When there were any.
    #[track_caller]
    pub fn assert_no_bank_conflicts(&self) {
        let kinds = [
            ("loads", &self.shared_load),
            ("stores", &self.shared_store),
            ("atomics", &self.shared_atomic),
            ("copies", &self.shared_copy),
        ];
        for (name, kind) in kinds {
            assert!(
                kind.bank_conflicts == 0,
                "shared {name} had {} bank conflicts in {} requests ({:.2} each)",
                kind.bank_conflicts,
                kind.requests,
                kind.conflicts_per_request()
            );
        }
    }

    /// Panics, and says by how much, where a request to global memory touched more sectors than its
    /// bytes need: for tests. Atomics are left out.
    ///
    /// # Panics
    /// When one did.
    #[track_caller]
    pub fn assert_coalesced(&self) {
        for (name, kind) in [("loads", &self.global_load), ("stores", &self.global_store)] {
            assert!(
                kind.sectors == kind.ideal_sectors,
                "global {name} took {:.2} sectors per request where {:.2} would do ({} requests)",
                kind.sectors_per_request(),
                kind.ideal_sectors_per_request(),
                kind.requests
            );
        }
    }

    /// Panics where lanes of a warp parted at a branch: for tests.
    ///
    /// # Panics
    /// When they did.
    #[track_caller]
    pub fn assert_no_divergence(&self) {
        assert!(
            self.divergent_branches == 0,
            "warps parted at {} branches; {:.1} of 32 lanes were active on average",
            self.divergent_branches,
            self.active_lanes()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_has_the_parts_of_all() {
        let mut one = Counters { barriers: 3, ..Counters::default() };
        one.global_load = Global { requests: 1, sectors: 8, ideal_sectors: 4, bytes: 128 };
        one.shared_copy.wavefronts = 5;
        let sum = Counters::sum([&one, &one]);
        assert_eq!((sum.barriers, sum.global_load.bytes, sum.shared_copy.wavefronts), (6, 256, 10));
        assert_eq!(
            (sum.global_load.sectors_per_request(), sum.global_load.efficiency()),
            (8.0, 0.5)
        );
    }

    #[test]
    #[should_panic(expected = "shared stores had 62 bank conflicts in 2 requests (31.00 each)")]
    fn an_assertion_says_by_how_much_it_failed() {
        let shared = Shared { requests: 2, wavefronts: 64, bank_conflicts: 62, bytes: 256 };
        Counters { shared_store: shared, ..Counters::default() }.assert_no_bank_conflicts();
    }

    #[test]
    #[should_panic(expected = "global loads took 32.00 sectors per request where 4.00 would do")]
    fn strided_loads_are_not_coalesced() {
        let global = Global { requests: 1, sectors: 32, ideal_sectors: 4, bytes: 128 };
        Counters { global_load: global, ..Counters::default() }.assert_coalesced();
    }
}
