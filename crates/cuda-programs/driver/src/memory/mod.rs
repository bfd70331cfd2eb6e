//! Memory: allocations, copies, managed memory, pools, virtual memory, IPC, and checks that memory of the program is mapped, so
//! that a bad pointer gives an error status instead of a crash.

pub mod addresses;
pub mod allocations;
pub mod batches;
pub mod copies;
pub mod ipc;
pub mod managed;
pub mod pools;
pub mod shared_pages;
pub mod transfer;
pub mod unwritten;
pub mod virtual_memory;

/// Kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    Read,
    Write,
}

/// Whether this process may access every byte of a range. If the system cannot tell, only null is refused.
pub fn is_mapped(address: u64, bytes: usize, access: Access) -> bool {
    match usize::try_from(address) {
        Ok(start) if start > 0 && start.checked_add(bytes).is_some() => {
            system::all_mapped(start, bytes.max(1), access)
        }
        _ => false,
    }
}

/// The bytes up to (excluding) a zero byte; `None` if unmapped memory comes first.
///
/// # Safety
/// The bytes are neither freed nor written while the slice is used.
pub unsafe fn until_zero<'a>(address: u64) -> Option<&'a [u8]> {
    const STEP: u64 = 4096;
    let mut end = address;
    loop {
        let next = (end / STEP + 1).checked_mul(STEP)?;
        let bytes = usize::try_from(next - end).ok()?;
        if !is_mapped(end, bytes, Access::Read) {
            return None;
        }
        // SAFETY: `is_mapped` found the bytes readable.
        let part = unsafe { std::slice::from_raw_parts(end as *const u8, bytes) };
        if let Some(at) = part.iter().position(|&byte| byte == 0) {
            let length = usize::try_from(end - address).ok()? + at;
            // SAFETY: every page up to here was found readable above.
            return Some(unsafe { std::slice::from_raw_parts(address as *const u8, length) });
        }
        end = next;
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::Access;
    use std::io::Error;
    use std::sync::OnceLock;

    /// Number of pages queried per call.
    const PAGES: usize = 1 << 12;
    /// Maximum bytes to populate; a larger range might exceed the machine's memory.
    const BROUGHT: usize = 1 << 28;
    /// `madvise` requests of Linux 5.14 that populate pages like an access, and fail where the access would fail
    /// (`MADV_POPULATE_READ` and `_WRITE`).
    const POPULATE: [i32; 2] = [22, 23];

    fn page() -> usize {
        // SAFETY: `sysconf` only returns a number.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
    }

    fn code() -> i32 {
        Error::last_os_error().raw_os_error().unwrap_or(0)
    }

    /// Populates whole pages, or returns the error code.
    fn populate(start: usize, bytes: usize, access: Access) -> Result<(), i32> {
        let advice = POPULATE[usize::from(access == Access::Write)];
        // SAFETY: populating accessible pages does not change their contents.
        let ended = unsafe { libc::madvise(start as *mut _, bytes, advice) };
        if ended == 0 { Ok(()) } else { Err(code()) }
    }

    /// Whether the kernel supports populating.
    fn populates() -> bool {
        static KNOWN: OnceLock<bool> = OnceLock::new();
        *KNOWN.get_or_init(|| {
            let here = 0u8;
            let at = (&raw const here).addr() / page() * page();
            populate(at, page(), Access::Write).is_ok()
        })
    }

    pub fn all_mapped(start: usize, bytes: usize, access: Access) -> bool {
        let page = page();
        let (first, end) = (start / page * page, start + bytes);
        // Detect unmapped ranges before populating pages.
        if !is_there(first, end, page) {
            return false;
        }
        if !populates() {
            return true;
        }
        let Some(length) = (end - first).checked_next_multiple_of(page) else { return false };
        if length > BROUGHT {
            return is_listed(first, end, access);
        }
        match populate(first, length, access) {
            Ok(()) => true,
            // The access would fail, or it is device memory; the list of mappings decides.
            Err(libc::EINVAL) => is_listed(first, end, access),
            Err(code) => !matches!(code, libc::EFAULT | libc::ENOMEM),
        }
    }

    fn is_there(first: usize, end: usize, page: usize) -> bool {
        let mut resident = [0u8; PAGES];
        (first..end).step_by(PAGES * page).all(|from| {
            let length = (end - from).min(PAGES * page);
            // SAFETY: `mincore` does not access the range, and writes one byte per page to `resident`, which has room for `PAGES`.
            let ended =
                unsafe { libc::mincore(from as *mut _, length, resident.as_mut_ptr().cast()) };
            // Other errors do not mean that memory is unmapped.
            ended == 0 || code() != libc::ENOMEM
        })
    }

    /// Whether `/proc/self/maps` permits the access.
    fn is_listed(first: usize, end: usize, access: Access) -> bool {
        let Ok(list) = std::fs::read_to_string("/proc/self/maps") else { return true };
        let mut at = first;
        for line in list.lines() {
            let mut words = line.split(' ');
            let (Some(range), Some(rights)) = (words.next(), words.next()) else { continue };
            let ends = range.split_once('-').and_then(|(start, end)| {
                let number = |text| usize::from_str_radix(text, 16).ok();
                Some((number(start)?, number(end)?))
            });
            let Some((from, to)) = ends else { continue };
            let right = if access == Access::Write { b'w' } else { b'r' };
            if from <= at && at < to && rights.bytes().any(|letter| letter == right) {
                at = to;
            }
        }
        at >= end
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub fn all_mapped(_start: usize, _bytes: usize, _access: super::Access) -> bool {
        true
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    /// Maps new pages.
    fn map(pages: usize, access: i32) -> usize {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping at an address chosen by the kernel.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), 4096 * pages, access, flags, -1, 0) };
        assert_ne!(at, libc::MAP_FAILED);
        at as usize
    }

    #[test]
    fn memory_of_the_process_is_mapped_and_other_addresses_are_not() {
        let held = vec![1u8; 100_000];
        let address = held.as_ptr() as u64;
        for access in [Access::Read, Access::Write] {
            assert!(is_mapped(address, held.len(), access));
            assert!(is_mapped(address + 99_999, 1, access));
            for (nowhere, bytes) in
                [(0, 1), (8, 1), (u64::MAX, 1), (address, usize::MAX), (address, 1 << 46)]
            {
                assert!(!is_mapped(nowhere, bytes, access), "{nowhere:x} {bytes}");
            }
        }
    }

    #[test]
    fn checking_a_huge_mapping_does_not_page_it_in() {
        let (bytes, flags) =
            (1 << 40, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address chosen by the kernel.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, rights, flags, -1, 0) };
        assert_ne!(at, libc::MAP_FAILED);
        for access in [Access::Read, Access::Write] {
            assert!(is_mapped(at as u64 + 10, bytes - 10, access));
        }
        let mut resident = [1u8];
        // SAFETY: `mincore` writes one byte, for the one page.
        assert_eq!(unsafe { libc::mincore(at, 4096, resident.as_mut_ptr()) }, 0);
        assert_eq!(resident[0] & 1, 0);
        // SAFETY: the mapping is this test's own.
        assert_eq!(unsafe { libc::mprotect(at.byte_add(bytes / 2), 4096, libc::PROT_READ) }, 0);
        assert!(!is_mapped(at as u64, bytes, Access::Write));
        assert!(is_mapped(at as u64, bytes, Access::Read));
        // SAFETY: the mapping is this test's own.
        assert_eq!(unsafe { libc::munmap(at, bytes) }, 0);
    }

    #[test]
    fn access_rights_of_host_memory_are_detected() {
        static CONSTANT: [u8; 4] = *b"text";
        let constant = CONSTANT.as_ptr() as u64;
        assert!(is_mapped(constant, 4, Access::Read) && !is_mapped(constant, 4, Access::Write));
        // Two pages; the second one is protected.
        let both = map(2, libc::PROT_READ | libc::PROT_WRITE);
        // SAFETY: the page belongs to this mapping.
        assert_eq!(unsafe { libc::mprotect((both + 4096) as *mut _, 4096, libc::PROT_NONE) }, 0);
        for access in [Access::Read, Access::Write] {
            assert!(is_mapped(both as u64, 4096, access));
            assert!(!is_mapped(both as u64, 4097, access));
            assert!(!is_mapped(both as u64 + 4096, 1, access));
        }
        // A terminated text, and one that runs into the protected page.
        // SAFETY: the first page belongs to this test.
        unsafe {
            std::ptr::write_bytes(both as *mut u8, b'x', 4096);
            assert_eq!(until_zero(both as u64 + 10), None);
            *((both + 4095) as *mut u8) = 0;
            assert_eq!(until_zero(both as u64 + 10).map(<[u8]>::len), Some(4085));
            assert_eq!(until_zero(8), None);
        }
    }
}
