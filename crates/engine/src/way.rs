//! The way of some lanes through a kernel: where they are and where they meet others. A warp follows
//! one; lanes that must run apart from the others of their warp have one each.

use crate::machine::{DEPTH, Op, Pending, Warp};

/// Where lanes are, and what is pending for them.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The lanes that go on from here.
    pub mask: u32,
    /// The operation they go on with.
    pub at: *const Op,
    /// Where they meet the lanes that are pending.
    pub meet: u32,
    /// The parts that were left for later, the first to go on last.
    pub pending: Vec<Pending>,
}

impl Way {
    /// What of this way is that of `lanes`, if it is that of any.
    pub fn of(&self, lanes: u32, warp: &Warp) -> Option<Way> {
        let lanes = lanes & warp.live;
        let of_lanes = |part: &Pending| Pending { mask: part.mask & lanes, ..*part };
        let mut pending: Vec<Pending> =
            self.pending.iter().map(of_lanes).filter(|part| part.mask != 0).collect();
        let (mut mask, mut at, mut meet) = (self.mask & lanes, self.at, self.meet);
        if mask == 0 {
            let part = pending.pop()?;
            // SAFETY: pending places are valid.
            (mask, at, meet) = (part.mask, unsafe { warp.op(part.pc) }, part.meet);
        }
        // Meeting points at which the lanes would meet nobody are as good as passed.
        while let Some(last) = pending.last()
            && last.pc == meet
            && last.mask == mask
        {
            meet = last.meet;
            pending.pop();
        }
        Some(Way { mask, at, meet, pending })
    }

    /// Takes in a way at the same place with the same meeting points.
    ///
    /// # Errors
    /// The other way, if it is not such a one.
    pub fn join(&mut self, other: Way) -> Result<(), Way> {
        let place = |part: &Pending| (part.pc, part.meet);
        let same = self.at == other.at
            && self.meet == other.meet
            && self.pending.iter().map(place).eq(other.pending.iter().map(place));
        if !same {
            return Err(other);
        }
        self.mask |= other.mask;
        for (part, others) in self.pending.iter_mut().zip(&other.pending) {
            part.mask |= others.mask;
        }
        Ok(())
    }
}

impl Warp {
    /// The way it goes on from where it stopped.
    pub fn way(&self) -> Way {
        let pending = self.pending[..self.depth].to_vec();
        Way { mask: self.mask, at: self.stopped_at, meet: self.meet, pending }
    }

    /// Goes on with a way of its lanes.
    pub fn follow(&mut self, way: &Way) {
        (self.mask, self.stopped_at, self.meet) = (way.mask, way.at, way.meet);
        self.depth = way.pending.len().min(DEPTH);
        self.pending[..self.depth].copy_from_slice(&way.pending[..self.depth]);
    }
}
