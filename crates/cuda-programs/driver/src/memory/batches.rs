//! Batched copies, and batched hints for managed memory.

use crate::api::api;
use crate::graphs::work::Work;
use crate::memory::managed::{device_of, prefetch};
use crate::memory::transfer::{Copy3D, CopySide};
use crate::pointers::*;
use crate::state::{Handle, driver, table};
use crate::status::{Result, Status};
use crate::textures::arrays::Array;

/// `CUmemLocation`: kind and id.
type LocationWords = [i32; 2];

/// `CUmemcpyAttributes`: source access order, location hints, and flags.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct CopyAttributes {
    order: i32,
    hints: [LocationWords; 2],
    flags: u32,
}

abi!(CopyAttributes = 24, 4 { order: 0, hints: 4, flags: 20 });

/// `CUmemcpy3DOperand`: memory with row length and layer height in elements, or an array and an offset.
#[derive(Clone, Copy)]
#[repr(C)]
struct CopyOperand {
    kind: i32,
    /// Address of memory, or handle of an array.
    first: Address,
    words: [u64; 3],
}

abi!(CopyOperand = 40, 8 { kind: 0, first: 8, words: 16 });

/// `CUDA_MEMCPY3D_BATCH_OP`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct BoxCopy {
    from: CopyOperand,
    to: CopyOperand,
    extent: [usize; 3],
    order: i32,
    flags: u32,
}

abi!(BoxCopy = 112, 8 { from: 0, to: 40, extent: 80, order: 104, flags: 108 });

/// Kinds of operands.
const POINTER: i32 = 1;
const ARRAY: i32 = 2;

impl CopyAttributes {
    fn are_valid(&self) -> bool {
        (1..=3).contains(&self.order) && self.flags <= 1
    }
}

impl CopyOperand {
    /// Bytes per texel of an array; `None` for memory.
    fn texel(&self) -> Result<Option<u64>> {
        match self.kind {
            POINTER => Ok(None),
            ARRAY => Ok(Some(table::<Array>().get(self.first.get())?.image.texel.bytes())),
            _ => Err(Status::InvalidValue),
        }
    }

    /// Converts to a copy side, given the element size in bytes.
    fn side(&self, element: u64) -> Result<CopySide> {
        let ([a, b, c], first) = (self.words, self.first);
        let bytes = |elements: u64| {
            elements.checked_mul(element).map(|bytes| bytes as usize).ok_or(Status::InvalidValue)
        };
        Ok(match self.kind {
            ARRAY => CopySide {
                memory: 3,
                array: first.get(),
                x_bytes: bytes(a)?,
                y: b as usize,
                z: c as usize,
                ..CopySide::line(Address::NULL)
            },
            _ => CopySide { pitch: bytes(a)?, height: b as usize, ..CopySide::line(first) },
        })
    }
}

impl BoxCopy {
    fn copy(&self) -> Result<Copy3D> {
        if !(1..=3).contains(&self.order) || self.flags > 1 {
            return Err(Status::InvalidValue);
        }
        let element = match (self.from.texel()?, self.to.texel()?) {
            (Some(from), Some(to)) if from != to => return Err(Status::InvalidValue),
            (from, to) => from.or(to).unwrap_or(1),
        };
        let [width, height, depth] = self.extent;
        let width = width.checked_mul(element as usize).ok_or(Status::InvalidValue)?;
        Ok(Copy3D {
            from: self.from.side(element)?,
            to: self.to.side(element)?,
            width,
            height,
            depth,
        })
    }
}

/// Queues copies in order. If one fails, its index is stored.
fn queue(
    copies: impl Iterator<Item = Result<Copy3D>>,
    failed: Out<'_, usize>,
    stream: Handle,
) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    // As on a GPU, the default stream and captured streams are errors.
    if matches!(stream, 0 | 1) {
        return Err(Status::InvalidValue);
    }
    if driver.captured(stream)?.is_some() {
        return Err(Status::StreamCaptureUnsupported);
    }
    for (number, copy) in copies.enumerate() {
        let done = copy.and_then(|copy| driver.submit(stream, Work::Copy(copy)));
        if let Err(status) = done {
            failed.store_optional(number);
            return Err(status);
        }
    }
    Ok(())
}

/// Queues 1D copies.
fn lines(
    (to, from, bytes, count): (In<'_, Address>, In<'_, Address>, In<'_, usize>, usize),
    (attributes, first, attribute_count): (In<'_, CopyAttributes>, In<'_, usize>, usize),
    failed: Out<'_, usize>,
    stream: Handle,
) -> Result {
    let missing = to.is_null() || from.is_null() || bytes.is_null();
    if count == 0 || missing || attributes.is_null() || first.is_null() {
        return Err(Status::InvalidValue);
    }
    let (to, from, bytes) = (to.list(count)?, from.list(count)?, bytes.list(count)?);
    let (attributes, first) = (attributes.list(attribute_count)?, first.list(attribute_count)?);
    // An attribute applies from its index up to the next attribute's index; the first index is 0.
    let in_order = first.first() == Some(&0)
        && first.windows(2).all(|pair| pair[0] < pair[1])
        && first.iter().all(|&number| number < count);
    if !in_order || !attributes.iter().all(CopyAttributes::are_valid) {
        return Err(Status::InvalidValue);
    }
    let copies = to.into_iter().zip(from).zip(bytes).map(|((to, from), width)| {
        if width == 0 || to == Address::NULL || from == Address::NULL {
            return Err(Status::InvalidValue);
        }
        Ok(Copy3D {
            from: CopySide::line(from),
            to: CopySide::line(to),
            width,
            height: 1,
            depth: 1,
        })
    });
    queue(copies, failed, stream)
}

/// Queues 3D copies.
fn boxes(
    count: usize,
    all: In<'_, BoxCopy>,
    failed: Out<'_, usize>,
    flags: u64,
    stream: Handle,
) -> Result {
    if count == 0 || all.is_null() || flags != 0 {
        return Err(Status::InvalidValue);
    }
    queue(all.list(count)?.iter().map(BoxCopy::copy), failed, stream)
}

/// Prefetch locations; each applies from its index up to the next one's index.
type Places<'call> = (In<'call, LocationWords>, In<'call, usize>, usize);

/// Validates the ranges of a hint. All memory is accessible everywhere, so a hint only changes later queries.
fn hint(
    addresses: In<'_, u64>,
    bytes: In<'_, usize>,
    count: usize,
    places: Option<Places<'_>>,
    flags: u64,
    stream: Handle,
) -> Result {
    let driver = driver()?;
    driver.stream(stream)?;
    if count == 0 || addresses.is_null() || bytes.is_null() || flags != 0 {
        return Err(Status::InvalidValue);
    }
    let (addresses, bytes) = (addresses.list(count)?, bytes.list(count)?);
    addresses.iter().zip(&bytes).try_for_each(|(&address, &bytes)| match bytes {
        0 => Err(Status::InvalidValue),
        bytes => driver.check_range(address, bytes),
    })?;
    let Some((locations, first, location_count)) = places else { return Ok(()) };
    let (locations, first) = (locations.list(location_count)?, first.list(location_count)?);
    let in_order = first.first() == Some(&0) && first.is_sorted() && first.len() == locations.len();
    if !in_order || first.iter().any(|&number| number >= count) {
        return Err(Status::InvalidValue);
    }
    let ranges = addresses.iter().zip(&bytes).enumerate();
    ranges.into_iter().try_for_each(|(number, (&address, &bytes))| {
        let [kind, device] = locations[first.partition_point(|&of| of <= number) - 1];
        let location = (device as u32 as u64) << 32 | kind as u32 as u64;
        prefetch(address, bytes, device_of(location), stream)
    })
}

api! {
    fn cuMemcpyBatchAsync(to: In<'_, Address>, from: In<'_, Address>, bytes: In<'_, usize>, count: usize, attributes: In<'_, CopyAttributes>, first: In<'_, usize>, attribute_count: usize, failed: Out<'_, usize>, stream: Handle) {
        lines((to, from, bytes, count), (attributes, first, attribute_count), failed, stream)
    }

    fn cuMemcpyBatchAsync_v2(to: In<'_, Address>, from: In<'_, Address>, bytes: In<'_, usize>, count: usize, attributes: In<'_, CopyAttributes>, first: In<'_, usize>, attribute_count: usize, stream: Handle) {
        let failed = Out::NULL;
        lines((to, from, bytes, count), (attributes, first, attribute_count), failed, stream)
    }

    fn cuMemcpy3DBatchAsync(count: usize, all: In<'_, BoxCopy>, failed: Out<'_, usize>, flags: u64, stream: Handle) {
        boxes(count, all, failed, flags, stream)
    }

    fn cuMemcpy3DBatchAsync_v2(count: usize, all: In<'_, BoxCopy>, flags: u64, stream: Handle) {
        boxes(count, all, Out::NULL, flags, stream)
    }

    fn cuMemcpyWithAttributesAsync(to: Address, from: Address, bytes: usize, attributes: In<'_, CopyAttributes>, stream: Handle) {
        let valid = attributes.find().as_ref().is_some_and(CopyAttributes::are_valid);
        if !valid || bytes == 0 || to == Address::NULL || from == Address::NULL {
            return Err(Status::InvalidValue);
        }
        let copy = Copy3D { from: CopySide::line(from), to: CopySide::line(to), width: bytes, height: 1, depth: 1 };
        driver()?.submit(stream, Work::Copy(copy))
    }

    fn cuMemcpy3DWithAttributesAsync(copy: In<'_, BoxCopy>, flags: u64, stream: Handle) {
        let copy = copy.find().filter(|_| flags == 0).ok_or(Status::InvalidValue)?;
        driver()?.submit(stream, Work::Copy(copy.copy()?))
    }

    fn cuMemPrefetchBatchAsync(addresses: In<'_, u64>, bytes: In<'_, usize>, count: usize, locations: In<'_, LocationWords>, first: In<'_, usize>, location_count: usize, flags: u64, stream: Handle) {
        hint(addresses, bytes, count, Some((locations, first, location_count)), flags, stream)
    }

    fn cuMemDiscardBatchAsync(addresses: In<'_, u64>, bytes: In<'_, usize>, count: usize, flags: u64, stream: Handle) {
        hint(addresses, bytes, count, None, flags, stream)
    }

    fn cuMemDiscardAndPrefetchBatchAsync(addresses: In<'_, u64>, bytes: In<'_, usize>, count: usize, locations: In<'_, LocationWords>, first: In<'_, usize>, location_count: usize, flags: u64, stream: Handle) {
        hint(addresses, bytes, count, Some((locations, first, location_count)), flags, stream)
    }
}
