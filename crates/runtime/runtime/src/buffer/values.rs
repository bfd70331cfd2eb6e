//! Values of the host as bytes of device memory, and back.

use crate::{Device, Error, Result, Storable};
use std::borrow::Cow;

/// The bytes of values. Padding is zero.
pub fn bytes<T: Storable>(host: &[T]) -> Cow<'_, [u8]> {
    if let Some(bytes) = T::bytes(host) {
        return Cow::Borrowed(bytes);
    }
    let size = size_of::<T>();
    let mut bytes = vec![0; size_of_val(host)];
    host.iter().enumerate().for_each(|(k, value)| value.write(&mut bytes[k * size..][..size]));
    Cow::Owned(bytes)
}

/// Fills `host` with the values of the bytes that `read` writes.
pub fn fill<T: Storable>(host: &mut [T], read: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<()> {
    if let Some(bytes) = T::bytes_mut(host) {
        return read(bytes);
    }
    let mut bytes = vec![0; size_of_val(host)];
    read(&mut bytes)?;
    for (k, value) in host.iter_mut().enumerate() {
        *value = value_at(&bytes, k)?;
    }
    Ok(())
}

fn value_at<T: Storable>(bytes: &[u8], index: usize) -> Result<T> {
    let bytes = &bytes[index * size_of::<T>()..][..size_of::<T>()];
    T::read(bytes).ok_or_else(|| Error::Request {
        why: format!(
            "element {index} in device memory is no value of type `{}`: its bytes are {bytes:02x?}",
            std::any::type_name::<T>()
        ),
        help: "a `bool` is 0 or 1, and an enum the number of a variant; write the element before the host reads it"
            .to_owned(),
    })
}

impl Device {
    /// Fills `host` with the values at an address.
    pub(crate) fn read_into<T: Storable>(&self, address: u64, host: &mut [T]) -> Result<()> {
        fill(host, |bytes| self.read(address, bytes))
    }

    /// The values at an address.
    pub(crate) fn read_values<T: Storable>(&self, address: u64, count: usize) -> Result<Vec<T>> {
        // A value whose bytes are copied as they are may have any.
        if T::bytes(&[]).is_some()
            && let Some(first) = T::read(&vec![0; size_of::<T>()])
        {
            let mut host = vec![first; count];
            self.read_into(address, &mut host)?;
            return Ok(host);
        }
        let mut bytes = vec![0; count * size_of::<T>()];
        self.read(address, &mut bytes)?;
        (0..count).map(|index| value_at(&bytes, index)).collect()
    }
}
