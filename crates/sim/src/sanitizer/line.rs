//! A line of shadow memory judged at once: what half a warp reads or writes word by word.
//!
//! Nearly always the former accesses to such words are of one stretch of one warp's run, and one look
//! at what orders it answers for all. Where they are not, or something may be wrong, nothing is changed
//! and the cells are judged one by one.

use super::order::{ASYNC, LANES, Memo, Order, Tag, Verdict, WROTE};
use super::shadow::{LINE, Reads, Writes};

/// A word for each cell of a line.
type Words = [Tag; LINE];

/// An access to words of one line.
pub struct Now {
    /// The tag of whoever accesses each word.
    pub tags: Words,
    /// What makes of these the tags of a second reader, of the warp's other half; 0 if there is none.
    pub second: Tag,
    /// The words accessed, a bit each; at least one.
    pub active: u32,
    /// The warp.
    pub warp: u32,
    /// Tags of smaller segments are of the past.
    pub base: u32,
}

/// All words of a line.
pub const ALL: u32 = (1 << LINE) - 1;
/// The bits of a tag that are its segment.
const SEGMENT: Tag = 0xffff_ffff << 32;

/// What tells how former accesses of one kind lie to those under way.
type Sight<'a> = (&'a mut Memo, &'a mut Order);

/// How former accesses of one kind to some words lie to the one under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Former {
    /// There are none, or all come before.
    Before,
    /// Each is of the lane that accesses the word now.
    Own,
    /// All are of others, and nothing orders them.
    Beside,
    /// The same, and the others are lanes of the same warp.
    Others,
    /// They are of several kinds.
    Mixed,
}

/// All ones for each active word.
#[inline(always)]
fn spread(active: u32) -> Words {
    let mut out = [0; LINE];
    for i in 0..LINE {
        out[i] = u64::from(active >> i & 1).wrapping_neg();
    }
    out
}

#[inline(always)]
fn any(words: &Words) -> Tag {
    let mut all = 0;
    for i in 0..LINE {
        all |= words[i];
    }
    all
}

/// Puts some words in the place of others.
#[inline(always)]
fn put(to: &mut Words, active: &Words, words: &Words) {
    for i in 0..LINE {
        to[i] = (to[i] & !active[i]) | (words[i] & active[i]);
    }
}

/// What makes former accesses of several kinds of those to a line: other segments than that of `one`,
/// and flags that need a closer look. Tags below `floor` are of the past, and alike.
#[inline(always)]
fn odd(tags: &Words, one: Tag, floor: Tag, flags: Tag) -> Words {
    let recent = |tag: Tag| if tag as i64 >= floor as i64 { tag } else { 0 };
    let one = recent(one);
    let mut odd = [0; LINE];
    for i in 0..LINE {
        let tag = recent(tags[i]);
        odd[i] = ((tag ^ one) & SEGMENT) | (tag & flags);
    }
    odd
}

impl Now {
    /// How former accesses of one segment lie to this one.
    #[inline(always)]
    fn former(&self, sight: Sight<'_>, one: Tag, tags: &Words, active: &Words) -> Former {
        let (memo, order) = sight;
        match memo.of(order, one, self.base, self.warp) {
            Verdict::Before => Former::Before,
            Verdict::Beside => Former::Beside,
            Verdict::ByLane => self.by_lane(tags, active),
            Verdict::ByPairs => Former::Mixed,
        }
    }

    /// The same for former accesses of this warp.
    #[inline(always)]
    fn by_lane(&self, tags: &Words, active: &Words) -> Former {
        let (mut unlike, mut like) = ([0; LINE], [0; LINE]);
        for i in 0..LINE {
            let other = (tags[i] ^ self.tags[i]) & LANES;
            unlike[i] = other & active[i];
            like[i] = if other == 0 { active[i] } else { 0 };
        }
        match (any(&unlike), any(&like)) {
            (0, _) => Former::Own,
            (_, 0) => Former::Others,
            _ => Former::Mixed,
        }
    }

    #[inline(always)]
    fn one(&self) -> usize {
        self.active.trailing_zeros() as usize % LINE
    }

    /// A read of the words; `false` if they must be judged one by one.
    #[inline(always)]
    pub fn read<const WHOLE: bool>(
        &self,
        order: &mut Order,
        [writers, readers]: [&mut Memo; 2],
        writes: Option<&Writes>,
        [first, last]: &mut Reads,
    ) -> bool {
        let active = if WHOLE { [Tag::MAX; LINE] } else { spread(self.active) };
        let floor = Tag::from(self.base) << 32;
        let reader = first[self.one()];
        let mut strange = odd(first, reader, floor, ASYNC | WROTE);
        for i in 0..LINE {
            strange[i] |= last[i] & (ASYNC | WROTE);
        }
        if let Some(writes) = writes {
            let writer = writes[self.one()];
            let more = odd(writes, writer, floor, ASYNC);
            for i in 0..LINE {
                strange[i] = (strange[i] | more[i]) & active[i];
            }
            if any(&strange) != 0 {
                return false;
            }
            match self.former((writers, order), writer, writes, &active) {
                Former::Before => {}
                Former::Own if self.second == 0 => {}
                _ => return false,
            }
        } else {
            for i in 0..LINE {
                strange[i] &= active[i];
            }
            if any(&strange) != 0 {
                return false;
            }
        }
        // Whoever comes after the first reader stands for it; another is remembered beside it.
        let stands = match self.former((readers, order), reader, first, &active) {
            Former::Before | Former::Own => true,
            Former::Beside => false,
            Former::Others if self.second == 0 => false,
            // One of them may be the second reader.
            Former::Others | Former::Mixed => return false,
        };
        if stands {
            put(first, &active, &self.tags);
        }
        if !stands || self.second != 0 {
            let mut tags = self.tags;
            for i in 0..LINE {
                tags[i] += self.second;
            }
            put(last, &active, &tags);
        }
        true
    }

    /// Whether former accesses allow a write.
    #[inline(always)]
    fn yields(&self, sight: Sight<'_>, tags: &Words, active: &Words) -> bool {
        let one = tags[self.one()];
        let mut strange = odd(tags, one, Tag::from(self.base) << 32, ASYNC | WROTE);
        for i in 0..LINE {
            strange[i] &= active[i];
        }
        any(&strange) == 0
            && matches!(self.former(sight, one, tags, active), Former::Before | Former::Own)
    }

    /// A write of the words; `false` if they must be judged one by one.
    #[inline(always)]
    pub fn write<const WHOLE: bool>(
        &self,
        order: &mut Order,
        [writers, readers]: [&mut Memo; 2],
        writes: &mut Writes,
        reads: Option<&mut Reads>,
    ) -> bool {
        let active = if WHOLE { [Tag::MAX; LINE] } else { spread(self.active) };
        if !self.yields((writers, order), writes, &active) {
            return false;
        }
        if let Some([first, last]) = reads {
            if !self.yields((&mut *readers, &mut *order), first, &active)
                || !self.yields((readers, order), last, &active)
            {
                return false;
            }
            put(first, &active, &[0; LINE]);
            put(last, &active, &[0; LINE]);
        }
        put(writes, &active, &self.tags);
        true
    }
}
