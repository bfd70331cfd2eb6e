//! Where goes what kernels print: to standard output, as on a GPU, unless the program wants that for
//! itself.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static ON_STDERR: AtomicBool = AtomicBool::new(false);

/// From now on what kernels print on the emulator goes to standard error, so that standard output stays
/// the program's own, such as for JSON.
pub fn print_on_stderr() {
    ON_STDERR.store(true, Relaxed);
}

/// Passes on what a kernel printed.
pub(crate) fn pass_on(text: &str) {
    match ON_STDERR.load(Relaxed) {
        true => eprint!("{text}"),
        false => print!("{text}"),
    }
}
