//! The few `OpenCL` calls that the comparison needs, found in the system's loader at run time. Names
//! and numbers follow the `OpenCL` 1.2 specification.

use libloading::Library;
use std::ffi::{c_char, c_void};

/// A platform, device, context, queue, program, kernel or buffer.
pub type Handle = *mut c_void;

/// Success.
pub const SUCCESS: i32 = 0;
/// `CL_DEVICE_TYPE_CPU`.
pub const CPU: u64 = 2;
/// `CL_PLATFORM_NAME`.
pub const PLATFORM_NAME: u32 = 0x0902;
/// `CL_DEVICE_MAX_COMPUTE_UNITS`.
pub const COMPUTE_UNITS: u32 = 0x1002;
/// `CL_DEVICE_PARTITION_BY_COUNTS`.
pub const PARTITION_BY_COUNTS: isize = 0x1087;
/// `CL_PROGRAM_BUILD_LOG`.
pub const BUILD_LOG: u32 = 0x1183;
/// `CL_MEM_READ_WRITE`.
pub const READ_WRITE: u64 = 1;

type Properties = *const isize;
type Notify = Option<extern "C" fn()>;
type Query = unsafe extern "C" fn(Handle, u32, usize, *mut c_void, *mut usize) -> i32;
type Transfer<Bytes> = unsafe extern "C" fn(
    Handle,
    Handle,
    u32,
    usize,
    usize,
    Bytes,
    u32,
    *const Handle,
    *mut Handle,
) -> i32;

/// The loaded library's entry points.
#[allow(missing_docs, reason = "each is the call of that name in the specification")]
pub struct Api {
    pub get_platforms: unsafe extern "C" fn(u32, *mut Handle, *mut u32) -> i32,
    pub get_platform_info: Query,
    pub get_devices: unsafe extern "C" fn(Handle, u64, u32, *mut Handle, *mut u32) -> i32,
    pub get_device_info: Query,
    pub create_sub_devices:
        unsafe extern "C" fn(Handle, Properties, u32, *mut Handle, *mut u32) -> i32,
    pub create_context: unsafe extern "C" fn(
        Properties,
        u32,
        *const Handle,
        Notify,
        *mut c_void,
        *mut i32,
    ) -> Handle,
    pub create_queue: unsafe extern "C" fn(Handle, Handle, u64, *mut i32) -> Handle,
    pub create_program:
        unsafe extern "C" fn(Handle, u32, *const *const c_char, *const usize, *mut i32) -> Handle,
    pub build_program:
        unsafe extern "C" fn(Handle, u32, *const Handle, *const c_char, Notify, *mut c_void) -> i32,
    pub get_build_info:
        unsafe extern "C" fn(Handle, Handle, u32, usize, *mut c_void, *mut usize) -> i32,
    pub create_kernel: unsafe extern "C" fn(Handle, *const c_char, *mut i32) -> Handle,
    pub set_argument: unsafe extern "C" fn(Handle, u32, usize, *const c_void) -> i32,
    pub create_buffer: unsafe extern "C" fn(Handle, u64, usize, *mut c_void, *mut i32) -> Handle,
    pub write: Transfer<*const c_void>,
    pub read: Transfer<*mut c_void>,
    pub launch: unsafe extern "C" fn(
        Handle,
        Handle,
        u32,
        *const usize,
        *const usize,
        *const usize,
        u32,
        *const Handle,
        *mut Handle,
    ) -> i32,
    pub finish: unsafe extern "C" fn(Handle) -> i32,
}

impl Api {
    /// Loads `libOpenCL.so.1`, or says why not. It stays loaded: its threads outlive every handle.
    pub fn load() -> Result<&'static Api, String> {
        // SAFETY: the loader's initialization has no preconditions.
        let library = unsafe { Library::new("libOpenCL.so.1") }
            .map_err(|error| format!("no OpenCL loader ({error}); install ocl-icd-libopencl1"))?;
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: each name is given the type that the specification gives it.
        let api = unsafe {
            Api {
                get_platforms: find(library, "clGetPlatformIDs")?,
                get_platform_info: find(library, "clGetPlatformInfo")?,
                get_devices: find(library, "clGetDeviceIDs")?,
                get_device_info: find(library, "clGetDeviceInfo")?,
                create_sub_devices: find(library, "clCreateSubDevices")?,
                create_context: find(library, "clCreateContext")?,
                create_queue: find(library, "clCreateCommandQueue")?,
                create_program: find(library, "clCreateProgramWithSource")?,
                build_program: find(library, "clBuildProgram")?,
                get_build_info: find(library, "clGetProgramBuildInfo")?,
                create_kernel: find(library, "clCreateKernel")?,
                set_argument: find(library, "clSetKernelArg")?,
                create_buffer: find(library, "clCreateBuffer")?,
                write: find(library, "clEnqueueWriteBuffer")?,
                read: find(library, "clEnqueueReadBuffer")?,
                launch: find(library, "clEnqueueNDRangeKernel")?,
                finish: find(library, "clFinish")?,
            }
        };
        Ok(Box::leak(Box::new(api)))
    }
}

/// # Safety
/// `T` must be the type of the function of this name.
unsafe fn find<T: Copy>(library: &'static Library, name: &str) -> Result<T, String> {
    // SAFETY: `T` is the type of the function of this name, as this function requires.
    let symbol = unsafe { library.get::<T>(name.as_bytes()) };
    symbol.map(|symbol| *symbol).map_err(|error| format!("the OpenCL loader lacks {name}: {error}"))
}

/// An error code as a result.
pub fn check(call: &str, code: i32) -> Result<(), String> {
    if code == SUCCESS { Ok(()) } else { Err(format!("{call} failed with OpenCL error {code}")) }
}

/// A handle from a call that reports its error through its last argument.
pub fn made(call: &str, make: impl FnOnce(*mut i32) -> Handle) -> Result<Handle, String> {
    let mut code = SUCCESS;
    let handle = make(&raw mut code);
    check(call, code).map(|()| handle)
}
