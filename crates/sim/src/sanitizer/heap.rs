//! The blocks that `malloc` gave to kernels: accesses must stay inside one that is not freed.

use super::checker::Checker;
use super::report::{Report, ReportKind};
use crate::engine::fault::NearAllocation;
use crate::engine::heap;
use crate::engine::memory::Memory;
use std::collections::BTreeMap;

/// What a block is called.
const NAME: &str = "block of `malloc`";

/// A block of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    bytes: u64,
    freed: bool,
}

/// The blocks of all heaps, by address.
#[derive(Default)]
pub struct Blocks {
    list: BTreeMap<u64, Block>,
}

impl Blocks {
    /// What former launches left.
    pub fn of(memory: &Memory) -> Blocks {
        let heaps = memory.live().filter(|(_, allocation)| allocation.name == heap::NAME);
        let list = heaps.flat_map(|(start, allocation)| {
            // SAFETY: an allocation holds its bytes, and the launch holds the memory's lock.
            let blocks = unsafe { heap::blocks(allocation.data(), allocation.bytes) };
            blocks.into_iter().map(move |block| {
                (start + block.offset, Block { bytes: block.bytes, freed: !block.used })
            })
        });
        Blocks { list: list.collect() }
    }

    /// What an access is wrong with, and the block nearest to it.
    fn wrong(&self, address: u64, bytes: u64) -> Option<(ReportKind, Option<NearAllocation>)> {
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

/// Blocks that no kernel has freed.
pub fn leaks(memory: &Memory) -> Vec<Report> {
    let list = Blocks::of(memory).list.into_iter();
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

impl Checker {
    /// `malloc` gave a block.
    pub fn heap_gave(&mut self, address: u64, bytes: u64) {
        self.heap.list.insert(address, Block { bytes, freed: false });
    }

    /// `free` took one back.
    pub fn heap_took(&mut self, address: u64) {
        if let Some(block) = self.heap.list.get_mut(&address) {
            block.freed = true;
        }
    }

    /// Judges a lane's access to a heap; gives whether it is one to a block.
    #[cold]
    pub(super) fn heap_holds(
        &mut self,
        (warp, lane, instruction): (u32, u32, u32),
        verb: &str,
        address: u64,
        bytes: u64,
    ) -> bool {
        let Some((kind, near)) = self.heap.wrong(address, bytes) else { return true };
        if self.again(kind, instruction, 0) {
            return false;
        }
        let place = match &near {
            Some(near) => format!("{:+} of a block of {} bytes", near.offset, near.bytes),
            None => format!("{address:#x}, where there is no block"),
        };
        let (message, help) = match kind {
            ReportKind::UseAfterFree => (
                format!("use after free: {verb} of {bytes} bytes at {place} that `free` took back"),
                "free the block after its last use",
            ),
            _ => (
                format!("out-of-bounds {verb} in the heap of `malloc`: {bytes} bytes at {place}"),
                "guard the access so that its index stays inside the block, or ask `malloc` for more",
            ),
        };
        let report = Report {
            message,
            help: help.to_owned(),
            address: Some(address),
            size: bytes as u32,
            allocation: near,
            ..self.new_report(kind, warp, lane, instruction)
        };
        self.keep(instruction, 0, report);
        false
    }
}
