//! Shadow memory: the shadow cells of one memory, allocated on demand.
//!
//! *Data structure.* Cells are grouped in lines of 16, lines in pages. The writes and the reads of
//! a page are separate allocations, since most memory is read-only or write-only. Each line stores
//! one field of its cells contiguously, so a line can be compared at once (`fast::line`). Strong
//! accesses are in separate pages; lines with strong accesses do not take the fast paths.

use crate::races::epoch::{self, PackedEpoch};
use crate::races::shadow_cell::ShadowCell;
use crate::races::strong_accesses::StrongAccesses;

/// Cells of a line: the words that half a warp accesses contiguously.
pub const LINE: usize = 16;
/// Lines of a page.
const PAGE: usize = 64;

/// The last writes of a line's cells.
pub type WeakWrites = [PackedEpoch; LINE];
/// The first and the last recorded read of each cell of a line.
pub type WeakReads = [[PackedEpoch; LINE]; 2];

/// Bytes of a cache line of the host.
const CACHE_LINE: usize = 64;
/// Cache lines of the reads of a shadow line.
const READ_LINES: usize = size_of::<WeakReads>() / CACHE_LINE;

// The fast paths compare whole lines of packed epochs, and a cell is a cache line.
const _: () = assert!(size_of::<WeakWrites>() == 8 * LINE && size_of::<WeakReads>() == 16 * LINE);
const _: () = assert!(size_of::<ShadowCell>() == CACHE_LINE);

/// The strong accesses of a page.
#[derive(Clone)]
struct StrongPage {
    /// By line: the highest epoch of its strong accesses, 0 if it has none.
    latest: [u32; PAGE],
    cells: Vec<[StrongAccesses; LINE]>,
}

/// The cells of a page.
#[derive(Clone, Default)]
struct Page {
    writes: Option<Box<[WeakWrites; PAGE]>>,
    reads: Option<Box<[WeakReads; PAGE]>>,
    strong: Option<Box<StrongPage>>,
}

/// Allocates zeros in place: a page is too large for the stack.
#[cold]
#[inline(never)]
fn zeros<T: Clone, const N: usize>(zero: T) -> Box<[T; N]> {
    let zeros = vec![zero; N].into_boxed_slice();
    zeros.try_into().unwrap_or_else(|_| unreachable!("made of N elements"))
}

impl Page {
    #[inline(always)]
    fn writes(&mut self) -> &mut [WeakWrites; PAGE] {
        self.writes.get_or_insert_with(|| zeros([0; LINE]))
    }

    #[inline(always)]
    fn reads(&mut self) -> &mut [WeakReads; PAGE] {
        self.reads.get_or_insert_with(|| zeros([[0; LINE]; 2]))
    }

    /// Whether a line has strong accesses since an epoch.
    #[inline(always)]
    fn has_strong(&self, line: usize, base: u32) -> bool {
        match &self.strong {
            None => false,
            Some(strong) => strong.latest[line] >= base.max(1),
        }
    }

    /// Sets the strong accesses of a cell.
    #[cold]
    fn set_strong(&mut self, line: usize, i: usize, to: StrongAccesses) {
        let none = || {
            let cells = vec![[StrongAccesses::default(); LINE]; PAGE];
            Box::new(StrongPage { latest: [0; PAGE], cells })
        };
        let StrongPage { latest, cells } = &mut **self.strong.get_or_insert_with(none);
        cells[line][i] = to;
        let of =
            |cell: &StrongAccesses| cell.writes.into_iter().chain(cell.reads).chain([cell.polled]);
        let numbers = |cell: &StrongAccesses| of(cell).map(epoch::number).max().unwrap_or(0);
        latest[line] = match numbers(&to) {
            // The other cells of the line may have none, or older ones.
            0 => cells[line].iter().map(numbers).max().unwrap_or(0),
            number => latest[line].max(number),
        };
    }
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
        *self.latest = (*self.latest).max(epoch::number(last));
    }
}

/// The final state of a line after its launch.
pub struct LineView<'a> {
    /// Number of its first cell.
    pub first: usize,
    /// Last weak writes.
    pub writes: Option<&'a WeakWrites>,
    /// Two of the weak reads since.
    pub reads: Option<&'a WeakReads>,
    /// Strong accesses since, if any.
    pub strong: Option<&'a [StrongAccesses; LINE]>,
}

/// The shadow cells of one memory.
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
        let Some(page) = self.pages.get(page) else { return ShadowCell::default() };
        let write = page.writes.as_ref().map_or(0, |writes| writes[line][i]);
        let reads = page.reads.as_ref().map(|reads| &reads[line]);
        let [first_read, last_read] = reads.map_or([0; 2], |[first, last]| [first[i], last[i]]);
        let strong = match &page.strong {
            None => StrongAccesses::default(),
            Some(strong) => strong.cells[line][i],
        };
        ShadowCell { write, first_read, last_read, strong }
    }

    /// Visits the lines of all allocated pages.
    pub fn lines(&self, mut visit: impl FnMut(LineView<'_>)) {
        for (page, Page { writes, reads, strong }) in self.pages.iter().enumerate() {
            if writes.is_none() && reads.is_none() && strong.is_none() {
                continue;
            }
            for line in 0..PAGE {
                let strong = strong.as_ref().filter(|strong| strong.latest[line] != 0);
                visit(LineView {
                    first: (page * PAGE + line) * LINE,
                    writes: writes.as_ref().map(|writes| &writes[line]),
                    reads: reads.as_ref().map(|reads| &reads[line]),
                    strong: strong.map(|strong| &strong.cells[line]),
                });
            }
        }
    }

    /// Whether any cell has been written.
    pub fn has_writes(&self) -> bool {
        self.written
    }

    /// Changes the cell of a byte.
    #[inline(always)]
    pub fn change<R>(&mut self, offset: u64, change: impl FnOnce(&mut ShadowCell) -> R) -> R {
        let mut cell = self.at(offset);
        let old = cell;
        let result = change(&mut cell);
        let (page, line, i) = self.place(offset);
        if let Some(page) = self.pages.get_mut(page) {
            if cell.write != old.write {
                page.writes()[line][i] = cell.write;
                self.written = true;
            }
            if [cell.first_read, cell.last_read] != [old.first_read, old.last_read] {
                let [first, last] = &mut page.reads()[line];
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

    /// Prefetches the recorded reads of a byte's line.
    #[inline(always)]
    pub fn prefetch(&self, offset: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let (page, line, _) = self.place(offset);
            let Some(Page { reads: Some(reads), .. }) = self.pages.get(page) else { return };
            let at = std::ptr::from_ref(&reads[line]).cast::<i8>();
            for part in 0..READ_LINES {
                // SAFETY: a prefetch is a hint that never faults, whatever its address; SSE is part
                // of x86-64.
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
        let Page { writes, reads, strong } = self.pages.get_mut(cell / (PAGE * LINE))?;
        let StrongPage { latest, cells } = &mut **strong.as_mut()?;
        let [first, last] = match reads {
            Some(reads) => [reads[line][0][i], reads[line][1][i]],
            None => [0; 2],
        };
        let write = writes.as_ref().map_or(0, |writes| writes[line][i]);
        let (strong, latest) = (&mut cells[line][i], &mut latest[line]);
        Some(StrongCell { weak: [write, first, last], strong, latest })
    }

    /// The line of a cell, for a read; `None` if it has strong accesses since the epoch `base`.
    #[inline(always)]
    pub fn read_line(
        &mut self,
        cell: usize,
        base: u32,
    ) -> Option<(Option<&WeakWrites>, &mut WeakReads)> {
        let (line, page) = (cell / LINE % PAGE, self.pages.get_mut(cell / (PAGE * LINE))?);
        if page.has_strong(line, base) {
            return None;
        }
        page.reads();
        let Page { writes, reads, .. } = page;
        Some((writes.as_ref().map(|writes| &writes[line]), &mut reads.as_mut()?[line]))
    }

    /// The same for a write.
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
        page.writes();
        let Page { writes, reads, .. } = page;
        Some((&mut writes.as_mut()?[line], reads.as_mut().map(|reads| &mut reads[line])))
    }
}
