//! Memory of devices, looked up to the byte in the driver before it is touched: it is memory of the host that the emulator keeps account of.
//! It is copied in the stream of the call, so that checks see the order that the call has with other work.

use crate::driver::{Rows, Side, driver};
use crate::failure::{Kind, Result, fail};
use crate::stream::current_stream;

/// Memory of a device as a call names it.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// The address of its first byte.
    pub at: usize,
    /// How many bytes there are.
    pub bytes: usize,
}

/// What the driver knows of an address.
enum Known {
    /// It is allocated, with so many bytes from it on.
    Left(u64),
    /// It is not.
    Nothing,
}

/// Looks an address up.
fn known(at: u64) -> Result<Known> {
    let (mut base, mut size) = (0u64, 0usize);
    // SAFETY: stores two numbers.
    match unsafe { (driver()?.range)(&mut base, &mut size, at) } {
        0 => Ok(Known::Left(base.saturating_add(size as u64).saturating_sub(at))),
        // An invalid value, or not found.
        1 | 500 => Ok(Known::Nothing),
        code => fail(
            Kind::Driver,
            format!("the device answers error {code}, which an earlier kernel may have left"),
        ),
    }
}

/// Whether an address belongs to a device.
///
/// # Errors
/// When there is no driver, or a kernel left an error.
pub fn is_allocated(at: usize) -> Result<bool> {
    Ok(matches!(known(at as u64)?, Known::Left(_)))
}

impl Memory {
    /// Whether it lies in one allocation of a device.
    ///
    /// # Errors
    /// When it does not; `what` names it.
    pub fn check(&self, what: &str) -> Result {
        if self.bytes == 0 {
            return Ok(());
        }
        let place = match known(self.at as u64)? {
            Known::Left(left) if left >= self.bytes as u64 => return Ok(()),
            Known::Left(left) => format!("the allocation there has {left} bytes from it on"),
            Known::Nothing => "nothing is allocated there".to_owned(),
        };
        let why = format!("{what} takes {} bytes at {:#x}, and {place}", self.bytes, self.at);
        fail(Kind::Memory, why)
    }

    /// Its bytes, where they lie.
    ///
    /// # Errors
    /// As [`Memory::check`].
    ///
    /// # Safety
    /// Nobody frees or writes them as long as they are used.
    pub unsafe fn bytes<'a>(&self, what: &str) -> Result<&'a [u8]> {
        self.check(what)?;
        if self.bytes == 0 {
            return Ok(&[]);
        }
        // SAFETY: the driver says that they are allocated, and the caller that they stay as they are.
        Ok(unsafe { std::slice::from_raw_parts(self.at as *const u8, self.bytes) })
    }

    /// A copy of its bytes, made by the driver.
    ///
    /// # Errors
    /// As [`Memory::check`], and when the driver does not copy them.
    pub fn read(&self, what: &str) -> Result<Vec<u8>> {
        self.check(what)?;
        let mut bytes = vec![0; self.bytes];
        if self.bytes == 0 {
            return Ok(bytes);
        }
        // SAFETY: the driver checks the range again, and writes as many bytes as there are.
        let code = unsafe {
            (driver()?.read)(
                bytes.as_mut_ptr().cast(),
                self.at as u64,
                self.bytes,
                current_stream(),
            )
        };
        match code {
            0 => Ok(bytes),
            code => fail(Kind::Driver, format!("{what} cannot be read: error {code}")),
        }
    }
}

/// Writes bytes to an address of a device, which count as written then.
///
/// # Errors
/// When they are not in one allocation; `what` names them.
pub fn write(at: usize, from: &[u8], what: &str) -> Result {
    Memory { at, bytes: from.len() }.check(what)?;
    if from.is_empty() {
        return Ok(());
    }
    // SAFETY: the driver checks the range.
    match unsafe {
        (driver()?.write)(at as u64, from.as_ptr().cast(), from.len(), current_stream())
    } {
        0 => Ok(()),
        code => fail(Kind::Driver, format!("{what} cannot be written: error {code}")),
    }
}

/// Writes elements of `size` bytes to addresses of a device that are `pitch` bytes apart; what lies between is not touched.
///
/// # Errors
/// When they are not in one allocation; `what` names them.
///
/// # Panics
/// When an element has no bytes.
pub fn write_spaced(at: usize, from: &[u8], size: usize, pitch: usize, what: &str) -> Result {
    if size == pitch {
        return write(at, from, what);
    }
    let host = Side { memory: 1, host: from.as_ptr() as u64, pitch: size, ..Side::default() };
    let device = Side { memory: 2, device: at as u64, pitch, ..Side::default() };
    let rows = Rows { from: host, to: device, width: size, height: from.len() / size };
    // SAFETY: the bytes are there, and the driver checks the range.
    match unsafe { (driver()?.write_rows)(&rows, current_stream()) } {
        0 => Ok(()),
        code => fail(Kind::Driver, format!("{what} cannot be written: error {code}")),
    }
}

/// Allocates memory of the current device.
///
/// # Errors
/// When there is not enough.
pub fn allocate(bytes: usize) -> Result<u64> {
    let mut at = 0;
    // SAFETY: stores an address.
    match unsafe { (driver()?.allocate)(&mut at, bytes) } {
        0 => Ok(at),
        code => fail(
            Kind::Allocation,
            format!("{bytes} bytes of the device cannot be allocated: error {code}"),
        ),
    }
}

/// Frees memory of a device.
///
/// # Errors
/// When it was not allocated.
pub fn free(at: u64) -> Result {
    // SAFETY: the driver looks the address up.
    match unsafe { (driver()?.free)(at) } {
        0 => Ok(()),
        code => fail(Kind::Driver, format!("{at:#x} cannot be freed: error {code}")),
    }
}
