//! The stack of a launch's threads for recursive calls. A GPU takes its size from the context (`cudaLimitStackSize`); here, the
//! caller sets it for all launches of a host thread.

use lanework_ptx_ir::lower::STACK_BYTES;
use std::cell::Cell;

thread_local! {
    static BYTES: Cell<u32> = const { Cell::new(STACK_BYTES) };
}

/// Runs launches whose threads have a stack of this many bytes, at most 64 KiB.
pub fn with_bytes<R>(bytes: usize, run: impl FnOnce() -> R) -> R {
    struct Restored(u32);
    impl Drop for Restored {
        fn drop(&mut self) {
            BYTES.set(self.0);
        }
    }
    let bytes = u32::try_from(bytes).map_or(STACK_BYTES, |bytes| bytes.min(STACK_BYTES));
    let _restored = Restored(BYTES.replace(bytes));
    run()
}

/// The stack size of launches on this host thread, in bytes.
pub(crate) fn bytes() -> u32 {
    BYTES.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_is_set_until_its_launches_end() {
        assert_eq!(with_bytes(1024, || (bytes(), with_bytes(1 << 40, bytes))), (1024, STACK_BYTES));
        assert_eq!(bytes(), STACK_BYTES);
    }
}
