//! Rows of A and B from shared and tensor memory.

use super::address::Place;
use super::element::{Element, Row};
use super::memory::TensorMemory;
use crate::matrix::descriptor::Descriptor;
use crate::region::Region;
use std::ops::Range;

/// Rows in shared memory.
#[derive(Clone, Copy)]
pub struct SharedRows {
    /// Where they lie.
    pub descriptor: Descriptor,
    /// Whether M or N is contiguous.
    pub across: bool,
    /// Bytes of a row along K.
    pub bytes: usize,
    /// Bytes of an element.
    pub element: usize,
}

impl SharedRows {
    /// The rows of an operand whose elements are of a type, `k` in a row.
    pub fn of(descriptor: Descriptor, across: bool, element: Element, k: usize) -> SharedRows {
        let bytes = match element {
            Element::PackedE2m1 => k / 2,
            _ => k * element.container(),
        };
        SharedRows { descriptor, across, bytes, element: element.container() }
    }

    /// The addresses of the chunks of 16 bytes that rows consist of.
    pub fn chunks(&self, rows: Range<usize>) -> Vec<u64> {
        let mut found = Vec::new();
        if self.across {
            let per = 16 / self.element;
            let first = rows.start / per;
            let last = rows.end.div_ceil(per);
            for k in 0..self.bytes / self.element {
                let of_k = |part| self.descriptor.across_k(k as u64, part as u64);
                found.extend((first..last).map(of_k));
            }
        } else {
            for row in rows {
                let of_row = |part| self.descriptor.along_k(row as u64, part as u64);
                found.extend((0..self.bytes / 16).map(of_row));
            }
        }
        found
    }

    /// Reads rows.
    ///
    /// # Errors
    /// The address of 16 bytes that are not in shared memory.
    ///
    /// # Safety
    /// The region is live.
    pub unsafe fn read(&self, shared: &Region, rows: Range<usize>) -> Result<Vec<Row>, u64> {
        let chunk = |address: u64| -> Result<[u8; 16], u64> {
            if !shared.holds(shared.start + address, shared.start + address, 16) {
                return Err(address);
            }
            // SAFETY: the chunk lies inside the region, which is live by the caller.
            Ok(unsafe { shared.host.add(address as usize).cast::<[u8; 16]>().read() })
        };
        let first = rows.start;
        let mut found: Vec<Row> = vec![[0; 64]; rows.len()];
        if !self.across {
            for (i, row) in found.iter_mut().enumerate() {
                for part in 0..self.bytes / 16 {
                    let address = self.descriptor.along_k((first + i) as u64, part as u64);
                    row[16 * part..][..16].copy_from_slice(&chunk(address)?);
                }
            }
            return Ok(found);
        }
        let (per, size) = (16 / self.element, self.element);
        for k in 0..self.bytes / size {
            let mut last = None;
            for (i, row) in found.iter_mut().enumerate() {
                let at = first + i;
                let bytes = match last {
                    Some((part, bytes)) if part == at / per => bytes,
                    _ => chunk(self.descriptor.across_k(k as u64, (at / per) as u64))?,
                };
                last = Some((at / per, bytes));
                row[k * size..][..size].copy_from_slice(&bytes[at % per * size..][..size]);
            }
        }
        Ok(found)
    }
}

/// One row of A in tensor memory: 32 bytes in eight columns.
pub fn tensor_row(memory: &TensorMemory, lane: u32, at: Place) -> Row {
    let mut row: Row = [0; 64];
    for column in 0..8 {
        let word = memory.word(lane, at.column + column);
        row[4 * column as usize..][..4].copy_from_slice(&word.to_le_bytes());
    }
    row
}
