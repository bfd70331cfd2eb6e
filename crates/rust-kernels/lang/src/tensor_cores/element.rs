//! Element types of the tensor cores, the scalars that hold them in memory, and their packing into the registers of a fragment.

use crate::emit::builder::Builder;
use crate::emit::value::{Class, Register, Value};
use crate::scalar::number::Element;
use half::{bf16, f16};
use lanework_numbers::SmallFloat;
use lanework_ptx::{Operand, ScalarType};

/// A type that matrices of the tensor cores may have.
///
/// ```
/// use lanework::lang::tensor_cores::{B1, E4m3, E5m2, MatrixElement, S4, Tf32, U4};
///
/// assert_eq!([E4m3::NAME, E5m2::NAME, Tf32::NAME], ["e4m3", "e5m2", "tf32"]);
/// // Elements narrower than a byte are packed into words of memory.
/// assert_eq!([S4::BITS, U4::BITS, B1::BITS], [4, 4, 1]);
/// assert_eq!(E4m3::decode(E4m3::encode(1.5)), 1.5);
/// ```
#[diagnostic::on_unimplemented(
    message = "the tensor cores have no matrices of `{Self}`",
    note = "elements are f16, bf16, Tf32, f64, i8, u8, E4m3, E5m2, S4, U4 and B1; accumulators are f16, \
            f32, f64 and i32"
)]
pub trait MatrixElement: Copy + Send + Sync + 'static {
    /// The type in memory: the type itself, or the scalar with the same bits.
    type Storage: Element;
    /// The type's name in PTX.
    const NAME: &'static str;
    /// Bits of an element.
    const BITS: u32;
    /// The type of the registers that hold elements.
    #[doc(hidden)]
    const REGISTER: ScalarType;
    /// Elements in one scalar of memory: more than one if elements are narrower than a byte.
    #[doc(hidden)]
    const UNIT: u32;
}

/// An f32 whose upper 19 bits the tensor cores read; memory holds f32.
#[derive(Clone, Copy, Debug)]
pub struct Tf32;

/// An 8-bit float with 4 bits of exponent and 3 of mantissa, without infinities; memory holds u8.
#[derive(Clone, Copy, Debug)]
pub struct E4m3;

/// An 8-bit float with 5 bits of exponent and 2 of mantissa; memory holds u8.
#[derive(Clone, Copy, Debug)]
pub struct E5m2;

/// An 8-bit float whose tile specifies the format ([`F8Format`]), so that one instance of a kernel serves both formats; memory holds
/// u8. Products of a warpgroup read it from shared memory.
///
/// ```
/// # use lanework::prelude::*;
/// use lanework::lang::tensor_cores::{F8, F8Format};
///
/// /// `c = a * transpose(b)` of 64 x 32 by 32 x 8 elements.
/// #[kernel(block = 128)]
/// fn example(a: &[u8], b: &[u8], c: &mut [f32], #[constant] of_a: F8Format, #[constant] of_b: F8Format) {
///     let left = SharedTiles::<F8, 64, 32, Swizzle32>::dynamic(1).of_format(of_a);
///     let right = SharedTiles::<F8, 8, 32, Swizzle32>::dynamic(1).of_format(of_b);
///     let pipe = CopyPipeline::<1>::new();
///     pipe.copy_tile(left[0], a.matrix(32), (0, 0), (thread_idx.x, 128));
///     pipe.copy_tile(right[0], b.matrix(32), (0, 0), (thread_idx.x, 128));
///     pipe.commit();
///     pipe.wait();
///     fence_proxy_async_shared();
///     sync_threads();
///     let mut sums = Accumulator::<f32, 8>::zero();
///     sums.multiply(left[0], right[0].t());
///     sums.finish().store(c.matrix(8), 0, 0);
/// }
/// # let device = Device::emulator();
/// let (a, b) = (device.upload(&[E4m3::encode(1.5); 64 * 32])?, device.upload(&[E5m2::encode(2.0); 8 * 32])?);
/// # let mut c = device.zeros::<f32>(64 * 8)?;
/// let launch = example(&a, &b, &mut c, F8Format::E4m3, F8Format::E5m2);
/// launch.grid(1).block(128).shared_bytes(64 * 32 + 8 * 32).launch(&device)?;
/// assert_eq!(c.download()?, [1.5 * 2.0 * 32.0; 64 * 8]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct F8;

/// The format of 8-bit floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum F8Format {
    /// [`E4m3`].
    E4m3,
    /// [`E5m2`].
    E5m2,
}

impl F8Format {
    /// The name in PTX.
    pub(crate) fn name(self) -> &'static str {
        match self {
            F8Format::E4m3 => E4m3::NAME,
            F8Format::E5m2 => E5m2::NAME,
        }
    }
}

/// A signed 4-bit integer; memory holds u32 with eight elements each, the first in the low bits.
#[derive(Clone, Copy, Debug)]
pub struct S4;

/// An unsigned 4-bit integer; memory holds u32 with eight elements each, the first in the low bits.
#[derive(Clone, Copy, Debug)]
pub struct U4;

/// A single bit; memory holds u32 with 32 elements each, the first in the low bit.
#[derive(Clone, Copy, Debug)]
pub struct B1;

macro_rules! elements {
    ($($t:ty as $storage:ty: $name:literal $bits:literal $register:ident $unit:literal;)*) => {$(
        impl MatrixElement for $t {
            type Storage = $storage;
            const NAME: &'static str = $name;
            const BITS: u32 = $bits;
            const REGISTER: ScalarType = ScalarType::$register;
            const UNIT: u32 = $unit;
        }
    )*};
}

elements! {
    f16 as f16: "f16" 16 B32 1;
    bf16 as bf16: "bf16" 16 B32 1;
    Tf32 as f32: "tf32" 32 B32 1;
    f32 as f32: "f32" 32 F32 1;
    f64 as f64: "f64" 64 F64 1;
    i32 as i32: "s32" 32 S32 1;
    i8 as i8: "s8" 8 B32 1;
    u8 as u8: "u8" 8 B32 1;
    E4m3 as u8: "e4m3" 8 B32 1;
    E5m2 as u8: "e5m2" 8 B32 1;
    F8 as u8: "8-bit floats" 8 B32 1;
    S4 as u32: "s4" 4 B32 8;
    U4 as u32: "u4" 4 B32 8;
    B1 as u32: "b1" 1 B32 32;
}

/// Elements of `T` in one register.
pub(crate) fn per_register<T: MatrixElement>() -> u32 {
    (32 / unit_bits::<T>()).max(1)
}

/// Bits of the scalar that memory holds.
pub(crate) fn unit_bits<T: MatrixElement>() -> u32 {
    T::BITS * T::UNIT
}

macro_rules! eight {
    ($($t:ty: $format:ident;)*) => {$(
        impl $t {
            /// Converts on the host as `cvt.rn.satfinite` does: to the nearest number, ties to even, clamped to the largest finite
            /// number. Returns the bits.
            ///
            /// ```
            /// use lanework::prelude::{E4m3, E5m2};
            ///
            /// assert_eq!((E4m3::encode(1.0), E4m3::decode(0x38)), (0x38, 1.0));
            /// assert_eq!((E4m3::encode(1e9), E5m2::encode(1e9)), (0x7e, 0x7b)); // 448 and 57344
            /// ```
            pub fn encode(x: f32) -> u8 {
                SmallFloat::$format.encode(x)
            }

            /// The number that `bits` represent, on the host.
            pub fn decode(bits: u8) -> f32 {
                SmallFloat::$format.decode(bits)
            }
        }
    )*};
}

eight!(E4m3: E4M3; E5m2: E5M2;);

/// A word that repeats the bits of a scalar.
pub(crate) fn repeated(b: &mut Builder, bits: u32, value: Value, scalar: ScalarType) -> Value {
    match (value, bits) {
        (_, 32 | 64) => value,
        (Value::Constant(one), _) => {
            let one = one & ((1 << bits) - 1);
            Value::Constant((0..32 / bits).fold(0, |word, i| word | one << (i * bits)))
        }
        (_, 16) => pack(b, &[value, value], scalar),
        _ => pack(b, &[value; 4], scalar),
    }
}

/// A register with two scalars of 16 bits or four of 8, the first in the low bits.
pub(crate) fn pack(b: &mut Builder, scalars: &[Value], scalar: ScalarType) -> Value {
    let word = ScalarType::B32;
    match scalars {
        [one] => *one,
        [low, high] => {
            let halves = vec![b.operand(*low, scalar), b.operand(*high, scalar)];
            b.emit_to("mov.b32", word, vec![Operand::Vector(halves)])
        }
        [first, rest @ ..] => rest.iter().enumerate().fold(*first, |sum, (i, next)| {
            let place = Value::Constant(8 * (i as u64 + 1));
            let inputs = [(*next, word), (sum, word), (place, word), (Value::Constant(8), word)];
            b.pure("bfi.b32", word, &inputs)
        }),
        [] => Value::Constant(0),
    }
}

/// `to = from`, for registers of any classes of one size.
pub(crate) fn put(b: &mut Builder, to: Register, from: Value, ty: ScalarType) {
    match from {
        Value::Register(register) if register.class != to.class => {
            let name = format!("mov.b{}", 8 * to.class.bits_type().size());
            b.emit(&name, vec![to.name().into(), register.name().into()]);
        }
        Value::Constant(_) if to.class == Class::Word => b.assign(to, from, ScalarType::U32),
        _ => b.assign(to, from, ty),
    }
    if to.mutable {
        b.assigned(to);
    }
}

/// The two halves of a register.
pub(crate) fn halves(b: &mut Builder, register: Register, scalar: ScalarType) -> [Register; 2] {
    let halves = [b.register(scalar, false), b.register(scalar, false)];
    let names = halves.iter().map(|half| half.name().into()).collect();
    b.emit("mov.b32", vec![Operand::Vector(names), register.name().into()]);
    halves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bit_floats_round_trip_and_round_to_even() {
        for bits in 0..=255u8 {
            for (decoded, encoded) in [
                (E4m3::decode(bits), E4m3::encode(E4m3::decode(bits))),
                (E5m2::decode(bits), E5m2::encode(E5m2::decode(bits))),
            ] {
                if decoded.is_finite() {
                    assert_eq!(encoded, bits, "{decoded}");
                }
            }
        }
        assert_eq!((E4m3::decode(0x7e), E5m2::decode(0x7b)), (448.0, 57344.0));
        assert_eq!((E4m3::decode(1), E5m2::decode(1)), (2f32.powi(-9), 2f32.powi(-16)));
        // Halfway between 1 and 1.125, and between 1.125 and 1.25.
        assert_eq!((E4m3::encode(1.0625), E4m3::encode(1.1875)), (0x38, 0x3a));
        assert_eq!((E4m3::encode(1e9), E5m2::encode(-1e9)), (0x7e, 0xfb));
    }
}
