//! Code: modules, libraries, linking, image formats, and functions.

pub mod fatbin;
pub mod foreign;
pub mod function;
pub mod jit_options;
pub mod kernel_entry;
pub mod libraries;
pub mod links;
pub mod module;
