//! Open devices, and the emulator on host memory that `ptx_run` uses.

use lanework_runtime::emulator::Options;
use lanework_runtime::{Buffer, Device};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// Instructions after which a warp is stopped as stuck, if the caller sets no limit: minutes of
/// emulation.
const STUCK_AFTER: u64 = 10_000_000_000;

/// An open device and its buffers by address.
pub(crate) struct OpenDevice {
    pub device: Device,
    pub buffers: Mutex<BTreeMap<u64, Buffer<u8>>>,
}

impl OpenDevice {
    pub fn new(device: Device) -> OpenDevice {
        OpenDevice { device, buffers: Mutex::default() }
    }
}

/// An emulator on host memory: kernels may use any address until a range is registered.
pub(crate) fn host_device(options: Options) -> Device {
    let device = Device::emulator_on_host_memory(options);
    // SAFETY: the header requires of every launch on such a device that the kernel accesses only
    // valid memory, and the launching functions are unsafe.
    let trusted = unsafe { device.trust_host_addresses() };
    debug_assert!(trusted.is_ok(), "an emulator");
    device
}

/// The default options.
pub(crate) fn default_options() -> Options {
    Options { max_instructions: Some(STUCK_AFTER), ..Options::default() }
}

/// The device that `ptx_run` runs on: number 0 for the other functions.
pub(crate) fn ptx_run_device() -> &'static Arc<OpenDevice> {
    static DEVICE: OnceLock<Arc<OpenDevice>> = OnceLock::new();
    DEVICE.get_or_init(|| Arc::new(OpenDevice::new(host_device(default_options()))))
}
