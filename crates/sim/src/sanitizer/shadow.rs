//! Shadow memory: for each word, or each byte where a kernel accesses bytes, who wrote and read last.

use super::order::*;
use std::sync::Arc;

/// What is known of one word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    write: Tag,
    first: Tag,
    last: Tag,
}

/// Who accesses a cell now.
#[derive(Clone, Copy)]
pub struct Access {
    /// Its tag, the lane included.
    pub tag: Tag,
    /// Its warp.
    pub warp: u32,
    /// Its lane.
    pub lane: u32,
    /// Tags of smaller segments are of the past.
    pub base: u32,
}

/// A word with an access in it that is not ordered with the one under way.
#[derive(Clone, Copy)]
pub struct Conflict {
    /// The other access.
    pub with: Tag,
    /// Whether that one wrote.
    pub wrote: bool,
}

/// Whether both accesses are strong, of a scope that has the other in it, and not both to mere data.
fn both_strong(order: &Order, a: Tag, b: Tag) -> bool {
    if a & b & STRONG == 0 || a & b & DATA != 0 {
        return false;
    }
    a & b & WIDE_SCOPE != 0 || order.who(a).block == order.who(b).block
}

impl Cell {
    /// Whether a former access is not ordered with this one.
    #[inline(always)]
    fn clashes(order: &mut Order, former: Tag, now: &Access) -> bool {
        if former & ASYNC != 0 && segment(former) >= now.base {
            // Copies that combine go on beside each other.
            return former & now.tag & STRONG == 0;
        }
        former != 0
            && segment(former) >= now.base
            && !own(former, now.tag)
            && !order.before(former, now.warp, now.lane)
            && !both_strong(order, former, now.tag)
    }

    /// Whether a volatile access and the volatile write before it are no race though nothing orders them:
    /// somebody looked at that value, as at a flag, and goes on from there.
    fn looked_at(&self, now: Tag) -> bool {
        let looks = |former: Tag| former & (STRONG | DATA | WROTE) == STRONG;
        self.write & now & DATA != 0 && (looks(self.first) || looks(self.last))
    }

    /// A copy under way in this cell.
    #[inline(always)]
    pub fn pending(&self, base: u32) -> Option<Tag> {
        (self.write & ASYNC != 0 && segment(self.write) >= base).then_some(self.write)
    }

    /// The tag of the last write.
    pub fn written_by(&self) -> Tag {
        self.write
    }

    /// Puts another tag in the place of the last write's.
    pub fn set_write(&mut self, tag: Tag) {
        self.write = tag;
    }

    /// Makes a tag that of the reader who is remembered first.
    pub fn set_reader(&mut self, tag: Tag) {
        self.first = tag;
    }

    /// Puts another tag in the place of a reader's, if that one is remembered.
    pub fn replace_reader(&mut self, from: Tag, to: Tag) {
        for reader in [&mut self.first, &mut self.last] {
            if *reader == from {
                *reader = to;
            }
        }
    }

    /// A read: the write that it is not ordered with.
    #[inline(always)]
    pub fn read(&mut self, order: &mut Order, now: &Access) -> Option<Conflict> {
        let mut found = None;
        if Cell::clashes(order, self.write, now) && !self.looked_at(now.tag) {
            found = Some(Conflict { with: self.write, wrote: true });
        }
        if (self.first | self.last) & WROTE != 0 {
            for former in [self.first, self.last] {
                if former & WROTE != 0 && found.is_none() && Cell::clashes(order, former, now) {
                    found = Some(Conflict { with: former & !WROTE, wrote: true });
                }
            }
            // The other slot remembers a reader.
            if self.first & WROTE == 0 {
                self.first = now.tag;
            }
            return found;
        }
        let first = self.first;
        if first & ASYNC != 0 && segment(first) >= now.base {
            self.last = now.tag;
        } else if own(first, now.tag) {
            if now.tag & STRONG == 0 {
                self.first = now.tag;
            }
        } else if segment(first) < now.base || order.before(first, now.warp, now.lane) {
            self.first = now.tag;
        } else {
            self.last = now.tag;
        }
        found
    }

    /// A write: an access that it is not ordered with. `differs` says whether it changes the value
    /// that the write of a tag left; one that does not is no race.
    #[inline(always)]
    pub fn write(
        &mut self,
        order: &mut Order,
        now: &Access,
        differs: impl FnOnce(Tag) -> bool,
    ) -> Option<Conflict> {
        let mut found = None;
        if Cell::clashes(order, self.write, now) && !self.looked_at(now.tag) && differs(self.write)
        {
            found = Some(Conflict { with: self.write, wrote: true });
        }
        for former in [self.first, self.last] {
            if found.is_none() && Cell::clashes(order, former, now) {
                let wrote = former & WROTE != 0;
                found = Some(Conflict { with: former & !WROTE, wrote });
            }
        }
        let former = self.write;
        let keep = former & now.tag & STRONG != 0
            && former & ASYNC == 0
            && segment(former) >= now.base
            && !own(former, now.tag)
            && !order.before(former, now.warp, now.lane);
        // A thread's own weak write is not made strong by an atomic after it.
        let weak = own(former, now.tag) && former & (STRONG | ASYNC) == 0;
        let write = if weak && now.tag & STRONG != 0 { former } else { now.tag };
        *self = Cell { write, first: 0, last: if keep { former & !DATA | WROTE } else { 0 } };
        found
    }
}

/// Cells of a line: what half a warp touches that goes word by word.
pub const LINE: usize = 16;
/// Lines of a page.
const PAGE: usize = 64;

/// The last writes of a line's cells.
pub type Writes = [Tag; LINE];
/// The two readers that are remembered of each of a line's cells.
pub type Reads = [[Tag; LINE]; 2];

/// The cells of some lines. Most memory is read only or written only: the two are kept apart, and made
/// when the first is needed.
#[derive(Clone, Default)]
struct Page {
    writes: Option<Box<[Writes; PAGE]>>,
    reads: Option<Box<[Reads; PAGE]>>,
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
    fn writes(&mut self) -> &mut [Writes; PAGE] {
        self.writes.get_or_insert_with(|| zeros([0; LINE]))
    }

    #[inline(always)]
    fn reads(&mut self) -> &mut [Reads; PAGE] {
        self.reads.get_or_insert_with(|| zeros([[0; LINE]; 2]))
    }
}

/// The cells of one stretch of memory, made as they are needed.
pub struct Cells {
    pages: Vec<Page>,
    shift: u32,
}

impl Cells {
    /// For `bytes` bytes, in cells of `1 << shift` bytes.
    pub fn new(bytes: u64, shift: u32) -> Cells {
        let pages = (bytes >> shift) as usize / (PAGE * LINE) + 1;
        Cells { pages: vec![Page::default(); pages], shift }
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

    /// The page, the line and the place in it of a byte.
    #[inline(always)]
    fn place(&self, offset: u64) -> (usize, usize, usize) {
        let index = (offset >> self.shift) as usize;
        (index / (PAGE * LINE), index / LINE % PAGE, index % LINE)
    }

    /// What is known of the cell of a byte.
    #[inline(always)]
    pub fn at(&self, offset: u64) -> Cell {
        let (page, line, i) = self.place(offset);
        let Some(page) = self.pages.get(page) else { return Cell::default() };
        let write = page.writes.as_ref().map_or(0, |writes| writes[line][i]);
        let reads = page.reads.as_ref().map(|reads| &reads[line]);
        let [first, last] = reads.map_or([0; 2], |[first, last]| [first[i], last[i]]);
        Cell { write, first, last }
    }

    /// Changes what is known of the cell of a byte.
    #[inline(always)]
    pub fn change<R>(&mut self, offset: u64, change: impl FnOnce(&mut Cell) -> R) -> R {
        let mut cell = self.at(offset);
        let old = cell;
        let result = change(&mut cell);
        let (page, line, i) = self.place(offset);
        if let Some(page) = self.pages.get_mut(page) {
            if cell.write != old.write {
                page.writes()[line][i] = cell.write;
            }
            if [cell.first, cell.last] != [old.first, old.last] {
                let [first, last] = &mut page.reads()[line];
                (first[i], last[i]) = (cell.first, cell.last);
            }
        }
        result
    }

    /// Has the host fetch what is known of the readers of a byte's line.
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

    /// The line of a cell, by the cell's number, for one who reads.
    #[inline(always)]
    pub fn read_line(&mut self, cell: usize) -> Option<(Option<&Writes>, &mut Reads)> {
        let (line, page) = (cell / LINE % PAGE, self.pages.get_mut(cell / (PAGE * LINE))?);
        page.reads();
        let Page { writes, reads } = page;
        Some((writes.as_ref().map(|writes| &writes[line]), &mut reads.as_mut()?[line]))
    }

    /// The same for one who writes.
    #[inline(always)]
    pub fn write_line(&mut self, cell: usize) -> Option<(&mut Writes, Option<&mut Reads>)> {
        let (line, page) = (cell / LINE % PAGE, self.pages.get_mut(cell / (PAGE * LINE))?);
        page.writes();
        let Page { writes, reads } = page;
        Some((&mut writes.as_mut()?[line], reads.as_mut().map(|reads| &mut reads[line])))
    }
}

/// An allocation in global memory while a launch is checked.
pub struct Area {
    /// Its first address.
    pub start: u64,
    /// Its size.
    pub bytes: u64,
    /// Bytes in which one access is as good as another: all, but none of a heap of `malloc`.
    pub plain: u64,
    /// Whether kernels must not write it.
    pub constant: bool,
    /// Its first byte on the host.
    pub host: *const u8,
    /// Which bytes have been written.
    pub written: Option<Arc<super::Written>>,
    /// Who accessed it.
    pub cells: Cells,
}

impl Area {
    /// Bytes that may be judged in the quick ways: none of a constant where it is written.
    #[inline(always)]
    pub fn quick(&self, loads: bool) -> u64 {
        if loads || !self.constant { self.plain } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(order: &mut Order, warp: u32, at_lane: u32, flags: Tag) -> Access {
        let tag = with_lane(tag(order.segment_of(warp), 1), at_lane) | flags;
        Access { tag, warp, lane: at_lane, base: 1 }
    }

    #[test]
    fn a_write_after_two_readers_meets_the_other_one() {
        let mut order = Order::new(3, 1);
        order.start(0);
        let mut cell = Cell::default();
        for warp in [0, 1] {
            let reader = access(&mut order, warp, 0, 0);
            assert!(cell.read(&mut order, &reader).is_none());
        }
        for warp in [0, 1] {
            let mut cell = cell;
            let writer = access(&mut order, warp, 0, 0);
            let found = cell.write(&mut order, &writer, |_| true).expect("a race");
            assert_eq!(order.who(found.with).warp, 1 - warp);
            assert!(!found.wrote);
        }
    }

    #[test]
    fn atomics_race_with_weak_reads_but_not_with_each_other() {
        let mut order = Order::new(3, 1);
        order.start(0);
        let mut cell = Cell::default();
        for warp in [0, 1] {
            let atomic = access(&mut order, warp, 0, STRONG);
            assert!(cell.write(&mut order, &atomic, |_| true).is_none());
        }
        let reader = access(&mut order, 1, 0, 0);
        let found = cell.read(&mut order, &reader).expect("the atomic of warp 0");
        assert_eq!(order.who(found.with).warp, 0);
    }

    #[test]
    fn a_write_of_the_same_value_is_no_race() {
        let mut order = Order::new(2, 1);
        order.start(0);
        let mut cell = Cell::default();
        let a = access(&mut order, 0, 0, 0);
        assert!(cell.write(&mut order, &a, |_| true).is_none());
        let b = access(&mut order, 1, 0, 0);
        assert!(cell.write(&mut order, &b, |_| false).is_none());
    }
}
