//! Several devices in one process: opening them, copies between them, and kernels that use another device's memory.

use crate::device::{Engine, STUCK_AFTER, host_memory};
use crate::{Backend, Device, Error, Result, Stream, View, ViewMut};
use lanework_abi::Storable;
use lanework_emulator::Options;

impl Device {
    /// `count` emulated devices, each with its own memory, for programs that use several GPUs. Like the GPUs of one
    /// process they share an address space, so that a device can access another's memory ([`Device::peer`]).
    ///
    /// ```
    /// use lanework::prelude::*;
    ///
    /// #[kernel]
    /// fn add(x: &[f32], y: &mut [f32]) {
    ///     y[thread_idx.x] += x[thread_idx.x];
    /// }
    ///
    /// let devices = Device::several(2); // GPUs, where there are two
    /// let x = devices[0].upload(&[1.0f32; 32])?;
    /// let mut y = devices[1].upload(&[2.0f32; 32])?;
    ///
    /// // A copy from one device to the other.
    /// let mut z = devices[1].zeros::<f32>(32)?;
    /// devices[1].stream()?.copy(x.view(..), z.view_mut(..))?;
    /// assert_eq!(z.download()?, [1.0; 32]);
    ///
    /// // A kernel on one device that reads the memory of the other.
    /// if devices[1].can_access_peer(&devices[0])? {
    ///     // SAFETY: `x` is alive and unchanged until the download below has waited for the kernel.
    ///     let peer: lanework::PeerMemory<f32> = unsafe { devices[1].peer(x.view(..))? };
    ///     add(peer.view(), &mut y).grid(1).block(32).launch(&devices[1])?;
    ///     assert_eq!(y.download()?, [3.0; 32]);
    /// }
    /// assert!(Device::emulators(3)[2].info().backend == lanework::Backend::Emulator);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn emulators(count: usize) -> Vec<Device> {
        Device::emulators_with(
            count,
            Options { max_instructions: Some(STUCK_AFTER), ..Options::default() },
        )
    }

    /// As [`Device::emulators`], with other limits, or with checks of every launch. Together they use at most half of
    /// the host's available memory.
    ///
    /// ```
    /// use lanework::{Checks, Device};
    ///
    /// let options = lanework::emulator::Options { checks: Some(Checks::default()), ..Default::default() };
    /// assert!(Device::emulators_with(2, options).iter().all(Device::is_sanitized));
    /// ```
    pub fn emulators_with(count: usize, mut options: Options) -> Vec<Device> {
        let share = host_memory() / 2 / (count.max(1) as u64);
        options.limits.memory = options.limits.memory.min(share);
        (0..count).map(|_| Device::emulator_on_host_memory(options.clone())).collect()
    }

    /// `count` different GPUs if the machine has as many, else `count` emulated devices.
    pub fn several(count: usize) -> Vec<Device> {
        let gpus: Result<Vec<Device>> = (0..count).map(Device::cuda).collect();
        match gpus {
            Ok(gpus) if gpus.iter().all(|gpu| gpu.backend() == Backend::Cuda) => gpus,
            _ => Device::emulators(count),
        }
    }

    /// Whether kernels of this device can access the memory of `peer`. True for GPUs that NVLink or PCIe connects
    /// directly, and for all devices that [`Device::emulators`] made.
    ///
    /// # Errors
    /// If the driver does not answer.
    pub fn can_access_peer(&self, peer: &Device) -> Result<bool> {
        match (&self.0.engine, &peer.0.engine) {
            _ if self == peer => Ok(true),
            (Engine::Gpu(own), Engine::Gpu(other)) => Ok(own.raw().can_access_peer(other.raw())?),
            (Engine::Emulator(_), Engine::Emulator(_)) => {
                Ok(self.shares_addresses() && peer.shares_addresses())
            }
            _ => Ok(false),
        }
    }

    /// Gives kernels of this device access to another device's memory, until the result is dropped.
    ///
    /// # Errors
    /// [`Error::Request`] if this device cannot access the other one's memory.
    ///
    /// # Safety
    /// Until the kernels that use this memory have finished, the buffer must be alive, and all other writes to it must
    /// be ordered with this device's kernels (by [`Stream::after`], or by waiting).
    pub unsafe fn peer<'a, T: Storable>(&self, memory: View<'a, T>) -> Result<PeerMemory<'a, T>> {
        let owner = memory.device()?;
        if !self.can_access_peer(&owner)? {
            let why = format!(
                "{} cannot access the memory of {} directly",
                self.info().id,
                owner.info().id
            );
            let help = "copy it (`Stream::copy`), or make emulated devices by `Device::emulators`";
            return Err(Error::Request { why, help: help.to_owned() });
        }
        let mut registered = false;
        match (&self.0.engine, &owner.0.engine) {
            (Engine::Gpu(own), Engine::Gpu(other)) => own.raw().enable_peer_access(other.raw())?,
            _ if *self != owner && !memory.is_empty() => {
                let bytes = (memory.len() * size_of::<T>()) as u64;
                // SAFETY: both emulators use host addresses. `memory` borrows the buffer, and
                // `peer` requires that its other users are ordered with this device's kernels.
                unsafe { self.register_host(memory.address() as *mut u8, bytes, "peer memory")? };
                registered = true;
            }
            _ => {}
        }
        Ok(PeerMemory { device: self.clone(), memory, registered })
    }
}

/// Memory of another device, which kernels of one device may use; see [`Device::peer`].
pub struct PeerMemory<'a, T: Storable> {
    device: Device,
    memory: View<'a, T>,
    /// Whether the memory is registered with an emulated device.
    registered: bool,
}

impl<'a, T: Storable> PeerMemory<'a, T> {
    /// A view for kernels that read the memory.
    pub fn view(&self) -> View<'a, T> {
        View { device: self.device.identity(), ..self.memory }
    }

    /// A view for kernels that write the memory.
    ///
    /// # Safety
    /// As for [`crate::Buffer::view_shared`]; also, the owner of the buffer must expect it to change.
    pub unsafe fn view_mut(&self) -> ViewMut<'a, T> {
        // SAFETY: no other view uses what this one writes at the same time, and the buffer's owner expects it to
        // change, as this function requires.
        unsafe { self.view().writable() }
    }
}

impl<T: Storable> Drop for PeerMemory<'_, T> {
    fn drop(&mut self) {
        if self.registered {
            // It was registered at this address and is no longer used.
            let _ = self.device.unregister_host(self.memory.address() as *const u8);
        }
    }
}

impl Stream {
    /// Queues a copy between two views of the same length, on one device or two. This stream must belong to one of the
    /// devices.
    ///
    /// # Errors
    /// [`Error::Request`] if the lengths differ, if this stream belongs to a third device, or if one device is a GPU
    /// and the other is not.
    pub fn copy<T: Storable>(&self, from: View<'_, T>, to: ViewMut<'_, T>) -> Result<()> {
        let (source, target) = (from.device()?, to.device()?);
        let refuse = |why: String, help: &str| Err(Error::Request { why, help: help.to_owned() });
        if from.len() != to.len() {
            let why = format!("a copy of {} elements to {}", from.len(), to.len());
            return refuse(why, "make both parts of the same length");
        }
        if *self.device() != source && *self.device() != target {
            let why = "a copy between two devices on the stream of a third one".to_owned();
            return refuse(why, "use a stream of the source or of the target");
        }
        let bytes = from.len() * size_of::<T>();
        match (&source.0.engine, &target.0.engine) {
            (Engine::Gpu(one), Engine::Gpu(other)) => {
                let (one, other) = (one.raw(), other.raw());
                let own = if *self.device() == source { one } else { other };
                let (from, to) = ((one, from.address()), (other, to.address()));
                Ok(own.copy_between(from, to, bytes, self.queue.as_ref())?)
            }
            (Engine::Emulator(_), Engine::Emulator(_)) => {
                let mut host = vec![0u8; bytes];
                source.read(from.address(), &mut host)?;
                target.write(to.address(), &host)
            }
            _ => refuse(
                "a copy between a GPU and the emulator".to_owned(),
                "download it and upload it",
            ),
        }
    }
}
