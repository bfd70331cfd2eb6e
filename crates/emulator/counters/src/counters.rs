//! The counters of a profiler, as one table: requests, sectors, wavefronts, instructions.
//!
//! A row of the table is a counter, or a group of counters for one kind of access. The macro `table!` derives the
//! structs, their sums and their JSON keys from the rows; the table in `docs/json.md` and the comparison with Nsight
//! Compute use the rows, too. To add a counter, add a row here and count it where it happens ([`crate::cost`] for
//! accesses).

/// Description of a counter or of a group of counters.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    /// The field, which is also the key in JSON.
    pub key: &'static str,
    /// The name as text.
    pub name: &'static str,
    /// The unit, such as `bytes`; empty for a group.
    pub unit: &'static str,
    /// The metrics of Nsight Compute whose sum is the same count. A counter in a group has prefixes,
    /// and the group has suffixes that complete them. Empty if no metric counts the same.
    pub metrics: &'static [&'static str],
    /// The definition.
    pub doc: &'static str,
}

/// A counter of the table, with its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The group, such as loads from global memory; `None` for a single counter.
    pub group: Option<&'static Row>,
    /// The counter.
    pub row: &'static Row,
}

impl Counter {
    /// Its path in JSON, such as `global_load.sectors`.
    pub fn path(&self) -> String {
        match self.group {
            Some(group) => format!("{}.{}", group.key, self.row.key),
            None => self.row.key.to_owned(),
        }
    }

    /// Its name as text, such as `global load sectors`.
    pub fn name(&self) -> String {
        match self.group {
            Some(group) => format!("{} {}", group.name, self.row.name),
            None => self.row.name.to_owned(),
        }
    }

    /// The metrics of Nsight Compute whose sum is the same count, if any.
    pub fn metrics(&self) -> Vec<String> {
        let suffixes = self.group.map_or(&[""][..], |group| group.metrics);
        let prefixes = self.row.metrics.iter();
        prefixes.flat_map(|start| suffixes.iter().map(move |end| format!("{start}{end}"))).collect()
    }
}

/// A counter, or a struct of counters.
pub trait Counts {
    /// Adds another's counts.
    fn add(&mut self, other: &Self);
    /// Lists the counters with their values; `row` describes this one.
    fn list(&self, group: Option<&'static Row>, row: &'static Row, found: &mut Vec<(Counter, u64)>);
    /// Lists mutable references to the counters, in the same order.
    fn list_mut<'a>(&'a mut self, found: &mut Vec<&'a mut u64>);
}

impl Counts for u64 {
    fn add(&mut self, other: &u64) {
        *self += other;
    }

    fn list(
        &self,
        group: Option<&'static Row>,
        row: &'static Row,
        found: &mut Vec<(Counter, u64)>,
    ) {
        found.push((Counter { group, row }, *self));
    }

    fn list_mut<'a>(&'a mut self, found: &mut Vec<&'a mut u64>) {
        found.push(self);
    }
}

/// Declares a struct from its rows: field, type, name, unit, metrics and definition.
macro_rules! table {
    (
        $(#[$attribute:meta])*
        $table:ident
        $($field:ident: $kind:ty, $name:literal, $unit:literal, [$($metric:literal),*], $doc:literal;)*
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $table {
            $(#[doc = $doc] pub $field: $kind,)*
        }

        impl Counts for $table {
            fn add(&mut self, other: &$table) {
                $(Counts::add(&mut self.$field, &other.$field);)*
            }

            fn list(
                &self,
                _: Option<&'static Row>,
                row: &'static Row,
                found: &mut Vec<(Counter, u64)>,
            ) {
                self.list_rows(Some(row), found);
            }

            fn list_mut<'a>(&'a mut self, found: &mut Vec<&'a mut u64>) {
                $(Counts::list_mut(&mut self.$field, found);)*
            }
        }

        impl $table {
            fn list_rows(&self, group: Option<&'static Row>, found: &mut Vec<(Counter, u64)>) {
                $(
                    let row = &Row {
                        key: stringify!($field),
                        name: $name,
                        unit: $unit,
                        metrics: &[$($metric),*],
                        doc: $doc,
                    };
                    self.$field.list(group, row, found);
                )*
            }
        }
    };
}

table! {
    /// Memory traffic in 32-byte sectors, in one direction.
    #[derive(Copy)]
    Global
    requests: u64, "requests", "warp instructions", ["l1tex__t_requests_pipe_lsu_mem_"],
        "Warp instructions that accessed memory with at least one lane.";
    sectors: u64, "sectors", "32-byte sectors", ["l1tex__t_sectors_pipe_lsu_mem_"],
        "Distinct 32-byte sectors touched, summed over requests; for atomics, summed over the serialized passes of lanes with the same address.";
    ideal_sectors: u64, "ideal sectors", "32-byte sectors", [],
        "The optimum of `sectors`: the number that the active lanes' bytes would fill if they were contiguous, and at most `sectors`: 4 for a full warp's 4-byte loads, 16 for 16-byte loads.";
    bytes: u64, "bytes", "bytes", [],
        "Bytes that the active lanes requested.";
}

table! {
    /// Shared-memory traffic in one direction.
    #[derive(Copy)]
    Shared
    requests: u64, "requests", "warp instructions", [],
        "Warp instructions that accessed memory with at least one lane.";
    wavefronts: u64, "wavefronts", "wavefronts", ["l1tex__data_pipe_lsu_wavefronts_mem_"],
        "Passes through the 32 banks that the requests took; the optimum is this number minus `bank_conflicts`.";
    bank_conflicts: u64, "conflicts", "wavefronts", ["l1tex__data_bank_conflicts_pipe_lsu_mem_"],
        "Wavefronts above the minimum for each request's width and active lanes.";
    bytes: u64, "bytes", "bytes", [],
        "Bytes that the active lanes requested.";
}

table! {
    /// Traffic of bulk and tensor copies between global and shared memory, in one direction.
    #[derive(Copy)]
    Bulk
    requests: u64, "copies", "copies", [],
        "Copies that threads started; a copy with several targets counts once.";
    sectors: u64, "sectors", "32-byte sectors", [],
        "Distinct 32-byte sectors of global memory that each copy touches, summed over copies.";
    ideal_sectors: u64, "ideal sectors", "32-byte sectors", [],
        "The optimum of `sectors`: the number that the bytes of each copy would fill if contiguous.";
    bytes: u64, "bytes", "bytes", [],
        "Bytes of global memory, without the parts of a tile outside its tensor.";
    shared_bytes: u64, "shared bytes", "bytes", [],
        "Bytes of shared memory in every destination block, including the parts of a tile outside its tensor.";
}

table! {
    /// Traffic of asynchronous copies and stores between the shared memories of a cluster, or within
    /// one.
    #[derive(Copy)]
    Distributed
    requests: u64, "copies", "copies", [],
        "Copies and asynchronous stores that threads started.";
    bytes: u64, "bytes", "bytes", [],
        "Bytes of shared memory that they read and write.";
}

table! {
    /// Counters of one or more launches, or of one instruction. Atomics are counted separately from
    /// loads and stores.
    Counters
    warp_instructions: u64, "warp instructions", "warp instructions", [],
        "PTX instructions executed by warps.";
    lane_instructions: u64, "thread instructions", "thread instructions", [],
        "PTX instructions executed by lanes: warp instructions times active lanes, guards ignored.";
    divergent_branches: u64, "divergent branches", "warp instructions", [],
        "Conditional branches at which a warp diverged.";
    barriers: u64, "barrier arrivals", "warp arrivals", [],
        "Barrier arrivals by warps.";
    atomic_collisions: u64, "atomic contention", "lanes", [],
        "Lanes of atomics that share their address with a lower lane of the same request.";
    global_load: Global, "global load", "", ["global_op_ld"],
        "Loads from global memory.";
    global_store: Global, "global store", "", ["global_op_st"],
        "Stores to global memory.";
    global_atomic: Global, "global atomic", "", ["global_op_atom", "global_op_red"],
        "Atomics and reductions on global memory.";
    local_load: Global, "local load", "", ["local_op_ld"],
        "Loads from local memory (spills, indexed arrays), which is interleaved by lane.";
    local_store: Global, "local store", "", ["local_op_st"],
        "Stores to local memory.";
    shared_load: Shared, "shared load", "", ["shared_op_ld"],
        "Loads from shared memory, including the loads of atomics that are loops of a load and a compare-and-swap.";
    shared_store: Shared, "shared store", "", ["shared_op_st"],
        "Stores to shared memory.";
    shared_atomic: Shared, "shared atomic", "", ["shared_op_atom"],
        "Atomics on shared memory.";
    shared_copy: Shared, "shared copy", "", [],
        "What asynchronous copies write to shared memory.";
    bulk_load: Bulk, "bulk load", "", [],
        "Bulk and tensor copies from global to shared memory.";
    bulk_store: Bulk, "bulk store", "", [],
        "Bulk and tensor copies from shared to global memory.";
    bulk_reduce: Bulk, "bulk reduce", "", [],
        "Bulk and tensor reductions of shared into global memory.";
    bulk_shared: Distributed, "bulk shared", "", [],
        "Bulk copies and asynchronous stores from shared memory or registers to shared memory.";
}

impl Global {
    /// Mean sectors per request; 0 without requests.
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.sectors, self.requests)
    }

    /// Mean ideal sectors per request; 0 without requests.
    pub fn ideal_sectors_per_request(&self) -> f64 {
        ratio(self.ideal_sectors, self.requests)
    }

    /// Ideal sectors divided by sectors; 1 without sectors.
    pub fn efficiency(&self) -> f64 {
        if self.sectors == 0 { 1.0 } else { ratio(self.ideal_sectors, self.sectors) }
    }
}

impl Shared {
    /// Mean bank conflicts per request; 0 without requests.
    pub fn conflicts_per_request(&self) -> f64 {
        ratio(self.bank_conflicts, self.requests)
    }

    /// Mean wavefronts per request; 0 without requests.
    pub fn wavefronts_per_request(&self) -> f64 {
        ratio(self.wavefronts, self.requests)
    }
}

/// Adds the counters of each instruction.
pub fn add_each(to: &mut Vec<Counters>, from: &[Counters]) {
    to.resize(to.len().max(from.len()), Counters::default());
    for (to, from) in to.iter_mut().zip(from) {
        to.add(from);
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Counters {
    /// Lists every counter with its value, in the order of the table.
    pub fn each(&self) -> Vec<(Counter, u64)> {
        let mut found = Vec::new();
        self.list_rows(None, &mut found);
        found
    }

    /// Lists mutable references to every counter, in the order of the table.
    pub fn each_mut(&mut self) -> Vec<&mut u64> {
        let mut found = Vec::new();
        Counts::list_mut(self, &mut found);
        found
    }

    /// Adds another's counters.
    pub fn add(&mut self, other: &Counters) {
        Counts::add(self, other);
    }

    /// Sums counters, for example of a kernel's instructions.
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

    /// All kinds of bulk copies from or to global memory.
    fn of_bulk(&self) -> [&Bulk; 3] {
        [&self.bulk_load, &self.bulk_store, &self.bulk_reduce]
    }

    /// Sectors of all accesses to global and local memory, including bulk copies.
    pub fn sectors(&self) -> u64 {
        let kinds = [
            &self.global_load,
            &self.global_store,
            &self.global_atomic,
            &self.local_load,
            &self.local_store,
        ];
        let copies: u64 = self.of_bulk().iter().map(|kind| kind.sectors).sum();
        kinds.iter().map(|kind| kind.sectors).sum::<u64>() + copies
    }

    /// Wavefronts of all accesses to shared memory.
    pub fn wavefronts(&self) -> u64 {
        self.of_shared().iter().map(|(_, kind)| kind.wavefronts).sum()
    }

    /// Bank conflicts of all accesses to shared memory.
    pub fn bank_conflicts(&self) -> u64 {
        self.of_shared().iter().map(|(_, kind)| kind.bank_conflicts).sum()
    }

    /// All kinds of accesses to shared memory.
    fn of_shared(&self) -> [(&'static str, &Shared); 4] {
        [
            ("loads", &self.shared_load),
            ("stores", &self.shared_store),
            ("atomics", &self.shared_atomic),
            ("copies", &self.shared_copy),
        ]
    }

    /// Mean number of active lanes per warp instruction, at most 32; 0 if none ran.
    pub fn active_lanes(&self) -> f64 {
        ratio(self.lane_instructions, self.warp_instructions)
    }

    /// Asserts that shared memory had no bank conflicts.
    ///
    /// # Panics
    /// If it had some; the message has their number.
    #[track_caller]
    pub fn assert_no_bank_conflicts(&self) {
        for (name, kind) in self.of_shared() {
            assert!(
                kind.bank_conflicts == 0,
                "shared {name} had {} bank conflicts in {} requests ({:.2} each)",
                kind.bank_conflicts,
                kind.requests,
                kind.conflicts_per_request()
            );
        }
    }

    /// Asserts that loads and stores of global memory accessed the minimum number of sectors for their
    /// bytes. Ignores atomics.
    ///
    /// # Panics
    /// If they accessed more; the message has the numbers.
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

    /// Asserts that no warp diverged.
    ///
    /// # Panics
    /// If one did; the message has the number of branches.
    #[track_caller]
    pub fn assert_no_divergence(&self) {
        assert!(
            self.divergent_branches == 0,
            "warps diverged at {} branches; {:.1} of 32 lanes were active on average",
            self.divergent_branches,
            self.active_lanes()
        );
    }
}

#[cfg(test)]
mod tests {
    use crate::counters::*;

    #[test]
    fn a_sum_has_the_parts_of_all() {
        let mut one = Counters { barriers: 3, ..Counters::default() };
        one.global_load = Global { requests: 1, sectors: 8, ideal_sectors: 4, ..Global::default() };
        one.global_load.bytes = 128;
        one.shared_copy.wavefronts = 5;
        let sum = Counters::sum([&one, &one]);
        assert_eq!((sum.barriers, sum.global_load.bytes, sum.shared_copy.wavefronts), (6, 256, 10));
        assert_eq!(
            (sum.global_load.sectors_per_request(), sum.global_load.efficiency()),
            (8.0, 0.5)
        );
    }

    #[test]
    fn every_counter_has_a_unique_path_and_is_summed() {
        let mut one = Counters { warp_instructions: 7, ..Counters::default() };
        one.shared_load.bank_conflicts = 3;
        let each = Counters::sum([&one, &one]).each();
        let of = |path| each.iter().find(|(counter, _)| counter.path() == path);
        let (conflicts, count) = of("shared_load.bank_conflicts").expect("a counter");
        assert_eq!((conflicts.name().as_str(), *count), ("shared load conflicts", 6));
        assert_eq!(of("warp_instructions").expect("a counter").1, 14);
        let atomics = of("global_atomic.sectors").expect("a counter").0.metrics();
        let start = "l1tex__t_sectors_pipe_lsu_mem_global_op_";
        assert_eq!(atomics, [format!("{start}atom"), format!("{start}red")]);
        let paths: std::collections::HashSet<String> =
            each.iter().map(|(counter, _)| counter.path()).collect();
        assert_eq!(paths.len(), each.len());
    }

    #[test]
    #[should_panic(expected = "shared stores had 62 bank conflicts in 2 requests (31.00 each)")]
    fn an_assertion_says_by_how_much_it_failed() {
        let shared =
            Shared { requests: 2, wavefronts: 64, bank_conflicts: 62, ..Shared::default() };
        Counters { shared_store: shared, ..Counters::default() }.assert_no_bank_conflicts();
    }

    #[test]
    #[should_panic(expected = "global loads took 32.00 sectors per request where 4.00 would do")]
    fn strided_loads_are_not_coalesced() {
        let global = Global { requests: 1, sectors: 32, ideal_sectors: 4, ..Global::default() };
        Counters { global_load: global, ..Counters::default() }.assert_coalesced();
    }
}
