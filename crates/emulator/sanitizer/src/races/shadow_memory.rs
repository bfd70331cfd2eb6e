//! Shadow memory: the shadow cells of one memory, allocated on demand.
//!
//! *Data structure.* Cells are grouped in lines of 16, lines in pages. Each line has a head of 32 bytes. Mostly the lanes of
//! half a warp access all cells of a line by one instruction; then the head describes a field of all 16 cells by the
//! access of the first one ([`WholeField`]), and neither a check nor an update looks at the cells. Otherwise the cells of
//! the field are *spread* to arrays of the page, each field of a line contiguously, so that a line can be compared at once
//! (`fast::line`). The arrays of writes and of reads are separate allocations, since most memory is read-only or
//! write-only. Strong accesses are in separate arrays; lines with strong accesses do not take the fast paths.

use crate::races::epoch::{self, PackedEpoch};
use crate::races::epoch::{CellField, LINE, LineHead, SPREAD, WeakReads, WeakWrites, WholeField};
use crate::races::shadow_cell::ShadowCell;
use crate::races::shadow_page::{PAGE, Page};
use crate::races::strong_accesses::StrongAccesses;
use std::ops::Range;

/// Bytes of a cache line of the host.
const CACHE_LINE: usize = 64;

// The fast paths compare whole lines of packed epochs, which have no gaps. A shadow cell with all
// its fields fills one cache line.
const _: () = assert!(size_of::<WeakWrites>() == 8 * LINE && size_of::<WeakReads>() == 16 * LINE);
const _: () = assert!(size_of::<ShadowCell>() == CACHE_LINE);

/// The lines of a range of cells: the first cell in each, and the cells within the line.
pub fn lines_of(cells: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut cell = cells.start;
    std::iter::from_fn(move || {
        let (first, inside) = (cell, cell % LINE);
        cell = (cell - inside + LINE).min(cells.end);
        (first < cells.end).then(|| (first, inside..inside + cell - first))
    })
}

/// One cell of a page that has strong accesses.
pub struct StrongCell<'a> {
    /// Its weak accesses: the write and two reads.
    pub weak: [PackedEpoch; 3],
    /// Its strong accesses.
    pub strong: &'a mut StrongAccesses,
    latest: &'a mut u32,
}

impl StrongCell<'_> {
    /// Records that its strong accesses have changed, the last one to this.
    #[inline(always)]
    pub fn changed(&mut self, last: PackedEpoch) {
        // Mostly unchanged: a store would delay the next load of the head.
        if *self.latest < epoch::number(last) {
            *self.latest = epoch::number(last);
        }
    }
}

/// The final state of a line after its launch.
pub struct LineView<'a> {
    /// Number of its first cell.
    pub first: usize,
    /// Last weak writes.
    pub writes: Option<&'a WeakWrites>,
    /// Two of the weak reads since.
    pub reads: &'a WeakReads,
    /// Strong accesses since, if any.
    pub strong: Option<&'a [StrongAccesses; LINE]>,
}

/// The shadow cells of one memory.
#[cfg_attr(test, derive(Clone))]
pub struct ShadowMemory {
    pages: Vec<Page>,
    shift: u32,
    /// Whether any cell has been written.
    written: bool,
}

impl ShadowMemory {
    /// For `bytes` bytes, with cells of `1 << shift` bytes.
    pub fn new(bytes: u64, shift: u32) -> ShadowMemory {
        let pages = (bytes >> shift) as usize / (PAGE * LINE) + 1;
        ShadowMemory { pages: vec![Page::default(); pages], shift, written: false }
    }

    /// log2 of the size of a cell in bytes.
    #[inline(always)]
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// Bytes per cell.
    #[inline(always)]
    pub fn grain(&self) -> u64 {
        1 << self.shift
    }

    /// Page, line, and index in the line, of a byte.
    #[inline(always)]
    fn place(&self, offset: u64) -> (usize, usize, usize) {
        let index = (offset >> self.shift) as usize;
        (index / (PAGE * LINE), index / LINE % PAGE, index % LINE)
    }

    /// The cell of a byte.
    #[inline(always)]
    pub fn at(&self, offset: u64) -> ShadowCell {
        let (page, line, i) = self.place(offset);
        self.pages.get(page).map_or(ShadowCell::default(), |page| page.all(line, i))
    }

    /// Visits the lines of all allocated pages.
    pub fn lines(&self, mut visit: impl FnMut(LineView<'_>)) {
        for (number, page) in self.pages.iter().enumerate().filter(|(_, page)| page.heads.is_some())
        {
            for line in 0..PAGE {
                let head = page.head(line);
                let (mut room, mut reads) = ([0; LINE], [[0; LINE]; 2]);
                for (i, field) in
                    [CellField::FirstRead, CellField::LastRead].into_iter().enumerate()
                {
                    reads[i] = match (&page.reads, head.is_spread(field)) {
                        (Some(spread), true) => spread[line][i],
                        _ => head.field(field).words(),
                    };
                }
                let strong = page.strong.as_ref().filter(|_| head.latest != 0);
                visit(LineView {
                    first: (number * PAGE + line) * LINE,
                    writes: page.writes_of(line, &mut room),
                    reads: &reads,
                    strong: strong.map(|strong| &strong[line]),
                });
            }
        }
    }

    /// Notes that a cell has been written.
    #[inline(always)]
    pub fn note_write(&mut self) {
        self.written = true;
    }

    /// Whether any cell has been written.
    pub fn has_writes(&self) -> bool {
        self.written
    }

    /// Changes the cell of a byte.
    #[inline(always)]
    pub fn change<R>(&mut self, offset: u64, change: impl FnOnce(&mut ShadowCell) -> R) -> R {
        let (page, line, i) = self.place(offset);
        let page = self.pages.get_mut(page);
        let mut cell = page.as_ref().map_or(ShadowCell::default(), |page| page.all(line, i));
        let old = cell;
        let result = change(&mut cell);
        if let Some(page) = page {
            if cell.write != old.write {
                page.spread_writes(line)[i] = cell.write;
                self.written = true;
            }
            if [cell.first_read, cell.last_read] != [old.first_read, old.last_read] {
                let [first, last] = page.spread_reads(line);
                (first[i], last[i]) = (cell.first_read, cell.last_read);
            }
            if cell.strong != old.strong {
                page.set_strong(line, i, cell.strong);
            }
        }
        result
    }

    /// Changes the cells of a run of bytes.
    pub fn change_run(&mut self, offset: u64, bytes: u64, mut change: impl FnMut(&mut ShadowCell)) {
        let mut at = offset;
        while at < offset + bytes {
            self.change(at, &mut change);
            at += self.grain();
        }
    }

    /// The cells of a run of bytes.
    pub fn cells(&self, offset: u64, bytes: u64) -> Range<usize> {
        let cell = |at: u64| (at >> self.shift) as usize;
        cell(offset)..cell(offset + bytes.max(1) - 1) + 1
    }

    /// Replaces a recorded read of a run of bytes.
    pub fn replace_reads(
        &mut self,
        (offset, bytes): (u64, u64),
        from: PackedEpoch,
        to: PackedEpoch,
    ) {
        for (cell, inside) in lines_of(self.cells(offset, bytes)) {
            let (line, page) = (cell / LINE % PAGE, self.pages.get_mut(cell / (PAGE * LINE)));
            let Some(page) = page.filter(|page| page.head(line).has_reads()) else { continue };
            for reads in page.spread_reads(line) {
                for read in reads[inside.clone()].iter_mut().filter(|read| **read == from) {
                    *read = to;
                }
            }
        }
    }

    /// Prefetches the recorded reads of a byte's line.
    #[inline(always)]
    pub fn prefetch(&self, offset: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let (page, line, _) = self.place(offset);
            let Some(Page { heads: Some(heads), reads, .. }) = self.pages.get(page) else { return };
            let head = std::ptr::from_ref(&heads[line]).cast::<i8>();
            // SAFETY: a prefetch is a hint that never faults, whatever its address; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(head) };
            let Some(reads) = reads else { return };
            let at = std::ptr::from_ref(&reads[line]).cast::<i8>();
            for part in 0..size_of::<WeakReads>() / CACHE_LINE {
                // SAFETY: as above.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(CACHE_LINE * part)) };
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = offset;
    }

    /// A cell by its number; `None` if no cell of its page has had strong accesses.
    #[inline(always)]
    pub fn strong_cell(&mut self, cell: usize) -> Option<StrongCell<'_>> {
        let (line, i) = (cell / LINE % PAGE, cell % LINE);
        let page = self.pages.get_mut(cell / (PAGE * LINE))?;
        page.strong.as_ref()?;
        let weak = match page.heads.as_ref()?[line].has_reads() {
            false => [page.cell(CellField::Write, line, i), 0, 0],
            true => [CellField::Write, CellField::FirstRead, CellField::LastRead]
                .map(|field| page.cell(field, line, i)),
        };
        let Page { heads: Some(heads), strong: Some(strong), .. } = page else { return None };
        let (strong, latest) = (&mut strong[line][i], &mut heads[line].latest);
        Some(StrongCell { weak, strong, latest })
    }

    /// The line of a cell, for an access to all its cells; `None` if it has strong accesses since the epoch `base`, or a
    /// field is spread.
    #[inline(always)]
    pub fn whole_line<const LOADS: bool>(
        &mut self,
        cell: usize,
        base: u32,
    ) -> Option<&mut LineHead> {
        let (line, page) = (cell / LINE % PAGE, self.pages.get_mut(cell / (PAGE * LINE))?);
        let head = &mut page.heads()[line];
        if head.any_spread() || head.has_strong(base) {
            return None;
        }
        self.written |= !LOADS;
        Some(head)
    }

    /// Moves a line back to its head if `write` describes all its writes, and no cell has been read since.
    #[inline(always)]
    pub fn gather(&mut self, cell: usize, write: WholeField) {
        let line = cell / LINE % PAGE;
        let Some(page) = self.pages.get_mut(cell / (PAGE * LINE)) else { return };
        let Some(writes) = page.writes.as_ref() else { return };
        if writes[line] == write.words() {
            page.heads()[line].set_write(write);
        }
    }

    /// The line of a cell, for a read; `None` if it has strong accesses since the epoch `base`. `room` holds writes that are
    /// not spread.
    #[inline(always)]
    pub fn read_line<'a>(
        &'a mut self,
        cell: usize,
        base: u32,
        room: &'a mut WeakWrites,
    ) -> Option<(Option<&'a WeakWrites>, &'a mut WeakReads)> {
        let (line, page) = (cell / LINE % PAGE, self.pages.get_mut(cell / (PAGE * LINE))?);
        if page.has_strong(line, base) {
            return None;
        }
        page.spread_reads(line);
        let Page { heads, writes, reads, .. } = page;
        let head = &heads.as_ref()?[line];
        let writes = match head.field(CellField::Write) {
            WholeField { form: SPREAD, .. } => writes.as_ref().map(|writes| &writes[line]),
            WholeField { start: 0, .. } => None,
            whole => {
                *room = whole.words();
                Some(&*room)
            }
        };
        Some((writes, &mut reads.as_mut()?[line]))
    }

    /// The same for a write. The second part is `None` if no cell has been read since the last write.
    #[inline(always)]
    pub fn write_line(
        &mut self,
        cell: usize,
        base: u32,
    ) -> Option<(&mut WeakWrites, Option<&mut WeakReads>)> {
        let (line, page) = (cell / LINE % PAGE, self.pages.get_mut(cell / (PAGE * LINE))?);
        if page.has_strong(line, base) {
            return None;
        }
        self.written = true;
        page.spread_writes(line);
        let head = &page.heads()[line];
        if head.has_reads() {
            page.spread_reads(line);
            let Page { writes, reads, .. } = page;
            return Some((&mut writes.as_mut()?[line], Some(&mut reads.as_mut()?[line])));
        }
        Some((&mut page.writes.as_mut()?[line], None))
    }

    /// The write of a cell, and its first and its last read; `None` unless the reads of its line are spread, and no cell of
    /// the line has strong accesses since the epoch `base`.
    #[inline(always)]
    pub fn spread_reads_of(
        &mut self,
        cell: usize,
        base: u32,
    ) -> Option<(PackedEpoch, [&mut PackedEpoch; 2])> {
        let (line, i) = (cell / LINE % PAGE, cell % LINE);
        let Page { heads: Some(heads), writes, reads: Some(reads), .. } =
            self.pages.get_mut(cell / (PAGE * LINE))?
        else {
            return None;
        };
        let head = &heads[line];
        if !head.has_spread_reads(base) {
            return None;
        }
        let write = match head.field(CellField::Write) {
            WholeField { form: SPREAD, .. } => writes.as_ref()?[line][i],
            whole => whole.cell(i),
        };
        let [first, last] = &mut reads[line];
        Some((write, [&mut first[i], &mut last[i]]))
    }

    /// The write of a cell, and its reads if there are any; `None` unless these fields of its line are spread, and no cell of
    /// the line has strong accesses since the epoch `base`.
    #[inline(always)]
    pub fn spread_cell(
        &mut self,
        cell: usize,
        base: u32,
    ) -> Option<(&mut PackedEpoch, Option<[&mut PackedEpoch; 2]>)> {
        let (line, i) = (cell / LINE % PAGE, cell % LINE);
        let Page { heads: Some(heads), writes: Some(writes), reads, .. } =
            self.pages.get_mut(cell / (PAGE * LINE))?
        else {
            return None;
        };
        let head = &heads[line];
        if !head.is_spread(CellField::Write) || head.has_strong(base) {
            return None;
        }
        let write = &mut writes[line][i];
        if !head.has_reads() {
            return Some((write, None));
        }
        if !head.has_spread_reads(base) {
            return None;
        }
        let [first, last] = &mut reads.as_mut()?[line];
        Some((write, Some([&mut first[i], &mut last[i]])))
    }

    /// The write of a cell, and the reads of its line, for a read; `None` as for [`ShadowMemory::read_line`].
    #[inline(always)]
    pub fn read_cell(&mut self, cell: usize, base: u32) -> Option<(PackedEpoch, &mut WeakReads)> {
        let (line, i) = (cell / LINE % PAGE, cell % LINE);
        let page = self.pages.get_mut(cell / (PAGE * LINE))?;
        let head = &page.heads()[line];
        if head.has_strong(base) {
            return None;
        }
        let write = match head.field(CellField::Write) {
            WholeField { form: SPREAD, .. } => page.writes.as_ref()?[line][i],
            whole => whole.cell(i),
        };
        Some((write, page.spread_reads(line)))
    }
}
