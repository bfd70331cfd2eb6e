//! The memory system of one multiprocessor: the pipe to shared memory and L1, the L1 itself (sectored lines in sets with
//! LRU replacement), and the multiprocessor's shares in the bandwidths of the L2 and of device memory. Each is a queue
//! that serves one request after another.
//!
//! A request waits in the queue of each level on its way and then takes the latency of the level that serves it, so
//! latency grows with load. The chip model provides the fraction of a run's sectors that miss the L2.

use crate::machine::{GpuModel, Timings};
use crate::numbers::NumberSet;
use crate::sm::pipes::{RESOURCES, Resource};
use crate::trace::recorder::LOCAL_BASE;
use crate::trace::{AccessTarget, Traffic};
use lanework_engine::event::AccessKind;
use std::collections::HashMap;

/// The caches and shares of bandwidth of one multiprocessor.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Bytes of L1.
    pub l1_bytes: u64,
    /// Bandwidth to and from the L2, in bytes per cycle.
    pub l2_bytes_per_clock: f64,
    /// The same for bulk copies of lines that other multiprocessors copy, too.
    pub shared_copies_per_clock: f64,
    /// Read bandwidth of device memory, in bytes per cycle.
    pub read_bytes_per_clock: f64,
    /// Write bandwidth of device memory, in bytes per cycle.
    pub write_bytes_per_clock: f64,
    /// Wait of a read in the queues of device memory at half of its bandwidth, in cycles.
    pub queue: f64,
    /// Fraction of the bandwidth of device memory that all active multiprocessors together can use.
    pub usable: f64,
    /// By run: bytes read from device memory per sector requested from the L2.
    pub read_bytes: Vec<f64>,
    /// By run: bytes written to device memory per sector requested from the L2.
    pub written_bytes: Vec<f64>,
    /// By run: bytes written per sector that stay in the L2. After a flush they take as long as if they were read from
    /// device memory.
    pub kept_bytes: Vec<f64>,
    /// By run: whether each block accesses different sectors, so that a block finds none of another block's in the L1.
    pub private: Vec<bool>,
    /// By run: whether several blocks copy the same lines in bulk.
    pub shares_copies: Vec<bool>,
    /// By run: the first line of the allocation that it accesses, and the number of lines.
    pub lines: Vec<Option<(u64, u64)>>,
    /// By run: whether loads may hit the L1.
    pub cached: Vec<bool>,
    /// Whether the first fetch of each instruction goes to memory.
    pub cold_code: bool,
    /// Fraction of the sectors of local memory that the L2 loses to other data.
    pub local_lost: f64,
    /// Cycles between two blocks that start on this multiprocessor.
    pub block_interval: f64,
    /// Number of resident blocks. Consecutive blocks in one slot have their local memory at the same addresses.
    pub resident: u64,
}

/// Capacity of the queue of memory instructions, in cycles of requests.
const QUEUE: f64 = 24.0;
/// Capacity of the queue of stores to the L2, in cycles.
const STORE_QUEUE: f64 = 600.0;
/// Cycles of device memory for which a store need not wait: the L2 holds dirty lines until they are evicted.
const DIRTY_QUEUE: f64 = 5000.0;

/// Cycles over which the load of device memory is averaged.
const LOAD_WINDOW: f64 = 4000.0;
/// Maximum load for which requests wait in its queues; above it, its bandwidth is the limit.
const MOST_LOAD: f64 = 0.9;

/// Smallest transfer of device memory, in bytes.
const UNIT: f64 = 64.0;
/// Sectors of half a line.
const HALF_LINE: u32 = 2;

/// Whether an access touches at most half of each of its lines.
fn of_half_lines(record: &Traffic) -> bool {
    record.sectors / record.lines.max(1) <= HALF_LINE
}

/// A store of parts of sectors on its way to the L2.
struct PartStore {
    time: f64,
    sectors: Vec<u64>,
    /// Cycles of the path to the L2 that it takes beyond those for whole sectors.
    excess: f64,
}

/// Maximum number of cycles between two stores of a warp that the L1 merges if they fill the same sectors.
const MERGES: f64 = 40.0;

/// Bytes per sector if all lanes store a byte to local memory: a sector holds one word of each of eight lanes.
const BYTES: u32 = 8;

/// Whether a store writes only parts of its sectors.
fn is_partial(record: &Traffic) -> bool {
    record.bytes < 24 * record.sectors
}

/// The memory system.
pub struct MemorySystem {
    environment: Environment,
    timings: Timings,
    l1: L1Cache,
    data_free: f64,
    l2_free: f64,
    dram_free: f64,
    /// Busy cycles of device memory of late, and the cycle of the last request.
    load: (f64, f64),
    bulk_free: f64,
    /// By run: the accumulated fraction of the next miss.
    carry: Vec<f64>,
    local_carry: f64,
    /// By warp: its last store of parts of sectors.
    last_part: HashMap<usize, PartStore>,
    /// Shared pairs of sectors that this multiprocessor has requested.
    seen: NumberSet,
    /// Sectors that the current load does not find in the L1.
    missing: Vec<u64>,
    busy: [f64; 3],
    /// Sectors requested from the L2, by run.
    pub l2_sectors: Vec<u64>,
}

impl MemorySystem {
    /// The memory system of a GPU.
    pub fn new(model: &GpuModel, environment: &Environment, runs: usize) -> MemorySystem {
        MemorySystem {
            environment: environment.clone(),
            timings: model.timings.clone(),
            l1: L1Cache::new(environment.l1_bytes),
            data_free: 0.0,
            l2_free: 0.0,
            dram_free: 0.0,
            load: (0.0, 0.0),
            bulk_free: 0.0,
            carry: vec![0.5; runs],
            local_carry: 0.5,
            last_part: HashMap::new(),
            seen: NumberSet::default(),
            missing: Vec::new(),
            busy: [0.0; 3],
            l2_sectors: vec![0; runs],
        }
    }

    /// The cycle at which the queue of memory instructions has room.
    pub fn queue_free(&self) -> f64 {
        self.data_free - QUEUE
    }

    /// The cycle at which the queue of stores has room.
    pub fn store_free(&self) -> f64 {
        (self.l2_free - STORE_QUEUE).max(self.dram_free - DIRTY_QUEUE)
    }

    /// The cycle at which all queues are empty.
    pub fn drained(&self) -> f64 {
        self.l2_free.max(self.dram_free)
    }

    /// Adds the busy cycles of its resources to `busy`.
    pub fn add_busy(&self, busy: &mut [f64; RESOURCES]) {
        busy[Resource::Shared as usize] += self.busy[0];
        busy[Resource::L2 as usize] += self.busy[1];
        busy[Resource::Dram as usize] += self.busy[2];
    }

    /// Occupies the data path for a number of wavefronts; returns the starting cycle.
    pub fn pass(&mut self, time: f64, wavefronts: f64) -> f64 {
        let start = self.data_free.max(time);
        self.data_free = start + wavefronts;
        self.busy[0] += wavefronts;
        start
    }

    /// Executes a shuffle; returns the cycle of its result.
    pub fn shuffle(&mut self, time: f64, timings: &Timings) -> f64 {
        self.pass(time, timings.shuffle_interval) + timings.shuffle_latency
    }

    /// The latency of a sector that is modeled as an L2 hit. Blocks that start together request shared sectors at the same time: all
    /// of them then wait for device memory, although only one reads it.
    fn hit_latency(&mut self, run: u32, sector: u64) -> f64 {
        let at = run as usize;
        let cold = self.environment.read_bytes[at] > 0.0 && !self.environment.private[at];
        match cold && self.seen.insert(sector / 2) {
            true => self.timings.dram_latency,
            false => self.timings.l2_latency,
        }
    }

    /// Requests a sector from the L2 at `time`, for an access to half lines or to whole lines; returns the cycle of its arrival. It
    /// occupies the path to the L2 for `cycles`.
    fn request(&mut self, time: f64, run: u32, half: bool, (sector, cycles): (u64, f64)) -> f64 {
        self.l2_sectors[run as usize] += 1;
        self.l2_free = self.l2_free.max(time) + cycles;
        self.busy[1] += cycles;
        let (bytes, carry) = match sector >= LOCAL_SECTORS {
            true => (32.0 * self.environment.local_lost, &mut self.local_carry),
            false => (self.environment.read_bytes[run as usize], &mut self.carry[run as usize]),
        };
        *carry += bytes / UNIT;
        if *carry < 1.0 {
            return self.l2_free + self.hit_latency(run, sector);
        }
        *carry -= 1.0;
        let cost = if half { self.timings.dram_half_lines } else { 1.0 };
        let cycles = UNIT / self.environment.read_bytes_per_clock * cost;
        let arrives = self.l2_free + self.queue_wait(time);
        self.occupy(time, cycles);
        self.dram_free.max(arrives) + self.timings.dram_latency
    }

    /// Mean time in the queues of device memory. All multiprocessors use its banks, so a request may have to wait even if this
    /// multiprocessor's share is free: the wait in a queue with random arrivals, as long as the share is not exhausted.
    fn queue_wait(&self, time: f64) -> f64 {
        let passed = (time - self.load.1).clamp(0.0, LOAD_WINDOW);
        let load = self.load.0 * (1.0 - passed / LOAD_WINDOW) / LOAD_WINDOW;
        let load = (load * self.environment.usable).min(MOST_LOAD);
        self.environment.queue * load / (1.0 - load)
    }

    /// Cycles of the path to the L2 for a sector of a whole line.
    fn sector_cycles(&self) -> f64 {
        32.0 / self.environment.l2_bytes_per_clock
    }

    /// Occupies the multiprocessor's share of device memory.
    fn occupy(&mut self, time: f64, cycles: f64) {
        self.dram_free = self.dram_free.max(time) + cycles;
        self.busy[2] += cycles;
        let (sum, last) = self.load;
        let passed = (time - last).clamp(0.0, LOAD_WINDOW);
        self.load = (sum * (1.0 - passed / LOAD_WINDOW) + cycles, last.max(time));
    }

    /// Occupies the path to the L2 for sectors; one costs as much as `cost` whole sectors.
    fn send(&mut self, time: f64, run: u32, sectors: f64, cost: f64) {
        self.l2_sectors[run as usize] += sectors as u64;
        let cycles = 32.0 * sectors * cost / self.environment.l2_bytes_per_clock;
        self.l2_free = self.l2_free.max(time) + cycles;
        self.busy[1] += cycles;
    }

    /// Writes sectors to the L2 at `time`; each costs as much as `cost` whole sectors.
    fn write(&mut self, time: f64, run: u32, sectors: f64, cost: f64) {
        self.send(time, run, sectors, cost);
        let bytes = self.environment.written_bytes[run as usize] * sectors;
        let cycles = bytes / self.environment.write_bytes_per_clock
            + self.environment.kept_bytes[run as usize] * sectors
                / self.environment.read_bytes_per_clock;
        self.occupy(time, cycles);
    }

    /// Writes dirty sectors that the L1 no longer holds to the L2; all are local memory.
    fn write_back(&mut self, time: f64, run: u32) {
        let sectors = std::mem::take(&mut self.l1.evicted);
        if sectors == 0 {
            return;
        }
        let sectors = f64::from(sectors);
        self.send(time, run, sectors, 1.0);
        self.lose(time, sectors);
    }

    /// Moves the sectors of local memory that the L2 loses to device memory.
    fn lose(&mut self, time: f64, sectors: f64) {
        let bytes = 32.0 * self.environment.local_lost * sectors;
        let cycles = bytes / self.environment.write_bytes_per_clock;
        self.occupy(time, cycles);
    }

    /// Cost of a store per sector, relative to a sector of a whole line. Each line is a packet to the L2.
    fn write_cost(&self, record: &Traffic) -> f64 {
        let per_line = f64::from(record.sectors) / f64::from(record.lines.max(1));
        let cost = match is_partial(record) {
            true => {
                self.timings.l2_partial_write + (per_line - 1.0) * self.timings.l2_partial_sector
            }
            false => per_line.max(self.timings.l2_short_write),
        };
        cost / per_line.max(1.0)
    }

    /// Whether the L1 merges a store with the previous one of its warp, because both write parts of the same sectors.
    fn merges(&mut self, time: f64, record: &Traffic, sectors: &[u64], warp: usize) -> bool {
        if !is_partial(record) {
            self.last_part.remove(&warp);
            return false;
        }
        if let Some(last) = self.last_part.get_mut(&warp)
            && time - last.time < MERGES
            && last.sectors == sectors
        {
            self.l2_free -= std::mem::take(&mut last.excess);
            return true;
        }
        let whole = f64::from(record.sectors) * 32.0 / self.environment.l2_bytes_per_clock;
        let excess = whole * (self.write_cost(record) - 1.0).max(0.0);
        self.last_part.insert(warp, PartStore { time, sectors: sectors.to_vec(), excess });
        false
    }

    /// Executes an access at `time`; returns the cycle of its result.
    pub fn access(
        &mut self,
        time: f64,
        run: u32,
        record: &Traffic,
        sectors: &[u64],
        (instance, warp): (u64, usize),
    ) -> f64 {
        let wavefronts = f64::from(record.wavefronts);
        match (record.target, record.kind) {
            (AccessTarget::Shared, AccessKind::Atomic) => {
                let start = self.pass(time, 2.0 * wavefronts);
                let turns = f64::from(record.rounds.max(1)) - 1.0;
                let in_turn = turns * self.timings.shared_atomic_interval;
                start + self.timings.shared_latency + in_turn.max(2.0 * wavefronts)
            }
            (AccessTarget::Shared, _) => {
                let start = self.pass(time, wavefronts);
                start + self.timings.shared_latency + wavefronts - 1.0
            }
            (AccessTarget::Constant, _) => {
                let start = self.pass(time, wavefronts);
                start + self.timings.constant_latency
            }
            (AccessTarget::Bulk, AccessKind::Load) => {
                let start = self.bulk_free.max(time + 30.0);
                let mut done = start;
                let shares = self.environment.shares_copies[run as usize];
                let cycles = match shares {
                    true => 32.0 / self.environment.shared_copies_per_clock,
                    false => self.sector_cycles(),
                };
                // Tiles of a tensor map come without their sectors.
                for at in 0..record.sectors as usize {
                    let sector = sectors.get(at).copied().unwrap_or_default();
                    done = done.max(self.request(start, run, false, (sector, cycles)));
                }
                self.bulk_free = start + f64::from(record.bytes) / self.timings.copy_bytes;
                done.max(self.bulk_free) + self.timings.tma_latency
            }
            (AccessTarget::Bulk, _) => {
                let start = self.bulk_free.max(time + 30.0);
                self.write(start, run, f64::from(record.sectors), 1.0);
                self.bulk_free = start + f64::from(record.bytes) / self.timings.copy_bytes;
                self.bulk_free + self.timings.tma_latency
            }
            (_, AccessKind::Load) => self.load(time, run, record, sectors, instance),
            (AccessTarget::Local, AccessKind::Store) => {
                let start = self.pass(time, wavefronts);
                let shift = self.local_shift(instance);
                if record.bytes <= BYTES * record.sectors {
                    let count = f64::from(record.sectors);
                    self.send(start, run, count, self.write_cost(record));
                    self.lose(start, 2.0 * count);
                } else {
                    // The L1 writes words of local memory back only when it evicts their line.
                    for &sector in sectors {
                        self.l1.store(sector ^ shift, start);
                    }
                    self.write_back(start, run);
                }
                start
            }
            (_, AccessKind::Store) => {
                let each = match record.bytes < 4 * record.lines {
                    true => self.timings.l1_store_part,
                    false => self.timings.l1_store_line,
                };
                // A store to one line takes as long as a load.
                let lines = 1.0 + (f64::from(record.lines.max(1)) - 1.0) * each;
                let passes = wavefronts.max(f64::from(record.sectors) / 4.0).max(lines);
                let start = self.pass(time, passes);
                if !self.merges(start, record, sectors, warp) {
                    let count = f64::from(record.sectors);
                    self.write(start, run, count, self.write_cost(record));
                }
                start
            }
            (_, AccessKind::Atomic) => {
                let start = self.pass(time, wavefronts);
                let work = f64::from(record.sectors) + f64::from(record.collisions) / 2.0;
                self.write(start, run, work, 1.0);
                self.l2_free + self.timings.atomic_latency
            }
        }
    }

    fn load(
        &mut self,
        time: f64,
        run: u32,
        record: &Traffic,
        sectors: &[u64],
        instance: u64,
    ) -> f64 {
        let passes = f64::from(record.wavefronts).max(f64::from(record.sectors) / 4.0);
        let start = self.pass(time, passes);
        let mut done = start + self.timings.l1_latency + passes - 1.0;
        let at = run as usize;
        let cached = self.environment.cached[at] || record.target == AccessTarget::Local;
        // One trace stands for several blocks, whose private data have different addresses of the same allocation.
        let local = record.target == AccessTarget::Local;
        let shift = if local { self.local_shift(instance) } else { 0 };
        let moves = !local && self.environment.private[at];
        let lines = self.environment.lines[at].filter(|_| moves);
        let mut missing = std::mem::take(&mut self.missing);
        for &sector in sectors {
            let sector = match lines {
                Some(lines) => moved(sector, instance, lines),
                None if moves => sector ^ (instance + 1) << 44,
                None => sector ^ shift,
            };
            match self.l1.arrival(sector).filter(|_| cached) {
                Some(arrival) => done = done.max(arrival),
                None => missing.push(sector),
            }
        }
        let (sent, half) = (start + self.timings.l1_latency / 4.0, of_half_lines(record));
        let whole = self.sector_cycles();
        missing.sort_unstable();
        // The L2 reads half a line at once.
        for line in missing.chunk_by(|a, b| a / 4 == b / 4) {
            let cycles =
                if line.len() == 1 { whole * self.timings.l2_single_sector } else { whole };
            for &sector in line {
                let arrival = self.request(sent, run, half, (sector, cycles));
                self.l1.fill(sector, arrival);
                done = done.max(arrival);
            }
        }
        missing.clear();
        self.missing = missing;
        self.write_back(start, run);
        done
    }

    /// Distinguishes the local memory of the resident blocks.
    fn local_shift(&self, instance: u64) -> u64 {
        (instance % self.environment.resident.max(1)) << 44
    }
}

/// The sector that another block accesses in place of `sector`: at the same place in a line of the same allocation, which
/// starts at line `first` and has `count` lines. Blocks find each other's lines only if the allocation is small.
fn moved(sector: u64, instance: u64, (first, count): (u64, u64)) -> u64 {
    let line = sector / 4;
    if count == 0 || line < first || line >= first + count {
        return sector;
    }
    // A multiplicative hash spreads the blocks over the allocation.
    let distance = (instance.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % count;
    let line = first + (line - first + distance) % count;
    4 * line + sector % 4
}

/// Sectors of local memory start here.
pub const LOCAL_SECTORS: u64 = LOCAL_BASE / 32;

/// Ways per set.
const WAYS: usize = 16;

/// A cache line.
#[derive(Clone, Debug)]
struct Line {
    tag: u64,
    used: u64,
    arrives: [f64; 4],
    dirty: [bool; 4],
}

/// The L1 cache.
#[derive(Clone, Debug)]
pub struct L1Cache {
    sets: Vec<Vec<Line>>,
    clock: u64,
    /// Dirty sectors of evicted lines.
    pub evicted: u32,
}

impl L1Cache {
    /// Creates an empty cache of `bytes` bytes.
    pub fn new(bytes: u64) -> L1Cache {
        L1Cache {
            sets: vec![Vec::new(); ((bytes / 128) as usize / WAYS).max(1)],
            clock: 0,
            evicted: 0,
        }
    }

    fn line(&mut self, sector: u64) -> &mut Line {
        self.clock += 1;
        let (tag, clock) = (sector / 4, self.clock);
        // A hash of the line chooses the set, as in NVIDIA's caches.
        let set = (tag ^ (tag >> 7) ^ (tag >> 15)) % self.sets.len() as u64;
        let lines = &mut self.sets[set as usize];
        let at = match lines.iter().position(|line| line.tag == tag) {
            Some(at) => at,
            None => {
                if lines.len() == WAYS {
                    let oldest = (0..WAYS).min_by_key(|&at| lines[at].used).unwrap_or(0);
                    let line = lines.swap_remove(oldest);
                    self.evicted += line.dirty.iter().filter(|dirty| **dirty).count() as u32;
                }
                lines.push(Line { tag, used: 0, arrives: [f64::INFINITY; 4], dirty: [false; 4] });
                lines.len() - 1
            }
        };
        lines[at].used = clock;
        &mut lines[at]
    }

    /// The cycle at which a sector arrives; `None` if it was not requested.
    pub fn arrival(&mut self, sector: u64) -> Option<f64> {
        let time = self.line(sector).arrives[(sector % 4) as usize];
        time.is_finite().then_some(time)
    }

    /// Stores a sector that is written back later.
    pub fn store(&mut self, sector: u64, time: f64) {
        let line = self.line(sector);
        let at = (sector % 4) as usize;
        line.arrives[at] = line.arrives[at].min(time);
        line.dirty[at] = true;
    }

    /// Records that a requested sector arrives at `time`.
    pub fn fill(&mut self, sector: u64, time: f64) {
        self.line(sector).arrives[(sector % 4) as usize] = time;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_arrives_once_and_full_sets_forget() {
        let mut cache = L1Cache::new(128 * WAYS as u64);
        assert_eq!(cache.arrival(5), None);
        cache.fill(5, 300.0);
        assert_eq!(cache.arrival(5), Some(300.0));
        assert_eq!(cache.arrival(4), None);
        for line in 2..2 + WAYS as u64 {
            cache.fill(4 * line, 1.0);
        }
        assert_eq!(cache.arrival(5), None);
    }

    #[test]
    fn blocks_meet_in_small_allocations_only() {
        let lines = |count: u64| -> NumberSet {
            (0..256).map(|instance| moved(4 * 1000, instance, (1000, count)) / 4).collect()
        };
        assert!(lines(8).len() == 8 && lines(1 << 20).len() > 250);
        assert!(lines(8).iter().all(|line| (1000..1008).contains(line)));
        assert_eq!(moved(4 * 999 + 1, 7, (1000, 8)), 4 * 999 + 1);
        assert_eq!(moved(4 * 1000 + 3, 7, (1000, 8)) % 4, 3);
    }

    #[test]
    fn stored_sectors_are_written_once_when_their_line_is_evicted() {
        let mut cache = L1Cache::new(128 * WAYS as u64);
        for _ in 0..3 {
            cache.store(4, 10.0);
            cache.store(5, 10.0);
        }
        assert_eq!((cache.arrival(4), cache.evicted), (Some(10.0), 0));
        for line in 2..2 + WAYS as u64 {
            cache.fill(4 * line, 1.0);
        }
        assert_eq!(cache.evicted, 2);
    }
}
