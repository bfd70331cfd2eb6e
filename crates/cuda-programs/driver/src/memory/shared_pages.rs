//! Memory that other processes can map: files without a name, ranges of addresses that map them, and slabs of small allocations.
//!
//! A slab is a range of pages of such a file from the start, so an allocation never moves when it is exported.

use crate::state::lock;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A file in memory, without a name.
pub struct SharedFile {
    descriptor: OwnedFd,
    bytes: usize,
}

impl SharedFile {
    /// A file of zeros.
    pub fn new(bytes: usize) -> Option<SharedFile> {
        // SAFETY: the name ends with a zero byte; the descriptor is new and nobody else's.
        let descriptor = unsafe {
            let number = libc::memfd_create(c"lanework".as_ptr(), libc::MFD_CLOEXEC);
            (number >= 0).then(|| OwnedFd::from_raw_fd(number))
        }?;
        File::from(descriptor.try_clone().ok()?).set_len(bytes as u64).ok()?;
        Some(SharedFile { descriptor, bytes })
    }

    /// The file of somebody's descriptor.
    pub fn from_descriptor(descriptor: BorrowedFd<'_>) -> Option<SharedFile> {
        let descriptor = descriptor.try_clone_to_owned().ok()?;
        let bytes = File::from(descriptor.try_clone().ok()?).metadata().ok()?.len() as usize;
        (bytes > 0).then_some(SharedFile { descriptor, bytes })
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The number of its descriptor, for as long as it lives.
    pub fn number(&self) -> i32 {
        self.descriptor.as_fd().as_raw_fd()
    }

    /// Another descriptor of the same file.
    pub fn duplicate(&self) -> Option<OwnedFd> {
        self.descriptor.try_clone().ok()
    }

    /// Reads it from its start.
    pub fn read(&self, to: &mut [u8]) -> Option<()> {
        use std::os::unix::fs::FileExt;
        File::from(self.duplicate()?).read_exact_at(to, 0).ok()
    }

    /// Writes bytes from a place on.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Option<()> {
        use std::os::unix::fs::FileExt;
        File::from(self.duplicate()?).write_all_at(bytes, at).ok()
    }
}

/// A range of addresses of this process, for mappings at places of it.
pub struct Pages {
    /// What was mapped, which may begin before the range.
    whole: (usize, usize),
    start: usize,
    bytes: usize,
}

const PRIVATE: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

impl Pages {
    /// A range of addresses with nothing there.
    pub fn reserve(bytes: usize, alignment: usize) -> Option<Pages> {
        let length = bytes.checked_add(alignment)?;
        // SAFETY: a new mapping at a place of the system's choice.
        let at =
            unsafe { libc::mmap(std::ptr::null_mut(), length, libc::PROT_NONE, PRIVATE, -1, 0) };
        if at == libc::MAP_FAILED {
            return None;
        }
        let at = at as usize;
        Some(Pages { whole: (at, length), start: at.next_multiple_of(alignment), bytes })
    }

    pub fn start(&self) -> usize {
        self.start
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Makes the whole range private memory.
    pub fn map_private(&self) -> Option<()> {
        // SAFETY: the range's pages are used by nobody else.
        unsafe { map_private(self.start, self.bytes) }
    }

    fn inside(&self, address: usize, bytes: usize) -> Option<()> {
        let end = address.checked_add(bytes)?;
        (address >= self.start && end <= self.start + self.bytes).then_some(())
    }

    /// Maps the start of a file at a place of the range.
    pub fn map(&self, address: usize, bytes: usize, file: &SharedFile) -> Option<()> {
        self.map_from(address, bytes, file, 0)
    }

    /// Maps a part of a file, from a page of it on, at a place of the range.
    pub fn map_from(
        &self,
        address: usize,
        bytes: usize,
        file: &SharedFile,
        from: usize,
    ) -> Option<()> {
        self.inside(address, bytes)?;
        // SAFETY: the place is of this range, whose pages nobody else uses.
        unsafe { map_over(address, bytes, file, from) }
    }

    /// Takes away what is mapped at a place of the range.
    pub fn unmap(&self, address: usize, bytes: usize) -> Option<()> {
        self.inside(address, bytes)?;
        let flags = PRIVATE | libc::MAP_FIXED;
        // SAFETY: as for `map`.
        let at = unsafe { libc::mmap(address as *mut _, bytes, libc::PROT_NONE, flags, -1, 0) };
        (at != libc::MAP_FAILED).then_some(())
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is this range's own.
        unsafe { libc::munmap(self.whole.0 as *mut _, self.whole.1) };
    }
}

/// Maps a part of a file, from a page of it on, over whole pages.
///
/// # Safety
/// The pages are the caller's, and nobody else uses them meanwhile.
pub unsafe fn map_over(address: usize, bytes: usize, file: &SharedFile, from: usize) -> Option<()> {
    let from = libc::off_t::try_from(from).ok()?;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: the pages are for this mapping alone (contract of this function).
    let at = unsafe { libc::mmap(address as *mut _, bytes, access, flags, file.number(), from) };
    (at != libc::MAP_FAILED).then_some(())
}

/// Makes pages private memory again; what they held is lost.
///
/// # Safety
/// As [`map_over`].
pub unsafe fn map_private(address: usize, bytes: usize) -> Option<()> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the pages are for this mapping alone (contract of this function).
    let at = unsafe { libc::mmap(address as *mut _, bytes, access, flags, -1, 0) };
    (at != libc::MAP_FAILED).then_some(())
}

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

/// FreeBlocks blocks by their sizes, the one that was free longest first, and the slab that new ones are cut from.
struct FreeBlocks {
    blocks: BTreeMap<usize, VecDeque<(Arc<Slab>, usize)>>,
    newest: Option<(Arc<Slab>, usize)>,
}

static FREE: Mutex<FreeBlocks> = Mutex::new(FreeBlocks { blocks: BTreeMap::new(), newest: None });

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

impl FreeBlocks {
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
