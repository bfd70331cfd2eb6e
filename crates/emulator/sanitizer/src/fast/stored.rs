//! The values of a store, compared with memory.
//!
//! If a thread stores twice to a word in one epoch, by two instructions, the second store counts only if it changes the value:
//! then other threads are unordered with the first value, too ([`REPLACED`]). The reference path compares bytes: without this
//! file such a store takes 70 ns per word.
//!
//! [`REPLACED`]: crate::races::epoch::REPLACED

use crate::races::epoch::{self, ALL, LINE, PackedEpoch, WholeField};
use lanework_engine::lanes::{Source, fetch_cold};
use lanework_engine::machine::Warp;
use lanework_engine::site::AccessSite;
use lanework_engine::slot::{Elem, SCALAR, Scalar, Slot, WIDE};
use std::mem::MaybeUninit;

/// log2 of the bytes of a word.
pub const WORD: u32 = 2;

/// The word that a register holds for a lane.
///
/// # Safety
/// The slot is in the warp's register file.
#[inline(always)]
unsafe fn lane_word(warp: &Warp, slot: Slot, lane: u32) -> u64 {
    // SAFETY: the slot is in the register file, and its bits tell the form of the register, which has 32 lanes.
    unsafe {
        let (at, lane) = (warp.at(slot), lane as usize % 32);
        if slot & SCALAR != 0 {
            let Scalar { base, stride, .. } = *at.cast::<Scalar>();
            base[lane / 16].wrapping_add(stride.wrapping_mul(lane as u64 % 16))
        } else if slot & WIDE != 0 {
            *at.cast::<u64>().add(lane)
        } else {
            u64::from(*at.cast::<u32>().add(lane))
        }
    }
}

/// The bytes of a cell.
///
/// # Safety
/// There are so many bytes: at most 8.
#[inline(always)]
unsafe fn read_cell(from: *const u8, bytes: usize) -> u64 {
    // SAFETY: the bytes are there, as this function requires.
    unsafe {
        match bytes {
            1 => u64::from(from.read()),
            2 => u64::from(from.cast::<u16>().read_unaligned()),
            4 => u64::from(from.cast::<u32>().read_unaligned()),
            _ => from.cast::<u64>().read_unaligned(),
        }
    }
}

/// The values that a warp stores.
#[derive(Clone, Copy)]
pub struct StoredValues<'a> {
    source: ValueSource<'a>,
    /// Host address of the memory's first byte.
    host: *const u8,
    /// log2 of the bytes of a cell.
    shift: u32,
}

#[derive(Clone, Copy)]
enum ValueSource<'a> {
    Registers(&'a Warp, &'a AccessSite),
    /// The changed cells of any line, and the changed lanes of any access.
    #[cfg(test)]
    Changes(u32),
}

impl<'a> StoredValues<'a> {
    /// The values of a store to the memory that starts at a host address; `None` unless each lane stores elements of at least
    /// a cell from its own registers.
    ///
    /// # Safety
    /// The memory holds every byte that the warp stores.
    #[inline(always)]
    pub unsafe fn new(
        warp: &'a Warp,
        site: &'a AccessSite,
        host: *const u8,
        shift: u32,
    ) -> Option<Self> {
        let whole = 1 << shift <= site.bytes && site.bytes <= 8 && site.count.is_power_of_two();
        let source = ValueSource::Registers(warp, site);
        (whole && site.rows.is_null()).then_some(StoredValues { source, host, shift })
    }

    /// A store that changes these cells.
    #[cfg(test)]
    pub fn of_changes(changed: u32) -> StoredValues<'a> {
        StoredValues { source: ValueSource::Changes(changed), host: std::ptr::null(), shift: WORD }
    }

    /// Whether a cell that a lane stores differs from memory at its offset. The access of each lane is aligned to its bytes.
    #[inline(always)]
    pub fn changes(&self, offset: u64, lane: u32) -> bool {
        let (warp, site) = match self.source {
            ValueSource::Registers(warp, site) => (warp, site),
            #[cfg(test)]
            ValueSource::Changes(changed) => return changed >> (offset >> WORD) & 1 != 0,
        };
        let (element, count) = (site.bytes.ilog2(), u64::from(site.count));
        let number = (offset >> element & (count - 1)) as usize;
        let Some(Some(slot)) = site.data.get(number) else { return true };
        // SAFETY: `slot` comes from `site.data`, which the assembler fills with slots of this warp's register file.
        let value = unsafe { lane_word(warp, *slot, lane) };
        let value = value >> (8 * (offset & ((1 << element) - 1)));
        let grain = 1 << self.shift;
        // SAFETY: the caller asks for a cell that an active lane stores, so memory holds it (`StoredValues::new`).
        let held = unsafe { read_cell(self.host.add(offset as usize), grain) };
        (value ^ held) << (64 - 8 * grain) != 0
    }

    /// The lanes among `lanes` whose words differ from memory at their offsets.
    #[inline(never)]
    pub fn changed_lanes(&self, offsets: &[u64; 32], lanes: u32) -> u32 {
        let (warp, site) = match self.source {
            ValueSource::Registers(warp, site) => (warp, site),
            #[cfg(test)]
            ValueSource::Changes(_) => {
                let changes = |lane: &u32| {
                    lanes >> lane & 1 != 0 && self.changes(offsets[*lane as usize], *lane)
                };
                return (0..32).filter(changes).fold(0, |mask, lane| mask | 1 << lane);
            }
        };
        let Some(slot) = site.data[0] else { return lanes };
        let mut copy = MaybeUninit::uninit();
        // SAFETY: `slot` comes from `site.data`, which the assembler fills with slots of this warp's register file.
        let values = unsafe { u32::view(warp, slot, &mut copy) };
        let mut changed = 0;
        for lane in 0..32 {
            if lanes >> lane & 1 != 0 {
                // SAFETY: the caller asks for words that active lanes store, so memory holds them (`StoredValues::new`).
                let held =
                    unsafe { self.host.add(offsets[lane] as usize).cast::<u32>().read_unaligned() };
                changed |= u32::from(values.0[lane] != held) << lane;
            }
        }
        changed
    }

    /// The cells of a whole line that change, one bit each. The lanes store adjacent cells.
    #[inline(always)]
    pub fn changed_line(&self, cell: usize, field: WholeField) -> u32 {
        let (warp, site) = match self.source {
            ValueSource::Registers(warp, site) => (warp, site),
            #[cfg(test)]
            ValueSource::Changes(changed) => return changed & ALL,
        };
        let keeps = match site.bytes {
            4 if self.shift == WORD => self.keeps_words(warp, site, cell, field),
            8 if self.shift == WORD => self.keeps_wide(warp, site, cell, field),
            _ => false,
        };
        if keeps { 0 } else { self.changed_values(warp, site, cell, field) }
    }

    /// The cells of a whole line that change, for elements of any size.
    #[inline(never)]
    fn changed_values(
        &self,
        warp: &Warp,
        site: &AccessSite,
        cell: usize,
        field: WholeField,
    ) -> u32 {
        match site.bytes {
            1 => self.changed_elements::<u8>(warp, site, cell, field),
            2 => self.changed_elements::<u16>(warp, site, cell, field),
            4 => self.changed_elements::<u32>(warp, site, cell, field),
            _ => self.changed_elements::<u64>(warp, site, cell, field),
        }
    }

    /// The same for elements of a type.
    #[inline(always)]
    fn changed_elements<T: Elem + PartialEq>(
        &self,
        warp: &Warp,
        site: &AccessSite,
        cell: usize,
        field: WholeField,
    ) -> u32 {
        // Cells of an element, and elements of a lane.
        let cells = size_of::<T>() >> self.shift;
        let count = (1 << field.form) / cells;
        let first = epoch::lane(field.start) as usize;
        // SAFETY: active lanes store all cells of the line, so memory holds them (`StoredValues::new`).
        let held = unsafe { self.host.add(cell << self.shift).cast::<T>() };
        let mut changed = 0;
        for (number, slot) in site.data.iter().enumerate().take(count) {
            let Some(slot) = slot else { return ALL };
            let mut copy = MaybeUninit::uninit();
            // SAFETY: `slot` comes from `site.data`, which the assembler fills with slots of this warp's register file.
            let values = unsafe { T::view(warp, *slot, &mut copy) };
            let ones = (1 << cells) - 1;
            for i in 0..LINE / cells / count {
                let element = i * count + number;
                // SAFETY: as above; the line has `LINE / cells` elements.
                let held = unsafe { held.add(element).read_unaligned() };
                let differs = held != values.0[(first + i) % 32];
                changed |= if differs { ones << (element * cells) } else { 0 };
            }
        }
        changed
    }

    /// Whether words that neighboring lanes store to a whole line are the same as in memory.
    #[inline(always)]
    fn keeps_words(&self, warp: &Warp, site: &AccessSite, cell: usize, field: WholeField) -> bool {
        // SAFETY: active lanes store all words of the line, so memory holds them (`StoredValues::new`).
        let held = unsafe { self.host.add(cell << WORD).cast::<[u32; LINE]>().read_unaligned() };
        let first = epoch::lane(field.start) as usize;
        let each = 1 << field.form;
        let mut differ = 0;
        for (number, slot) in site.data.iter().enumerate().take(each) {
            let Some(slot) = slot else { return false };
            let mut copy = MaybeUninit::uninit();
            // SAFETY: `slot` comes from `site.data`, which the assembler fills with slots of this warp's register file.
            let values = unsafe { u32::view(warp, *slot, &mut copy) };
            if each == 1 {
                let values = &values.0[first & LINE..][..LINE];
                for i in 0..LINE {
                    differ |= held[i] ^ values[i];
                }
            } else {
                for i in 0..LINE >> field.form {
                    differ |= held[(i * each + number) % LINE] ^ values.0[(first + i) % 32];
                }
            }
        }
        differ == 0
    }

    /// The same for elements of two words, one per lane.
    #[inline(always)]
    fn keeps_wide(&self, warp: &Warp, site: &AccessSite, cell: usize, field: WholeField) -> bool {
        const LANES: usize = LINE / 2;
        let Some(slot) = site.data[0].filter(|_| site.count == 1) else { return false };
        // SAFETY: active lanes store all words of the line, so memory holds them (`StoredValues::new`).
        let held = unsafe { self.host.add(cell << WORD).cast::<[u64; LANES]>().read_unaligned() };
        let mut copy = MaybeUninit::uninit();
        // SAFETY: `slot` comes from `site.data`, which the assembler fills with slots of this warp's register file.
        let values = unsafe { u64::view(warp, slot, &mut copy) };
        let first = epoch::lane(field.start) as usize / LANES % 4 * LANES;
        let values = &values.0[first..][..LANES];
        let mut differ = 0;
        for i in 0..LANES {
            differ |= held[i] ^ values[i];
        }
        differ == 0
    }

    /// The active cells of a line that change, one bit each; `packed` are the accesses to them.
    #[inline(never)]
    pub fn changed_cells(&self, cell: usize, packed: &[PackedEpoch; LINE], active: u32) -> u32 {
        let (warp, site) = match self.source {
            ValueSource::Registers(warp, site) => (warp, site),
            #[cfg(test)]
            ValueSource::Changes(changed) => return changed & active,
        };
        // Sizes are powers of two.
        let (element, count) = (site.bytes.ilog2(), usize::from(site.count));
        let grain = 1usize << self.shift;
        let start = (cell / LINE * LINE) << self.shift;
        let mut changed = 0;
        for (number, slot) in site.data.iter().enumerate().take(count) {
            let Some(slot) = slot else { return active };
            // SAFETY: `slot` comes from `site.data`, which the assembler fills with slots of this warp's register file.
            let values = unsafe { fetch_cold::<u64>(warp, *slot) };
            for (i, access) in packed.iter().enumerate() {
                let offset = start + (i << self.shift);
                if active >> i & 1 == 0 || offset >> element & (count - 1) != number {
                    continue;
                }
                let mut held = [0; 8];
                // SAFETY: an active lane stores this cell, so memory holds it (`StoredValues::new`).
                unsafe {
                    let at = self.host.add(offset);
                    std::ptr::copy_nonoverlapping(at, held.as_mut_ptr(), grain);
                }
                let within = offset & ((1 << element) - 1);
                let value = values.0[epoch::lane(*access) as usize] >> (8 * within);
                let differ = (value ^ u64::from_le_bytes(held)) << (64 - 8 * grain);
                changed |= u32::from(differ != 0) << i;
            }
        }
        changed
    }
}
