//! Typed memory on a device.

use crate::{Device, Error, Result, Storable};
use std::marker::PhantomData;
use std::ops::RangeBounds;
use view::part;

mod access;
pub(crate) mod descriptors;
mod host_memory;
mod values;
mod view;

pub use view::{View, ViewMut};

/// `len` elements of `T` on a device; freed when dropped.
///
/// Made by [`Device::upload`], [`Device::zeros`] and [`Device::uninit`].
///
/// ```
/// use lanework::prelude::*;
///
/// let device = Device::best();
/// let mut x = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// assert_eq!((x.len(), x.bytes()), (4, 16));
/// x.upload_part(2, &[30.0, 40.0])?;
/// assert_eq!(x.download()?, [1.0, 2.0, 30.0, 40.0]);
///
/// let mut middle = [0.0; 2];
/// x.download_part(1, &mut middle)?;
/// assert_eq!(middle, [2.0, 30.0]);
///
/// x.fill_bytes(0)?;
/// assert_eq!(x.download()?, device.zeros::<f32>(4)?.download()?);
///
/// // Without contents until something is written; the name is for the sanitizer's reports.
/// let mut y = device.uninit_named::<f32>(4, "y")?;
/// y.upload(&[7.0; 4])?;
/// let mut host = [0.0; 4];
/// y.download_to(&mut host)?;
/// assert_eq!((host, y.is_empty()), ([7.0; 4], false));
/// assert_eq!(y.device().backend(), device.uninit::<u8>(1)?.device().backend());
/// println!("at {:#x}", y.address()); // as kernels see it
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct Buffer<T: Storable> {
    pub(crate) device: Device,
    pub(crate) address: u64,
    length: usize,
    element: PhantomData<T>,
}

impl Device {
    /// A buffer holding `host`.
    ///
    /// # Errors
    /// If the device is out of memory.
    pub fn upload<T: Storable>(&self, host: &[T]) -> Result<Buffer<T>> {
        let mut buffer = self.uninit_named(host.len(), "upload")?;
        buffer.upload(host)?;
        Ok(buffer)
    }

    /// A buffer of `length` zeros.
    ///
    /// # Errors
    /// If the device is out of memory.
    pub fn zeros<T: Storable>(&self, length: usize) -> Result<Buffer<T>> {
        let mut buffer = self.uninit_named(length, "zeros")?;
        buffer.fill_bytes(0)?;
        Ok(buffer)
    }

    /// A buffer of `length` uninitialized elements.
    ///
    /// # Errors
    /// If the device is out of memory.
    pub fn uninit<T: Storable>(&self, length: usize) -> Result<Buffer<T>> {
        self.uninit_named(length, "uninit")
    }

    /// As [`Device::uninit`], with a name for reports.
    ///
    /// # Errors
    /// If the device is out of memory.
    pub fn uninit_named<T: Storable>(&self, length: usize, name: &str) -> Result<Buffer<T>> {
        Buffer::new(self, length, name)
    }
}

impl<T: Storable> Buffer<T> {
    pub(crate) fn new(device: &Device, length: usize, name: &str) -> Result<Self> {
        let bytes = (length as u64)
            .checked_mul(size_of::<T>() as u64)
            .ok_or(Error::Size { elements: length, bytes: size_of::<T>() })?;
        let address = device.allocate(bytes, name)?;
        Ok(Buffer::at(device, address, length))
    }

    /// Wraps an allocation, which the buffer then owns and frees.
    pub(crate) fn at(device: &Device, address: u64, length: usize) -> Self {
        Buffer { device: device.clone(), address, length, element: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The device that holds the buffer.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Copies the buffer to the host, after all earlier launches have finished.
    ///
    /// # Errors
    /// Any unreported error of an earlier launch.
    pub fn download(&self) -> Result<Vec<T>> {
        self.device.synchronize()?;
        self.device.read_values(self.address, self.length)
    }

    /// Copies the buffer into `host`, after all earlier launches have finished.
    ///
    /// # Errors
    /// Any unreported error of an earlier launch.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn download_to(&self, host: &mut [T]) -> Result<()> {
        self.check_length(host.len());
        self.device.synchronize()?;
        self.device.read_into(self.address, host)
    }

    /// Copies `host` into the buffer.
    ///
    /// # Errors
    /// If the driver rejects the copy.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn upload(&mut self, host: &[T]) -> Result<()> {
        self.check_length(host.len());
        self.device.write(self.address, &values::bytes(host))
    }

    /// Fills `host` with the elements from index `first` on, after all earlier launches have finished.
    ///
    /// # Errors
    /// Any unreported error of an earlier launch.
    ///
    /// # Panics
    /// If the buffer has too few elements from there on.
    #[track_caller]
    pub fn download_part(&self, first: usize, host: &mut [T]) -> Result<()> {
        let (address, _) = self.part(first..first.saturating_add(host.len()));
        self.device.synchronize()?;
        self.device.read_into(address, host)
    }

    /// Copies `host` to the elements from index `first` on.
    ///
    /// # Errors
    /// If the driver rejects the copy.
    ///
    /// # Panics
    /// If the buffer has too few elements from there on.
    #[track_caller]
    pub fn upload_part(&mut self, first: usize, host: &[T]) -> Result<()> {
        let (address, _) = self.part(first..first.saturating_add(host.len()));
        self.device.write(address, &values::bytes(host))
    }

    /// Sets every byte to `byte`; 0xFF makes every float a NaN.
    ///
    /// # Errors
    /// If the driver rejects the fill.
    pub fn fill_bytes(&mut self, byte: u8) -> Result<()> {
        self.device.fill(self.address, byte, self.bytes())
    }

    /// A view of a part of the buffer that a kernel may read.
    ///
    /// # Panics
    /// If the range reaches past the end.
    #[track_caller]
    pub fn view(&self, range: impl RangeBounds<usize>) -> View<'_, T> {
        let (address, length) = self.part(range);
        View { device: self.device.identity(), address, length, buffer: PhantomData }
    }

    /// A view of a part of the buffer that a kernel may write.
    ///
    /// # Panics
    /// If the range reaches past the end.
    #[track_caller]
    pub fn view_mut(&mut self, range: impl RangeBounds<usize>) -> ViewMut<'_, T> {
        let (address, length) = self.part(range);
        ViewMut { device: self.device.identity(), address, length, buffer: PhantomData }
    }

    /// A view of a part of the buffer that a kernel may write, while other views of the buffer
    /// exist.
    ///
    /// # Safety
    /// Memory that one view writes must not be used through another view at the same time.
    ///
    /// # Panics
    /// If the range reaches past the end.
    #[track_caller]
    pub unsafe fn view_shared(&self, range: impl RangeBounds<usize>) -> ViewMut<'_, T> {
        let (address, length) = self.part(range);
        ViewMut { device: self.device.identity(), address, length, buffer: PhantomData }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.length as u64 * size_of::<T>() as u64
    }

    /// Device address of the first element.
    pub fn address(&self) -> u64 {
        self.address
    }

    #[track_caller]
    fn check_length(&self, host: usize) {
        let length = self.length;
        assert!(host == length, "the host memory has {host} elements, the buffer {length}");
    }

    /// Address and length of a range.
    #[track_caller]
    fn part(&self, range: impl RangeBounds<usize>) -> (u64, usize) {
        part::<T>(self.address, self.length, range)
    }
}

impl<T: Storable> Drop for Buffer<T> {
    fn drop(&mut self) {
        self.device.free(self.address);
    }
}
