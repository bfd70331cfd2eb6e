//! Counting in place: the accesses of a site are summed in its counter slots, by rules that the
//! instrument supplies as data. Only the instrument knows the meaning of the counts.
//!
//! An access with a constant stride has a pattern; the site caches the cost of its last
//! pattern (a memo), and the instrument is asked on a miss.

/// How accesses of a site are counted in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterRule {
    /// The instrument's number for this kind of count, which is passed back with queries and totals.
    pub class: u8,
    /// Bytes per lane that count, if they differ from the access's own; else 0.
    pub bytes: u8,
    /// The bits of the first lane's address that affect the cost.
    pub phase: u8,
    /// The cost of one word for each half of the warp.
    pub words: WordCost,
}

/// The cost of an access by all lanes to one 32-bit word for each half of the warp, in closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordCost {
    /// Unknown: the instrument is asked.
    Asked,
    /// Both slots grow by the number of different 32-byte granules that the two words are in.
    Granules,
    /// The first slot grows by 1, and both grow by 1 more if the words differ and are a multiple of
    /// 128 bytes apart.
    Banks,
}

impl CounterRule {
    /// For accesses that are not counted; the cheapest rule to compute.
    pub const NONE: CounterRule =
        CounterRule { class: u8::MAX, bytes: 0, phase: 0, words: WordCost::Banks };
}

/// The addresses of an access: 16 lanes from each base with a constant stride, all active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    /// Step between lanes.
    pub stride: u64,
    /// From the first to the second base.
    pub delta: u64,
    /// The bits of the first base that matter; see [`CounterRule::phase`].
    pub low: u64,
    /// Bytes per lane.
    pub bytes: u64,
}

/// The last pattern of a site, and its cost. 0 bytes means no pattern.
#[derive(Clone, Copy, Default)]
pub struct Memo {
    /// The pattern.
    pub pattern: Pattern,
    /// The increments of the second and the third slot.
    pub cost: [u64; 2],
}

/// The counts of a site.
#[derive(Clone, Copy, Debug)]
pub struct SiteTotal {
    /// Its instruction in the kernel.
    pub instruction: u32,
    /// The class assigned by the instrument.
    pub class: u8,
    /// Bytes that one access by 32 lanes asks for.
    pub bytes: u64,
    /// Accesses, and the sums of their costs.
    pub slots: [u64; 3],
}

/// The counts of one worker's run of a launch.
pub struct Totals<'a> {
    /// The sites.
    pub sites: &'a [SiteTotal],
    /// The instructions of the basic blocks, as (block, instruction).
    pub runs: &'a [(u32, u32)],
    /// For each basic block, how often warps ran it, and the sum of their active lanes.
    pub visits: &'a [[u64; 2]],
}

/// How many of the numbers are distinct.
#[inline(always)]
pub fn distinct(numbers: &[u32; 32]) -> u32 {
    let (mut low, mut high) = (u32::MAX, 0);
    for number in numbers {
        low = low.min(*number);
        high = high.max(*number);
    }
    if high - low < 64 {
        let mut seen = 0u64;
        for number in numbers {
            seen |= 1 << (number - low);
        }
        seen.count_ones()
    } else if high - low < 8192 {
        distinct_near(numbers, low)
    } else {
        distinct_far(numbers)
    }
}

/// Counts distinct numbers; each is less than 8192 above `low`.
#[inline(never)]
fn distinct_near(numbers: &[u32; 32], low: u32) -> u32 {
    let mut seen = [0u64; 128];
    let mut distinct = 0;
    for number in numbers {
        let at = number - low;
        let (word, bit) = ((at / 64) as usize & 127, at % 64);
        distinct += (!seen[word] >> bit) as u32 & 1;
        seen[word] |= 1 << bit;
    }
    distinct
}

/// Counts distinct numbers with a small open-addressed table.
#[inline(never)]
pub fn distinct_far(numbers: &[u32; 32]) -> u32 {
    let mut table = [u64::MAX; 64];
    let mut distinct = 0;
    for number in numbers {
        let this = u64::from(*number);
        let mut at = (this.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58) as usize;
        while table[at] != u64::MAX && table[at] != this {
            at = (at + 1) & 63;
        }
        distinct += u32::from(table[at] != this);
        table[at] = this;
    }
    distinct
}
