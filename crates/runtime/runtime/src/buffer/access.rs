//! Host access to parts of buffers: reading, writing, and finding their device. A pitched matrix has rows that are
//! contiguous on the host and padded on the device.

use crate::buffer::values;
use crate::device::Engine;
use crate::{Buffer, Device, Error, Result, Storable, View, ViewMut};
use lanework_cuda::Rows;

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

    /// Copies the view to the host, after all earlier launches have finished.
    ///
    /// # Errors
    /// Any unreported error of an earlier launch.
    pub fn download(&self) -> Result<Vec<T>> {
        let device = self.device()?;
        device.synchronize()?;
        device.read_values(self.address, self.length)
    }

    /// Copies the view into `host`, after all earlier launches have finished.
    ///
    /// # Errors
    /// Any unreported error of an earlier launch; [`Error::Request`] if the lengths differ.
    pub fn download_to(&self, host: &mut [T]) -> Result<()> {
        same_length(host.len(), self.length)?;
        let device = self.device()?;
        device.synchronize()?;
        device.read_into(self.address, host)
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

    /// Copies `host` into the view.
    ///
    /// # Errors
    /// If the driver rejects the copy; [`Error::Request`] if the lengths differ.
    pub fn upload(&mut self, host: &[T]) -> Result<()> {
        same_length(host.len(), self.length)?;
        self.device()?.write(self.address, &values::bytes(host))
    }

    /// A read-only view of the same part.
    pub fn read(&self) -> View<'_, T> {
        ViewMut { ..*self }.into()
    }

    /// A view of the same part with the lifetime of this borrow.
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

/// Alignment of rows in bytes, as in `cuMemAllocPitch`.
const ROW_ALIGNMENT: usize = 512;

impl Device {
    /// The pitch for rows of `width` elements: the distance in elements between the starts of two rows. Every row
    /// starts at a multiple of 512 bytes.
    ///
    /// ```
    /// # use lanework::Device;
    /// let device = Device::emulator();
    /// let pitch = device.row_pitch::<f32>(1000);
    /// assert_eq!(pitch, 1024);
    ///
    /// // Two rows of 1000 elements, each from a multiple of 512 bytes on.
    /// let mut matrix = device.zeros::<f32>(2 * pitch)?;
    /// matrix.upload_2d(&[1.0; 2000], 1000, pitch)?;
    /// let mut host = vec![0.0; 2000];
    /// matrix.download_2d(&mut host, 1000, pitch)?;
    /// assert_eq!(host, [1.0; 2000]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    pub fn row_pitch<T: Storable>(&self, width: usize) -> usize {
        width.next_multiple_of(ROW_ALIGNMENT / size_of::<T>())
    }
}

impl<T: Storable> Buffer<T> {
    /// Copies the rows of a matrix from `host`. Each row has `width` elements. Rows are contiguous in `host` and
    /// `pitch` elements apart in this buffer. The copy does not write the padding.
    ///
    /// # Errors
    /// If the driver rejects the copy.
    ///
    /// # Panics
    /// If the length of `host` is not a multiple of `width`, `pitch` is less than `width`, or the rows do not fit.
    #[track_caller]
    pub fn upload_2d(&mut self, host: &[T], width: usize, pitch: usize) -> Result<()> {
        let to = self.rows(host.len(), width, pitch);
        let bytes: &[u8] = &values::bytes(host);
        match &self.device.0.engine {
            Engine::Gpu(gpu) => gpu.write_rows(to, bytes),
            Engine::Emulator(_) => (each_row(to, bytes.len()))
                .try_for_each(|(address, row)| self.device.write(address, &bytes[row])),
        }
    }

    /// Copies the rows of a matrix into `host`, after all earlier launches have finished. Each row has `width`
    /// elements. Rows are `pitch` elements apart in this buffer and contiguous in `host`.
    ///
    /// # Errors
    /// Any unreported error of an earlier launch.
    ///
    /// # Panics
    /// As [`Buffer::upload_2d`].
    #[track_caller]
    pub fn download_2d(&self, host: &mut [T], width: usize, pitch: usize) -> Result<()> {
        let from = self.rows(host.len(), width, pitch);
        self.device.synchronize()?;
        values::fill(host, |bytes| match &self.device.0.engine {
            Engine::Gpu(gpu) => gpu.read_rows(from, bytes),
            Engine::Emulator(_) => (each_row(from, bytes.len()))
                .try_for_each(|(address, row)| self.device.read(address, &mut bytes[row])),
        })
    }

    /// The rows of a matrix of `elements` elements in this buffer.
    #[track_caller]
    fn rows(&self, elements: usize, width: usize, pitch: usize) -> Rows {
        assert!(width <= pitch, "rows of {width} elements overlap at a pitch of {pitch}");
        assert!(
            elements == 0 || (width > 0 && elements.is_multiple_of(width)),
            "{elements} elements are not a multiple of the row width {width}"
        );
        let last = elements.checked_div(width).unwrap_or(0).saturating_sub(1);
        let end = last.saturating_mul(pitch).saturating_add(width);
        assert!(
            elements == 0 || end <= self.len(),
            "{} rows of {width} elements at a pitch of {pitch} do not fit a buffer of {} elements",
            last + 1,
            self.len()
        );
        let [width, pitch] = [width, pitch].map(|elements| elements * size_of::<T>());
        Rows { address: self.address, width, pitch }
    }
}

/// The address of each row, and the range of its bytes on the host.
fn each_row(rows: Rows, bytes: usize) -> impl Iterator<Item = (u64, std::ops::Range<usize>)> {
    let count = bytes.checked_div(rows.width).unwrap_or(0);
    (0..count).map(move |row| {
        let start = row * rows.width;
        (rows.address + (row * rows.pitch) as u64, start..start + rows.width)
    })
}
