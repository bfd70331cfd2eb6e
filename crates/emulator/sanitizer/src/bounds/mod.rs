//! Bounds: the extents of allocations and variables, and accesses outside of them.
//!
//! *Algorithm.* Exact bounds, no redzones: each address is compared with the allocation or variable
//! that its instruction accessed last, then with all. The checked emulator places allocations 2^36
//! bytes apart and shared variables 1024 bytes apart. An invalid load returns 0, an invalid store is
//! discarded; the engine reports both, and [`Bounds::amend`] adds the variable. This module finds
//! the errors that the engine accepts: accesses inside the block's memory but outside every
//! variable, writes to constants, and accesses outside of `malloc` blocks.
//!
//! *Limits.* Misses an index that jumps over the gap into another variable, and an overflow from one
//! field of a structure into another.

pub mod heap;
pub mod matrices;

use crate::bounds::heap::HeapBlocks;
use crate::findings::kinds::ReportKind;
use crate::findings::report::Report;
use crate::findings::{Finding, longer_array, named, outside_of, place};
use lanework_engine::asynchrony::split;
use lanework_engine::event::{Space, generic_space};
use lanework_engine::fault::NearAllocation;
use lanework_engine::memory::pools::PoolRegions;
use lanework_engine::memory::{Allocation, Memory};
use lanework_engine::site::Region;
use lanework_ptx_ir::kernel::{Kernel, MemorySpace, PlacedVariable};
use lanework_ptx_ir::lower::readable_variable;
use lanework_ptx_ir::memory_layout::{SHARED_WINDOW, WINDOW};
use std::collections::HashMap;
use std::sync::PoisonError;

/// Number of a memory: first the shared memories of the cluster's blocks by rank, then the global
/// allocations in the order of first access.
pub type MemoryId = usize;

/// A memory that is accessed.
pub struct Extent {
    /// First address; 0 for shared memory, which is addressed by offsets.
    pub start: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Bytes that need no further checks: all, or none for a `malloc` heap or a memory pool.
    pub plain: u64,
    /// Whether it is a `malloc` heap.
    pub of_heap: bool,
    /// Whether kernels must not write it.
    pub constant: bool,
    /// Host address of the first byte.
    pub host: *const u8,
}

impl Extent {
    /// The shared memory of a block.
    pub fn of_shared(region: &Region) -> Extent {
        let (bytes, host) = (region.bytes, region.host);
        Extent { start: 0, bytes, plain: 0, of_heap: false, constant: false, host }
    }

    /// Bytes that the fast paths may check: none for writes to constants.
    #[inline(always)]
    pub fn fast(&self, loads: bool) -> u64 {
        if loads || !self.constant { self.plain } else { 0 }
    }
}

/// Extents of the memories of a launch.
pub struct Bounds {
    memory: *const Memory,
    ranks: usize,
    extents: Vec<Extent>,
    /// The number of an allocation, by its first address.
    by_start: HashMap<u64, MemoryId>,
    /// By instruction: the memory, or the variable in shared memory, that it accessed last.
    hints: Vec<u32>,
    /// Variables in shared memory.
    pub shared: Variables,
    /// Variables in local memory.
    pub local: Variables,
    /// Where dynamic shared memory starts, if the launch has any.
    dynamic: Option<u64>,
    /// Bytes of local memory per thread.
    pub local_bytes: u64,
    /// Blocks of the kernels' `malloc`.
    pub heap: HeapBlocks,
    /// Pools of the program's own allocators, as they were when the launch began.
    pools: PoolRegions,
}

impl Bounds {
    /// For a launch: the kernel, global memory (which must outlive this), and the shared memory of
    /// each block of a cluster.
    pub fn new(
        kernel: &Kernel,
        memory: *const Memory,
        shared: &[Region],
        local_bytes: u64,
    ) -> Bounds {
        let fixed = u64::from(kernel.static_shared);
        let dynamic = shared[0].bytes.saturating_sub(fixed);
        let name = kernel.dynamic_shared.clone().unwrap_or("dynamic shared memory".to_owned());
        let more = (dynamic > 0).then_some((fixed, dynamic, name));
        Bounds {
            memory,
            ranks: shared.len(),
            extents: shared.iter().map(Extent::of_shared).collect(),
            by_start: HashMap::new(),
            hints: vec![0; kernel.origins.len() + 1],
            shared: Variables::new(&kernel.shared_variables, more),
            local: Variables::new(&kernel.local_variables, None),
            dynamic: (dynamic > 0).then_some(fixed),
            local_bytes,
            // SAFETY: `memory` is `Launch::memory`, which stays valid and locked by the launch
            // while its instruments exist.
            heap: HeapBlocks::in_memory(unsafe { &*memory }),
            // SAFETY: as above.
            pools: unsafe { &*memory }.pools.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }

    /// Global memory.
    pub fn memory(&self) -> &Memory {
        // SAFETY: `new` received the pointer from `Launch::memory`, which stays valid and locked by
        // the launch until the instrument has finished; `Checkers`, which owns this, is dropped in
        // `finish`.
        unsafe { &*self.memory }
    }

    /// A memory.
    #[inline(always)]
    pub fn extent(&self, id: MemoryId) -> &Extent {
        &self.extents[id]
    }

    /// A memory, if it exists.
    #[inline(always)]
    pub fn get(&self, id: MemoryId) -> Option<&Extent> {
        self.extents.get(id)
    }

    /// The global allocations that were accessed, except heaps of the kernels' `malloc`.
    pub fn global(&self) -> impl Iterator<Item = (MemoryId, &Extent)> {
        let all = self.extents.iter().enumerate().skip(self.ranks);
        all.filter(|(_, extent)| !extent.of_heap)
    }

    /// Swaps the shared memory extents with another cluster's.
    pub fn exchange_shared(&mut self, other: &mut [Extent]) {
        self.extents[..self.ranks].swap_with_slice(other);
    }

    /// The warps of a cluster, for blocks of `warps` warps, and the bytes of local memory of a thread.
    pub fn local_of(&self, warps: usize) -> (usize, u64) {
        (self.ranks * warps, self.local_bytes)
    }

    /// Blocks per cluster.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Bytes of shared memory per block.
    pub fn shared_bytes(&self) -> u64 {
        self.extents[0].bytes
    }

    /// The memory or variable that an instruction accessed last.
    #[inline(always)]
    pub fn hint(&self, instruction: u32) -> u32 {
        self.hints.get(instruction as usize).copied().unwrap_or(0)
    }

    /// Remembers the memory or variable that an instruction accessed last.
    #[inline(always)]
    pub fn set_hint(&mut self, instruction: u32, hint: u32) {
        if let Some(to) = self.hints.get_mut(instruction as usize) {
            *to = hint;
        }
    }

    /// The allocation that contains a global address. Passes an allocation that is accessed for the
    /// first time to `track`.
    #[inline(always)]
    pub fn allocation(
        &mut self,
        instruction: u32,
        address: u64,
        track: impl FnOnce(&Allocation),
    ) -> Option<MemoryId> {
        let hint = self.hint(instruction) as usize;
        match self.extents.get(hint) {
            Some(known) if address.wrapping_sub(known.start) < known.plain => Some(hint),
            _ => self.find(instruction, address, track),
        }
    }

    #[inline(never)]
    fn find(
        &mut self,
        instruction: u32,
        address: u64,
        track: impl FnOnce(&Allocation),
    ) -> Option<MemoryId> {
        // SAFETY: the pointer is `Launch::memory`, which the launch keeps alive and locked until the instrument has
        // finished; only shared references to it exist.
        let memory = unsafe { &*self.memory };
        let (start, allocation) = memory.find(address)?;
        let id = *self.by_start.entry(start).or_insert_with(|| {
            let of_heap = allocation.name == lanework_engine::heap::NAME;
            let in_parts = of_heap || self.pools.overlaps(start, allocation.bytes);
            self.extents.push(Extent {
                start,
                bytes: allocation.bytes,
                plain: if in_parts { 0 } else { allocation.bytes },
                of_heap,
                constant: allocation.constant,
                host: allocation.data(),
            });
            track(allocation);
            self.extents.len() - 1
        });
        self.set_hint(instruction, id as u32);
        Some(id)
    }

    /// The violation of an access to a `malloc` heap or a memory pool, and its finding.
    #[cold]
    pub fn violation(
        &self,
        of_heap: bool,
        verb: &str,
        (address, bytes): (u64, u64),
    ) -> Option<(ReportKind, Finding)> {
        if of_heap {
            let (kind, near) = self.heap.violation(address, bytes)?;
            return Some((kind, HeapBlocks::finding(kind, verb, (address, bytes), near)));
        }
        let (freed, near) = self.pools.violation(address, bytes)?;
        let place = match &near {
            Some(near) => {
                format!("{:+} of `{}`, which has {} bytes", near.offset, near.name, near.bytes)
            }
            None => format!("{address:#x}, which is in no allocated part of the pool"),
        };
        let (kind, message, help) = match freed {
            true => (
                ReportKind::UseAfterFree,
                format!(
                    "use after free: {verb} of {bytes} bytes at {place}; this part was returned to its memory pool"
                ),
                "return the memory to the pool after its last use",
            ),
            false => (
                ReportKind::OutOfBounds,
                format!("out-of-bounds {verb} in a memory pool: {bytes} bytes at {place}"),
                "guard the access so that its index stays inside the sub-allocation, or ask the pool for more",
            ),
        };
        let help = help.to_owned();
        let (address, race) = (Some(address), None);
        let allocation = near.map(|near| NearAllocation {
            name: near.name,
            address: near.address,
            bytes: near.bytes,
            offset: near.offset,
            distance: near.distance,
        });
        Some((kind, Finding { message, help, address, size: bytes, allocation, race }))
    }

    /// The global allocation that contains some bytes or is nearest to them.
    pub fn nearest_global(&self, address: u64, bytes: u64) -> Option<NearAllocation> {
        self.memory().nearest(address, bytes)
    }

    /// The variable or allocation that contains an address or is nearest to it.
    pub fn nearest(&self, space: MemorySpace, address: u64) -> Option<NearAllocation> {
        let window = match space {
            MemorySpace::Generic => generic_space(address),
            MemorySpace::Shared => Space::Shared,
            _ => Space::Global,
        };
        match window {
            Space::Shared => self.shared.nearest(address % WINDOW, 1),
            _ => self.nearest_global(address, 1),
        }
    }

    /// Converts a host address to a global address.
    pub fn global_address(&self, host: *const u8) -> Option<u64> {
        self.memory().live().find_map(|(start, allocation)| {
            let offset = (host as u64).wrapping_sub(allocation.data() as u64);
            (offset < allocation.bytes).then_some(start + offset)
        })
    }

    /// Converts a host range to a rank and an offset in shared memory, if it is there.
    pub fn shared_place(&self, host: *const u8, bytes: u64) -> Option<(u32, u64)> {
        (0..self.ranks).find_map(|rank| {
            let extent = &self.extents[rank];
            let offset = (host as u64).wrapping_sub(extent.host as u64);
            let inside = offset < extent.bytes && bytes <= extent.bytes - offset;
            inside.then_some((rank as u32, offset))
        })
    }

    /// Host address of an offset in the shared memory of the block of a rank.
    pub fn shared_host(&self, rank: u32, offset: u64) -> *const u8 {
        let rank = (rank as usize).min(self.ranks - 1);
        self.extents[rank].host.wrapping_add(offset as usize)
    }

    /// The finding of an access inside the block's memory but outside every variable.
    pub fn outside(
        verb: &str,
        space: &str,
        (offset, bytes): (u64, u64),
        near: Option<NearAllocation>,
    ) -> Finding {
        let what = outside_of(near.as_ref(), offset);
        let longer = near.as_ref().and_then(|near| longer_array(near, bytes));
        Finding {
            message: format!("out-of-bounds {space} {verb}: {bytes} bytes {what}"),
            help: longer.unwrap_or_else(|| {
                "guard the access so that its index stays inside the array".into()
            }),
            address: Some(offset),
            size: bytes,
            allocation: near,
            race: None,
        }
    }

    /// The finding of a write to constant memory.
    pub fn written_constant(&self, verb: &str, address: u64, bytes: u64) -> Finding {
        let near = self.nearest_global(address, bytes);
        let at = place(near.as_ref(), address);
        Finding {
            message: format!(
                "{verb} of {bytes} bytes at {at} in constant memory, which kernels can only read"
            ),
            help: "use `__device__` for data that kernels change, or write it from the host".into(),
            address: Some(address),
            size: bytes,
            allocation: near,
            race: None,
        }
    }

    /// Adds the variable or block at the faulting address to the report of a fault.
    pub fn amend(&self, report: &mut Report, space: MemorySpace, address: Option<u64>) {
        self.after_the_end(report, space, address);
        if space == MemorySpace::Shared
            && let Some(near) = address.and_then(|address| self.shared.nearest(address, 1))
        {
            match report.kind {
                ReportKind::OutOfBounds => {
                    let (at, bytes) = (named(&near), near.bytes);
                    report.message.push_str(&format!(" (nearest: {at}, {bytes} bytes)"));
                    let end = near.offset + i64::from(report.size);
                    if self.dynamic == Some(near.address) && end > near.bytes as i64 {
                        report.help = format!(
                            "ask for at least {end} bytes of dynamic shared memory at the launch, which gave `{}` only {bytes}: the third launch argument counts bytes, not elements; if that is enough, guard the access so that its index stays inside the array",
                            near.name
                        );
                    } else if let Some(longer) = longer_array(&near, report.size.into()) {
                        report.help = longer;
                    }
                }
                ReportKind::Misaligned => report.message.push_str(&format!(" ({})", named(&near))),
                _ => {}
            }
            report.allocation = Some(near);
        }
        if report.kind == ReportKind::Deadlock {
            report.allocation = address.and_then(|address| self.nearest(space, address));
        }
    }

    /// Turns an out-of-bounds fault in the shared memory of an exited block into a use after free.
    fn after_the_end(&self, report: &mut Report, space: MemorySpace, address: Option<u64>) {
        let window = match space {
            MemorySpace::Shared => 0,
            MemorySpace::Generic => SHARED_WINDOW,
            _ => return,
        };
        let within = address.map_or(u64::MAX, |address| address.wrapping_sub(window));
        let (rank, offset) = split(within, u32::MAX);
        let inside = offset < self.shared_bytes() && (rank as usize) < self.ranks;
        if report.kind != ReportKind::OutOfBounds || within >= WINDOW || !inside {
            return;
        }
        let near = self.shared.nearest(offset, 1);
        let at = near.as_ref().map_or(format!("offset {offset}"), named);
        report.kind = ReportKind::UseAfterFree;
        report.message = format!(
            "shared memory of the block of rank {rank} of the cluster is accessed after that block has exited: {} bytes at {at}",
            report.size
        );
        report.allocation = near;
    }
}

/// Variables in shared or local memory, by offset.
pub struct Variables {
    list: Vec<(u64, u64, String)>,
}

impl Variables {
    /// Variables of the kernel, and `more`.
    pub fn new(placed: &[PlacedVariable], more: Option<(u64, u64, String)>) -> Variables {
        let of = |p: &PlacedVariable| {
            (u64::from(p.offset), u64::from(p.bytes), readable_variable(&p.name))
        };
        Variables { list: placed.iter().map(of).chain(more).collect() }
    }

    /// Whether these bytes are inside one variable, or there are no variables. `hint` is the
    /// variable to try first, and is set to the one that matches.
    #[inline(always)]
    pub fn holds(&self, offset: u64, bytes: u64, hint: &mut u32) -> bool {
        let inside = |(start, size, _): &(u64, u64, String)| {
            offset >= *start && bytes <= *size && offset - start <= size - bytes
        };
        if self.list.get(*hint as usize).is_some_and(inside) || self.list.is_empty() {
            return true;
        }
        let found = self.list.iter().position(inside);
        *hint = found.map_or(*hint, |found| found as u32);
        found.is_some()
    }

    /// First byte and size of a variable; zeros if it does not exist.
    #[inline(always)]
    pub fn extent(&self, number: usize) -> (u64, u64) {
        self.list.get(number).map_or((0, 0), |(start, size, _)| (*start, *size))
    }

    /// First byte and size of the variable of a name.
    pub fn of_name(&self, name: &str) -> Option<(u64, u64)> {
        let found = self.list.iter().find(|(.., of)| of == name);
        found.map(|(start, size, _)| (*start, *size))
    }

    /// The variable nearest to some bytes.
    pub fn nearest(&self, offset: u64, bytes: u64) -> Option<NearAllocation> {
        let near = |(start, size, name): &(u64, u64, String)| NearAllocation {
            name: name.clone(),
            address: *start,
            bytes: *size,
            offset: offset.wrapping_sub(*start) as i64,
            distance: if offset >= *start {
                offset.saturating_sub(start + size)
            } else {
                start.saturating_sub(offset.saturating_add(bytes))
            },
        };
        self.list.iter().map(near).min_by_key(|near| near.distance)
    }
}
