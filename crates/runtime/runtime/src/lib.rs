//! The runtime of Lanework: devices, memory and launches on an emulated or a real GPU, without the kernel language.
//!
//! Programs that write kernels in Rust use the crate `lanework`, which re-exports everything here. This crate alone
//! loads PTX of other compilers ([`Device::load_ptx`]), and launches, counts and checks it.

#![doc(test(attr(deny(unused_variables, unused_mut, unused_assignments))))]

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
mod rows;
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

pub use arguments::{Arg, ReferenceArg, SliceArg, SliceMutArg};
pub use buffer::{Buffer, View, ViewMut};
pub use device::Device;
pub use device_info::{Backend, DeviceInfo};
pub use error::{Error, IndexFault, Reports, Result};
pub use foreign::{Executed, PreparedPtx, PtxArg, PtxModule, PtxShape};
pub use job::{Job, VendorCall};
pub use lanework_abi::Storable;
/// What a GPU does at one moment, from the driver's monitoring library; see [`Device::monitor`].
pub use lanework_cuda::{Monitor, Reading};
/// CUDA C++ to PTX through NVRTC, where that library is; needs no GPU.
pub use lanework_cuda::{NvrtcError, compile as compile_cuda};
pub use lanework_emulator as emulator;
pub use lanework_emulator::sanitize::{Checks, KindInfo, Level, Report, ReportKind};
pub use lanework_emulator::{Counters, Swizzle, TensorElement};
pub use lanework_ptx as ptx;
pub use lanework_report as report;
pub use lanework_report::{InstructionProfile, Resources};
pub use launch::Launch;
pub use peers::PeerMemory;
pub use prepared::Prepared;
pub use printed::print_on_stderr;
pub use profile::Profile;
pub use shape::Dim3;
pub use stream::{Pinned, Stream, Transfer};
pub use tensor_map::{DynTensorMap, Tiling};
pub use timing::{Event, Graph};
pub use vendor::{Cublas, GemmShape};
