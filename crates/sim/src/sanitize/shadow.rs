//! Shadow memory: for each word, or each byte where a kernel accesses bytes, who wrote and read last.

use super::order::*;
use std::sync::Arc;

/// What is known of one word.
#[derive(Clone, Copy, Default)]
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

/// The bits of a tag that name a thread and its segment.
const THREAD: Tag = 0xffff_ffff_0000_0000 | 31 << 20;

/// A word with an access in it that is not ordered with the one under way.
#[derive(Clone, Copy)]
pub struct Conflict {
    /// The other access.
    pub with: Tag,
    /// Whether that one wrote.
    pub wrote: bool,
}

#[inline(always)]
fn same(a: Tag, b: Tag) -> bool {
    (a ^ b) & THREAD == 0
}

/// Whether both accesses are strong and of a scope that has the other in it.
fn both_strong(order: &Order, a: Tag, b: Tag) -> bool {
    if a & b & STRONG == 0 {
        return false;
    }
    a & b & WIDE_SCOPE != 0 || order.who(a).block == order.who(b).block
}

impl Cell {
    /// Whether a former access is not ordered with this one.
    #[inline(always)]
    fn clashes(order: &mut Order, former: Tag, now: &Access) -> bool {
        if former & ASYNC != 0 && segment(former) >= now.base {
            return true;
        }
        former != 0
            && segment(former) >= now.base
            && !same(former, now.tag)
            && !order.before(former, now.warp, now.lane)
            && !both_strong(order, former, now.tag)
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

    /// A read: the write that it is not ordered with.
    #[inline(always)]
    pub fn read(&mut self, order: &mut Order, now: &Access) -> Option<Conflict> {
        let mut found = None;
        if Cell::clashes(order, self.write, now) {
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
        } else if same(first, now.tag) {
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
        if Cell::clashes(order, self.write, now) && differs(self.write) {
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
            && segment(former) >= now.base
            && !same(former, now.tag)
            && !order.before(former, now.warp, now.lane);
        *self = Cell { write: now.tag, first: 0, last: if keep { former | WROTE } else { 0 } };
        found
    }
}

/// Cells of a page.
const PAGE: usize = 1024;

/// The cells of one stretch of memory, made as they are needed.
pub struct Cells {
    pages: Vec<Option<Box<[Cell; PAGE]>>>,
    shift: u32,
}

impl Cells {
    /// For `bytes` bytes, in cells of `1 << shift` bytes.
    pub fn new(bytes: u64, shift: u32) -> Cells {
        let pages = (bytes >> shift) as usize / PAGE + 1;
        Cells { pages: vec![None; pages], shift }
    }

    /// Bytes of a cell.
    pub fn grain(&self) -> u64 {
        1 << self.shift
    }

    /// The cell of a byte.
    #[inline(always)]
    pub fn at(&mut self, offset: u64) -> Option<&mut Cell> {
        let index = (offset >> self.shift) as usize;
        let page = self.pages.get_mut(index / PAGE)?;
        let page = page.get_or_insert_with(|| Box::new([Cell::default(); PAGE]));
        Some(&mut page[index % PAGE])
    }
}

/// An allocation in global memory while a launch is checked.
pub struct Area {
    /// Its first address.
    pub start: u64,
    /// Its size.
    pub bytes: u64,
    /// Its first byte on the host.
    pub host: *const u8,
    /// Which bytes have been written.
    pub written: Option<Arc<super::Written>>,
    /// Who accessed it.
    pub cells: Cells,
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
        let mut order = Order::new(3);
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
        let mut order = Order::new(3);
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
        let mut order = Order::new(2);
        order.start(0);
        let mut cell = Cell::default();
        let a = access(&mut order, 0, 0, 0);
        assert!(cell.write(&mut order, &a, |_| true).is_none());
        let b = access(&mut order, 1, 0, 0);
        assert!(cell.write(&mut order, &b, |_| false).is_none());
    }
}
