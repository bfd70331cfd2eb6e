//! A tile in flight: where its elements are, and how they move.

use crate::instructions::access::site::Region;
use crate::instructions::alu::atomic::{Combine, replace};
use crate::instructions::tensor_map::{MOST_DIMENSIONS, TensorMap};
use crate::instrument::event::Moved;
use crate::memory::{Memory, guest};

/// Bytes of a chunk, which a swizzle moves as a unit.
pub(super) const CHUNK: u64 = 16;
/// Bytes of the longest row that moves at once.
const ROW: usize = 512;

/// A tile in flight.
pub struct Tile {
    /// The tensor and the tile's shape.
    pub map: TensorMap,
    /// Its start in the tensor.
    pub at: [i64; MOST_DIMENSIONS],
    /// Its position in shared memory, as a host address and as the offset that the swizzle uses.
    pub host: *mut u8,
    /// See `host`.
    pub offset: u64,
    /// The global address of each row, if the row is in the tensor; only if the rows are not a box of the tensor.
    pub rows: Option<Vec<Option<u64>>>,
    /// Whether it is a load from global memory; else a store.
    pub load: bool,
    /// How a store combines its value with the old one.
    pub combine: Option<Combine>,
}

impl Tile {
    /// The source and the target.
    pub fn moved(&self) -> Moved {
        let bytes = self.map.tile_bytes().next_multiple_of(self.map.swizzle.width());
        let run = Some((self.host.cast_const(), bytes));
        let (reads, writes) = if self.load { (None, run) } else { (run, None) };
        Moved {
            reads,
            writes,
            global: self.inside(),
            completes: self.map.tile_bytes(),
            combines: self.combine.is_some(),
        }
    }

    /// The bytes of global memory that the tile covers: its elements inside the tensor.
    fn inside(&self) -> Vec<(u64, u64)> {
        let (map, size) = (&self.map, self.map.element.bytes());
        let count = (map.row_bytes() / size) as i64;
        let low = (-self.at[0]).clamp(0, count);
        let high = (map.extent[0] as i64 - self.at[0]).clamp(low, count);
        let bytes = (high - low) as u64 * size;
        let skip = ((self.at[0] + low) as u64).wrapping_mul(size);
        let mut runs: Vec<(u64, u64)> = Vec::new();
        let counts = map.counts();
        for start in (0..map.rows()).filter(|_| bytes > 0).filter_map(|row| self.row(&counts, row))
        {
            let start = start.wrapping_add(skip);
            match runs.last_mut() {
                Some((last, length)) if last.wrapping_add(*length) == start => *length += bytes,
                _ => runs.push((start, bytes)),
            }
        }
        runs
    }

    /// The address of the tensor's row for a row of the tile, if that row is in the tensor. `counts` are those of the map.
    fn row(&self, counts: &[u32], row: u64) -> Option<u64> {
        if let Some(rows) = &self.rows {
            return rows.get(row as usize).copied().flatten();
        }
        let map = &self.map;
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
    /// Its place in shared memory is live, and global memory is not freed meanwhile.
    pub unsafe fn finish(&self, memory: &Memory) -> Result<(), (u64, u64)> {
        let map = &self.map;
        let (row_bytes, size) = (map.row_bytes(), map.element.bytes());
        let first = (self.at[0] as u64).wrapping_mul(size);
        let whole = self.load && self.covers_rows() && row_bytes <= ROW as u64;
        let counts = map.counts();
        let mut near = Region::EMPTY;
        let mut bytes = [0; ROW];
        for row in 0..map.rows() {
            let start = self.row(&counts, row);
            // A row that leaves its allocation moves by chunks, so that the fault names the first one outside.
            let at_once = |start: u64| {
                let from = start.wrapping_add(first);
                place(memory, &mut near, from, row_bytes).ok()
            };
            if let Some(global) = start.filter(|_| whole).and_then(at_once) {
                let bytes = &mut bytes[..row_bytes as usize];
                // SAFETY: `place` checked the row's bytes.
                unsafe { guest::read_bytes(global, bytes) };
                for (chunk, at) in
                    bytes.chunks_exact(CHUNK as usize).zip((0..).step_by(CHUNK as usize))
                {
                    let shared = self.chunk_at(row, at);
                    // SAFETY: a swizzle keeps chunks within its width, so the chunk is in the tile's place, which was
                    // checked at the start of the copy; this block owns it.
                    unsafe { shared.copy_from_nonoverlapping(chunk.as_ptr(), CHUNK as usize) };
                }
                continue;
            }
            for chunk in (0..row_bytes).step_by(CHUNK as usize) {
                let shared = self.chunk_at(row, chunk);
                let first = self.at[0] + (chunk / size) as i64;
                // Elements of the chunk that are inside the tensor.
                let count = (CHUNK / size) as i64;
                let extent = map.extent[0] as i64;
                let low = (-first).clamp(0, count);
                let high = if start.is_some() { (extent - first).clamp(low, count) } else { low };
                // Stores write whole chunks, even beyond the end of a row (seen on an H200).
                let stored = !self.load && self.combine.is_none() && low < high;
                let high = if stored { count } else { high };
                let (low, high) = (low as u64 * size, high as u64 * size);
                let global = start
                    .unwrap_or(0)
                    .wrapping_add((first as u64).wrapping_mul(size))
                    .wrapping_add(low);
                let mut host = std::ptr::null_mut();
                if low < high {
                    host = place(memory, &mut near, global, high - low)?;
                }
                // SAFETY: a swizzle keeps chunks within its width, so the chunk is in the tile's
                // place, which was checked at the start of the copy. `place` checked the bytes at
                // `host`, which are used only if `low < high`.
                unsafe { self.chunk(shared, host, low as usize, high as usize) };
            }
        }
        Ok(())
    }

    /// Whether the tile's rows lie between the first and the last element of the tensor's rows, and are whole chunks.
    fn covers_rows(&self) -> bool {
        let map = &self.map;
        let end = self.at[0].checked_add(i64::from(map.tile[0]));
        self.at[0] >= 0
            && end.is_some_and(|end| end <= map.extent[0] as i64)
            && map.row_bytes().is_multiple_of(CHUNK)
    }

    /// The place of a chunk of a row in shared memory.
    fn chunk_at(&self, row: u64, chunk: u64) -> *mut u8 {
        let within = self.map.swizzle.apply(self.offset + row * self.map.pitch() + chunk);
        self.host.wrapping_offset(within.wrapping_sub(self.offset) as isize)
    }

    /// Moves the bytes `low..high` of a chunk; a load fills the others.
    ///
    /// # Safety
    /// `CHUNK` bytes are at `shared`, which this block owns. `low..high` is a part of them. If it
    /// is not empty, `high - low` bytes of global memory are at `global`.
    unsafe fn chunk(&self, shared: *mut u8, global: *mut u8, low: usize, high: usize) {
        let size = self.map.element.bytes() as usize;
        // SAFETY: `CHUNK` bytes are at `shared`, and `high - low` bytes at `global` if `low <
        // high`, as this function requires.
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

/// The host address of global bytes; `near` is the last region.
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
