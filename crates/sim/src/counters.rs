//! The counts of a profiler: requests, sectors, wavefronts, instructions.

/// Global-memory traffic of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Global {
    /// Warp instructions that accessed memory with at least one lane.
    pub requests: u64,
    /// Distinct 32-byte sectors touched, summed over requests.
    pub sectors: u64,
}

impl Global {
    /// Mean sectors per request; 0 when there were none.
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.sectors, self.requests)
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
}

impl Shared {
    /// Mean bank conflicts per request; 0 when there were none.
    pub fn conflicts_per_request(&self) -> f64 {
        ratio(self.bank_conflicts, self.requests)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// What one or more launches did. Atomics are counted apart from loads and stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Loads from global memory.
    pub global_load: Global,
    /// Stores to global memory.
    pub global_store: Global,
    /// Atomics and reductions on global memory.
    pub global_atomic: Global,
    /// Loads from shared memory.
    pub shared_load: Shared,
    /// Stores to shared memory.
    pub shared_store: Shared,
    /// Atomics on shared memory.
    pub shared_atomic: Shared,
    /// Local-memory loads and stores by warps (spills, indexed arrays).
    pub local_requests: u64,
    /// PTX instructions executed by warps.
    pub warp_instructions: u64,
    /// PTX instructions executed by lanes: warp instructions times active lanes, guards ignored.
    pub lane_instructions: u64,
    /// Conditional branches at which a warp split.
    pub divergent_branches: u64,
    /// Barrier arrivals by warps.
    pub barriers: u64,
}

impl Counters {
    /// Adds another's counts.
    pub fn add(&mut self, other: &Counters) {
        for (mine, theirs) in [
            (&mut self.global_load, &other.global_load),
            (&mut self.global_store, &other.global_store),
            (&mut self.global_atomic, &other.global_atomic),
        ] {
            mine.requests += theirs.requests;
            mine.sectors += theirs.sectors;
        }
        for (mine, theirs) in [
            (&mut self.shared_load, &other.shared_load),
            (&mut self.shared_store, &other.shared_store),
            (&mut self.shared_atomic, &other.shared_atomic),
        ] {
            mine.requests += theirs.requests;
            mine.wavefronts += theirs.wavefronts;
            mine.bank_conflicts += theirs.bank_conflicts;
        }
        self.local_requests += other.local_requests;
        self.warp_instructions += other.warp_instructions;
        self.lane_instructions += other.lane_instructions;
        self.divergent_branches += other.divergent_branches;
        self.barriers += other.barriers;
    }
}
