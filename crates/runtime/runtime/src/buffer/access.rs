//! Host access to parts of buffers: reading, writing, and finding their device.

use crate::Storable;
use crate::{Buffer, Device, Error, Result, View, ViewMut};

impl<'a, T: Storable> From<&'a Buffer<T>> for View<'a, T> {
    fn from(buffer: &'a Buffer<T>) -> View<'a, T> {
        buffer.view(..)
    }
}

impl<'a, T: Storable> From<&'a mut Buffer<T>> for ViewMut<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> ViewMut<'a, T> {
        buffer.view_mut(..)
    }
}

impl<T: Storable> View<'_, T> {
    /// The device that holds it.
    ///
    /// ```
    /// use lanework::Device;
    ///
    /// let device = Device::best();
    /// let mut x = device.zeros::<u32>(8)?;
    /// x.view_mut(2..4).upload(&[1, 2])?;
    /// assert_eq!(x.view(1..4).download()?, [0, 1, 2]);
    /// assert!(x.view(..).device()? == device);
    ///
    /// let mut host = [0; 2];
    /// let mut part = x.view_mut(2..);
    /// part.reborrow().part(..1).upload(&[7])?;
    /// part.read().part(..2).download_to(&mut host)?;
    /// assert_eq!(host, [7, 2]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the device is closed; only an unbound view can outlive its device.
    pub fn device(&self) -> Result<Device> {
        device(self.device)
    }

    /// Copies it to the host, after all launches before it have finished.
    ///
    /// # Errors
    /// Any unreported error of an earlier launch.
    pub fn download(&self) -> Result<Vec<T>> {
        let mut host = vec![T::zeroed(); self.length];
        self.download_to(&mut host)?;
        Ok(host)
    }

    /// Copies it into `host`, after all launches before it have finished.
    ///
    /// # Errors
    /// Any unreported error of an earlier launch; [`Error::Request`] when `host` has another length.
    pub fn download_to(&self, host: &mut [T]) -> Result<()> {
        same_length(host.len(), self.length)?;
        let device = self.device()?;
        device.synchronize()?;
        device.read(self.address, bytemuck::cast_slice_mut(host))
    }
}

impl<T: Storable> ViewMut<'_, T> {
    /// The device that holds it.
    ///
    /// # Errors
    /// As [`View::device`].
    pub fn device(&self) -> Result<Device> {
        device(self.device)
    }

    /// Replaces its contents by `host`.
    ///
    /// # Errors
    /// When the driver rejects the copy; [`Error::Request`] when `host` has another length.
    pub fn upload(&mut self, host: &[T]) -> Result<()> {
        same_length(host.len(), self.length)?;
        self.device()?.write(self.address, bytemuck::cast_slice(host))
    }

    /// The same part, to be read.
    pub fn read(&self) -> View<'_, T> {
        ViewMut { ..*self }.into()
    }

    /// The same part, with the lifetime of this borrow.
    pub fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut { ..*self }
    }
}

fn device(identity: u64) -> Result<Device> {
    Device::of_identity(identity).ok_or_else(|| Error::Request {
        why: "the device of a view is closed".to_owned(),
        help: "keep the buffer of an unbound view for as long as the view is used".to_owned(),
    })
}

fn same_length(host: usize, device: usize) -> Result<()> {
    if host == device {
        return Ok(());
    }
    Err(Error::Request {
        why: format!("the host has {host} elements, the part of the buffer {device}"),
        help: "make both of the same length".to_owned(),
    })
}
