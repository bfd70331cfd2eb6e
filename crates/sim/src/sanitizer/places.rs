//! Where things lie: global addresses to allocations, host addresses to guest ones.

use super::checker::Checker;
use super::shadow::{Area, Cells};
use crate::engine::context::generic_space;
use crate::engine::event::Space;
use crate::engine::fault::NearAllocation;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::window::WINDOW;

impl Checker {
    /// Where an instruction's accesses went last: the number of an area, or of a variable.
    #[inline(always)]
    pub(super) fn hint(&self, instruction: u32) -> u32 {
        self.hints.get(instruction as usize).copied().unwrap_or(0)
    }

    /// Remembers it.
    #[inline(always)]
    pub(super) fn set_hint(&mut self, instruction: u32, hint: u32) {
        if let Some(to) = self.hints.get_mut(instruction as usize) {
            *to = hint;
        }
    }

    /// The area of a global address that an instruction accesses.
    #[inline(always)]
    pub(super) fn area_of(&mut self, instruction: u32, address: u64) -> Option<usize> {
        let hint = self.hint(instruction) as usize;
        match self.areas.get(hint) {
            Some(area) if address.wrapping_sub(area.start) < area.plain => Some(hint),
            _ => self.find_area(instruction, address),
        }
    }

    #[inline(never)]
    fn find_area(&mut self, instruction: u32, address: u64) -> Option<usize> {
        // SAFETY: the launch holds the memory's lock while blocks run.
        let memory = unsafe { &*self.memory };
        let (start, allocation) = memory.find(address)?;
        let known = self.area_at.entry(start);
        let index = *known.or_insert_with(|| {
            self.areas.push(Area {
                start,
                bytes: allocation.bytes,
                plain: if allocation.name == crate::engine::heap::NAME {
                    0
                } else {
                    allocation.bytes
                },
                constant: allocation.constant,
                host: allocation.data(),
                written: allocation.written.clone(),
                cells: Cells::new(allocation.bytes, self.shift),
            });
            self.areas.len() - 1
        });
        self.set_hint(instruction, index as u32);
        Some(index)
    }

    /// What of shared or global memory an address is in or near.
    pub fn place(&self, space: MemorySpace, address: u64) -> Option<NearAllocation> {
        let window = match space {
            MemorySpace::Generic => generic_space(address),
            MemorySpace::Shared => Space::Shared,
            _ => Space::Global,
        };
        match window {
            Space::Shared => self.shared_names.nearest(address % WINDOW, 1),
            // SAFETY: the launch holds the memory's lock while blocks run.
            _ => unsafe { &*self.memory }.nearest(address, 1),
        }
    }

    /// The address in global memory of a byte on the host.
    pub(super) fn global_address(&self, host: *const u8) -> Option<u64> {
        // SAFETY: the launch holds the memory's lock while blocks run.
        let memory = unsafe { &*self.memory };
        memory.live().find_map(|(start, allocation)| {
            let offset = (host as u64).wrapping_sub(allocation.data() as u64);
            (offset < allocation.bytes).then_some(start + offset)
        })
    }

    /// The host address of an offset in shared memory.
    pub(super) fn shared_at(&self, offset: u64) -> *const u8 {
        self.shared.host.wrapping_add(offset as usize)
    }

    pub(super) fn mark_shared(&mut self, offset: u64, bytes: u64) {
        self.shared_written.set(offset, bytes);
    }

    pub(super) fn shared_bytes(&self) -> u64 {
        self.shared.bytes
    }
}
