//! Streams and page-locked host memory: copies that overlap kernels.
//!
//! On a GPU each stream is a queue. Queues run concurrently and are ordered with the default stream. The emulator
//! executes everything immediately, in the order of the calls: results are the same, but time is not modeled.

pub(crate) mod peers;
pub(crate) mod timing;

use crate::device::{Device, Engine};
use crate::stream::timing::Event;
use crate::{Buffer, Error, Prepared, Result, Storable};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

/// A queue of copies and launches.
///
/// ```
/// use lanework::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     x[thread_idx.x] = 2.0 * x[thread_idx.x];
/// }
///
/// let device = Device::best();
/// let stream = device.stream()?;
/// let mut host: lanework::Pinned<f32> = device.pinned(4)?;
/// host.copy_from_slice(&[1.0, 2.0, 3.0, 4.0]);
///
/// let mut x = device.zeros::<f32>(4)?;
/// let host = stream.upload(host, &mut x)?.wait()?;
/// let mut kernel = double(&mut x).grid(1).block(4).prepare(&device)?;
/// stream.launch(&mut kernel)?;
/// drop(kernel);
/// let host = stream.download(&x, host)?.wait()?;
/// assert_eq!(host[..], [2.0, 4.0, 6.0, 8.0]);
/// // A second stream that waits for the first one.
/// let second = device.stream()?;
/// second.after(&stream)?;
/// second.synchronize()?;
/// assert_eq!(second.raw().is_some(), second.device().backend() == lanework::Backend::Cuda);
/// // A point of the stream; the emulator does not model time.
/// assert_eq!(stream.event().is_ok(), device.backend() == lanework::Backend::Cuda);
/// # Ok::<(), lanework::Error>(())
/// ```
pub struct Stream {
    device: Device,
    /// `None` on the emulator.
    pub(crate) queue: Option<lanework_cuda::Stream>,
}

/// Host memory for copies on a stream; page-locked if there is a GPU.
///
/// See [`Stream`] for an example.
pub struct Pinned<T: Storable> {
    memory: Memory,
    element: PhantomData<T>,
}

enum Memory {
    /// Memory in 8-byte words, so that any element is aligned, and its size in bytes.
    Host(Vec<u64>, usize),
    Locked(lanework_cuda::PinnedBuffer),
}

/// A copy in flight, which owns its host memory; dropping it waits.
///
/// See [`Stream`] for an example.
#[must_use = "dropping a transfer waits for it; `wait` returns the host memory"]
pub struct Transfer<T: Storable> {
    state: State,
    element: PhantomData<T>,
}

enum State {
    Done(Memory),
    Running(lanework_cuda::Transfer),
}

impl Device {
    /// A new stream.
    ///
    /// # Errors
    /// If the driver rejects it.
    pub fn stream(&self) -> Result<Stream> {
        let queue = match &self.0.engine {
            Engine::Gpu(gpu) => Some(gpu.raw().stream()?),
            Engine::Emulator(_) => None,
        };
        Ok(Stream { device: self.clone(), queue })
    }

    /// `length` zeroed elements of host memory for copies on streams.
    ///
    /// # Errors
    /// If the host is out of page-locked memory.
    pub fn pinned<T: Storable + Pod>(&self, length: usize) -> Result<Pinned<T>> {
        let bytes = length
            .checked_mul(size_of::<T>())
            .ok_or(Error::Size { elements: length, bytes: size_of::<T>() })?;
        let memory = match &self.0.engine {
            Engine::Gpu(gpu) => Memory::Locked(gpu.raw().pinned(bytes)?),
            Engine::Emulator(_) => Memory::Host(vec![0; bytes.div_ceil(8)], bytes),
        };
        Ok(Pinned { memory, element: PhantomData })
    }
}

impl Stream {
    /// Starts a copy of `from` to a buffer of the same length.
    ///
    /// # Errors
    /// [`Error::Launch`] if the lengths differ or the buffer is on another device; the driver's error.
    pub fn upload<T: Storable + Pod>(
        &self,
        from: Pinned<T>,
        to: &mut Buffer<T>,
    ) -> Result<Transfer<T>> {
        self.fits("upload", &from, to)?;
        let state = match (&self.queue, from.memory) {
            (Some(queue), Memory::Locked(memory)) => {
                State::Running(queue.upload(memory, to.address())?)
            }
            (_, memory) => {
                self.device.write(to.address(), memory.bytes())?;
                State::Done(memory)
            }
        };
        Ok(Transfer { state, element: PhantomData })
    }

    /// Starts a copy of a buffer to `into`, which must have the same length.
    ///
    /// # Errors
    /// As [`Stream::upload`].
    pub fn download<T: Storable + Pod>(
        &self,
        from: &Buffer<T>,
        into: Pinned<T>,
    ) -> Result<Transfer<T>> {
        self.fits("download", &into, from)?;
        let state = match (&self.queue, into.memory) {
            (Some(queue), Memory::Locked(memory)) => {
                State::Running(queue.download(from.address(), memory)?)
            }
            (_, mut memory) => {
                self.device.read(from.address(), memory.bytes_mut())?;
                State::Done(memory)
            }
        };
        Ok(Transfer { state, element: PhantomData })
    }

    /// Queues a kernel. If it checks its indices, the next wait for the device reports a failed
    /// check.
    ///
    /// # Errors
    /// As [`Prepared::launch`].
    pub fn launch(&self, kernel: &mut Prepared<'_>) -> Result<()> {
        kernel.launch_on(self.queue.as_ref())
    }

    /// The stream's device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The `CUstream`, for calls of other libraries; `None` on the emulator.
    pub fn raw(&self) -> Option<u64> {
        self.queue.as_ref().map(|queue| queue.raw() as u64)
    }

    /// Makes later work on this stream wait for the work queued so far on another stream, which may be on another
    /// device. The host does not wait. No effect on the emulator, which runs everything immediately.
    ///
    /// # Errors
    /// The driver's error.
    pub fn after(&self, other: &Stream) -> Result<()> {
        if let (Some(own), Some(queue)) = (&self.queue, &other.queue) {
            let event = queue.gpu().event()?;
            event.record(Some(queue))?;
            own.wait(&event)?;
        }
        Ok(())
    }

    /// Blocks the host until the work queued here is done.
    ///
    /// # Errors
    /// The fault of an earlier launch.
    pub fn synchronize(&self) -> Result<()> {
        self.queue.as_ref().map_or(Ok(()), |queue| Ok(queue.synchronize()?))
    }

    /// Marks this point of the stream.
    ///
    /// # Errors
    /// [`Error::Unsupported`] on the emulator, which does not model time.
    pub fn event(&self) -> Result<Event> {
        self.device.event_on(self.queue.as_ref())
    }

    fn fits<T: Storable + Pod>(
        &self,
        operation: &'static str,
        host: &Pinned<T>,
        buffer: &Buffer<T>,
    ) -> Result<()> {
        let refuse = |why: String, help: &str| {
            Err(Error::Launch { kernel: operation.to_owned(), why, help: help.to_owned() })
        };
        if host.len() != buffer.len() {
            let why =
                format!("the host memory has {} elements, the buffer {}", host.len(), buffer.len());
            return refuse(why, "make both of the same length");
        }
        let same = buffer.device().identity() == self.device.identity();
        let locked = matches!(host.memory, Memory::Locked(_));
        if !same || locked != self.queue.is_some() {
            let why =
                "the stream, the buffer and the host memory belong to different devices".to_owned();
            return refuse(why, "create all three from the same device");
        }
        Ok(())
    }
}

impl<T: Storable> Transfer<T> {
    /// Waits for the copy and returns the host memory.
    ///
    /// # Errors
    /// The fault of an earlier launch.
    pub fn wait(self) -> Result<Pinned<T>> {
        let memory = match self.state {
            State::Done(memory) => memory,
            State::Running(transfer) => Memory::Locked(transfer.wait()?),
        };
        Ok(Pinned { memory, element: PhantomData })
    }
}

impl Memory {
    fn bytes(&self) -> &[u8] {
        match self {
            Memory::Host(words, bytes) => &bytemuck::cast_slice(words)[..*bytes],
            Memory::Locked(memory) => memory.as_slice(),
        }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Memory::Host(words, bytes) => &mut bytemuck::cast_slice_mut(words)[..*bytes],
            Memory::Locked(memory) => memory.as_mut_slice(),
        }
    }
}

impl<T: Storable + Pod> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        bytemuck::cast_slice(self.memory.bytes())
    }
}

impl<T: Storable + Pod> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(self.memory.bytes_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uploaded_bytes_are_downloaded_unchanged() -> Result<()> {
        for device in Device::for_tests("copies on streams") {
            let stream = device.stream()?;
            let mut up = device.pinned::<f64>(100)?;
            up.iter_mut().enumerate().for_each(|(i, x)| *x = i as f64);
            let mut buffer = device.uninit::<f64>(100)?;
            let up = stream.upload(up, &mut buffer)?;
            let down = stream.download(&buffer, device.pinned(100)?)?.wait()?;
            assert_eq!(*down, *up.wait()?);
            assert_eq!(down[99], 99.0);
        }
        Ok(())
    }

    #[test]
    fn lengths_and_devices_must_agree() -> Result<()> {
        let device = Device::emulator();
        let stream = device.stream()?;
        let mut buffer = device.uninit::<u8>(3)?;
        let refused = stream.upload(device.pinned(4)?, &mut buffer);
        assert!(refused.is_err_and(|e| e.to_string().contains("has 4 elements, the buffer 3")));
        let other = Device::emulator_with(Default::default());
        let mut elsewhere = other.uninit::<u8>(4)?;
        assert!(stream.upload(device.pinned(4)?, &mut elsewhere).is_err());
        Ok(())
    }
}
