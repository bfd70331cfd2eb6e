//! Large pages for large blocks of the host program. Most time of the first access to a page is spent in the system; a
//! large page needs one such entry for 2 MiB instead of 512.

/// Blocks from this size on use large pages.
pub(super) const LEAST: u64 = 16 << 20;

/// Advises the system to use large pages for a range of memory; it is free not to.
#[cfg(all(feature = "native", target_os = "linux", target_arch = "x86_64", not(miri)))]
pub(super) fn prefer(start: u64, bytes: u64) {
    const PAGE: u64 = 2 << 20;
    let (first, end) = (start.next_multiple_of(PAGE), (start + bytes) / PAGE * PAGE);
    if first < end {
        let at = std::ptr::with_exposed_provenance_mut(first as usize);
        // SAFETY: the advice changes no contents, whatever the addresses hold.
        unsafe { libc::madvise(at, (end - first) as usize, libc::MADV_HUGEPAGE) };
    }
}

/// Without the system's interface, its default stays.
#[cfg(not(all(feature = "native", target_os = "linux", target_arch = "x86_64", not(miri))))]
pub(super) fn prefer(_start: u64, _bytes: u64) {}
