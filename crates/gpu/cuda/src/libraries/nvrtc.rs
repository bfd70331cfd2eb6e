//! NVRTC, NVIDIA's run-time compiler of CUDA C++, loaded at run time.
//!
//! NVRTC compiles CUDA C++ to PTX and needs neither a GPU nor a driver. It does not contain CUDA's headers;
//! [`header_folders`] finds the ones that a toolkit or pip installed.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::driver::library;

type Program = *mut c_void;
/// An `nvrtcResult`; a plain number, since newer libraries may return newer ones.
type Status = c_int;

/// File names of the library, newest first, and the folders where toolkits install it.
#[cfg(not(windows))]
const NAMES: [&str; 6] = [
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "libnvrtc.so.11.2",
    "libnvrtc.so",
    "/usr/local/cuda/lib64/libnvrtc.so",
    "/opt/cuda/lib64/libnvrtc.so",
];
#[cfg(windows)]
const NAMES: [&str; 3] = ["nvrtc64_130_0.dll", "nvrtc64_120_0.dll", "nvrtc64_112_0.dll"];

type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status;
type Size = unsafe extern "C" fn(Program, *mut usize) -> Status;
type Fill = unsafe extern "C" fn(Program, *mut c_char) -> Status;
type Destroy = unsafe extern "C" fn(*mut Program) -> Status;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
type Describe = unsafe extern "C" fn(Status) -> *const c_char;

struct Functions {
    create: Create,
    compile: Compile,
    ptx_size: Size,
    ptx: Fill,
    log_size: Size,
    log: Fill,
    destroy: Destroy,
    describe: Describe,
    version: Version,
}

/// The reason why a source was not compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NvrtcError {
    /// The library is missing, or lacks a function; in one line.
    Missing(String),
    /// The compiler's log.
    Compile(String),
    /// The library failed; in one line.
    Library(String),
}

/// The library, searched for once: the file that `LANEWORK_NVRTC` names, the usual names, and pip's folders.
///
/// # Errors
/// The reason why it cannot be used, in one line.
fn functions() -> Result<&'static Functions, String> {
    static FOUND: OnceLock<Result<Functions, String>> = OnceLock::new();
    FOUND.get_or_init(load).as_ref().map_err(String::clone)
}

fn load() -> Result<Functions, String> {
    let named = std::env::var_os("LANEWORK_NVRTC").map(PathBuf::from);
    named.iter().for_each(|library| load_builtins(library));
    if let Some(file) = &named
        && library::find([file.as_path()]).is_none()
    {
        return Err(format!(
            "LANEWORK_NVRTC names {}, which is not a library that can be loaded",
            file.display()
        ));
    }
    let candidates = named.as_deref().into_iter().chain(NAMES.iter().map(Path::new));
    let of_pip = || {
        pip_libraries().into_iter().find_map(|file| {
            load_builtins(&file);
            library::find([file.as_path()])
        })
    };
    let library = library::find(candidates).or_else(of_pip).ok_or("NVRTC was not found")?;
    let library_name = "NVRTC";
    // SAFETY: each type matches the declaration in NVRTC's header.
    unsafe {
        Ok(Functions {
            create: library::function(library, library_name, "nvrtcCreateProgram")?,
            compile: library::function(library, library_name, "nvrtcCompileProgram")?,
            ptx_size: library::function(library, library_name, "nvrtcGetPTXSize")?,
            ptx: library::function(library, library_name, "nvrtcGetPTX")?,
            log_size: library::function(library, library_name, "nvrtcGetProgramLogSize")?,
            log: library::function(library, library_name, "nvrtcGetProgramLog")?,
            destroy: library::function(library, library_name, "nvrtcDestroyProgram")?,
            describe: library::function(library, library_name, "nvrtcGetErrorString")?,
            version: library::function(library, library_name, "nvrtcVersion")?,
        })
    }
}

/// The version of NVRTC, such as `13.0`, and the size and time of the files that it may come from. NVRTC's output
/// depends on these and on its input.
///
/// # Errors
/// The reason why NVRTC cannot be used, in one line.
#[doc(hidden)]
pub fn version() -> Result<String, String> {
    let functions = functions()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: stores two numbers.
    if unsafe { (functions.version)(&mut major, &mut minor) } != 0 {
        return Err("NVRTC has no version".to_owned());
    }
    let named = std::env::var_os("LANEWORK_NVRTC").map(PathBuf::from);
    let fixed = NAMES.iter().map(PathBuf::from).filter(|file| file.is_absolute());
    let mut text = format!("{major}.{minor}");
    for file in named.into_iter().chain(fixed).chain(pip_libraries()) {
        let Ok(about) = std::fs::metadata(&file) else { continue };
        text.push_str(&format!(" {} {} {:?}", file.display(), about.len(), about.modified().ok()));
    }
    Ok(text)
}

/// The libraries in the Python environments that are in use.
fn pip_libraries() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (package, file) in [("cu13", "libnvrtc.so.13"), ("cuda_nvrtc", "libnvrtc.so.12")] {
        found.extend(library::pip_folders(package).into_iter().map(|folder| folder.join(file)));
    }
    found.retain(|file| file.exists());
    found
}

/// Loads NVRTC's builtins library from the same folder. NVRTC opens it by name only, and so gets the library that is
/// already loaded.
fn load_builtins(library: &Path) {
    let folder = library.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    for entry in folder.into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("libnvrtc-builtins.so") {
            library::find([entry.path().as_path()]);
        }
    }
}

/// Folders of CUDA's headers, such as `cuda_fp16.h`: the folders in `LANEWORK_CUDA_INCLUDE`, next to NVRTC, in the
/// toolkit that `CUDA_PATH` or `CUDA_HOME` names, and the usual ones. Each may have a `cccl` with the headers of
/// `cuda::std`.
pub fn header_folders() -> Vec<PathBuf> {
    let listed = std::env::var_os("LANEWORK_CUDA_INCLUDE");
    let mut folders: Vec<PathBuf> =
        listed.iter().flat_map(|list| std::env::split_paths(list).collect::<Vec<_>>()).collect();
    let named = std::env::var_os("LANEWORK_NVRTC").map(PathBuf::from);
    let libraries = named.into_iter().chain(pip_libraries());
    for root in libraries.filter_map(|file| Some(file.parent()?.parent()?.to_owned())) {
        folders.push(root.join("include"));
        // Each package of CUDA 12 has its own folder.
        folders.extend(root.parent().map(|all| all.join("cuda_runtime").join("include")));
    }
    for toolkit in ["CUDA_PATH", "CUDA_HOME"].into_iter().filter_map(std::env::var_os) {
        folders.push(Path::new(&toolkit).join("include"));
    }
    folders.extend(["/usr/local/cuda/include", "/opt/cuda/include"].map(PathBuf::from));
    let own = folders.clone();
    folders.extend(own.into_iter().map(|folder| folder.join("cccl")));
    folders.retain(|folder| folder.is_dir());
    folders
}

/// A program of the library, destroyed when dropped.
struct Held {
    program: Program,
    functions: &'static Functions,
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the program is live and not used again.
        let _ = unsafe { (self.functions.destroy)(&mut self.program) };
    }
}

/// Compiles CUDA C++ to PTX with source line information.
///
/// Messages call the source `name`. `options` are NVRTC's own, such as `--gpu-architecture=compute_80`. Adds the
/// folders of CUDA's headers ([`header_folders`]).
///
/// # Errors
/// [`NvrtcError`].
pub fn compile(source: &str, name: &str, options: &[&str]) -> Result<String, NvrtcError> {
    let functions = functions().map_err(NvrtcError::Missing)?;
    let text = |text: &str| {
        CString::new(text)
            .map_err(|_| NvrtcError::Library("the source or its name has a zero byte".to_owned()))
    };
    let (source, name) = (text(source)?, text(name)?);
    let mut held = Held { program: std::ptr::null_mut(), functions };
    // SAFETY: both strings end with a zero; stores one handle; there are no headers.
    let status = unsafe {
        (functions.create)(
            &mut held.program,
            source.as_ptr(),
            name.as_ptr(),
            0,
            std::ptr::null(),
            std::ptr::null(),
        )
    };
    held.check(status)?;
    let headers = header_folders().into_iter().map(|folder| format!("-I{}", folder.display()));
    let options: Vec<String> = options.iter().map(|&own| own.to_owned()).chain(headers).collect();
    let options = options.iter().map(|option| text(option)).collect::<Result<Vec<_>, _>>()?;
    let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    // SAFETY: the program is live; the count is the number of options, and each option ends with a
    // zero.
    let status =
        unsafe { (functions.compile)(held.program, pointers.len() as c_int, pointers.as_ptr()) };
    /// `NVRTC_ERROR_COMPILATION`.
    const COMPILATION: Status = 6;
    if status == COMPILATION {
        return Err(NvrtcError::Compile(held.text(functions.log_size, functions.log)?));
    }
    held.check(status)?;
    held.text(functions.ptx_size, functions.ptx)
}

impl Held {
    fn check(&self, status: Status) -> Result<(), NvrtcError> {
        if status == 0 {
            return Ok(());
        }
        // SAFETY: returns a static, zero-terminated string for any number.
        let said = unsafe { (self.functions.describe)(status) };
        let words = if said.is_null() {
            format!("NVRTC status {status}")
        } else {
            // SAFETY: not null, so it is the library's zero-terminated text, which stays unchanged until its next call
            // on this thread.
            unsafe { CStr::from_ptr(said) }.to_string_lossy().into_owned()
        };
        Err(NvrtcError::Library(format!("NVRTC failed: {words}")))
    }

    /// Reads a text of the program, after a query of its size.
    fn text(&self, size: Size, fill: Fill) -> Result<String, NvrtcError> {
        let mut bytes = 0;
        // SAFETY: the program is live; stores one size.
        self.check(unsafe { size(self.program, &mut bytes) })?;
        let mut buffer = vec![0u8; bytes];
        if bytes > 0 {
            // SAFETY: the buffer has as many bytes as the library reported.
            self.check(unsafe { fill(self.program, buffer.as_mut_ptr().cast()) })?;
        }
        let end = buffer.iter().position(|&byte| byte == 0).unwrap_or(bytes);
        Ok(String::from_utf8_lossy(&buffer[..end]).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headers_of_cuda_are_found() {
        if !header_folders().iter().any(|folder| folder.join("cuda_fp16.h").exists()) {
            use std::io::Write;
            let _ = writeln!(std::io::stderr(), "SKIPPED: CUDA's headers: there are none");
            return;
        }
        let source = "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(__half2* x) { *x = __hadd2(*x, *x); }";
        match compile(source, "k.cu", &["--gpu-architecture=compute_80"]) {
            Err(NvrtcError::Missing(_)) => {}
            compiled => assert!(compiled.expect("PTX").contains("add")),
        }
    }

    #[test]
    fn a_kernel_compiles_to_ptx_and_an_error_returns_the_log() {
        let options = ["--gpu-architecture=compute_80"];
        let source = "extern \"C\" __global__ void k(int* x) { x[threadIdx.x] += 1; }";
        match compile(source, "k.cu", &options) {
            Err(NvrtcError::Missing(why)) => {
                use std::io::Write;
                let _ = writeln!(std::io::stderr(), "SKIPPED: compiling CUDA C++: {why}");
            }
            compiled => {
                assert!(compiled.expect("PTX").contains(".entry k"));
                let wrong = compile("__global__ void k() { nonsense; }", "wrong.cu", &options);
                let Err(NvrtcError::Compile(log)) = wrong else { panic!("{wrong:?}") };
                assert!(log.contains("wrong.cu(1)") && log.contains("nonsense"), "{log}");
            }
        }
    }
}
