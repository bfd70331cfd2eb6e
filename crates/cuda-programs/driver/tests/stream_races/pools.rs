//! Memory pools that a program announces through NVTX, with the calls that NVTX's headers make.

use crate::gpu::{Gpu, buffer};
use std::ffi::c_void;

#[repr(C)]
struct Segment {
    number: usize,
    count: usize,
    slots: *mut *const c_void,
}

#[repr(C)]
struct Extension {
    version: u16,
    size: u16,
    number: u16,
    compatibility: u16,
    count: usize,
    segments: *const Segment,
    exports: *const c_void,
    more: *const c_void,
}

#[repr(C)]
struct ByteRange {
    bytes: usize,
    start: u64,
}

#[repr(C)]
struct Heap {
    sizes: [u16; 2],
    reserved: u32,
    usage: u32,
    kind: u32,
    range_bytes: usize,
    range: *const ByteRange,
}

#[repr(C)]
struct Regions {
    sizes: [u16; 2],
    kind: u32,
    heap: usize,
    count: usize,
    stride: usize,
    ranges: *const ByteRange,
    handles: *mut u64,
}

#[repr(C)]
struct Freed {
    sizes: [u16; 2],
    kind: u32,
    count: usize,
    stride: usize,
    handles: *const u64,
}

unsafe extern "C" {
    fn InitializeInjectionNvtxExtension(module: *const Extension) -> i32;
}

/// A pool with parts of 4096 bytes.
pub struct Pool {
    functions: [*const c_void; 8],
    heap: usize,
    start: u64,
}

impl Pool {
    /// Makes a buffer a pool.
    pub fn new() -> (Gpu, Pool) {
        let (gpu, start) = (Gpu::new(), buffer_of_pool());
        let mut functions = [std::ptr::null(); 8];
        let segment = Segment { number: 1, count: 8, slots: functions.as_mut_ptr() };
        let (exports, more) = (std::ptr::null(), std::ptr::null());
        let module = Extension {
            version: 1,
            size: 40,
            number: 1,
            compatibility: 0,
            count: 1,
            segments: &segment,
            exports,
            more,
        };
        // SAFETY: the description has one segment with eight slots.
        assert_eq!(unsafe { InitializeInjectionNvtxExtension(&module) }, 1);
        let range = ByteRange { bytes: 1 << 16, start };
        let heap =
            Heap { sizes: [1, 32], reserved: 0, usage: 1, kind: 1, range_bytes: 16, range: &range };
        // SAFETY: the first function registers a heap.
        let register: extern "C" fn(*const c_void, *const Heap) -> usize =
            unsafe { std::mem::transmute(functions[1]) };
        let heap = register(std::ptr::null(), &heap);
        assert_ne!(heap, usize::MAX);
        (gpu, Pool { functions, heap, start })
    }

    /// Hands out a part.
    pub fn part(&self, offset: u64, bytes: usize) -> u64 {
        let range = ByteRange { bytes, start: self.start + offset };
        let mut handle = 0;
        let (sizes, kind, count, stride) = ([1, 48], 1, 1, size_of::<ByteRange>());
        let (heap, ranges, handles) = (self.heap, &raw const range, &raw mut handle);
        let batch = Regions { sizes, kind, heap, count, stride, ranges, handles };
        // SAFETY: the fourth function registers regions.
        let register: extern "C" fn(*const c_void, *const Regions) =
            unsafe { std::mem::transmute(self.functions[4]) };
        register(std::ptr::null(), &batch);
        assert_eq!(handle, range.start);
        handle
    }

    /// Takes a part back.
    pub fn free(&self, part: u64) {
        let (sizes, kind, count, stride, handles) = ([1, 32], 1, 1, 8, &raw const part);
        let batch = Freed { sizes, kind, count, stride, handles };
        // SAFETY: the sixth function takes regions back.
        let unregister: extern "C" fn(*const c_void, *const Freed) =
            unsafe { std::mem::transmute(self.functions[6]) };
        unregister(std::ptr::null(), &batch);
    }
}

fn buffer_of_pool() -> u64 {
    let _ = buffer();
    crate::common::allocate(1 << 16)
}
