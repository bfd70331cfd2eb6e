//! Libraries with machine code only: each is named once, with a remedy. The test re-runs itself to read the driver's messages.

#![cfg(target_os = "linux")]

use crate::common::context;
use std::ffi::{CString, c_char, c_void};
use std::path::Path;
use std::process::Command;

/// The variable that tells the child where the libraries are.
const FOLDER: &str = "LANEWORK_TEST_FOLDER";

/// A library that loads a module with one machine code entry for sm_90, in place or from unpacked memory.
const LIBRARY: &str = r#"
#include <stdlib.h>
#include <string.h>
static const struct {
    unsigned magic; unsigned short version, header; unsigned long long bytes;
    unsigned short kind, one; unsigned of_header, payload, zero, compressed, more, minor, sm, rest[8]; unsigned long long code;
} image = { 0xba55ed50, 1, 16, 72, 2, 1, 64, 8, 0, 0, 0, 0, 90, {0}, 0 };
typedef int load(void *module, const void *image);
int in_place(load *of) { void *module; return of(&module, &image); }
int unpacked(load *of) {
    void *module, *copy = malloc(sizeof image);
    memcpy(copy, &image, sizeof image);
    int code = of(&module, copy);
    free(copy);
    return code;
}
int asking(int (*of)(const void **, const void *)) { const void *table; return of(&table, "of no known table"); }
"#;

unsafe extern "C" {
    fn dlopen(name: *const c_char, flags: i32) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Calls a function of a library, passing a driver function.
fn call(folder: &str, library: &str, function: &str, of: &str) -> i32 {
    let path = CString::new(format!("{folder}/{library}")).expect("a path");
    let function = CString::new(function).expect("a name");
    // SAFETY: the library is compiled from the source above.
    unsafe {
        let library = dlopen(path.as_ptr(), 2);
        assert!(!library.is_null());
        let function: extern "C" fn(*const c_void) -> i32 =
            std::mem::transmute(dlsym(library, function.as_ptr()));
        function(crate::common::address(of))
    }
}

#[test]
fn a_library_of_machine_code_is_named_once_with_a_remedy() {
    if let Ok(folder) = std::env::var(FOLDER) {
        context();
        for library in ["libcufft.so.12", "libcusolver.so.12", "libmine.so"] {
            for function in ["unpacked", "in_place"] {
                assert_eq!(call(&folder, library, function, "cuModuleLoadData"), 209);
            }
        }
        for library in ["libnvjpeg.so.13", "libmine.so"] {
            assert_eq!(call(&folder, library, "asking", "cuGetExportTable"), 1);
        }
        return;
    }
    let folder = std::env::temp_dir().join(format!("lanework-foreign-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("library.c"), LIBRARY).expect("a file");
    let compile = |name: &str| {
        let mut compiler = Command::new("cc");
        compiler
            .current_dir(&folder)
            .args(["-shared", "-fPIC", "-O1", "-o", name, "library.c"])
            .status()
    };
    for name in ["libcufft.so.12", "libcusolver.so.12", "libnvjpeg.so.13", "libmine.so"] {
        if !compile(name).is_ok_and(|status| status.success()) {
            lanework_testing::skip("a library of machine code", "no C compiler `cc`");
            return;
        }
    }
    let output = Command::new(std::env::current_exe().expect("a program"))
        .args([
            "machine_code::a_library_of_machine_code_is_named_once_with_a_remedy",
            "--exact",
            "--nocapture",
        ])
        .env(FOLDER, &folder)
        .output()
        .expect("it runs");
    let _ = std::fs::remove_dir_all(Path::new(&folder));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    let times = |text: &str| said.matches(text).count();
    assert_eq!(times("NVIDIA's cuFFT computes nothing on the emulated GPU"), 1, "{said}");
    assert_eq!(times("NVIDIA's cuSOLVER computes nothing on the emulated GPU"), 1, "{said}");
    assert_eq!(times("nvJPEG computes nothing on the emulated GPU"), 1, "{said}");
    assert_eq!(times("libcufft.so.12 holds machine code for sm_90 and no PTX"), 1, "{said}");
    assert_eq!(times("cargo build --release -p lanework-cufft"), 1, "{said}");
    assert_eq!(times("cargo build --release -p lanework-cusolver"), 1, "{said}");
    // For an unknown library, the message names the file, and what to compile.
    assert_eq!(
        times("libmine.so is not loaded: the module holds machine code for sm_90"),
        1,
        "{said}"
    );
    assert_eq!(times("a module is not loaded: the module holds machine code"), 1, "{said}");
}
