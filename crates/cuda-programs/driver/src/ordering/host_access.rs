//! Host accesses to page-locked and managed memory of copies and kernels that the host has not waited for.
//!
//! *Algorithm.* Page protection, as in distributed shared memory (Li and Hudak 1989). Between the program's calls, the
//! pages of such an operation are protected: against writes if it reads them, against all accesses if it writes them.
//! The signal handler records the first access with its stack, and makes the pages accessible again, so the program
//! continues. Calls into the driver lift the protection.
//!
//! *Limits.* Only whole pages are protected. In a registered range these are the pages inside the copied bytes; memory
//! from `cudaMallocHost` has its own pages, so a page that the copy fills up to the end of the allocation is
//! protected, too. Of the other bytes of a page only the first access is seen, which is not a finding. Copies of several rows are
//! not protected, nor are kernels that change memory of the host by atomics or `volatile` writes: the host may poll it. Nothing is protected while work is queued behind a wait
//! for a value, or while another thread is in a call. A system call on protected pages fails with `EFAULT`.

use crate::state::{driver, lock};
use lanework::emulator::sanitize::footprint::ByteSet;
use lanework::tool;
use std::backtrace::Backtrace;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, OnceLock};

/// Size of a page.
const PAGE: usize = 4096;
/// Maximum number of operations watched; further ones are not.
const MOST: usize = 64;

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
}

/// A watched copy in the form that the signal handler reads.
struct Guard {
    start: AtomicUsize,
    end: AtomicUsize,
    noted: AtomicPtr<NotedAccess>,
}

/// An access in the form that the signal handler records.
struct NotedAccess {
    address: usize,
    wrote: Option<bool>,
    stack: Backtrace,
}

impl Guard {
    const fn free() -> Guard {
        Guard {
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            noted: AtomicPtr::new(null_mut()),
        }
    }
}

static GUARDS: [Guard; MOST] = [const { Guard::free() }; MOST];

/// The watched copies with their guards, and the number of threads in calls.
struct Watched {
    copies: [Option<WatchedOperation>; MOST],
    inside: usize,
}

static WATCHED: Mutex<Watched> = Mutex::new(Watched { copies: [const { None }; MOST], inside: 0 });

/// Whether any copy is watched.
static ANY: AtomicBool = AtomicBool::new(false);

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
    if watched.inside == 1 && ANY.load(Ordering::Acquire) {
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
            watched.protect();
        }
    }
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
            guard.end.store(0, Ordering::Release);
            if let Some(copy) = copy {
                allow(&copy.pages, libc::PROT_READ | libc::PROT_WRITE);
            }
        }
    }

    /// Removes and returns the copies whose memory the host has accessed.
    fn take_accesses(&mut self) -> Vec<HostAccess> {
        let mut found = Vec::new();
        for (guard, copy) in GUARDS.iter().zip(&mut self.copies) {
            let noted = guard.noted.swap(null_mut(), Ordering::AcqRel);
            if noted.is_null() {
                continue;
            }
            // SAFETY: the handler made the box, and its pointer is taken once.
            let noted = unsafe { Box::from_raw(noted) };
            let Some(copy) = copy.take() else { continue };
            let (address, wrote) = (noted.address as u64, noted.wrote);
            if copy.bytes.intersection(&ByteSet::range(address, address + 1)).is_empty() {
                continue;
            }
            found.push(HostAccess { copy, address, wrote, stack: noted.stack.to_string() });
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

    /// Protects the pages of all watched copies.
    fn protect(&mut self) {
        if self.copies.iter().all(Option::is_none) {
            return;
        }
        install();
        // Several copies may use one page, so protect for copies that write last: theirs is the stricter protection.
        for writes in [false, true] {
            let access = if writes { libc::PROT_NONE } else { libc::PROT_READ };
            for (guard, copy) in GUARDS.iter().zip(&self.copies) {
                if let Some(copy) = copy
                    && copy.writes == writes
                {
                    guard.start.store(copy.pages.start, Ordering::Release);
                    guard.end.store(copy.pages.end, Ordering::Release);
                    allow(&copy.pages, access);
                }
            }
        }
    }
}

/// Sets the accesses that pages allow.
fn allow(pages: &Range<usize>, access: c_int) {
    // SAFETY: the pages are inside memory that the program allocated or registered, which stays mapped until `forget`.
    // Any access that this removes is restored by the signal handler.
    unsafe { libc::mprotect(pages.start as *mut c_void, pages.len(), access) };
}

/// The signal handler that was installed before this one.
static BEFORE: AtomicPtr<libc::sigaction> = AtomicPtr::new(null_mut());

/// Installs the signal handler, unless it is already installed.
fn install() {
    let own = on_fault as *const () as usize;
    // SAFETY: both structures are valid for the calls, and `on_fault` has the signature of `SA_SIGINFO`.
    unsafe {
        let mut now: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGSEGV, null(), &mut now) != 0 || now.sa_sigaction == own {
            return;
        }
        // The list is never freed, because a handler may be reading it.
        BEFORE.store(Box::into_raw(Box::new(now)), Ordering::Release);
        let mut new: libc::sigaction = std::mem::zeroed();
        new.sa_sigaction = own;
        // Runs on the thread's own stack: a signal stack is too small for a stack trace.
        new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigaction(libc::SIGSEGV, &new, null_mut());
    }
}

/// Records an access to protected pages, and makes them accessible.
extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes valid structures with `SA_SIGINFO`.
    let address = unsafe { (*info).si_addr() } as usize;
    for guard in &GUARDS {
        let (start, end) = (guard.start.load(Ordering::Acquire), guard.end.load(Ordering::Acquire));
        if !(start..end).contains(&address) {
            continue;
        }
        allow(&(start..end), libc::PROT_READ | libc::PROT_WRITE);
        // This allocates memory. That is safe: the access interrupts code of the program, not the allocator, whose
        // data is on no protected page.
        let wrote = wrote(context);
        let noted = Box::new(NotedAccess { address, wrote, stack: Backtrace::force_capture() });
        let noted = Box::into_raw(noted);
        let set = Ordering::AcqRel;
        if guard.noted.compare_exchange(null_mut(), noted, set, Ordering::Acquire).is_err() {
            // SAFETY: the box was made above and is not shared.
            drop(unsafe { Box::from_raw(noted) });
        }
        return;
    }
    forward(signal, info, context);
}

/// Whether the interrupted instruction writes, if the machine can tell.
fn wrote(context: *mut c_void) -> Option<bool> {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    {
        // SAFETY: the kernel passes a valid context with `SA_SIGINFO`.
        let context = unsafe { &*context.cast::<libc::ucontext_t>() };
        Some(context.uc_mcontext.gregs[libc::REG_ERR as usize] & 2 != 0)
    }
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    {
        let _ = context;
        None
    }
}

/// Forwards a fault of other memory to the previous handler.
fn forward(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    static FORWARDED: AtomicUsize = AtomicUsize::new(0);
    let before = BEFORE.load(Ordering::Acquire);
    // SAFETY: `install` stored a box that is never freed, with the process's previous action.
    unsafe {
        // If that handler forwarded the fault back to this one, neither would end.
        let again = FORWARDED.fetch_add(1, Ordering::AcqRel) > MOST;
        match before.as_ref() {
            Some(before) if !again && before.sa_sigaction > libc::SIG_IGN => {
                if before.sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                        std::mem::transmute(before.sa_sigaction);
                    handler(signal, info, context);
                } else {
                    let handler: extern "C" fn(c_int) = std::mem::transmute(before.sa_sigaction);
                    handler(signal);
                }
                FORWARDED.fetch_sub(1, Ordering::AcqRel);
            }
            _ => {
                // The instruction faults again, which ends the process.
                let mut default: libc::sigaction = std::mem::zeroed();
                default.sa_sigaction = libc::SIG_DFL;
                libc::sigaction(signal, &default, null_mut());
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
