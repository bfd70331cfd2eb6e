//! Warp operations: shuffles, votes, matches and reductions among the lanes of a mask.
//!
//! Every lane named in the mask must execute the same call.

use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Class, Value};
use crate::scalar::number::{Integer, Number};
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::{Operand, ScalarType};

/// All 32 lanes.
pub const FULL_MASK: u32 = u32::MAX;

/// `shfl.sync.mode` of a value of any width: 64-bit values are shuffled in two halves.
fn shuffle<T: Number>(
    mode: &str,
    clamp: u64,
    mask: impl IntoVar<u32>,
    value: impl IntoVar<T>,
    lane: impl IntoVar<u32>,
) -> Var<T> {
    let (mask, value, lane) = (mask.into_var(), value.into_var(), lane.into_var());
    let name = format!("shfl.sync.{mode}.b32");
    let word = |b: &mut Builder, operand: Operand, ty: ScalarType| {
        let operands = vec![
            operand,
            b.operand(lane.value, ScalarType::U32),
            Operand::integer(clamp),
            b.operand(mask.value, ScalarType::U32),
        ];
        b.emit_to(&name, ty, operands)
    };
    Var::new(with(|b| match Class::of(T::SCALAR) {
        Class::Long | Class::Double => {
            let (low, high) = split(b, value.value, T::SCALAR);
            let low = b.operand(low, ScalarType::B32);
            let high = b.operand(high, ScalarType::B32);
            let low = word(b, low, ScalarType::B32);
            let high = word(b, high, ScalarType::B32);
            let halves = vec![b.operand(low, ScalarType::B32), b.operand(high, ScalarType::B32)];
            b.emit_to("mov.b64", T::SCALAR, vec![Operand::Vector(halves)])
        }
        Class::Half => {
            let zero = b.operand(Value::Constant(0), ScalarType::B16);
            let halves = vec![b.operand(value.value, T::SCALAR), zero];
            let wide = b.emit_to("mov.b32", ScalarType::B32, vec![Operand::Vector(halves)]);
            let wide = b.operand(wide, ScalarType::B32);
            let moved = word(b, wide, ScalarType::B32);
            let (low, high) = (b.register(T::SCALAR, false), b.register(ScalarType::B16, false));
            let halves = vec![low.name().into(), high.name().into()];
            let moved = b.operand(moved, ScalarType::B32);
            b.emit("mov.b32", vec![Operand::Vector(halves), moved]);
            Value::Register(low)
        }
        _ => {
            let operand = b.bit_operand(value.value, T::SCALAR);
            word(b, operand, T::SCALAR)
        }
    }))
}

/// The low and high words of a 64-bit value.
fn split(b: &mut Builder, value: Value, ty: ScalarType) -> (Value, Value) {
    let (low, high) = (b.register(ScalarType::B32, false), b.register(ScalarType::B32, false));
    let halves = Operand::Vector(vec![low.name().into(), high.name().into()]);
    let whole = match value {
        Value::Constant(bits) => {
            let register = b.register(ty, false);
            b.assign(register, Value::Constant(bits), ty);
            Value::Register(register)
        }
        other => other,
    };
    let whole = b.operand(whole, ty);
    b.emit("mov.b64", vec![halves, whole]);
    (Value::Register(low), Value::Register(high))
}

macro_rules! shuffles {
    ($($(#[$doc:meta])* $name:ident $mode:literal $clamp:literal $lane:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Number>(
            mask: impl IntoVar<u32>,
            value: impl IntoVar<T>,
            $lane: impl IntoVar<u32>,
        ) -> Var<T> {
            here();
            shuffle($mode, $clamp, mask, value, $lane)
        }
    )*};
}

shuffles! {
    /// The `value` of lane `lane` (`shfl.sync.idx`).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     let i = thread_idx.x;
    ///     out[i] = shfl_sync(FULL_MASK, x[i], 5); // the value of lane 5
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [5; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    shfl_sync "idx" 0x1f lane;
    /// The `value` of the lane `delta` below. The lowest `delta` lanes keep their own (`shfl.sync.up`).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     let i = thread_idx.x;
    ///     out[i] = shfl_up_sync(FULL_MASK, x[i], 1);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?[..4], [0, 0, 1, 2]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    shfl_up_sync "up" 0 delta;
    /// The `value` of the lane `delta` above. The highest `delta` lanes keep their own (`shfl.sync.down`).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     let i = thread_idx.x;
    ///     out[i] = shfl_down_sync(FULL_MASK, x[i], 1);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?[28..], [29, 30, 31, 31]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    shfl_down_sync "down" 0x1f delta;
    /// The `value` of the lane whose index is this lane's XOR `bits` (`shfl.sync.bfly`).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     // The sum over the warp, for every lane.
    ///     let i = thread_idx.x;
    ///     let mut sum = x[i];
    ///     #[unroll]
    ///     for bits in [16, 8, 4, 2, 1] {
    ///         sum += shfl_xor_sync(FULL_MASK, sum, bits);
    ///     }
    ///     out[i] = sum;
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [496; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    shfl_xor_sync "bfly" 0x1f bits;
}

#[track_caller]
fn vote(
    name: &str,
    ty: ScalarType,
    mask: impl IntoVar<u32>,
    condition: impl IntoVar<bool>,
) -> Value {
    here();
    let (mask, condition) = (mask.into_var(), condition.into_var());
    with(|b| {
        let operands = vec![
            b.operand(condition.value, ScalarType::Pred),
            b.operand(mask.value, ScalarType::U32),
        ];
        b.emit_to(name, ty, operands)
    })
}

/// Bit mask of the lanes for which `condition` holds (`vote.sync.ballot.b32`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     let i = thread_idx.x;
///     out[i] = ballot_sync(FULL_MASK, x[i] < 4);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[0], 0b1111);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn ballot_sync(mask: impl IntoVar<u32>, condition: impl IntoVar<bool>) -> Var<u32> {
    Var::new(vote("vote.sync.ballot.b32", ScalarType::U32, mask, condition))
}

/// Whether `condition` holds for any lane (`vote.sync.any.pred`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     let i = thread_idx.x;
///     out[i] = any_sync(FULL_MASK, x[i] == 7) as u32;
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[0], 1);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn any_sync(mask: impl IntoVar<u32>, condition: impl IntoVar<bool>) -> Var<bool> {
    Var::new(vote("vote.sync.any.pred", ScalarType::Pred, mask, condition))
}

/// Whether `condition` holds for every lane (`vote.sync.all.pred`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     let i = thread_idx.x;
///     out[i] = all_sync(FULL_MASK, x[i] == 7) as u32;
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[0], 0);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn all_sync(mask: impl IntoVar<u32>, condition: impl IntoVar<bool>) -> Var<bool> {
    Var::new(vote("vote.sync.all.pred", ScalarType::Pred, mask, condition))
}

/// Bit mask of the lanes whose `value` equals this lane's (`match.any.sync`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     let i = thread_idx.x;
///     out[i] = match_any_sync(FULL_MASK, x[i] % 16);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[1], 1 << 1 | 1 << 17);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn match_any_sync<T: Integer>(mask: impl IntoVar<u32>, value: impl IntoVar<T>) -> Var<u32> {
    here();
    let (mask, value) = (mask.into_var(), value.into_var());
    Var::new(with(|b| {
        let name = if T::SCALAR.size() == 8 { "match.any.sync.b64" } else { "match.any.sync.b32" };
        let operands =
            vec![b.operand(value.value, T::SCALAR), b.operand(mask.value, ScalarType::U32)];
        b.emit_to(name, ScalarType::U32, operands)
    }))
}

/// Bit mask of the warp's active lanes (`activemask.b32`).
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     if thread_idx.x < 8 {
///         out[thread_idx.x] = active_mask() + 0 * x[0];
///     }
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
/// # let mut out = device.upload(&[0u32; 32])?;
/// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
/// assert_eq!(out.download()?[0], 0xff);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn active_mask() -> Var<u32> {
    here();
    Var::new(with(|b| b.emit_to("activemask.b32", ScalarType::U32, vec![])))
}

/// 32-bit integers.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a 32-bit integer")]
pub trait Word: Integer {}

impl Word for u32 {}
impl Word for i32 {}

macro_rules! reductions {
    ($($(#[$doc:meta])* $name:ident $op:literal $typed:literal;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub fn $name<T: Word>(mask: impl IntoVar<u32>, value: impl IntoVar<T>) -> Var<T> {
            here();
            let (mask, value) = (mask.into_var(), value.into_var());
            Var::new(with(|b| {
                let word = if $typed { T::SCALAR.name() } else { "b32" };
                let operands = vec![
                    b.operand(value.value, T::SCALAR),
                    b.operand(mask.value, ScalarType::U32),
                ];
                b.emit_to(&format!("redux.sync.{}.{word}", $op), T::SCALAR, operands)
            }))
        }
    )*};
}

reductions! {
    /// The sum over the lanes (`redux.sync.add`, from sm_80).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     let i = thread_idx.x;
    ///     out[i] = reduce_add_sync(FULL_MASK, x[i]);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [496; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    reduce_add_sync "add" true;
    /// The minimum over the lanes (`redux.sync.min`, from sm_80).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     let i = thread_idx.x;
    ///     out[i] = reduce_min_sync(FULL_MASK, x[i]);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [0; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    reduce_min_sync "min" true;
    /// The maximum over the lanes (`redux.sync.max`, from sm_80).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     let i = thread_idx.x;
    ///     out[i] = reduce_max_sync(FULL_MASK, x[i]);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [31; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    reduce_max_sync "max" true;
    /// The bitwise AND over the lanes (`redux.sync.and`, from sm_80).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     let i = thread_idx.x;
    ///     out[i] = reduce_and_sync(FULL_MASK, x[i]);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [0; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    reduce_and_sync "and" false;
    /// The bitwise OR over the lanes (`redux.sync.or`, from sm_80).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     let i = thread_idx.x;
    ///     out[i] = reduce_or_sync(FULL_MASK, x[i]);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [31; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    reduce_or_sync "or" false;
    /// The bitwise XOR over the lanes (`redux.sync.xor`, from sm_80).
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [u32]) {
    ///     let i = thread_idx.x;
    ///     out[i] = reduce_xor_sync(FULL_MASK, x[i]);
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&std::array::from_fn::<u32, 32, _>(|i| i as u32))?;
    /// # let mut out = device.upload(&[0u32; 32])?;
    /// # example(&x, &mut out).grid(1).block(32).launch(&device)?;
    /// assert_eq!(out.download()?, [0; 32]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    reduce_xor_sync "xor" false;
}
