//! The GPU backend: the CUDA driver, loaded at run time.
//!
//! Modules are PTX text, compiled by the driver; no toolkit is needed, at build time or at run time.
//! Where there is no driver, [`devices`] and [`Gpu::open`] return a [`CudaError`]; nothing panics.
//!
//! ```no_run
//! # fn main() -> Result<(), lanework_cuda::CudaError> {
//! # let ptx = "";
//! use lanework_cuda::Gpu;
//!
//! let gpu = Gpu::open(0)?;
//! let double = gpu.load(ptx, "doubling")?.function("double")?;
//! let data = gpu.allocate(1024 * 4)?;
//! gpu.fill(data, 1, 1024 * 4)?;
//! // SAFETY: `double` touches the 1024 words at `data`, which stay allocated until `read` returns.
//! unsafe { gpu.launch(&double, [4, 1, 1], [256, 1, 1], 0, &[&data.to_ne_bytes()], None)? };
//! let mut result = vec![0u8; 1024 * 4];
//! gpu.read(data, &mut result)?;
//! gpu.free(data)?;
//! # Ok(())
//! # }
//! ```
//!
//! A GPU reports a kernel's fault at some later call. This crate remembers the launches since the
//! last synchronisation and names the one at fault, or the candidates ([`Suspects`]).

mod address;
mod allocation;
mod cublas;
mod device;
mod driver;
mod error;
mod event;
mod function;
mod function_info;
mod gpu;
mod graph;
mod jit;
mod launch;
mod ledger;
mod library;
mod memory;
mod module;
mod nccl;
mod nvml;
mod nvrtc;
mod peer;
mod pinned;
mod recording;
mod rows;
mod shape;
mod stream;
mod sys;
mod tensor_map;
mod transfer;

pub use cublas::{Cublas, GemmShape};
pub use device::{DeviceInfo, devices};
pub use error::CudaError;
pub use event::Event;
pub use function::GpuFunction;
pub use function_info::FunctionInfo;
pub use gpu::Gpu;
pub use graph::Graph;
pub use jit::JitOptions;
pub use ledger::{LaunchRecord, Suspects};
pub use module::GpuModule;
pub use nccl::{Nccl, NcclElement, NcclId, NcclReduction};
pub use nvml::{Monitor, Reading};
pub use nvrtc::{NvrtcError, compile, header_folders};
pub use pinned::PinnedBuffer;
pub use rows::Rows;
pub use shape::LaunchShape;
pub use stream::Stream;
pub use tensor_map::{
    Element, L2Promotion, PixelBox, Swizzle, TensorMap, TiledMap, encode_tiled_map,
};
pub use transfer::Transfer;
