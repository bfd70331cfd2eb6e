//! The modeled GPU, and a trace-driven cache model: sectored, set-associative L1 and L2 with LRU replacement.
//!
//! Each multiprocessor has an L1, and all share one L2, with 128-byte lines and a valid bit for
//! each 32-byte sector. Blocks are distributed round-robin over the multiprocessors, up to the
//! resident limit. The resident warps of a multiprocessor take turns, one request at a time. Loads
//! access the L1, then the L2, which fetches sectors from memory in pairs; stores and atomics go to
//! the L2. Simulators assume the same policies for NVIDIA's caches (Accel-Sim: Khairy et al., ISCA
//! 2020).
//!
//! *Limits.* Both caches start empty. A miss is filled immediately (there are no outstanding misses
//! and no MSHRs), so hit rates of data shared by several multiprocessors are too high.
//! `docs/src/en/profile.md` compares the model with an H200.

use crate::profile::Resources;
use crate::record::{CacheRecord, ResourcesRecord};
use lanework_emulator::{AccessKind, Multiprocessor, SectorAccess, Trace};
#[cfg(feature = "gpu-specs")]
use lanework_gpu_specs::{Architecture, Gpu, specs};
use std::collections::{BTreeMap, VecDeque};

/// Ways per set.
const WAYS: usize = 16;

/// Sectors per line.
const SECTORS: u64 = 4;

/// Bytes per line.
const LINE: u64 = 128;

/// A cache. Each set lists its lines with their valid sectors, least recently used first.
struct Cache {
    sets: Vec<Vec<(u64, u8)>>,
}

impl Cache {
    fn new(bytes: u64) -> Cache {
        let sets = (bytes / LINE / WAYS as u64).max(1);
        Cache { sets: vec![Vec::new(); sets as usize] }
    }

    /// Whether a sector is cached.
    fn has(&self, sector: u64) -> bool {
        let (line, bit) = (sector / SECTORS, 1u8 << (sector % SECTORS));
        let set = &self.sets[(line % self.sets.len() as u64) as usize];
        set.iter().any(|(held, sectors)| *held == line && sectors & bit != 0)
    }

    /// Looks up a sector and inserts it; returns whether it was a hit.
    fn take(&mut self, sector: u64) -> bool {
        let (line, bit) = (sector / SECTORS, 1u8 << (sector % SECTORS));
        let count = self.sets.len() as u64;
        let set = &mut self.sets[(line % count) as usize];
        let found = set.iter().position(|(held, _)| *held == line);
        let mut entry = found.map_or((line, 0), |at| set.remove(at));
        let hit = entry.1 & bit != 0;
        entry.1 |= bit;
        if found.is_none() && set.len() == WAYS {
            set.remove(0);
        }
        set.push(entry);
        hit
    }
}

/// A resident block: the remaining accesses of each warp.
type Resident = Vec<VecDeque<SectorAccess>>;

/// One multiprocessor.
struct MultiprocessorCache {
    l1: Cache,
    blocks: Vec<Resident>,
    waiting: VecDeque<Resident>,
    turn: usize,
}

impl MultiprocessorCache {
    /// The next access, round-robin over the resident warps.
    fn next(&mut self, resident: usize) -> Option<SectorAccess> {
        loop {
            self.blocks.retain(|block| block.iter().any(|warp| !warp.is_empty()));
            while self.blocks.len() < resident {
                let Some(block) = self.waiting.pop_front() else { break };
                self.blocks.push(block);
            }
            let warps: usize = self.blocks.iter().map(Vec::len).sum();
            if warps == 0 {
                if self.waiting.is_empty() {
                    return None;
                }
                continue;
            }
            self.turn = (self.turn + 1) % warps;
            let mut all = self.blocks.iter_mut().flatten();
            if let Some(reach) = all.nth(self.turn).and_then(VecDeque::pop_front) {
                return Some(reach);
            }
        }
    }
}

/// Replays the accesses of the first blocks of a grid, with `resident` blocks at once on each
/// multiprocessor and `shared` bytes of shared memory each.
pub fn replay(trace: &Trace, gpu: &Machine, resident: u32, shared: u32) -> CacheRecord {
    let resident = resident.max(1) as usize;
    // Shared memory, and 1 KB per block for the system, reduce the L1 in steps of about 16 KB.
    let cut = match shared {
        0 => 0,
        shared => (resident as u64 * (u64::from(shared) + 1024)).next_multiple_of(16 << 10),
    };
    let l1_bytes = gpu.l1_bytes.saturating_sub(cut).max(16 << 10);
    let l2_bytes = gpu.l2_bytes;
    let mut by_block: BTreeMap<u64, Resident> = BTreeMap::new();
    for reach in &trace.reaches {
        let warps = by_block.entry(reach.block).or_default();
        warps.resize(warps.len().max(reach.warp as usize + 1), VecDeque::new());
        warps[reach.warp as usize].push_back(*reach);
    }
    let blocks = by_block.len() as u64;
    let mut sms: Vec<MultiprocessorCache> = (0..gpu.multiprocessors.max(1))
        .map(|_| MultiprocessorCache {
            l1: Cache::new(l1_bytes),
            blocks: Vec::new(),
            waiting: VecDeque::new(),
            turn: 0,
        })
        .collect();
    let count = sms.len();
    for (i, (_, block)) in by_block.into_iter().enumerate() {
        sms[i % count].waiting.push_back(block);
    }
    let mut l2 = Cache::new(l2_bytes);
    let mut found = CacheRecord {
        gpu: gpu.name.clone(),
        blocks,
        l1_bytes,
        l1_sectors: 0,
        l1_hits: 0,
        l2_bytes,
        l2_sectors: 0,
        l2_hits: 0,
        memory_bytes: 0,
    };
    let mut busy = true;
    while busy {
        busy = false;
        for sm in &mut sms {
            let Some(reach) = sm.next(resident) else { continue };
            busy = true;
            let sectors = &trace.sectors[reach.first as usize..][..reach.count as usize];
            if reach.kind != AccessKind::Load {
                for &sector in sectors {
                    l2.take(sector);
                }
                continue;
            }
            found.l1_sectors += sectors.len() as u64;
            let missed: Vec<u64> =
                sectors.iter().copied().filter(|&sector| !sm.l1.take(sector)).collect();
            found.l1_hits += (sectors.len() - missed.len()) as u64;
            found.l2_sectors += missed.len() as u64;
            // A request looks up all its sectors before the first is filled from memory.
            let present: Vec<bool> = missed.iter().map(|&sector| l2.has(sector)).collect();
            for (&sector, present) in missed.iter().zip(present) {
                found.l2_hits += u64::from(present);
                let brought = if present { vec![sector] } else { vec![sector, sector ^ 1] };
                for sector in brought {
                    found.memory_bytes += 32 * u64::from(!l2.take(sector));
                }
            }
        }
    }
    found
}

/// Threads per warp.
const WARP: u32 = 32;

/// The parameters of a GPU for the models of occupancy and caches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Resources of each multiprocessor.
    pub holds: Multiprocessor,
    /// Total bytes of L1 cache and shared memory per multiprocessor.
    pub l1_bytes: u64,
    /// Bytes of L2 cache.
    pub l2_bytes: u64,
}

impl Machine {
    /// An H200, the GPU whose measurements the emulator is compared with.
    pub fn h200() -> Machine {
        Machine {
            name: "H200".to_owned(),
            multiprocessors: 132,
            holds: Multiprocessor::HOPPER,
            l1_bytes: 256 << 10,
            l2_bytes: 60 << 20,
        }
    }

    /// Computes the resource usage of a kernel with `threads` threads and `dynamic` bytes of dynamic
    /// shared memory per block.
    pub fn resources(&self, resources: Resources, threads: u32, dynamic: u32) -> ResourcesRecord {
        let mut record = ResourcesRecord {
            registers: resources.registers,
            spill_bytes: resources.local_bytes,
            shared_bytes: resources.static_shared + dynamic,
            threads,
            resident_blocks: 0,
            occupancy: 0.0,
            limiter: "",
            estimated: resources.estimated,
        };
        self.assign_registers(&mut record, resources.registers, resources.estimated);
        record
    }

    /// Sets the registers per thread of a record and what follows from them: the resident blocks and the occupancy.
    pub fn assign_registers(&self, record: &mut ResourcesRecord, registers: u32, estimated: bool) {
        let ResourcesRecord { threads, shared_bytes, .. } = *record;
        let (blocks, limiter) = self.holds.resident_blocks(threads, registers, shared_bytes);
        let warps = blocks * threads.div_ceil(WARP);
        record.occupancy = f64::from(warps) / f64::from(self.holds.threads / WARP);
        (record.registers, record.estimated) = (registers, estimated);
        (record.resident_blocks, record.limiter) = (blocks, limiter);
    }
}

/// Resource limits per multiprocessor of a compute capability.
#[cfg(feature = "gpu-specs")]
pub fn multiprocessor(architecture: &Architecture) -> Multiprocessor {
    Multiprocessor {
        threads: architecture.threads_per_sm,
        blocks: architecture.blocks_per_sm,
        registers: architecture.registers_per_sm,
        shared: architecture.shared_per_sm,
    }
}

/// Parameters of a GPU in the table of specifications.
#[cfg(feature = "gpu-specs")]
pub fn machine(gpu: &Gpu) -> Machine {
    let architecture = specs().architecture(gpu.capability());
    Machine {
        name: gpu.name.clone(),
        multiprocessors: gpu.multiprocessors,
        holds: multiprocessor(architecture),
        l1_bytes: architecture.l1_per_sm.into(),
        l2_bytes: u64::from(gpu.l2_mb) << 20,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Replays one warp per block, which accesses the block's sectors one after the other.
    fn run(blocks: &[&[u64]], kind: AccessKind) -> CacheRecord {
        let mut trace = Trace::default();
        for (block, sectors) in blocks.iter().enumerate() {
            for sector in *sectors {
                let first = trace.sectors.len() as u32;
                trace.sectors.push(*sector);
                trace.reaches.push(SectorAccess {
                    block: block as u64,
                    warp: 0,
                    kind,
                    first,
                    count: 1,
                });
            }
        }
        replay(&trace, &Machine::h200(), 2, 0)
    }

    #[test]
    fn a_second_access_hits_the_l1() {
        let found = run(&[&[2, 4, 2, 4, 4]], AccessKind::Load);
        assert_eq!((found.l1_sectors, found.l1_hits), (5, 3));
        assert_eq!((found.l2_sectors, found.l2_hits, found.memory_bytes), (2, 0, 128));
    }

    #[test]
    fn memory_transfers_sectors_in_pairs() {
        let found = run(&[&[2, 3, 5, 4]], AccessKind::Load);
        assert_eq!((found.l1_hits, found.l2_sectors, found.l2_hits), (0, 4, 2));
        assert_eq!(found.memory_bytes, 128);
    }

    #[test]
    fn blocks_on_different_multiprocessors_share_only_the_l2() {
        let found = run(&[&[7], &[7], &[7]], AccessKind::Load);
        assert_eq!((found.l1_hits, found.l2_sectors, found.l2_hits), (0, 3, 2));
    }

    #[test]
    fn stores_pass_the_l1_by() {
        let found = run(&[&[7, 7, 7]], AccessKind::Store);
        assert_eq!((found.l1_sectors, found.l2_sectors), (0, 0));
    }

    #[test]
    fn a_full_set_forgets_the_line_used_least_lately() {
        let mut cache = Cache::new(LINE * WAYS as u64);
        for line in 0..WAYS as u64 {
            assert!(!cache.take(line * SECTORS));
        }
        assert!(cache.take(0), "the first line is used again");
        assert!(!cache.take(1000 * SECTORS));
        assert!(cache.take(0) && !cache.take(SECTORS), "the second line was forgotten");
    }

    #[test]
    fn the_default_models_match_the_table() {
        assert_eq!(machine(specs().gpu("H200").expect("known")), Machine::h200());
        assert_eq!(multiprocessor(specs().architecture((9, 0))), Multiprocessor::HOPPER);
    }
}
