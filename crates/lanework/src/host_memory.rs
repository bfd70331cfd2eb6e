//! An emulator on host memory: kernels use the caller's pointers, and nothing is copied.

use crate::device::Engine;
use crate::tool::Session;
use crate::{Device, Error, Result};
use lanework_sim::{Emulator, Options};

impl Device {
    /// An emulator whose device addresses are host addresses. Its kernels can access its buffers
    /// and the ranges given to [`Device::register_host`], at their addresses in this process.
    ///
    /// ```
    /// use lanework::{Device, PtxArg, PtxShape};
    ///
    /// let device = Device::emulator_on_host_memory(Default::default());
    /// let mut numbers = vec![1u32; 32];
    /// // SAFETY: the memory lives, and nothing else uses it, until it is unregistered.
    /// unsafe { device.register_host(numbers.as_mut_ptr().cast(), 4 * 32, "numbers")? };
    /// let module = device.load_ptx(
    ///     ".version 7.0
    ///      .target sm_70
    ///      .address_size 64
    ///      .visible .entry set(.param .u64 x) {
    ///          .reg .b64 %rd<2>;
    ///          ld.param.u64 %rd1, [x];
    ///          st.global.u32 [%rd1], 7;
    ///          ret;
    ///      }",
    /// )?;
    /// let argument = PtxArg::Bytes((numbers.as_ptr() as u64).to_le_bytes().to_vec());
    /// // SAFETY: the kernel may access what is registered, and nothing else.
    /// unsafe { module.launch("set", PtxShape::new(1, 1), &[argument])? };
    /// device.unregister_host(numbers.as_ptr().cast())?;
    /// assert_eq!(numbers[0], 7);
    ///
    /// // A program that knows all its kernels may let them use any address of its own.
    /// // SAFETY: nothing is launched.
    /// unsafe { device.trust_host_addresses()? };
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn emulator_on_host_memory(options: Options) -> Device {
        let (options, imposed) = Session::options(options);
        Device::from_parts(Engine::Emulator(Emulator::on_host_memory(options)), imposed)
    }

    /// Registers `bytes` bytes of host memory for access by kernels, under a name for reports.
    /// Waits for running launches.
    ///
    /// # Errors
    /// When this is not an emulator on host memory, or the range overlaps another.
    ///
    /// # Safety
    /// Until [`Device::unregister_host`], the bytes must be valid for reads and writes; while a
    /// launch runs, nothing else may write them, or read what the kernel writes.
    pub unsafe fn register_host(&self, start: *mut u8, bytes: u64, name: &str) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        Ok(unsafe { self.emulated()?.register_host_memory(start, bytes, name) }?)
    }

    /// Unregisters the range that starts at `start`. Waits for running launches.
    ///
    /// # Errors
    /// When no registered range starts there.
    pub fn unregister_host(&self, start: *const u8) -> Result<()> {
        Ok(self.emulated()?.unregister_host_memory(start)?)
    }

    /// Lets kernels use any host address as long as nothing is registered. An access to an unmapped
    /// address then ends the process.
    ///
    /// # Errors
    /// When this is a GPU.
    ///
    /// # Safety
    /// From now on every launch while nothing is registered must access only memory that is valid
    /// for reads and writes.
    pub unsafe fn trust_host_addresses(&self) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.emulated()?.trust_addresses() };
        Ok(())
    }

    /// Whether its addresses are the host's own.
    pub(crate) fn shares_addresses(&self) -> bool {
        matches!(&self.0.engine, Engine::Emulator(emulator) if emulator.is_on_host_memory())
    }

    fn emulated(&self) -> Result<&Emulator> {
        match &self.0.engine {
            Engine::Emulator(emulator) => Ok(emulator),
            Engine::Gpu(_) => Err(Error::Unsupported {
                what: "registering host memory",
                device: self.info().id,
                help: "copy it to a buffer, or use `Device::emulator_on_host_memory`",
            }),
        }
    }
}
