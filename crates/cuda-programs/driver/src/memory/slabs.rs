//! Small allocations, which share pages: slabs of a file without a name, so that another process can map any of them where it lies.
//! The pages are those of the file from the start: what an allocation holds never has to move when it is shared.

use crate::lock::lock;
use crate::memory::shared::{Pages, SharedFile};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Bytes of a slab, of which only the pages that are used take memory.
const SLAB: usize = 1 << 20;
/// Blocks begin at multiples of this, as on a GPU, where CUDA's runtime refuses textures of other addresses (`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`), and
/// at least as many bytes lie between two.
const GRAIN: usize = 512;
/// Larger blocks have pages of their own, elsewhere.
pub const LARGEST: usize = 4095;

/// A piece of shared pages.
struct Slab {
    file: SharedFile,
    pages: Pages,
}

/// Where slabs are.
static PLACES: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

/// Whether an address lies in a slab, in use or not: no memory of the program itself is there.
pub fn holds(address: u64) -> bool {
    let places = lock(&PLACES);
    places.range(..=address).next_back().is_some_and(|start| address - start < SLAB as u64)
}

impl Drop for Slab {
    fn drop(&mut self) {
        lock(&PLACES).remove(&(self.pages.start() as u64));
    }
}

/// Memory of one allocation; given back when dropped.
pub struct Block {
    slab: Arc<Slab>,
    offset: usize,
    bytes: usize,
    /// Another process may map it: its bytes are not used again.
    shared: AtomicBool,
}

/// Free blocks by their sizes, the one that was free longest first, and the slab that new ones are cut from.
struct Free {
    blocks: BTreeMap<usize, VecDeque<(Arc<Slab>, usize)>>,
    newest: Option<(Arc<Slab>, usize)>,
}

static FREE: Mutex<Free> = Mutex::new(Free { blocks: BTreeMap::new(), newest: None });

impl Block {
    /// A block of so many bytes, which hold what was there before; `None` where they are too many, or the system has no such files.
    pub fn new(bytes: usize) -> Option<Arc<Block>> {
        if bytes > LARGEST {
            return None;
        }
        let mut free = lock(&FREE);
        let old = free.blocks.get_mut(&room(bytes)).and_then(VecDeque::pop_front);
        let (slab, offset) = match old {
            Some(old) => old,
            None => free.cut(room(bytes))?,
        };
        Some(Arc::new(Block { slab, offset, bytes, shared: AtomicBool::new(false) }))
    }

    /// The address of its first byte.
    pub fn start(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.slab.pages.start() + self.offset)
    }

    /// The number of the file that it lies in, and where; from now on its bytes are nobody else's.
    pub fn share(&self) -> (i32, usize) {
        self.shared.store(true, Ordering::Release);
        (self.slab.file.number(), self.offset)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        if !self.shared.load(Ordering::Acquire) {
            let blocks = &mut lock(&FREE).blocks;
            blocks.entry(room(self.bytes)).or_default().push_back((self.slab.clone(), self.offset));
        }
    }
}

/// Bytes that a block takes with those behind it.
fn room(bytes: usize) -> usize {
    (bytes + GRAIN).next_multiple_of(GRAIN)
}

impl Free {
    /// A piece that was never used.
    fn cut(&mut self, bytes: usize) -> Option<(Arc<Slab>, usize)> {
        if self.newest.as_ref().is_none_or(|(_, used)| used + bytes > SLAB) {
            let (file, pages) = (SharedFile::new(SLAB)?, Pages::reserve(SLAB, GRAIN)?);
            pages.map(pages.start(), SLAB, &file)?;
            lock(&PLACES).insert(pages.start() as u64);
            self.newest = Some((Arc::new(Slab { file, pages }), 0));
        }
        let (slab, used) = self.newest.as_mut()?;
        *used += bytes;
        Some((slab.clone(), *used - bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_apart_and_are_used_again_unless_they_are_shared() {
        let blocks: Vec<_> = (0..2000).map(|_| Block::new(1000).expect("memory")).collect();
        let mut starts: Vec<usize> = blocks.iter().map(|block| block.start().addr()).collect();
        starts.sort_unstable();
        assert!(starts.windows(2).all(|pair| pair[0] + 1000 + GRAIN <= pair[1]));
        assert!(starts.iter().all(|start| start.is_multiple_of(GRAIN)));
        assert!(
            starts.iter().all(|&start| holds(start as u64)) && !holds(&raw const starts as u64)
        );
        let (kept, (_, offset)) = (blocks[7].start(), blocks[7].share());
        assert_eq!(offset, blocks[7].offset);
        drop(blocks);
        let again: Vec<_> = (0..1999).map(|_| Block::new(1000).expect("memory")).collect();
        assert!(again.iter().all(|block| starts.binary_search(&block.start().addr()).is_ok()));
        assert!(again.iter().all(|block| block.start() != kept));
        assert!(Block::new(LARGEST + 1).is_none());
    }
}
