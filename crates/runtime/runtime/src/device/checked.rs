//! Devices that check every launch.

use super::{Device, Engine};
use lanework_emulator::Options;
use lanework_emulator::sanitize::{Checks, Report, ReportKind};
use std::time::Duration;

/// A time that no launch takes. Only launches with a limit can be stopped.
pub(crate) const NO_LIMIT: Duration = Duration::from_secs(u32::MAX as u64);

impl Device {
    /// A new emulator that checks every launch: bounds, alignment, use after free, uninitialized
    /// memory, races, barriers, warp-synchronous operations and asynchronous copies. A launch with
    /// findings runs to its end and then returns [`Error::Sanitizer`](crate::Error::Sanitizer) with all of them:
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn shift(x: &mut [f32]) {
    ///     let i = thread_idx.x;
    ///     if i + 1 < x.len() as u32 {
    ///         x[i] = x[i + 1];
    ///     }
    /// }
    ///
    /// let device = Device::emulator().sanitized();
    /// let mut x = device.upload(&[1.0f32; 64])?;
    /// let found = shift(&mut x).grid(1).block(64).launch(&device).unwrap_err();
    /// assert!(found.to_string().contains("race in global memory"));
    /// # lanework::Result::<()>::Ok(())
    /// ```
    ///
    /// Buffers must be made on the device that this returns. It has the limits of this device, or of
    /// [`Device::emulator`] when this is a GPU. Blocks run on one core; those that wait for others stay resident.
    pub fn sanitized(&self) -> Device {
        self.sanitized_for(Checks::default())
    }

    /// As [`Device::sanitized`], with a selection of checks, which may include leaks.
    ///
    /// ```
    /// use lanework::{Checks, Device};
    ///
    /// let device = Device::emulator().sanitized_for(Checks::all());
    /// let x = device.zeros::<u32>(100)?;
    /// assert_eq!(device.leaks().len(), 1); // `x` is still alive
    /// drop(x);
    /// assert!(device.leaks().is_empty());
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn sanitized_for(&self, checks: Checks) -> Device {
        let mut options = match &self.0.engine {
            Engine::Emulator(emulator) => emulator.options().clone(),
            Engine::Gpu(_) => match &Device::emulator().0.engine {
                Engine::Emulator(emulator) => emulator.options().clone(),
                Engine::Gpu(_) => Options::default(),
            },
        };
        options.checks = Some(checks);
        options.time_limit.get_or_insert(NO_LIMIT);
        Device::emulator_with(options)
    }

    /// Whether launches on this device are checked.
    pub fn is_sanitized(&self) -> bool {
        matches!(&self.0.engine, Engine::Emulator(emulator) if emulator.checks().is_some())
    }

    /// Whether memory that is never freed is to be reported.
    ///
    /// ```
    /// use lanework_runtime::{Checks, Device, ReportKind};
    ///
    /// let device = Device::open("emulator")?;
    /// assert!(device.sanitized_for(Checks::none().with(ReportKind::Leak)).checks_leaks());
    /// assert!(!device.checks_leaks());
    /// # Ok::<(), lanework_runtime::Error>(())
    /// ```
    pub fn checks_leaks(&self) -> bool {
        match &self.0.engine {
            Engine::Emulator(emulator) => {
                emulator.checks().is_some_and(|checks| checks.has(ReportKind::Leak))
            }
            Engine::Gpu(_) => false,
        }
    }

    /// The live buffers of a sanitized device, as leak reports; none on other devices.
    pub fn leaks(&self) -> Vec<Report> {
        match &self.0.engine {
            Engine::Emulator(emulator)
                if emulator.checks().is_some_and(|checks| checks.has(ReportKind::Leak)) =>
            {
                emulator.leaks()
            }
            _ => Vec::new(),
        }
    }
}
