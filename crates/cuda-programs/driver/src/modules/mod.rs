//! Code: modules and libraries, the images that they are loaded from, linking, and the functions in them.

pub mod calls;
pub mod entry;
pub mod fatbin;
pub mod foreign;
pub mod function;
pub mod functions;
pub mod jit_options;
pub mod libraries;
pub mod linkable;
pub mod links;
pub mod module;
