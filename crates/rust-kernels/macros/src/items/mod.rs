//! The items that the attributes rewrite: kernels, device functions and methods.

mod attribute;
pub mod declaration;
mod device;
pub mod kernel;
mod methods;
