//! Lanework's C interface: devices, PTX modules and launches, operations on arrays, and gpuocelot's `ptx_run` for
//! programs written for that library.
//!
//! `include/lanework.h` documents the exported functions. No function unwinds into its caller: each
//! returns a status, and [`lanework_last_error`] returns the message of the last failure. Devices
//! and modules are handles looked up in a table, so that using a closed one is an error and not a
//! dangling pointer.

mod call;
mod device;
mod module;
#[cfg(feature = "operations")]
mod operations;

pub use call::{lanework_abi_version, lanework_last_error, lanework_version};
pub use device::{
    lanework_alloc, lanework_copy_to_device, lanework_copy_to_host, lanework_device_close,
    lanework_device_info, lanework_device_open, lanework_free, lanework_register,
    lanework_synchronize, lanework_unregister,
};
pub use module::{
    lanework_entry_count, lanework_entry_name, lanework_entry_parameters, lanework_launch,
    lanework_module_load, lanework_module_unload, ptx_run,
};
#[cfg(feature = "operations")]
pub use operations::{
    LaneworkArray, LaneworkGemmOptions, lanework_attention, lanework_gemm, lanework_norm,
    lanework_permute, lanework_reduce, lanework_scan, lanework_softmax,
    lanework_transpose_in_place,
};
