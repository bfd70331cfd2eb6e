//! Pages that processes share: files without a name, and ranges of addresses that map them.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

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
    pub fn of(descriptor: BorrowedFd<'_>) -> Option<SharedFile> {
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
