//! Warp splits: lanes of a warp at one place, with the reconvergence stack above them. A warp runs one;
//! under independent thread scheduling it has several (the CUDA programming guide, Volta and later).

use crate::machine::{DEPTH, Op, ReconvergenceEntry, Warp};

/// Where lanes are, and the stack above them.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpSplit {
    /// The lanes that go on from here.
    pub mask: u32,
    /// The operation they go on with.
    pub at: *const Op,
    /// Their reconvergence PC.
    pub reconvergence_pc: u32,
    /// The reconvergence stack, its top last.
    pub stack: Vec<ReconvergenceEntry>,
}

impl WarpSplit {
    /// The entry of this split that is of `lanes`, if any is.
    pub fn of(&self, lanes: u32, warp: &Warp) -> Option<WarpSplit> {
        let lanes = lanes & warp.live;
        let of_lanes =
            |entry: &ReconvergenceEntry| ReconvergenceEntry { mask: entry.mask & lanes, ..*entry };
        let mut stack: Vec<ReconvergenceEntry> =
            self.stack.iter().map(of_lanes).filter(|entry| entry.mask != 0).collect();
        let (mut mask, mut at, mut reconvergence_pc) =
            (self.mask & lanes, self.at, self.reconvergence_pc);
        if mask == 0 {
            let entry = stack.pop()?;
            // SAFETY: entries hold the indices of operations of this warp's code.
            (mask, at, reconvergence_pc) =
                (entry.mask, unsafe { warp.op(entry.pc) }, entry.reconvergence_pc);
        }
        // Entries at which the lanes would wait for nobody are as good as popped.
        while let Some(last) = stack.last()
            && last.pc == reconvergence_pc
            && last.mask == mask
        {
            reconvergence_pc = last.reconvergence_pc;
            stack.pop();
        }
        Some(WarpSplit { mask, at, reconvergence_pc, stack })
    }

    /// Merges a split at the same place with the same reconvergence stack.
    ///
    /// # Errors
    /// The other split, if it is not such a one.
    pub fn join(&mut self, other: WarpSplit) -> Result<(), WarpSplit> {
        let place = |entry: &ReconvergenceEntry| (entry.pc, entry.reconvergence_pc);
        let same = self.at == other.at
            && self.reconvergence_pc == other.reconvergence_pc
            && self.stack.iter().map(place).eq(other.stack.iter().map(place));
        if !same {
            return Err(other);
        }
        self.mask |= other.mask;
        for (entry, others) in self.stack.iter_mut().zip(&other.stack) {
            entry.mask |= others.mask;
        }
        Ok(())
    }
}

impl Warp {
    /// The split that it runs, from where it stopped.
    pub fn current_split(&self) -> WarpSplit {
        let stack = self.stack[..self.depth].to_vec();
        WarpSplit {
            mask: self.mask,
            at: self.stopped_at,
            reconvergence_pc: self.reconvergence_pc,
            stack,
        }
    }

    /// Goes on with a split.
    pub fn resume(&mut self, split: &WarpSplit) {
        (self.mask, self.stopped_at, self.reconvergence_pc) =
            (split.mask, split.at, split.reconvergence_pc);
        self.depth = split.stack.len().min(DEPTH);
        self.stack[..self.depth].copy_from_slice(&split.stack[..self.depth]);
    }
}
