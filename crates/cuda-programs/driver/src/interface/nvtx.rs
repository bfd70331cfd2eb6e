//! NVTX's memory extension: programs announce memory pools and the parts that they allocate, and kernels that leave such a part are reported.
//!
//! NVTX is a set of headers that load a tool's library by the variable `NVTX_INJECTION64_PATH`, which `lanework exec --check` sets to this
//! library. Only the memory extension is attached; all other functions of NVTX stay without effect. Sizes, offsets and numbers come from
//! `nvToolsExtMem.h` and `nvtxExtTypes.h` of NVTX 3.
//!
//! A region's handle is its address, so references by pointer and by handle are the same.
//!
//! *Limits.* Pools must be linear memory in one allocation. Permissions are ignored. A part that is freed while work is queued
//! behind an unfinished wait stays accessible, since that work may have been queued before.

use crate::memory::allocations::AllocationKind;
use crate::memory::{Access, is_mapped};
use crate::pointers::*;
use crate::state::driver;
use crate::streams::deferred::ANY_DEFERRED;
use crate::streams::detached;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

/// Number of the memory extension among NVTX's.
const MEMORY_MODULE: u16 = 1;
/// Heaps of sub-allocators.
const SUB_ALLOCATOR: u32 = 1;
/// Linear memory of the process.
const VIRTUAL_ADDRESS: u32 = 1;
/// A name as text of one byte per character.
const ASCII: u32 = 1;
/// The handle of no heap.
const NO_HEAP: usize = usize::MAX;

/// `nvtxExtModuleSegment_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ModuleSegment {
    number: usize,
    count: usize,
    slots: *mut *const c_void,
}

/// `nvtxExtModuleInfo_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ModuleInfo {
    version: u16,
    size: u16,
    module: u16,
    compatibility: u16,
    count: usize,
    segments: *const ModuleSegment,
    exports: *const c_void,
    more: *const c_void,
}

/// `nvtxMemVirtualRangeDesc_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct VirtualRange {
    bytes: usize,
    start: u64,
}

/// The beginning of `nvtxMemHeapDesc_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HeapDescription {
    compatibility: u16,
    size: u16,
    reserved: u32,
    usage: u32,
    kind: u32,
    range_bytes: usize,
    range: *const VirtualRange,
}

/// The beginning of `nvtxMemRegionsRegisterBatch_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RegisterBatch {
    compatibility: u16,
    size: u16,
    kind: u32,
    heap: usize,
    count: usize,
    stride: usize,
    ranges: *const c_char,
    handles: *mut u64,
}

/// `nvtxMemRegionsResizeBatch_t`, `nvtxMemRegionsUnregisterBatch_t` and the beginning of `nvtxMemRegionsNameBatch_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RegionBatch {
    compatibility: u16,
    size: u16,
    kind: u32,
    count: usize,
    stride: usize,
    elements: *const c_char,
}

/// `nvtxMemRegionNameDesc_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RegionName {
    reference: u32,
    text_kind: u32,
    region: u64,
    text: *const c_char,
    category: u32,
    reserved: u32,
}

abi!(ModuleSegment = 24, 8 { number: 0, count: 8, slots: 16 });
abi!(ModuleInfo = 40, 8 { version: 0, size: 2, module: 4, compatibility: 6, count: 8, segments: 16, exports: 24, more: 32 });
abi!(VirtualRange = 16, 8 { bytes: 0, start: 8 });
abi!(HeapDescription = 32, 8 { compatibility: 0, size: 2, reserved: 4, usage: 8, kind: 12, range_bytes: 16, range: 24 });
abi!(RegisterBatch = 48, 8 { compatibility: 0, size: 2, kind: 4, heap: 8, count: 16, stride: 24, ranges: 32, handles: 40 });
abi!(RegionBatch = 32, 8 { compatibility: 0, size: 2, kind: 4, count: 8, stride: 16, elements: 24 });
abi!(RegionName = 32, 8 { reference: 0, text_kind: 4, region: 8, text: 16, category: 24, reserved: 28 });

/// NVTX's core calls this to start a tool, and expects 1. This tool uses nothing that the core
/// exports.
#[unsafe(no_mangle)]
pub extern "C" fn InitializeInjectionNvtx2(_exports: *const c_void) -> i32 {
    1
}

/// NVTX calls this to attach an extension. Returns 1 if this library has functions for it.
///
/// # Safety
/// `module` is NVTX's description of the extension, whose slots are writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn InitializeInjectionNvtxExtension(module: In<'_, ModuleInfo>) -> i32 {
    let Some(module) = module.find().filter(|module| module.module == MEMORY_MODULE) else {
        return 0;
    };
    let functions: [(usize, *const c_void); 7] = [
        (1, register_heap as *const c_void),
        (2, unregister_heap as *const c_void),
        (3, reset_heap as *const c_void),
        (4, register_regions as *const c_void),
        (5, resize_regions as *const c_void),
        (6, unregister_regions as *const c_void),
        (7, name_regions as *const c_void),
    ];
    // SAFETY: NVTX passes as many segments as it says.
    let segments = unsafe { In::new(module.segments) }.list(module.count).unwrap_or_default();
    for segment in segments {
        for (slot, function) in functions.iter().filter(|(slot, _)| *slot < segment.count) {
            // SAFETY: the segment has `count` slots, and NVTX calls a slot's function by its signature.
            unsafe { segment.slots.add(*slot).write(*function) };
        }
    }
    1
}

/// Runs the body of a function that NVTX calls, and never unwinds into C.
fn guarded<T>(otherwise: T, body: impl FnOnce() -> Option<T>) -> T {
    catch_unwind(AssertUnwindSafe(body)).ok().flatten().unwrap_or(otherwise)
}

/// Whether earlier work may not have run yet.
fn works_on() -> bool {
    ANY_DEFERRED.load(Ordering::Acquire) || detached::any()
}

/// The elements of an array whose elements are `stride` bytes apart.
fn elements<T: crate::pointers::Plain>(
    first: *const c_char,
    stride: usize,
    count: usize,
) -> Vec<T> {
    let stride = stride.max(size_of::<T>());
    let bytes = stride.checked_mul(count).filter(|bytes| *bytes > 0);
    if !bytes.is_some_and(|bytes| is_mapped(first as u64, bytes, Access::Read)) {
        return Vec::new();
    }
    let at = |index: usize| first.wrapping_add(index * stride).cast::<T>();
    // SAFETY: the bytes are mapped and readable, and any bytes are a valid `T`.
    (0..count).map(|index| unsafe { at(index).read_unaligned() }).collect()
}

/// `nvtxMemHeapRegister`.
extern "C" fn register_heap(_domain: *const c_void, heap: In<'_, HeapDescription>) -> usize {
    guarded(NO_HEAP, || {
        let heap = heap.find()?;
        if heap.usage != SUB_ALLOCATOR || heap.kind != VIRTUAL_ADDRESS {
            return None;
        }
        // SAFETY: for a heap of this kind, NVTX passes a range or null.
        let range = unsafe { In::new(heap.range) }.find()?;
        let (start, bytes) = (range.start, range.bytes as u64);
        let driver = driver().ok()?;
        let (first, whole) = driver.range_at(start)?;
        if bytes == 0 || bytes > whole - (start - first) {
            return None;
        }
        driver.device.with_pools(|pools| pools.add_pool(start, bytes)).ok()?;
        Some(start as usize)
    })
}

/// `nvtxMemHeapUnregister`.
extern "C" fn unregister_heap(_domain: *const c_void, heap: usize) {
    guarded((), || driver().ok()?.device.with_pools(|pools| pools.end_pools(heap as u64, 1)).ok());
}

/// `nvtxMemHeapReset`.
extern "C" fn reset_heap(_domain: *const c_void, heap: usize) {
    guarded((), || driver().ok()?.device.with_pools(|pools| pools.reset_pool(heap as u64)).ok());
}

/// `nvtxMemRegionsRegister`.
extern "C" fn register_regions(_domain: *const c_void, batch: In<'_, RegisterBatch>) {
    guarded((), || {
        let batch = batch.find().filter(|batch| batch.kind == VIRTUAL_ADDRESS)?;
        let ranges = elements::<VirtualRange>(batch.ranges, batch.stride, batch.count);
        let driver = driver().ok()?;
        for (index, range) in ranges.into_iter().enumerate() {
            let (start, bytes) = (range.start, range.bytes as u64);
            driver.device.with_pools(|pools| pools.add(start, bytes)).ok()?;
            let kind = driver.allocations().find(start).map(|(_, found)| found.kind);
            if kind == Some(AllocationKind::Device) && !works_on() {
                driver.device.forget_contents(start, bytes).ok()?;
            }
            if !batch.handles.is_null() {
                // SAFETY: NVTX promises room for a handle of each region, if the pointer is not null.
                unsafe { Out::new(batch.handles).at(index) }.store_optional(start);
            }
        }
        Some(())
    });
}

/// `nvtxMemRegionsResize`.
extern "C" fn resize_regions(_domain: *const c_void, batch: In<'_, RegionBatch>) {
    guarded((), || {
        let batch = batch.find().filter(|batch| batch.kind == VIRTUAL_ADDRESS)?;
        let ranges = elements::<VirtualRange>(batch.elements, batch.stride, batch.count);
        let resize = |range: &VirtualRange| {
            driver()
                .ok()?
                .device
                .with_pools(|pools| pools.resize(range.start, range.bytes as u64))
                .ok()
        };
        ranges.iter().for_each(|range| _ = resize(range));
        Some(())
    });
}

/// `nvtxMemRegionsUnregister`.
extern "C" fn unregister_regions(_domain: *const c_void, batch: In<'_, RegionBatch>) {
    guarded((), || {
        let batch = batch.find().filter(|_| !works_on())?;
        let regions = elements::<u64>(batch.elements, batch.stride, batch.count);
        driver().ok()?.device.with_pools(|pools| regions.iter().for_each(|at| pools.free(*at))).ok()
    });
}

/// `nvtxMemRegionsName`; other texts than ASCII are ignored.
extern "C" fn name_regions(_domain: *const c_void, batch: In<'_, RegionBatch>) {
    guarded((), || {
        // The `kind` of the batch is reserved, so it is not checked.
        let batch = batch.find()?;
        let names = elements::<RegionName>(batch.elements, batch.stride, batch.count);
        for name in names.iter().filter(|name| name.text_kind == ASCII && !name.text.is_null()) {
            // SAFETY: not null, and NVTX passes ASCII names as zero-terminated strings.
            let text = unsafe { CStr::from_ptr(name.text) }.to_str().ok()?.to_owned();
            driver().ok()?.device.with_pools(|pools| pools.name(name.region, Some(text))).ok()?;
        }
        Some(())
    });
}
