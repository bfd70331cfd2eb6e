//! Tuning parameters of the Hopper kernel: warpgroups, stages, registers.

/// Tuning parameters of the Hopper kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Division {
    /// Warpgroups that multiply 64 queries each: 2 or 3.
    pub groups: u32,
    /// Stages of the key ring and of the value ring.
    pub stages: u32,
    /// Whether warpgroups take turns issuing products (ping-pong).
    pub ordered: bool,
    /// Whether a scheduling barrier keeps the wait for the products after the exponentials.
    pub held: bool,
    /// Whether sums are rescaled only when a row's largest score has grown by more than 2^8.
    pub lazy: bool,
}

impl Division {
    /// The fastest parameters on an H200 for heads of `head` elements and `rows` queries. Warpgroups take turns. Three warpgroups
    /// do not fit in a block with 128-element heads, and waste more of the last tile when there are few queries.
    pub(super) const fn of(head: u32, rows: u32, causal: bool) -> Division {
        let groups = if head == 64 && !(causal && rows <= 1024) { 3 } else { 2 };
        Division::of_groups(head, groups)
    }

    /// The parameters for `groups` multiplying warpgroups.
    pub(super) const fn of_groups(head: u32, groups: u32) -> Division {
        Division { groups, stages: 2, ordered: true, held: head == 128, lazy: true }
    }

    /// Threads of a block: the multiplying warpgroups and one that loads.
    pub(crate) const fn threads(self) -> u32 {
        128 * self.groups + 128
    }

    /// Registers per thread: at launch, of the loading warpgroup, and of the multiplying ones.
    pub(super) const fn registers(self) -> (u32, u32, u32) {
        match self.groups {
            2 => (168, 24, 240),
            _ => (128, 32, 160),
        }
    }

    /// Dynamic shared memory of a block: two query tiles, and the key and value stages.
    pub(crate) const fn shared_bytes(self, head: u32, keys: u32) -> u32 {
        2 * head * (2 * 64 * self.groups + 2 * self.stages * keys)
    }
}
