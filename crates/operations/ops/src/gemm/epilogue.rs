//! The epilogue of a product: scales, `alpha` and `beta`, a bias, and activations.
//!
//! Kernels read a bias with adjacent elements of the epilogue's type. A bias in another layout is converted into the workspace
//! before the product.

use super::operand::{OperandMemory, is_fp8, refused};
use lanework::Result;
use lanework::lang::Var;
use lanework_numbers::NumberType;
use std::fmt;

/// A `#[device]` function of one number, for [`Gemm::map`](super::Gemm::map); made by [`function!`](crate::function).
///
/// ```
/// use lanework::prelude::*;
/// use lanework_ops::{Function, function};
///
/// #[device]
/// fn halved(x: f32) -> f32 {
///     0.5 * x
/// }
///
/// let halved: Function = function!(halved);
/// assert!(halved.name().ends_with("halved"));
/// ```
#[derive(Clone, Copy)]
pub struct Function {
    name: &'static str,
    apply: Apply,
}

/// The function in its staged form.
#[derive(Clone, Copy)]
enum Apply {
    F32(fn(Var<f32>) -> Var<f32>),
    F64(fn(Var<f64>) -> Var<f64>),
}

/// An argument type that [`function!`](crate::function) supports: `f32` and `f64`.
///
/// ```
/// use lanework::prelude::*;
///
/// #[device]
/// fn squared(x: f64) -> f64 {
///     x * x
/// }
///
/// let squared = lanework_ops::function!(squared); // of f64, for products of f64
/// # assert!(squared.name().ends_with("squared"));
/// ```
pub trait FunctionOf: Sized {
    #[doc(hidden)]
    fn function(name: &'static str, apply: fn(Var<Self>) -> Var<Self>) -> Function;
}

impl FunctionOf for f32 {
    fn function(name: &'static str, apply: fn(Var<f32>) -> Var<f32>) -> Function {
        Function { name, apply: Apply::F32(apply) }
    }
}

impl FunctionOf for f64 {
    fn function(name: &'static str, apply: fn(Var<f64>) -> Var<f64>) -> Function {
        Function { name, apply: Apply::F64(apply) }
    }
}

/// A `#[device]` function from `f32` to `f32`, or from `f64` to `f64`, as a [`Function`] for
/// [`Gemm::map`](crate::Gemm::map).
///
/// ```
/// use lanework::prelude::*;
/// use lanework_ops::{Tensor, function, gemm};
///
/// #[device]
/// fn clamped(x: f32) -> f32 {
///     x.max(0.0).min(6.0)
/// }
///
/// let device = Device::best();
/// let x = device.upload(&[1.0f32, 2.0, 3.0, -4.0])?;
/// let x = Tensor::new(&x, [2, 2])?;
/// let y = gemm(&x, &x).map(function!(clamped)).eval::<f32>()?;
/// assert_eq!(y.download()?, [6.0, 0.0, 0.0, 6.0]);
/// # Ok::<(), lanework::Error>(())
/// ```
#[macro_export]
macro_rules! function {
    ($function:path) => {
        $crate::Function::staged(::std::any::type_name::<$function>(), |x| <$function>::staged(x))
    };
}

impl Function {
    #[doc(hidden)]
    pub fn staged<T: FunctionOf>(name: &'static str, apply: fn(Var<T>) -> Var<T>) -> Function {
        T::function(name, apply)
    }

    /// The function's path, which is unique in the program.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The type that the function computes in.
    fn kind(&self) -> NumberType {
        match self.apply {
            Apply::F32(_) => NumberType::F32,
            Apply::F64(_) => NumberType::F64,
        }
    }

    pub(super) fn of_f32(&self, x: Var<f32>) -> Var<f32> {
        match self.apply {
            Apply::F32(apply) => apply(x),
            Apply::F64(_) => x,
        }
    }

    pub(super) fn of_f64(&self, x: Var<f64>) -> Var<f64> {
        match self.apply {
            Apply::F64(apply) => apply(x),
            Apply::F32(_) => x,
        }
    }
}

// Kernels are cached by the `Debug` text of their constants.
impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Maximum number of activations of a product.
pub(crate) const MOST: usize = 4;

/// An elementwise function of the result.
#[derive(Clone, Copy, Debug)]
pub enum Activation {
    Relu,
    Gelu,
    Map(Function),
}

/// The axis that a vector is indexed by: one number for all, one per row, one per column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    Nothing,
    Rows,
    Columns,
}

impl Along {
    fn transposed(self) -> Along {
        match self {
            Along::Nothing => Along::Nothing,
            Along::Rows => Along::Columns,
            Along::Columns => Along::Rows,
        }
    }
}

/// A vector with a stride.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector<'a> {
    pub kind: NumberType,
    pub memory: OperandMemory<'a>,
    pub length: usize,
    /// Element stride.
    pub stride: usize,
    pub along: Along,
}

/// Operations applied to `alpha a b + beta c`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Epilogue<'a> {
    pub bias: Option<Vector<'a>>,
    /// Applied in order.
    pub activations: Vec<Activation>,
    /// Scales of A (one, or one per row) and of B (one, or one per column).
    pub scales: Option<[Vector<'a>; 2]>,
}

impl Epilogue<'_> {
    /// The epilogue of the transposed product.
    pub fn transposed(self) -> Self {
        let turned = |vector: Vector<'_>| vector.along.transposed();
        Epilogue {
            bias: self.bias.map(|bias| Vector { along: turned(bias), ..bias }),
            scales: self
                .scales
                .map(|[a, b]| [Vector { along: turned(b), ..b }, Vector { along: turned(a), ..a }]),
            ..self
        }
    }

    /// Rejects options that do not match `m` x `n` results of type `results`, computed in `kind`, from factors of type `factors`.
    pub fn check(
        &self,
        (factors, results, kind): (NumberType, NumberType, NumberType),
        [m, n]: [usize; 2],
    ) -> Result<()> {
        if let Some(bias) = &self.bias {
            if bias.length != n {
                return refused(
                    format!("a bias of {} elements for results of {n} columns", bias.length),
                    "a bias has an element per column",
                );
            }
            if bias.kind != kind && bias.kind != results {
                return refused(
                    format!(
                        "a bias of {} for results of {} computed in {}",
                        bias.kind.name(),
                        results.name(),
                        kind.name()
                    ),
                    &format!("give a bias of {}", results.name()),
                );
            }
        }
        if let Some([a, b]) = &self.scales {
            if !is_fp8(factors) && factors != NumberType::I8 {
                return refused(
                    format!("scales of a product of {}", factors.name()),
                    "scales are for 8-bit factors; give one number for all by `.alpha(..)`",
                );
            }
            if kind != NumberType::F32 {
                return refused("scales of results of i32".to_owned(), "give an output of f32");
            }
            for (name, vector, extent, lines) in [("A", a, m, "row"), ("B", b, n, "column")] {
                if vector.length != 1 && vector.length != extent {
                    return refused(
                        format!("{} scales of {name}, which has {extent} {lines}s", vector.length),
                        &format!("give one scale, or one per {lines}"),
                    );
                }
            }
        }
        if self.activations.len() > MOST {
            return refused(
                format!("{} functions of the results", self.activations.len()),
                "give at most 4; one `#[device]` function may call others",
            );
        }
        for activation in &self.activations {
            match activation {
                Activation::Gelu if kind == NumberType::I32 => {
                    return refused("GELU of results of i32".to_owned(), "give an output of f32");
                }
                Activation::Map(function) if function.kind() != kind => {
                    return refused(
                        format!(
                            "`{}` computes in {}, and the results are computed in {}",
                            function.name,
                            function.kind().name(),
                            kind.name()
                        ),
                        "give a function of that type, or an output of f32",
                    );
                }
                _ => {}
            }
        }
        Ok(())
    }
}
