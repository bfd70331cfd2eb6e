//! Ctrl-C clears the line before it ends the command as it would without us.

#[cfg(unix)]
pub fn clear_the_line() {
    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
    }
    const IGNORE: usize = 1;
    // SAFETY: `clear_and_end` is an `extern "C" fn(i32)`, as `signal` requires, and makes async-signal-safe calls only.
    unsafe {
        // Keep an inherited SIGINT disposition of "ignore", as under `nohup`.
        if signal(SIGINT, clear_and_end as *const () as usize) == IGNORE {
            signal(SIGINT, IGNORE);
        }
    }
}

#[cfg(unix)]
const SIGINT: i32 = 2;

#[cfg(unix)]
extern "C" fn clear_and_end(number: i32) {
    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
        fn raise(number: i32) -> i32;
        fn write(file: i32, from: *const u8, bytes: usize) -> isize;
    }
    const CLEAR: &[u8] = b"\r\x1b[2K";
    const DEFAULT: usize = 0;
    // SAFETY: `write`, `signal` and `raise` are async-signal-safe. `write` reads `CLEAR.len()` bytes of the constant
    // `CLEAR`. The signal is blocked in its handler: the raised one ends the process when this returns.
    unsafe {
        write(2, CLEAR.as_ptr(), CLEAR.len());
        signal(number, DEFAULT);
        raise(number);
    }
}

#[cfg(not(unix))]
pub fn clear_the_line() {}
