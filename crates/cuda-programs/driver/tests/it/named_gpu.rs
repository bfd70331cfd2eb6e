//! A GPU named by the environment: reported properties, and accepted modules.

use crate::common::{allocate, context, download, kernel};
use std::ffi::{CStr, c_char, c_void};
use std::process::Command;

/// The variable that marks the child.
const CHILD: &str = "LANEWORK_TEST_CHILD";

const INVALID_PTX: i32 = 218;
const NOT_SUPPORTED: i32 = 801;

/// A kernel that writes 7, for a target.
fn seven(target: &str) -> String {
    format!(
        ".version 8.6\n.target {target}\n.address_size 64\n\
         .visible .entry seven(.param .u64 x) {{ .reg .b64 %x; ld.param.u64 %x, [x]; st.global.u32 [%x], 7; ret; }}\0"
    )
}

fn load(ptx: &str) -> i32 {
    let mut module = 0u64;
    call!("cuModuleLoadData"(&mut module => *mut u64, ptx.as_ptr().cast() => *const c_void))
}

fn attribute(number: i32) -> i32 {
    let mut value = 0;
    let code = call!("cuDeviceGetAttribute"(&mut value => *mut i32, number => i32, 0 => i32));
    assert_eq!(code, 0);
    value
}

/// `CUlaunchConfig` with one attribute: clusters of two blocks.
#[repr(C)]
struct Config {
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_shared: u32,
    stream: u64,
    attributes: *const [u32; 18],
    count: u32,
}

/// Checks in the child.
fn of_an_l20() {
    context();
    let mut name = [0; 64];
    assert_eq!(call!("cuDeviceGetName"(name.as_mut_ptr() => *mut c_char, 64 => i32, 0 => i32)), 0);
    // SAFETY: the driver terminates the name.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    assert_eq!(name, "NVIDIA L20 (emulated by Lanework)");
    // Compute capability, multiprocessors, opt-in shared memory, threads per multiprocessor, cluster launch.
    assert_eq!([75, 76, 16, 97, 39, 120].map(attribute), [8, 9, 92, 101_376, 1536, 0]);
    let mut bytes = 0usize;
    assert_eq!(call!("cuDeviceTotalMem"(&mut bytes => *mut usize, 0 => i32)), 0);
    assert!(bytes <= 48 << 30);

    assert_eq!(load(&seven("sm_90")), INVALID_PTX);
    assert_eq!(load(&seven("sm_90a")), INVALID_PTX);
    let (seven, x) = (kernel(&seven("sm_89"), "seven"), allocate(4));
    let arguments = [(&raw const x).cast::<c_void>()];
    let mut cluster = [0u32; 18];
    cluster[0] = 4;
    cluster[2..5].copy_from_slice(&[2, 1, 1]);
    let launch = |count| {
        let config = Config {
            grid: [2, 1, 1],
            block: [1, 1, 1],
            dynamic_shared: 0,
            stream: 0,
            attributes: &raw const cluster,
            count,
        };
        call!("cuLaunchKernelEx"(
            &config => *const Config, seven => u64, arguments.as_ptr() => *const *const c_void, std::ptr::null() => *const c_void
        ))
    };
    assert_eq!(launch(1), NOT_SUPPORTED);
    assert_eq!((launch(0), download::<u32>(x, 1)), (0, vec![7]));
    // A block cannot have more shared memory than this GPU supports.
    let shared = |bytes: i32| call!("cuFuncSetAttribute"(seven => u64, 8 => i32, bytes => i32));
    assert_eq!((shared(101_376), shared(101_377)), (0, 1));
    // 1536 threads per multiprocessor are three blocks of 512.
    let mut blocks = 0;
    let code = call!("cuOccupancyMaxActiveBlocksPerMultiprocessor"(
        &mut blocks => *mut i32, seven => u64, 512 => i32, 0 => usize
    ));
    assert_eq!((code, blocks), (0, 3));
}

/// Runs a test of this file in a process that names a GPU.
fn under(gpu: &str, test: &str) -> (bool, String) {
    let output = Command::new(std::env::current_exe().expect("a program"))
        .args([test, "--exact", "--nocapture"])
        .env("LANEWORK_GPU", gpu)
        .env(CHILD, "1")
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said + &String::from_utf8_lossy(&output.stdout))
}

#[test]
fn a_named_gpu_has_its_own_attributes_limits_and_modules() {
    if std::env::var_os(CHILD).is_some() {
        return of_an_l20();
    }
    let (passed, said) =
        under("l20", "named_gpu::a_named_gpu_has_its_own_attributes_limits_and_modules");
    assert!(passed, "{said}");
    assert!(said.contains("is for sm_90a, which the emulated L20 (sm_89) does not run"), "{said}");
    assert!(said.contains("nvcc -arch=sm_89"), "{said}");
}

#[test]
fn an_unknown_gpu_means_no_device() {
    if std::env::var_os(CHILD).is_some() {
        assert_eq!(call!("cuInit"(0 => u32)), 100);
        return;
    }
    let (passed, said) = under("h2000", "named_gpu::an_unknown_gpu_means_no_device");
    assert!(passed, "{said}");
    assert!(
        said.contains("LANEWORK_GPU names an unknown GPU, `h2000`") && said.contains("RTX 4090"),
        "{said}"
    );
}
