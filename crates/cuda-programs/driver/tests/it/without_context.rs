//! A program whose first call is a kernel launch: the runtime requests the kernel's handle before there is a context.

const TEXT: &std::ffi::CStr =
    c".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n";

#[test]
fn kernels_of_a_library_have_handles_before_there_is_a_context() {
    if !crate::common::is_alone(
        "without_context::kernels_of_a_library_have_handles_before_there_is_a_context",
    ) {
        return;
    }
    assert_eq!(call!("cuInit"(0 => u32)), 0);
    let none = std::ptr::null::<u8>();
    let mut library = 0u64;
    let loaded = call!("cuLibraryLoadData"(
        &raw mut library => *mut u64, TEXT.as_ptr().cast() => *const u8,
        none => *const u8, none => *const u8, 0 => u32, none => *const u8, none => *const u8, 0 => u32
    ));
    assert_eq!(loaded, 0);
    let mut kernel = 0u64;
    let mut ask = |name: &std::ffi::CStr| call!("cuLibraryGetKernel"(&raw mut kernel => *mut u64, library => u64, name.as_ptr().cast() => *const u8));
    assert_eq!(ask(c"k"), 0);
    assert_eq!(ask(c"j"), 500); // CUDA_ERROR_NOT_FOUND
    assert_ne!(kernel, 0);
}
