//! Lanework behind a C header: devices, PTX modules and launches for whatever calls C, and
//! gpuocelot's `ptx_run` for what was written for that.
//!
//! `include/lanework.h` documents what is exported here. No function unwinds into its caller: every
//! one gives a status, and [`lanework_last_error`] the text that belongs to it. Devices and modules
//! are numbers looked up in a table, so that one that was closed is an error and not a wild pointer.

mod device;
mod handles;
mod host;
mod module;
mod ptx_run;
mod status;

pub use device::{
    lanework_alloc, lanework_copy_to_device, lanework_copy_to_host, lanework_device_close,
    lanework_device_info, lanework_device_open, lanework_free, lanework_register,
    lanework_unregister,
};
pub use module::{
    lanework_entry_count, lanework_entry_name, lanework_entry_parameters, lanework_launch,
    lanework_module_load, lanework_module_unload,
};
pub use ptx_run::ptx_run;
pub use status::{lanework_abi_version, lanework_last_error, lanework_version};
