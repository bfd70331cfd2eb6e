//! Memory that other processes can map: anonymous files, address ranges for their mappings, and slabs of small
//! allocations.
//!
//! A slab is mapped from such a file from the start, so exporting an allocation never moves it.

use crate::state::lock;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// An anonymous file in memory.
pub struct SharedFile {
    descriptor: OwnedFd,
    bytes: usize,
}

impl SharedFile {
    /// Creates a zeroed file.
    pub fn new(bytes: usize) -> Option<SharedFile> {
        let descriptor = anonymous()?;
        File::from(descriptor.try_clone().ok()?).set_len(bytes as u64).ok()?;
        Some(SharedFile { descriptor, bytes })
    }

    /// Opens the file of an existing descriptor.
    pub fn from_descriptor(descriptor: BorrowedFd<'_>) -> Option<SharedFile> {
        let descriptor = descriptor.try_clone_to_owned().ok()?;
        let bytes = File::from(descriptor.try_clone().ok()?).metadata().ok()?.len() as usize;
        (bytes > 0).then_some(SharedFile { descriptor, bytes })
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Descriptor number, valid while the file exists.
    pub fn number(&self) -> i32 {
        self.descriptor.as_fd().as_raw_fd()
    }

    /// A new descriptor of the same file.
    pub fn duplicate(&self) -> Option<OwnedFd> {
        self.descriptor.try_clone().ok()
    }

    /// Reads from the start.
    pub fn read(&self, to: &mut [u8]) -> Option<()> {
        use std::os::unix::fs::FileExt;
        File::from(self.duplicate()?).read_exact_at(to, 0).ok()
    }

    /// Writes at an offset.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Option<()> {
        use std::os::unix::fs::FileExt;
        File::from(self.duplicate()?).write_all_at(bytes, at).ok()
    }
}

/// A new file that has no name.
#[cfg(target_os = "linux")]
fn anonymous() -> Option<OwnedFd> {
    use std::os::fd::FromRawFd;
    // SAFETY: the name is a C string literal; a non-negative result is a new descriptor, owned here.
    unsafe {
        let number = libc::memfd_create(c"lanework".as_ptr(), libc::MFD_CLOEXEC);
        (number >= 0).then(|| OwnedFd::from_raw_fd(number))
    }
}

/// A new file, whose name is removed at once.
#[cfg(not(target_os = "linux"))]
fn anonymous() -> Option<OwnedFd> {
    use std::sync::atomic::AtomicU64;
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let (process, number) = (std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let path = std::env::temp_dir().join(format!("lanework-{process}-{number}"));
    let file = File::options().read(true).write(true).create_new(true).open(&path).ok()?;
    std::fs::remove_file(path).ok()?;
    Some(file.into())
}

/// A reserved address range, for mappings inside it.
pub struct Pages {
    /// The whole reservation; it may start before the aligned range.
    whole: (usize, usize),
    start: usize,
    bytes: usize,
}

const PRIVATE: i32 = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;

impl Pages {
    /// Reserves an address range without memory.
    pub fn reserve(bytes: usize, alignment: usize) -> Option<Pages> {
        Pages::reserve_before(bytes, alignment, 0)
    }

    /// Like [`Pages::reserve`], but the first ranges of a process are far apart, so that an index out of bounds does not reach
    /// the next one.
    pub fn reserve_apart(bytes: usize, alignment: usize) -> Option<Pages> {
        const APART: usize = (1u64 << 33) as usize;
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let far = MADE.fetch_add(1, Ordering::Relaxed) < 2048;
        let far = far.then(|| Pages::reserve_before(bytes, alignment, APART)).flatten();
        far.or_else(|| Pages::reserve(bytes, alignment))
    }

    /// Reserves an address range, and `unused` bytes behind it.
    fn reserve_before(bytes: usize, alignment: usize, unused: usize) -> Option<Pages> {
        let length = bytes.checked_add(alignment)?.checked_add(unused)?;
        // SAFETY: a new mapping at an address chosen by the kernel.
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

    /// Backs the range with private memory.
    pub fn map_private(&self) -> Option<()> {
        // SAFETY: the pages belong to this range, and nothing refers to them yet.
        unsafe { map_private(self.start, self.bytes) }
    }

    fn inside(&self, address: usize, bytes: usize) -> Option<()> {
        let end = address.checked_add(bytes)?;
        (address >= self.start && end <= self.start + self.bytes).then_some(())
    }

    /// Maps the start of a file into the range.
    pub fn map(&self, address: usize, bytes: usize, file: &SharedFile) -> Option<()> {
        self.map_from(address, bytes, file, 0)
    }

    /// Maps part of a file, from a page boundary on, into the range.
    pub fn map_from(
        &self,
        address: usize,
        bytes: usize,
        file: &SharedFile,
        from: usize,
    ) -> Option<()> {
        self.inside(address, bytes)?;
        // SAFETY: `inside` checked that the pages belong to this range.
        unsafe { map_over(address, bytes, file, from) }
    }

    /// Unmaps part of the range; the addresses stay reserved.
    pub fn unmap(&self, address: usize, bytes: usize) -> Option<()> {
        self.inside(address, bytes)?;
        let flags = PRIVATE | libc::MAP_FIXED;
        // SAFETY: `inside` checked that the pages belong to this range.
        let at = unsafe { libc::mmap(address as *mut _, bytes, libc::PROT_NONE, flags, -1, 0) };
        (at != libc::MAP_FAILED).then_some(())
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: `reserve` made the mapping, and it is unmapped once.
        unsafe { libc::munmap(self.whole.0 as *mut _, self.whole.1) };
    }
}

/// Maps part of a file, from a page boundary on, over existing pages.
///
/// # Safety
/// The caller owns the pages, and nothing accesses them during the call.
pub unsafe fn map_over(address: usize, bytes: usize, file: &SharedFile, from: usize) -> Option<()> {
    let from = libc::off_t::try_from(from).ok()?;
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_SHARED | libc::MAP_FIXED;
    // SAFETY: the pages are used only by this mapping (contract of this function).
    let at = unsafe { libc::mmap(address as *mut _, bytes, access, flags, file.number(), from) };
    (at != libc::MAP_FAILED).then_some(())
}

/// Replaces pages by zeroed private memory.
///
/// # Safety
/// As [`map_over`].
pub unsafe fn map_private(address: usize, bytes: usize) -> Option<()> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: the pages are used only by this mapping (contract of this function).
    let at = unsafe { libc::mmap(address as *mut _, bytes, access, flags, -1, 0) };
    (at != libc::MAP_FAILED).then_some(())
}

/// Slab size in bytes. Only pages that were accessed take memory.
const SLAB: usize = 1 << 20;
/// Alignment of blocks, and the minimum gap between them. CUDA's runtime refuses textures at less aligned
/// addresses (`CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT`).
const GRAIN: usize = 512;
/// Largest block; larger allocations have their own pages.
const LARGEST: usize = 4095;

/// One slab.
struct Slab {
    file: SharedFile,
    pages: Pages,
}

/// Start addresses of all slabs.
static PLACES: Mutex<BTreeSet<u64>> = Mutex::new(BTreeSet::new());

/// Whether the process has exported memory, which other processes may write.
pub static ANY_EXPORTED: AtomicBool = AtomicBool::new(false);

/// Whether an address is in a slab, used or unused: such addresses are never memory of the program.
pub fn holds(address: u64) -> bool {
    let places = lock(&PLACES);
    places.range(..=address).next_back().is_some_and(|start| address - start < SLAB as u64)
}

impl Drop for Slab {
    fn drop(&mut self) {
        lock(&PLACES).remove(&(self.pages.start() as u64));
    }
}

/// Memory of one allocation, recycled when dropped.
pub struct Block {
    slab: Arc<Slab>,
    offset: usize,
    bytes: usize,
    /// Whether it was exported to another process; its bytes are then never recycled.
    shared: AtomicBool,
}

/// Free blocks by size, least recently used first, and the slab for new blocks.
struct FreeBlocks {
    blocks: BTreeMap<usize, VecDeque<(Arc<Slab>, usize)>>,
    newest: Option<(Arc<Slab>, usize)>,
}

static FREE: Mutex<FreeBlocks> = Mutex::new(FreeBlocks { blocks: BTreeMap::new(), newest: None });

impl Block {
    /// A block with arbitrary contents; `None` if it is too large, or the system has no anonymous files.
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

    /// Address of the first byte.
    pub fn start(&self) -> *mut u8 {
        std::ptr::with_exposed_provenance_mut(self.slab.pages.start() + self.offset)
    }

    /// File descriptor and offset for another process. From now on the block is never recycled.
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

/// Bytes of a block including the gap after it.
fn room(bytes: usize) -> usize {
    (bytes + GRAIN).next_multiple_of(GRAIN)
}

impl FreeBlocks {
    /// Cuts a new block from a slab.
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
    fn blocks_have_gaps_between_them_and_are_reused_unless_shared() {
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
