//! Memory freed while a thread or the process exits, as C++ destructors do.

use crate::common::{allocate, context};
use std::cell::RefCell;
use std::sync::mpsc::{Sender, channel};

/// Frees memory when dropped, and sends the status.
struct Memory(u64, Sender<i32>);

impl Drop for Memory {
    fn drop(&mut self) {
        let _ = self.1.send(call!("cuMemFree"(self.0 => u64)));
    }
}

thread_local! {
    static EARLY: RefCell<Option<Memory>> = const { RefCell::new(None) };
    static LATE: RefCell<Option<Memory>> = const { RefCell::new(None) };
}

#[test]
fn memory_is_freed_as_a_thread_ends() {
    if !crate::common::is_alone("end_of_threads::memory_is_freed_as_a_thread_ends") {
        return;
    }
    let (to, from) = channel();
    let thread = std::thread::spawn(move || {
        // One is destroyed before the driver's thread-local data, the other after it.
        EARLY.with(|_| ());
        context();
        EARLY.replace(Some(Memory(allocate(64), to.clone())));
        LATE.replace(Some(Memory(allocate(64), to)));
    });
    thread.join().expect("it ends");
    assert_eq!(from.iter().collect::<Vec<_>>(), [0, 0]);
}
