//! The GPU backend: the CUDA driver, loaded at run time.
//!
//! The driver compiles modules from PTX text, so neither building nor running needs the CUDA toolkit. Without a driver,
//! [`devices`] and [`Gpu::open`] return a [`CudaError`]; nothing panics.
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
//! A GPU reports a kernel's fault asynchronously, at a later call. This crate remembers the launches since the last
//! synchronization and names the one at fault, or the candidates ([`Suspects`]).

mod driver;
mod gpu;
mod kernel;
mod libraries;
mod memory;
mod stream;

pub use driver::CudaError;
pub use driver::ledger::{LaunchRecord, Suspects};
pub use gpu::Gpu;
pub use gpu::device::{DeviceInfo, devices};
pub use kernel::JitOptions;
pub use kernel::function::GpuFunction;
pub use kernel::graph::Graph;
pub use kernel::module::GpuModule;
pub use kernel::shape::FunctionInfo;
pub use kernel::shape::LaunchShape;
pub use libraries::cublas::{Cublas, GemmShape};
pub use libraries::nccl::{Nccl, NcclElement, NcclId, NcclReduction};
pub use libraries::nvml::{Monitor, Reading};
pub use libraries::nvrtc::{NvrtcError, compile, header_folders, version as nvrtc_version};
pub use memory::Rows;
pub use memory::pinned::{PinnedBuffer, Transfer};
pub use memory::tensor_map::{
    Element, L2Promotion, PixelBox, Swizzle, TensorMap, TiledMap, encode_tiled_map,
};
pub use stream::{Event, Stream};
