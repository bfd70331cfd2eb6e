//! A stand-in for an NVIDIA library, used as by programs: loaded with `dlopen` after the driver, on device memory. The
//! including module names the library's file in `NAME`.

#![allow(dead_code, reason = "each test uses some of these")]

use super::NAME;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::c_void;
use std::sync::OnceLock;

pub struct Libraries {
    pub cuda: Library,
    pub own: Library,
}

pub fn libraries() -> &'static Libraries {
    static LIBRARIES: OnceLock<Libraries> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        let here = std::env::current_exe().expect("a path").parent().expect("a folder").to_owned();
        let open = |name: &str| {
            let near = [here.join(name), here.parent().expect("a folder").join(name)];
            let path =
                near.into_iter().find(|path| path.exists()).expect("cargo builds the library");
            // SAFETY: our own libraries.
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.expect("a library")
        };
        Libraries { cuda: open("liblanework_libcuda.so"), own: open(NAME) }
    })
}

/// A function of a library, cast to the requested type.
pub fn get<T: Copy>(library: &Library, name: &str) -> T {
    // SAFETY: the tests give the types of CUDA's headers.
    *unsafe { library.get::<T>(name.as_bytes()) }.unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn context() {
    let cuda = &libraries().cuda;
    let init: extern "C" fn(u32) -> i32 = get(cuda, "cuInit");
    let retain: extern "C" fn(*mut usize, i32) -> i32 = get(cuda, "cuDevicePrimaryCtxRetain");
    let set: extern "C" fn(usize) -> i32 = get(cuda, "cuCtxSetCurrent");
    let mut context = 0;
    assert_eq!((init(0), retain(&mut context, 0), set(context)), (0, 0, 0));
}

/// Allocates device memory.
pub fn allocate(bytes: usize) -> u64 {
    let alloc: extern "C" fn(*mut u64, usize) -> i32 = get(&libraries().cuda, "cuMemAlloc_v2");
    let mut at = 0;
    assert_eq!(alloc(&mut at, bytes), 0);
    at
}

pub fn upload<T>(at: u64, from: &[T]) {
    let copy: extern "C" fn(u64, *const c_void, usize) -> i32 =
        get(&libraries().cuda, "cuMemcpyHtoD_v2");
    assert_eq!(copy(at, from.as_ptr().cast(), size_of_val(from)), 0);
}

pub fn download<T: Copy + Default>(at: u64, count: usize) -> Vec<T> {
    let copy: extern "C" fn(*mut c_void, u64, usize) -> i32 =
        get(&libraries().cuda, "cuMemcpyDtoH_v2");
    let mut to = vec![T::default(); count];
    assert_eq!(copy(to.as_mut_ptr().cast(), at, size_of::<T>() * count), 0);
    to
}

/// Calls a function of the stand-in. Arguments are given with their C types.
#[allow(unused_macros)]
macro_rules! call {
    ($name:expr $(, $argument:expr => $type:ty)* $(,)?) => {{
        let function: extern "C" fn($($type),*) -> i32 =
            $crate::common::get(&$crate::common::libraries().own, $name);
        function($($argument),*)
    }};
}
