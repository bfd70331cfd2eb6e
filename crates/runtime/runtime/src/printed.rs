//! The destination of kernels' `printf` output: standard output, as on a GPU, or standard error.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static ON_STDERR: AtomicBool = AtomicBool::new(false);

/// Redirects the `printf` output of kernels on the emulator to standard error, so that standard
/// output holds only the program's own output, such as JSON.
///
/// ```
/// lanework::print_on_stderr();
/// ```
pub fn print_on_stderr() {
    ON_STDERR.store(true, Relaxed);
}

/// Writes a kernel's output to its destination.
pub(crate) fn pass_on(text: &str) {
    match ON_STDERR.load(Relaxed) {
        true => eprint!("{text}"),
        false => print!("{text}"),
    }
}
