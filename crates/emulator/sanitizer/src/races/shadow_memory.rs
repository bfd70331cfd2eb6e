//! Shadow memory: the shadow cells of one memory, made as they are needed.
//!
//! Cells lie in lines of 16, lines in pages. WeakWrites and reads of a page are kept apart and made when the
//! first is needed, for most memory is read only or written only; and a line keeps each field of its
//! cells together, so that a whole line can be compared at once (`fast::line`). Strong accesses lie beside
//! them in pages that have any; their lines are not for the fast paths.

use crate::races::epoch::{self, PackedEpoch};
use crate::races::shadow_cell::ShadowCell;
use crate::races::strong_accesses::StrongAccesses;

/// Cells of a line: what half a warp touches that goes word by word.
pub const LINE: usize = 16;
/// Lines of a page.
const PAGE: usize = 64;

/// The last writes of a line's cells.
pub type WeakWrites = [PackedEpoch; LINE];
/// The first and the last reads that are remembered of each of a line's cells.
pub type WeakReads = [[PackedEpoch; LINE]; 2];

/// The strong accesses to some lines.
#[derive(Clone)]
struct StrongPage {
    /// By line: the number of the latest epoch of a strong access to it, 0 if there is none.
    latest: [u32; PAGE],
    cells: Vec<[StrongAccesses; LINE]>,
}

/// The cells of some lines.
#[derive(Clone, Default)]
struct Page {
    writes: Option<Box<[WeakWrites; PAGE]>>,
    reads: Option<Box<[WeakReads; PAGE]>>,
    strong: Option<Box<StrongPage>>,
}

/// Zeros, made in place: a page is too large to be made elsewhere and moved.
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

    /// Whether there were strong accesses to a line since an epoch.
    #[inline(always)]
    fn has_strong(&self, line: usize, base: u32) -> bool {
        match &self.strong {
            None => false,
            Some(strong) => strong.latest[line] >= base.max(1),
        }
    }

    /// Changes the strong accesses to a cell.
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
            // The others may be all that are left, or older.
            0 => cells[line].iter().map(numbers).max().unwrap_or(0),
            number => latest[line].max(number),
        };
    }
}

/// A line as it stands when its launch has ended.
pub struct LineView<'a> {
    /// The number of its first cell.
    pub first: usize,
    /// The last weak writes.
    pub writes: Option<&'a WeakWrites>,
    /// Two of the weak reads since.
    pub reads: Option<&'a WeakReads>,
    /// The strong accesses since, where there are any.
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
    /// For `bytes` bytes, in cells of `1 << shift` bytes.
    pub fn new(bytes: u64, shift: u32) -> ShadowMemory {
        let pages = (bytes >> shift) as usize / (PAGE * LINE) + 1;
        ShadowMemory { pages: vec![Page::default(); pages], shift, written: false }
    }

    /// Bytes of a cell, as a power of two.
    #[inline(always)]
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// Bytes of a cell.
    #[inline(always)]
    pub fn grain(&self) -> u64 {
        1 << self.shift
    }

    /// The page, the line and the index in it of a byte.
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

    /// Visits the lines of all pages that were touched.
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

    /// Whether anything was written.
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

    /// Has the host fetch what is known of the reads of a byte's line.
    #[inline(always)]
    pub fn prefetch(&self, offset: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let (page, line, _) = self.place(offset);
            let Some(Page { reads: Some(reads), .. }) = self.pages.get(page) else { return };
            let at = std::ptr::from_ref(&reads[line]).cast::<i8>();
            for part in 0..4 {
                // SAFETY: a prefetch reads nothing; SSE is part of x86-64.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_add(64 * part)) };
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = offset;
    }

    /// The line of a cell, by the cell's number, for a read; `None` if there were strong accesses to it since
    /// the epoch `base`.
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
