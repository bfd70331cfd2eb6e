//! System memory for machine code and its stack, and the switch to that stack.

use super::layout::HelperResult;
use std::ptr::null_mut;

/// Bytes reserved for machine code at a time.
const CHUNK: usize = 1 << 20;

/// Pages that hold machine code. They are writable only while code is added.
#[derive(Debug, Default)]
pub struct CodePages {
    chunks: Vec<Pages>,
    used: usize,
}

impl CodePages {
    /// Copies a function's machine code to executable memory, and returns its address.
    pub fn add(&mut self, code: &[u8]) -> Option<u64> {
        let room = self.chunks.last().map_or(0, |chunk| chunk.bytes - self.used);
        if room < code.len() {
            self.chunks.push(Pages::new(code.len().max(CHUNK))?);
            self.used = 0;
        }
        let chunk = self.chunks.last()?;
        chunk.protect(libc::PROT_READ | libc::PROT_WRITE)?;
        let to = chunk.start.wrapping_add(self.used);
        // SAFETY: `used + code.len()` is at most the chunk's size, and its pages are writable now.
        unsafe { to.copy_from_nonoverlapping(code.as_ptr(), code.len()) };
        chunk.protect(libc::PROT_READ | libc::PROT_EXEC)?;
        self.used = (self.used + code.len()).next_multiple_of(32);
        Some(to as u64)
    }
}

/// A memory mapping.
#[derive(Debug)]
pub struct Pages {
    start: *mut u8,
    bytes: usize,
}

impl Pages {
    /// Maps zeroed pages. The system commits each page on first use.
    pub fn new(bytes: usize) -> Option<Pages> {
        let bytes = bytes.next_multiple_of(1 << 16);
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANON | libc::MAP_NORESERVE;
        // SAFETY: a new anonymous mapping overlaps no other memory.
        let start = unsafe { libc::mmap(null_mut(), bytes, access, kind, -1, 0) };
        (start != libc::MAP_FAILED).then_some(Pages { start: start.cast(), bytes })
    }

    /// Changes the protection of the pages.
    fn protect(&self, access: i32) -> Option<()> {
        // SAFETY: the pages belong to this mapping. Machine code in them does not execute now: the same thread compiles
        // and runs it, and a helper that compiles is itself outside these pages.
        (unsafe { libc::mprotect(self.start.cast(), self.bytes, access) } == 0).then_some(())
    }

    /// The address of the first byte.
    pub fn start(&self) -> u64 {
        self.start as u64
    }

    /// The address after the last byte.
    pub fn end(&self) -> u64 {
        self.start as u64 + self.bytes as u64
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: this object owns the mapping, and no code uses it any longer.
        unsafe { libc::munmap(self.start.cast(), self.bytes) };
    }
}

/// A call of machine code.
#[repr(C)]
#[derive(Debug)]
pub struct Entry {
    /// Code that passes the arguments.
    pub bridge: u64,
    pub code: u64,
    /// The top of the active calls.
    pub top: u64,
    /// The address of the arguments.
    pub words: u64,
}

/// Runs machine code on a stack that ends at `stack`.
///
/// # Safety
/// The stack must be unused and large enough. The entry must have the addresses of compiled code and of its context.
pub unsafe fn on_stack(stack: u64, entry: &mut Entry) -> HelperResult {
    let (status, value);
    // SAFETY: the code follows the System V convention: it keeps `r12` and restores the stack pointer. `clobber_abi`
    // lists the other registers that it may change.
    unsafe {
        std::arch::asm!(
            "xchg rsp, r12",
            "call {bridge}",
            "mov rsp, r12",
            bridge = in(reg) entry.bridge,
            inout("r12") stack => _,
            inout("rdi") entry.code => _,
            inout("rsi") entry.top => _,
            inout("rdx") entry.words => value,
            out("rax") status,
            clobber_abi("sysv64"),
        );
    }
    HelperResult { status, value }
}
