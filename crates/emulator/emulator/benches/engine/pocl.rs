//! `PoCL` as a subject: the same kernels, in OpenCL C, compiled for this processor and run by one thread or by two; and the
//! few `OpenCL` calls that this needs, found in the system's loader at run time.

use crate::cases::Case;
use crate::job::{Argument, Job};
use crate::machine::Machine;
use crate::measure::{Candidate, Engine, Label, Subject};
use libloading::Library;
use std::ffi::{CString, c_char, c_void};
use std::ptr::{from_ref, null, null_mut};

/// The name of `PoCL`'s platform.
const NAME: &str = "Portable Computing Language";

/// `PoCL`'s CPU device.
pub struct Platform {
    api: &'static Api,
    device: Handle,
    compute_units: u32,
}

impl Platform {
    /// Finds it, or says why it cannot be measured.
    pub fn open() -> Result<Platform, String> {
        let api = Api::load()?;
        let mut platforms = [null_mut(); 16];
        let mut count = 0;
        // SAFETY: room for 16 platforms and one count.
        check("clGetPlatformIDs", unsafe {
            (api.get_platforms)(16, platforms.as_mut_ptr(), &raw mut count)
        })?;
        for &platform in platforms.iter().take(count as usize) {
            let mut name = [0u8; 64];
            // SAFETY: a live platform, and room for 64 bytes of name.
            let code = unsafe {
                let room = name.as_mut_ptr().cast();
                (api.get_platform_info)(platform, PLATFORM_NAME, 64, room, null_mut())
            };
            if code == SUCCESS && name.starts_with(NAME.as_bytes()) {
                return Platform::cpu(api, platform);
            }
        }
        Err("the OpenCL loader knows no PoCL; install pocl-opencl-icd".to_owned())
    }

    fn cpu(api: &'static Api, platform: Handle) -> Result<Platform, String> {
        let (mut device, mut compute_units) = (null_mut(), 0u32);
        // SAFETY: a live platform, and room for one device.
        check("clGetDeviceIDs", unsafe {
            (api.get_devices)(platform, CPU, 1, &raw mut device, null_mut())
        })?;
        // SAFETY: a live device, and room for one 32-bit count.
        check("clGetDeviceInfo", unsafe {
            let room = (&raw mut compute_units).cast();
            (api.get_device_info)(device, COMPUTE_UNITS, 4, room, null_mut())
        })?;
        Ok(Platform { api, device, compute_units })
    }

    /// The kernel with as many threads as the emulator is given workers.
    pub fn subjects(&self, case: &'static Case, job: &Job, machine: &Machine) -> Vec<Candidate> {
        let subject = |workers| {
            let native = Native::set_up(self, case, job, workers);
            native.map(|native| Box::new(native) as Box<dyn Subject>)
        };
        let label = |workers| Label { engine: Engine::Pocl, workers };
        machine.workers().map(|workers| (label(workers), subject(workers))).collect()
    }

    /// A device with this many threads: the whole device or a part of it.
    fn device_of(&self, threads: usize) -> Result<Handle, String> {
        if threads == self.compute_units as usize {
            return Ok(self.device);
        }
        let counts = [PARTITION_BY_COUNTS, threads as isize, 0, 0];
        let mut part = null_mut();
        // SAFETY: a live device, a list that ends in zero, and room for one part.
        check("clCreateSubDevices", unsafe {
            (self.api.create_sub_devices)(
                self.device,
                counts.as_ptr(),
                1,
                &raw mut part,
                null_mut(),
            )
        })?;
        Ok(part)
    }
}

/// A kernel built for a device, with its buffers.
struct Native {
    api: &'static Api,
    queue: Handle,
    kernel: Handle,
    output: Handle,
    output_bytes: usize,
    global: [usize; 3],
    local: [usize; 3],
}

impl Native {
    fn set_up(
        platform: &Platform,
        case: &Case,
        job: &Job,
        threads: usize,
    ) -> Result<Native, String> {
        let api = platform.api;
        let device = platform.device_of(threads)?;
        // SAFETY: one live device.
        let context = made("clCreateContext", |code| unsafe {
            (api.create_context)(null(), 1, &raw const device, None, null_mut(), code)
        })?;
        // SAFETY: a live context and its device.
        let queue = made("clCreateCommandQueue", |code| unsafe {
            (api.create_queue)(context, device, 0, code)
        })?;
        let kernel = build(api, context, device, case)?;
        let mut buffers = Vec::new();
        for buffer in &job.buffers {
            let bytes = buffer.contents.len();
            // SAFETY: a live context and no host memory.
            let handle = made("clCreateBuffer", |code| unsafe {
                (api.create_buffer)(context, READ_WRITE, bytes, null_mut(), code)
            })?;
            write(api, queue, handle, &buffer.contents)?;
            buffers.push(handle);
        }
        for (index, argument) in (0..).zip(&job.arguments) {
            let (size, value): (usize, *const c_void) = match argument {
                Argument::Int(value) => (4, from_ref(value).cast()),
                Argument::Float(value) => (4, from_ref(value).cast()),
                Argument::Buffer(buffer) => {
                    (size_of::<Handle>(), from_ref(&buffers[*buffer]).cast())
                }
            };
            // SAFETY: a live kernel; `value` points to `size` bytes, which the call copies.
            check("clSetKernelArg", unsafe { (api.set_argument)(kernel, index, size, value) })?;
        }
        let local = case.block.map(|threads| threads as usize);
        Ok(Native {
            api,
            queue,
            kernel,
            output: buffers[job.output()],
            output_bytes: job.buffers[job.output()].contents.len(),
            global: [0, 1, 2].map(|axis| case.grid[axis] as usize * local[axis]),
            local,
        })
    }
}

/// Compiles the kernel's source.
fn build(api: &Api, context: Handle, device: Handle, case: &Case) -> Result<Handle, String> {
    let (text, length) = (case.opencl.as_ptr().cast(), case.opencl.len());
    // SAFETY: a live context, and one text of `length` bytes.
    let program = made("clCreateProgramWithSource", |code| unsafe {
        (api.create_program)(context, 1, &raw const text, &raw const length, code)
    })?;
    // SAFETY: a live program and its device; the options end in a zero byte.
    let built = check("clBuildProgram", unsafe {
        let options = c"-cl-std=CL1.2".as_ptr();
        (api.build_program)(program, 1, &raw const device, options, None, null_mut())
    });
    if let Err(why) = built {
        let mut log = [0u8; 2000];
        // SAFETY: a live program and its device, and room for 2000 bytes; the code is not needed,
        // because the log stays empty without one.
        unsafe {
            let room = log.as_mut_ptr().cast();
            (api.get_build_info)(program, device, BUILD_LOG, 2000, room, null_mut());
        }
        let log = String::from_utf8_lossy(&log);
        return Err(format!("{why}: {}", log.trim_end_matches('\0')));
    }
    let name = CString::new(case.name).map_err(|error| error.to_string())?;
    // SAFETY: a built program, and a name that ends in a zero byte.
    made("clCreateKernel", |code| unsafe { (api.create_kernel)(program, name.as_ptr(), code) })
}

fn write(api: &Api, queue: Handle, buffer: Handle, bytes: &[u8]) -> Result<(), String> {
    let (length, data) = (bytes.len(), bytes.as_ptr().cast());
    // SAFETY: a live buffer of that length; the call blocks until the bytes are copied.
    check("clEnqueueWriteBuffer", unsafe {
        (api.write)(queue, buffer, 1, 0, length, data, 0, null(), null_mut())
    })
}

impl Subject for Native {
    fn run(&mut self) -> Result<(), String> {
        let (global, local) = (self.global.as_ptr(), self.local.as_ptr());
        // SAFETY: a live kernel with all arguments set, and three extents each.
        check("clEnqueueNDRangeKernel", unsafe {
            (self.api.launch)(
                self.queue,
                self.kernel,
                3,
                null(),
                global,
                local,
                0,
                null(),
                null_mut(),
            )
        })?;
        // SAFETY: a live queue.
        check("clFinish", unsafe { (self.api.finish)(self.queue) })
    }

    fn write_output(&mut self, bytes: &[u8]) -> Result<(), String> {
        write(self.api, self.queue, self.output, bytes)
    }

    fn read_output(&mut self) -> Result<Vec<u8>, String> {
        let mut bytes = vec![0u8; self.output_bytes];
        let (length, data) = (bytes.len(), bytes.as_mut_ptr().cast());
        // SAFETY: a live buffer of that length; the call blocks until the bytes are there.
        check("clEnqueueReadBuffer", unsafe {
            (self.api.read)(self.queue, self.output, 1, 0, length, data, 0, null(), null_mut())
        })?;
        Ok(bytes)
    }
}

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
