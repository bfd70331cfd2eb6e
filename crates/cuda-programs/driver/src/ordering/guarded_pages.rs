//! Guarded pages: a signal handler records the first access to protected pages.
//!
//! Accesses to other bytes of a page, such as a flag next to the data, are let through one instruction at a time: the
//! handler makes the page accessible and sets the processor's trap flag, and the trap after the instruction protects
//! the page again (x86-64; elsewhere the page stays accessible).

use crate::interface::call_sites::{HostCall, host_calls};
use std::backtrace::Backtrace;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};

/// Maximum number of guards.
pub const MOST: usize = 64;
/// Maximum number of single steps per guard; then its pages stay accessible.
const MOST_STEPS: usize = 20_000;

/// Watched pages in the form that the signal handlers read.
pub struct Guard {
    start: AtomicUsize,
    end: AtomicUsize,
    /// The watched bytes in the pages.
    bytes: [AtomicUsize; 2],
    /// The accesses that the protected pages allow.
    access: AtomicI32,
    /// Whether an access to other bytes has made the pages accessible for one instruction.
    open: AtomicBool,
    steps: AtomicUsize,
    noted: AtomicPtr<NotedAccess>,
}

/// An access in the form that the signal handler records.
pub struct NotedAccess {
    /// The address.
    pub address: usize,
    /// Whether it writes; `None` if the machine cannot tell.
    pub wrote: Option<bool>,
    /// The stack, from the handler on.
    pub stack: Backtrace,
    /// The active calls of interpreted host code; empty for compiled code.
    pub calls: Vec<HostCall>,
}

impl Guard {
    const fn free() -> Guard {
        Guard {
            start: AtomicUsize::new(0),
            end: AtomicUsize::new(0),
            bytes: [const { AtomicUsize::new(0) }; 2],
            access: AtomicI32::new(0),
            open: AtomicBool::new(false),
            steps: AtomicUsize::new(0),
            noted: AtomicPtr::new(null_mut()),
        }
    }

    /// Protects pages; accesses to `bytes` are recorded.
    pub fn start(&self, pages: &Range<usize>, bytes: Range<usize>, access: c_int) {
        self.bytes[0].store(bytes.start, Ordering::Release);
        self.bytes[1].store(bytes.end, Ordering::Release);
        self.access.store(access, Ordering::Release);
        self.steps.store(0, Ordering::Release);
        self.start.store(pages.start, Ordering::Release);
        self.end.store(pages.end, Ordering::Release);
        allow(pages, access);
    }

    /// Ignores accesses from now on.
    pub fn stop(&self) {
        self.end.store(0, Ordering::Release);
        self.open.store(false, Ordering::Release);
    }

    /// Takes the recorded access.
    pub fn take(&self) -> Option<Box<NotedAccess>> {
        let noted = self.noted.swap(null_mut(), Ordering::AcqRel);
        // SAFETY: the handler made the box, and its pointer is taken once.
        (!noted.is_null()).then(|| unsafe { Box::from_raw(noted) })
    }

    fn pages(&self) -> Range<usize> {
        self.start.load(Ordering::Acquire)..self.end.load(Ordering::Acquire)
    }

    /// Whether another access to bytes that are not watched may run as a single step.
    fn may_step(&self) -> bool {
        self.steps.fetch_add(1, Ordering::AcqRel) < MOST_STEPS
    }

    /// Whether the protection prevents an access. If `wrote` is unknown, only a guard against all accesses does for certain.
    fn forbids(&self, wrote: Option<bool>) -> bool {
        wrote == Some(true) || self.access.load(Ordering::Acquire) == libc::PROT_NONE
    }

    fn watches(&self, address: usize) -> bool {
        let [start, end] = [0, 1].map(|i| self.bytes[i].load(Ordering::Acquire));
        (start..end).contains(&address)
    }
}

/// The guards.
pub static GUARDS: [Guard; MOST] = [const { Guard::free() }; MOST];

/// Whether an access to this address would be the first one to the bytes of a guard.
pub fn is_guarded(address: u64) -> bool {
    let address = address as usize;
    GUARDS.iter().any(|guard| {
        guard.pages().contains(&address)
            && guard.watches(address)
            && guard.noted.load(Ordering::Acquire).is_null()
    })
}

/// Instructions that run with the trap flag.
static STEPPING: AtomicUsize = AtomicUsize::new(0);

/// Sets the accesses that pages allow.
pub fn allow(pages: &Range<usize>, access: c_int) {
    // SAFETY: the pages are inside memory that the program allocated or registered, which stays mapped until `forget`.
    // Any access that this removes is restored by the signal handler.
    unsafe { libc::mprotect(pages.start as *mut c_void, pages.len(), access) };
}

/// A signal that this module handles.
struct Handled {
    signal: c_int,
    handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void),
    /// The action that was installed before.
    before: AtomicPtr<libc::sigaction>,
}

static FAULT: Handled =
    Handled { signal: libc::SIGSEGV, handler: on_fault, before: AtomicPtr::new(null_mut()) };

static TRAP: Handled =
    Handled { signal: libc::SIGTRAP, handler: on_trap, before: AtomicPtr::new(null_mut()) };

/// Installs the signal handlers, unless they are already installed.
pub fn install() {
    FAULT.install();
    TRAP.install();
}

impl Handled {
    fn install(&self) {
        let own = self.handler as *const () as usize;
        // SAFETY: both structures are valid for the calls, and the handler has the signature of `SA_SIGINFO`.
        unsafe {
            let mut now: libc::sigaction = std::mem::zeroed();
            if libc::sigaction(self.signal, null(), &mut now) != 0 || now.sa_sigaction == own {
                return;
            }
            // The structure is never freed, because a handler may be reading it.
            self.before.store(Box::into_raw(Box::new(now)), Ordering::Release);
            let mut new: libc::sigaction = std::mem::zeroed();
            new.sa_sigaction = own;
            // Runs on the thread's own stack: a signal stack is too small for a stack trace.
            new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(self.signal, &new, null_mut());
        }
    }

    /// Forwards a signal of another cause to the previous handler.
    fn forward(&self, info: *mut libc::siginfo_t, context: *mut c_void) {
        static FORWARDED: AtomicUsize = AtomicUsize::new(0);
        let (signal, before) = (self.signal, self.before.load(Ordering::Acquire));
        // SAFETY: `install` stored a box that is never freed, with the process's previous action.
        unsafe {
            // If that handler forwarded the signal back to this one, neither would end.
            let again = FORWARDED.fetch_add(1, Ordering::AcqRel) > MOST;
            match before.as_ref() {
                Some(before) if !again && before.sa_sigaction > libc::SIG_IGN => {
                    if before.sa_flags & libc::SA_SIGINFO != 0 {
                        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                            std::mem::transmute(before.sa_sigaction);
                        handler(signal, info, context);
                    } else {
                        let handler: extern "C" fn(c_int) =
                            std::mem::transmute(before.sa_sigaction);
                        handler(signal);
                    }
                    FORWARDED.fetch_sub(1, Ordering::AcqRel);
                }
                _ => {
                    // A faulting instruction faults again, which ends the process. A trap has passed: raise it again.
                    let mut default: libc::sigaction = std::mem::zeroed();
                    default.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &default, null_mut());
                    if signal == libc::SIGTRAP {
                        libc::raise(signal);
                    }
                }
            }
        }
    }
}

/// Records an access to watched bytes, and makes their pages accessible. Lets an access to other bytes through.
extern "C" fn on_fault(_: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes valid structures with `SA_SIGINFO`.
    let address = unsafe { (*info).si_addr() } as usize;
    let here = || GUARDS.iter().filter(|guard| guard.pages().contains(&address));
    let Some(first) = here().next() else { return FAULT.forward(info, context) };
    // Several operations may use one page: a host read is no conflict with one that only reads.
    let wrote = wrote(context);
    let violated = match wrote {
        Some(_) => here().find(|guard| guard.watches(address) && guard.forbids(wrote)),
        None => here().filter(|guard| guard.watches(address)).max_by_key(|one| one.forbids(None)),
    };
    let guard = violated.or_else(|| here().find(|one| one.forbids(wrote))).unwrap_or(first);
    if violated.is_none() && guard.may_step() && set_trap_flag(context, true) {
        STEPPING.fetch_add(1, Ordering::AcqRel);
        for guard in here() {
            guard.open.store(true, Ordering::Release);
            allow(&guard.pages(), libc::PROT_READ | libc::PROT_WRITE);
        }
        return;
    }
    allow(&guard.pages(), libc::PROT_READ | libc::PROT_WRITE);
    // This allocates memory. That is safe: the access interrupts code of the program, not the allocator, whose
    // data is on no protected page.
    let (stack, calls) = (Backtrace::force_capture(), host_calls());
    let noted = Box::new(NotedAccess { address, wrote, stack, calls });
    let noted = Box::into_raw(noted);
    let set = Ordering::AcqRel;
    if guard.noted.compare_exchange(null_mut(), noted, set, Ordering::Acquire).is_err() {
        // SAFETY: the box was made above and is not shared.
        drop(unsafe { Box::from_raw(noted) });
    }
}

/// Protects pages again after an access to other bytes.
extern "C" fn on_trap(_: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let less = |steps: usize| steps.checked_sub(1);
    if STEPPING.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_err() {
        return TRAP.forward(info, context);
    }
    set_trap_flag(context, false);
    // Guards that allow less come last: several may have one page.
    for access in [libc::PROT_READ, libc::PROT_NONE] {
        let of_access =
            GUARDS.iter().filter(|guard| guard.access.load(Ordering::Acquire) == access);
        for guard in of_access.filter(|guard| guard.open.swap(false, Ordering::AcqRel)) {
            let pages = guard.pages();
            if pages.start < pages.end {
                allow(&pages, access);
            }
        }
    }
}

/// Sets or clears the trap flag of the interrupted code; `false` if the machine has none.
fn set_trap_flag(context: *mut c_void, set: bool) -> bool {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    {
        const TRAP_FLAG: i64 = 1 << 8;
        // SAFETY: the kernel passes a valid context with `SA_SIGINFO`, and restores the flags from it.
        let context = unsafe { &mut *context.cast::<libc::ucontext_t>() };
        let flags = &mut context.uc_mcontext.gregs[libc::REG_EFL as usize];
        *flags = if set { *flags | TRAP_FLAG } else { *flags & !TRAP_FLAG };
        true
    }
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    {
        let _ = (context, set);
        false
    }
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
