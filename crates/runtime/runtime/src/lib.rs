//! The runtime of Lanework: devices, memory and launches on an emulated or a real GPU, without the kernel language.
//!
//! Programs that write kernels in Rust use the crate `lanework`, which re-exports everything here. This crate alone
//! loads PTX of other compilers ([`Device::load_ptx`]), and launches, counts and checks it.

#![doc(test(attr(deny(unused_variables, unused_mut, unused_assignments))))]

mod buffer;
mod device;
mod error;
mod foreign;
mod jobs;
mod launch;
mod stream;
pub mod tool;
pub mod tuned;

pub use buffer::descriptors::{DynTensorMap, Tiling};
pub use buffer::{Buffer, View, ViewMut};
pub use device::Device;
pub use device::gpu::{Backend, DeviceInfo};
pub use error::{Error, IndexFault, Reports, Result};
#[doc(hidden)]
pub use foreign::DiskCache;
pub use foreign::{Executed, PreparedPtx, PtxArg, PtxModule, PtxShape};
pub use jobs::{Cublas, GemmShape, Job, VendorCall};
pub use lanework_abi::Storable;
/// A GPU's clocks, power and temperature, from the driver's monitoring library; see [`Device::monitor`].
pub use lanework_cuda::{Monitor, Reading};
/// Compiles CUDA C++ to PTX with NVRTC, if that library is installed; needs no GPU.
pub use lanework_cuda::{NvrtcError, compile as compile_cuda};
#[doc(hidden)]
pub use lanework_cuda::{header_folders, nvrtc_version};
pub use lanework_emulator as emulator;
pub use lanework_emulator::sanitize::{Checks, KindInfo, Level, Report, ReportKind};
pub use lanework_emulator::{Counters, Swizzle, TensorElement};
pub use lanework_ptx as ptx;
pub use lanework_report as report;
pub use lanework_report::{InstructionProfile, Resources};
/// The model that predicts a kernel's time on a GPU.
pub use lanework_time as time;
pub use launch::Launch;
pub use launch::arguments::{Arg, Dim3, ReferenceArg, ReferenceMutArg, SliceArg, SliceMutArg};
pub use launch::prepared::{Prepared, print_by, print_on_stderr};
pub use launch::profile::Profile;
pub use stream::peers::PeerMemory;
pub use stream::timing::{Event, Graph};
pub use stream::{Pinned, Stream, Transfer};
