//! The arrays of a launch on the emulator: one buffer for each range of bytes, so that two views of an array stay views of one.

use crate::array::Array;
use lanework_runtime::{Buffer, Device, Result};

/// A range of host bytes that holds arrays.
struct Region {
    start: usize,
    bytes: usize,
    name: String,
}

/// The addresses of the arrays.
pub struct Regions(Vec<Region>);

/// Copies of the regions on a device.
pub struct Copies(Vec<Buffer<u8>>);

impl Regions {
    /// The ranges of the arrays; those that overlap are one.
    pub fn of(arrays: &[&Array]) -> Regions {
        let mut sorted: Vec<&&Array> = arrays.iter().filter(|array| array.bytes > 0).collect();
        sorted.sort_by_key(|array| array.address);
        let mut regions: Vec<Region> = Vec::new();
        for array in sorted {
            match regions.last_mut() {
                Some(last) if array.address < last.start + last.bytes => {
                    last.bytes = last.bytes.max(array.address + array.bytes - last.start);
                }
                _ => regions.push(Region {
                    start: array.address,
                    bytes: array.bytes,
                    name: array.name.clone(),
                }),
            }
        }
        Regions(regions)
    }

    /// Copies the bytes to a device.
    ///
    /// # Errors
    /// When the device has no memory for them.
    pub fn upload(&self, device: &Device) -> Result<Copies> {
        let copy = |region: &Region| {
            let mut buffer = device.uninit_named::<u8>(region.bytes, &region.name)?;
            // SAFETY: the launch holds the arrays' objects, so that every byte of the region, a union of overlapping
            // arrays, stays allocated. Python code that writes them on another thread meanwhile races with its own
            // launch, as with a NumPy operation.
            buffer.upload(unsafe {
                std::slice::from_raw_parts(region.start as *const u8, region.bytes)
            })?;
            Ok(buffer)
        };
        Ok(Copies(self.0.iter().map(copy).collect::<Result<_>>()?))
    }

    fn find(&self, array: &Array) -> Option<(usize, usize)> {
        let holds =
            |region: &Region| (region.start..region.start + region.bytes).contains(&array.address);
        let index = self.0.iter().position(holds)?;
        Some((index, array.address - self.0[index].start))
    }

    /// The address of an array on the device: 0 of an empty one.
    pub fn address(&self, copies: &Copies, array: &Array) -> u64 {
        self.find(array).map_or(0, |(index, offset)| copies.0[index].address() + offset as u64)
    }

    /// Copies the arrays back, except read-only arrays; returns the names of read-only arrays that the kernel changed.
    ///
    /// # Errors
    /// If a copy from the device fails.
    pub fn download(&self, copies: &Copies, arrays: &[&Array]) -> Result<Vec<String>> {
        let mut after = Vec::new();
        for buffer in &copies.0 {
            after.push(buffer.download()?);
        }
        let part = |array: &Array| {
            let (index, offset) = self.find(array)?;
            after[index].get(offset..offset + array.bytes)
        };
        let changed = |array: &&&Array| {
            // A view of the same bytes may be writable.
            let written = arrays.iter().any(|other| {
                other.writable
                    && other.address < array.address + array.bytes
                    && array.address < other.address + other.bytes
            });
            // SAFETY: the launch holds the array's object, which keeps `bytes` bytes at `address`; `bytes` is not 0.
            let before =
                unsafe { std::slice::from_raw_parts(array.address as *const u8, array.bytes) };
            !array.writable && !written && part(array).is_some_and(|bytes| bytes != before)
        };
        let refused = arrays.iter().filter(|array| array.bytes > 0).filter(changed);
        let refused = refused.map(|array| array.name.clone()).collect();
        for array in arrays.iter().filter(|array| array.writable) {
            let Some(bytes) = part(array) else { continue };
            // SAFETY: the launch holds the array's object, which keeps these bytes and lets them be written; `after` is
            // memory of its own.
            unsafe {
                (array.address as *mut u8).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            }
        }
        Ok(refused)
    }

    /// The index of the array that holds a device address.
    pub fn array_at(&self, copies: &Copies, arrays: &[&Array], address: u64) -> Option<usize> {
        arrays.iter().position(|array| {
            let start = self.address(copies, array);
            start > 0 && (start..start + array.bytes as u64).contains(&address)
        })
    }
}
