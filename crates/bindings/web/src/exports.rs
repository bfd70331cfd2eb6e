//! The functions of the WebAssembly module. They pass JSON through the module's memory: the page calls
//! [`lanework_allocate`], writes a request there, calls [`lanework_answer`], and reads the answer.

use std::cell::RefCell;

thread_local! {
    static REQUEST: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Allocates a buffer for a request of `bytes` bytes. It is valid until the next call.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_allocate(bytes: usize) -> *mut u8 {
    REQUEST.with_borrow_mut(|request| {
        request.clear();
        request.resize(bytes, 0);
        request.as_mut_ptr()
    })
}

/// Answers the request. Returns the size of the answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn lanework_answer() -> usize {
    let request = REQUEST.take();
    let answer = crate::answer(&String::from_utf8_lossy(&request));
    let bytes = answer.len();
    ANSWER.set(answer);
    bytes
}

/// The address of the last answer. It is valid until the next call of [`lanework_answer`].
#[unsafe(no_mangle)]
pub extern "C" fn lanework_answer_start() -> *const u8 {
    ANSWER.with_borrow(|answer| answer.as_ptr())
}
