//! NVML on the emulated GPUs, as monitoring tools use it.

use lanework_libcuda as _;
use std::ffi::{CStr, c_char};

unsafe extern "C" {
    fn nvmlInit_v2() -> i32;
    fn nvmlShutdown() -> i32;
    fn nvmlDeviceGetCount_v2(count: *mut u32) -> i32;
    fn nvmlDeviceGetHandleByIndex_v2(index: u32, device: *mut usize) -> i32;
    fn nvmlDeviceGetHandleByUUID(uuid: *const c_char, device: *mut usize) -> i32;
    fn nvmlDeviceGetName(device: usize, to: *mut c_char, length: u32) -> i32;
    fn nvmlDeviceGetUUID(device: usize, to: *mut c_char, length: u32) -> i32;
    fn nvmlDeviceGetMemoryInfo(device: usize, to: *mut [u64; 3]) -> i32;
    fn nvmlDeviceGetUtilizationRates(device: usize, to: *mut [u32; 2]) -> i32;
    fn nvmlDeviceGetCurrPcieLinkGeneration(device: usize, generation: *mut u32) -> i32;
    fn nvmlDeviceGetCurrPcieLinkWidth(device: usize, lanes: *mut u32) -> i32;
    fn nvmlDeviceGetNvLinkState(device: usize, link: u32, on: *mut i32) -> i32;
    fn nvmlDeviceGetClockInfo(device: usize, kind: i32, megahertz: *mut u32) -> i32;
    fn nvmlDeviceGetTemperature(device: usize, sensor: i32, degrees: *mut u32) -> i32;
    fn nvmlErrorString(code: i32) -> *const c_char;
    fn nvmlSystemGetDriverBranch(to: *mut Branch, length: u32) -> i32;
    fn nvmlSystemGetProcessName(process: u32, to: *mut c_char, length: u32) -> i32;
    fn nvmlDeviceGetBAR1MemoryInfo(device: usize, to: *mut [u64; 3]) -> i32;
    fn nvmlDeviceGetCpuAffinity(device: usize, words: u32, to: *mut u64) -> i32;
    fn nvmlDeviceGetEccMode(device: usize, now: *mut u32, later: *mut u32) -> i32;
    fn nvmlDeviceGetSupportedGraphicsClocks(
        device: usize,
        memory: u32,
        count: *mut u32,
        to: *mut u32,
    ) -> i32;
    fn nvmlDeviceGetTopologyNearestGpus(
        device: usize,
        level: i32,
        count: *mut u32,
        to: *mut usize,
    ) -> i32;
    fn nvmlDeviceGetFieldValues(device: usize, count: i32, to: *mut Field) -> i32;
    fn nvmlDeviceSetPersistenceMode(device: usize, mode: i32) -> i32;
    fn nvmlDeviceGetRemappedRows(
        device: usize,
        a: *mut u32,
        b: *mut u32,
        c: *mut u32,
        d: *mut u32,
    ) -> i32;
}

/// `nvmlSystemDriverBranchInfo_v1_t`.
#[repr(C)]
struct Branch {
    version: u32,
    text: [c_char; 80],
}

/// `nvmlFieldValue_t`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Field {
    field: u32,
    scope: u32,
    times: [i64; 2],
    kind: i32,
    code: i32,
    value: u64,
}

#[test]
fn monitoring_queries_are_answered() {
    // NVML counts its users in the process, and must not be initialized yet.
    if !crate::common::is_alone("nvml::monitoring_queries_are_answered") {
        return;
    }
    let (mut count, mut device, mut again, mut megahertz) = (0, 0, 0, 0);
    let (mut memory, mut rates, mut text) = ([0; 3], [7; 2], [0 as c_char; 96]);
    let (mut lanes, mut on) = (0, 0);
    // SAFETY: the signatures are NVML's, and every pointer is valid for what is stored.
    unsafe {
        assert_eq!(nvmlDeviceGetCount_v2(&mut count), 1); // not initialized
        assert_eq!(nvmlInit_v2(), 0);
        assert_eq!((nvmlDeviceGetCount_v2(&mut count), count), (0, 1));
        assert_eq!(nvmlDeviceGetHandleByIndex_v2(1, &mut device), 2); // there is only one
        assert_eq!(nvmlDeviceGetHandleByIndex_v2(0, &mut device), 0);
        assert_eq!(nvmlDeviceGetName(device, text.as_mut_ptr(), 4), 7); // too short
        assert_eq!(nvmlDeviceGetName(device, text.as_mut_ptr(), 96), 0);
        assert!(CStr::from_ptr(text.as_ptr()).to_string_lossy().contains("emulated by Lanework"));
        assert_eq!(nvmlDeviceGetUUID(device, text.as_mut_ptr(), 96), 0);
        assert_eq!(nvmlDeviceGetHandleByUUID(text.as_ptr(), &mut again), 0);
        assert_eq!(again, device);
        // The prefix `GPU-` is optional.
        assert_eq!(nvmlDeviceGetHandleByUUID(text.as_ptr().add(4), &mut again), 0);
        assert_eq!(nvmlDeviceGetHandleByUUID(text.as_ptr().add(5), &mut again), 6);
        assert_eq!(nvmlDeviceGetMemoryInfo(device, &mut memory), 0);
        assert_eq!(memory[0], memory[1] + memory[2]);
        assert_eq!((nvmlDeviceGetUtilizationRates(device, &mut rates), rates), (0, [0, 0]));
        assert_eq!((nvmlDeviceGetClockInfo(device, 1, &mut megahertz), megahertz), (0, 1980));
        assert_eq!((nvmlDeviceGetCurrPcieLinkGeneration(device, &mut lanes), lanes), (0, 5));
        assert_eq!((nvmlDeviceGetCurrPcieLinkWidth(device, &mut lanes), lanes), (0, 16));
        assert_eq!(nvmlDeviceGetNvLinkState(device, 0, &mut on), 3);
        assert_eq!(nvmlDeviceGetTemperature(device, 0, &mut megahertz), 3);
        assert_eq!(CStr::from_ptr(nvmlErrorString(3)), c"Not Supported");
        assert_eq!(nvmlShutdown(), 0);
        assert_eq!(nvmlDeviceGetName(device, text.as_mut_ptr(), 96), 1);
    }
}

#[test]
fn places_modes_and_refusals() {
    // NVML counts its users in the process, and must not be initialized yet.
    if !crate::common::is_alone("nvml::places_modes_and_refusals") {
        return;
    }
    let (mut device, mut count, mut on) = (0, 0, [7; 2]);
    let mut branch = Branch { version: 1, text: [0; 80] };
    let (mut text, mut bar, mut mask, mut clocks) =
        ([0 as c_char; 512], [0; 3], [u64::MAX; 16], [0; 128]);
    let mut fields =
        [Field { field: 1, code: 7, ..Field::default() }, Field { field: 83, ..Field::default() }];
    // SAFETY: the signatures are NVML's, and every pointer is valid for what is stored.
    unsafe {
        assert_eq!(nvmlDeviceSetPersistenceMode(1, 1), 1); // not initialized
        assert_eq!(nvmlInit_v2(), 0);
        assert_eq!(nvmlDeviceGetHandleByIndex_v2(0, &mut device), 0);
        assert_eq!(nvmlSystemGetDriverBranch(&mut branch, 80), 25); // wrong version
        branch.version = size_of::<Branch>() as u32 | 1 << 24;
        assert_eq!(nvmlSystemGetDriverBranch(&mut branch, 80), 0);
        assert_eq!(CStr::from_ptr(branch.text.as_ptr()), c"r580_00");
        assert_eq!(nvmlSystemGetProcessName(std::process::id(), text.as_mut_ptr(), 512), 0);
        let program = std::env::args().next().expect("a name");
        assert_eq!(CStr::from_ptr(text.as_ptr()).to_string_lossy(), program);
        assert_eq!(nvmlDeviceGetBAR1MemoryInfo(device, &mut bar), 0);
        assert_eq!(bar[0], bar[1] + bar[2]);
        assert_eq!(nvmlDeviceGetCpuAffinity(device, 16, mask.as_mut_ptr()), 0);
        let processors: u32 = mask.iter().map(|word| word.count_ones()).sum();
        assert!(processors as usize >= std::thread::available_parallelism().map_or(1, usize::from));
        assert_eq!((nvmlDeviceGetEccMode(device, &mut on[0], &mut on[1]), on), (0, [1, 1]));
        // Clients query the count first.
        assert_eq!(
            nvmlDeviceGetSupportedGraphicsClocks(device, 3201, &mut count, std::ptr::null_mut()),
            7
        );
        assert_eq!(count, 110);
        assert_eq!(
            nvmlDeviceGetSupportedGraphicsClocks(device, 3201, &mut count, clocks.as_mut_ptr()),
            0
        );
        assert_eq!((clocks[0], clocks[1], clocks[109]), (1980, 1965, 345));
        count = 0;
        assert_eq!(
            nvmlDeviceGetTopologyNearestGpus(device, 40, &mut count, std::ptr::null_mut()),
            0
        );
        assert_eq!(count, 0); // it is the only GPU
        assert_eq!(nvmlDeviceGetFieldValues(device, 2, fields.as_mut_ptr()), 0);
        assert_eq!((fields[0].code, fields[0].value, fields[1].code), (0, 1, 3)); // ECC works; energy is not measured
        assert_eq!(nvmlDeviceSetPersistenceMode(device, 1), 4);
        let none = std::ptr::null_mut();
        assert_eq!(nvmlDeviceGetRemappedRows(device, none, none, none, none), 3);
        assert_eq!(nvmlShutdown(), 0);
    }
}
