//! Records which memory a host function of a stream uses, and checks accesses to it afterwards ([`pending`](super::pending)).

use super::pending::{PENDING, PendingConflict, PendingGranule, UsedMemory, Uses, bits, granules};
use super::{BadAccess, HostMemory};

impl HostMemory {
    /// Records from now on which memory the program uses.
    pub fn record(&mut self) {
        self.pending.recorded.take();
        self.pending.is_recording.set(true);
    }

    /// Whether accesses are recorded.
    #[inline(always)]
    pub(crate) fn is_recording(&self) -> bool {
        self.pending.is_recording.get()
    }

    /// Ends the recording, and returns what was used.
    pub fn recorded(&mut self) -> UsedMemory {
        self.pending.is_recording.set(false);
        self.pending.recorded.take()
    }

    /// Records an access.
    #[cold]
    pub(super) fn note_use(&self, address: u64, bytes: u64, writes: bool) {
        let offset = address.wrapping_sub(self.start);
        let Ok(mut recorded) = self.pending.recorded.try_borrow_mut() else { return };
        if offset >= self.bytes {
            if recorded.shared.last() != Some(&(address, bytes, writes)) {
                recorded.shared.push((address, bytes, writes));
            }
            return;
        }
        for granule in granules(offset, bytes) {
            let uses = recorded.granules.entry(granule).or_default();
            uses[usize::from(writes)] |= bits(granule, offset, bytes);
        }
    }

    /// Watches memory that a function has used, until [`HostMemory::end_pending`].
    pub fn pend(&mut self, function: u64, used: UsedMemory) {
        for (granule, uses) in used.granules {
            let Some(open) = self.shadow.get_mut(granule as usize) else { continue };
            match *open {
                1..=8 => {
                    let uses = vec![(function, uses)];
                    self.pending.granules.insert(granule, PendingGranule { open: *open, uses });
                    *open = PENDING;
                }
                PENDING => {
                    let known = self.pending.granules.get_mut(&granule);
                    known.into_iter().for_each(|known| known.uses.push((function, uses)));
                }
                // The object has ended.
                _ => {}
            }
        }
    }

    /// Whether memory of any function is watched.
    pub fn has_pending(&self) -> bool {
        !self.pending.granules.is_empty()
    }

    /// The functions whose memory is watched.
    pub fn pending(&self) -> Vec<u64> {
        let uses = self.pending.granules.values().flat_map(|granule| &granule.uses);
        let mut all: Vec<u64> = uses.map(|(function, _)| *function).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Stops watching the memory of a function.
    pub fn end_pending(&mut self, function: u64) {
        let shadow = &mut self.shadow;
        self.pending.granules.retain(|granule, pending| {
            pending.uses.retain(|(of, _)| *of != function);
            let ends = pending.uses.is_empty();
            // A frame that was opened since has another value.
            if ends
                && let Some(open) = shadow.get_mut(*granule as usize)
                && *open == PENDING
            {
                *open = pending.open;
            }
            !ends
        });
    }

    /// Stops watching bytes of the arena whose shadow is about to change.
    pub(super) fn forget_pending(&mut self, first: usize, end: usize) {
        if self.has_pending() {
            let inside = first as u64..end as u64;
            self.pending.granules.retain(|granule, _| !inside.contains(granule));
        }
    }

    /// Lets conflicting accesses pass, or no longer. Returns the first one since the last call.
    pub(crate) fn let_conflicts_pass(&self, passes: bool) -> Option<PendingConflict> {
        self.pending.passes.set(passes);
        self.pending.noted.take()
    }

    /// The function with which an access conflicts.
    pub(crate) fn conflict(&self, address: u64, bytes: u64, writes: bool) -> Option<u64> {
        let offset = address.wrapping_sub(self.start);
        if !self.has_pending() || offset >= self.bytes {
            return None;
        }
        let mut of_access = self.pending.granules.range(granules(offset, bytes));
        of_access.find_map(|(granule, pending)| {
            let own = bits(*granule, offset, bytes);
            let conflicts = |(_, [read, written]): &&(u64, Uses)| {
                own & (written | (read * u8::from(writes))) != 0
            };
            let is_pending = self.shadow.get(*granule as usize) == Some(&PENDING);
            pending.uses.iter().find(conflicts).filter(|_| is_pending).map(|(of, _)| *of)
        })
    }

    /// Whether a pending function has written some of these bytes.
    pub(crate) fn is_pending_write(&self, address: u64, bytes: u64) -> bool {
        self.conflict(address, bytes, false).is_some()
    }

    /// Checks an access to bytes of the arena whose shadow is not that of accessible bytes.
    #[cold]
    pub(super) fn check_pending(
        &self,
        address: u64,
        bytes: u64,
        writes: bool,
    ) -> Result<*mut u8, BadAccess> {
        let bad = Err(BadAccess { address, bytes });
        let offset = address.wrapping_sub(self.start);
        if !self.has_pending() || offset.checked_add(bytes).is_none_or(|end| end > self.bytes) {
            return bad;
        }
        let closed = granules(offset, bytes).any(|granule| {
            let open = match self.shadow[granule as usize] {
                PENDING => self.pending.granules.get(&granule).map_or(0, |pending| pending.open),
                open => open,
            };
            open > 8 || bits(granule, offset, bytes) & !(0xffu16 >> (8 - open)) as u8 != 0
        });
        if closed {
            return bad;
        }
        if !self.is_recording()
            && let Some(function) = self.conflict(address, bytes, writes)
        {
            if !self.pending.passes.get() {
                return bad;
            }
            let first = self.pending.noted.take();
            self.pending.noted.set(first.or(Some((function, address, writes))));
        }
        Ok(self.arena.wrapping_add(offset as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicting_accesses_fail_until_the_function_has_ended() {
        let mut memory = HostMemory::new(1 << 16).expect("memory");
        let block = memory.allocate(20, 8);
        memory.record();
        assert_eq!(memory.load(block, 4), Ok(0));
        assert_eq!(memory.store(block + 16, 4, 7), Ok(()));
        let used = memory.recorded();
        memory.pend(1, used);
        // The function reads the first word and writes the last one.
        assert_eq!(memory.load(block, 8), Ok(0));
        assert_eq!(memory.store(block + 4, 4, 2), Ok(()));
        assert_eq!(memory.store(block + 8, 8, 3), Ok(()));
        assert!(memory.store(block, 8, 1).is_err() && memory.load(block + 16, 4).is_err());
        assert!(memory.load(block + 20, 1).is_err() && memory.read(block, 20).is_err());
        assert_eq!(memory.conflict(block + 18, 1, false), Some(1));
        assert_eq!(memory.conflict(block + 20, 4, true), None);
        memory.let_conflicts_pass(true);
        assert_eq!(memory.fill(block, 1, 20), Ok(()));
        assert_eq!(memory.let_conflicts_pass(false), Some((1, block, true)));
        memory.end_pending(1);
        assert!(!memory.has_pending());
        assert_eq!(memory.load(block + 16, 4), Ok(0x0101_0101));
        assert!(memory.load(block + 16, 8).is_err());
    }

    #[test]
    fn freed_blocks_are_noted_and_not_watched_any_more() {
        let mut memory = HostMemory::new(1 << 16).expect("memory");
        let block = memory.allocate(8, 8);
        memory.record();
        assert_eq!(memory.load(block, 8), Ok(0));
        let used = memory.recorded();
        memory.pend(4, used);
        memory.let_conflicts_pass(true);
        assert_eq!(memory.release(block), Ok(()));
        assert_eq!(memory.let_conflicts_pass(false), Some((4, block, true)));
        memory.end_pending(4);
        assert!(memory.load(block, 8).is_err());
    }
}
