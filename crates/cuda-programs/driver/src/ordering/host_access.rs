//! Host accesses to page-locked and managed memory of copies and kernels that the host has not waited for.
//!
//! *Algorithm.* Page protection, as in distributed shared memory (Li and Hudak 1989). Between the program's calls, the
//! pages of such an operation are protected: against writes if it reads them, against all accesses if it writes them.
//! The signal handler of [`crate::ordering::guarded_pages`] records the first access with its stack, and makes the pages
//! accessible again, so the program continues. Calls into the driver lift the protection.
//!
//! While a host function of a stream runs ([`during_function`]), the pages of the operations that do not come before it are
//! protected in the same way, until a thread enters a call.
//!
//! *Limits.* Only whole pages are protected. In a registered range these are the pages inside the used bytes; other memory
//! has its own pages, so there all used pages are protected. An access to other bytes of these pages is no finding. On
//! x86-64 Linux such accesses are let through one by one; after 20,000 of them between two calls, and elsewhere after the
//! first, the operation is not watched any more. If an operation uses bytes with gaps, such as rows, the first access to
//! a gap ends the watch. If a kernel changes host memory by atomics of system scope or `volatile` writes, which the host
//! may poll, only the memory of writes that it did not release to the host is protected. Nothing is protected while work
//! is queued behind a wait for a value, or while another thread is in a call. A system call on protected pages fails with
//! `EFAULT`.

use crate::interface::call_sites::{CallSite, HostCall};
use crate::ordering::guarded_pages::{GUARDS, MOST, allow, install};
use crate::ordering::strands::Point;
use crate::state::{driver, lock};
use lanework::emulator::sanitize::footprint::ByteSet;
use lanework::tool;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock};

/// Size of a page.
const PAGE: usize = 4096;

/// A copy or kernel that the host has not waited for.
pub struct WatchedOperation {
    /// The host memory that it uses.
    pub bytes: ByteSet,
    /// The pages to protect.
    pub pages: Range<usize>,
    /// Whether it writes the bytes.
    pub writes: bool,
    /// `copy` or `kernel`.
    pub kind: &'static str,
    /// The operation, its call and its stream, as findings name them.
    pub operation: String,
    pub call: String,
    pub stream: String,
    /// Where the program issued it.
    pub site: CallSite,
    /// If the kernel signals the host before it has ended, without a fence: the lines of an earlier write and of the
    /// signaling write.
    pub unfenced: Option<[String; 2]>,
    /// Its position among the operations.
    pub point: Arc<Point>,
    /// Whether the host has waited for it.
    pub has_ended: Box<dyn Fn() -> bool + Send>,
}

/// A host access that the signal handler recorded.
pub struct HostAccess {
    /// The operation.
    pub copy: WatchedOperation,
    /// Its address.
    pub address: u64,
    /// Whether it writes; `None` if the machine cannot tell.
    pub wrote: Option<bool>,
    /// The stack, from the handler on.
    pub stack: String,
    /// The active calls of interpreted host code; empty for compiled code.
    pub calls: Vec<HostCall>,
    /// The stream of the host function that makes the access, if one does.
    pub function_of: Option<String>,
}

/// The watched copies with their guards, and the number of threads in calls.
struct Watched {
    copies: [Option<WatchedOperation>; MOST],
    inside: usize,
    /// The stream of the host function that runs, while pages are protected against it.
    function_of: Option<String>,
}

static WATCHED: Mutex<Watched> =
    Mutex::new(Watched { copies: [const { None }; MOST], inside: 0, function_of: None });

/// Whether any copy is watched.
static ANY: AtomicBool = AtomicBool::new(false);

/// Whether memory of any operation is watched.
pub fn guards_any() -> bool {
    ANY.load(Ordering::Acquire)
}

/// Functions of the modules that use this one.
pub struct HostAccessHooks {
    /// Reports an access.
    pub report: fn(&HostAccess),
    /// Whether driver threads work between the program's calls.
    pub works_on: fn() -> bool,
}

/// The hooks, which are set when the driver starts.
pub static HOST_ACCESS: OnceLock<HostAccessHooks> = OnceLock::new();

/// The pages that contain only these bytes of an allocation. `own` tells whether the allocation has its own pages.
pub fn whole_pages(bytes: &Range<u64>, allocation: &Range<u64>, own: bool) -> Range<usize> {
    let (start, end) = (bytes.start as usize, bytes.end as usize);
    let first = match own && bytes.start == allocation.start {
        true => start - start % PAGE,
        false => start.next_multiple_of(PAGE),
    };
    let last = match own && bytes.end == allocation.end {
        true => end.next_multiple_of(PAGE),
        false => end - end % PAGE,
    };
    first..last.max(first)
}

/// Watches an operation until the host has waited for it. It replaces an earlier one of the same stream and pages, which ends
/// before it.
pub fn watch(copy: WatchedOperation) {
    static FLUSH: Once = Once::new();
    if copy.pages.is_empty() || HOST_ACCESS.get().is_none() {
        return;
    }
    let mut watched = lock(&WATCHED);
    let same = |old: &Option<WatchedOperation>| {
        old.as_ref().is_some_and(|old| {
            (old.writes, &old.stream, &old.bytes) == (copy.writes, &copy.stream, &copy.bytes)
        })
    };
    let place = watched.copies.iter().position(same);
    let free = || watched.copies.iter().position(Option::is_none);
    let Some(free) = place.or_else(free) else { return };
    watched.copies[free] = Some(copy);
    ANY.store(true, Ordering::Release);
    FLUSH.call_once(|| {
        // SAFETY: `flush` is a function of this library, which a process does not unload, and it does not unwind.
        unsafe { libc::atexit(flush) };
    });
}

/// Stops watching copies that use memory which is being freed.
pub fn forget(bytes: Range<u64>) {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    for copy in &mut lock(&WATCHED).copies {
        copy.take_if(|copy| {
            copy.bytes.ends().is_some_and(|(start, end)| start < bytes.end && bytes.start < end)
        });
    }
}

/// Called when a thread enters a call.
pub fn enter() {
    let mut watched = lock(&WATCHED);
    watched.inside += 1;
    if (watched.inside == 1 || watched.function_of.is_some()) && ANY.load(Ordering::Acquire) {
        watched.lift();
        let found = watched.take_accesses();
        drop(watched);
        found.iter().for_each(report);
    }
}

/// Called when a thread leaves a call.
pub fn leave() {
    let mut watched = lock(&WATCHED);
    watched.inside -= 1;
    if watched.inside == 0 && ANY.load(Ordering::Acquire) {
        watched.forget_ended();
        if !HOST_ACCESS.get().is_some_and(|hooks| (hooks.works_on)()) {
            watched.protect(|_| true);
        }
    }
}

/// Runs a host function of a stream. Reports its accesses to memory of operations that do not come before it.
pub fn during_function<R>(
    stream: &str,
    comes_before: impl Fn(&Point) -> bool,
    run: impl FnOnce() -> R,
) -> R {
    let mut watched = lock(&WATCHED);
    let works_on = || HOST_ACCESS.get().is_some_and(|hooks| (hooks.works_on)());
    if !ANY.load(Ordering::Acquire) || watched.inside != 1 || works_on() {
        drop(watched);
        return run();
    }
    watched.forget_ended();
    watched.protect(|copy| !comes_before(&copy.point));
    watched.function_of = Some(stream.to_owned());
    drop(watched);
    let result = run();
    let mut watched = lock(&WATCHED);
    watched.lift();
    let found = watched.take_accesses();
    drop(watched);
    found.iter().for_each(report);
    result
}

/// Reports the last accesses when the process ends.
extern "C" fn flush() {
    // A panic must not unwind out of a function that C calls.
    let _ = std::panic::catch_unwind(|| {
        let mut watched = lock(&WATCHED);
        watched.lift();
        let found = watched.take_accesses();
        watched.copies.iter_mut().for_each(|copy| *copy = None);
        ANY.store(false, Ordering::Release);
        drop(watched);
        found.iter().for_each(report);
    });
}

fn report(access: &HostAccess) {
    if let Some(hooks) = HOST_ACCESS.get() {
        (hooks.report)(access);
    }
}

impl Watched {
    /// Makes all watched pages accessible.
    fn lift(&mut self) {
        for (guard, copy) in GUARDS.iter().zip(&self.copies) {
            guard.stop();
            if let Some(copy) = copy {
                allow(&copy.pages, libc::PROT_READ | libc::PROT_WRITE);
            }
        }
    }

    /// Removes and returns the copies whose memory the host has accessed.
    fn take_accesses(&mut self) -> Vec<HostAccess> {
        let (mut found, function_of) = (Vec::new(), self.function_of.take());
        for (guard, copy) in GUARDS.iter().zip(&mut self.copies) {
            let Some(noted) = guard.take() else { continue };
            let Some(copy) = copy.take() else { continue };
            let (address, wrote) = (noted.address as u64, noted.wrote);
            if copy.bytes.intersection(&ByteSet::range(address, address + 1)).is_empty() {
                continue;
            }
            let (stack, calls) = (noted.stack.to_string(), noted.calls);
            let function_of = function_of.clone();
            found.push(HostAccess { copy, address, wrote, stack, calls, function_of });
        }
        found
    }

    /// Forgets copies that the host has waited for.
    fn forget_ended(&mut self) {
        for copy in &mut self.copies {
            copy.take_if(|copy| (copy.has_ended)());
        }
        ANY.store(self.copies.iter().any(Option::is_some), Ordering::Release);
    }

    /// Protects the pages of the watched copies for which `wanted` is true.
    fn protect(&mut self, wanted: impl Fn(&WatchedOperation) -> bool) {
        if !self.copies.iter().flatten().any(&wanted) {
            return;
        }
        install();
        // Several copies may use one page, so protect for copies that write last: theirs is the stricter protection.
        for writes in [false, true] {
            let access = if writes { libc::PROT_NONE } else { libc::PROT_READ };
            for (guard, copy) in GUARDS.iter().zip(&self.copies) {
                if let Some(copy) = copy
                    && copy.writes == writes
                    && wanted(copy)
                {
                    let (start, end) = copy.bytes.ends().unwrap_or_default();
                    guard.start(&copy.pages, start as usize..end as usize, access);
                }
            }
        }
    }
}

/// The allocation that contains an address: name, start and size.
pub fn allocation(address: u64) -> Option<(String, u64, u64)> {
    tool::allocation(&driver().ok()?.device, address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_other_bytes_are_not_protected() {
        let allocation = 8192..8192 + 10_000;
        assert_eq!(whole_pages(&allocation, &allocation, true), 8192..20480);
        assert_eq!(whole_pages(&allocation, &allocation, false), 8192..16384);
        assert_eq!(whole_pages(&(8192..8200), &allocation, true), 8192..8192);
        assert_eq!(whole_pages(&(8200..18_192), &allocation, true), 12288..20480);
        assert_eq!(whole_pages(&(8192..8196), &(8192..8196), true), 8192..12288);
    }
}
