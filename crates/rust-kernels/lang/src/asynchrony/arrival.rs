//! Arrivals at an mbarrier, of threads and of the bytes of copies.

use super::handle::handle;
use super::mbarrier::{Mbarrier, word};
use crate::current::{here, with};
use crate::memory::IndexValue;
use crate::value::{Index, Value};
use lanework_ptx::ScalarType;

/// The phase in which a thread arrived at an mbarrier: what [`Mbarrier::wait`] waits for.
///
/// ```
/// # use lanework::prelude::*;
/// use lanework::lang::{Arrival, Mbarrier};
///
/// /// Works while it waits: `Arrival` is the phase that the thread arrived in.
/// #[device]
/// fn finish(all: Mbarrier, mine: Arrival) -> u32 {
///     let mut turns = 0u32;
///     while !all.is_complete(mine) {
///         turns += 1;
///     }
///     turns
/// }
///
/// #[kernel(block = 64)]
/// fn example(out: &mut [u32]) {
///     let all = mbarrier(block_dim.x);
///     let mine = all.arrive();
///     out[thread_idx.x] = (finish(all, mine) < u32::MAX) as u32;
/// }
/// # let device = Device::emulator();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?, [1; 64]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Debug)]
pub struct Arrival {
    pub(super) state: Value,
    /// The array that the barrier is an element of.
    pub(super) symbol: usize,
}

handle!(Arrival);

impl Mbarrier {
    fn arrive_by(self, name: &str, count: Option<Index>) -> Arrival {
        with(|b| {
            let mut operands = vec![self.place.operand(b)];
            operands.extend(
                count.map(|count| word(b, count)).map(|value| b.operand(value, ScalarType::U32)),
            );
            let state =
                b.emit_to(&format!("mbarrier.{name}.shared::cta.b64"), ScalarType::B64, operands);
            Arrival { state, symbol: self.symbol }
        })
    }

    /// Arrives: what this thread did before is seen by those who wait for the phase (`mbarrier.arrive`).
    #[track_caller]
    pub fn arrive(self) -> Arrival {
        here();
        self.arrive_by("arrive", None)
    }

    /// Arrives as many times at once.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 64)]
    /// fn example(x: &[f32], out: &mut [f32]) {
    ///     let tile = shared::<f32>(32);
    ///     // 31 threads arrive once, one twice, and one leaves for good.
    ///     let full = mbarrier(34);
    ///     let (t, mine) = (thread_idx.x, full.waiter());
    ///     if t == 0 {
    ///         let part = x.span(0, 32);
    ///         full.expect(part.bytes()); // announces them, without arriving
    ///         bulk_load(&tile, part, &full);
    ///         full.arrive_times(2);
    ///     } else if t < 32 {
    ///         full.arrive();
    ///     } else if t == 32 {
    ///         full.arrive_and_drop(); // not counted in later phases
    ///     }
    ///     mine.wait();
    ///     out[t] = tile[t % 32];
    ///     // A producer finds every stage empty: its first wait returns at once.
    ///     let empty = mbarrier(1).waiter_past();
    ///     empty.wait();
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&[2.0f32; 32])?;
    /// # let mut out = device.zeros::<f32>(64)?;
    /// # example(&x, &mut out).grid(1).block(64).launch(&device)?;
    /// assert_eq!(out.download()?, [2.0; 64]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn arrive_times(self, count: impl IndexValue) -> Arrival {
        here();
        self.arrive_by("arrive", Some(count.parts()))
    }

    /// Announces bytes of copies to this barrier, and arrives (`mbarrier.arrive.expect_tx`): the phase completes when they
    /// are there, too.
    #[track_caller]
    pub fn arrive_expect(self, bytes: impl IndexValue) -> Arrival {
        here();
        self.arrive_by("arrive.expect_tx", Some(bytes.parts()))
    }

    /// Announces bytes of copies to this barrier without arriving (`mbarrier.expect_tx`).
    #[track_caller]
    pub fn expect(self, bytes: impl IndexValue) {
        here();
        with(|b| {
            let value = word(b, bytes.parts());
            let operands = vec![self.place.operand(b), b.operand(value, ScalarType::U32)];
            b.emit("mbarrier.expect_tx.relaxed.cta.shared::cta.b64", operands);
        });
    }

    /// Arrives for the last time: the phases after this one need an arrival less (`mbarrier.arrive_drop`).
    #[track_caller]
    pub fn arrive_and_drop(self) -> Arrival {
        here();
        self.arrive_by("arrive_drop", None)
    }

    /// Arrives as soon as all copies that this thread has started by [`cp_async`](crate::prelude::cp_async) have brought their
    /// bytes; the thread goes on (`cp.async.mbarrier.arrive.noinc`). The barrier's number of arrivals counts this one.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 32)]
    /// fn example(x: &[f32], out: &mut [f32]) {
    ///     let (t, tile, full) = (thread_idx.x, shared::<f32>(32), mbarrier(32));
    ///     let filled = full.waiter();
    ///     cp_async::<4, _>(&mut tile[t], &x[t]);
    ///     full.arrive_after_copies();
    ///     filled.wait();
    ///     out[t] = tile[31 - t];
    /// }
    /// # let device = Device::emulator().sanitized();
    /// # let x = device.upload(&std::array::from_fn::<f32, 32, _>(|i| i as f32))?;
    /// # let mut out = device.zeros::<f32>(32)?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?[..2], [31.0, 30.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn arrive_after_copies(self) {
        here();
        with(|b| {
            let operands = vec![self.place.operand(b)];
            b.emit("cp.async.mbarrier.arrive.noinc.shared.b64", operands);
        });
    }
}
