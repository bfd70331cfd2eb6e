//! Functions of LTO-IR that only PTX inputs call. The real library compiles the LTO-IR as a whole program, without the
//! PTX, so it would drop them. An additional input therefore has a kernel that uses them; NVRTC compiles it.

use crate::nvrtc::real;
use lanework_ptx::{Item, Linkage, Module};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

/// The kernel that uses the functions.
const KEEPER: &str = "lanework_keeper";

type Create = unsafe extern "C" fn(
    *mut *mut c_void,
    *const c_char,
    *const c_char,
    i32,
    *const *const c_char,
    *const *const c_char,
) -> i32;

type Compile = unsafe extern "C" fn(*mut c_void, i32, *const *const c_char) -> i32;

type Size = unsafe extern "C" fn(*mut c_void, *mut usize) -> i32;

type Copy = unsafe extern "C" fn(*mut c_void, *mut c_char) -> i32;

type Destroy = unsafe extern "C" fn(*mut *mut c_void) -> i32;

/// LTO-IR of a kernel that uses functions of the other inputs. `None` if there are none, or NVRTC is missing: then the
/// linker reports the functions as undefined. `folder` is the real library's.
pub fn keeper(architecture: &str, wanted: &[String], folder: Option<&Path>) -> Option<Vec<u8>> {
    let names: Vec<&str> = wanted.iter().map(String::as_str).filter(|name| is_word(name)).collect();
    if names.is_empty() {
        return None;
    }
    let library = ["libnvrtc.so.13", "libnvrtc.so.12"]
        .iter()
        .filter_map(|name| Some(folder?.join(name)))
        .find(|path| path.exists())
        // SAFETY: loading NVRTC runs no code with preconditions.
        .and_then(|path| unsafe { Library::new(path) }.ok());
    compile(&source(&names), architecture, library.as_ref())
}

/// Whether a PTX name is a name in C.
fn is_word(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.chars().all(is_letter) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// CUDA C++ of the kernel. It only takes addresses, so the functions' types do not matter.
fn source(names: &[&str]) -> String {
    let declared: String =
        names.iter().map(|name| format!("extern \"C\" __device__ void {name}();\n")).collect();
    let used: String = names
        .iter()
        .enumerate()
        .map(|(at, name)| format!("    to[{at}] = (void *){name};\n"))
        .collect();
    format!("{declared}extern \"C\" __global__ void {KEEPER}(void **to) {{\n{used}}}\n")
}

/// LTO-IR of a source text, by the NVRTC of the process or else of a library.
fn compile(source: &str, architecture: &str, library: Option<&Library>) -> Option<Vec<u8>> {
    let find = |name: &CStr| {
        real(name).or_else(|| {
            // SAFETY: the symbol is only used as an address, while the library is loaded.
            let found = unsafe { library?.get::<*mut c_void>(name.to_bytes_with_nul()) };
            Some(*found.ok()?)
        })
    };
    let source = CString::new(source).ok()?;
    let architecture = CString::new(format!("-arch={architecture}")).ok()?;
    let options = [architecture.as_ptr(), c"-dlto".as_ptr(), c"-rdc=true".as_ptr()];
    let none = std::ptr::null();
    // SAFETY: NVRTC's functions of these names have these signatures. Texts end with zero bytes, and handles, buffers and
    // sizes are created here and outlive the calls.
    unsafe {
        let create: Create = std::mem::transmute(find(c"nvrtcCreateProgram")?);
        let build: Compile = std::mem::transmute(find(c"nvrtcCompileProgram")?);
        let size: Size = std::mem::transmute(find(c"nvrtcGetLTOIRSize")?);
        let copy: Copy = std::mem::transmute(find(c"nvrtcGetLTOIR")?);
        let destroy: Destroy = std::mem::transmute(find(c"nvrtcDestroyProgram")?);
        let mut program = std::ptr::null_mut();
        if create(&mut program, source.as_ptr(), c"keeper.cu".as_ptr(), 0, none, none) != 0 {
            return None;
        }
        let (mut bytes, mut data) = (0, Vec::new());
        let built = build(program, options.len() as i32, options.as_ptr()) == 0;
        if built && size(program, &mut bytes) == 0 {
            data.resize(bytes, 0);
            if copy(program, data.as_mut_ptr().cast()) != 0 {
                data.clear();
            }
        }
        destroy(&mut program);
        (!data.is_empty()).then_some(data)
    }
}

/// PTX without the kernel, in which other modules can use the functions. `None` if the text is not PTX.
pub fn published(text: &str, wanted: &[String]) -> Option<String> {
    let mut module = Module::parse(text).ok()?;
    module.items.retain(|item| !matches!(item, Item::Function(one) if one.name == KEEPER));
    for item in &mut module.items {
        if let Item::Function(function) = item
            && function.body.is_some()
            && function.linkage == Linkage::Internal
            && wanted.contains(&function.name)
        {
            function.linkage = Linkage::Visible;
        }
    }
    Some(module.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_functions_are_visible_and_the_kernel_is_gone() {
        let text = ".version 7.0\n.target sm_70\n.address_size 64\n.func put { ret; }\n.func own { ret; }\n\
            .visible .entry lanework_keeper() { .reg .b64 %a; mov.u64 %a, put; ret; }\n";
        let published = published(text, &["put".to_owned()]).expect("PTX");
        assert!(published.contains(".visible .func put"), "{published}");
        assert!(published.contains(".func own") && !published.contains(".visible .func own"));
        assert!(!published.contains(KEEPER));
    }

    #[test]
    fn the_kernel_uses_each_function_that_c_can_name() {
        assert_eq!(
            source(&["f", "_Z1gv"]),
            "extern \"C\" __device__ void f();\nextern \"C\" __device__ void _Z1gv();\n\
             extern \"C\" __global__ void lanework_keeper(void **to) {\n    to[0] = (void *)f;\n    to[1] = (void *)_Z1gv;\n}\n"
        );
        assert!(is_word("_Z1gv") && !is_word("f$1") && !is_word("1f"));
        assert!(keeper("sm_90", &["%f".to_owned()], None).is_none());
    }
}
