//! NVIDIA's own nvJitLink, if installed, compiles LTO-IR to PTX on the host.

use crate::kept;
use crate::linking::{Input, LTO_IR, target};
use libloading::{Library, Symbol};
use std::ffi::{CString, c_char, c_void};
use std::path::PathBuf;

/// The environment variable that names the real library.
const VARIABLE: &str = "LANEWORK_NVJITLINK";

/// Paths of the real library: first the variable's value, then the folders of other CUDA libraries.
fn candidates() -> Vec<PathBuf> {
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let folders = ["/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"];
    let names = ["libnvJitLink.so.13", "libnvJitLink.so.12"];
    let installed = folders
        .iter()
        .flat_map(|folder| names.iter().map(move |name| PathBuf::from(folder).join(name)));
    named.into_iter().chain(installed).chain(from_python()).filter(|path| path.exists()).collect()
}

/// Libraries installed by pip: `nvidia/.../lib` in Python's package folders.
fn from_python() -> Vec<PathBuf> {
    let executable = std::env::current_exe().ok();
    let environment = std::env::var_os("VIRTUAL_ENV").map(PathBuf::from);
    let arguments = std::env::args_os().next().map(PathBuf::from);
    let roots = [
        environment,
        executable.and_then(|path| Some(path.parent()?.parent()?.to_owned())),
        arguments.and_then(|path| Some(path.parent()?.parent()?.to_owned())),
    ];
    let mut found = Vec::new();
    for root in roots.into_iter().flatten() {
        let Ok(versions) = std::fs::read_dir(root.join("lib")) else { continue };
        for version in versions
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("python"))
        {
            let packages = version.path().join("site-packages/nvidia");
            for part in ["cu13/lib/libnvJitLink.so.13", "nvjitlink/lib/libnvJitLink.so.12"] {
                found.push(packages.join(part));
            }
        }
    }
    found
}

type Create = unsafe extern "C" fn(*mut *mut c_void, u32, *const *const c_char) -> i32;

type AddData = unsafe extern "C" fn(*mut c_void, i32, *const c_void, usize, *const c_char) -> i32;

type One = unsafe extern "C" fn(*mut c_void) -> i32;

type Size = unsafe extern "C" fn(*mut c_void, *mut usize) -> i32;

type Copy = unsafe extern "C" fn(*mut c_void, *mut c_char) -> i32;

/// Compiles LTO-IR to PTX. The result is then linked with other PTX, which calls the functions `wanted`, because the real
/// library does not accept PTX inputs for PTX output.
///
/// # Errors
/// A message if the library is missing, or its error log.
pub fn compile(
    options: &[String],
    mut inputs: Vec<Input>,
    wanted: &[String],
) -> Result<String, String> {
    let path = candidates().into_iter().next().ok_or_else(|| {
        format!("LTO-IR needs NVIDIA's nvJitLink, which is not installed; install it, or say where it is by {VARIABLE}")
    })?;
    let keeper = kept::keeper(&target(options), wanted, path.parent());
    let keeps = keeper.is_some();
    inputs.extend(keeper.map(|data| Input { kind: LTO_IR, data, name: String::new() }));
    let text = |why: libloading::Error| format!("{} is not nvJitLink: {why}", path.display());
    // SAFETY: loading nvJitLink runs no code with preconditions. The signatures are from its header; handles, buffers and sizes are created here and
    // outlive the calls.
    unsafe {
        let library = Library::new(&path).map_err(text)?;
        let create: Symbol<Create> = library.get(b"nvJitLinkCreate").map_err(text)?;
        let add: Symbol<AddData> = library.get(b"nvJitLinkAddData").map_err(text)?;
        let complete: Symbol<One> = library.get(b"nvJitLinkComplete").map_err(text)?;
        let size: Symbol<Size> = library.get(b"nvJitLinkGetLinkedPtxSize").map_err(text)?;
        let copy: Symbol<Copy> = library.get(b"nvJitLinkGetLinkedPtx").map_err(text)?;
        let error_size: Symbol<Size> = library.get(b"nvJitLinkGetErrorLogSize").map_err(text)?;
        let error: Symbol<Copy> = library.get(b"nvJitLinkGetErrorLog").map_err(text)?;

        let mut words: Vec<CString> =
            options.iter().filter_map(|option| CString::new(option.as_str()).ok()).collect();
        for wanted in [c"-lto", c"-ptx"] {
            if !words.iter().any(|word| word.as_c_str() == wanted) {
                words.push(wanted.to_owned());
            }
        }
        let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        let mut handle = std::ptr::null_mut();
        if create(&mut handle, pointers.len() as u32, pointers.as_ptr()) != 0 {
            return Err("nvJitLink does not take the options".to_owned());
        }
        let fail = |handle: *mut c_void, what: &str| {
            let mut bytes = 0;
            error_size(handle, &mut bytes);
            let mut log = vec![0u8; bytes.max(1)];
            error(handle, log.as_mut_ptr().cast());
            Err(format!("{what}: {}", String::from_utf8_lossy(&log).trim_end_matches('\0')))
        };
        for input in &inputs {
            if add(
                handle,
                input.kind,
                input.data.as_ptr().cast(),
                input.data.len(),
                std::ptr::null(),
            ) != 0
            {
                return fail(handle, "nvJitLink refuses an input");
            }
        }
        if complete(handle) != 0 {
            return fail(handle, "nvJitLink fails");
        }
        let mut bytes = 0;
        if size(handle, &mut bytes) != 0 {
            return fail(handle, "nvJitLink gives no PTX");
        }
        let mut linked = vec![0u8; bytes];
        copy(handle, linked.as_mut_ptr().cast());
        let text = String::from_utf8_lossy(&linked).trim_end_matches('\0').to_owned();
        Ok(if keeps { kept::published(&text, wanted).unwrap_or(text) } else { text })
    }
}
