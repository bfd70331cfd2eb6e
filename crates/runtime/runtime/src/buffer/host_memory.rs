//! An emulator on host memory: kernels use the caller's pointers, without copies.

use crate::device::Engine;
use crate::tool::Session;
use crate::{Buffer, Device, Error, Result};
use lanework_emulator::{Emulator, Options, PinnedBytes, PoolRegions};
use std::any::Any;
use std::sync::Arc;

impl Device {
    /// An emulator whose device addresses are host addresses. Its kernels can access its buffers
    /// and the ranges given to [`Device::register_host`], at their addresses in this process.
    ///
    /// ```
    /// use lanework::{Device, PtxArg, PtxShape};
    ///
    /// let device = Device::emulator_on_host_memory(Default::default());
    /// let mut numbers = vec![1u32; 32];
    /// // SAFETY: the memory outlives its registration and has no other user until then.
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
    /// // SAFETY: the kernel accesses registered memory only.
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

    /// Registers `bytes` bytes of host memory, which kernels may then access. Reports use `name`. Waits for running
    /// launches.
    ///
    /// # Errors
    /// If this is not an emulator on host memory, or the range overlaps another.
    ///
    /// # Safety
    /// Until [`Device::unregister_host`], the bytes must be valid for reads and writes. While a launch or a copy of
    /// this device runs (such as [`Device::write_at`]), no other code may write them, or read what it writes.
    pub unsafe fn register_host(&self, start: *mut u8, bytes: u64, name: &str) -> Result<()> {
        // SAFETY: until they are unregistered, the bytes stay valid and have no other user during launches and copies,
        // as this function requires.
        Ok(unsafe { self.emulated()?.register_host_memory(start, bytes, name) }?)
    }

    /// A buffer in `bytes` borrowed bytes, uninitialized like the buffers of [`Device::uninit`]. Reports use `name`.
    /// Dropping the buffer drops `lender`. Waits for running launches.
    ///
    /// ```
    /// use lanework::Device;
    /// use std::sync::Arc;
    ///
    /// let device = Device::emulator_on_host_memory(Default::default());
    /// let mut memory = vec![7u8; 32];
    /// let (start, lender) = (memory.as_mut_ptr(), Arc::new(()));
    /// // SAFETY: the vector outlives the buffer and has no other user.
    /// let buffer = unsafe { device.buffer_in(start, 32, "numbers", lender.clone())? };
    /// assert_eq!((buffer.address(), buffer.len()), (start as u64, 32));
    /// drop(buffer);
    /// assert_eq!(Arc::strong_count(&lender), 1);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// If this is not an emulator on host memory, or the range overlaps another.
    ///
    /// # Safety
    /// Until `lender` is dropped, the bytes must be valid for reads and writes; while a launch runs, no other code may
    /// use them.
    pub unsafe fn buffer_in(
        &self,
        start: *mut u8,
        bytes: u64,
        name: &str,
        lender: Arc<dyn Any + Send + Sync>,
    ) -> Result<Buffer<u8>> {
        // SAFETY: `lender` keeps the bytes valid, and they have no other user during launches, as this function
        // requires.
        unsafe { self.emulated()?.allocate_in(start, bytes, name, lender) }?;
        Ok(Buffer::at(self, start as u64, bytes as usize))
    }

    /// Unregisters the range that starts at `start`. Waits for running launches.
    ///
    /// # Errors
    /// If no registered range starts there.
    pub fn unregister_host(&self, start: *const u8) -> Result<()> {
        Ok(self.emulated()?.unregister_host_memory(start)?)
    }

    /// Lets kernels use any host address while no range is registered. An access to an unmapped address then crashes
    /// the process.
    ///
    /// # Errors
    /// If this is a GPU.
    ///
    /// # Safety
    /// From now on, every launch while no range is registered must access only memory that is valid for reads and
    /// writes.
    pub unsafe fn trust_host_addresses(&self) -> Result<()> {
        // SAFETY: every later launch while nothing is registered accesses valid memory only, as this function requires.
        unsafe { self.emulated()?.trust_addresses() };
        Ok(())
    }

    /// Whether device addresses are host addresses.
    pub(crate) fn shares_addresses(&self) -> bool {
        matches!(&self.0.engine, Engine::Emulator(emulator) if emulator.is_on_host_memory())
    }

    /// Copies bytes from an address of an emulator's memory, including module variables and registered ranges. Waits
    /// for running launches.
    ///
    /// ```
    /// use lanework::Device;
    ///
    /// let device = Device::emulator();
    /// let x = device.zeros::<u32>(4)?;
    /// device.write_at(x.address() + 4, &[7, 0, 0, 0])?;
    /// device.fill_at(x.address() + 8, 1, 4)?;
    /// let mut bytes = [0; 4];
    /// device.read_at(x.address() + 4, &mut bytes)?;
    /// assert_eq!((bytes, x.download()?), ([7, 0, 0, 0], vec![0, 7, 0x0101_0101, 0]));
    /// assert_eq!(device.allocation_at(x.address() + 9), Some((x.address(), 16)));
    /// assert!(device.write_at(x.address() + 15, &[1, 2]).is_err()); // the last byte is outside
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are not inside one allocation; [`Error::Unsupported`] on a GPU, which does not check addresses.
    pub fn read_at(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        self.emulated()?;
        self.read(address, bytes)
    }

    /// Copies to an address of an emulator's memory; see [`Device::read_at`].
    ///
    /// # Errors
    /// As [`Device::read_at`].
    pub fn write_at(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.emulated()?;
        self.write(address, bytes)
    }

    /// Bytes at an address of an emulator's memory. The host may read or write them while launches of other threads
    /// run, like memory shared with a running kernel ([`emulator::stall`](crate::emulator::stall)). Does not wait for
    /// launches.
    ///
    /// ```
    /// use lanework::Device;
    ///
    /// let device = Device::emulator();
    /// let x = device.upload(&[1u32, 2])?;
    /// let held = device.hold_at(x.address() + 4, 4)?;
    /// // SAFETY: no launch is running.
    /// assert_eq!(unsafe { held.start().cast::<u32>().read() }, 2);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::read_at`].
    pub fn hold_at(&self, address: u64, bytes: u64) -> Result<PinnedBytes<'_>> {
        Ok(self.emulated()?.pin(address, bytes)?)
    }

    /// Sets `bytes` bytes at an address of an emulator's memory; see [`Device::read_at`].
    ///
    /// # Errors
    /// As [`Device::read_at`].
    pub fn fill_at(&self, address: u64, byte: u8, bytes: u64) -> Result<()> {
        self.emulated()?;
        self.fill(address, byte, bytes)
    }

    /// The runs of bytes that nothing has written, in a range of one allocation of a checking emulator: first byte, from
    /// the address, and size of each.
    #[doc(hidden)]
    pub fn unwritten_at(&self, address: u64, bytes: u64) -> Vec<(u64, u64)> {
        self.emulated().map_or(Vec::new(), |device| device.memory().unwritten_runs(address, bytes))
    }

    /// Marks bytes as unwritten, at offsets from an address: a copy from unwritten bytes does not write its target.
    #[doc(hidden)]
    pub fn forget_at(&self, address: u64, runs: &[(u64, u64)]) {
        if let (Ok(device), false) = (self.emulated(), runs.is_empty()) {
            device.memory().forget(address, runs);
        }
    }

    /// Start and size in bytes of the allocation, variable or registered range that contains an address; see
    /// [`Device::read_at`].
    pub fn allocation_at(&self, address: u64) -> Option<(u64, u64)> {
        let memory = self.emulated().ok()?.memory();
        let (start, allocation) = memory.find(address)?;
        Some((start, allocation.bytes))
    }

    /// Whether an address is in the range that this process reserves for emulators on host memory, allocated or not.
    /// The program's own memory is never in that range. Always false on systems that reserve no such range.
    ///
    /// ```
    /// use lanework::Device;
    ///
    /// let device = Device::emulator_on_host_memory(Default::default());
    /// let address = device.zeros::<u32>(4)?.address(); // freed at once
    /// assert_eq!(device.is_of_device(address), cfg!(target_os = "linux"));
    /// assert!(!device.is_of_device(&raw const address as u64));
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn is_of_device(&self, address: u64) -> bool {
        self.emulated().is_ok_and(|emulator| emulator.is_of_device(address))
    }

    /// Changes the memory pools that the program's own allocators announce. The sanitizer checks that kernels stay
    /// inside the allocated parts of a pool.
    ///
    /// ```
    /// use lanework::Device;
    ///
    /// let device = Device::emulator_on_host_memory(Default::default());
    /// let memory = device.zeros::<u8>(1024)?;
    /// let start = memory.address();
    /// device.with_pools(|pools| {
    ///     pools.add_pool(start, 1024);
    ///     pools.add(start, 16);
    /// })?;
    /// assert_eq!(device.with_pools(|pools| pools.live().count())?, 1);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// When this is a GPU.
    pub fn with_pools<T>(&self, change: impl FnOnce(&mut PoolRegions) -> T) -> Result<T> {
        Ok(self.emulated()?.with_pools(change))
    }

    /// Marks bytes as uninitialized, if the sanitizer tracks initialization.
    ///
    /// ```
    /// use lanework::Device;
    ///
    /// let device = Device::emulator_on_host_memory(Default::default());
    /// let memory = device.zeros::<u8>(16)?;
    /// device.forget_contents(memory.address(), 16)?;
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// When this is a GPU.
    pub fn forget_contents(&self, address: u64, bytes: u64) -> Result<()> {
        self.emulated()?.forget_contents(address, bytes);
        Ok(())
    }

    pub(crate) fn emulated(&self) -> Result<&Emulator> {
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
