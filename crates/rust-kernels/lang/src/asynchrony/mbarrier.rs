//! mbarriers: barriers in shared memory that count arrivals of threads and bytes of asynchronous copies (PTX manual,
//! "Asynchronous Barrier Instructions: mbarrier").
//!
//! A barrier has phases. A phase completes when the barrier's number of threads has arrived and all announced bytes
//! have been copied. A thread identifies the phase to wait for by the token of its own arrival ([`Arrival`]), or uses
//! a [`Waiter`], which waits for one phase after another and tracks the parity itself.

use crate::asynchrony::part::{Part, handle};
use crate::data::place::{Base, Place, Space};
use crate::emit::arithmetic::{Operation, binary};
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::frames::{BarrierSetup, Line};
use crate::emit::value::{Index, Register, Value};
use crate::memory::shared::element_place;
use crate::scalar::number::{Extent, IndexValue};
use crate::scalar::var::Var;
use lanework_abi::IndexKind;
use lanework_ptx::{ScalarType, StateSpace, Variable};

/// An mbarrier of the block, in shared memory.
#[derive(Debug)]
pub struct Mbarrier {
    pub(crate) place: Place<u64>,
    /// The array that it is an element of.
    pub(crate) symbol: usize,
}

/// An array of mbarriers: `full.at(stage)`.
#[derive(Debug)]
pub struct Mbarriers {
    symbol: usize,
    number: u32,
}

handle!(Mbarrier);
handle!(Mbarriers);

/// Targets that an asynchronous copy may signal: an mbarrier, or a stage of a pipeline that a producer has acquired.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an mbarrier that a copy can signal",
    label = "expected an mbarrier",
    note = "pass `&full` of `let full = mbarrier(1);`, or the slot that `producer.acquire_for(bytes)` returned"
)]
pub trait Signal: Copy {
    /// The barrier.
    fn barrier(self) -> Mbarrier;
}

impl Signal for Mbarrier {
    fn barrier(self) -> Mbarrier {
        self
    }
}

/// An mbarrier whose phases complete after `arrivals` arrivals (1 to 2^20 - 1), which are known before the kernel's
/// first statement: a literal, a constant, a parameter or `block_dim.x`.
///
/// It is initialized before the kernel's first statement, and every thread sees it initialized.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel(block = 64)]
/// fn example(out: &mut [u32]) {
///     let values = shared::<u32>(64);
///     let all = mbarrier(64);
///     values[thread_idx.x] = thread_idx.x;
///     let written = all.arrive(); // a token that only `all` accepts
///     all.wait(written);
///     out[thread_idx.x] = values[63 - thread_idx.x];
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[..2], [63, 62]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn mbarrier(arrivals: impl IndexValue) -> Mbarrier {
    here();
    with(|b| Mbarriers::declare(b, 1, arrivals.parts(), "mbarrier").element(b, None))
}

/// An array of `number` mbarriers; see [`mbarrier`].
///
/// ```
/// # use lanework::prelude::*;
/// /// Each warp has a barrier and waits for three phases of it.
/// #[kernel(block = 64)]
/// fn example(out: &mut [u32]) {
///     let values = shared::<u32>(64);
///     let ready = mbarriers(2, 32);
///     let mine = ready.at(thread_idx.x / 32);
///     let next = mine.waiter();
///     let t = thread_idx.x;
///     values[t] = t;
///     for _ in 0..3u32 {
///         mine.arrive();
///         next.wait(); // one phase after another
///     }
///     out[t] = values[t ^ 31];
/// }
/// # let device = Device::emulator().sanitized();
/// # let mut out = device.zeros::<u32>(64)?;
/// # example(&mut out).grid(1).block(64).launch(&device)?;
/// assert_eq!(out.download()?[31..33], [0, 63]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn mbarriers(number: impl Extent, arrivals: impl IndexValue) -> Mbarriers {
    here();
    let number = number.extent().and_then(|n| u32::try_from(n).ok());
    with(|b| {
        let number = number.filter(|n| (1..=64).contains(n)).unwrap_or_else(|| {
            b.error("an array of mbarriers has 1 to 64 of them", "use a number in this range");
            1
        });
        Mbarriers::declare(b, number, arrivals.parts(), "mbarriers")
    })
}

/// Maximum arrivals of a phase.
const MOST_ARRIVALS: u64 = (1 << 20) - 1;

impl Mbarriers {
    pub(crate) fn declare(
        b: &mut Builder,
        number: u32,
        arrivals: Index,
        name: &'static str,
    ) -> Mbarriers {
        let hint = b.take_hint(name);
        let name = b.unique(&crate::emit::value::identifier(hint));
        let known = match arrivals.value {
            Value::Constant(count) => (1..=MOST_ARRIVALS).contains(&count),
            Value::Special(_) => true,
            Value::Register(register) => b
                .prologue
                .iter()
                .any(|line| matches!(line, Line::Op { dest: Some(dest), .. } if *dest == register)),
        };
        if !known {
            b.error(
                format!("the arrivals of `{hint}` are not a number from 1 to {MOST_ARRIVALS} that is known before the kernel's first line"),
                "write a literal, a constant, a parameter of the kernel or `block_dim.x`: barriers are initialized before the first line",
            );
        }
        let arrivals = if known { arrivals.value } else { Value::Constant(1) };
        b.variables.push(Variable {
            align: Some(8),
            dims: vec![Some(number.into())],
            ..Variable::new(StateSpace::Shared, ScalarType::B64, &name)
        });
        b.symbols.push(name);
        let symbol = b.symbols.len() - 1;
        let position = b.position().cloned();
        b.barriers.push(BarrierSetup { symbol, number, arrivals, position });
        Mbarriers { symbol, number }
    }

    /// The barrier at an index, or the first one without an index.
    pub(crate) fn element(self, b: &mut Builder, index: Option<Index>) -> Mbarrier {
        let first = Place::new(Space::Shared, Base::Symbol(self.symbol), 0);
        let place = match index {
            Some(index) => element_place(b, first, &[self.number], &[index]),
            None => first,
        };
        Mbarrier { place, symbol: self.symbol }
    }

    /// The barrier at an index.
    #[track_caller]
    pub fn at(self, index: impl IndexValue) -> Mbarrier {
        here();
        with(|b| {
            let (index, name) = (index.parts(), b.symbols[self.symbol].clone());
            b.check(index, Value::Constant(self.number.into()), &name, IndexKind::SharedAxis(0));
            self.element(b, Some(index))
        })
    }
}

impl Mbarrier {
    /// The barrier as memory, to be mapped to another block.
    pub(crate) fn part(self) -> Part<u64, 1> {
        Part::at(self.place, [1], self.symbol)
    }
}

/// Converts an index or a count to 32 bits.
pub(crate) fn word(b: &mut Builder, index: Index) -> Value {
    match (index.value, index.ty.size()) {
        (Value::Constant(bits), _) => Value::Constant(u64::from(bits as u32)),
        (value, 8) => b.pure("cvt.u32.u64", ScalarType::U32, &[(value, ScalarType::U64)]),
        (value, _) => value,
    }
}

/// The phase in which a thread arrived at an mbarrier; [`Mbarrier::wait`] takes it.
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
    pub(crate) state: Value,
    /// The array that the barrier is an element of.
    pub(crate) symbol: usize,
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

    /// Arrives; threads that wait for the phase see this thread's earlier accesses (`mbarrier.arrive`).
    #[track_caller]
    pub fn arrive(self) -> Arrival {
        here();
        self.arrive_by("arrive", None)
    }

    /// Arrives `count` times in one instruction.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel(block = 64)]
    /// fn example(x: &[f32], out: &mut [f32]) {
    ///     let tile = shared::<f32>(32);
    ///     // 31 threads arrive once, one arrives twice, and one drops out.
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

    /// Announces bytes of copies to this barrier, and arrives (`mbarrier.arrive.expect_tx`): the phase completes only
    /// after they have been copied.
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

    /// Arrives for the last time: later phases need one arrival fewer (`mbarrier.arrive_drop`).
    #[track_caller]
    pub fn arrive_and_drop(self) -> Arrival {
        here();
        self.arrive_by("arrive_drop", None)
    }

    /// Arrives as soon as all copies that this thread has started by [`cp_async`](crate::prelude::cp_async) are complete; the
    /// thread does not wait (`cp.async.mbarrier.arrive.noinc`). The barrier's number of arrivals counts this one.
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

/// A thread's position in an mbarrier's sequence of phases: each [`wait`](Waiter::wait) waits for the next phase.
#[derive(Debug)]
pub struct Waiter {
    barrier: Mbarrier,
    parity: Register,
}

handle!(Waiter);

impl Mbarrier {
    /// Waits until the phase of an arrival is complete (`mbarrier.try_wait`, repeated).
    #[track_caller]
    pub fn wait(self, arrival: Arrival) {
        here();
        self.same(&arrival);
        with(|b| {
            let scope = acquire(b);
            self.spin(b, "", arrival.state, ScalarType::B64, scope);
        });
    }

    /// Whether the phase of an arrival is complete (`mbarrier.test_wait`).
    #[track_caller]
    pub fn is_complete(self, arrival: Arrival) -> Var<bool> {
        here();
        self.same(&arrival);
        Var::new(with(|b| {
            let scope = acquire(b);
            let operands = vec![self.place.operand(b), b.operand(arrival.state, ScalarType::B64)];
            b.emit_to(
                &format!("mbarrier.test_wait{scope}.shared::cta.b64"),
                ScalarType::Pred,
                operands,
            )
        }))
    }

    /// Rejects the token of another barrier.
    fn same(self, arrival: &Arrival) {
        if arrival.symbol != self.symbol {
            with(|b| {
                let (mine, its) =
                    (b.symbols[self.symbol].clone(), b.symbols[arrival.symbol].clone());
                b.error(
                    format!("this waits at `{mine}` for an arrival at `{its}`"),
                    format!("wait at the barrier that was arrived at: `{its}.wait(..)`"),
                );
            });
        }
    }

    /// This thread's position before the barrier's first phase: its first `wait` waits for that phase.
    #[track_caller]
    pub fn waiter(self) -> Waiter {
        here();
        self.waiter_from(0)
    }

    /// A position at which the first `wait` returns immediately, as if a phase before the first had completed.
    /// Producers use it, because every stage is empty at first.
    #[track_caller]
    pub fn waiter_past(self) -> Waiter {
        here();
        self.waiter_from(1)
    }

    fn waiter_from(self, parity: u64) -> Waiter {
        with(|b| {
            let register = b.register(ScalarType::U32, true);
            b.assign(register, Value::Constant(parity), ScalarType::U32);
            Waiter { barrier: self, parity: register }
        })
    }

    /// Waits for the phase with this parity. `near`: only this block arrives.
    pub(crate) fn wait_parity(self, b: &mut Builder, parity: Value, near: bool) {
        let scope = if near { "" } else { acquire(b) };
        self.spin(b, ".parity", parity, ScalarType::U32, scope);
    }

    fn spin(self, b: &mut Builder, by: &str, phase: Value, ty: ScalarType, scope: &str) {
        let operands = vec![self.place.operand(b), b.operand(phase, ty)];
        let head = b.label("wait");
        b.place_always(&head);
        let name = format!("mbarrier.try_wait{by}{scope}.shared::cta.b64");
        let done = b.emit_to(&name, ScalarType::Pred, operands);
        if let Value::Register(done) = done {
            b.wait_while(done, true, &head);
        }
    }
}

/// In a kernel with clusters, waits acquire at cluster scope.
fn acquire(b: &Builder) -> &'static str {
    if b.cluster.is_some() { ".acquire.cluster" } else { "" }
}

impl Waiter {
    /// Waits until the next phase of the barrier is complete.
    #[track_caller]
    pub fn wait(self) {
        here();
        with(|b| {
            let parity = Value::Register(self.parity);
            self.barrier.wait_parity(b, parity, false);
            let other = binary(b, Operation::Xor, ScalarType::U32, parity, Value::Constant(1));
            b.assign(self.parity, other, ScalarType::U32);
        });
    }
}
