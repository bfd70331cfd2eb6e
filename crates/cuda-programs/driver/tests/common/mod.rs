//! Calls the driver as programs do: functions by name, with C's types.

#![allow(dead_code, reason = "each test uses some of these")]

use std::ffi::{CString, c_char, c_void};
use std::process::Command;

// Links the library's functions into the tests.
use lanework_libcuda as _;

unsafe extern "C" {
    /// The address of a function, by its name and a CUDA version.
    pub fn cuGetProcAddress_v2(
        name: *const c_char,
        to: *mut *const c_void,
        version: i32,
        flags: u64,
        status: *mut i32,
    ) -> i32;
}

/// The address of a function in CUDA 13.0.
pub fn address(name: &str) -> *const c_void {
    let text = CString::new(name).expect("a name");
    let (mut to, mut status) = (std::ptr::null(), 0);
    // SAFETY: the text ends with a zero byte, and the results have their types.
    let code = unsafe { cuGetProcAddress_v2(text.as_ptr(), &mut to, 13_000, 0, &mut status) };
    assert_eq!((code, status, to.is_null()), (0, 0, false), "{name}");
    to
}

/// Calls a driver function by name. Arguments are given with their C types.
macro_rules! call {
    ($name:literal($($argument:expr => $type:ty),* $(,)?)) => {{
        // SAFETY: the signature is the function's, and the arguments are valid for it.
        unsafe {
            let function: unsafe extern "C" fn($($type),*) -> i32 = std::mem::transmute($crate::common::address($name));
            function($($argument),*)
        }
    }};
}

/// A new context, current on this thread, so tests do not see each other's errors.
pub fn context() -> u64 {
    assert_eq!(call!("cuInit"(0 => u32)), 0);
    let mut context = 0u64;
    assert_eq!(
        call!("cuCtxCreate"(&mut context => *mut u64, std::ptr::null() => *const c_void, 0 => u32, 0 => i32)),
        0
    );
    context
}

/// Loads zero-terminated PTX; returns the module and one of its kernels.
pub fn load(ptx: &str, name: &str) -> (u64, u64) {
    assert!(ptx.ends_with('\0'));
    let (mut module, mut function) = (0u64, 0u64);
    assert_eq!(
        call!("cuModuleLoadData"(&mut module => *mut u64, ptx.as_ptr().cast() => *const c_void)),
        0
    );
    let name = CString::new(name).expect("a name");
    assert_eq!(
        call!("cuModuleGetFunction"(&mut function => *mut u64, module => u64, name.as_ptr() => *const c_char)),
        0
    );
    (module, function)
}

/// Loads a kernel from zero-terminated PTX.
pub fn kernel(ptx: &str, name: &str) -> u64 {
    load(ptx, name).1
}

/// Runs a kernel with one block and eight-byte arguments.
pub fn launch(function: u64, threads: u32, arguments: &[u64]) -> i32 {
    let mut places: Vec<*const u64> = arguments.iter().map(std::ptr::from_ref).collect();
    let code = call!("cuLaunchKernel"(
        function => u64, 1 => u32, 1 => u32, 1 => u32, threads => u32, 1 => u32, 1 => u32, 0 => u32, 0 => u64,
        places.as_mut_ptr() => *mut *const u64, std::ptr::null() => *const c_void
    ));
    if code != 0 { code } else { call!("cuCtxSynchronize"(0 => u64)) }
}

/// Allocates device memory.
pub fn allocate(bytes: usize) -> u64 {
    let mut device = 0u64;
    assert_eq!(call!("cuMemAlloc"(&mut device => *mut u64, bytes => usize)), 0);
    device
}

/// Copies from device memory.
pub fn download<T: Copy + Default>(device: u64, count: usize) -> Vec<T> {
    let mut values = vec![T::default(); count];
    let bytes = count * size_of::<T>();
    let code = call!("cuMemcpyDtoH"(values.as_mut_ptr().cast() => *mut c_void, device => u64, bytes => usize));
    assert_eq!(code, 0);
    values
}

/// Copies to device memory.
pub fn upload<T>(device: u64, values: &[T]) {
    let bytes = size_of_val(values);
    assert_eq!(
        call!("cuMemcpyHtoD"(device => u64, values.as_ptr().cast() => *const c_void, bytes => usize)),
        0
    );
}

/// The variable that names the test to run alone in a process.
const ALONE: &str = "LANEWORK_TEST_ALONE";

/// Whether this process runs only this test. If not, runs the test in a new process, and checks that it succeeds.
pub fn is_alone(test: &str) -> bool {
    if std::env::var(ALONE).is_ok_and(|alone| alone == test) {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    let output = command.args([test, "--exact", "--nocapture"]).env(ALONE, test).output();
    let output = output.expect("this program starts");
    let [out, errors] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success(), "{test} alone: {}\n{out}{errors}", output.status);
    assert!(out.contains("1 passed"), "no test is named {test}:\n{out}");
    false
}
