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
//! A [`Device`] is a GPU or the emulator; a [`Buffer`] is memory on one; a `#[kernel]` function
//! called with its arguments returns a [`Launch`], which runs once it has a grid and a block.
//!
//! - [`lang`] documents the kernel language and how it differs from CUDA C++ and from Rust.
//! - [`Launch::launch`] checks every index on the device: the [`Error`] names line, block, thread and index.
//! - [`Launch::profile`] counts on the emulator what a launch does ([`Counters`]): sectors, bank conflicts,
//!   instructions. The emulator does not model time; an [`Event`] takes it on a GPU.
//! - [`Device::sanitized`] is an emulator whose launches fail at the first race, uninitialised read or misused
//!   barrier.
//! - [`PtxModule`] runs PTX of other compilers on the same buffers.

#![doc(test(attr(deny(unused_variables, unused_mut, unused_assignments))))]

extern crate self as lanework;

// Devices.
mod device;
mod device_info;
mod gpu;
mod host_memory;
mod peers;
mod vendor;

// Memory on them.
mod buffer;
mod images;
mod pixels;
mod rows;
mod tensor;
mod tensor_map;
mod views;

// From a kernel to a launch, and what it gives.
mod arguments;
mod compile;
mod compiled;
mod job;
mod launch;
mod launched;
mod prepared;
mod printed;
mod profile;
mod shape;

// PTX of other compilers.
mod cpp_names;
mod disk_cache;
mod entries;
mod foreign;
mod parsed;

// Streams, events and graphs.
mod stream;
mod timing;

// What surrounds launches: errors, tools over a program, tuned choices.
mod error;
pub mod tool;
pub mod tuned;

pub use arguments::{Arg, ReferenceArg, SliceArg, SliceMutArg, value_arg};
pub use buffer::{Buffer, View, ViewMut};
pub use device::Device;
pub use device_info::{Backend, DeviceInfo};
pub use error::{Error, IndexFault, Reports, Result};
pub use foreign::{Executed, PreparedPtx, PtxArg, PtxModule, PtxShape};
pub use job::{Job, VendorCall};
/// What a GPU does at one moment, from the driver's monitoring library; see [`Device::monitor`].
pub use lanework_cuda::{Monitor, Reading};
/// CUDA C++ to PTX through NVRTC, where that library is; needs no GPU.
pub use lanework_cuda::{NvrtcError, compile as compile_cuda};
pub use lanework_emulator as emulator;
pub use lanework_emulator::sanitize::{Checks, KindInfo, Level, Report, ReportKind};
pub use lanework_emulator::{Counters, Swizzle, TensorElement};
pub use lanework_lang as lang;
pub use lanework_lang::functions as math;
pub use lanework_lang::{Element, Storable};
pub use lanework_macros::{device, kernel};
pub use lanework_ptx as ptx;
pub use lanework_report as report;
pub use lanework_report::{InstructionProfile, Resources};
pub use launch::Launch;
pub use peers::PeerMemory;
pub use pixels::{PixelMap, Pixels};
pub use prepared::Prepared;
pub use printed::print_on_stderr;
pub use profile::Profile;
pub use shape::Dim3;
pub use stream::{Pinned, Stream, Transfer};
pub use tensor::{TensorMap, TensorMapMut, Tiles};
pub use tensor_map::{DynTensorMap, Tiling};
pub use timing::{Event, Graph};
pub use vendor::{Cublas, GemmShape};

/// Imports for a file with kernels: the attributes, the kernel language and the host types.
pub mod prelude {
    pub use crate::lang::prelude::*;
    pub use crate::{
        Buffer, Device, Element, Launch, PixelMap, Pixels, TensorMap, TensorMapMut, Tiles, device,
        kernel,
    };
}

mod guide;

/// The README's examples, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../README.md")]
struct Readme;
