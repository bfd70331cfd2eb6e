//! Blocks of the kernels' `malloc`: accesses must stay inside a live block.
//!
//! Freed blocks are remembered until `malloc` returns their bytes again, which the engine does only
//! when the heap is full. `free` happens before that `malloc`.

use crate::findings::Finding;
use crate::findings::kinds::ReportKind;
use crate::findings::report::Report;
use lanework_engine::fault::NearAllocation;
use lanework_engine::heap;
use lanework_engine::memory::Memory;
use std::collections::BTreeMap;

/// Name of a block in findings.
const NAME: &str = "block of `malloc`";

/// A block of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    bytes: u64,
    freed: bool,
}

/// Blocks of all heaps, by address.
#[derive(Default)]
pub struct HeapBlocks {
    list: BTreeMap<u64, Block>,
}

impl HeapBlocks {
    /// The blocks that earlier launches left.
    pub fn in_memory(memory: &Memory) -> HeapBlocks {
        let heaps = memory.live().filter(|(_, allocation)| allocation.name == heap::NAME);
        let list = heaps.flat_map(|(start, allocation)| {
            // SAFETY: `data` and `bytes` describe one live allocation, and the launch holds the
            // memory's lock, so nothing writes the heap while its headers are read.
            let blocks = unsafe { heap::blocks(allocation.data(), allocation.bytes) };
            blocks.into_iter().map(move |block| {
                (start + block.offset, Block { bytes: block.bytes, freed: !block.used })
            })
        });
        HeapBlocks { list: list.collect() }
    }

    /// The violation of an access and the nearest block; `None` if the access is inside a live
    /// block.
    #[cold]
    pub fn violation(
        &self,
        address: u64,
        bytes: u64,
    ) -> Option<(ReportKind, Option<NearAllocation>)> {
        let end = address.saturating_add(bytes);
        let before = self.list.range(..=address).next_back();
        if let Some((start, block)) = before
            && end <= start + block.bytes
        {
            return block
                .freed
                .then(|| (ReportKind::UseAfterFree, Some(near(*start, *block, address, bytes))));
        }
        let after = self.list.range(address..).next();
        let nearest = before.into_iter().chain(after);
        let nearest = nearest
            .map(|(start, block)| near(*start, *block, address, bytes))
            .min_by_key(|near| near.distance);
        Some((ReportKind::OutOfBounds, nearest))
    }
}

/// Leak reports: blocks that no kernel has freed.
pub fn leaks(memory: &Memory) -> Vec<Report> {
    let list = HeapBlocks::in_memory(memory).list.into_iter();
    let kept = list.filter(|(_, block)| !block.freed);
    kept.map(|(address, block)| Report::leak(address, block.bytes, NAME)).collect()
}

fn near(start: u64, block: Block, address: u64, bytes: u64) -> NearAllocation {
    let past = address.saturating_sub(start.saturating_add(block.bytes));
    let short = start.saturating_sub(address.saturating_add(bytes));
    NearAllocation {
        name: NAME.to_owned(),
        address: start,
        bytes: block.bytes,
        offset: address.wrapping_sub(start) as i64,
        distance: past.max(short),
    }
}

impl HeapBlocks {
    /// `malloc` returned a block; returns whether it reuses the bytes of freed blocks, which it
    /// replaces.
    pub fn allocated(&mut self, address: u64, bytes: u64) -> bool {
        let end = address.saturating_add(bytes.max(1));
        let overlaps = |(start, block): &(&u64, &Block)| {
            **start < end && start.saturating_add(block.bytes.max(1)) > address
        };
        let old: Vec<u64> =
            self.list.range(..end).rev().take_while(overlaps).map(|(start, _)| *start).collect();
        old.iter().for_each(|start| _ = self.list.remove(start));
        self.list.insert(address, Block { bytes, freed: false });
        !old.is_empty()
    }

    /// `free` released a block.
    pub fn freed(&mut self, address: u64) {
        if let Some(block) = self.list.get_mut(&address) {
            block.freed = true;
        }
    }

    /// The finding of an access outside of live blocks.
    pub fn finding(
        kind: ReportKind,
        verb: &str,
        (address, bytes): (u64, u64),
        near: Option<NearAllocation>,
    ) -> Finding {
        let place = match &near {
            Some(near) => format!("{:+} of a block of {} bytes", near.offset, near.bytes),
            None => format!("{address:#x}, which is not in a block"),
        };
        let (message, help) = match kind {
            ReportKind::UseAfterFree => (
                format!("use after free: {verb} of {bytes} bytes at {place}, which was freed"),
                "free the block after its last use",
            ),
            _ => (
                format!("out-of-bounds {verb} in the heap of `malloc`: {bytes} bytes at {place}"),
                "guard the access so that its index stays inside the block, or ask `malloc` for more",
            ),
        };
        Finding {
            message,
            help: help.into(),
            address: Some(address),
            size: bytes,
            allocation: near,
            race: None,
        }
    }
}
