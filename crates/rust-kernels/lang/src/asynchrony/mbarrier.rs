//! mbarriers: barriers in shared memory that count arrivals of threads and bytes of asynchronous copies (PTX manual,
//! "Asynchronous Barrier Instructions: mbarrier").
//!
//! A barrier has phases: one completes when as many threads have arrived as the barrier was made for and as many bytes
//! as were announced. Which phase a thread waits for is said by a token of the thread's own arrival ([`Arrival`]), or by
//! a [`Waiter`], which waits for one phase after the other and keeps the parity itself; there is no number to confuse.

use super::handle::handle;
use super::part::Part;
use crate::builder::Builder;
use crate::current::{here, with};
use crate::frames::Line;
use crate::memory::{Base, Extent, IndexValue, Place, Space, element_place};
use crate::pending::BarrierSetup;
use crate::value::{Index, Value};
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

/// What an asynchronous copy may signal: an mbarrier, or a stage of a pipeline that a producer has acquired.
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
/// first line: a literal, a constant, a parameter or `block_dim.x`.
///
/// It is initialised before the kernel's first line, and every thread sees it so.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel(block = 64)]
/// fn example(out: &mut [u32]) {
///     let values = shared::<u32>(64);
///     let all = mbarrier(64);
///     values[thread_idx.x] = thread_idx.x;
///     let written = all.arrive(); // a token, which only `all` takes
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

/// `number` mbarriers, as [`mbarrier`] makes one.
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
///         next.wait(); // one phase after the other
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

/// Arrivals at most.
const MOST_ARRIVALS: u64 = (1 << 20) - 1;

impl Mbarriers {
    pub(crate) fn declare(
        b: &mut Builder,
        number: u32,
        arrivals: Index,
        name: &'static str,
    ) -> Mbarriers {
        let hint = b.take_hint(name);
        let name = b.unique(&crate::identifier::identifier(hint));
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
                "write a literal, a constant, a parameter of the kernel or `block_dim.x`: barriers are initialised before the first line",
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

    /// The barrier at an index; the first without one.
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

/// An index or a count in 32 bits.
pub(crate) fn word(b: &mut Builder, index: Index) -> Value {
    match (index.value, index.ty.size()) {
        (Value::Constant(bits), _) => Value::Constant(u64::from(bits as u32)),
        (value, 8) => b.pure("cvt.u32.u64", ScalarType::U32, &[(value, ScalarType::U64)]),
        (value, _) => value,
    }
}
