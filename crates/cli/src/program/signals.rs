//! Signals of this command and the program that it runs. The program gets the signals that end the command, and no process of
//! the program outlives a command that was killed.

#[cfg(unix)]
pub use unix::{bind, end_rest, forward_signals, forward_to};

#[cfg(unix)]
mod unix {
    use libc::{
        SIG_IGN, SIGHUP, SIGINT, SIGKILL, SIGTERM, c_int, kill, sigaction, siginfo_t, signal,
    };
    use std::process::Command;
    use std::sync::atomic::{AtomicI32, Ordering};
    use std::time::Duration;

    /// The process id of the program; 0 if none runs.
    static PROGRAM: AtomicI32 = AtomicI32::new(0);
    /// The signal that arrived last; 0 if none did.
    static ARRIVED: AtomicI32 = AtomicI32::new(0);

    extern "C" fn forward(number: c_int) {
        ARRIVED.store(number, Ordering::SeqCst);
        let program = PROGRAM.load(Ordering::SeqCst);
        if program != 0 {
            // SAFETY: `kill` is async-signal-safe and takes no pointers. `PROGRAM` holds the id of a child that was not
            // waited for, which the system does not reuse.
            unsafe { kill(program, number) };
        }
    }

    /// Forwards an interrupt that was sent to this process alone. A terminal sends its own to the program, too.
    extern "C" fn forward_interrupt(number: c_int, info: *mut siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the system passes a valid structure to a handler with `SA_SIGINFO`.
        let is_from_process = unsafe { (*info).si_code } <= 0;
        if is_from_process {
            forward(number);
        }
    }

    /// Starts to forward signals that end a process.
    pub fn forward_signals() {
        let handler = forward as extern "C" fn(c_int) as usize;
        for number in [SIGHUP, SIGTERM] {
            // SAFETY: `handler` is an `extern "C" fn(i32)`, as `signal` requires. It accesses atomics and calls `kill`,
            // which are async-signal-safe. An inherited "ignore", as set by `nohup`, is restored.
            unsafe {
                if signal(number, handler) == SIG_IGN {
                    signal(number, SIG_IGN);
                }
            }
        }
    }

    /// Sets the program that gets the signals; 0 after its end.
    pub fn forward_to(program: u32) {
        let handler = forward_interrupt as extern "C" fn(c_int, *mut siginfo_t, *mut libc::c_void);
        // SAFETY: a `sigaction` of zeros is valid: an empty mask and no flags.
        let mut action: sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        // SAFETY: the handler has the form that `SA_SIGINFO` requires and calls only async-signal-safe functions.
        unsafe { libc::sigaction(SIGINT, &raw const action, std::ptr::null_mut()) };
        let program = i32::try_from(program).unwrap_or(0);
        PROGRAM.store(program, Ordering::SeqCst);
        let early = ARRIVED.load(Ordering::SeqCst);
        if program != 0 && early != 0 {
            // SAFETY: `kill` takes no pointers. `program` is a child that was just started and is waited for only
            // later, so that its id is still its own.
            unsafe { kill(program, early) };
        }
    }

    /// Lets the system kill the program if this command is killed, and hands its orphans to this command.
    pub fn bind(command: &mut Command) {
        #[cfg(target_os = "linux")]
        {
            use std::os::unix::process::CommandExt;
            let own = std::process::id();
            let end_with_parent = move || {
                // SAFETY: these calls are async-signal-safe and take no pointers.
                unsafe {
                    libc::prctl(libc::PR_SET_PDEATHSIG, SIGKILL);
                    // The command may have ended before the call.
                    if u32::try_from(libc::getppid()) != Ok(own) {
                        libc::_exit(128 + SIGKILL);
                    }
                }
                Ok(())
            };
            // SAFETY: the closure allocates nothing and calls only async-signal-safe functions.
            unsafe { command.pre_exec(end_with_parent) };
            // SAFETY: the call takes no pointers.
            unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
        }
        #[cfg(not(target_os = "linux"))]
        let _ = command;
    }

    /// Ends what is left of a program that a signal to this command has ended.
    pub fn end_rest() {
        let number = ARRIVED.load(Ordering::SeqCst);
        if number == 0 {
            return;
        }
        // A child that does not end by the signal within a second is killed.
        for round in 0..12 {
            let number = if round < 10 { number } else { SIGKILL };
            let children = children();
            if children.is_empty() {
                break;
            }
            for child in children {
                // SAFETY: these calls take no pointers that are used. A child that was not waited for keeps its id.
                unsafe {
                    if round % 10 == 0 {
                        kill(child, number);
                    }
                    libc::waitpid(child, std::ptr::null_mut(), libc::WNOHANG);
                }
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The children of this process. Orphans of the program are among them.
    fn children() -> Vec<i32> {
        let Ok(tasks) = std::fs::read_dir("/proc/self/task") else { return Vec::new() };
        let lists = tasks
            .flatten()
            .filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
        let all: Vec<String> = lists.collect();
        all.iter()
            .flat_map(|list| list.split_whitespace())
            .filter_map(|id| id.parse().ok())
            .collect()
    }
}

/// Starts to forward signals.
#[cfg(not(unix))]
pub fn forward_signals() {}

/// Sets the program that gets the signals; 0 after its end.
#[cfg(not(unix))]
pub fn forward_to(_: u32) {}

/// Lets the program end with this command.
#[cfg(not(unix))]
pub fn bind(_: &mut std::process::Command) {}

/// Ends what is left of a program that a signal has ended.
#[cfg(not(unix))]
pub fn end_rest() {}
