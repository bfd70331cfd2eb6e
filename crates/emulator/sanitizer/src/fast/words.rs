//! Loops over the words that lanes access at their own addresses.
//!
//! Each loop is a function of its own: compiled into the handler of all accesses, it keeps its variables on the stack and takes
//! twice as long.

use crate::fast::atomics::harmless;
use crate::fast::stored::WORD;
use crate::fast::whole::ShadowView;
use crate::races::epoch::{self, ASYNC, PackedEpoch, REPLACED};
use crate::races::happens_before::relation::{Relation, RelationCache};
use crate::races::strong_accesses::StrongAccesses;

/// Entries of [`KnownEpochs`]: a power of two.
const ENTRIES: usize = 16;

/// Relations of epochs to a warp's access, as far as they have been looked up.
struct KnownEpochs {
    /// Epochs below this belong to earlier clusters and happen before.
    base: u32,
    /// An epoch of the warp itself that only program order relates to the access; the highest number if none is known.
    own: u32,
    /// Epochs that happen before, each at its number modulo the entries.
    before: [u32; ENTRIES],
    /// The same for concurrent epochs.
    concurrent: [u32; ENTRIES],
}

impl KnownEpochs {
    /// Nothing is known.
    #[inline(always)]
    fn new(base: u32) -> KnownEpochs {
        KnownEpochs { base, own: u32::MAX, before: [0; ENTRIES], concurrent: [0; ENTRIES] }
    }

    /// Whether a prior access is known to happen before this one.
    #[inline(always)]
    fn is_before(&self, prior: PackedEpoch, now: PackedEpoch) -> bool {
        let number = epoch::number(prior);
        number < self.base
            || self.before[number as usize % ENTRIES] == number
            || epoch::same_thread(prior, now)
    }

    /// Whether a prior access is known to be concurrent with this one.
    #[inline(always)]
    fn is_concurrent(&self, prior: PackedEpoch, now: PackedEpoch) -> bool {
        let number = epoch::number(prior);
        self.concurrent[number as usize % ENTRIES] == number
            || number == self.own && epoch::lane(prior) != epoch::lane(now)
    }

    /// Adds a relation that was looked up.
    fn add(&mut self, found: &RelationCache) {
        let (number, relation) = found.last();
        match relation {
            Relation::HappensBefore => self.before[number as usize % ENTRIES] = number,
            Relation::Concurrent => self.concurrent[number as usize % ENTRIES] = number,
            Relation::ProgramOrder => self.own = number,
            Relation::ByLane => {}
        }
    }
}

impl ShadowView<'_> {
    /// Checks and records a read of a word by each of some lanes. Returns the lanes that the general path must check; nothing
    /// of theirs has changed.
    #[inline(never)]
    pub(super) fn read_words(&mut self, offsets: &[u64; 32], lanes: u32) -> u32 {
        let mut known = KnownEpochs::new(self.base);
        let (mut left, mut rest) = (0, lanes);
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            let (packed, offset) =
                (epoch::with_lane(self.packed, lane), offsets[lane as usize % 32]);
            if let Some((write, [first, last])) =
                self.shadow.spread_reads_of((offset >> WORD) as usize, known.base)
                && (write | *first) & ASYNC == 0
                && known.is_before(write, packed)
            {
                if known.is_before(*first, packed) {
                    *first = packed;
                    continue;
                }
                if known.is_concurrent(*first, packed) {
                    *last = packed;
                    continue;
                }
            }
            left |= u32::from(!self.read_unknown(&mut known, offset, packed)) << lane;
        }
        left
    }

    /// The general part of [`ShadowView::read_words`]: looks relations up.
    #[inline(never)]
    fn read_unknown(&mut self, known: &mut KnownEpochs, offset: u64, packed: PackedEpoch) -> bool {
        let done = self.read(offset, packed);
        known.add(&self.writers);
        known.add(&self.readers);
        done
    }

    /// The same for writes, except that all lanes from the first on that the general path must check are left to it. A lane
    /// that owns the word forgets the reads of it, so it must not come before another lane that is in conflict with them.
    #[inline(never)]
    pub(super) fn write_words(&mut self, offsets: &[u64; 32], lanes: u32) -> u32 {
        let mut known = KnownEpochs::new(self.base);
        let mut changed = None;
        let mut rest = lanes;
        self.shadow.note_write();
        while rest != 0 {
            let (lane, left) = (rest.trailing_zeros(), rest);
            rest &= rest - 1;
            let (packed, offset) =
                (epoch::with_lane(self.packed, lane), offsets[lane as usize % 32]);
            if let Some((write, reads)) =
                self.shadow.spread_cell((offset >> WORD) as usize, known.base)
                && *write & ASYNC == 0
                && known.is_before(*write, packed)
            {
                let mut own = 0;
                if epoch::same_thread(*write, packed) {
                    own = *write & REPLACED;
                    if epoch::other_write_of_thread(*write, packed) {
                        let Some(stored) = &self.stored else { return left };
                        let all = || stored.changed_lanes(offsets, lanes);
                        let changes = *changed.get_or_insert_with(all) >> lane & 1 != 0;
                        own |= if changes { REPLACED } else { 0 };
                    }
                }
                let Some([first, last]) = reads else {
                    *write = packed | own;
                    continue;
                };
                if (*first | *last) & ASYNC == 0
                    && known.is_before(*first, packed)
                    && known.is_before(*last, packed)
                {
                    (*write, *first, *last) = (packed | own, 0, 0);
                    continue;
                }
            }
            if !self.write_unknown(&mut known, offset, packed) {
                return left;
            }
        }
        0
    }

    /// The general part of [`ShadowView::write_words`].
    #[inline(never)]
    fn write_unknown(&mut self, known: &mut KnownEpochs, offset: u64, packed: PackedEpoch) -> bool {
        let done = self.write(offset, packed);
        known.add(&self.writers);
        known.add(&self.readers);
        done
    }

    /// Checks and records an atomic write of a word by each of some lanes, in their order; `packed` is of lane 0, `observes`
    /// says whether the threads use the values. Returns all lanes from the first on that the general path must check.
    #[inline(never)]
    pub(super) fn atomic_words(
        &mut self,
        offsets: &[u64; 32],
        lanes: u32,
        packed: PackedEpoch,
        observes: bool,
    ) -> u32 {
        let mut known = KnownEpochs::new(self.base);
        let mut rest = lanes;
        while rest != 0 {
            let lane = rest.trailing_zeros();
            let (packed, offset) = (epoch::with_lane(packed, lane), offsets[lane as usize % 32]);
            if !self.known_atomic(&known, offset, packed, observes)
                && !self.unknown_atomic(&mut known, offset, packed, observes)
            {
                return rest;
            }
            rest &= rest - 1;
        }
        0
    }

    /// An atomic whose relations are known; else `false`, and nothing has changed.
    #[inline(always)]
    fn known_atomic(
        &mut self,
        known: &KnownEpochs,
        offset: u64,
        packed: PackedEpoch,
        observes: bool,
    ) -> bool {
        let Some(mut cell) = self.shadow.strong_cell((offset >> WORD) as usize) else {
            return false;
        };
        let [write, first, last] = cell.weak;
        // The general path marks a weak write as replaced.
        let weak = first | last == 0
            && (write == 0
                || write & (ASYNC | REPLACED) == REPLACED && known.is_before(write, packed));
        let StrongAccesses { writes: [other, last], reads, polled } = cell.strong;
        let order = &*self.order;
        if !weak
            || *reads != [0; 2]
            || !harmless(order, *other, packed)
            || !harmless(order, *last, packed)
        {
            return false;
        }
        if observes {
            // The thread uses the value that the recorded atomics have left, so this one represents them.
            (*other, *last, *polled) = (0, packed, packed);
        } else {
            let kept = match [*other, *last].map(|prior| known.is_before(prior, packed)) {
                [true, true] => 0,
                [true, false] if known.is_concurrent(*last, packed) => *last | REPLACED,
                [false, false]
                    if known.is_concurrent(*other, packed)
                        && known.is_concurrent(*last, packed) =>
                {
                    order.farther([*other, *last], packed) | REPLACED
                }
                _ => return false,
            };
            (*other, *last) = (kept, packed);
        }
        cell.changed(packed);
        true
    }

    /// The general part of [`ShadowView::atomic_words`].
    #[inline(never)]
    fn unknown_atomic(
        &mut self,
        known: &mut KnownEpochs,
        offset: u64,
        packed: PackedEpoch,
        observes: bool,
    ) -> bool {
        let done = self.atomic(offset, packed, observes, true);
        known.add(&self.writers);
        known.add(&self.readers);
        done
    }
}
