//! Pages of managed memory that the host has written, from the kernel's table of this process's pages.
//!
//! Since Linux 6.7, the call `PAGEMAP_SCAN` lists the ranges that have pages other than the shared page of zeros, which a
//! read maps. It skips parts without pages, so it is fast also for large memory. Older kernels show only which pages have
//! been touched, so there reads count as writes, and one entry per page is read.

use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Size of a page that findings about the host's accesses assume.
const PAGE: usize = 4096;

/// The kernel's table of this process's pages (Linux, `Documentation/admin-guide/mm/pagemap.rst`).
const PAGE_TABLE: &str = "/proc/self/pagemap";

/// Whether the system shows which pages have been touched.
pub fn shows_touched_pages() -> bool {
    static SHOWS: OnceLock<bool> = OnceLock::new();
    *SHOWS.get_or_init(|| {
        let here = [1u8; 1];
        let page = std::hint::black_box(&here).as_ptr() as usize / PAGE * PAGE;
        // SAFETY: a query without pointers.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        size == PAGE as i64 && !written_parts(page..page + PAGE).is_empty()
    })
}

/// Makes private pages zero and untouched, as if newly mapped; returns whether it can.
///
/// # Safety
/// The pages belong to the caller, who needs their contents no more.
pub unsafe fn untouch(start: usize, bytes: usize) -> bool {
    // SAFETY: the pages are the caller's (contract of this function).
    unsafe { libc::madvise(start as *mut _, bytes, libc::MADV_DONTNEED) == 0 }
}

/// Managed memory whose pages the host may write.
struct Followed {
    start: u64,
    bytes: u64,
    /// For each page, whether it is known to be written.
    written: Vec<bool>,
    /// The number of other pages in each part of [`PART`] pages.
    left: Vec<usize>,
}

static FOLLOWED: Mutex<Vec<Followed>> = Mutex::new(Vec::new());

fn followed() -> MutexGuard<'static, Vec<Followed>> {
    FOLLOWED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Pages of a part. A part whose pages are all written is not looked at again.
const PART: usize = 8192;

/// Follows which pages of new memory the host writes.
pub fn follow_touched_pages(start: u64, bytes: u64) {
    let written = vec![false; (bytes as usize).div_ceil(PAGE)];
    let left = written.chunks(PART).map(<[bool]>::len).collect();
    let mut followed = followed();
    followed.retain(|old| old.start != start);
    followed.push(Followed { start, bytes, written, left });
}

/// Calls `written` with the parts of followed memory that have been written since the last call. Memory for which
/// `is_live` is false is not followed any more.
///
/// *Limit.* Only whole pages are known.
pub fn touched_parts(is_live: impl Fn(u64, u64) -> bool, mut written: impl FnMut(u64, u64)) {
    followed().retain_mut(|memory| {
        if !is_live(memory.start, memory.bytes) {
            return false;
        }
        for range in memory.open_parts() {
            for found in written_parts(range) {
                memory.mark(found, &mut written);
            }
        }
        memory.left.iter().any(|left| *left > 0)
    });
}

impl Followed {
    /// The addresses of the parts with pages that are not known to be written; neighbors are joined.
    fn open_parts(&self) -> Vec<Range<usize>> {
        let end = self.start as usize + self.written.len() * PAGE;
        let mut open: Vec<Range<usize>> = Vec::new();
        for (part, _) in self.left.iter().enumerate().filter(|(_, left)| **left > 0) {
            let first = self.start as usize + part * PART * PAGE;
            let last = (first + PART * PAGE).min(end);
            match open.last_mut().filter(|before| before.end == first) {
                Some(before) => before.end = last,
                None => open.push(first..last),
            }
        }
        open
    }

    /// Marks pages as written; calls `new` with the runs of those that were not.
    fn mark(&mut self, found: Range<usize>, new: &mut impl FnMut(u64, u64)) {
        let (start, end) = (self.start as usize, self.start + self.bytes);
        let mut tell = |run: Range<usize>| {
            let from = self.start + (run.start * PAGE) as u64;
            if !run.is_empty() {
                new(from, ((run.len() * PAGE) as u64).min(end - from));
            }
        };
        let mut run = 0..0;
        let last = (found.end - start).div_ceil(PAGE).min(self.written.len());
        for page in (found.start - start) / PAGE..last {
            if std::mem::replace(&mut self.written[page], true) {
                continue;
            }
            self.left[page / PART] -= 1;
            if page == run.end {
                run.end += 1;
            } else {
                tell(std::mem::replace(&mut run, page..page + 1));
            }
        }
        tell(run);
    }
}

/// The parts of a range of pages that something has written since they were mapped. Where the system does not tell reads
/// from writes, both count.
fn written_parts(range: Range<usize>) -> Vec<Range<usize>> {
    let Ok(table) = File::open(PAGE_TABLE) else { return Vec::new() };
    scan(&table, range.clone()).unwrap_or_else(|| touched_pages(&table, range).unwrap_or_default())
}

/// The argument of `PAGEMAP_SCAN` (`struct pm_scan_arg`).
#[repr(C)]
#[derive(Default)]
struct ScanArgument {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vec: u64,
    vec_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// A range of pages that it found (`struct page_region`).
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct PageRegion {
    start: u64,
    end: u64,
    categories: u64,
}

/// The written parts by `PAGEMAP_SCAN`; `None` if the system lacks it.
fn scan(table: &File, range: Range<usize>) -> Option<Vec<Range<usize>>> {
    /// `_IOWR('f', 16, struct pm_scan_arg)`.
    const PAGEMAP_SCAN: u64 = 0xc060_6610;
    const PRESENT: u64 = 1 << 3;
    const SWAPPED: u64 = 1 << 4;
    const ZERO_PAGE: u64 = 1 << 5;
    let mut found = Vec::new();
    let mut regions = [PageRegion::default(); 256];
    let (mut at, end) = (range.start as u64, range.end as u64);
    while at < end {
        let mut argument = ScanArgument {
            size: size_of::<ScanArgument>() as u64,
            start: at,
            end,
            vec: regions.as_mut_ptr() as u64,
            vec_len: regions.len() as u64,
            category_inverted: ZERO_PAGE,
            category_mask: ZERO_PAGE,
            category_anyof_mask: PRESENT | SWAPPED,
            return_mask: PRESENT,
            ..ScanArgument::default()
        };
        let number = table.as_raw_fd();
        // SAFETY: the argument has the kernel's layout, and its list has as many elements as it says.
        let count = unsafe { libc::ioctl(number, PAGEMAP_SCAN as _, &raw mut argument) };
        let of = regions.get(..usize::try_from(count).ok()?)?;
        found.extend(of.iter().map(|one| one.start as usize..one.end as usize));
        // A full list ends the walk early.
        at = argument.walk_end.max(at + PAGE as u64);
    }
    Some(found)
}

/// The pages of a range that anything has read or written since they were mapped; `None` if that is unknown.
fn touched_pages(table: &File, range: Range<usize>) -> Option<Vec<Range<usize>>> {
    use std::os::unix::fs::FileExt;
    // Present, or swapped out.
    const TOUCHED: u64 = 0b11 << 62;
    let mut found = Vec::new();
    for start in range.clone().step_by(PART * PAGE) {
        let count = ((range.end - start) / PAGE).min(PART);
        let mut entries = vec![0u8; count * 8];
        table.read_exact_at(&mut entries, (start / PAGE * 8) as u64).ok()?;
        for (page, entry) in entries.chunks_exact(8).enumerate() {
            if u64::from_le_bytes(std::array::from_fn(|i| entry[i])) & TOUCHED != 0 {
                found.push(start + page * PAGE..start + (page + 1) * PAGE);
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::alloc::{Layout, alloc, dealloc};

    #[test]
    fn written_pages_are_found_once_and_pages_that_were_only_read_are_not() {
        if !shows_touched_pages() {
            return;
        }
        let layout = Layout::from_size_align(64 * PAGE, PAGE).expect("a layout");
        // SAFETY: the size is not zero.
        let memory = unsafe { alloc(layout) };
        let start = memory.expose_provenance();
        // SAFETY: the pages are this test's own.
        assert!(unsafe { untouch(start, 64 * PAGE) });
        let at = |page: usize| memory.wrapping_add(page * PAGE);
        follow_touched_pages(start as u64, (64 * PAGE) as u64 - 100);
        let look = || {
            let mut found = Vec::new();
            touched_parts(
                |_, _| true,
                |from, bytes| {
                    if (start..start + 64 * PAGE).contains(&(from as usize)) {
                        found.push(((from as usize - start) / PAGE, bytes));
                    }
                },
            );
            found
        };
        assert_eq!(look(), []);
        // SAFETY: the pages are this test's own.
        let read = unsafe { at(5).read_volatile() };
        // SAFETY: as above.
        unsafe { at(7).write_volatile(1) };
        // SAFETY: as above.
        unsafe { at(63).write_volatile(read) };
        let page = PAGE as u64;
        let scans =
            File::open(PAGE_TABLE).is_ok_and(|table| scan(&table, start..start + PAGE).is_some());
        let read = [(5, page)].into_iter().filter(|_| !scans);
        let expected: Vec<(usize, u64)> = read.chain([(7, page), (63, page - 100)]).collect();
        assert_eq!(look(), expected);
        assert_eq!(look(), []);
        // SAFETY: the layout is that of the allocation.
        unsafe { dealloc(memory, layout) };
    }
}
