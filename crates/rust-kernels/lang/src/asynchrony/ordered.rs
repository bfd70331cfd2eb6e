//! Memory accesses with a scope and an order (PTX manual, "Memory Consistency Model"). Loads cannot release and stores
//! cannot acquire, so each has its own functions.

use crate::data::place::{Place, ReadPlace};
use crate::emit::current::{here, with};
use crate::emit::value::{Value, memory_type};
use crate::intrinsics::memory::{AtomicAdd, AtomicInteger};
use crate::scalar::number::Element;
use crate::scalar::var::{IntoVar, Scalar, Var};
use lanework_ptx::ScalarType;

/// The threads for which an access is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Threads of the block (`.cta`).
    Block,
    /// Threads of the cluster (`.cluster`).
    Cluster,
    /// Threads of the device (`.gpu`).
    Device,
    /// All threads, including threads of other devices and of the host (`.sys`).
    System,
}

/// The other accesses that a read-modify-write orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nothing (`.relaxed`).
    Relaxed,
    /// Later accesses see everything released by the write that was read (`.acquire`).
    Acquire,
    /// Earlier accesses are seen by threads that acquire this write (`.release`).
    Release,
    /// Both (`.acq_rel`).
    AcqRel,
}

impl Scope {
    fn word(self) -> &'static str {
        match self {
            Scope::Block => "cta",
            Scope::Cluster => "cluster",
            Scope::Device => "gpu",
            Scope::System => "sys",
        }
    }
}

impl Order {
    fn word(self) -> &'static str {
        match self {
            Order::Relaxed => "relaxed",
            Order::Acquire => "acquire",
            Order::Release => "release",
            Order::AcqRel => "acq_rel",
        }
    }
}

fn load<T: Element>(place: Place<T>, order: &str, scope: Scope) -> Var<T> {
    Var::new(with(|b| {
        let (space, ty) = (place.space.word(), memory_type(T::SCALAR).name());
        let operands = vec![place.operand(b)];
        b.emit_to(&format!("ld.{order}.{}.{space}.{ty}", scope.word()), T::SCALAR, operands)
    }))
}

fn store<T: Element>(place: Place<T>, value: Var<T>, order: &str, scope: Scope) {
    with(|b| {
        let (space, ty) = (place.space.word(), memory_type(T::SCALAR).name());
        let operands = vec![place.operand(b), b.operand(value.value, T::SCALAR)];
        b.emit(&format!("st.{order}.{}.{space}.{ty}", scope.word()), operands);
    });
}

/// Reads `&x[i]` with acquire order (`ld.acquire`): later accesses see everything written before the [`store_release`]
/// whose value it reads.
///
/// ```
/// # use lanework::prelude::*;
/// /// Block 0 passes a message to block 1.
/// #[kernel]
/// fn example(data: &mut [u32], flag: &mut [u32], out: &mut [u32]) {
///     if block_idx.x == 0 {
///         data[0] = 42;
///         store_release(&mut flag[0], 1, Scope::Device);
///     } else {
///         while load_acquire(&flag[0], Scope::Device) == 0 {}
///         out[0] = data[0];
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let (mut data, mut flag) = (device.zeros::<u32>(1)?, device.zeros::<u32>(1)?);
/// # let mut out = device.zeros::<u32>(1)?;
/// # example(&mut data, &mut flag, &mut out).grid(2).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [42]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn load_acquire<T: Element>(place: impl Into<ReadPlace<T>>, scope: Scope) -> Var<T> {
    here();
    load(place.into().place, "acquire", scope)
}

/// Reads `&x[i]` atomically, without an order (`ld.relaxed`); other threads may write it at the same time.
#[track_caller]
pub fn load_relaxed<T: Element>(place: impl Into<ReadPlace<T>>, scope: Scope) -> Var<T> {
    here();
    load(place.into().place, "relaxed", scope)
}

/// `x[i] = value` with release order (`st.release`): a thread that reads the value by [`load_acquire`] sees this
/// thread's earlier writes.
#[track_caller]
pub fn store_release<T: Element>(place: Place<T>, value: impl IntoVar<T>, scope: Scope) {
    here();
    store(place, value.into_var(), "release", scope);
}

/// `x[i] = value` atomically, without an order (`st.relaxed`).
#[track_caller]
pub fn store_relaxed<T: Element>(place: Place<T>, value: impl IntoVar<T>, scope: Scope) {
    here();
    store(place, value.into_var(), "relaxed", scope);
}

/// Orders this thread's earlier accesses before its later ones, for the threads of a scope (`fence.acq_rel`). With a relaxed store
/// after it, it is a release; with a relaxed load before it, an acquire.
///
/// ```
/// # use lanework::prelude::*;
/// /// Passes a message with fences, then decides by one atomic which block writes first.
/// #[kernel]
/// fn example(data: &mut [u32], flag: &mut [u32], out: &mut [u32]) {
///     if block_idx.x == 0 {
///         data[0] = 42;
///         fence(Scope::Device);
///         store_relaxed(&mut flag[0], 1, Scope::Device);
///     } else {
///         while load_relaxed(&flag[0], Scope::Device) == 0 {}
///         fence_sc(Scope::Device);
///         out[0] = data[0];
///     }
///     let winner = atomic(&mut flag[1], Order::AcqRel, Scope::Device);
///     if winner.cas(0, block_idx.x + 1) == 0 {
///         out[1] = winner.exch(9);
///     }
/// }
/// # let device = Device::emulator();
/// # let (mut data, mut flag) = (device.zeros::<u32>(1)?, device.zeros::<u32>(2)?);
/// # let mut out = device.zeros::<u32>(2)?;
/// # example(&mut data, &mut flag, &mut out).grid(2).block(1).launch(&device)?;
/// assert_eq!(out.download()?[0], 42);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn fence(scope: Scope) {
    here();
    with(|b| b.emit(&format!("fence.acq_rel.{}", scope.word()), vec![]));
}

/// A sequentially consistent [`fence`]: all threads of the scope observe these fences in one order (`fence.sc`).
#[track_caller]
pub fn fence_sc(scope: Scope) {
    here();
    with(|b| b.emit(&format!("fence.sc.{}", scope.word()), vec![]));
}

/// An element that is read and written in one step, with an order and a scope; see [`atomic`].
#[derive(Clone, Copy, Debug)]
pub struct Atomic<T> {
    place: Place<T>,
    order: Order,
    scope: Scope,
}

/// `&mut x[i]` as an atomic: `atomic(&mut x[i], Order::AcqRel, Scope::Device).add(1)`. Its methods return the old value.
///
/// ```
/// # use lanework::prelude::*;
/// /// The last block to arrive adds up what all of them wrote.
/// #[kernel]
/// fn example(parts: &mut [u32], arrived: &mut [u32], out: &mut [u32]) {
///     parts[block_idx.x] = block_idx.x + 1;
///     let before = atomic(&mut arrived[0], Order::AcqRel, Scope::Device).add(1);
///     if before == grid_dim.x - 1 {
///         let mut sum = 0u32;
///         for block in 0..grid_dim.x {
///             sum += parts[block];
///         }
///         out[0] = sum;
///     }
/// }
/// # let device = Device::emulator().sanitized();
/// # let (mut parts, mut arrived) = (device.zeros::<u32>(8)?, device.zeros::<u32>(1)?);
/// # let mut out = device.zeros::<u32>(1)?;
/// # example(&mut parts, &mut arrived, &mut out).grid(8).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [36]);
/// # Ok::<(), lanework::Error>(())
/// ```
pub fn atomic<T: Element>(place: Place<T>, order: Order, scope: Scope) -> Atomic<T> {
    Atomic { place, order, scope }
}

/// The untyped type of the same width.
fn bits(ty: ScalarType) -> &'static str {
    if ty.size() == 8 { "b64" } else { "b32" }
}

impl<T: Element> Atomic<T> {
    fn by(self, op: &str, word: &str, values: &[Value]) -> Var<T> {
        Var::new(with(|b| {
            let mut operands = vec![self.place.operand(b)];
            let untyped = word.starts_with('b');
            for value in values {
                operands.push(match untyped {
                    true => b.bit_operand(*value, T::SCALAR),
                    false => b.operand(*value, T::SCALAR),
                });
            }
            let (order, scope) = (self.order.word(), self.scope.word());
            let name = format!("atom.{order}.{scope}.{}.{op}.{word}", self.place.space.word());
            b.emit_to(&name, T::SCALAR, operands)
        }))
    }
}

impl<T: AtomicAdd> Atomic<T> {
    /// `x[i] += value`.
    #[track_caller]
    #[expect(clippy::should_implement_trait, reason = "it reads and writes memory")]
    pub fn add(self, value: impl IntoVar<T>) -> Var<T> {
        here();
        let word = match T::SCALAR {
            ScalarType::S64 => "u64",
            other => other.name(),
        };
        self.by("add", word, &[value.into_var().value])
    }

    /// `x[i] = value`.
    #[track_caller]
    pub fn exch(self, value: impl IntoVar<T>) -> Var<T> {
        here();
        self.by("exch", bits(T::SCALAR), &[value.into_var().value])
    }
}

macro_rules! operations {
    ($($name:ident $op:literal $typed:literal $doc:literal;)*) => {$(
        #[doc = $doc]
        #[track_caller]
        pub fn $name(self, value: impl IntoVar<T>) -> Var<T> {
            here();
            let word = if $typed { <T as Scalar>::SCALAR.name() } else { bits(T::SCALAR) };
            self.by($op, word, &[value.into_var().value])
        }
    )*};
}

impl<T: AtomicInteger> Atomic<T> {
    operations! {
        min "min" true "`x[i] = min(x[i], value)`.";
        max "max" true "`x[i] = max(x[i], value)`.";
        and "and" false "`x[i] &= value`.";
        or "or" false "`x[i] |= value`.";
        xor "xor" false "`x[i] ^= value`.";
    }

    /// `if x[i] == expected { x[i] = value }`.
    #[track_caller]
    pub fn cas(self, expected: impl IntoVar<T>, value: impl IntoVar<T>) -> Var<T> {
        here();
        let values = [expected.into_var().value, value.into_var().value];
        self.by("cas", bits(T::SCALAR), &values)
    }
}
