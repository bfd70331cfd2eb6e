//! State shared by the threads of a sequence: handles of every kind, live and stale, and host memory.

use crate::common::{address, allocate};
use crate::random::Random;
use std::ffi::c_void;
use std::sync::Mutex;

/// Kinds of handles, by their letters in `calls`.
pub const KINDS: &[u8] = b"CSEMFGNXDHPLKAVTUWOJBRQ";

/// Bytes of host memory for calls; the pages after it are inaccessible.
pub const HOST: usize = 1 << 20;
const GUARD: usize = 4 << 20;

pub struct World {
    handles: Vec<Mutex<Vec<u64>>>,
    /// Host memory: readable and writable, then inaccessible.
    pub host: u64,
    /// Read-only host memory.
    pub constant: u64,
    /// Memory that no call uses.
    own: Own,
}

fn map(bytes: usize, access: i32) -> u64 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at an address chosen by the kernel.
    let at = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, flags, -1, 0) };
    assert_ne!(at, libc::MAP_FAILED);
    at as u64
}

impl World {
    pub fn new() -> World {
        assert_eq!(call!("cuInit"(0 => u32)), 0);
        let host = map(HOST + GUARD, libc::PROT_NONE);
        // SAFETY: the pages belong to this mapping.
        let code = unsafe {
            libc::mprotect(host as *mut c_void, HOST, libc::PROT_READ | libc::PROT_WRITE)
        };
        assert_eq!(code, 0);
        let constant = map(HOST, libc::PROT_READ);
        let handles = KINDS.iter().map(|_| Mutex::default()).collect();
        World { handles, host, constant, own: Own::new() }
    }

    /// Gives the thread a context without errors.
    pub fn begin(&self) {
        match call!("cuStreamQuery"(0 => u64)) {
            // A stream may be captured.
            0 | 600 | 900..=907 => return,
            code if code >= 700 => drop(call!("cuDevicePrimaryCtxReset"(0 => i32))),
            _ => {}
        }
        let mut context = 0u64;
        assert_eq!(call!("cuDevicePrimaryCtxRetain"(&mut context => *mut u64, 0 => i32)), 0);
        // Another thread may reset it at the same time.
        if call!("cuCtxSetCurrent"(context => u64)) == 0 {
            self.keep(b'C', context);
        }
    }

    fn of(&self, kind: u8) -> &Mutex<Vec<u64>> {
        let at = KINDS.iter().position(|known| *known == kind).expect("a kind");
        &self.handles[at]
    }

    pub fn keep(&self, kind: u8, handle: u64) {
        self.of(kind).lock().expect("no panic").push(handle);
    }

    /// A handle of a kind, mostly recent; sometimes of another kind, null or invented, but never the context of [`Own`].
    pub fn handle(&self, kind: u8, random: &mut Random) -> u64 {
        let picked = self.pick(kind, random);
        if picked == self.own.context { 0 } else { picked }
    }

    fn pick(&self, kind: u8, random: &mut Random) -> u64 {
        let odd = random.below(24);
        let from = match odd {
            0 => return 0,
            1 => return random.pick(&[1, 2, 8, u64::MAX, 0x1000_0040, 0xdead_beef_dead_beef]),
            2 => random.pick(KINDS),
            _ => kind,
        };
        let all = self.of(from).lock().expect("no panic");
        match all.len() {
            0 => 0,
            count if random.one_in(4) => all[random.below(count)],
            count => all[count - 1 - random.below(count.min(3))],
        }
    }

    /// An address, sometimes past an allocation, but never inside [`Own`].
    pub fn beside(&self, kind: u8, random: &mut Random) -> u64 {
        let at = self.handle(kind, random);
        let beside = at.wrapping_add(random.pick(&[1, 4, 256, 4096, 2 << 20]));
        match random.one_in(6) && !self.own.holds(beside) {
            true => beside,
            false => at,
        }
    }

    /// Checks that hidden memory is unchanged.
    pub fn look(&self, alone: bool) {
        self.own.look(alone);
    }
}

/// Memory that the calls of the sequence must not change.
pub struct Own {
    context: u64,
    kept: Vec<(u64, usize, u8)>,
}

fn function(name: &str) -> unsafe extern "C" fn(u64, u64, u64) -> i32 {
    // SAFETY: called with the function's arguments, each in its own register.
    unsafe { std::mem::transmute(address(name)) }
}

impl Own {
    /// Memory in its own context, which no other call destroys.
    pub fn new() -> Own {
        let mut context = 0u64;
        let code = call!("cuCtxCreate"(&mut context => *mut u64, std::ptr::null() => *const c_void, 0 => u32, 0 => i32));
        assert_eq!(code, 0);
        let kept = [1usize, 500, 4096, 100_000].map(|bytes| {
            let (at, pattern) = (allocate(bytes), bytes as u8 ^ 0x5a);
            // SAFETY: the memory was just allocated.
            assert_eq!(unsafe { function("cuMemsetD8")(at, pattern.into(), bytes as u64) }, 0);
            (at, bytes, pattern)
        });
        Own { context, kept: kept.to_vec() }
    }

    /// Whether an address is inside this memory.
    pub fn holds(&self, address: u64) -> bool {
        self.kept.iter().any(|&(at, bytes, _)| (at..at + bytes as u64).contains(&address))
    }

    /// Checks the memory. In single-threaded sequences, also checks memory that was just freed.
    pub fn look(&self, alone: bool) {
        let mut before = 0u64;
        call!("cuCtxGetCurrent"(&mut before => *mut u64));
        // Captures of other streams do not forbid these calls.
        let mut mode = 2i32;
        assert_eq!(call!("cuThreadExchangeStreamCaptureMode"(&mut mode => *mut i32)), 0);
        assert_eq!(call!("cuCtxSetCurrent"(self.context => u64)), 0);
        for &(at, bytes, pattern) in &self.kept {
            let mut found = vec![0u8; bytes];
            // SAFETY: the buffer has room for the bytes.
            let code =
                unsafe { function("cuMemcpyDtoH")(found.as_mut_ptr() as u64, at, bytes as u64) };
            assert_eq!(code, 0);
            assert!(found.iter().all(|byte| *byte == pattern), "{bytes} bytes changed");
            let freed = allocate(bytes);
            // SAFETY: it was just allocated.
            let code = unsafe { function("cuMemFree")(freed, 0, 0) };
            // Another thread may have freed it through an old address.
            assert!(code == 0 || !alone);
            for name in ["cuMemcpyDtoH", "cuMemcpy"].into_iter().filter(|_| alone) {
                // SAFETY: the buffer has room for the bytes.
                let code =
                    unsafe { function(name)(found.as_mut_ptr() as u64, freed, bytes as u64) };
                assert_eq!(code, 1, "{name} reads memory that was freed");
            }
        }
        assert_eq!(call!("cuThreadExchangeStreamCaptureMode"(&mut mode => *mut i32)), 0);
        if call!("cuCtxSetCurrent"(before => u64)) != 0 {
            // Another thread has freed it.
            assert_eq!(call!("cuCtxSetCurrent"(0 => u64)), 0);
        }
    }
}
