//! The driver's C interface: the functions, types and constants that this crate uses (CUDA Driver API manual 12.8). The
//! library is opened at run time, and each function is looked up on first use.

#![expect(non_camel_case_types, non_snake_case, reason = "the names are those of cuda.h")]

use crate::driver::library::AnyFunction;
use libloading::Library;
use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

/// File names of the library, in search order.
const NAMES: &[&str] = match cfg!(windows) {
    true => &["nvcuda.dll"],
    false => &["libcuda.so.1", "libcuda.so"],
};

/// The driver library, if there is one.
pub fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    // SAFETY: the system trusts the driver's initializers.
    let open = || NAMES.iter().find_map(|name| unsafe { Library::new(*name) }.ok());
    LIBRARY.get_or_init(open).as_ref()
}

/// Integer types with named constants. Any integer is valid, because a newer driver may return values without a name
/// here.
macro_rules! numbers {
    ($($kind:ident { $($name:ident = $value:literal,)* })*) => { $(
        #[repr(transparent)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $kind(pub u32);
        impl $kind {
            $(pub const $name: $kind = $kind($value);)*
        }
    )* };
}

numbers! {
    CUresult {
        CUDA_SUCCESS = 0,
        CUDA_ERROR_INVALID_VALUE = 1,
        CUDA_ERROR_OUT_OF_MEMORY = 2,
        CUDA_ERROR_STUB_LIBRARY = 34,
        CUDA_ERROR_NO_DEVICE = 100,
        CUDA_ERROR_INVALID_IMAGE = 200,
        CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
        CUDA_ERROR_ECC_UNCORRECTABLE = 214,
        CUDA_ERROR_INVALID_PTX = 218,
        CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
        CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
        CUDA_ERROR_INVALID_SOURCE = 300,
        CUDA_ERROR_INVALID_HANDLE = 400,
        CUDA_ERROR_NOT_FOUND = 500,
        CUDA_ERROR_NOT_READY = 600,
        CUDA_ERROR_ILLEGAL_ADDRESS = 700,
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
        CUDA_ERROR_LAUNCH_TIMEOUT = 702,
        CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
        CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
        CUDA_ERROR_ASSERT = 710,
        CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
        CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
        CUDA_ERROR_MISALIGNED_ADDRESS = 716,
        CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
        CUDA_ERROR_INVALID_PC = 718,
        CUDA_ERROR_LAUNCH_FAILED = 719,
        CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
        CUDA_ERROR_NOT_SUPPORTED = 801,
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
    }
    CUdevice_attribute {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
        CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
        CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
        CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
    }
    CUevent_flags {
        CU_EVENT_DEFAULT = 0,
    }
    CUfunction_attribute {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
        CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
        CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
        CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
    }
    CUjit_option {
        CU_JIT_MAX_REGISTERS = 0,
        CU_JIT_INFO_LOG_BUFFER = 3,
        CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
        CU_JIT_ERROR_LOG_BUFFER = 5,
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
        CU_JIT_OPTIMIZATION_LEVEL = 7,
        CU_JIT_LOG_VERBOSE = 12,
        CU_JIT_GENERATE_LINE_INFO = 13,
    }
    CUlaunchAttributeID {
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
        CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
        CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
    }
    CUlimit {
        CU_LIMIT_PRINTF_FIFO_SIZE = 1,
    }
    CUmemorytype {
        CU_MEMORYTYPE_HOST = 1,
        CU_MEMORYTYPE_DEVICE = 2,
    }
    CUstreamCaptureMode {
        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
    }
    CUstreamCaptureStatus {
        CU_STREAM_CAPTURE_STATUS_NONE = 0,
    }
    CUstream_flags {
        CU_STREAM_DEFAULT = 0,
        CU_STREAM_NON_BLOCKING = 1,
    }
    CUtensorMapDataType {
        CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
        CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
        CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
        CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
        CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
        CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
        CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
        CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
        CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11,
    }
    CUtensorMapFloatOOBfill {
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = 1,
    }
    CUtensorMapInterleave {
        CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
    }
    CUtensorMapL2promotion {
        CU_TENSOR_MAP_L2_PROMOTION_NONE = 0,
        CU_TENSOR_MAP_L2_PROMOTION_L2_64B = 1,
        CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
        CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3,
    }
    CUtensorMapSwizzle {
        CU_TENSOR_MAP_SWIZZLE_NONE = 0,
        CU_TENSOR_MAP_SWIZZLE_32B = 1,
        CU_TENSOR_MAP_SWIZZLE_64B = 2,
        CU_TENSOR_MAP_SWIZZLE_128B = 3,
        CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = 4,
    }
}

/// Opaque driver objects, used only through pointers.
macro_rules! objects {
    ($($pointer:ident to $object:ident;)*) => { $(
        #[repr(C)]
        #[derive(Debug)]
        pub struct $object {
            opaque: [u8; 0],
        }
        pub type $pointer = *mut $object;
    )* };
}

objects! {
    CUarray to CUarray_st;
    CUcontext to CUctx_st;
    CUevent to CUevent_st;
    CUfunction to CUfunc_st;
    CUgraph to CUgraph_st;
    CUgraphExec to CUgraphExec_st;
    CUgraphNode to CUgraphNode_st;
    CUmodule to CUmod_st;
    CUstream to CUstream_st;
}

pub type CUdevice = i32;
pub type CUdeviceptr = u64;

/// Host memory usable in every context, not only in the one that allocates it.
pub const CU_MEMHOSTALLOC_PORTABLE: u32 = 1;
/// Host memory that also has a device address.
pub const CU_MEMHOSTALLOC_DEVICEMAP: u32 = 2;

/// The extents of a cluster.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ClusterDim {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

/// The value of an attribute. Some members of the C union hold pointers.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
pub union CUlaunchAttributeValue {
    pub pad: [c_char; 64],
    pub cooperative: i32,
    pub programmaticStreamSerializationAllowed: i32,
    pub clusterDim: ClusterDim,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUlaunchAttribute {
    pub id: CUlaunchAttributeID,
    pub pad: [c_char; 4],
    pub value: CUlaunchAttributeValue,
}

#[repr(C)]
pub struct CUlaunchConfig {
    pub gridDimX: u32,
    pub gridDimY: u32,
    pub gridDimZ: u32,
    pub blockDimX: u32,
    pub blockDimY: u32,
    pub blockDimZ: u32,
    pub sharedMemBytes: u32,
    pub hStream: CUstream,
    pub attrs: *mut CUlaunchAttribute,
    pub numAttrs: u32,
}

#[repr(C)]
pub struct CUDA_MEMCPY2D {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcMemoryType: CUmemorytype,
    pub srcHost: *const c_void,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUarray,
    pub srcPitch: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstMemoryType: CUmemorytype,
    pub dstHost: *mut c_void,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUarray,
    pub dstPitch: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
}

#[repr(C, align(64))]
pub struct CUtensorMap {
    pub opaque: [u64; 16],
}

// The layouts of cuda.h on x86-64 and AArch64.
#[cfg(target_pointer_width = "64")]
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<ClusterDim>() == 12 && align_of::<ClusterDim>() == 4);
    assert!(offset_of!(ClusterDim, y) == 4);
    assert!(offset_of!(ClusterDim, z) == 8);
    assert!(size_of::<CUlaunchAttributeValue>() == 64 && align_of::<CUlaunchAttributeValue>() == 8);
    assert!(size_of::<CUlaunchAttribute>() == 72 && align_of::<CUlaunchAttribute>() == 8);
    assert!(offset_of!(CUlaunchAttribute, pad) == 4);
    assert!(offset_of!(CUlaunchAttribute, value) == 8);
    assert!(size_of::<CUlaunchConfig>() == 56 && align_of::<CUlaunchConfig>() == 8);
    assert!(offset_of!(CUlaunchConfig, gridDimZ) == 8);
    assert!(offset_of!(CUlaunchConfig, blockDimX) == 12);
    assert!(offset_of!(CUlaunchConfig, sharedMemBytes) == 24);
    assert!(offset_of!(CUlaunchConfig, hStream) == 32);
    assert!(offset_of!(CUlaunchConfig, attrs) == 40);
    assert!(offset_of!(CUlaunchConfig, numAttrs) == 48);
    assert!(size_of::<CUDA_MEMCPY2D>() == 128 && align_of::<CUDA_MEMCPY2D>() == 8);
    assert!(offset_of!(CUDA_MEMCPY2D, srcY) == 8);
    assert!(offset_of!(CUDA_MEMCPY2D, srcMemoryType) == 16);
    assert!(offset_of!(CUDA_MEMCPY2D, srcHost) == 24);
    assert!(offset_of!(CUDA_MEMCPY2D, srcDevice) == 32);
    assert!(offset_of!(CUDA_MEMCPY2D, srcArray) == 40);
    assert!(offset_of!(CUDA_MEMCPY2D, srcPitch) == 48);
    assert!(offset_of!(CUDA_MEMCPY2D, dstXInBytes) == 56);
    assert!(offset_of!(CUDA_MEMCPY2D, dstY) == 64);
    assert!(offset_of!(CUDA_MEMCPY2D, dstMemoryType) == 72);
    assert!(offset_of!(CUDA_MEMCPY2D, dstHost) == 80);
    assert!(offset_of!(CUDA_MEMCPY2D, dstDevice) == 88);
    assert!(offset_of!(CUDA_MEMCPY2D, dstArray) == 96);
    assert!(offset_of!(CUDA_MEMCPY2D, dstPitch) == 104);
    assert!(offset_of!(CUDA_MEMCPY2D, WidthInBytes) == 112);
    assert!(offset_of!(CUDA_MEMCPY2D, Height) == 120);
    assert!(size_of::<CUtensorMap>() == 128 && align_of::<CUtensorMap>() == 64);
};

/// The function `name`, which ends in NUL, looked up on first use; not generic, because rustc would compile it for each
/// type.
fn looked_up(found: &OnceLock<Option<AnyFunction>>, name: &str) -> Option<AnyFunction> {
    let find = || {
        // SAFETY: the symbol is a function, so a function pointer can hold it; this one does not call it.
        library().and_then(|library| unsafe { library.get(name.as_bytes()) }.ok().map(|f| *f))
    };
    *found.get_or_init(find)
}

/// Functions of the library, each looked up on first use. A function that the driver lacks returns "not supported".
macro_rules! functions {
    ($($name:ident($($argument:ident: $kind:ty),*);)*) => { $(
        /// The function of this name of the CUDA Driver API.
        ///
        /// # Safety
        /// The requirements of the function in the manual.
        #[allow(clippy::too_many_arguments, reason = "they are those of the manual")]
        pub unsafe fn $name($($argument: $kind),*) -> CUresult {
            type Function = unsafe extern "C" fn($($kind),*) -> CUresult;
            static FOUND: OnceLock<Option<AnyFunction>> = OnceLock::new();
            match looked_up(&FOUND, concat!(stringify!($name), "\0")) {
                // SAFETY: `Function` is the type of this function in cuda.h, and the caller meets the manual's
                // requirements for the arguments. The symbol stays valid, because the static `LIBRARY` is never closed.
                Some(function) => unsafe {
                    std::mem::transmute::<AnyFunction, Function>(function)($($argument),*)
                },
                None => CUresult::CUDA_ERROR_NOT_SUPPORTED,
            }
        }
    )* };
}

functions! {
    cuCtxEnablePeerAccess(peer_context: CUcontext, flags: u32);
    cuCtxSetCurrent(ctx: CUcontext);
    cuCtxSetLimit(limit: CUlimit, value: usize);
    cuCtxSynchronize();
    cuDeviceCanAccessPeer(can_access_peer: *mut i32, dev: CUdevice, peer_dev: CUdevice);
    cuDeviceGet(device: *mut CUdevice, ordinal: i32);
    cuDeviceGetAttribute(pi: *mut i32, attrib: CUdevice_attribute, dev: CUdevice);
    cuDeviceGetCount(count: *mut i32);
    cuDeviceGetName(name: *mut c_char, len: i32, dev: CUdevice);
    cuDeviceGetPCIBusId(pci_bus_id: *mut c_char, len: i32, dev: CUdevice);
    cuDevicePrimaryCtxRelease_v2(dev: CUdevice);
    cuDevicePrimaryCtxRetain(pctx: *mut CUcontext, dev: CUdevice);
    cuDeviceTotalMem_v2(bytes: *mut usize, dev: CUdevice);
    cuDriverGetVersion(driver_version: *mut i32);
    cuEventCreate(ph_event: *mut CUevent, flags: u32);
    cuEventDestroy_v2(h_event: CUevent);
    cuEventElapsedTime(p_milliseconds: *mut f32, h_start: CUevent, h_end: CUevent);
    cuEventQuery(h_event: CUevent);
    cuEventRecord(h_event: CUevent, h_stream: CUstream);
    cuEventSynchronize(h_event: CUevent);
    cuFuncGetAttribute(pi: *mut i32, attrib: CUfunction_attribute, hfunc: CUfunction);
    cuFuncGetParamInfo(func: CUfunction, param_index: usize, param_offset: *mut usize, param_size: *mut usize);
    cuFuncSetAttribute(hfunc: CUfunction, attrib: CUfunction_attribute, value: i32);
    cuGetErrorName(error: CUresult, p_str: *mut *const c_char);
    cuGetErrorString(error: CUresult, p_str: *mut *const c_char);
    cuGraphDestroy(h_graph: CUgraph);
    cuGraphExecDestroy(h_graph_exec: CUgraphExec);
    cuGraphGetNodes(h_graph: CUgraph, nodes: *mut CUgraphNode, num_nodes: *mut usize);
    cuGraphInstantiateWithFlags(ph_graph_exec: *mut CUgraphExec, h_graph: CUgraph, flags: u64);
    cuGraphLaunch(h_graph_exec: CUgraphExec, h_stream: CUstream);
    cuGraphUpload(h_graph_exec: CUgraphExec, h_stream: CUstream);
    cuInit(flags: u32);
    cuLaunchKernel(f: CUfunction, grid_dim_x: u32, grid_dim_y: u32, grid_dim_z: u32, block_dim_x: u32, block_dim_y: u32, block_dim_z: u32, shared_mem_bytes: u32, h_stream: CUstream, kernel_params: *mut *mut c_void, extra: *mut *mut c_void);
    cuLaunchKernelEx(config: *const CUlaunchConfig, f: CUfunction, kernel_params: *mut *mut c_void, extra: *mut *mut c_void);
    cuMemAlloc_v2(dptr: *mut CUdeviceptr, bytesize: usize);
    cuMemFreeHost(p: *mut c_void);
    cuMemFree_v2(dptr: CUdeviceptr);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemHostAlloc(pp: *mut *mut c_void, bytesize: usize, flags: u32);
    cuMemHostGetDevicePointer_v2(pdptr: *mut CUdeviceptr, p: *mut c_void, flags: u32);
    cuMemcpy2DUnaligned_v2(p_copy: *const CUDA_MEMCPY2D);
    cuMemcpyDtoDAsync_v2(dst_device: CUdeviceptr, src_device: CUdeviceptr, byte_count: usize, h_stream: CUstream);
    cuMemcpyDtoHAsync_v2(dst_host: *mut c_void, src_device: CUdeviceptr, byte_count: usize, h_stream: CUstream);
    cuMemcpyDtoH_v2(dst_host: *mut c_void, src_device: CUdeviceptr, byte_count: usize);
    cuMemcpyHtoDAsync_v2(dst_device: CUdeviceptr, src_host: *const c_void, byte_count: usize, h_stream: CUstream);
    cuMemcpyHtoD_v2(dst_device: CUdeviceptr, src_host: *const c_void, byte_count: usize);
    cuMemcpyPeerAsync(dst_device: CUdeviceptr, dst_context: CUcontext, src_device: CUdeviceptr, src_context: CUcontext, byte_count: usize, h_stream: CUstream);
    cuMemsetD8Async(dst_device: CUdeviceptr, uc: u8, n: usize, h_stream: CUstream);
    cuModuleGetFunction(hfunc: *mut CUfunction, hmod: CUmodule, name: *const c_char);
    cuModuleGetGlobal_v2(dptr: *mut CUdeviceptr, bytes: *mut usize, hmod: CUmodule, name: *const c_char);
    cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, num_options: u32, options: *mut CUjit_option, option_values: *mut *mut c_void);
    cuModuleUnload(hmod: CUmodule);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(num_blocks: *mut i32, func: CUfunction, block_size: i32, dynamic_smem_size: usize);
    cuStreamBeginCapture_v2(h_stream: CUstream, mode: CUstreamCaptureMode);
    cuStreamCreate(ph_stream: *mut CUstream, flags: u32);
    cuStreamDestroy_v2(h_stream: CUstream);
    cuStreamEndCapture(h_stream: CUstream, ph_graph: *mut CUgraph);
    cuStreamIsCapturing(h_stream: CUstream, capture_status: *mut CUstreamCaptureStatus);
    cuStreamSynchronize(h_stream: CUstream);
    cuStreamWaitEvent(h_stream: CUstream, h_event: CUevent, flags: u32);
    cuTensorMapEncodeIm2col(tensor_map: *mut CUtensorMap, tensor_data_type: CUtensorMapDataType, tensor_rank: u32, global_address: *mut c_void, global_dim: *const u64, global_strides: *const u64, pixel_box_lower_corner: *const i32, pixel_box_upper_corner: *const i32, channels_per_pixel: u32, pixels_per_column: u32, element_strides: *const u32, interleave: CUtensorMapInterleave, swizzle: CUtensorMapSwizzle, l2_promotion: CUtensorMapL2promotion, oob_fill: CUtensorMapFloatOOBfill);
    cuTensorMapEncodeTiled(tensor_map: *mut CUtensorMap, tensor_data_type: CUtensorMapDataType, tensor_rank: u32, global_address: *mut c_void, global_dim: *const u64, global_strides: *const u64, box_dim: *const u32, element_strides: *const u32, interleave: CUtensorMapInterleave, swizzle: CUtensorMapSwizzle, l2_promotion: CUtensorMapL2promotion, oob_fill: CUtensorMapFloatOOBfill);
}
