//! The elementary functions of `lanework-math`, staged for kernels. Their tables are in constant memory.
//!
//! The algorithms compute with [`Raw`], a [`Var`] that does not change the source position, so the instructions of a function belong
//! to the line that called it.

use crate::emit::arithmetic::{Operation, binary, not, to_f32};
use crate::emit::current::with;
use crate::emit::value::{Class, Value};
use crate::scalar::cast::cast;
use crate::scalar::compare::{Relation, relate};
use crate::scalar::var::{Scalar, Var};
use lanework_math::real::Mask;
use lanework_ptx::{Immediate, Initializer, Operand, ScalarType, StateSpace, Variable};
use std::marker::PhantomData;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Not, Sub};

/// A function of one argument, staged and on the host.
pub(crate) struct One {
    pub single: fn(Raw<f32>) -> Raw<f32>,
    pub double: fn(Raw<f64>) -> Raw<f64>,
    pub host_single: fn(f32) -> f32,
    pub host_double: fn(f64) -> f64,
}

/// A function of two arguments, staged and on the host.
pub(crate) struct Two {
    pub single: fn(Raw<f32>, Raw<f32>) -> Raw<f32>,
    pub double: fn(Raw<f64>, Raw<f64>) -> Raw<f64>,
    pub host_single: fn(f32, f32) -> f32,
    pub host_double: fn(f64, f64) -> f64,
}

/// The function at `x` of type `ty`. A constant is computed on the host, with the same bits.
pub(crate) fn one(function: &One, ty: ScalarType, x: Value) -> Value {
    match (ty, x) {
        (ScalarType::F32, Value::Constant(bits)) => {
            Value::Constant((function.host_single)(f32::from_bits(bits as u32)).to_bits().into())
        }
        (ScalarType::F64, Value::Constant(bits)) => {
            Value::Constant((function.host_double)(f64::from_bits(bits)).to_bits())
        }
        (ScalarType::F32, _) => (function.single)(Raw::new(x)).0,
        (ScalarType::F64, _) => (function.double)(Raw::new(x)).0,
        _ => {
            let wide = with(|b| to_f32(b, ty, x));
            let wide = one(function, ScalarType::F32, wide);
            with(|b| cast(b, wide, ScalarType::F32, ty))
        }
    }
}

/// [`one`] for two arguments.
pub(crate) fn two(function: &Two, ty: ScalarType, x: Value, y: Value) -> Value {
    match (ty, x, y) {
        (ScalarType::F32, Value::Constant(x), Value::Constant(y)) => {
            let (x, y) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
            Value::Constant((function.host_single)(x, y).to_bits().into())
        }
        (ScalarType::F64, Value::Constant(x), Value::Constant(y)) => {
            let (x, y) = (f64::from_bits(x), f64::from_bits(y));
            Value::Constant((function.host_double)(x, y).to_bits())
        }
        (ScalarType::F32, ..) => (function.single)(Raw::new(x), Raw::new(y)).0,
        (ScalarType::F64, ..) => (function.double)(Raw::new(x), Raw::new(y)).0,
        _ => {
            let (x, y) = with(|b| (to_f32(b, ty, x), to_f32(b, ty, y)));
            let wide = two(function, ScalarType::F32, x, y);
            with(|b| cast(b, wide, ScalarType::F32, ty))
        }
    }
}

macro_rules! staged {
    ($($(#[$doc:meta])* $constant:ident: $kind:ident $name:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) static $constant: $kind = $kind {
            single: lanework_math::algorithms::$name::<Raw<f32>>,
            double: lanework_math::algorithms::$name::<Raw<f64>>,
            host_single: lanework_math::$name::<f32>,
            host_double: lanework_math::$name::<f64>,
        };
    )*};
}

staged! {
    EXP: One exp;
    EXP2: One exp2;
    EXP_M1: One exp_m1;
    LN: One ln;
    LOG2: One log2;
    LOG10: One log10;
    LN_1P: One ln_1p;
    SIN: One sin;
    COS: One cos;
    TAN: One tan;
    ASIN: One asin;
    ACOS: One acos;
    ATAN: One atan;
    SINH: One sinh;
    COSH: One cosh;
    TANH: One tanh;
    ASINH: One asinh;
    ACOSH: One acosh;
    ATANH: One atanh;
    CBRT: One cbrt;
    ERF: One erf;
    ERFC: One erfc;
    ATAN2: Two atan2;
    POWF: Two powf;
    HYPOT: Two hypot;
    REM: Two rem;
    REM_EUCLID: Two rem_euclid;
    DIV_EUCLID: Two div_euclid;
}

/// The sine and the cosine of `x` of type `ty`, with one reduction.
pub(crate) fn sin_cos(ty: ScalarType, x: Value) -> (Value, Value) {
    use lanework_math::algorithms;
    match (ty, x) {
        (_, Value::Constant(_)) => (one(&SIN, ty, x), one(&COS, ty, x)),
        (ScalarType::F32, _) => {
            let (sin, cos) = algorithms::sin_cos(Raw::<f32>::new(x));
            (sin.0, cos.0)
        }
        (ScalarType::F64, _) => {
            let (sin, cos) = algorithms::sin_cos(Raw::<f64>::new(x));
            (sin.0, cos.0)
        }
        _ => {
            let wide = with(|b| to_f32(b, ty, x));
            let (sin, cos) = sin_cos(ScalarType::F32, wide);
            with(|b| (cast(b, sin, ScalarType::F32, ty), cast(b, cos, ScalarType::F32, ty)))
        }
    }
}

/// `x` of type `ty` to the power of an `i32`.
pub(crate) fn powi(ty: ScalarType, x: Value, exponent: Value) -> Value {
    use lanework_math::algorithms;
    let exponent = Raw::<u32>::new(exponent);
    match ty {
        ScalarType::F32 => algorithms::powi(Raw::<f32>::new(x), exponent).0,
        ScalarType::F64 => algorithms::powi(Raw::<f64>::new(x), exponent).0,
        _ => {
            let wide = with(|b| to_f32(b, ty, x));
            let power = algorithms::powi(Raw::<f32>::new(wide), exponent).0;
            with(|b| cast(b, power, ScalarType::F32, ty))
        }
    }
}

/// A value of type `T` in an algorithm.
pub(crate) struct Raw<T>(pub Value, PhantomData<fn() -> T>);

crate::scalar::var::copied!([T] Raw<T>);

impl<T> Raw<T> {
    /// The value.
    pub fn new(value: Value) -> Self {
        Raw(value, PhantomData)
    }

    /// The value as a kernel's handle.
    pub fn var(self) -> Var<T> {
        Var::new(self.0)
    }
}

macro_rules! binary_operators {
    ($($t:ty)*: $($trait:ident $method:ident $op:ident),*) => {
        binary_operators!(@rows [$($t)*] $(($trait $method $op))*);
    };
    (@rows $types:tt $($row:tt)*) => { $(binary_operators!(@row $types $row);)* };
    (@row [$($t:ty)*] ($trait:ident $method:ident $op:ident)) => {$(
        impl $trait for Raw<$t> {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Raw::new(with(|b| binary(b, Operation::$op, <$t>::SCALAR, self.0, other.0)))
            }
        }
    )*};
}

binary_operators!(u32 u64 f32 f64: Add add Add, Sub sub Sub, Mul mul Mul);
binary_operators!(f32 f64: Div div Div);
binary_operators!(bool u32 u64: BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor);

impl Not for Raw<bool> {
    type Output = Self;
    fn not(self) -> Self {
        Raw::new(with(|b| not(b, ScalarType::Pred, self.0)))
    }
}

impl Mask for Raw<bool> {}

/// `mask ? x : y` for values of type `ty`.
pub(crate) fn choose(mask: Raw<bool>, ty: ScalarType, x: Value, y: Value) -> Value {
    match mask.0 {
        Value::Constant(0) => y,
        Value::Constant(_) => x,
        _ if x == y => x,
        mask => with(|b| {
            let ty = Class::of(ty).bits_type();
            b.pure(
                &format!("selp.{}", ty.name()),
                ty,
                &[(x, ty), (y, ty), (mask, ScalarType::Pred)],
            )
        }),
    }
}

/// Whether this relation holds for `x` and `y` of type `ty`.
pub(crate) fn compare(relation: Relation, ty: ScalarType, x: Value, y: Value) -> Raw<bool> {
    Raw::new(with(|b| relate(b, relation, ty, x, y)))
}

/// `table[index]`, from constant memory.
pub(crate) fn look_up(name: &str, ty: ScalarType, table: Vec<i128>, index: Value) -> Value {
    with(|b| {
        let size = ty.size();
        let count = table.len() as u64;
        let init =
            table.into_iter().map(|word| Initializer::Value(Immediate::Integer(word))).collect();
        let init = Some(Initializer::List(init));
        let symbol = match b.globals.iter().find(|global| global.init == init) {
            Some(global) => global.name.clone(),
            None => {
                let symbol = b.unique(name);
                b.globals.push(Variable {
                    align: Some(size),
                    dims: vec![Some(count)],
                    init,
                    ..Variable::new(StateSpace::Const, ty, &symbol)
                });
                symbol
            }
        };
        let long = ScalarType::U64;
        let key = b.computation(&format!("address.{symbol}"), [].into_iter());
        let base = b.pure_operands(key, "mov.u64", long, vec![Operand::from(symbol.as_str())]);
        let offset = cast(b, index, ScalarType::U32, long);
        let offset = binary(b, Operation::Mul, long, offset, Value::Constant(size.into()));
        let address = binary(b, Operation::Add, long, base, offset);
        let key = b.computation("ld.const", [address].into_iter());
        let operand = match b.operand(address, long) {
            Operand::Name(register) => Operand::address(register, 0),
            other => other,
        };
        b.pure_operands(key, &format!("ld.const.{}", ty.name()), ty, vec![operand])
    })
}
