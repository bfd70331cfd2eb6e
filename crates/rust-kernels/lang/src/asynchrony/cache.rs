//! Cache hints: which lines the L1 and L2 caches should keep. They affect time, never values.

use crate::asynchrony::part::handle;
use crate::data::place::{Place, ReadPlace, Space};
use crate::emit::current::{here, with};
use crate::emit::value::{Value, memory_type};
use crate::scalar::number::Element;
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// Eviction priority of a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evict {
    /// The default priority.
    Normal,
    /// Evicted first: the data are used once.
    First,
    /// Evicted last: the data are used again.
    Last,
    /// The priority stays unchanged.
    Unchanged,
    /// Not allocated in the cache (L1 only).
    NoAllocate,
}

impl Evict {
    fn word(self) -> &'static str {
        match self {
            Evict::Normal => "evict_normal",
            Evict::First => "evict_first",
            Evict::Last => "evict_last",
            Evict::Unchanged => "evict_unchanged",
            Evict::NoAllocate => "no_allocate",
        }
    }
}

/// Cache hints of an access: `CacheHint::new().l1(Evict::NoAllocate).l2_fetch(256)`.
#[derive(Debug, Default)]
pub struct CacheHint {
    read_only: bool,
    l1: Option<Evict>,
    fetch: Option<u32>,
    policy: Option<Value>,
}

handle!(CacheHint);

impl CacheHint {
    /// No hint.
    pub fn new() -> CacheHint {
        CacheHint::default()
    }

    /// Through the read-only cache (`.nc`): no thread may write the elements while the kernel runs. For loads
    /// only.
    #[must_use]
    pub fn read_only(self) -> CacheHint {
        CacheHint { read_only: true, ..self }
    }

    /// The line's priority in L1 (`.L1::evict_first`, ...).
    #[must_use]
    pub fn l1(self, evict: Evict) -> CacheHint {
        CacheHint { l1: Some(evict), ..self }
    }

    /// Bytes that L2 fetches around the element: 64, 128 or 256 (`.L2::128B`). For loads only.
    #[must_use]
    pub fn l2_fetch(self, bytes: u32) -> CacheHint {
        CacheHint { fetch: Some(bytes), ..self }
    }

    /// A policy of L2 (`.L2::cache_hint`), made by [`l2_policy`].
    #[must_use]
    pub fn l2(self, policy: Var<u64>) -> CacheHint {
        CacheHint { policy: Some(policy.value), ..self }
    }

    /// The qualifiers of an access to global memory.
    fn words(self, load: bool, space: Space) -> String {
        with(|b| {
            if space != Space::Global {
                b.error("only accesses to global memory have cache hints", "index a slice");
            }
            if !load && (self.read_only || self.fetch.is_some()) {
                b.error(
                    "a store has no `.read_only()` and no `.l2_fetch(..)`",
                    "use `.l1(..)` and `.l2(..)`",
                );
            }
            if self.fetch.is_some_and(|bytes| ![64, 128, 256].contains(&bytes)) {
                b.error("L2 fetches 64, 128 or 256 bytes", "use one of them");
            }
        });
        let mut words = String::new();
        if self.read_only {
            words += ".nc";
        }
        if let Some(evict) = self.l1 {
            words += ".L1::";
            words += evict.word();
        }
        if self.policy.is_some() {
            words += ".L2::cache_hint";
        }
        if let Some(bytes) = self.fetch {
            words += &format!(".L2::{bytes}B");
        }
        words
    }
}

/// Reads `&x[i]` with a cache hint.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[f32], y: &mut [f32]) {
///     let i = thread_idx.x;
///     let once = CacheHint::new().read_only().l1(Evict::NoAllocate).l2_fetch(256);
///     let kept = CacheHint::new().l2(l2_policy(Evict::Last, 1.0));
///     store_hinted(&mut y[i], 2.0 * load_hinted(&x[i], once), kept);
/// }
/// # let device = Device::emulator().sanitized();
/// # let (x, mut y) = (device.upload(&[3.0f32; 32])?, device.zeros::<f32>(32)?);
/// # example(&x, &mut y).grid(1).block(32).launch(&device)?;
/// assert_eq!(y.download()?, [6.0; 32]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn load_hinted<T: Element>(place: impl Into<ReadPlace<T>>, hint: CacheHint) -> Var<T> {
    here();
    let place = place.into().place;
    let words = hint.words(true, place.space);
    Var::new(with(|b| {
        let mut operands = vec![place.operand(b)];
        operands.extend(hint.policy.map(|policy| b.operand(policy, ScalarType::B64)));
        let ty = memory_type(T::SCALAR).name();
        b.emit_to(&format!("ld.global{words}.{ty}"), T::SCALAR, operands)
    }))
}

/// `x[i] = value` with a cache hint; see [`load_hinted`].
#[track_caller]
pub fn store_hinted<T: Element>(place: Place<T>, value: impl IntoVar<T>, hint: CacheHint) {
    here();
    let value = value.into_var().value;
    let words = hint.words(false, place.space);
    with(|b| {
        let mut operands = vec![place.operand(b), b.operand(value, T::SCALAR)];
        operands.extend(hint.policy.map(|policy| b.operand(policy, ScalarType::B64)));
        let ty = memory_type(T::SCALAR).name();
        b.emit(&format!("st.global{words}.{ty}"), operands);
    });
}

/// A policy of the L2 cache: a `fraction` (0 to 1) of the accesses gets the priority, the rest the default
/// (`createpolicy.fractional`).
#[track_caller]
pub fn l2_policy(evict: Evict, fraction: f32) -> Var<u64> {
    here();
    Var::new(with(|b| {
        if evict == Evict::NoAllocate || !(fraction > 0.0 && fraction <= 1.0) {
            b.error(
                "a policy of L2 is for a fraction above 0 and up to 1, and has no `NoAllocate`",
                "write `l2_policy(Evict::First, 1.0)`",
            );
        }
        let share = b.operand(Value::Constant(fraction.to_bits().into()), ScalarType::F32);
        let name = format!("createpolicy.fractional.L2::{}.b64", evict.word());
        b.emit_to(&name, ScalarType::B64, vec![share])
    }))
}

/// Prefetches the line of `&x[i]` into the L2 cache (`prefetch.global.L2`).
#[track_caller]
pub fn prefetch_l2<T: Element>(place: impl Into<ReadPlace<T>>) {
    here();
    prefetch(place.into().place, "L2");
}

/// Prefetches the line of `&x[i]` into the L1 cache (`prefetch.global.L1`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[f32], y: &mut [f32]) {
///     let i = thread_idx.x;
///     prefetch_l2(&x[i + 64]);
///     prefetch_l1(&x[i + 32]);
///     y[i] = x[i] + x[i + 32] + x[i + 64];
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[1.0f32; 96])?;
/// # let mut y = device.zeros::<f32>(32)?;
/// # example(&x, &mut y).grid(1).block(32).launch(&device)?;
/// assert_eq!(y.download()?, [3.0; 32]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn prefetch_l1<T: Element>(place: impl Into<ReadPlace<T>>) {
    here();
    prefetch(place.into().place, "L1");
}

fn prefetch<T>(place: Place<T>, level: &str) {
    with(|b| {
        if place.space != Space::Global {
            b.error("only global memory is cached", "prefetch elements of a slice");
        }
        let operands: Vec<Operand> = vec![place.operand(b)];
        b.emit(&format!("prefetch.global.{level}"), operands);
    });
}
