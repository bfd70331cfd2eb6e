//! Copies between host and device, and fills. Each function checks the memory on both sides.

use super::graphs::queued;
use super::memory::on_device;
use super::state::{StreamWork, cuda, failed_call, kind, status, sticky};
use lanework_emulator::{Image, MemoryError};
use lanework_host::{External, Process, Stop, word};
use std::rc::Rc;

const HELP: &str = "pass sizes in bytes, and the pointers that the allocations returned";

fn refused(process: &mut Process, why: &MemoryError) -> Result<u64, Stop> {
    failed_call(process, status::INVALID_VALUE, why.to_string(), HELP)
}

/// Reads device memory. A check reports uninitialized bytes.
fn from_device(process: &mut Process, from: u64, bytes: u64) -> Result<Result<Vec<u8>, u64>, Stop> {
    let mut data = Vec::new();
    let state = cuda(process)?;
    // Check that the range exists on the device before the host allocates as many bytes.
    if let Err(why) = state.emulator.pin(from, bytes).map(drop) {
        return refused(process, &why).map(Err);
    }
    data.resize(bytes as usize, 0);
    if let Err(why) = state.emulator.read(from, &mut data) {
        return refused(process, &why).map(Err);
    }
    let found = state.emulator.check_host_read(from, bytes);
    if let Some(report) = found {
        state.measuring.add_finding(report);
    }
    Ok(Ok(data))
}

fn to_device(process: &mut Process, to: u64, data: &[u8]) -> Result<u64, Stop> {
    match cuda(process)?.emulator.write(to, data) {
        Ok(()) => Ok(status::SUCCESS),
        Err(why) => refused(process, &why),
    }
}

/// Reports a copy whose direction contradicts its addresses.
fn wrong_direction(process: &mut Process, what: &str) -> Result<u64, Stop> {
    failed_call(
        process,
        status::INVALID_VALUE,
        format!(
            "{what} of this copy is memory of the device, its direction says memory of the host"
        ),
        "exchange the pointers, or correct the direction: `cudaMemcpyHostToDevice` copies from the host to the device",
    )
}

/// `CUmemorytype` of a side: the host, or an array; all others are memory of the device.
const HOST: u32 = 1;
const ARRAY: u32 = 3;

/// One side of a copy of rows (`CUDA_MEMCPY3D`).
struct CopySide {
    kind: u32,
    /// The first byte of the first row, in its array or from the start of its memory.
    x: u64,
    y: u64,
    z: u64,
    /// The start of the memory.
    base: u64,
    pitch: u64,
    rows: u64,
    array: Option<Image>,
}

impl CopySide {
    /// The address of a row of `width` bytes; `None` if it is outside of its array.
    fn row(&self, width: u64, (y, z): (u64, u64)) -> Option<u64> {
        let (y, z) = (self.y.checked_add(y)?, self.z.checked_add(z)?);
        match self.array {
            Some(image) => {
                let end = self.x.checked_add(width)?;
                let inside = end <= image.row_bytes()
                    && y < u64::from(image.extent[1])
                    && z < image.planes();
                inside.then(|| image.at(self.x, y, z))
            }
            None => {
                let row = z.wrapping_mul(self.rows).wrapping_add(y).wrapping_mul(self.pitch);
                Some(self.base.wrapping_add(row).wrapping_add(self.x))
            }
        }
    }
}

/// Decodes a side. `None` if it is an array that does not exist.
fn side(
    process: &mut Process,
    copy: &[u8],
    at: usize,
    [width, height]: [u64; 2],
) -> Result<Option<CopySide>, Stop> {
    let long = |offset: usize| {
        let bytes = copy.get(at + offset..at + offset + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_le_bytes)
    };
    let kind = long(32) as u32;
    let array = match kind {
        ARRAY => match cuda(process)?.textures.image(long(56)) {
            Some(image) => Some(image),
            None => return Ok(None),
        },
        _ => None,
    };
    let [pitch, rows] = [(72, width), (80, height)].map(|(offset, all)| match long(offset) {
        0 => all,
        given => given,
    });
    let base = if kind == HOST { long(40) } else { long(48) };
    Ok(Some(CopySide { kind, x: long(0), y: long(8), z: long(16), base, pitch, rows, array }))
}

/// Copies rows.
fn copy_rows(process: &mut Process, copy: &[u8]) -> Result<u64, Stop> {
    let size = |at: usize| {
        copy[at..at + 8].iter().rev().fold(0u64, |all, byte| all << 8 | u64::from(*byte))
    };
    let [width, height, depth] = [size(176), size(184), size(192)];
    let sides = [0, 88].map(|at| side(process, copy, at, [width, height]));
    let [from, to] = sides;
    let (Some(from), Some(to)) = (from?, to?) else {
        let why = "this copy names an array that does not exist, or that was freed";
        let help = "pass an array of `cudaMallocArray`, before `cudaFreeArray`";
        return failed_call(process, status::INVALID_HANDLE, why, help);
    };
    for z in 0..depth {
        for y in 0..height {
            let rows = (from.row(width, (y, z)), to.row(width, (y, z)));
            let (Some(source), Some(target)) = rows else {
                let why = format!("row {y} of plane {z} of this copy is outside of its array");
                let help = "give the width and x in bytes, the height and y in rows of the array";
                return failed_call(process, status::INVALID_VALUE, why, help);
            };
            let data = match from.kind {
                HOST if on_device(process, source)? => {
                    return wrong_direction(process, "the source");
                }
                HOST => process.accessed(process.memory.read(source, width), "read")?,
                _ => match from_device(process, source, width)? {
                    Ok(data) => data,
                    Err(code) => return Ok(code),
                },
            };
            match to.kind {
                HOST if on_device(process, target)? => {
                    return wrong_direction(process, "the target");
                }
                HOST => {
                    let written = process.memory.write(target, &data);
                    process.accessed(written, "write")?;
                }
                _ => match to_device(process, target, &data)? {
                    status::SUCCESS => {}
                    code => return Ok(code),
                },
            }
        }
    }
    Ok(status::SUCCESS)
}

fn copy_to_device(process: &mut Process, to: u64, from: u64, bytes: u64) -> Result<u64, Stop> {
    if on_device(process, from)? {
        return wrong_direction(process, "the source");
    }
    let data = process.accessed(process.memory.read(from, bytes), "read")?;
    to_device(process, to, &data)
}

fn copy_to_host(process: &mut Process, to: u64, from: u64, bytes: u64) -> Result<u64, Stop> {
    if on_device(process, to)? {
        return wrong_direction(process, "the target");
    }
    match from_device(process, from, bytes)? {
        Ok(data) => {
            let written = process.memory.write(to, &data);
            process.accessed(written, "write").map(|()| status::SUCCESS)
        }
        Err(code) => Ok(code),
    }
}

fn copy_on_device(process: &mut Process, to: u64, from: u64, bytes: u64) -> Result<u64, Stop> {
    match from_device(process, from, bytes)? {
        Ok(data) => to_device(process, to, &data),
        Err(code) => Ok(code),
    }
}

fn fill(process: &mut Process, to: u64, byte: u64, bytes: u64) -> Result<u64, Stop> {
    match cuda(process)?.emulator.fill(to, byte as u8, bytes) {
        Ok(()) => Ok(status::SUCCESS),
        Err(why) => refused(process, &why),
    }
}

/// Queues work with three operands in the stream that the fourth argument names.
fn queue(
    process: &mut Process,
    a: &[u64],
    kind: u32,
    work: fn(&mut Process, u64, u64, u64) -> Result<u64, Stop>,
) -> Result<u64, Stop> {
    if let Some(code) = sticky(process)? {
        return Ok(code);
    }
    let [x, y, z, stream] = std::array::from_fn(|at| word(a, at));
    queued(process, stream, kind, Rc::new(move |process: &mut Process| work(process, x, y, z)))
}

/// The copy of a node.
pub fn copy_node(process: &mut Process, at: u64) -> Result<Result<StreamWork, u64>, Stop> {
    let copy = process.accessed(process.memory.read(at, 200), "read")?;
    Ok(Ok(Rc::new(move |process: &mut Process| copy_rows(process, &copy))))
}

/// The fill of a node (`CUDA_MEMSET_NODE_PARAMS`): rows of elements of 1, 2 or 4 bytes.
pub fn fill_node(process: &mut Process, at: u64) -> Result<Result<StreamWork, u64>, Stop> {
    let fill = process.accessed(process.memory.read(at, 40), "read")?;
    let long =
        |at: usize| fill[at..at + 8].iter().rev().fold(0u64, |all, b| all << 8 | u64::from(*b));
    let (to, pitch, value, width, height) = (long(0), long(8), long(16), long(24), long(32));
    let (value, element) = (value as u32, value >> 32);
    if !matches!(element, 1 | 2 | 4) {
        let why = format!("a fill has elements of 1, 2 or 4 bytes, not of {element}");
        let help = "set `elementSize` of `cudaMemsetParams`";
        return failed_call(process, status::INVALID_VALUE, why, help).map(Err);
    }
    let rows = move |process: &mut Process| {
        for row in 0..height {
            let start = to.wrapping_add(row.wrapping_mul(pitch));
            let bytes = width.saturating_mul(element);
            // Check that the range exists on the device before the host allocates as many bytes.
            if let Err(why) = cuda(process)?.emulator.pin(start, bytes).map(drop) {
                return refused(process, &why);
            }
            let one = &value.to_le_bytes()[..element as usize];
            match to_device(process, start, &one.repeat(width as usize))? {
                status::SUCCESS => {}
                code => return Ok(code),
            }
        }
        Ok(status::SUCCESS)
    };
    Ok(Ok(Rc::new(rows)))
}

pub const FUNCTIONS: &[(&str, External)] = &[
    ("cuMemcpyHtoDAsync_v2", |process, a| queue(process, a, kind::COPY, copy_to_device)),
    ("cuMemcpyDtoHAsync_v2", |process, a| queue(process, a, kind::COPY, copy_to_host)),
    ("cuMemcpyDtoDAsync_v2", |process, a| queue(process, a, kind::COPY, copy_on_device)),
    ("cuMemcpy3DAsync_v2", |process, a| {
        if let Some(code) = sticky(process)? {
            return Ok(code);
        }
        match copy_node(process, word(a, 0))? {
            Ok(work) => queued(process, word(a, 1), kind::COPY, work),
            Err(code) => Ok(code),
        }
    }),
    ("cuMemsetD8Async", |process, a| queue(process, a, kind::FILL, fill)),
];
