//! Tiles of tensors, moved between global and shared memory by the rules of their map.

use crate::alu::atomic::{Combine, replace};
use crate::event::Moved;
use crate::guest;
use crate::memory::Memory;
use crate::region::Region;
use crate::tensor_map::{MOST_DIMENSIONS, TensorMap};

/// Bytes that keep together in shared memory.
const CHUNK: u64 = 16;

/// A tile on its way.
pub struct Tile {
    /// The tensor and the tile's shape.
    pub map: TensorMap,
    /// Where in the tensor it starts.
    pub at: [i64; MOST_DIMENSIONS],
    /// Where it is in shared memory, on the host and as an offset, which the swizzle counts from.
    pub host: *mut u8,
    /// See `host`.
    pub offset: u64,
    /// Where its rows come from or go to, if they are in the tensor, where that is not a box of the tensor.
    pub rows: Option<Vec<Option<u64>>>,
    /// From global memory; else to it.
    pub load: bool,
    /// What a store does with what is there.
    pub combine: Option<Combine>,
}

impl Tile {
    /// What is read and what is written.
    pub fn moved(&self) -> Moved {
        let bytes = self.map.tile_bytes().next_multiple_of(self.map.swizzle.width());
        let run = Some((self.host.cast_const(), bytes));
        let (reads, writes) = if self.load { (None, run) } else { (run, None) };
        Moved { reads, writes, global: self.inside(), combines: self.combine.is_some() }
    }

    /// The bytes of global memory that the tile has: those of its elements that are in the tensor.
    fn inside(&self) -> Vec<(u64, u64)> {
        let (map, size) = (&self.map, self.map.element.bytes());
        let count = (map.row_bytes() / size) as i64;
        let low = (-self.at[0]).clamp(0, count);
        let high = (map.extent[0] as i64 - self.at[0]).clamp(low, count);
        let bytes = (high - low) as u64 * size;
        let skip = ((self.at[0] + low) as u64).wrapping_mul(size);
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for start in (0..map.rows()).filter(|_| bytes > 0).filter_map(|row| self.row(row)) {
            let start = start.wrapping_add(skip);
            match runs.last_mut() {
                Some((last, length)) if last.wrapping_add(*length) == start => *length += bytes,
                _ => runs.push((start, bytes)),
            }
        }
        runs
    }

    /// Where the tensor's row that a row of the tile comes from starts, if it is in the tensor.
    fn row(&self, row: u64) -> Option<u64> {
        if let Some(rows) = &self.rows {
            return rows.get(row as usize).copied().flatten();
        }
        let map = &self.map;
        let counts = map.counts();
        let (mut rest, mut inside, mut start) = (row, true, map.address);
        for d in 1..counts.len() {
            let index = rest % u64::from(counts[d]);
            rest /= u64::from(counts[d]);
            let at = self.at[d] + (index * u64::from(map.steps[d])) as i64;
            inside &= at >= 0 && (at as u64) < map.extent[d];
            start = start.wrapping_add((at as u64).wrapping_mul(map.strides[d - 1]));
        }
        inside.then_some(start)
    }

    /// Moves the tile.
    ///
    /// # Errors
    /// The global address and size of an access outside of every allocation.
    ///
    /// # Safety
    /// Its place in shared memory is live, and nobody frees global memory.
    pub unsafe fn finish(&self, memory: &Memory) -> Result<(), (u64, u64)> {
        let map = &self.map;
        let (row_bytes, size) = (map.row_bytes(), map.element.bytes());
        let mut near = Region::EMPTY;
        for row in 0..map.rows() {
            let start = self.row(row);
            for chunk in (0..row_bytes).step_by(CHUNK as usize) {
                let within = map.swizzle.apply(self.offset + row * map.pitch() + chunk);
                let shared = self.host.wrapping_offset(within.wrapping_sub(self.offset) as isize);
                let first = self.at[0] + (chunk / size) as i64;
                // Elements of the chunk that are inside the tensor.
                let count = (CHUNK / size) as i64;
                let extent = map.extent[0] as i64;
                let low = (-first).clamp(0, count);
                let high = if start.is_some() { (extent - first).clamp(low, count) } else { low };
                // What is stored goes out in whole chunks, also beyond the end of a row (seen on an H200).
                let stored = !self.load && self.combine.is_none() && low < high;
                let high = if stored { count } else { high };
                let [low, high] = [low, high].map(|i| i as u64 * size);
                let global = start
                    .unwrap_or(0)
                    .wrapping_add((first as u64).wrapping_mul(size))
                    .wrapping_add(low);
                let mut host = std::ptr::null_mut();
                if low < high {
                    host = place(memory, &mut near, global, high - low)?;
                }
                // SAFETY: the chunk lies in the tile's place, for swizzles keep chunks within their
                // width, and both ends are checked.
                unsafe { self.chunk(shared, host, low as usize, high as usize) };
            }
        }
        Ok(())
    }

    /// Moves the bytes `low..high` of a chunk; what is loaded gets the others filled.
    ///
    /// # Safety
    /// `CHUNK` bytes are at `shared`, which this block owns, and as many at `global`; `low..high` lies in them.
    unsafe fn chunk(&self, shared: *mut u8, global: *mut u8, low: usize, high: usize) {
        let size = self.map.element.bytes() as usize;
        // SAFETY: `low..high` lies in a chunk of `CHUNK` bytes at `shared`, and as many bytes are at `global`, as
        // this function requires.
        unsafe {
            if self.load {
                let mut bytes = [0; CHUNK as usize];
                if self.map.nan_outside {
                    let nan = self.map.element.nan().to_le_bytes();
                    bytes.chunks_mut(size).for_each(|to| to.copy_from_slice(&nan[..size]));
                }
                if low < high {
                    guest::read_bytes(global, &mut bytes[low..high]);
                }
                shared.copy_from_nonoverlapping(bytes.as_ptr(), CHUNK as usize);
                return;
            }
            if low >= high {
                return;
            }
            let Some(combine) = self.combine else {
                let bytes = std::slice::from_raw_parts(shared.add(low), high - low);
                return guest::write_bytes(global, bytes);
            };
            for at in (0..high - low).step_by(size) {
                let mut word = [0u8; 8];
                shared.add(low + at).copy_to_nonoverlapping(word.as_mut_ptr(), size);
                let value = u64::from_le_bytes(word);
                replace(global.add(at), size as u8, |there| combine(there, value, 0));
            }
        }
    }
}

/// The host's place of global bytes; `near` is where the last ones were.
fn place(
    memory: &Memory,
    near: &mut Region,
    address: u64,
    bytes: u64,
) -> Result<*mut u8, (u64, u64)> {
    if !near.holds(address, address, bytes) {
        let (start, allocation) = memory.find(address).ok_or((address, bytes))?;
        *near = Region { start, bytes: allocation.bytes, host: allocation.data() };
        if !near.holds(address, address, bytes) {
            return Err((address, bytes));
        }
    }
    Ok(near.host.wrapping_add((address - near.start) as usize))
}
