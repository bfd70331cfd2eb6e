//! Fast paths that a benchmark can switch off, to measure what each one gains (`cargo bench -p lanework-emulator --features
//! ablation --bench classes -- --ablation`). Without the feature `ablation` all are on, and the compiler sees it.

/// A fast path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FastPath {
    /// Loads and stores with an address in scalar form.
    DirectAccess,
    /// Loads of words from the lanes' own addresses.
    LanesLoad,
    /// Atomics on words by common functions.
    WordAtomic,
    /// Plain loads and stores instead of atomics in shared memory.
    OwnSharedMemory,
    /// One exchange for lanes that reduce into one word.
    OneExchange,
    /// Reductions that several workers combine before they reach memory.
    DelayedReductions,
    /// Products in f32 and 32-bit integers.
    NarrowProducts,
    /// Checks: accesses of adjacent elements, half a warp at a time.
    HalfWarps,
    /// Checks: stores of whole lines of words, found when the operation is inserted.
    WholeLines,
    /// Checks: heads that describe whole shadow lines.
    LineHeads,
    /// Checks: groups of loads from one address register.
    LoadGroups,
    /// Checks: words at the lanes' own addresses, in loops of their own.
    ScatteredWords,
    /// Checks: atomics, word by word.
    CheckedAtomics,
    /// Checks: atomics of several lanes on one word.
    AtomicsOfOneWord,
}

impl FastPath {
    /// All of them.
    pub const ALL: [FastPath; 14] = [
        FastPath::DirectAccess,
        FastPath::LanesLoad,
        FastPath::WordAtomic,
        FastPath::OwnSharedMemory,
        FastPath::OneExchange,
        FastPath::DelayedReductions,
        FastPath::NarrowProducts,
        FastPath::HalfWarps,
        FastPath::WholeLines,
        FastPath::LineHeads,
        FastPath::LoadGroups,
        FastPath::ScatteredWords,
        FastPath::CheckedAtomics,
        FastPath::AtomicsOfOneWord,
    ];

    /// Whether the path is on.
    #[inline(always)]
    pub fn on(self) -> bool {
        #[cfg(feature = "ablation")]
        {
            switches::OFF.load(std::sync::atomic::Ordering::Relaxed) >> self as u32 & 1 == 0
        }
        #[cfg(not(feature = "ablation"))]
        {
            true
        }
    }

    /// Switches this path off and all others on, for programs that are loaded from now on.
    #[cfg(feature = "ablation")]
    pub fn switch_off(self) {
        switches::OFF.store(1 << self as u32, std::sync::atomic::Ordering::Relaxed);
    }

    /// Switches all paths on.
    #[cfg(feature = "ablation")]
    pub fn switch_all_on() {
        switches::OFF.store(0, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(feature = "ablation")]
mod switches {
    use std::sync::atomic::AtomicU32;

    /// A bit for each path that is off.
    pub static OFF: AtomicU32 = AtomicU32::new(0);
}
