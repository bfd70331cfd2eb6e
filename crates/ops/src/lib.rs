//! Tuned operations on GPU buffers, for any Rust program, by kernels of the kernel language: the same kernels run on the
//! emulator, so that a program that calls them is tested without a GPU.
//!
//! An operation is a function that takes its inputs and returns a builder; options are methods of the builder. What ends
//! it is the same everywhere:
//!
//! - `run(output)` queues it in the order of the device's other work and returns; nothing waits for the GPU. Intermediate
//!   results lie in the device's own [`Workspace`].
//! - `prepare(output)` returns a [`Plan`], which holds everything that a run needs and runs any number of times, on any
//!   stream, and in graphs.
//! - `eval()` makes the output, too, and returns it; `value()`, where the output is one number, copies it to the host and waits for it.
//!
//! Inputs are anything that is a [`Tensor`]: a `&Buffer<T>` is one of one dimension, and `Tensor::new(&buffer, [rows, columns])`
//! says the shape, with strides where rows do not follow each other without gaps. A matrix whose columns are adjacent in memory is
//! the transpose of one whose rows are: [`Tensor::t`] changes strides and moves nothing.
//!
//! With the feature `ndarray`, the module `host` has a call for each operation that takes and returns arrays of the host.

mod attention;
mod gemm;
#[cfg(feature = "ndarray")]
pub mod host;
mod launching;
pub mod nn;
mod permute;
pub mod reduce;
pub mod scan;
mod tensor;
mod vectors;
mod workspace;

pub use attention::{Attention, AttentionResult, Half, attention};
#[doc(hidden)]
pub use gemm::Steer;
pub use gemm::{
    ElementKind, Fp8E4m3, Fp8E5m2, Function, FunctionOf, Gemm, GemmElement, Grouped, Precision,
    gemm, grouped,
};
pub use launching::Plan;
pub use permute::{
    IntoOutput, Permute, TransposeInPlace, copy, permute, transpose, transpose_in_place,
};
pub use tensor::{Tensor, TensorMut};
pub use workspace::Workspace;

/// The programs of the page about this crate, run as tests.
#[cfg(doctest)]
#[doc = include_str!(concat!("../../../docs/src/en/", "operations.md"))]
struct Page;
