//! Functions of the driver that need no more than checks of their arguments: handles, numbers, and pointers to results of a
//! known size.

use lanework_host::External;
use std::ffi::c_void;

macro_rules! kind {
    (w) => { u64 };
    (i) => { u32 };
    ($bytes:literal) => { *mut c_void };
    (($bytes:literal)) => { *mut c_void };
}

macro_rules! argument {
    ($process:ident, $value:expr, w) => {
        $value
    };
    ($process:ident, $value:expr, i) => {
        $value as u32
    };
    ($process:ident, $value:expr, $bytes:literal) => {
        $process.accessed($process.memory.check_range($value, $bytes), "write")?.cast::<c_void>()
    };
    ($process:ident, $value:expr, ($bytes:literal)) => {
        match $value {
            0 => std::ptr::null_mut(),
            address => argument!($process, address, $bytes),
        }
    };
}

/// Driver functions by the kinds of their arguments: a word, an `int`, or a checked pointer to a number of
/// bytes, in parentheses if it may be null.
macro_rules! functions {
    ($($name:ident($($kind:tt),*);)*) => {
        pub mod driver {
            use std::ffi::c_void;
            unsafe extern "C" {
                $(pub fn $name($(_: kind!($kind)),*) -> i32;)*
            }
        }

        /// The functions.
        pub const PLAIN: &[(&str, External)] = &[$((stringify!($name), |_process, _arguments| {
            let mut _words = _arguments.iter().copied();
            // SAFETY: the driver defines the function with these types, integers and pointers being passed alike, and
            // pointers were checked to lead to as many bytes as the function accesses.
            Ok(status(unsafe {
                driver::$name($(argument!(_process, _words.next().unwrap_or(0), $kind)),*)
            }))
        })),*];
    };
}

functions! {
    cuInit(i);
    cuDeviceGetCount(4);
    cuDeviceTotalMem_v2(8, i);
    cuDeviceGetAttribute(4, i, i);
    cuMemAlloc_v2(8, w);
    cuMemGetInfo_v2(8, 8);
    cuMemcpyDtoDAsync_v2(w, w, w, w);
    cuMemsetD8Async(w, i, w, w);
    cuDevicePrimaryCtxRetain(8, i);
    cuDeviceCanAccessPeer(4, i, i);
    cuDeviceGetP2PAttribute(4, i, i, i);
    cuCtxEnablePeerAccess(w, i);
    cuCtxDisablePeerAccess(w);
    cuCtxSetLimit(i, w);
    cuCtxGetLimit(8, i);
    cuCtxGetStreamPriorityRange((4), (4));
    cuCtxResetPersistingL2Cache();
    cuMemAdvise(w, w, i, i);
    cuMemPrefetchAsync(w, w, i, w);
    cuMemHostGetDevicePointer_v2(8, w, i);
    cuMemHostUnregister(w);
    cuPointerGetAttribute(8, i, w);
    cuMemAllocAsync(8, w, w);
    cuMemAllocPitch_v2(8, 8, w, w, i);
    cuMemFreeAsync(w, w);
    cuMemAllocFromPoolAsync(8, w, w, w);
    cuDeviceGetDefaultMemPool(8, i);
    cuDeviceGetMemPool(8, i);
    cuDeviceSetMemPool(i, w);
    cuMemPoolCreate(8, 88);
    cuMemPoolDestroy(w);
    cuMemPoolTrimTo(w, w);
    cuMemPoolSetAttribute(w, i, 4);
    cuMemPoolGetAttribute(w, i, 4);
    cuMemPoolSetAccess(w, 12, w);
    cuArray3DCreate_v2(8, 40);
    cuArray3DGetDescriptor_v2(40, w);
    cuArrayDestroy(w);
    cuMipmappedArrayCreate(8, 40, i);
    cuMipmappedArrayGetLevel(8, w, i);
    cuMipmappedArrayDestroy(w);
    cuTexObjectCreate(8, 144, 104, (112));
    cuTexObjectDestroy(w);
    cuSurfObjectCreate(8, 144);
    cuSurfObjectDestroy(w);
    cuStreamCreateWithPriority(8, i, i);
    cuStreamGetPriority(w, 4);
    cuStreamGetFlags(w, 4);
    cuStreamAttachMemAsync(w, w, w, i);
    cuStreamBeginCapture_v2(w, i);
    cuStreamEndCapture(w, 8);
    cuStreamIsCapturing(w, 4);
    cuGraphCreate(8, i);
    cuGraphDestroy(w);
    cuGraphClone(8, w);
    cuGraphInstantiateWithFlags(8, w, w);
    cuGraphExecDestroy(w);
    cuGraphExecUpdate_v2(w, w, 24);
    cuGraphUpload(w, w);
    cuGraphNodeGetType(w, 4);
    cuGraphDestroyNode(w);
    cuGraphNodeFindInClone(8, w, w);
    cuGraphChildGraphNodeGetGraph(w, 8);
    cuGraphExecChildGraphNodeSetParams(w, w, w);
    cuGraphNodeSetEnabled(w, w, i);
    cuGraphNodeGetEnabled(w, w, 4);
    cuGraphEventRecordNodeGetEvent(w, 8);
    cuGraphEventRecordNodeSetEvent(w, w);
    cuGraphExecEventRecordNodeSetEvent(w, w, w);
    cuGraphEventWaitNodeGetEvent(w, 8);
    cuGraphEventWaitNodeSetEvent(w, w);
    cuGraphExecEventWaitNodeSetEvent(w, w, w);
    cuDeviceGraphMemTrim(i);
    cuDeviceGetGraphMemAttribute(i, i, 8);
    cuDeviceSetGraphMemAttribute(i, i, 8);
    cuStreamCreate(8, i);
    cuStreamDestroy_v2(w);
    cuStreamQuery(w);
    cuStreamWaitEvent(w, w, i);
    cuEventCreate(8, i);
    cuEventDestroy_v2(w);
    cuEventRecord(w, w);
    cuEventQuery(w);
    cuEventElapsedTime(4, w, w);
    cuFuncSetAttribute(w, i, i);
    lanework_set_in_host_function(i);
    cuFuncGetAttribute(4, i, w);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(4, w, i, w);
}

/// A status as the result of a function.
pub fn status(code: i32) -> u64 {
    u64::from(code as u32)
}
