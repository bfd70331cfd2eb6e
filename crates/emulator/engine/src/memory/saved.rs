//! Memory as plain data: the contents of a device's allocations, saved by what changed since the last time, and restored
//! at the same addresses on another device. So a debugger in another process sees the memory before each launch of a program.
//!
//! Not saved: textures and surfaces, and memory of the host that kernels access without registering it.

use crate::device::Device;
use crate::fault::MemoryError;
use crate::memory::allocation::{Allocation, GRAIN, in_windows};
use crate::memory::{Addresses, Memory, NULL_PAGE, POISON, REGION_ALIGN};
use std::collections::BTreeMap;

/// Bytes that are compared, and saved together if they differ.
const PAGE: usize = 4096;

/// An allocation, and what changed in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedAllocation {
    /// Its address.
    pub address: u64,
    /// Its size.
    pub bytes: u64,
    /// Its name.
    pub name: String,
    /// Whether it is a variable of a module.
    pub of_module: bool,
    /// Whether it is constant memory.
    pub constant: bool,
    /// The value of every byte before the changes, if the allocation is new; `None` if it was saved before.
    pub fill: Option<u8>,
    /// The changed parts: offset and bytes.
    pub changes: Vec<(u64, Vec<u8>)>,
}

/// Saves the memory of a device again and again.
#[derive(Default)]
pub struct MemorySaver {
    before: BTreeMap<u64, Vec<u8>>,
}

impl MemorySaver {
    /// All live allocations, each with its changes since the last call.
    ///
    /// # Errors
    /// If an allocation cannot be read.
    pub fn save(&mut self, memory: &Memory) -> Result<Vec<SavedAllocation>, MemoryError> {
        let (mut saved, mut known) = (Vec::new(), BTreeMap::new());
        for (address, allocation) in memory.live() {
            let mut now = vec![0; allocation.bytes as usize];
            memory.read(address, &mut now)?;
            let before = self.before.remove(&address).filter(|known| known.len() == now.len());
            let first = now.first().copied().unwrap_or(0);
            let fill = before.is_none().then_some(first);
            let before = before.unwrap_or_else(|| vec![first; now.len()]);
            let mut changes: Vec<(u64, Vec<u8>)> = Vec::new();
            for (index, (now, before)) in now.chunks(PAGE).zip(before.chunks(PAGE)).enumerate() {
                let at = (index * PAGE) as u64;
                match changes.last_mut() {
                    _ if now == before => {}
                    Some((start, part)) if *start + part.len() as u64 == at => {
                        part.extend_from_slice(now);
                    }
                    _ => changes.push((at, now.to_vec())),
                }
            }
            saved.push(SavedAllocation {
                address,
                bytes: allocation.bytes,
                name: allocation.name.clone(),
                of_module: allocation.of_module,
                constant: allocation.constant,
                fill,
                changes,
            });
            known.insert(address, now);
        }
        self.before = known;
        Ok(saved)
    }
}

/// The saved memory of a device at one point, from all that was saved up to there.
#[derive(Clone, Debug, Default)]
pub struct SavedMemory {
    allocations: Vec<(SavedAllocation, Vec<u8>)>,
}

impl SavedMemory {
    /// Goes on to the next point.
    ///
    /// # Errors
    /// A message if the changes do not continue this memory.
    pub fn apply(&mut self, saved: &[SavedAllocation]) -> Result<(), String> {
        let mut before: BTreeMap<u64, Vec<u8>> = std::mem::take(&mut self.allocations)
            .into_iter()
            .map(|(allocation, bytes)| (allocation.address, bytes))
            .collect();
        for allocation in saved {
            let SavedAllocation { address, bytes, fill, changes, .. } = allocation;
            let wrong = || format!("the saved memory at {address:#x} is incomplete");
            let size = usize::try_from(*bytes).map_err(|_| wrong())?;
            let mut now = match fill {
                Some(byte) => vec![*byte; size],
                None => before.remove(address).filter(|now| now.len() == size).ok_or_else(wrong)?,
            };
            for (offset, part) in changes {
                let start = usize::try_from(*offset).map_err(|_| wrong())?;
                let end = start.checked_add(part.len()).ok_or_else(wrong)?;
                now.get_mut(start..end).ok_or_else(wrong)?.copy_from_slice(part);
            }
            let described = SavedAllocation { changes: Vec::new(), ..allocation.clone() };
            self.allocations.push((described, now));
        }
        Ok(())
    }

    /// Allocates and fills the memory on a device that has its own addresses.
    ///
    /// # Errors
    /// If the memory does not suffice, or an address is in use.
    pub fn restore(&self, device: &Device) -> Result<(), MemoryError> {
        for (allocation, bytes) in &self.allocations {
            // Regions start at aligned addresses; memory of the host may not.
            let start = allocation.address / REGION_ALIGN * REGION_ALIGN;
            let size = allocation.address - start + allocation.bytes;
            device.allocate_at(start, size, allocation)?;
            device.write(allocation.address, bytes)?;
            if !allocation.constant && !allocation.of_module {
                device.memory().forget(allocation.address, &fresh_runs(bytes));
            }
        }
        Ok(())
    }
}

/// The parts of saved bytes that look as if nothing has written them: whole words of the byte that fills new memory. So
/// checks of the restored memory find reads of them.
fn fresh_runs(bytes: &[u8]) -> Vec<(u64, u64)> {
    const WORD: usize = 4;
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for (index, word) in bytes.chunks_exact(WORD).enumerate() {
        let at = (index * WORD) as u64;
        match runs.last_mut() {
            _ if word != [POISON; WORD] => {}
            Some((start, length)) if *start + *length == at => *length += WORD as u64,
            _ => runs.push((at, WORD as u64)),
        }
    }
    runs
}

impl Memory {
    /// Allocates memory at an address; only where addresses are counted up.
    ///
    /// # Errors
    /// If the memory does not suffice, or the range is not free.
    pub(crate) fn allocate_at(
        &mut self,
        address: u64,
        bytes: u64,
        like: &SavedAllocation,
    ) -> Result<(), MemoryError> {
        let name = &like.name;
        let refuse =
            |why: &str| MemoryError::NotRegistrable { address, bytes, why: why.to_owned() };
        let end = address.checked_add(bytes).and_then(|end| end.checked_next_multiple_of(GRAIN));
        let end = end.ok_or_else(|| refuse("the range ends after the last address"))?;
        if self.addresses == Addresses::Host || address < NULL_PAGE || in_windows(address, bytes) {
            return Err(refuse("a device with its own addresses has no memory there"));
        }
        let before = self.live.range(..address.saturating_add(bytes.max(1))).next_back();
        if before.is_some_and(|(start, other)| start + other.bytes.max(1) > address) {
            return Err(refuse("it overlaps another allocation"));
        }
        let (free, total) = (self.total - self.used, self.total);
        let full = || MemoryError::OutOfMemory { name: name.clone(), bytes, free, total };
        if bytes > free {
            return Err(full());
        }
        let allocation = Allocation::new(name, bytes, self.addresses, self.checked, self.fresh);
        let mut allocation = allocation.ok_or_else(full)?;
        (allocation.of_module, allocation.constant) = (like.of_module, like.constant);
        self.used += bytes;
        self.next = self.next.max(end.saturating_add(self.apart()));
        self.live.insert(address, allocation);
        Ok(())
    }
}
