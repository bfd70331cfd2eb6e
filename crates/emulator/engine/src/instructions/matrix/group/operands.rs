//! The operands of a warpgroup's product: A from shared memory or registers, B from shared memory, and
//! the metadata of a sparse A.

use crate::fault::{FaultKind, RawFault};
use crate::instructions::matrix::Plan;
use crate::instructions::matrix::narrow::Chunks;
use crate::instructions::matrix::sum::SIDE;
use crate::instructions::matrix::tile::Words;
use crate::instrument::event::AccessKind;
use crate::machine::Warp;
use crate::machine::lanes::fetch_cold;
use crate::machine::slot::Slot;
use lanework_ptx::Swizzle;
use lanework_ptx_ir::kernel::MemorySpace;
use lanework_ptx_ir::opcode::matrix::{ElementType, GroupMultiply};
use std::ops::Range;

/// Rows of one warp.
pub const ROWS: usize = 16;
/// Maximum number of elements in a warp's rows of A: 64 columns of bytes if it is sparse.
const MOST: usize = ROWS * MOST_K;
/// Maximum number of columns of A.
pub const MOST_K: usize = 64;

/// Rows of M or N as registers hold them ([`super::super::tile`]). Each register holds 16 bytes along K of eight rows; the
/// registers with the same bytes of all groups of eight rows are adjacent.
pub type StoredRows = [Words; 4];

/// The bits of an element of stored rows of `number`; bits above its own are undefined. Single bits are taken as words.
#[inline(always)]
pub fn element(rows: &StoredRows, groups: usize, number: ElementType, row: usize, k: usize) -> u64 {
    let number = if number == ElementType::B1 { ElementType::S32 } else { number };
    let per = number.per_register();
    let (word, within) = (k / per, k % per);
    let register = row / SIDE + groups * (word / 4);
    u64::from(rows[register % 4][row % SIDE * 4 + word % 4] >> (within * number.bits()))
}

fn out_of_bounds(address: u64) -> RawFault {
    RawFault {
        kind: FaultKind::OutOfBounds,
        lane: 0,
        address: Some(address),
        bytes: 16,
        space: MemorySpace::Shared,
        access: Some(AccessKind::Load),
        note: String::new(),
    }
}

/// Reads `GROUPS` groups of eight rows of M or N from row `first` on.
///
/// # Safety
/// The warp's context is live.
#[inline(always)]
pub unsafe fn read<const GROUPS: usize>(
    warp: &Warp,
    descriptor: Descriptor,
    (number, across, bytes): (ElementType, bool, usize),
    first: usize,
) -> Result<StoredRows, RawFault> {
    // SAFETY: the worker owns the context for as long as its warps run (`Body::run`).
    let shared = unsafe { (*warp.context).shared };
    let chunk = |address: u64| -> Result<[u8; 16], RawFault> {
        if !shared.holds(address, address, 16) {
            return Err(out_of_bounds(address));
        }
        // SAFETY: `holds` found the 16 bytes in the block's shared memory, which its worker owns.
        unsafe { Ok(shared.host.add((address - shared.start) as usize).cast::<[u8; 16]>().read()) }
    };
    let mut to = [[0; 32]; 4];
    if !across {
        for row in 0..SIDE * GROUPS {
            for part in 0..bytes / 16 {
                let chunk = chunk(descriptor.along_k((first + row) as u64, part as u64))?;
                let words = &mut to[(row / SIDE + GROUPS * part) % 4][row % SIDE * 4..][..4];
                for (word, bytes) in words.iter_mut().zip(chunk.as_chunks().0) {
                    *word = u32::from_le_bytes(*bytes);
                }
            }
        }
        return Ok(to);
    }
    let size = if number == ElementType::B1 { 4 } else { number.bits().max(8) / 8 };
    let per = 16 / size;
    for byte in (0..bytes).step_by(size) {
        let (word, shift) = (byte / 4, byte % 4 * 8);
        for part in (0..SIDE * GROUPS).step_by(per) {
            let k = (byte / size) as u64;
            let chunk = chunk(descriptor.across_k(k, ((first + part) / per) as u64))?;
            let chunk = u128::from_le_bytes(chunk);
            for row in part..(part + per).min(SIDE * GROUPS) {
                let bits =
                    (chunk >> (8 * size * (row - part))) as u32 & u32::MAX >> (32 - 8 * size);
                let register = (row / SIDE + GROUPS * (word / 4)) % 4;
                to[register][row % SIDE * 4 + word % 4] |= bits << shift;
            }
        }
    }
    Ok(to)
}

/// The 16-byte chunks of shared memory that the warp's rows of A and all of B are read from.
///
/// # Safety
/// The plan's slots are registers of the warp.
pub unsafe fn chunks_read(
    warp: &Warp,
    this: &GroupMultiply,
    plan: &Plan,
) -> Result<Vec<u64>, RawFault> {
    let mut found = Vec::new();
    let mut add = |of: Descriptor,
                   (number, across, bytes): (ElementType, bool, usize),
                   rows: Range<usize>| {
        let word = if number == ElementType::B1 { 4 } else { number.bits().max(8) / 8 };
        if across {
            for k in 0..bytes / word {
                let parts = rows.clone().step_by(16 / word);
                found.extend(parts.map(|row| of.across_k(k as u64, (row * word / 16) as u64)));
            }
        } else {
            for row in rows {
                found.extend((0..bytes / 16).map(|part| of.along_k(row as u64, part as u64)));
            }
        }
    };
    // SAFETY: the plan's slots are in this warp's register file, as this function requires.
    unsafe {
        let of_b = (this.b, this.across[1], this.bytes_along(this.b, false));
        add(descriptor(warp, plan.src[0])?, of_b, 0..this.n);
        if !this.registers {
            let first = warp.index as usize % 4 * ROWS;
            let of_a = (this.a, this.across[0], this.bytes_along(this.a, true));
            add(descriptor(warp, plan.src[2])?, of_a, first..first + ROWS);
        }
    }
    Ok(found)
}

/// A descriptor operand, the same in all lanes.
///
/// # Safety
/// The slot is a register of the warp.
pub unsafe fn descriptor(warp: &Warp, slot: Slot) -> Result<Descriptor, RawFault> {
    // SAFETY: the slot is in this warp's register file, as this function requires.
    let bits = unsafe { fetch_cold::<u64>(warp, slot) }.0;
    match bits.iter().position(|other| *other != bits[0]) {
        None => Ok(Descriptor::from_bits(bits[0])),
        Some(lane) => Err(RawFault {
            kind: FaultKind::Unsupported,
            lane: lane as u32,
            address: None,
            bytes: 0,
            space: MemorySpace::Shared,
            access: None,
            note: "the lanes of a warp give different matrix descriptors".to_owned(),
        }),
    }
}

/// The warp's rows of A.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub unsafe fn read_a(
    warp: &Warp,
    this: &GroupMultiply,
    plan: &Plan,
) -> Result<StoredRows, RawFault> {
    let bytes = this.bytes_along(this.a, true);
    // SAFETY: the plan's slots are in this warp's register file, as this function requires.
    unsafe {
        if !this.registers {
            let descriptor = descriptor(warp, plan.src[2])?;
            let first = warp.index as usize % 4 * ROWS;
            return read::<2>(warp, descriptor, (this.a, this.across[0], bytes), first);
        }
        // Its registers alternate between the groups of eight rows.
        Ok(std::array::from_fn(|i| fetch_cold::<u32>(warp, plan.src[2 + i]).0))
    }
}

/// The metadata of the warp's rows, if A is sparse.
///
/// # Safety
/// The warp runs this plan's operation (as [`Body::run`](crate::machine::context::Body::run) requires), so that the plan's
/// slots are in its register file.
pub unsafe fn metadata(warp: &Warp, this: &GroupMultiply, plan: &Plan) -> Option<Chunks> {
    let first = if this.registers { 6 } else { 3 };
    // SAFETY: the plan's slots are in this warp's register file, as this function requires.
    let words = |_| unsafe { fetch_cold::<u32>(warp, plan.src[first + this.accumulators()]) };
    this.sparse.map(|sparse| Chunks::new(this.a, this.k, sparse, &words(()).0))
}

/// The rows of A, `k` decoded elements each; elements that a sparse matrix does not store are `absent`.
pub fn dense_a<T: Copy>(
    this: &GroupMultiply,
    stored: &StoredRows,
    metadata: Option<&Chunks>,
    (k, absent): (usize, T),
    mut decode: impl FnMut(u64) -> T,
) -> [T; MOST] {
    let of_row = if metadata.is_some() { k / 2 } else { k };
    let mut rows = [absent; MOST];
    for row in 0..ROWS {
        for at in 0..of_row {
            rows[row * of_row + at] = decode(element(stored, 2, this.a, row, at));
        }
    }
    let Some(chunks) = metadata else { return rows };
    let mut a = [absent; MOST];
    chunks.spread(&rows, |row, at, element| a[row * k + at] = element);
    a
}

// Matrices in shared memory for `wgmma`: a 64-bit descriptor holds the start and the layout of a matrix (PTX manual,
// "Asynchronous warpgroup-level matrix shared memory layout").
//
// The unit is a chunk of 16 bytes; eight rows of one chunk are a core matrix.
//
// If K is contiguous, a row is a row of M or N, and groups of eight rows are one stride apart. In a
// group, the rows of a swizzled layout are 32, 64 or 128 bytes apart. Without a swizzle, they are
// 16 bytes apart, and chunks along K are one leading dimension apart.
//
// If M or N is contiguous, a row is a row of K. In a swizzled layout, groups of rows are one stride
// apart, and pieces of 32, 64 or 128 bytes along M or N are one leading dimension apart. Without a
// swizzle, it is the opposite: groups of eight rows are one leading dimension apart, and chunks
// along M or N one stride.

/// The fields of a descriptor, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Address of the first element in shared memory.
    pub start: u64,
    /// Leading dimension's offset.
    pub leading: u64,
    /// Stride dimension's offset.
    pub stride: u64,
    /// How chunks are permuted.
    pub swizzle: Swizzle,
    /// Start of the pattern, in bytes after a multiple of its period.
    pub base: u64,
}

impl Descriptor {
    /// Decodes a descriptor.
    pub fn from_bits(bits: u64) -> Descriptor {
        let field = |at: u32| (bits >> at & 0x3fff) << 4;
        let swizzle = match bits >> 62 {
            0 => Swizzle::None,
            1 => Swizzle::B128,
            2 => Swizzle::B64,
            _ => Swizzle::B32,
        };
        Descriptor {
            start: field(0),
            leading: field(16),
            stride: field(32),
            swizzle,
            base: (bits >> 49 & 7) << 7,
        }
    }

    /// The swizzled position of the byte that a plain layout has at `address`.
    #[inline(always)]
    fn place(&self, address: u64) -> u64 {
        // The pattern's row is counted from the base.
        self.swizzle.apply(address.wrapping_sub(self.base)).wrapping_add(self.base)
    }

    /// The address of chunk `chunk` along K of row `row` of M or N, where K is contiguous.
    #[inline(always)]
    pub fn along_k(&self, row: u64, chunk: u64) -> u64 {
        let group = self.start + row / 8 * self.stride;
        let width = self.swizzle.width();
        let at = match self.swizzle {
            Swizzle::None => group + row % 8 * 16 + chunk * self.leading,
            _ => {
                let chunks = width / 16;
                group + row % 8 * width + chunk % chunks * 16 + chunk / chunks * self.leading
            }
        };
        self.place(at)
    }

    /// The address of chunk `chunk` along M or N of row `k`, where M or N is contiguous.
    #[inline(always)]
    pub fn across_k(&self, k: u64, chunk: u64) -> u64 {
        let chunks = self.swizzle.width() / 16;
        let at = match self.swizzle {
            Swizzle::None => self.start + chunk * self.stride + k % 8 * 16 + k / 8 * self.leading,
            _ => {
                let rows = self.swizzle.rows();
                let row = self.start + k % rows * self.swizzle.width() + k / rows * self.stride;
                row + chunk % chunks * 16 + chunk / chunks * self.leading
            }
        };
        self.place(at)
    }
}

#[cfg(test)]
mod tests {
    use crate::instructions::matrix::group::operands::*;

    #[test]
    fn fields_are_read_in_units_of_16_bytes() {
        let bits = 0x123 | 0x10 << 16 | 0x40u64 << 32 | 1 << 62;
        let this = Descriptor::from_bits(bits);
        assert_eq!((this.start, this.leading, this.stride), (0x1230, 0x100, 0x400));
        assert_eq!(this.swizzle, Swizzle::B128);
    }

    #[test]
    fn core_matrices_have_the_layout_of_the_manual() {
        let plain =
            |swizzle| Descriptor { start: 0, leading: 4096, stride: 1024, swizzle, base: 0 };
        // Without swizzle: eight rows of 16 bytes, then the next core matrix along K, and along M or N.
        assert_eq!(plain(Swizzle::None).along_k(7, 0), 112);
        assert_eq!(plain(Swizzle::None).along_k(0, 1), 4096);
        assert_eq!(plain(Swizzle::None).along_k(9, 0), 1024 + 16);
        assert_eq!(plain(Swizzle::None).across_k(9, 2), 4096 + 16 + 2048);
        // With 128 bytes: row 3's chunk 1 is in place of chunk 1 ^ 3.
        assert_eq!(plain(Swizzle::B128).along_k(3, 1), 3 * 128 + 2 * 16);
        assert_eq!(plain(Swizzle::B128).across_k(3, 9), 4096 + 3 * 128 + 2 * 16);
    }
}
