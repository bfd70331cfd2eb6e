//! CUDA-style kernels in stable Rust: written once, checked and profiled on a machine without a
//! GPU, and run on an NVIDIA GPU with only its driver.
//!
//! ```
//! use lanework::prelude::*;
//!
//! #[kernel]
//! fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
//!     let i = block_idx.x * block_dim.x + thread_idx.x;
//!     if i < y.len() as u32 {
//!         y[i] = a * x[i] + y[i];
//!     }
//! }
//!
//! fn main() -> lanework::Result<()> {
//!     for device in Device::for_tests("the saxpy example") {
//!         let x = device.upload(&[1.0f32; 1000])?;
//!         let mut y = device.upload(&[2.0f32; 1000])?;
//!         saxpy(3.0, &x, &mut y).grid(4).block(256).launch(&device)?;
//!         assert_eq!(y.download()?, [5.0; 1000]);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! A [`Device`] is a GPU or the emulator; a [`Buffer`] is memory of a device; a `#[kernel]` function called with
//! its arguments returns a [`Launch`], which runs on a device once its grid and block are set.
//!
//! - [`lang`] documents the kernel language and how it differs from CUDA C++ and from Rust.
//! - [`Launch::launch`] checks every index on the device: the [`Error`] names line, block, thread and index.
//! - [`Launch::profile`] counts the sectors, bank conflicts and instructions of a launch on the emulator
//!   ([`Counters`]). The emulator does not model time; an [`Event`] measures it on a GPU.
//! - [`Device::sanitized`] is an emulator whose launches fail at the first race, uninitialized read or misused
//!   barrier.
//! - [`PtxModule`] runs other compilers' PTX on the same buffers.

#![doc(test(attr(deny(unused_variables, unused_mut, unused_assignments))))]

extern crate self as lanework;

mod pixels;
mod tensor;

pub use lanework_lang::Element;
pub use lanework_lang::functions as math;
#[doc(hidden)]
pub use lanework_macros::expanded;
pub use lanework_macros::{device, kernel};
#[doc(inline)]
pub use lanework_runtime::*;
pub use pixels::{PixelMap, Pixels};
pub use tensor::{TensorMap, TensorMapMut, Tiles};

/// The kernel language. [`lanework_lang`] documents it and how it differs from CUDA C++ and from Rust.
pub mod lang {
    // A module rather than a renamed crate, so that the compiler's messages name it as kernels do.
    #[doc(inline)]
    pub use lanework_lang::*;
}

/// Imports for a file with kernels: the attributes, the kernel language and the host types.
pub mod prelude {
    pub use crate::lang::prelude::*;
    pub use crate::{
        Buffer, Device, Element, Launch, PixelMap, Pixels, TensorMap, TensorMapMut, Tiles, device,
        kernel,
    };
}

/// The argument for a parameter by value: a scalar, a struct, a tuple or an array.
#[doc(hidden)]
pub fn value_arg<T: lang::Data>(value: T) -> Arg<'static> {
    Arg::bytes(lang::rt::bytes(value))
}

/// The README's examples, as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct Readme;

macro_rules! pages {
    ($($name:ident = $file:literal)*) => {$(
        #[cfg(doctest)]
        #[doc = include_str!(concat!("../../../../docs/src/en/", $file))]
        struct $name;
    )*};
}

// The programs of the guide "Writing kernels" and of the exercises on the ladders' pages, as doc tests. The Chinese pages
// hold the same programs, as a test of `lanework-cli` checks (`cargo test -p lanework-cli --test invariants`).
pages! {
First = "writing/first.md"
    Memory = "writing/memory.md"
    Warps = "writing/warps.md"
    Generics = "writing/generics.md"
    Structs = "writing/structs.md"
    Testing = "writing/testing.md"
    VectorAdd = "vector-add.md"
    SumSquares = "sum-squares.md"
    Scan = "scan.md"
    Softmax = "softmax.md"
    LayerNorm = "layer-norm.md"
    RmsNorm = "rms-norm.md"
    Transpose = "transpose.md"
    Matvec = "matvec.md"
    Matmul = "matmul.md"
    Sgemm = "sgemm.md"
    IntMatmul = "int-matmul.md"
    Hgemm = "hgemm.md"
    TensorFloats = "tf32.md"
    EightBitFloats = "fp8.md"
    Dgemm = "dgemm.md"
    Attention = "attention.md"
}
