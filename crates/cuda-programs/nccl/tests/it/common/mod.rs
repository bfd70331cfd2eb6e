//! The stand-in loaded by `dlopen` along with the driver, as programs do, on memory of four emulated GPUs.

#![allow(dead_code, reason = "each test uses a part")]

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::{CStr, c_char, c_void};
use std::sync::OnceLock;

// Makes cargo build the shared library.
use lanework_libcuda as _;

pub const GPUS: usize = 4;

struct Libraries {
    cuda: Library,
    nccl: Library,
}

fn libraries() -> &'static Libraries {
    static LIBRARIES: OnceLock<Libraries> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        // SAFETY: every test calls this before anything else, under the lock of the `OnceLock`, so no other thread reads the environment
        // meanwhile.
        unsafe { std::env::set_var("LANEWORK_GPUS", GPUS.to_string()) };
        let here = std::env::current_exe().expect("a path").parent().expect("a folder").to_owned();
        let open = |name: &str| {
            let near = [here.join(name), here.parent().expect("a folder").join(name)];
            let path =
                near.into_iter().find(|path| path.exists()).expect("cargo builds the library");
            // SAFETY: cargo built these libraries from this workspace; loading them runs no initializers.
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.expect("a library")
        };
        Libraries { cuda: open("liblanework_libcuda.so"), nccl: open("liblanework_nccl.so") }
    })
}

/// A function of a library, typed by the variable that receives it.
fn get<T: Copy>(library: &Library, name: &str) -> T {
    // SAFETY: every caller names the type of the function in CUDA's or NCCL's header.
    *unsafe { library.get::<T>(name.as_bytes()) }.unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn cuda<T: Copy>(name: &str) -> T {
    get(&libraries().cuda, name)
}

pub fn nccl<T: Copy>(name: &str) -> T {
    get(&libraries().nccl, name)
}

/// Calls a function of NCCL with arguments of these types.
#[macro_export]
macro_rules! nccl {
    ($name:literal($($argument:expr => $type:ty),* $(,)?)) => {{
        let function: extern "C" fn($($type),*) -> i32 = $crate::common::nccl($name);
        function($($argument),*)
    }};
}

/// Calls a driver function and asserts success.
#[macro_export]
macro_rules! cuda {
    ($name:literal($($argument:expr => $type:ty),* $(,)?)) => {{
        let function: extern "C" fn($($type),*) -> i32 = $crate::common::cuda($name);
        assert_eq!(function($($argument),*), 0, $name);
    }};
}

/// Makes a device current on this thread, like cudaSetDevice.
pub fn device(ordinal: usize) {
    let mut context = 0u64;
    cuda!("cuInit"(0 => u32));
    cuda!("cuDevicePrimaryCtxRetain"(&mut context => *mut u64, ordinal as i32 => i32));
    cuda!("cuCtxSetCurrent"(context => u64));
}

/// Uploads values to new memory of the thread's device.
pub fn upload<T: Copy>(from: &[T]) -> u64 {
    let mut at = 0u64;
    cuda!("cuMemAlloc_v2"(&mut at => *mut u64, size_of_val(from).max(1) => usize));
    cuda!("cuMemcpyHtoD_v2"(at => u64, from.as_ptr().cast() => *const c_void, size_of_val(from) => usize));
    at
}

pub fn download<T: Copy + Default>(at: u64, count: usize) -> Vec<T> {
    let mut to = vec![T::default(); count];
    cuda!("cuMemcpyDtoH_v2"(to.as_mut_ptr().cast() => *mut c_void, at => u64, size_of::<T>() * count => usize));
    to
}

/// `ncclUniqueId`, by value.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Id(pub [u8; 128]);

pub fn unique_id() -> Id {
    device(0);
    let mut id = Id([0; 128]);
    assert_eq!(nccl!("ncclGetUniqueId"(&mut id => *mut Id)), 0);
    id
}

pub fn join(id: Id, rank: usize, size: usize) -> Result<usize, i32> {
    let mut made = 0usize;
    let code = nccl!("ncclCommInitRank"(&mut made => *mut usize, size as i32 => i32, id => Id, rank as i32 => i32));
    if code == 0 { Ok(made) } else { Err(code) }
}

/// Runs a body for each rank in a thread, with its own device and communicator.
pub fn ranks<T: Send>(size: usize, body: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
    let id = unique_id();
    std::thread::scope(|scope| {
        let body = &body;
        let start = |rank| {
            scope.spawn(move || {
                device(rank);
                let communicator = join(id, rank, size).expect("all ranks come");
                body(rank, communicator)
            })
        };
        let threads: Vec<_> = (0..size).map(start).collect();
        threads.into_iter().map(|thread| thread.join().expect("a rank")).collect()
    })
}

/// The message of this thread's last failure.
pub fn last_error() -> String {
    let last: extern "C" fn(usize) -> *const c_char = nccl("ncclGetLastError");
    // SAFETY: `ncclGetLastError` returns a zero-terminated text that stays until the thread's next failure.
    unsafe { CStr::from_ptr(last(0)) }.to_string_lossy().into_owned()
}

pub fn destroy(communicator: usize) {
    assert_eq!(nccl!("ncclCommDestroy"(communicator => usize)), 0);
}

/// The numbers of types and reductions in NCCL's header.
pub const I32: i32 = 2;
pub const F32: i32 = 7;
pub const F64: i32 = 8;
pub const SUM: i32 = 0;

pub fn all_reduce(
    from: u64,
    to: u64,
    count: usize,
    (element, reduction): (i32, i32),
    communicator: usize,
) -> i32 {
    nccl!("ncclAllReduce"(from => u64, to => u64, count => usize, element => i32, reduction => i32, communicator => usize, 0 => usize))
}
