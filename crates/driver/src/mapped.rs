//! Whether memory of the program is there, so that a bad pointer is a status and not the end of the process.

/// Whether every byte of a range is mapped in this process. Where the system does not tell, only null is refused.
pub fn is_mapped(address: u64, bytes: usize) -> bool {
    match usize::try_from(address) {
        Ok(start) if start > 0 && start.checked_add(bytes).is_some() => all_mapped(start, bytes),
        _ => false,
    }
}

/// Pages that are asked for at once.
#[cfg(target_os = "linux")]
const PAGES: usize = 1 << 12;

#[cfg(target_os = "linux")]
fn all_mapped(start: usize, bytes: usize) -> bool {
    // SAFETY: it only returns a number.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let mut resident = [0u8; PAGES];
    let end = start + bytes.max(1);
    (start / page * page..end).step_by(PAGES * page).all(|from| {
        let length = (end - from).min(PAGES * page);
        // SAFETY: the kernel reads no memory of the range, and writes a byte per page to what has room for them.
        let code = unsafe { libc::mincore(from as *mut _, length, resident.as_mut_ptr().cast()) };
        // Other errors than that a part is not mapped say nothing of the memory.
        code == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::ENOMEM)
    })
}

#[cfg(not(target_os = "linux"))]
fn all_mapped(_start: usize, _bytes: usize) -> bool {
    true
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_the_program_holds_is_mapped_and_what_nobody_holds_is_not() {
        let held = vec![1u8; 100_000];
        let address = held.as_ptr() as u64;
        assert!(is_mapped(address, held.len()) && is_mapped(address + 99_999, 1));
        for (nowhere, bytes) in
            [(0, 1), (8, 1), (u64::MAX, 1), (address, usize::MAX), (address, 1 << 46)]
        {
            assert!(!is_mapped(nowhere, bytes), "{nowhere:x} {bytes}");
        }
    }
}
