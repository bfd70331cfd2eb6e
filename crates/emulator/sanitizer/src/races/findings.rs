//! Messages and help of race findings.

use crate::access::position::ThreadAt;
use crate::races::epoch;
use crate::races::happens_before::relation::MissingWarpSync;
use crate::races::shadow_cell::Conflict;

/// A race to be described.
pub struct RaceDescription<'a> {
    /// The access as a word.
    pub verb: &'a str,
    /// The space.
    pub space: &'a str,
    /// Size in bytes.
    pub bytes: u64,
    /// The address as `name+offset`.
    pub place: &'a str,
    /// The thread that accesses now.
    pub who: ThreadAt,
    /// The thread of the prior access.
    pub prior: ThreadAt,
    /// The prior access.
    pub conflict: Conflict,
    /// The missing synchronization, if single lanes of the two warps synchronized.
    pub lack: Option<MissingWarpSync>,
    /// Whether only some lanes of the warp reach the prior access.
    pub in_branch: bool,
}

impl RaceDescription<'_> {
    /// Message of a race between threads, and its help if lanes synchronized alone; else
    /// [`advice`](crate::findings::advice) gives it.
    pub fn race(&self) -> (String, &'static str) {
        let RaceDescription { verb, space, bytes, place, .. } = self;
        let (what, whom) = (self.what(), self.whom());
        let help = if self.lack.is_some() { self.help_for_lack() } else { "" };
        let message = format!(
            "race in {space} memory: {verb} of {bytes} bytes at {place} is unordered with {what} {whom}"
        );
        (message, help)
    }

    fn what(&self) -> &'static str {
        match (self.conflict.wrote, self.conflict.with & epoch::STRONG != 0) {
            (true, true) => "an atomic or volatile write",
            (true, false) => "a write",
            (false, _) => "a read",
        }
    }

    fn whom(&self) -> &'static str {
        let same_block = self.prior.block == self.who.block;
        match (same_block && self.prior.thread / 32 == self.who.thread / 32, same_block) {
            (true, _) => "by another lane of the warp",
            (_, true) => "by another warp of the block",
            _ => "by another block",
        }
    }

    /// Help if a single lane synchronized.
    fn help_for_lack(&self) -> &'static str {
        match self.lack {
            Some(MissingWarpSync { acquired: true, released: false, .. }) => {
                "another lane of this warp has waited, this one has not: synchronize the warp after the wait (`__syncwarp`, `sync_warp`)"
            }
            _ if self.in_branch => {
                "the lane of the other warp releases only its own accesses: let the lane that makes the access release it, or end the branch after the access, synchronize that warp (`__syncwarp`, `sync_warp`), and release it in a second branch"
            }
            _ => {
                "the lane of the other warp releases only its own accesses: synchronize that warp before the release (`__syncwarp`, `sync_warp`)"
            }
        }
    }

    /// Message and help of a race between lanes that rely on lockstep.
    pub fn warp_synchronous(&self) -> (String, &'static str) {
        let RaceDescription { verb, space, bytes, place, conflict, .. } = self;
        if self.lack.is_some() {
            let (what, whom) = (self.what(), self.whom());
            let message = format!(
                "warp-synchronous code in {space} memory: {verb} of {bytes} bytes at {place} relies on lockstep of the warp's lanes to be ordered after {what} {whom}"
            );
            return (message, self.help_for_lack());
        }
        let what = if conflict.wrote { "write" } else { "read" };
        let message = format!(
            "warp-synchronous code in {space} memory: `.volatile` {verb} of {bytes} bytes at {place} relies on lockstep to be ordered after a `.volatile` {what} by another lane of the warp"
        );
        (
            message,
            "put `__syncwarp()` (`sync_warp`) between the two, or shuffle: since sm_70 lanes need not run in lockstep",
        )
    }

    /// Message and help of strong accesses of different sizes to one word.
    pub fn mixed_sizes(&self) -> (String, &'static str) {
        let RaceDescription { verb, space, bytes, place, who, prior, conflict, .. } = self;
        let what = if conflict.wrote { "write" } else { "read" };
        let whom = if prior.block == who.block { "thread" } else { "block" };
        let message = format!(
            "race in {space} memory: strong {verb} of {bytes} bytes at {place} is unordered with a strong {what} of another size by another {whom}; accesses of different sizes are not atomic to each other"
        );
        (
            message,
            "access the word with one size everywhere, or put a barrier between the two kinds",
        )
    }

    /// Message and help of an access to bytes that a product or copy in flight still uses.
    pub fn too_early(&self, product: bool) -> (String, &'static str) {
        let RaceDescription { verb, space, bytes, place, who, prior, conflict, .. } = self;
        let same = prior.block == who.block && prior.thread == who.thread;
        let whose = if same { "this thread" } else { "another thread" };
        let does = if conflict.wrote { "writing" } else { "reading" };
        let (what, help) = match product {
            true => (
                "a product",
                "wait for the product's group first (`wgmma.wait_group`), then at a barrier if it is of another warpgroup",
            ),
            false => (
                "an asynchronous copy",
                "wait for the copy first (for its group, or for the phase of its mbarrier), then at a barrier if other threads made it",
            ),
        };
        let message = format!(
            "{space} {verb} of {bytes} bytes at {place} while {what} of {whose} may still be {does} them"
        );
        (message, help)
    }
}
