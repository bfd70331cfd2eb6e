//! Devices by their contexts, which calls of several devices enter one after the other.

use crate::driver::{Driver, driver};
use crate::failure::{Failure, Kind, Result, fail};

/// A device with a context of it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The context's handle.
    context: u64,
    /// The device's number.
    pub device: i32,
}

/// Leaves a context at the end.
struct Entered(&'static Driver);

impl Drop for Entered {
    fn drop(&mut self) {
        let mut popped = 0;
        // SAFETY: stores a handle.
        unsafe { (self.0.pop)(&mut popped) };
    }
}

impl Place {
    /// The calling thread's device; where it has no context, the first device, as for NVIDIA's runtime.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn current() -> Result<Place> {
        let driver = driver()?;
        let (mut context, mut device) = (0, 0);
        // SAFETY: both store their results.
        unsafe {
            if (driver.current)(&mut context) != 0 || context == 0 {
                return Place::primary(0);
            }
            match (driver.device)(&mut device) {
                0 => Ok(Place { context, device }),
                code => {
                    fail(Kind::Driver, format!("the thread's context is of no use: error {code}"))
                }
            }
        }
    }

    /// A device with its primary context.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn primary(device: i32) -> Result<Place> {
        let mut context = 0;
        // SAFETY: stores a handle.
        match unsafe { (driver()?.retain)(&mut context, device) } {
            0 => Ok(Place { context, device }),
            _ => fail(
                Kind::Device,
                format!(
                    "there is no device {device}; `lanework exec --gpus N` (or LANEWORK_GPUS) says how many there are"
                ),
            ),
        }
    }

    /// Does something with the context current on this thread.
    ///
    /// # Errors
    /// When the context has ended; those of the work.
    pub fn enter<T, E: From<Failure>>(
        &self,
        work: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let driver = driver()?;
        // SAFETY: a handle that is looked up.
        if unsafe { (driver.push)(self.context) } != 0 {
            let why = format!("the context of device {} has ended", self.device);
            return Err(Failure::new(Kind::Driver, why).into());
        }
        let _entered = Entered(driver);
        work()
    }
}
