//! Tuned operations on GPU buffers, for any Rust program. The same kernels run on the emulator, so callers can be tested without a
//! GPU.
//!
//! ```
//! use lanework::prelude::*;
//! use lanework_ops::{Tensor, gemm};
//!
//! let device = Device::emulator(); // `Device::best()` in a program
//! let a = device.upload(&[1.0f32; 16 * 8])?;
//! let b = device.upload(&[2.0f32; 8 * 32])?;
//! let product = gemm(Tensor::new(&a, [16, 8])?, Tensor::new(&b, [8, 32])?).eval::<f32>()?; // (16, 32)
//! assert_eq!(product.download()?, [16.0; 16 * 32]);
//! # Ok::<(), lanework::Error>(())
//! ```
//!
//! An operation is a function that takes its inputs and returns a builder; options are methods of the builder. Every builder ends
//! in one of these:
//!
//! - `run(output)` queues the operation behind the device's other work and returns at once. Intermediate results use the device's
//!   own [`Workspace`].
//! - `prepare(output)` returns a [`Plan`], which holds everything that a run needs; it runs any number of times, on any stream, and
//!   in graphs.
//! - `eval()` allocates the output, runs, and returns it. For results that are one number, `value()` waits and copies it to the
//!   host.
//!
//! An input is anything that converts into a [`Tensor`]: a `&Buffer<T>` has one dimension; `Tensor::new(&buffer, [rows, columns])`
//! gives it a row-major shape, and `Tensor::with_strides` any strides. [`Tensor::t`] is the transpose: it changes strides and moves
//! nothing.
//!
//! With the feature `ndarray`, the module `host` has a call for each operation on host arrays.

mod attention;
mod gemm;
#[cfg(feature = "ndarray")]
pub mod host;
pub mod nn;
mod permute;
pub mod reduce;
pub mod scan;
mod tensor;
mod vectors;
mod workspace;

pub use attention::{Attention, AttentionResult, Half, attention};
#[doc(hidden)]
pub use gemm::ForcedVariant;
pub use gemm::{
    Fp8E4m3, Fp8E5m2, Function, FunctionOf, Gemm, GemmElement, Grouped, Precision, gemm, grouped,
};
pub use lanework_numbers::NumberType;
pub use permute::{
    IntoOutput, Permute, TransposeInPlace, copy, permute, transpose, transpose_in_place,
};
pub use tensor::{Tensor, TensorMut};
#[doc(hidden)]
pub use tensor::{dense_strides, span};
pub use workspace::{Plan, Workspace};

/// Runs the programs of the documentation page as tests.
#[cfg(doctest)]
#[doc = include_str!(concat!("../../../../docs/src/en/", "operations.md"))]
struct Page;
