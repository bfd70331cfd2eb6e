//! Messages for NVIDIA libraries that ship only machine code. A message names a library once, when the library first
//! loads a module or requests a private interface. Merely linking the library gives no message, because its host
//! functions work.
//!
//! A module belongs to the file that contains its image or, if the library unpacked the image, to the nearest library
//! on the call stack.

use crate::api::warn;
use crate::modules::fatbin::{ImageError, for_architectures};
use crate::state::lock;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;

/// File name prefix, name, and remedy of each library. cuSPARSE is missing on purpose: it requests private interfaces,
/// but ships PTX and works.
const LIBRARIES: &[(&str, &str, &str)] = &[
    ("libcufftw", "cuFFTW", FFTW),
    ("libcufft", "NVIDIA's cuFFT", FFT),
    ("libcurand", "NVIDIA's cuRAND", FIRST),
    ("libcusolver", "NVIDIA's cuSOLVER", SOLVE),
    ("libcudnn", "cuDNN", ELSE),
    ("libcutensor", "cuTENSOR", ELSE),
    ("libnpp", "NPP", ELSE),
    ("libnvjpeg", "nvJPEG", ELSE),
    ("libnvcomp", "nvCOMP", ELSE),
    ("libcublas", "NVIDIA's cuBLAS", FIRST),
    ("libnccl", "NVIDIA's NCCL", FIRST),
];

const FFTW: &str = "transform by FFTW on the host, or call cuFFT's own functions, for which Lanework has a stand-in";
const FFT: &str = "Lanework has a stand-in: build it beside the command by `cargo build --release -p lanework-cufft`, and run the program by `lanework exec`; if it \
                   is already built, the program loads NVIDIA's library by its path: link without an -rpath to it; kernels of cuFFTDx's headers run unchanged";
const SOLVE: &str = "Lanework has a stand-in for its dense functions: build it beside the command by `cargo build --release -p lanework-cusolver`, and run the program by \
                     `lanework exec`; if it is already built, the program loads NVIDIA's library by its path: link without an -rpath to it";
const ELSE: &str = "do this part on the host or by the program's own kernels, compiled with PTX, or run it on a GPU; kernels with PTX in the same program run";
const FIRST: &str = "Lanework has a stand-in, but the program loads NVIDIA's library by its path: link without an -rpath to it, so that the program finds the library \
                     by LD_LIBRARY_PATH, which `lanework exec` sets";

/// A library, identified by one of its files.
struct LoadedLibrary {
    file: String,
    name: &'static str,
    instead: &'static str,
}

impl LoadedLibrary {
    /// Identifies the library of a file.
    fn open(file: String) -> Option<LoadedLibrary> {
        let plain = file.rsplit('/').next().filter(|plain| plain.contains(".so"))?;
        let (_, name, instead) = LIBRARIES.iter().find(|(prefix, ..)| plain.starts_with(prefix))?;
        Some(LoadedLibrary { name, instead, file })
    }

    /// Reports once that the library does not run here.
    fn warn(&self, architectures: &str) {
        static NAMED: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
        if lock(&NAMED).insert(self.name) {
            warn(
                &format!("{} computes nothing on the emulated GPU", self.name),
                &format!(
                    "{} holds machine code{architectures} and no PTX, so its calls fail\n  = help: {}",
                    self.file, self.instead
                ),
            );
        }
    }
}

/// Reports why a module image is refused, with its file.
pub fn say_refused(image: usize, refused: &ImageError) {
    let ImageError::MachineCode(sms) = refused else {
        return warn("a module is not loaded", refused);
    };
    let file = file_of(image);
    let library = file.iter().cloned().chain(callers()).find_map(LoadedLibrary::open);
    match (library, file) {
        (Some(library), _) => library.warn(&for_architectures(sms)),
        (None, Some(file)) => {
            // Files whose modules were refused, so that each is reported once.
            static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
            if lock(&SAID).insert(file.clone()) {
                warn(&format!("a module of {file} is not loaded"), refused);
            }
        }
        (None, None) => warn("a module is not loaded", refused),
    }
}

/// Reports which library requested a private interface.
pub fn say_caller() {
    if let Some(library) = callers().into_iter().find_map(LoadedLibrary::open) {
        library.warn("");
    }
}

/// The file that contains an address.
fn file_of(address: usize) -> Option<String> {
    // SAFETY: zero is a valid value for all fields, which are pointers.
    let mut found: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: `dladdr` only looks up the address, and fills `found`.
    let known = unsafe { libc::dladdr(address as *const c_void, &mut found) } != 0;
    // SAFETY: `dladdr` returns a C string that is valid while the file is loaded.
    let name =
        (known && !found.dli_fname.is_null()).then(|| unsafe { CStr::from_ptr(found.dli_fname) });
    name.map(|name| name.to_string_lossy().into_owned())
}

unsafe extern "C" {
    fn _Unwind_Backtrace(
        step: extern "C" fn(*mut c_void, *mut c_void) -> i32,
        to: *mut c_void,
    ) -> i32;
    fn _Unwind_GetIP(frame: *mut c_void) -> usize;
}

/// Maximum stack frames to search.
const FRAMES: usize = 64;

extern "C" fn step(frame: *mut c_void, to: *mut c_void) -> i32 {
    // SAFETY: `callers` passes a pointer to its list, and the unwinder passes a valid frame.
    let (list, address) = unsafe { (&mut *to.cast::<Vec<usize>>(), _Unwind_GetIP(frame)) };
    list.push(address);
    // 5 (`_URC_END_OF_STACK`) stops the walk.
    if list.len() < FRAMES { 0 } else { 5 }
}

/// Files of the calling functions, nearest first.
fn callers() -> Vec<String> {
    let mut list: Vec<usize> = Vec::with_capacity(FRAMES);
    // SAFETY: `list` outlives the walk.
    unsafe { _Unwind_Backtrace(step, (&raw mut list).cast()) };
    list.into_iter().filter_map(file_of).collect()
}

#[cfg(test)]
mod tests {
    use super::LoadedLibrary;

    #[test]
    fn libraries_are_known_by_their_files() {
        let name = |path: &str| LoadedLibrary::open(path.to_owned()).map(|library| library.name);
        assert_eq!(name("/usr/lib/libcufft.so.12"), Some("NVIDIA's cuFFT"));
        assert_eq!(name("/a/libcufftw.so"), Some("cuFFTW"));
        assert_eq!(name("libcudnn_ops.so.9"), Some("cuDNN"));
        assert_eq!(name("/opt/nvidia/libnppig.so.13.0.1"), Some("NPP"));
        assert_eq!(name("/opt/nvidia/libcusparse.so.12"), None);
        assert_eq!(name("./program"), None);
        assert_eq!(name("/libcufft/program"), None);
        assert_eq!(name("libcuda.so.1"), None);
    }
}
