//! GPU allocations, and the table of live ones, which bounds-checks host copies: an ordered map of disjoint
//! ranges. The last 64 freed ranges are kept to recognize a use after free.

use std::collections::{BTreeMap, VecDeque};
use std::mem::ManuallyDrop;
use std::sync::Arc;

use crate::driver::Handle;
use crate::driver::sys::{self, CUresult};

/// The latest freed ranges, kept to report a use after free.
const FREED_KEPT: usize = 64;

/// Live ranges by first address, each with the object that owns it.
#[derive(Debug)]
pub(crate) struct AddressTable<T> {
    live: BTreeMap<u64, (usize, Arc<T>)>,
    freed: VecDeque<(u64, usize)>,
}

impl<T> Default for AddressTable<T> {
    fn default() -> Self {
        AddressTable { live: BTreeMap::new(), freed: VecDeque::new() }
    }
}

impl<T> AddressTable<T> {
    /// Adds a range.
    pub fn insert(&mut self, address: u64, bytes: usize, owner: Arc<T>) {
        self.live.insert(address, (bytes, owner));
    }

    /// Removes the range that starts at `address`.
    pub fn remove(&mut self, address: u64) -> Option<Arc<T>> {
        let (bytes, owner) = self.live.remove(&address)?;
        if self.freed.len() == FREED_KEPT {
            self.freed.pop_front();
        }
        self.freed.push_back((address, bytes));
        Some(owner)
    }

    /// Removes every range.
    pub fn clear(&mut self) {
        self.live.clear();
    }

    /// The owner of the live range that holds all of `bytes` bytes at `address`.
    pub fn find(&self, address: u64, bytes: usize) -> Option<Arc<T>> {
        let (start, (length, owner)) = self.live.range(..=address).next_back()?;
        let offset = usize::try_from(address - start).ok()?;
        (offset.checked_add(bytes)? <= *length).then(|| Arc::clone(owner))
    }

    /// Describes the allocation nearest to an invalid access.
    pub fn explain(&self, address: u64, bytes: usize) -> String {
        let below = self.live.range(..=address).next_back();
        if let Some((start, (length, _))) = below {
            let offset = address - start;
            if offset < *length as u64 {
                let end = u128::from(offset) + bytes as u128;
                let over = match end.checked_sub(*length as u128) {
                    Some(over @ 1..) => format!("runs {over} bytes past its end"),
                    _ => "is not its start".to_string(),
                };
                return format!(
                    "it lies at byte {offset} of the {length}-byte allocation at {start:#x} and {over}"
                );
            }
        }
        let inside =
            |&&(start, length): &&(u64, usize)| address >= start && address - start < length as u64;
        if let Some((start, length)) = self.freed.iter().rev().find(inside) {
            return format!("the {length}-byte allocation at {start:#x} has been freed");
        }
        let above = self.live.range(address..).next();
        let before =
            below.map(|(start, (length, _))| (address - start - *length as u64, start, length));
        let after = above.map(|(start, (length, _))| (start - address, start, length));
        match (before, after) {
            (Some((gap, start, length)), other) if other.is_none_or(|(rival, ..)| gap <= rival) => {
                format!(
                    "it starts {gap} bytes past the end of the {length}-byte allocation at {start:#x}"
                )
            }
            (_, Some((gap, start, length))) => {
                format!("it starts {gap} bytes before the {length}-byte allocation at {start:#x}")
            }
            _ => "nothing is allocated on this GPU".to_string(),
        }
    }
}

/// Memory allocated by the driver; freed when the last user drops it.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub address: u64,
    pub context: Handle<sys::CUctx_st>,
}

impl Allocation {
    /// Frees the memory and returns the driver's result.
    pub fn release(self) -> CUresult {
        ManuallyDrop::new(self).give_back()
    }

    fn give_back(&self) -> CUresult {
        // SAFETY: the context outlives its allocations (`Gpu`'s table is cleared before it is
        // released), and the address came from cuMemAlloc and is freed once.
        unsafe {
            match sys::cuCtxSetCurrent(self.context.0) {
                CUresult::CUDA_SUCCESS => sys::cuMemFree_v2(self.address),
                failed => failed,
            }
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        let _ = self.give_back();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> AddressTable<&'static str> {
        let mut table = AddressTable::default();
        table.insert(0x1000, 256, Arc::new("a"));
        table.insert(0x2000, 16, Arc::new("b"));
        table
    }

    #[test]
    fn a_range_is_found_only_when_it_holds_every_byte() {
        let table = table();
        assert_eq!(table.find(0x1000, 256).as_deref(), Some(&"a"));
        assert_eq!(table.find(0x10ff, 1).as_deref(), Some(&"a"));
        assert_eq!(table.find(0x200f, 1).as_deref(), Some(&"b"));
        for (address, bytes) in
            [(0x1000, 257), (0x10ff, 2), (0xfff, 1), (0x2010, 1), (0, 1), (0x1001, usize::MAX)]
        {
            assert!(table.find(address, bytes).is_none(), "{address:#x} {bytes}");
        }
    }

    #[test]
    fn bad_accesses_are_explained_by_the_nearest_range() {
        let mut table = table();
        assert!(
            table
                .explain(0x10f0, 32)
                .contains("byte 240 of the 256-byte allocation at 0x1000 and runs 16 bytes past")
        );
        assert!(
            table.explain(0x1104, 4).contains("4 bytes past the end of the 256-byte allocation")
        );
        assert!(
            table.explain(0x1ffc, 4).contains("4 bytes before the 16-byte allocation at 0x2000")
        );
        assert_eq!(table.remove(0x1000).as_deref(), Some(&"a"));
        assert!(table.remove(0x1000).is_none());
        assert!(table.explain(0x1010, 4).contains("has been freed"));
        table.remove(0x2000);
        assert!(table.explain(0x9000, 4).contains("nothing is allocated"));
    }
}
