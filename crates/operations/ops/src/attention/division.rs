//! How the kernel of Hopper divides its work: warpgroups, stages, registers.

/// How the kernel divides its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Division {
    /// Warpgroups that multiply, 64 queries each: 2 or 3.
    pub groups: u32,
    /// Tiles of keys, and of values, that are loaded ahead.
    pub stages: u32,
    /// Whether warpgroups take turns at starting products.
    pub ordered: bool,
    /// Whether the wait for products stays behind the exponentials.
    pub held: bool,
    /// Whether sums are scaled only when a row's largest score has grown by more than 2^8.
    pub lazy: bool,
}

impl Division {
    /// What was fastest on an H200 for heads of `head` elements and `rows` queries. Warpgroups take turns; three do not fit
    /// a block with heads of 128 elements, and leave more of the last tile empty where there are few queries.
    pub(super) const fn of(head: u32, rows: u32, causal: bool) -> Division {
        let groups = if head == 64 && !(causal && rows <= 1024) { 3 } else { 2 };
        Division::of_groups(head, groups)
    }

    /// The same of so many warpgroups that multiply.
    pub(super) const fn of_groups(head: u32, groups: u32) -> Division {
        Division { groups, stages: 2, ordered: true, held: head == 128, lazy: true }
    }

    /// Threads of a block: the warpgroups that multiply and one that loads.
    pub(crate) const fn threads(self) -> u32 {
        128 * self.groups + 128
    }

    /// Registers per thread: as launched, of the warpgroup that loads, and of those that multiply.
    pub(super) const fn registers(self) -> (u32, u32, u32) {
        match self.groups {
            2 => (168, 24, 240),
            _ => (128, 32, 160),
        }
    }

    /// Dynamic shared memory of a block: two tiles of queries, and the stages of keys and values.
    pub(crate) const fn shared_bytes(self, head: u32, keys: u32) -> u32 {
        2 * head * (2 * 64 * self.groups + 2 * self.stages * keys)
    }
}
