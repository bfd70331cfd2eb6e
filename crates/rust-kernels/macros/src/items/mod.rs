//! The items that the attributes rewrite: kernels, device functions and methods.

pub mod declaration;
mod device;
pub mod expansion;
pub mod kernel;
mod methods;
mod receiver;
mod traits;
