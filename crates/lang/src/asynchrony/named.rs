//! Named barriers: barriers 1 to 15 of the block, for some of its warps (PTX manual, "barrier").

use super::handle::handle;
use crate::current::{here, with};
use crate::memory::Extent;
use lanework_ptx::Operand;

/// A barrier of some warps of the block. Its number is its own: no two named barriers of a kernel are one.
///
/// ```
/// # use lanework::prelude::*;
/// /// The first two warps hand a value to each other; the third goes its way.
/// #[kernel(block = 96)]
/// fn example(out: &mut [u32]) {
///     let values = shared::<u32>(64);
///     let pair = named_barrier(64);
///     if thread_idx.x < 64 {
///         values[thread_idx.x] = thread_idx.x;
///         pair.sync();
///         out[thread_idx.x] = values[63 - thread_idx.x];
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(1).block(96).launch(&device)?;
/// assert_eq!(out.download()?[..2], [63, 62]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct NamedBarrier {
    number: u32,
    threads: u32,
}

handle!(NamedBarrier);

/// Numbers of named barriers; 0 is that of `sync_threads`.
const MOST: u32 = 15;

/// A barrier that opens when `threads` threads (a multiple of 32) have arrived at it; see [`NamedBarrier`].
#[track_caller]
pub fn named_barrier(threads: impl Extent) -> NamedBarrier {
    here();
    let threads = threads.extent().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    with(|b| {
        if threads == 0 || !threads.is_multiple_of(32) || threads > 1024 {
            b.error(
                format!("{threads} threads cannot meet at a named barrier"),
                "whole warps do: a multiple of 32 up to 1024",
            );
        }
        b.named_barriers += 1;
        if b.named_barriers > MOST {
            b.error(
                "the kernel has more than 15 named barriers",
                "a block has 16, of which `sync_threads` takes one: use a barrier for several things, or an mbarrier",
            );
        }
        NamedBarrier { number: b.named_barriers.min(MOST), threads }
    })
}

impl NamedBarrier {
    /// Arrives and waits for the others: their accesses to memory before it are seen after it (`bar.sync`).
    #[track_caller]
    pub fn sync(self) {
        here();
        self.emit("bar.sync");
    }

    /// Arrives and goes on (`bar.arrive`): a producer that does not wait for its consumers.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 64)]
    /// fn example(out: &mut [u32]) {
    ///     let values = shared::<u32>(32);
    ///     let written = named_barrier(64);
    ///     if thread_idx.x < 32 {
    ///         values[thread_idx.x] = 7;
    ///         written.arrive();
    ///     } else {
    ///         written.sync();
    ///         out[thread_idx.x - 32] = values[63 - thread_idx.x];
    ///     }
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let mut out = device.zeros::<u32>(32)?;
    /// # example(&mut out).grid(1).block(64).launch(&device)?;
    /// assert_eq!(out.download()?, [7; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn arrive(self) {
        here();
        self.emit("bar.arrive");
    }

    /// The threads that meet.
    pub fn threads(self) -> u32 {
        self.threads
    }

    fn emit(self, name: &str) {
        with(|b| b.emit(name, vec![Operand::integer(self.number), Operand::integer(self.threads)]));
    }
}
