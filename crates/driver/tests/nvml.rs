//! NVML on the emulated GPUs, as its clients ask.

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
}

#[test]
fn what_monitors_ask_is_answered() {
    let (mut count, mut device, mut again, mut megahertz) = (0, 0, 0, 0);
    let (mut memory, mut rates, mut text) = ([0; 3], [7; 2], [0 as c_char; 96]);
    let (mut lanes, mut on) = (0, 0);
    // SAFETY: the signatures are NVML's, and every pointer is valid for what is stored.
    unsafe {
        assert_eq!(nvmlDeviceGetCount_v2(&mut count), 1); // not initialised
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
