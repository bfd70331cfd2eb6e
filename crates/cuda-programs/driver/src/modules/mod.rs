//! Code: modules and libraries, the images that they are loaded from, linking, and the functions in them.

pub mod fatbin;
pub mod foreign;
pub mod function;
pub mod jit_options;
pub mod kernel_entry;
pub mod libraries;
pub mod links;
pub mod module;
