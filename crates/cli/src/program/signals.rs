//! Signals to the command while a program of the user runs under it.
//!
//! Ctrl-C is the program's: a terminal sends it to both, and the command waits for the program's end and reports what was found
//! until then. What asks the command alone to end (`kill`, a supervisor, a terminal that is closed) is passed on to the program, so
//! that it does not go on without the command.

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

    /// The program's process, 0 where there is none.
    static PROGRAM: AtomicI32 = AtomicI32::new(0);
    /// A signal that came before the program was there.
    static EARLY: AtomicI32 = AtomicI32::new(0);

    extern "C" fn pass_on(number: i32) {
        match PROGRAM.load(Ordering::SeqCst) {
            0 => EARLY.store(number, Ordering::SeqCst),
            // SAFETY: the process is a child that has not been waited for. A handler may call `kill`.
            program => drop(unsafe { kill(program, number) }),
        }
    }

    pub fn leave_to_the_program() {
        let handler = pass_on as extern "C" fn(i32) as usize;
        for number in [SIGHUP, SIGTERM] {
            // SAFETY: the handler only reads atomics and calls `kill`. What was ignored, as by `nohup`, stays ignored.
            unsafe {
                if signal(number, handler) == IGNORE {
                    signal(number, IGNORE);
                }
            }
        }
    }

    pub fn pass_on_to(program: u32) {
        // SAFETY: ignoring a signal runs no code of ours.
        unsafe { signal(SIGINT, IGNORE) };
        let program = i32::try_from(program).unwrap_or(0);
        PROGRAM.store(program, Ordering::SeqCst);
        let early = EARLY.swap(0, Ordering::SeqCst);
        if program != 0 && early != 0 {
            // SAFETY: the process is a child that has not been waited for.
            unsafe { kill(program, early) };
        }
    }
}

#[cfg(unix)]
pub use unix::{leave_to_the_program, pass_on_to};

/// From now on signals are the program's.
#[cfg(not(unix))]
pub fn leave_to_the_program() {}

/// The program that they are passed on to; 0 where it has ended.
#[cfg(not(unix))]
pub fn pass_on_to(_: u32) {}
