//! Forwards signals to the program that runs under the command.
//!
//! A terminal sends SIGINT (Ctrl-C) to both processes: the command ignores it, waits for the program, and reports the findings so
//! far. SIGTERM and SIGHUP (`kill`, a supervisor, a closed terminal) reach only the command, which forwards them, so that the program ends with it.

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicI32, Ordering};

    const SIGHUP: i32 = 1;
    const SIGINT: i32 = 2;
    const SIGTERM: i32 = 15;
    const IGNORE: usize = 1;

    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
        fn kill(process: i32, number: i32) -> i32;
    }

    /// The process id of the program; 0 if none runs.
    static PROGRAM: AtomicI32 = AtomicI32::new(0);
    /// A signal that arrived before the program was started; 0 if none did.
    static EARLY: AtomicI32 = AtomicI32::new(0);

    extern "C" fn forward(number: i32) {
        match PROGRAM.load(Ordering::SeqCst) {
            0 => EARLY.store(number, Ordering::SeqCst),
            // SAFETY: `kill` is async-signal-safe and takes no pointers. `PROGRAM` holds the id of a child that was not waited
            // for, which the system does not reuse.
            program => drop(unsafe { kill(program, number) }),
        }
    }

    pub fn forward_signals() {
        let handler = forward as extern "C" fn(i32) as usize;
        for number in [SIGHUP, SIGTERM] {
            // SAFETY: `handler` is an `extern "C" fn(i32)`, as `signal` requires. It accesses atomics and calls `kill`, which are
            // async-signal-safe. An inherited "ignore", as of `nohup`, is restored.
            unsafe {
                if signal(number, handler) == IGNORE {
                    signal(number, IGNORE);
                }
            }
        }
    }

    pub fn forward_to(program: u32) {
        // SAFETY: `IGNORE` is the constant SIG_IGN, so no handler runs.
        unsafe { signal(SIGINT, IGNORE) };
        let program = i32::try_from(program).unwrap_or(0);
        PROGRAM.store(program, Ordering::SeqCst);
        let early = EARLY.swap(0, Ordering::SeqCst);
        if program != 0 && early != 0 {
            // SAFETY: `kill` takes no pointers. `program` is a child that was just started and is waited for only
            // later, so that its id is still its own.
            unsafe { kill(program, early) };
        }
    }
}

#[cfg(unix)]
pub use unix::{forward_signals, forward_to};

/// Starts to forward signals.
#[cfg(not(unix))]
pub fn forward_signals() {}

/// Sets the program that gets the signals; 0 after its end.
#[cfg(not(unix))]
pub fn forward_to(_: u32) {}
