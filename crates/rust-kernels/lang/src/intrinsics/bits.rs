//! Bitwise operations on integers.

use crate::emit::arithmetic::normalize;
use crate::emit::builder::Builder;
use crate::emit::current::{here, with};
use crate::emit::value::{Value, compute_type, is_narrow};
use crate::scalar::number::Integer;
use crate::scalar::var::{IntoVar, Var};
use lanework_ptx::ScalarType;

/// The value zero-extended in its register, and the register's width in bits.
fn raw(b: &mut Builder, ty: ScalarType, value: Value) -> (Value, u32) {
    let value = match ty {
        ScalarType::S8 => normalize(b, ScalarType::U8, value),
        ScalarType::S16 => normalize(b, ScalarType::U16, value),
        _ => value,
    };
    (value, 8 * compute_type(ty).size())
}

/// A pure operation on the bits of one value.
fn unary<T: Integer>(value: Var<T>, op: &str, out: ScalarType) -> Value {
    with(|b| {
        let (value, bits) = raw(b, T::SCALAR, value.value);
        let ty = if bits == 64 { ScalarType::U64 } else { ScalarType::U32 };
        b.pure(&format!("{op}.b{bits}"), out, &[(value, ty)])
    })
}

/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     let v = x[0]; // 0b1011
///     out[0] = v.count_ones() + 100 * v.leading_zeros() + 10_000 * (v << 3).trailing_zeros();
///     out[1] = v.reverse_bits();
///     out[2] = (v << 28).mul_hi(16); // bits 32 to 63 of the product
///     out[3] = v.wrapping_sub(12);
///     out[4] = out[3].wrapping_add(2);
///     out[5] = v.wrapping_mul(1 << 31);
///     out[6] = v.div_ceil(4);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[0b1011u32])?;
/// # let mut out = device.zeros::<u32>(7)?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// let expected = [3 + 100 * 28 + 10_000 * 3, 0xd000_0000, 11, u32::MAX, 1, 1 << 31, 3];
/// assert_eq!(out.download()?, expected);
/// # Ok::<(), lanework::Error>(())
/// ```
impl<T: Integer> Var<T> {
    /// The number of set bits.
    #[track_caller]
    pub fn count_ones(self) -> Var<u32> {
        here();
        if let Some(known) = self.known() {
            return Var::constant(known.bits().count_ones());
        }
        Var::new(unary(self, "popc", ScalarType::U32))
    }

    /// The number of leading zero bits.
    #[track_caller]
    pub fn leading_zeros(self) -> Var<u32> {
        here();
        let zeros = Var::new(unary(self, "clz", ScalarType::U32));
        let width = T::SCALAR.size() * 8;
        if width < 32 { zeros - (32 - width) } else { zeros }
    }

    /// The number of trailing zero bits; the width for 0.
    #[track_caller]
    pub fn trailing_zeros(self) -> Var<u32> {
        here();
        let reversed = self.reversed_register();
        let zeros = Var::<u32>::new(with(|b| {
            let bits = 8 * compute_type(T::SCALAR).size();
            let ty = if bits == 64 { ScalarType::U64 } else { ScalarType::U32 };
            b.pure(&format!("clz.b{bits}"), ScalarType::U32, &[(reversed, ty)])
        }));
        if is_narrow(T::SCALAR) { zeros.min(T::SCALAR.size() * 8) } else { zeros }
    }

    /// The bits in reverse order.
    #[track_caller]
    pub fn reverse_bits(self) -> Var<T> {
        here();
        let reversed = Var::<T>::new(self.reversed_register());
        if is_narrow(T::SCALAR) {
            // `brev` leaves the bits at the top of the register. A shift moves them down and extends the sign.
            let compute = compute_type(T::SCALAR);
            let by = Value::Constant(u64::from(32 - 8 * T::SCALAR.size()));
            let name = format!("shr.{}", compute.name());
            let inputs = [(reversed.value, compute), (by, ScalarType::U32)];
            return Var::new(with(|b| b.pure(&name, compute, &inputs)));
        }
        reversed
    }

    /// The whole register's bits in reverse order.
    fn reversed_register(self) -> Value {
        unary(self, "brev", compute_type(T::SCALAR))
    }

    /// The high half of the double-width product (`mul.hi`).
    #[track_caller]
    pub fn mul_hi(self, other: impl IntoVar<T>) -> Var<T> {
        here();
        let other = other.into_var();
        if is_narrow(T::SCALAR) {
            let product = Var::<T>::new(with(|b| {
                let ty = compute_type(T::SCALAR);
                b.pure(&format!("mul.lo.{}", ty.name()), ty, &[(self.value, ty), (other.value, ty)])
            }));
            let by = Value::Constant(u64::from(8 * T::SCALAR.size()));
            return Var::new(with(|b| {
                let ty = compute_type(T::SCALAR);
                b.pure(
                    &format!("shr.{}", ty.name()),
                    ty,
                    &[(product.value, ty), (by, ScalarType::U32)],
                )
            }));
        }
        let name = format!("mul.hi.{}", T::SCALAR.name());
        let inputs = [(self.value, T::SCALAR), (other.value, T::SCALAR)];
        Var::new(with(|b| b.pure(&name, T::SCALAR, &inputs)))
    }

    /// `self + other`, wrapping, as `+` in a kernel.
    #[track_caller]
    pub fn wrapping_add(self, other: impl IntoVar<T>) -> Var<T> {
        self + other.into_var()
    }

    /// `self - other`, wrapping, as `-` in a kernel.
    #[track_caller]
    pub fn wrapping_sub(self, other: impl IntoVar<T>) -> Var<T> {
        self - other.into_var()
    }

    /// The low half of the product, as `*` in a kernel.
    #[track_caller]
    pub fn wrapping_mul(self, other: impl IntoVar<T>) -> Var<T> {
        self * other.into_var()
    }

    /// The quotient, rounded toward positive infinity.
    #[track_caller]
    pub fn div_ceil(self, other: impl IntoVar<T>) -> Var<T> {
        here();
        let other = other.into_var();
        let (quotient, rest) = (self / other, self % other);
        let zero = Var::<T>::new(Value::Constant(0));
        let more = match T::SCALAR.is_signed() {
            // The division has already rounded a quotient below 0 up.
            true => {
                let same = crate::scalar::compare::Order::ge(rest ^ other, zero);
                crate::scalar::compare::Equate::ne(rest, zero) & same
            }
            false => crate::scalar::compare::Order::gt(rest, zero),
        };
        let more = crate::scalar::cast::Cast::<T>::cast(more);
        quotient + more
    }
}

impl Var<u32> {
    /// The `f32` with these bits.
    ///
    /// ```
    /// # use lanework::prelude::*;
    /// #[kernel]
    /// fn example(x: &[u32], out: &mut [f32]) {
    ///     out[0] = x[0].to_f32_bits();
    /// }
    /// # let device = Device::emulator();
    /// # let x = device.upload(&[0x3f80_0000u32])?;
    /// # let mut out = device.upload(&[0f32; 1])?;
    /// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
    /// assert_eq!(out.download()?, [1.0]);
    /// # Ok::<(), lanework::Error>(())
    /// ```
    #[track_caller]
    pub fn to_f32_bits(self) -> Var<f32> {
        here();
        match self.value {
            Value::Constant(bits) => Var::new(Value::Constant(bits)),
            value => {
                let inputs = [(value, ScalarType::B32)];
                Var::new(with(|b| b.pure("mov.b32", ScalarType::F32, &inputs)))
            }
        }
    }
}

/// The number of set bits.
///
/// ```
/// # use lanework::prelude::*;
/// #[kernel]
/// fn example(x: &[u32], out: &mut [u32]) {
///     // Functions with CUDA's names; the methods do the same.
///     out[0] = popc(x[0]) + 100 * clz(x[0]) + 10_000 * ffs(8 * x[0]);
///     out[1] = brev(x[0]);
///     out[2] = mul_hi(x[0] << 28, 16);
/// }
/// # let device = Device::emulator();
/// # let x = device.upload(&[0b1011u32])?;
/// # let mut out = device.zeros::<u32>(3)?;
/// # example(&x, &mut out).grid(1).block(1).launch(&device)?;
/// assert_eq!(out.download()?, [3 + 100 * 28 + 10_000 * 4, 0xd000_0000, 11]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[track_caller]
pub fn popc<T: Integer>(x: impl IntoVar<T>) -> Var<u32> {
    x.into_var().count_ones()
}

/// The number of leading zero bits.
#[track_caller]
pub fn clz<T: Integer>(x: impl IntoVar<T>) -> Var<u32> {
    x.into_var().leading_zeros()
}

/// The bits in reverse order.
#[track_caller]
pub fn brev<T: Integer>(x: impl IntoVar<T>) -> Var<T> {
    x.into_var().reverse_bits()
}

/// The position of the lowest set bit, from 1; 0 if no bit is set.
#[track_caller]
pub fn ffs<T: Integer>(x: impl IntoVar<T>) -> Var<u32> {
    here();
    let x = x.into_var();
    let none = crate::scalar::compare::Equate::eq(x, Var::<T>::new(Value::Constant(0)));
    crate::flow::branch::select::<u32>(none, 0u32, x.trailing_zeros() + 1)
}

/// The high half of the double-width product (`mul.hi`).
#[track_caller]
pub fn mul_hi<T: Integer>(x: impl IntoVar<T>, y: impl IntoVar<T>) -> Var<T> {
    x.into_var().mul_hi(y)
}
