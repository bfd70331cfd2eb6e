//! Named barriers: barriers 1 to 15 of the block, for some of its warps (PTX manual, "barrier").

use super::handle::handle;
use super::mbarrier::word;
use crate::arithmetic::binary;
use crate::current::{here, with};
use crate::memory::{Extent, IndexValue};
use crate::operation::Operation;
use crate::value::Value;
use lanework_ptx::{Operand, ScalarType};

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
    number: Value,
    threads: u32,
}

/// Named barriers, each of as many threads: `barriers.at(group)`.
#[derive(Debug)]
pub struct NamedBarriers {
    first: u32,
    number: u32,
    threads: u32,
}

handle!(NamedBarrier);
handle!(NamedBarriers);

/// Numbers of named barriers; 0 is that of `sync_threads`.
const MOST: u32 = 15;

/// A barrier that opens when `threads` threads (a multiple of 32) have arrived at it; see [`NamedBarrier`].
#[track_caller]
pub fn named_barrier(threads: impl Extent) -> NamedBarrier {
    here();
    let NamedBarriers { first, threads, .. } = NamedBarriers::declare(1, threads.extent());
    NamedBarrier { number: Value::Constant(first.into()), threads }
}

/// `number` barriers, each of which opens when `threads` threads have arrived at it.
///
/// ```
/// # use lanework::prelude::*;
/// /// Each of two warpgroups waits for its own threads.
/// #[kernel(block = 256)]
/// fn example(out: &mut [u32]) {
///     let values = shared::<u32>(256);
///     let groups = named_barriers(2, 128);
///     let t = thread_idx.x;
///     values[t] = t;
///     groups.at(t / 128).sync();
///     out[t] = values[t ^ 127];
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(256)?;
/// # example(&mut out).grid(1).block(256).launch(&device)?;
/// assert_eq!(out.download()?[128], 255);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn named_barriers(number: impl Extent, threads: impl Extent) -> NamedBarriers {
    here();
    let number = number.extent().and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
    NamedBarriers::declare(number, threads.extent())
}

impl NamedBarriers {
    fn declare(number: u32, threads: Option<usize>) -> NamedBarriers {
        let threads = threads.and_then(|n| u32::try_from(n).ok()).unwrap_or(0);
        with(|b| {
            if threads == 0 || !threads.is_multiple_of(32) || threads > 1024 {
                b.error(
                    format!("{threads} threads cannot meet at a named barrier"),
                    "whole warps do: a multiple of 32 up to 1024",
                );
            }
            let first = b.named_barriers + 1;
            b.named_barriers = b.named_barriers.saturating_add(number);
            if number == 0 || b.named_barriers > MOST {
                b.error(
                    "the kernel has more than 15 named barriers, or an array of none",
                    "a block has 16, of which `sync_threads` takes one: use a barrier for several things, or an mbarrier",
                );
            }
            NamedBarriers { first: first.min(MOST), number, threads }
        })
    }

    /// The barrier at an index; beyond the last one, the last.
    #[track_caller]
    pub fn at(self, index: impl IndexValue) -> NamedBarrier {
        here();
        let index = index.parts();
        with(|b| {
            let ty = ScalarType::U32;
            let index = word(b, index);
            let last = Value::Constant(self.number.saturating_sub(1).into());
            let index = binary(b, Operation::Min, ty, index, last);
            let number = binary(b, Operation::Add, ty, index, Value::Constant(self.first.into()));
            NamedBarrier { number, threads: self.threads }
        })
    }
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
        with(|b| {
            let number = b.operand(self.number, ScalarType::U32);
            b.emit(name, vec![number, Operand::integer(self.threads)]);
        });
    }
}
