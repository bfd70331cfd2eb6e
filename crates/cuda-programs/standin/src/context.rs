//! Devices and their contexts, for calls that use several devices in turn.

use crate::driver::{Driver, driver};
use crate::failure::{Failure, FailureKind, Result, fail};

/// A device with one of its contexts.
#[derive(Clone, Copy, Debug)]
pub struct DeviceContext {
    /// Handle of the context.
    context: u64,
    /// Ordinal of the device.
    pub device: i32,
}

/// Pops a context when dropped.
struct Entered(&'static Driver);

impl Drop for Entered {
    fn drop(&mut self) {
        let mut popped = 0;
        // SAFETY: `popped` is valid for the handle that the driver stores.
        unsafe { (self.0.pop)(&mut popped) };
    }
}

impl DeviceContext {
    /// The device of the calling thread; the first device if it has no context, as in NVIDIA's runtime.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn current() -> Result<DeviceContext> {
        let driver = driver()?;
        let (mut context, mut device) = (0, 0);
        // SAFETY: `context` and `device` are valid for the results that the driver stores.
        unsafe {
            if (driver.current)(&mut context) != 0 || context == 0 {
                return DeviceContext::primary(0);
            }
            match (driver.device)(&mut device) {
                0 => Ok(DeviceContext { context, device }),
                code => fail(
                    FailureKind::Driver,
                    format!("the thread's context is invalid: error {code}"),
                ),
            }
        }
    }

    /// The primary context of a device.
    ///
    /// # Errors
    /// If the device does not exist.
    pub fn primary(device: i32) -> Result<DeviceContext> {
        let mut context = 0;
        // SAFETY: `context` is valid for the handle that the driver stores.
        match unsafe { (driver()?.retain)(&mut context, device) } {
            0 => Ok(DeviceContext { context, device }),
            _ => fail(
                FailureKind::Device,
                format!(
                    "there is no device {device}; `lanework exec --gpus N` (or LANEWORK_GPUS) sets the number of devices"
                ),
            ),
        }
    }

    /// Runs `work` with the context current on this thread.
    ///
    /// # Errors
    /// If the context was destroyed, and the errors of `work`.
    pub fn enter<T, E: From<Failure>>(
        &self,
        work: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let driver = driver()?;
        // SAFETY: the driver looks the handle up, so a stale one is an error.
        if unsafe { (driver.push)(self.context) } != 0 {
            let why = format!("the context of device {} has ended", self.device);
            return Err(Failure::new(FailureKind::Driver, why).into());
        }
        let _entered = Entered(driver);
        work()
    }
}
